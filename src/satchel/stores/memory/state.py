"""The reference store's data at one moment, and how a batch changes it. It must not know threads or readers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from satchel.ports import Batch, IndexEntry, LogEntry, Position, Put, Remove, Use
from satchel.protocol.record import MemoryRecord, Status, Usage
from satchel.stores.bodies import decode, encode
from satchel.stores.columns import LARGEST
from satchel.stores.expectations import (
    Address,
    address,
    read_document,
    require_ahead,
    require_documents,
    require_expected,
    require_well_formed,
    write_document,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One record as it stands, with its usage and its index entry. Never changed, only replaced, so that snapshots can share it."""

    record: MemoryRecord
    body: str
    terms: bytes
    vector: bytes | None
    usage: Usage
    change: int


@dataclass(frozen=True, slots=True)
class Logged:
    """One entry of the change log; `before` is the body before the change."""

    scope: str
    id: str
    revision: int
    log: LogEntry
    before: str | None
    erased: bool


@dataclass(slots=True)
class ScopeState:
    """The records of one scope in order of arrival, and which ids hold which content."""

    rows: dict[str, Row] = field(default_factory=dict)
    holders: dict[str, set[str]] = field(default_factory=dict)
    positions: list[int] = field(default_factory=list)
    chains: dict[str, list[int]] = field(default_factory=dict)
    """Positions by record, those of records that were taken out included."""

    indexed: int = 0

    def set(self, record_id: str, row: Row | None) -> None:
        """Put a row in its place, or take it out."""
        old = self.rows.get(record_id)
        if old is not None and old.record.content_hash:
            self.holders[old.record.content_hash].discard(record_id)
        if row is None:
            self.rows.pop(record_id, None)
            return
        self.rows[record_id] = row
        if row.record.content_hash:
            self.holders.setdefault(row.record.content_hash, set()).add(record_id)

    @property
    def position(self) -> Position:
        """How far the scope has come."""
        return Position(self.positions[-1] if self.positions else 0, self.indexed)

    def copy(self) -> ScopeState:
        """Return a copy that can change on its own."""
        holders = {content: set(ids) for content, ids in self.holders.items()}
        chains = {record_id: list(chain) for record_id, chain in self.chains.items()}
        return ScopeState(dict(self.rows), holders, list(self.positions), chains, self.indexed)

    def logged(self, record_id: str, position: int) -> None:
        """Note that the log has an entry about a record."""
        self.positions.append(position)
        self.chains.setdefault(record_id, []).append(position)


