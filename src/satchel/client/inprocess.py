"""A network inside the process: synchronous httpx in front of an ASGI application, without a socket.

It must not know what the application is. Bodies are held whole, so that it is for tests, conformance runs and examples.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import httpx
from anyio.from_thread import start_blocking_portal


class InProcessTransport(httpx.BaseTransport):
    """Carries requests to an ASGI application that runs in a thread of its own event loop.

    Close it, which its client's `close` does: its threads keep the process alive.
    """

    def __init__(self, app: Callable[..., Any]) -> None:
        self._inner = httpx.ASGITransport(app)
        self._stack = ExitStack()
        self._portal = self._stack.enter_context(start_blocking_portal())

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Exchange one request for one response."""
        request.read()
        return self._portal.call(self._exchange, request)

    async def _exchange(self, request: httpx.Request) -> httpx.Response:
        answer = await self._inner.handle_async_request(request)
        body = await answer.aread()
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(body))

    def close(self) -> None:
        """Stop the event loop."""
        self._stack.close()
