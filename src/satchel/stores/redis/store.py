"""`RedisWorkingStore`: the WorkingStore port over one namespace of a Redis server. It must not know what a snapshot means.

A session that is over expires by itself when its time is up, by the server's clock. One that goes on never does: when its time is up the
server says so, and it stays until somebody has condensed it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import ValidationError

from satchel.errors import Conflict, StoreCorrupt
from satchel.protocol.working import WorkingSnapshot
from satchel.stores.columns import check_limit
from satchel.stores.expectations import is_storable
from satchel.stores.redis import scripts
from satchel.stores.redis.location import parse
from satchel.stores.redis.server import Server

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INSTANT = timedelta(microseconds=1)
_PAGE = 200
_LONGEST = 10 * 365 * 86_400_000
"""Milliseconds beyond which an expiry is as good as none."""


class RedisWorkingStore:
    """Keeps each session under a key of its own, beside indexes by name and by time."""

    def __init__(self, url: str) -> None:
        """Note where the server is; it is met when a session is first asked for. Raises as `open_working`."""
        where = parse(url)
        self.location = where.shown
        self._space = where.namespace
        self._indexes = [f"{where.namespace}:{name}" for name in ("names", "open", "over", "due")]
        self._names, self._open, self._over, self._due = self._indexes
        self._server = Server(where)
        self._save, self._drop, self._clear = (
            self._server.client.register_script(text) for text in (scripts.SAVE, scripts.DROP, scripts.CLEAR)
        )

    def __repr__(self) -> str:
        return f"RedisWorkingStore({self.location!r})"

    @property
    def capabilities(self) -> frozenset[str]:
        """What this server, as it is set up, can promise. Raises StoreError while it is away."""
        found = {"multiprocess"}
        if self._server.persistent:
            found.add("persistent")
        if self._server.rewrites:
            found.add("scrub")
        return frozenset(found)

    # ------------------------------------------------------------ one session

    def load(self, scope: str, session: str) -> WorkingSnapshot | None:
        """Return a session's snapshot."""
        if not is_storable(session):
            return None
        name = f"{scope}\n{session}"
        text = self._server.call(lambda client: client.hget(self._key(name), "json"))
        return None if text is None else self._read(name, text)

    def save(self, snapshot: WorkingSnapshot, *, expect: int, lasting: float | None = None) -> None:
        """Write a snapshot over the one of version `expect`."""
        name = f"{snapshot.scope}\n{snapshot.session_id}"
        told: list[Any] = [
            name,
            expect,
            snapshot.version,
            json.dumps(snapshot.to_json(), ensure_ascii=False, separators=(",", ":")),
            _score(snapshot.updated_at),
            int(snapshot.ended_at is not None),
            "" if lasting is None else max(1, min(round(lasting * 1000), _LONGEST)),
        ]
        self._decide(self._save, name, told, expect)

    def drop(self, scope: str, session: str, *, expect: int | None = None) -> None:
        """Remove a session's snapshot."""
        name = f"{scope}\n{session}"
        if is_storable(session):
            self._decide(self._drop, name, [name, "" if expect is None else expect], expect)

    def _decide(self, script: Any, name: str, told: Sequence[Any], expect: int | None) -> None:
        actual = self._server.call(lambda _: script(keys=[self._key(name), *self._indexes], args=told))
        if actual is not None:
            scope, _, session = name.partition("\n")
            message = f"the session {session!r} was saved by another in the meantime"
            raise Conflict(message, scope=scope, session=session, expected=expect, actual=int(actual))

    # ------------------------------------------------------------ several

    def snapshots(self, scope: str | None = None, *, after: tuple[str, str] | None = None, limit: int = 100) -> list[WorkingSnapshot]:
        """Return snapshots ordered by scope and session."""
        limit = check_limit(limit)
        first, last = (b"-", b"+") if scope is None else (f"[{scope}\n".encode(), f"({scope}\x0b".encode())
        if after is not None:
            place = "\n".join(after).encode()
            first = first if scope is not None and first[1:] > place else b"(" + place
        found: list[WorkingSnapshot] = []
        while len(found) < limit:
            asked = min(limit - len(found), _PAGE)
            names = self._server.call(lambda client, first=first, asked=asked: client.zrangebylex(self._names, first, last, 0, asked))  # type: ignore[misc]
            found += self._loaded(names)
            if len(names) < asked:
                break
            first = b"(" + names[-1]
        return found

    def expired(self, before: datetime, *, ended: bool, scope: str | None = None, limit: int = 100) -> list[WorkingSnapshot]:
        """Return snapshots that were last changed before a moment, and those whose time is up, the oldest first."""
        limit = check_limit(limit)
        found = self._first(self._changed(before, ended=ended), scope, limit, ended=ended)
        if not ended:
            known = {(one.scope, one.session_id) for one in found}
            due = self._first(self._timed_out(), scope, limit, ended=False)
            found += [one for one in due if (one.scope, one.session_id) not in known]
        return sorted(found, key=lambda one: (one.updated_at, one.scope, one.session_id))[:limit]

    def _first(self, pages: Iterable[list[bytes]], scope: str | None, limit: int, *, ended: bool) -> list[WorkingSnapshot]:
        prefix = b"" if scope is None else f"{scope}\n".encode()
        found: list[WorkingSnapshot] = []
        for page in pages:
            loaded = self._loaded([name for name in page if name.startswith(prefix)])
            # Somebody may have saved it since it was listed.
            found += [one for one in loaded if (one.ended_at is not None) is ended]
            if len(found) >= limit:
                break
        return found[:limit]

    def _changed(self, before: datetime, *, ended: bool) -> Iterator[list[bytes]]:
        index = self._over if ended else self._open
        return self._pages(index, f"({_score(before)}")

    def _timed_out(self) -> Iterator[list[bytes]]:
        seconds, millionths = self._server.call(lambda client: client.time())
        return self._pages(self._due, str(seconds * 1000 + millionths // 1000))

    def _pages(self, index: str, last: str) -> Iterator[list[bytes]]:
        # All names first: they are few and short, and the index changes while their sessions are looked at.
        names: list[bytes] = self._server.call(lambda client: client.zrangebyscore(index, "-inf", last))
        for start in range(0, len(names), _PAGE):
            yield names[start : start + _PAGE]

    def _loaded(self, names: Sequence[bytes]) -> list[WorkingSnapshot]:
        """Return the snapshots of these names; what has expired leaves the indexes."""
        if not names:
            return []
        known = [name.decode() for name in names]
        texts = self._server.call(lambda client: self._texts(client, known))
        for name in (name for name, text in zip(known, texts, strict=True) if text is None):
            self._server.call(lambda _, name=name: self._clear(keys=[self._key(name), *self._indexes], args=[name]))  # type: ignore[misc]
        return [self._read(name, text) for name, text in zip(known, texts, strict=True) if text is not None]

    def _texts(self, client: Any, names: Sequence[str]) -> list[bytes | None]:
        pipe = client.pipeline(transaction=False)
        for name in names:
            pipe.hget(self._key(name), "json")
        found: list[bytes | None] = pipe.execute()
        return found

    # ------------------------------------------------------------ looking after

    def scrub(self) -> bool:
        """Have the server write its files anew, so that none holds what was erased."""
        return self._server.scrub()

    def check(self) -> list[str]:
        """Return what would lose a session, or already has made one unreadable."""
        return [*self._server.faults(), *self._server.call(self._damages)]

    def _damages(self, client: Any) -> list[str]:
        start, problems, listed = len(self._key("")), list[str](), 0
        for key in client.scan_iter(match=f"{self._key('')}*", count=1000):
            name = key[start:].decode(errors="replace")
            text = client.hget(key, "json") if client.type(key) == b"hash" else b""
            if text is None:  # it expired just now
                continue
            try:
                self._read(name, text)
            except StoreCorrupt as error:
                problems.append(error.message)
            listed += client.zscore(self._names, name) is None
        if listed:
            problems.append(f"{self.location} holds {listed} sessions that are in no list; saved again they are")
        return problems

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _key(self, name: str) -> str:
        return f"{self._space}:session:{name}"

    def _read(self, name: str, text: bytes) -> WorkingSnapshot:
        try:
            return WorkingSnapshot.model_validate_json(text)
        except ValidationError:
            scope, _, session = name.partition("\n")
            raise StoreCorrupt(
                f"{self.location}: what is kept of session {session!r} is no snapshot", scope=scope, session=session
            ) from None


def _score(at: datetime) -> int:
    """Return a moment as whole microseconds since 1970: numbers that the server compares exactly."""
    return (at - _EPOCH) // _INSTANT
