"""`HttpMemory`: a memory behind a Satchel service. It must not know what the service does with a request."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TypeVar

import httpx

from satchel.client import exchange
from satchel.client.retry import RetryPolicy
from satchel.errors import TransportError
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations import wire
from satchel.operations.memory import Memory
from satchel.protocol.package import Readable

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")

BLOCK = 256 * 1024


class HttpMemory(Memory):
    """The same verbs as an embedded memory, over HTTP. Safe under threads.

    `timeout` is seconds without progress; `transport` replaces the network (httpx), as in-process tests do. A passing failure is
    tried again where that cannot act twice (`retry`); what remains is raised as TransportError, and an error of the service as the
    class it had there.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        agent: str | None = None,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.url = exchange.base_url(url)
        self._retry = retry or RetryPolicy()
        self._client = httpx.Client(transport=transport, **exchange.client_options(self.url, token, agent, timeout))

    def __repr__(self) -> str:
        return f"HttpMemory({self.url.removesuffix('/v1')!r})"

    def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation at the service."""
        message = wire.encode(operation, exchange.with_ids(request))
        headers = {"Content-Type": "application/json"} if message.body is not None else {}
        built = self._client.build_request(message.verb, self.url + message.target, content=message.body, headers=headers)
        response = self._send(built, idempotent=operation.idempotent, writes=operation.writes)
        return exchange.result_of(operation, response.content)

    def export_chunks(self, request: m.ExportRequest) -> Iterator[bytes]:
        """Yield a package as it arrives. A stream that breaks off raises TransportError."""
        built = self._client.build_request(
            "GET", self.url + wire.target(t.EXPORT_PATH, request), timeout=httpx.Timeout(exchange.STREAM_TIMEOUT, connect=5.0)
        )
        response = self._send(built, idempotent=True, stream=True)
        try:
            yield from response.iter_raw(BLOCK)
        except httpx.HTTPError as error:
            raise TransportError(f"the export broke off: {error}") from None
        finally:
            response.close()

    def import_stream(self, request: m.ImportRequest, stream: Readable) -> m.ImportReport:
        """Send a package, in constant memory; return what became of it."""
        body = _Blocks(stream)
        built = self._client.build_request(
            "POST",
            self.url + wire.target(t.IMPORT_PATH, request),
            content=body,
            headers={"Content-Type": t.PACKAGE_MEDIA_TYPE},
            timeout=httpx.Timeout(exchange.STREAM_TIMEOUT, connect=5.0),
        )
        response = self._send(built, idempotent=True, writes=True, body=body)
        return exchange.read_model(m.ImportReport, response.content)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _send(
        self, request: httpx.Request, *, idempotent: bool, writes: bool = False, stream: bool = False, body: _Blocks | None = None
    ) -> httpx.Response:
        """Exchange until it succeeds or a retry is not safe; a stream that was read from cannot be sent again."""
        retry = self._retry.start(idempotent=idempotent, writes=writes)
        while True:
            try:
                response = self._client.send(request, stream=stream)
                if response.is_success:
                    return response
                response.read()
                response.close()
                failure: Exception = exchange.error_of(response)
            except httpx.HTTPError as error:
                failure = error
            pause = retry.pause_after(failure) if body is None or not body.touched else None
            if pause is None:
                raise exchange.final(failure, self.url, uncertain=retry.uncertain) from None
            time.sleep(pause)


class _Blocks:
    """A readable as a request body."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self.touched = False

    def __iter__(self) -> Iterator[bytes]:
        self.touched = True
        while block := self._stream.read(BLOCK):
            yield block
