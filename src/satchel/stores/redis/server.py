"""The server behind working memory: calls that are tried again, what it keeps on disk, what it would throw away, and scrubbing.

It must not know what a session is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import redis
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import BusyLoadingError, ConnectionError, NoPermissionError, RedisError, ResponseError, TimeoutError
from redis.retry import Retry

from satchel.errors import InvalidRequest, StoreUnavailable, Unsupported
from satchel.stores.redis.failures import store_error
from satchel.stores.redis.location import Location

T = TypeVar("T")

_OLDEST = (5, 0)
_CONNECT_SECONDS, _ANSWER_SECONDS = 5.0, 10.0
_RETRIES = 4
_REWRITE_SECONDS = 10.0
"""How long one scrubbing waits for the server to write its files anew."""


class Server:
    """One server, or what stands in for it. Safe under threads and across a fork."""

    def __init__(self, location: Location) -> None:
        """Connect to nobody yet: memory itself does not need it. Raises InvalidRequest."""
        self.shown = location.shown
        self._closed = threading.Event()
        retry = Retry(ExponentialWithJitterBackoff(base=0.02, cap=0.5), _RETRIES)
        limits = {"socket_connect_timeout": _CONNECT_SECONDS, "socket_timeout": _ANSWER_SECONDS, "health_check_interval": 30}
        try:
            # What stands in the URL holds over these.
            self.client: Any = redis.Redis.from_url(
                location.url, retry=retry, retry_on_error=[BusyLoadingError, ConnectionError, TimeoutError], **limits
            )
        except (ValueError, TypeError) as error:
            # The library's message quotes what it could not read, never the password.
            raise InvalidRequest.of([{"field": "working", "message": f"the URL has a value that is none ({error})"}]) from None
        self._persistent: bool | None = None
        """None until the server was first met."""
        self.rewrites = True
        """Whether the server lets us have its files written anew."""

    def _require_known(self, info: Mapping[str, Any]) -> None:
        found = str(info.get("redis_version", "5.0")).split(".")
        if all(part.isdigit() for part in found[:2]) and tuple(map(int, found[:2])) < _OLDEST:
            raise Unsupported(f"{self.shown} is Redis {info['redis_version']}; working memory needs 5.0 or later")

    @property
    def persistent(self) -> bool:
        """Whether it keeps anything on a disk. Raises as `call`."""
        if self._persistent is None:
            self._require_known(self._info("server"))
            self._persistent = self._is_persistent()
        return self._persistent

    def call(self, work: Callable[[Any], T]) -> T:
        """Do something on the server, and again where the connection broke: it must not matter whether it was done before.

        Raises:
            Unsupported: the server is too old.
            StoreError: the library's errors, translated.
        """
        _ = self.persistent  # a server that cannot do it is said before anything is asked of it
        return self._ask(work)

    def _ask(self, work: Callable[[Any], T]) -> T:
        if self._closed.is_set():
            raise StoreUnavailable(f"{self.shown} was closed", location=self.shown)
        try:
            return work(self.client)
        except RedisError as error:
            raise store_error(error, self.shown) from error

    def close(self) -> None:
        """Close the connections."""
        self._closed.set()
        self.client.close()

    # ------------------------------------------------------------ what it keeps

    def _info(self, section: str) -> Mapping[str, Any]:
        """Return a part of what the server tells of itself; nothing where it may not be asked."""
        try:
            found: Mapping[str, Any] = self._ask(lambda client: _unless_refused(lambda: client.info(section), {}))
        except Unsupported:
            return {}
        return found

    def _is_persistent(self) -> bool:
        return bool(self._info("persistence").get("aof_enabled")) or self._saves()

    def _saves(self) -> bool:
        """Tell whether the server writes its memory to a file from time to time; where it does not say, it may."""
        asked: Mapping[Any, Any] = self._ask(lambda client: _unless_refused(lambda: client.config_get("save"), {"save": "unknown"}))
        return any(asked.values())

    def faults(self) -> list[str]:
        """Return what of the server's settings would lose a session."""
        policy = str(self._info("memory").get("maxmemory_policy", "noeviction"))
        if policy.startswith("allkeys"):
            return [
                f"{self.shown} throws any session away when its memory is full: set its maxmemory-policy, which is {policy}, to noeviction"
            ]
        return []

    def scrub(self) -> bool:
        """Have the files written anew from what is there now; tell whether that is done. Where it is not allowed, nothing is done."""
        deadline = time.monotonic() + _REWRITE_SECONDS
        persistence = self._info("persistence")
        works: list[tuple[Callable[[], Any], tuple[str, ...]]] = []
        if persistence.get("aof_enabled"):
            works.append((self.client.bgrewriteaof, ("aof_rewrite_in_progress", "aof_rewrite_scheduled")))
        if self._saves():
            works.append((self.client.bgsave, ("rdb_bgsave_in_progress",)))
        for begin, marks in works:
            # One under way began before the erasure, and holds what was erased.
            if not self._wait(deadline):
                return False
            if not self.call(lambda _, begin=begin: _unless_refused(lambda: begin() or True, False)):  # type: ignore[misc]
                self.rewrites = False
                return True
            if not self._wait(deadline, marks):
                return False
        return True

    def _wait(self, deadline: float, marks: tuple[str, ...] = ("aof_rewrite_in_progress", "rdb_bgsave_in_progress")) -> bool:
        while any(self._info("persistence").get(mark) for mark in marks):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True


def _unless_refused(ask: Callable[[], T], otherwise: T) -> T:
    """Ask what a hosted server may refuse to everybody."""
    try:
        return ask()
    except NoPermissionError:
        return otherwise
    except ResponseError as error:
        if "unknown command" in str(error).lower() or "not allowed" in str(error).lower():
            return otherwise
        raise
