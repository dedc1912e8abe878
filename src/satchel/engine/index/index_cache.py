"""The scopes' indexes in memory: bounded by bytes, brought up to date from the store before each use, an external index with them.

It must not know how an index is searched.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace

from satchel.engine.core import Core
from satchel.engine.index.outside import OutsideVectors
from satchel.engine.index.scope_index import ScopeIndex
from satchel.ports import Position, Use


class _Entry:
    """One scope's place in the cache. Its lock is held while the index is brought up to date, so that this is done once."""

    __slots__ = ("bytes", "index", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.index: ScopeIndex | None = None
        self.bytes = 0


class IndexCache:
    """Least recently used scopes go first. An index larger than the whole cache is built, used and let go.

    `pending` gives the usage of a scope that has not reached the store yet; `dimension` that of the vectors the store holds, 0 for none
    to be used: it is asked whenever the store has moved, for another process may have rebuilt the index with another model.
    """

    def __init__(self, core: Core, *, dimension: Callable[[], int], pending: Callable[[str], Iterable[Use]] = lambda _: ()) -> None:
        self._store = core.store
        self._limit = core.settings.index_cache_bytes
        self._notes = core.notes
        self._external = core.external
        self._embedder = core.embedder
        self._dimension = dimension
        self._pending = pending
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    def get(self, scope: str, position: Position) -> ScopeIndex:
        """Return the scope's index at this position or a later one.

        Call it inside `store.reading()`, with the position read there.
        """
        with self._lock:
            entry = self._entries.setdefault(scope, _Entry())
            self._entries.move_to_end(scope)
        with entry.lock:
            index = entry.index
            fresh = index is None or index.position < position
            if index is None or fresh:
                entry.index = index = self._refreshed(scope, index)
            if self._external is not None and self._embedder is not None and index.dimension:
                self._external.follow(scope, index.position, self._embedder.name, index.dimension)
        if not fresh:
            return index
        self._account(scope, entry, index.bytes)
        return index

    def _refreshed(self, scope: str, index: ScopeIndex | None) -> ScopeIndex:
        dimension = self._dimension()
        after = index.position if index is not None and index.dimension == dimension else None
        part = self._store.index_slice(scope, after)
        part = replace(part, rows=list(part.rows))
        read = {row.id for row in part.rows}
        outside = None if self._external is None else OutsideVectors(self._external, scope)
        index = ScopeIndex.build(part, dimension, outside) if index is None or after is None else index.apply(part)
        # Rows just read know nothing of usage that is still on its way to the store.
        index.use((use.id, use.at.timestamp(), use.count) for use in self._pending(scope) if use.id in read)
        return index

    def _account(self, scope: str, entry: _Entry, size: int) -> None:
        with self._lock:
            if self._entries.get(scope) is entry:
                entry.bytes = size
            if size > self._limit:
                self._entries.pop(scope, None)
                self._notes.add(
                    "index-cache", f"a scope's index takes {size >> 20} MiB, more than index_cache_bytes: each recall builds it anew"
                )
            while len(self._entries) > 1 and self._total() > self._limit:
                self._entries.popitem(last=False)

    def _total(self) -> int:
        return sum(entry.bytes for entry in self._entries.values())

    @property
    def bytes(self) -> int:
        """Memory that the indexes take, about."""
        with self._lock:
            return self._total()

    def held(self, scope: str) -> ScopeIndex | None:
        """Return the scope's index as it is in memory, however old; None where it is not."""
        with self._lock:
            entry = self._entries.get(scope)
        return entry.index if entry is not None else None

    def used(self, uses: Iterable[Use]) -> None:
        """Let indexes that are in memory know of usage before the store does."""
        for use in uses:
            with self._lock:
                entry = self._entries.get(use.scope)
            index = entry.index if entry is not None else None
            if index is not None:
                index.use([(use.id, use.at.timestamp(), use.count)])

    def drop(self, scope: str) -> None:
        """Forget one scope's index."""
        with self._lock:
            self._entries.pop(scope, None)

    def clear(self) -> None:
        """Forget every index."""
        with self._lock:
            self._entries.clear()
