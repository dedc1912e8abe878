"""`SQLiteStore`: the Store port over one file. It ties reading, writing and looking after together; it must not know SQL."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from satchel.errors import InvalidRequest, StoreCorrupt, StoreUnavailable
from satchel.ports import (
    Batch,
    Change,
    Document,
    IndexEntry,
    IndexRow,
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
from satchel.protocol.record import MemoryRecord
from satchel.stores.columns import LARGEST, check_limit, read_cursor
from satchel.stores.expectations import is_storable
from satchel.stores.sqlite import applying, checking, indexing, reading, scanning, scrubbing, usage
from satchel.stores.sqlite.connections import Readers, create, identity, open_writer
from satchel.stores.sqlite.descriptors import Descriptor
from satchel.stores.sqlite.failures import translated
from satchel.stores.sqlite.migrating import migrate, require_known, schema_version
from satchel.stores.sqlite.preparing import prepare
from satchel.stores.sqlite.writer import Writer

_PREFIX = "sqlite:///"


class SQLiteStore:
    """A store in one file, which is created where there is none.

    Raises StoreCorrupt where the file is damaged or is something else, VersionError where a later Satchel wrote it, StoreUnavailable
    where it cannot be opened. A file that cannot be written is open for reading, and writes raise StoreUnavailable until it can.
    """

    capabilities = frozenset({"persistent", "multiprocess", "scrub"})

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).expanduser().absolute()
        self.location = str(self._path)
        self._readers = Readers(self._path)
        self._writer = Writer(self._path, self._connect, on_stale=self._readers.drop)
        self._on_close: Callable[[], None] = lambda: None
        with translated(self.location):
            self._prepare()
            self._descriptor = Descriptor(self._path)
        self._closed = False

    def _prepare(self) -> None:
        try:
            create(self._path)
            with translated(self.location):
                self._writer.run(lambda _: None)
        except (StoreUnavailable, OSError):
            # It may still be readable; where it is not, this says why.
            with self._readers.one() as connection:
                version = schema_version(connection, self._path)
            require_known(version, self._path)
            if not version:
                raise

    def _connect(self) -> sqlite3.Connection:
        connection = open_writer(self._path)
        try:
            migrate(connection, self._path)
        except BaseException:
            connection.close()
            raise
        return connection

    # ------------------------------------------------------------ writing

    def apply(self, batch: Batch) -> int:
        """Write a batch atomically and durably; batches of several threads share a flush to the disk."""
        prepared = prepare(batch)
        return self._writer.run(lambda connection: applying.apply(connection, prepared))

    def touch(self, uses: Iterable[Use]) -> None:
        """Record usage; a power failure may lose the last of it."""
        given = [use for use in uses if is_storable(use.scope) and is_storable(use.id)]
        if given:
            self._writer.run(lambda connection: usage.touch(connection, given), durable=False)

    def write_index(self, entries: Iterable[IndexEntry]) -> int:
        """Write index entries apart from their records."""
        given = list(entries)
        return self._writer.run(lambda connection: indexing.write_index(connection, given))

    def clear_vectors(self) -> None:
        """Drop every vector."""
        self._writer.run(indexing.clear_vectors)

    # ------------------------------------------------------------ reading

    def reading(self) -> AbstractContextManager[None]:
        """Make this thread's reads inside the block see one state of the store."""
        return self._readers.snapshot()

    def get(self, scope: str, ids: Collection[str]) -> dict[str, MemoryRecord]:
        """Return the records that exist, by id."""
        with self._readers.one() as connection:
            return reading.get(connection, scope, ids)

    def stored(self, scope: str, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Return the records that exist, by id, with their index entries."""
        with self._readers.one() as connection:
            return reading.stored(connection, scope, ids)

    def stored_page(self, scope: str, *, after: str = "", limit: int = 1000) -> dict[str, StoredRecord]:
        """Return the records that follow an id, in order, with their index entries."""
        limit = check_limit(limit)
        with self._readers.one() as connection:
            return reading.stored_page(connection, scope, after, limit)

    def find(self, scope: str, hashes: Collection[str]) -> dict[str, str]:
        """Return ids by content hash."""
        with self._readers.one() as connection:
            return reading.find(connection, scope, hashes)

    def scan(
        self, scopes: Collection[str], where: RecordFilter, *, order: Order = "id", cursor: str | None = None, limit: int = 100
    ) -> RecordPage:
        """Return one page of records."""
        after, limit = read_cursor(order, cursor), check_limit(limit)
        with self._readers.snapshot(), self._readers.one() as connection:
            return scanning.scan(connection, scopes, where, order, after, limit)

    def positions(self, scopes: Collection[str]) -> dict[str, Position]:
        """Return each scope's position."""
        with self._readers.one() as connection:
            return reading.positions(connection, scopes)

    def index_slice(self, scope: str, after: Position | None = None) -> IndexSlice:
        """Return the scope's index rows: all, read as they are iterated, or what changed since."""
        with self._readers.snapshot(), self._readers.one() as connection:
            number, position = indexing.position_of(connection, scope)
            if after is None or after.indexed != position.indexed or after.change > position.change:
                return IndexSlice(position, () if number is None else self._whole(number), complete=True)
            if number is None or after.change == position.change:
                return IndexSlice(position, (), complete=False)
            changed = indexing.changed_ids(connection, number, after.change)
            rows = indexing.some(connection, number, changed)
            return IndexSlice(position, rows, complete=False, gone=set(changed) - {row.id for row in rows})

    def _whole(self, number: int) -> Iterator[IndexRow]:
        with self._readers.one() as connection:
            yield from indexing.whole(connection, number)

    def changes(self, scopes: Collection[str] | None, *, after: int = 0, limit: int = 1000) -> list[Change]:
        """Return log entries after a position."""
        limit = check_limit(limit)
        with self._readers.one() as connection:
            return reading.changes(connection, scopes, min(max(after, 0), LARGEST), limit)

    def history(self, scope: str, id: str) -> list[Change]:
        """Return one record's log entries."""
        return self.histories(scope, (id,)).get(id, [])

    def histories(self, scope: str, ids: Collection[str]) -> dict[str, list[Change]]:
        """Return the log entries of several records."""
        with self._readers.one() as connection:
            return reading.histories(connection, scope, ids)

    def scopes(self) -> list[ScopeCount]:
        """Return every scope that holds something."""
        with self._readers.one() as connection:
            return reading.scopes(connection)

    def document(self, collection: str, key: str) -> dict[str, Any] | None:
        """Return one document's value."""
        with self._readers.one() as connection:
            return reading.document(connection, collection, key)

    def documents(
        self, collection: str, *, scope: str | None = None, prefix: str = "", after: str | None = None, limit: int = 1000
    ) -> list[Document]:
        """Return documents of a collection in key order."""
        limit = check_limit(limit)
        with self._readers.one() as connection:
            return reading.documents(connection, collection, scope, prefix, after, limit)

    def collections(self) -> list[str]:
        """Return the names of collections that hold a document."""
        with self._readers.one() as connection:
            return reading.collections(connection)

    def unindexed(self, *, after: tuple[str, str] | None = None, limit: int = 256) -> list[Unindexed]:
        """Return records without a vector."""
        limit = check_limit(limit)
        with self._readers.one() as connection:
            return indexing.unindexed(connection, after, limit)

    def count_unindexed(self) -> int:
        """Return how many records have no vector."""
        with self._readers.one() as connection:
            return indexing.count_unindexed(connection)

    # ------------------------------------------------------------ looking after

    def scrub(self) -> bool:
        """Remove what erasure left in the files."""
        with translated(self.location):
            if self._descriptor.file != identity(self._path):
                self._descriptor.close()
                self._descriptor = Descriptor(self._path)
            return scrubbing.scrub(self._path, self._descriptor.number())

    def check(self) -> list[str]:
        """Return what is wrong with the store."""
        try:
            with self._readers.snapshot(), self._readers.one() as connection:
                return checking.check(connection)
        except StoreCorrupt as error:
            return [error.message]

    def close(self) -> None:
        """Close every connection."""
        self._readers.close()
        with translated(self.location):
            self._writer.close()
        if not self._closed:
            self._closed = True
            self._descriptor.close()
            self._on_close()


def open_store(url: str) -> SQLiteStore:
    """Open `sqlite:///relative.db` or `sqlite:////absolute/path.db`."""
    if not url.startswith(_PREFIX) or not url.removeprefix(_PREFIX):
        raise InvalidRequest.of([{"field": "url", "message": f"expected {_PREFIX}file.db, with a fourth slash for an absolute path"}])
    return SQLiteStore(url.removeprefix(_PREFIX))


def temporary() -> SQLiteStore:
    """Open a store for a test, in a folder of its own that goes when the store is closed."""
    folder = tempfile.TemporaryDirectory(prefix="satchel-")
    store = SQLiteStore(Path(folder.name) / "memory.db")
    store._on_close = folder.cleanup
    return store
