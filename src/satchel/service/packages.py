"""Packages over HTTP, both ways in constant memory. It must not know lines or records, only bytes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from satchel.errors import InvalidRequest
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.memory import Memory
from satchel.service.bodies import next_chunk
from satchel.service.envelope import json_response, logger, report, too_large
from satchel.service.settings import ServiceSettings
from satchel.service.workers import Workers

ZSTD_MEDIA_TYPE = "application/zstd"
_BLOCK = 256 * 1024


class PackageResponse(Response):
    """Streams an export.

    An error before the first byte is an envelope; a later one breaks the connection off, so that no reader takes the part for the
    whole. A client that vanishes or stands still frees everything at once.
    """

    def __init__(self, memory: Memory, request: m.ExportRequest, workers: Workers, settings: ServiceSettings) -> None:
        self.status_code = 200
        self.background = None
        self._memory = memory
        self._request = request
        self._workers = workers
        self._stall = settings.stall

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the export; what goes wrong before the first byte is left to the layers around."""
        async with self._workers.stream_slot() as in_thread:
            chunks = await in_thread(self._memory.export_chunks, self._request)
            try:
                first = await in_thread(next, chunks, None)
                await self._until_gone(receive, partial(self._forward, first, partial(in_thread, next, chunks, None), send))
            finally:
                with anyio.CancelScope(shield=True):
                    await in_thread(chunks.close)

    async def _forward(self, chunk: bytes | None, following: Callable[[], Awaitable[bytes | None]], send: Send) -> None:
        """Send chunks until there are no more; an unfinished response makes the server break the connection off."""
        media_type = ZSTD_MEDIA_TYPE if self._request.compressed else t.PACKAGE_MEDIA_TYPE
        headers = [(b"content-type", media_type.encode()), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        while chunk is not None:
            with anyio.move_on_after(self._stall) as patience:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            if patience.cancelled_caught:
                logger.warning("an export was given up: its reader stood still")
                return
            try:
                chunk = await following()
            except Exception as error:  # noqa: BLE001 - the response has begun; nothing can be told but to the log
                report(error)
                return
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    @staticmethod
    async def _until_gone(receive: Receive, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work, and stop where the client vanishes."""
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                tasks.cancel_scope.cancel()

            tasks.start_soon(watch)
            await work()
            tasks.cancel_scope.cancel()


class _BodyReader:
    """The request's body as a readable for the thread that imports it."""

    def __init__(self, pull: Callable[[], Coroutine[Any, Any, bytes]]) -> None:
        self._pull = pull
        self._rest = b""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most `size` bytes; none at the end."""
        if not self._rest:
            self._rest = anyio.from_thread.run(self._pull)
        if size < 0:
            raise ValueError("a package is read in pieces")
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


class _Body:
    """Pulls the body's chunks from the connection, gathered into blocks, with its limits."""

    def __init__(self, request: Request, settings: ServiceSettings) -> None:
        self._chunks = request.stream()
        self._limit = settings.max_import
        self._stall = settings.stall
        self._size = 0
        self._ended = False

    async def pull(self) -> bytes:
        """Return the next block; empty at the end. Raises InvalidRequest where the body stops half way or is too large."""
        block = bytearray()
        while len(block) < _BLOCK and not self._ended:
            try:
                chunk = await next_chunk(self._chunks, self._stall)
            except ClientDisconnect:
                logger.warning("an import's body stopped half way; nothing was written")
                raise InvalidRequest("the body stopped half way; nothing was written") from None
            self._ended = not chunk
            block += chunk
            self._size += len(chunk)
            if self._limit is not None and self._size > self._limit:
                raise too_large(self._limit)
        return bytes(block)


async def import_package(
    request: Request, memory: Memory, wanted: m.ImportRequest, workers: Workers, settings: ServiceSettings
) -> Response:
    """Take the request's body in as a package and answer with the report."""
    declared = request.headers.get("content-length", "")
    if settings.max_import is not None and declared.isdigit() and int(declared) > settings.max_import:
        raise too_large(settings.max_import)
    reader = _BodyReader(_Body(request, settings).pull)
    async with workers.stream_slot() as in_thread:
        done = await in_thread(memory.import_stream, wanted, reader)
    return json_response(done.model_dump(mode="json"))