@dataclass(slots=True)
class State:
    """Everything the store holds; the log by position, `positions` in order."""

    scopes: dict[str, ScopeState] = field(default_factory=dict)
    log: dict[int, Logged] = field(default_factory=dict)
    positions: list[int] = field(default_factory=list)
    documents: dict[str, dict[str, tuple[str | None, str]]] = field(default_factory=dict)

    def copy(self) -> State:
        """Return a copy that can change on its own."""
        return State(
            {name: scope.copy() for name, scope in self.scopes.items()},
            dict(self.log),
            list(self.positions),
            {name: dict(documents) for name, documents in self.documents.items()},
        )

    @property
    def last(self) -> int:
        """The log's last position."""
        return self.positions[-1] if self.positions else 0

    def scope(self, name: str) -> ScopeState:
        """Return a scope; an unknown one is empty."""
        return self.scopes.get(name) or ScopeState()

    # ------------------------------------------------------------ changing

    def apply(self, batch: Batch) -> int:
        """Write a batch whole or, where an error is raised, not at all."""
        require_well_formed(batch)
        require_ahead(batch.changes, self.last)
        require_expected(batch.changes, self._revisions(batch), lambda scope, content: self.scope(scope).holders.get(content, ()))
        require_documents(batch.documents, self._document)
        texts = [None if document.value is None else write_document(document) for document in batch.documents]
        written = [_written(change.record) if isinstance(change, Put) else None for change in batch.changes]
        for change, record in zip(batch.changes, written, strict=True):
            if isinstance(change, Put) and record is not None:
                self.put(change, *record)
            elif isinstance(change, Remove):
                self.remove(change)
        for document, text in zip(batch.documents, texts, strict=True):
            collection = self.documents.setdefault(document.collection, {})
            if text is None:
                collection.pop(document.key, None)
            else:
                collection[document.key] = (document.scope, text)
        return self.last

    def _revisions(self, batch: Batch) -> dict[Address, int]:
        found = {}
        for scope, record_id in {address(change) for change in batch.changes}:
            row = self.scope(scope).rows.get(record_id)
            if row is not None:
                found[scope, record_id] = row.record.revision
        return found

    def _document(self, collection: str, key: str) -> dict[str, Any] | None:
        found = self.documents.get(collection, {}).get(key)
        return None if found is None else read_document(found[1])

    def put(self, put: Put, record: MemoryRecord, body: str) -> None:
        """Write one record, whose text is `body`, without a look at expectations."""
        scope = self.scopes.setdefault(record.scope, ScopeState())
        old = scope.rows.get(record.id)
        position = put.log.position or self.last + 1
        if record.is_tombstone:
            self._erase(scope, record.id)
            scope.set(record.id, Row(record, body, b"", None, Usage(), position))
        else:
            terms, vector = put.terms, put.vector
            if old is not None and old.record.content_hash == record.content_hash:
                terms, vector = terms or old.terms, vector if vector is not None else old.vector
            usage = bounded(put.record.usage if old is None else put.record.usage.merged(old.usage))
            scope.set(record.id, Row(record, body, terms, vector, usage, position))
        before = None if old is None or record.is_tombstone else old.body
        self.append(scope, Logged(record.scope, record.id, record.revision, put.log, before, record.is_tombstone))

    def remove(self, remove: Remove) -> None:
        """Take one record out, where it is there."""
        scope = self.scope(remove.scope)
        old = scope.rows.get(remove.id)
        if old is None:
            return
        self._erase(scope, remove.id)
        scope.set(remove.id, None)
        self.append(scope, Logged(remove.scope, remove.id, old.record.revision, remove.log, None, erased=True))

    def append(self, scope: ScopeState, logged: Logged) -> None:
        """Add an entry to the log."""
        position = logged.log.position or self.last + 1
        self.log[position] = logged
        self.positions.append(position)
        scope.logged(logged.id, position)

    def _erase(self, scope: ScopeState, record_id: str) -> None:
        for position in scope.chains.get(record_id, ()):
            logged = self.log[position]
            if not logged.erased:
                self.log[position] = replace(logged, before=None, erased=True, log=replace(logged.log, reason=None))

    def touch(self, use: Use) -> None:
        """Record one use."""
        scope = self.scope(use.scope)
        row = scope.rows.get(use.id)
        if row is None or row.record.is_tombstone:
            return
        last = row.usage.last_access_at
        usage = Usage(last_access_at=use.at if last is None else max(last, use.at), access_count=row.usage.access_count + use.count)
        self.use(use.scope, use.id, usage)

    def use(self, scope: str, record_id: str, usage: Usage) -> None:
        """Set one record's usage."""
        row = self.scope(scope).rows.get(record_id)
        if row is not None:
            self.scope(scope).rows[record_id] = replace(row, usage=bounded(usage))

    def index(self, entries: Collection[IndexEntry]) -> int:
        """Write index entries; return how many were still current."""
        written = [entry for entry in entries if self._index_one(entry)]
        for name in {entry.scope for entry in written}:
            self.scopes[name].indexed += 1
        return len(written)

    def _index_one(self, entry: IndexEntry) -> bool:
        scope = self.scope(entry.scope)
        row = scope.rows.get(entry.id)
        if row is None or row.record.status is Status.DELETED or row.record.content_hash != entry.content_hash:
            return False
        terms = row.terms if entry.terms is None else entry.terms
        scope.rows[entry.id] = replace(row, terms=terms, vector=row.vector if entry.vector is None else entry.vector)
        return True

    def clear_vectors(self) -> None:
        """Drop every vector."""
        for scope in self.scopes.values():
            scope.rows = {record_id: replace(row, vector=None) for record_id, row in scope.rows.items()}
            scope.indexed += 1


def _written(record: MemoryRecord) -> tuple[MemoryRecord, str]:
    """Return a record as it reads back from its text, so that nobody outside holds a part of the store, and the text."""
    body = encode(record)
    return decode(body), body


def bounded(usage: Usage) -> Usage:
    """Cut a count that no store could keep."""
    return usage if usage.access_count <= LARGEST else usage.model_copy(update={"access_count": LARGEST})
