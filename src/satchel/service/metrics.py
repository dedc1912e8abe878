"""What is counted: requests by operation and outcome, and how long they took. Never whose, never what.

It must not know routes: an endpoint names its operation in the request's scope.
"""

from __future__ import annotations

import time

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPERATION_KEY = "satchel.operation"
"""Where an endpoint leaves its operation's name in the ASGI scope."""

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The service's counters, in a registry of their own."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("satchel_requests", "Requests by operation and status.", ("operation", "status"), registry=self._registry)
        self._seconds = Histogram(
            "satchel_request_seconds", "Seconds by operation.", ("operation",), registry=self._registry, buckets=_BUCKETS
        )

    def observe(self, operation: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)

    def text(self) -> bytes:
        """Return the Prometheus exposition."""
        return generate_latest(self._registry)


class Meter:
    """Measures every request that an endpoint put a name to."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        status = 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        # An endpoint may be handed a copy of the scope; a mutable entry reaches it all the same.
        name: list[str] = []
        scope[OPERATION_KEY] = name
        try:
            await self._app(scope, receive, watched)
        finally:
            self._metrics.observe(name[0] if name else "none", status, time.perf_counter() - begun)
