"""Packages over HTTP, both ways in constant memory. It must not know lines or records, only bytes.

Each stream has one thread for its whole life, for a store's reading may belong to the thread that began it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from satchel.errors import InvalidRequest, SatchelError
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.memory import Memory
from satchel.service.envelope import Refused, error_response, json_response, logger, report, too_large
from satchel.service.settings import ServiceSettings
from satchel.service.workers import Workers

ZSTD_MEDIA_TYPE = "application/zstd"
_AHEAD = 2
"""Chunks made before the client has taken the one before."""
_BLOCK = 256 * 1024
_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError, CancelledError)
"""What a producer meets where nobody takes its chunks any more."""


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
        """Run the export."""
        try:
            async with self._workers.stream_slot() as limiter, anyio.create_task_group() as tasks:
                sink, source = anyio.create_memory_object_stream[bytes | Exception](_AHEAD)
                tasks.start_soon(partial(anyio.to_thread.run_sync, self._produce, sink, limiter=limiter))
                tasks.start_soon(self._watch, receive, tasks.cancel_scope)
                try:
                    await self._forward(source, scope, receive, send)
                finally:
                    # Closing the source makes the producer's next chunk fail in its own thread, where the export is closed.
                    source.close()
                    tasks.cancel_scope.cancel()
        except SatchelError as error:
            await error_response(error)(scope, receive, send)

    async def _forward(self, source: MemoryObjectReceiveStream[bytes | Exception], scope: Scope, receive: Receive, send: Send) -> None:
        first = await source.receive()
        if isinstance(first, Exception):
            await _failure(first)(scope, receive, send)
            return
        media_type = ZSTD_MEDIA_TYPE if self._request.compressed else t.PACKAGE_MEDIA_TYPE
        headers = [(b"content-type", media_type.encode()), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        chunk: bytes | Exception = first
        while not isinstance(chunk, Exception):
            with anyio.move_on_after(self._stall) as patience:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            if patience.cancelled_caught:
                logger.warning("an export was given up: its reader stood still")
                return
            try:
                chunk = await source.receive()
            except anyio.EndOfStream:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                return
        report(chunk)

    async def _watch(self, receive: Receive, scope: anyio.CancelScope) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()

    def _produce(self, sink: MemoryObjectSendStream[bytes | Exception]) -> None:
        """Make the chunks, in this thread from first to last."""

        def put(item: bytes | Exception) -> None:
            anyio.from_thread.run(sink.send, item)

        try:
            chunks = self._memory.export_chunks(self._request)
            try:
                for chunk in chunks:
                    put(chunk)
            finally:
                close = getattr(chunks, "close", None)
                if close is not None:
                    close()
        except _GONE:
            return
        except Exception as error:  # noqa: BLE001 - handed to the response, which tells what may be told
            with suppress(*_GONE):
                put(error)
        finally:
            anyio.from_thread.run_sync(sink.close)


def _failure(error: Exception) -> Response:
    if isinstance(error, SatchelError | Refused):
        return error_response(error)
    return error_response(SatchelError("something went wrong inside the service", reference=report(error)), status=500)


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
                with anyio.fail_after(self._stall):
                    chunk = await anext(self._chunks, b"")
            except TimeoutError:
                raise InvalidRequest(f"the body stood still for {self._stall:g} s; nothing was written") from None
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
    async with workers.stream_slot() as limiter:
        done = await anyio.to_thread.run_sync(memory.import_stream, wanted, reader, limiter=limiter)
    return json_response(done.model_dump(mode="json"))
