"""What is checked before a request is read: Host, Origin and size, and how often a caller may come (ACC-5).

It must not know operations or tokens.
"""

from __future__ import annotations

import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.errors import Denied, RateLimited
from satchel.service.envelope import error_response

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
_KEPT = 10_000


def is_loopback(host: str) -> bool:
    """Tell whether a host to listen on is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def host_of(header: str) -> str:
    """Return the lower-case host of a Host header, without port and brackets; empty where it is malformed."""
    try:
        return "" if "@" in header else (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""


class HostAndOrigin:
    """Refuses names that are not the service's (a page that rebinds its own name to this machine) and foreign pages' requests."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] | None, origins: Collection[str]) -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            problem = self._problem(headers.get("host", ""), headers.get("origin"))
            if problem is not None:
                await error_response(Denied(problem))(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _problem(self, host: str, origin: str | None) -> str | None:
        if self._hosts is not None and host_of(host) not in self._hosts:
            return "the Host header names another host than this service"
        # The scheme is left out of it: in front of the service there may be something that speaks TLS.
        if origin is None or origin in self._origins or origin.partition("://")[2] == host:
            return None
        return "pages of that origin may not call this service"


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class RateLimiter:
    """A token bucket for each caller: `rate` requests a second, `burst` at once. `clock` gives seconds that only grow."""

    def __init__(self, rate: float, burst: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count one request. Raises RateLimited, with the whole seconds to wait."""
        with self._lock:
            now = self._clock()
            bucket = self._buckets.pop(caller, None) or _Bucket(self._burst, now)
            bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.at) * self._rate)
            bucket.at = now
            self._buckets[caller] = bucket
            while len(self._buckets) > _KEPT:
                self._buckets.popitem(last=False)
            if bucket.tokens < 1.0:
                wait = math.ceil((1.0 - bucket.tokens) / self._rate)
                raise RateLimited(f"too many requests; try again in {wait} s", retry_after=wait)
            bucket.tokens -= 1.0
