"""`MemoryStore`: the Store port over one process's memory. It must not know how a batch changes the data."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from satchel.errors import StoreUnavailable
from satchel.ports import (
    Batch,
    Change,
    Document,
    IndexEntry,
    IndexSlice,
    Order,
    Position,
    RecordPage,
    ScopeCount,
    StoredRecord,
    Unindexed,
    Use,
)
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status
from satchel.stores.bodies import decode
from satchel.stores.columns import Key, check_limit, index_row, micros, read_cursor, write_cursor
from satchel.stores.expectations import read_document
from satchel.stores.memory.state import Row, State


class MemoryStore:
    """Keeps memories until the process ends. A snapshot is shared until somebody writes, then the writer takes a copy."""

    capabilities = frozenset({"scrub"})
    location = "memory"

    def __init__(self) -> None:
        self._state: State | None = State()
        self._lock = threading.RLock()
        self._pinned = threading.local()
        self._readers: Counter[int] = Counter()

    # ------------------------------------------------------------ writing

    def apply(self, batch: Batch) -> int:
        """Write a batch atomically."""
        with self._lock:
            return self._writable().apply(batch)

    def touch(self, uses: Iterable[Use]) -> None:
        """Record usage."""
        with self._lock:
            state = self._writable()
            for use in uses:
                state.touch(use)

    def write_index(self, entries: Iterable[IndexEntry]) -> int:
        """Write index entries apart from their records."""
        with self._lock:
            return self._writable().index(list(entries))

    def clear_vectors(self) -> None:
        """Drop every vector."""
        with self._lock:
            self._writable().clear_vectors()

    def _writable(self) -> State:
        state = self._now()
        if self._readers[id(state)]:
            self._state = state = state.copy()
        return state

    # ------------------------------------------------------------ snapshots

    def _now(self) -> State:
        if self._state is None:
            raise StoreUnavailable("the store is closed")
        return self._state

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Make this thread's reads inside the block see one state of the store."""
        if getattr(self._pinned, "state", None) is not None:
            yield
            return
        with self._lock:
            state = self._now()
            self._readers[id(state)] += 1
        self._pinned.state = state
        try:
            yield
        finally:
            self._pinned.state = None
            with self._lock:
                self._readers[id(state)] -= 1
                self._readers = +self._readers

    @contextmanager
    def _reading(self) -> Iterator[State]:
        pinned: State | None = getattr(self._pinned, "state", None)
        if pinned is not None:
            yield pinned
            return
        with self._lock:
            yield self._now()

    # ------------------------------------------------------------ reading

    def get(self, scope: str, ids: Collection[str]) -> dict[str, MemoryRecord]:
        """Return the records that exist, by id."""
        with self._reading() as state:
            rows = state.scope(scope).rows
            return {record_id: _record(rows[record_id]) for record_id in ids if record_id in rows}

    def stored(self, scope: str, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Return the records that exist, by id, with their index entries."""
        with self._reading() as state:
            rows = {record_id: row for record_id in ids if (row := state.scope(scope).rows.get(record_id)) is not None}
        return {record_id: StoredRecord(_record(row), row.change, row.terms, row.vector) for record_id, row in rows.items()}

    def stored_page(self, scope: str, *, after: str = "", limit: int = 1000) -> dict[str, StoredRecord]:
        """Return the records that follow an id, in order, with their index entries."""
        with self._reading() as state:
            ids = sorted(record_id for record_id in state.scope(scope).rows if record_id > after)[: check_limit(limit)]
            return self.stored(scope, ids)

    def find(self, scope: str, hashes: Collection[str]) -> dict[str, str]:
        """Return ids by content hash."""
        with self._reading() as state:
            held = state.scope(scope)
            found = {}
            for content in hashes:
                if ids := held.holders.get(content):
                    found[content] = min(ids, key=lambda other: (held.rows[other].record.status is not Status.ACTIVE, other))
            return found

    def scan(
        self, scopes: Collection[str], where: RecordFilter, *, order: Order = "id", cursor: str | None = None, limit: int = 100
    ) -> RecordPage:
        """Return one page of records."""
        limit = check_limit(limit)
        after = read_cursor(order, cursor)
        with self._reading() as state:
            rows = [row for name in set(scopes) for row in state.scope(name).rows.values() if where.matches(row.record)]
        keyed = sorted(((_key(order, row.record), row) for row in rows), key=lambda pair: _sorting(pair[0]))
        rest = [pair for pair in keyed if after is None or _sorting(pair[0]) > _sorting(after)]
        page = rest[:limit]
        return RecordPage([_record(row) for _, row in page], write_cursor(order, page[-1][0]) if len(rest) > limit else None)

    def positions(self, scopes: Collection[str]) -> dict[str, Position]:
        """Return each scope's position."""
        with self._reading() as state:
            return {name: state.scope(name).position for name in scopes}

    def index_slice(self, scope: str, after: Position | None = None) -> IndexSlice:
        """Return the scope's index rows, all or what changed since."""
        with self._reading() as state:
            held = state.scope(scope)
            position = held.position
            if after is None or after.indexed != position.indexed or after.change > position.change:
                living = [row for row in held.rows.values() if not row.record.is_tombstone]
                return IndexSlice(position, [index_row(row.record, row.usage, row.terms, row.vector) for row in living], complete=True)
            since = held.positions[bisect_right(held.positions, after.change) :]
            changed = {state.log[place].id for place in since}
            living = [row for record_id, row in held.rows.items() if record_id in changed and not row.record.is_tombstone]
            rows = [index_row(row.record, row.usage, row.terms, row.vector) for row in living]
            return IndexSlice(position, rows, complete=False, gone=changed - {row.id for row in rows})

    def changes(self, scopes: Collection[str] | None, *, after: int = 0, limit: int = 1000) -> list[Change]:
        """Return log entries after a position."""
        limit = check_limit(limit)
        with self._reading() as state:
            if scopes is None:
                start = bisect_right(state.positions, after)
                return [_change(state, place) for place in state.positions[start : start + limit]]
            logs = [state.scope(name).positions for name in set(scopes)]
            starts = [bisect_right(log, after) for log in logs]
            oldest = sorted(place for log, start in zip(logs, starts, strict=True) for place in log[start : start + limit])
            return [_change(state, place) for place in oldest[:limit]]

    def history(self, scope: str, id: str) -> list[Change]:
        """Return one record's log entries."""
        return self.histories(scope, (id,)).get(id, [])

    def histories(self, scope: str, ids: Collection[str]) -> dict[str, list[Change]]:
        """Return the log entries of several records."""
        with self._reading() as state:
            chains = state.scope(scope).chains
            return {name: [_change(state, place) for place in chains[name]] for name in dict.fromkeys(ids) if name in chains}

    def scopes(self) -> list[ScopeCount]:
        """Return every scope that holds something."""
        with self._reading() as state:
            counted = {name: Counter(row.record.status.value for row in held.rows.values()) for name, held in state.scopes.items()}
        return [ScopeCount(name, {status.value: counts[status.value] for status in Status if counts[status.value]})
                for name, counts in sorted(counted.items()) if counts]  # fmt: skip

    def document(self, collection: str, key: str) -> dict[str, Any] | None:
        """Return one document's value."""
        with self._reading() as state:
            found = state.documents.get(collection, {}).get(key)
            return None if found is None else read_document(found[1])

    def documents(
        self, collection: str, *, scope: str | None = None, prefix: str = "", after: str | None = None, limit: int = 1000
    ) -> list[Document]:
        """Return documents of a collection in key order."""
        limit = check_limit(limit)
        with self._reading() as state:
            held = state.documents.get(collection, {})
            keys = sorted(
                key
                for key, (owner, _) in held.items()
                if key.startswith(prefix) and (after is None or key > after) and (scope is None or owner == scope)
            )
            return [Document(collection, key, read_document(held[key][1]), held[key][0]) for key in keys[:limit]]

    def collections(self) -> list[str]:
        """Return the names of collections that hold a document."""
        with self._reading() as state:
            return sorted(name for name, held in state.documents.items() if held)

    # ------------------------------------------------------------ the index

    def unindexed(self, *, after: tuple[str, str] | None = None, limit: int = 256) -> list[Unindexed]:
        """Return records without a vector."""
        limit = check_limit(limit)
        with self._reading() as state:
            waiting = sorted(_waiting(state), key=lambda row: (row.record.scope, row.record.id))
        rest = [row.record for row in waiting if after is None or (row.record.scope, row.record.id) > after]
        return [Unindexed(record.scope, record.id, record.content_hash, record.content) for record in rest[:limit]]

    def count_unindexed(self) -> int:
        """Return how many records have no vector."""
        with self._reading() as state:
            return sum(1 for _ in _waiting(state))

    # ------------------------------------------------------------ looking after

    def scrub(self) -> bool:
        """Nothing is in any file; old snapshots go when their readers do."""
        with self._lock:
            return not self._readers

    def check(self) -> list[str]:
        """Nothing to find."""
        return []

    def close(self) -> None:
        """Let everything go."""
        with self._lock:
            self._state = None


def _record(row: Row) -> MemoryRecord:
    # Read anew from text, so that nobody holds a part of the store in hand.
    return decode(row.body, row.usage)


def _key(order: Order, record: MemoryRecord) -> Key:
    return Key(micros(record.updated_at) if order == "updated" else 0, record.scope, record.id)


def _sorting(key: Key) -> tuple[int, str, str]:
    return (-key.updated, key.scope, key.id)


def _waiting(state: State) -> Iterator[Row]:
    for scope in state.scopes.values():
        yield from (row for row in scope.rows.values() if row.vector is None and not row.record.is_tombstone)


def _change(state: State, position: int) -> Change:
    entry = state.log[position]
    return Change(
        position=position,
        scope=entry.scope,
        id=entry.id,
        revision=entry.revision,
        operation=entry.log.operation,
        agent=entry.log.agent,
        at=entry.log.at,
        reason=entry.log.reason,
        before=None if entry.before is None else decode(entry.before),
        erased=entry.erased,
    )
