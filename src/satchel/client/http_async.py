"""`AsyncHttpMemory`: the asynchronous face of a Satchel service. It must not know what the service does with a request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TypeVar

import anyio
import anyio.to_thread
import httpx

from satchel.client import exchange
from satchel.client.asynchronous import AsyncMemory
from satchel.client.http import BLOCK
from satchel.client.retry import RetryPolicy
from satchel.errors import TransportError
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations import wire
from satchel.protocol.package import Readable

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")


class AsyncHttpMemory(AsyncMemory):
    """What `HttpMemory` is, to be awaited. `transport` may be `httpx.ASGITransport(app)`: no socket is needed then."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        agent: str | None = None,
        timeout: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.url = exchange.base_url(url)
        self._retry = retry or RetryPolicy()
        self._client = httpx.AsyncClient(transport=transport, **exchange.client_options(self.url, token, agent, timeout))

    def __repr__(self) -> str:
        return f"AsyncHttpMemory({self.url.removesuffix('/v1')!r})"

    async def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation at the service."""
        message = wire.encode(operation, exchange.with_ids(request))
        headers = {"Content-Type": "application/json"} if message.body is not None else {}
        built = self._client.build_request(message.verb, self.url + message.target, content=message.body, headers=headers)
        response = await self._send(built, idempotent=operation.idempotent, writes=operation.writes)
        return exchange.result_of(operation, response.content)

    async def export_chunks(self, request: m.ExportRequest) -> AsyncIterator[bytes]:
        """Yield a package as it arrives. A stream that breaks off raises TransportError."""
        built = self._client.build_request(
            "GET", self.url + wire.target(t.EXPORT_PATH, request), timeout=httpx.Timeout(exchange.STREAM_TIMEOUT, connect=5.0)
        )
        response = await self._send(built, idempotent=True, stream=True)
        try:
            async for chunk in response.aiter_raw(BLOCK):
                yield chunk
        except httpx.HTTPError as error:
            raise TransportError(f"the export broke off: {error}") from None
        finally:
            await response.aclose()

    async def import_stream(self, request: m.ImportRequest, stream: Readable) -> m.ImportReport:
        """Send a package, in constant memory; the stream is read in a thread."""
        body = _Blocks(stream)
        built = self._client.build_request(
            "POST",
            self.url + wire.target(t.IMPORT_PATH, request),
            content=body,
            headers={"Content-Type": t.PACKAGE_MEDIA_TYPE},
            timeout=httpx.Timeout(exchange.STREAM_TIMEOUT, connect=5.0),
        )
        response = await self._send(built, idempotent=True, writes=True, body=body)
        return exchange.read_model(m.ImportReport, response.content)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _send(
        self, request: httpx.Request, *, idempotent: bool, writes: bool = False, stream: bool = False, body: _Blocks | None = None
    ) -> httpx.Response:
        retry = self._retry.start(idempotent=idempotent, writes=writes)
        while True:
            try:
                response = await self._client.send(request, stream=stream)
                if response.is_success:
                    return response
                await response.aread()
                await response.aclose()
                failure: Exception = exchange.error_of(response)
            except httpx.HTTPError as error:
                failure = error
            pause = retry.pause_after(failure) if body is None or not body.touched else None
            if pause is None:
                raise exchange.final(failure, self.url, uncertain=retry.uncertain) from None
            await anyio.sleep(pause)


class _Blocks:
    """A readable as an asynchronous request body."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self.touched = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self.touched = True
        while block := await anyio.to_thread.run_sync(self._stream.read, BLOCK):
            yield block
