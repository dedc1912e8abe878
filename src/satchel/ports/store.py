"""`Store`: where memory rests. A backend implements it and inherits everything above.

A store keeps truth (records, the change log, small documents) and, beside it, index entries that can be rebuilt from it.
It never ranks, never fills in defaults, never decides who may read: it enforces the scopes it is given, exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

from satchel.ports.changes import Batch, Document, IndexEntry, Use
from satchel.ports.states import Change, IndexSlice, Order, Position, RecordPage, ScopeCount, StoredRecord, Unindexed
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord


@runtime_checkable
class Store(Protocol):
    """Where memory rests. Every method may be called from any thread; every failure is a StoreError, Conflict or InvalidRequest.

    Scopes are canonical. An unknown scope is an empty one.
    """

    capabilities: frozenset[str]
    """Declared abilities: `persistent`, `multiprocess`, `scrub` (erased content leaves the files)."""

    location: str
    """Where it is, for a person to read; holds no password."""

    def apply(self, batch: Batch) -> int:
        """Write a batch atomically and durably; return the log position after it. An acknowledged batch survives a kill.

        Raises:
            Conflict: an expectation failed (`details["failed"]`: the indexes of the changes, `details["documents"]`: those of the
                documents); nothing was written.
            InvalidRequest: what cannot be kept, or positions that do not grow from beyond the log's last, or are given to some only.
        """
        ...

    def get(self, scope: str, ids: Collection[str]) -> dict[str, MemoryRecord]:
        """Return the records (tombstones included) that exist, by id, with their usage."""
        ...

    def stored(self, scope: str, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Return the records (tombstones included) that exist, by id, with their index entries: what a copy carries over."""
        ...

    def stored_page(self, scope: str, *, after: str = "", limit: int = 1000) -> dict[str, StoredRecord]:
        """Return the records of a scope (tombstones included) that follow an id, in the order of ids, as `stored` does."""
        ...

    def find(self, scope: str, hashes: Collection[str]) -> dict[str, str]:
        """Return, by content hash, the id of a record of the scope with that content: an active one before others, then the smallest id."""
        ...

    def scan(
        self, scopes: Collection[str], where: RecordFilter, *, order: Order = "id", cursor: str | None = None, limit: int = 100
    ) -> RecordPage:
        """Return one page of the records of exactly these scopes that match."""
        ...

    def positions(self, scopes: Collection[str]) -> dict[str, Position]:
        """Return each scope's position; (0, 0) for one that never was written.

        The greatest of several scopes is a place to go on from once `changes` of them has come to it, not before.
        """
        ...

    def index_slice(self, scope: str, after: Position | None = None) -> IndexSlice:
        """Return the scope's index rows: all, or where `after` is given and still answerable, only what changed since."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """Make this thread's reads inside the block see one state of the store."""
        ...

    def touch(self, uses: Iterable[Use]) -> None:
        """Record usage. No revision, no log entry, no change of position; unknown records are passed over."""
        ...

    def changes(self, scopes: Collection[str] | None, *, after: int = 0, limit: int = 1000) -> list[Change]:
        """Return log entries after a position, oldest first, of these scopes (None: of all).

        Of several scopes, none that a change still under way could come before: who goes on after the last one given misses nothing.
        """
        ...

    def history(self, scope: str, id: str) -> list[Change]:
        """Return one record's log entries, oldest first."""
        ...

    def histories(self, scope: str, ids: Collection[str]) -> dict[str, list[Change]]:
        """Return the log entries of several records of a scope, by id, each record's oldest first; those without any are left out."""
        ...

    def scopes(self) -> list[ScopeCount]:
        """Return every scope that holds a record or a tombstone, ordered by scope."""
        ...

    def document(self, collection: str, key: str) -> dict[str, Any] | None:
        """Return one document's value."""
        ...

    def documents(
        self, collection: str, *, scope: str | None = None, prefix: str = "", after: str | None = None, limit: int = 1000
    ) -> list[Document]:
        """Return documents of a collection in key order, of one scope where given, keys after `after`."""
        ...

    def collections(self) -> list[str]:
        """Return the names of the collections that hold a document, in order."""
        ...

    def write_index(self, entries: Iterable[IndexEntry]) -> int:
        """Write index entries apart from their records; return how many were still current."""
        ...

    def unindexed(self, *, after: tuple[str, str] | None = None, limit: int = 256) -> list[Unindexed]:
        """Return records without a vector, ordered by (scope, id), after a (scope, id)."""
        ...

    def count_unindexed(self) -> int:
        """Return how many records have no vector."""
        ...

    def clear_vectors(self) -> None:
        """Drop every vector (another embedder is to fill them)."""
        ...

    def scrub(self) -> bool:
        """Remove what erasure left in the files: free pages, write-ahead log. False when something (a reader) still holds it."""
        ...

    def check(self) -> list[str]:
        """Return what is wrong with the store, a sentence each; empty when it is sound."""
        ...

    def close(self) -> None:
        """Release everything. Acknowledged writes need no close to be safe."""
        ...


@runtime_checkable
class Noticing(Protocol):
    """What a store has besides where something may be worth a person's look though nothing is wrong."""

    def notices(self) -> list[str]:
        """Return it, a sentence each, with what to do."""
        ...
