"""`PostgresStore`: the Store port over one schema of a PostgreSQL database. It must not know how rows are laid out or written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

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
from satchel.stores.columns import check_limit, read_cursor
from satchel.stores.expectations import is_storable, read_document, require_well_formed
from satchel.stores.postgres import changing, indexing, maintaining, positions, scanning
from satchel.stores.postgres.connections import Connection, Connections
from satchel.stores.postgres.location import parse, quoted
from satchel.stores.postgres.rows import CHANGE, JOINED, STORED, change_of, record_of, stored_of
from satchel.stores.postgres.schema import find_pgvector, prepare
from satchel.stores.postgres.transactions import PATIENCE_SECONDS, Transactions
from satchel.stores.postgres.vectors import register
from satchel.stores.postgres.writing import BatchWriting, NewScopes, open_scopes

_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_LOG = f"SELECT {CHANGE} FROM log"


class PostgresStore:
    """Keeps memories in a schema that any number of processes share.

    Freed space, the write-ahead log and its archives belong to the server: they keep what was erased until they are used again, so
    `scrub` is not among the capabilities (docs/growing.md says what to do where that matters).
    """

    capabilities = frozenset({"persistent", "multiprocess"})

    def __init__(self, url: str) -> None:
        """Open a schema, and make it where there is none. Raises as `open_store`."""
        self._where = parse(url)
        self.location = self._where.shown
        self._floor_class = positions.lock_class(self._where.schema)
        self._ready = False
        self._connections = Connections(self._where, self._settle, patience=PATIENCE_SECONDS)
        # A server that is not there at the start is said at once; one that goes away later is waited for.
        self._transactions = Transactions(self._where, self._connections, patience=0.0)
        try:
            self._transactions.read(lambda connection: None)
        except BaseException:
            self._connections.close()
            raise
        self._transactions.patience = PATIENCE_SECONDS

    def _settle(self, connection: Connection) -> None:
        found = find_pgvector(connection)
        # The temporary schema goes last, or its tables would hide ours.
        connection.execute(f"SET search_path TO {quoted(self._where.schema)}, {quoted(found)}, pg_temp")
        if not self._ready:
            prepare(connection, self._where.schema, self._where.partitions)
            self._ready = True
        register(connection)

    # ------------------------------------------------------------ writing

    def apply(self, batch: Batch) -> int:
        """Write a batch atomically and durably."""
        require_well_formed(batch)
        writing = BatchWriting(batch, self._floor_class)
        while True:
            try:
                return self._transactions.write(writing.write)
            except NewScopes as missing:
                self._open_scopes(missing.scopes)

    def _open_scopes(self, scopes: list[str]) -> None:
        self._transactions.read(lambda connection: open_scopes(connection, scopes))

    def touch(self, uses: Iterable[Use]) -> None:
        """Record usage."""
        gathered = [use for use in uses if is_storable(use.id)]
        if gathered:
            self._transactions.write(lambda transaction: indexing.touch(transaction, gathered))

    def write_index(self, entries: Iterable[IndexEntry]) -> int:
        """Write index entries apart from their records."""
        given = [entry for entry in entries if is_storable(entry.id)]
        if not given:
            return 0
        return self._transactions.write(lambda transaction: indexing.write_index(transaction, given))

    def clear_vectors(self) -> None:
        """Drop every vector."""
        self._transactions.write(indexing.clear_vectors)

    # ------------------------------------------------------------ reading

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Make this thread's reads inside the block see one state of the store."""
        with self._transactions.snapshot(self._begin):
            yield

    def _begin(self, connection: Connection) -> int:
        last = positions.horizon(connection, self._floor_class)
        connection.execute(_BEGIN)
        return last

    def _rows(self, query: str, values: Any = ()) -> list[tuple[Any, ...]]:
        return self._transactions.read(lambda connection: connection.execute(query, values, binary=True).fetchall())

    def get(self, scope: str, ids: Collection[str]) -> dict[str, MemoryRecord]:
        """Return the records that exist, by id."""
        rows = self._rows(
            f"SELECT r.id, r.body, u.last, u.count FROM {JOINED} WHERE r.scope = %s AND r.id = ANY(%s)",
            [scope, [record_id for record_id in set(ids) if is_storable(record_id)]],
        )
        return {record_id: record_of(body, last, count) for record_id, body, last, count in rows}

    def stored(self, scope: str, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Return the records that exist, by id, with their index entries."""
        asked = [record_id for record_id in set(ids) if is_storable(record_id)]
        return stored_of(self._rows(f"SELECT {STORED} FROM {JOINED} WHERE r.scope = %s AND r.id = ANY(%s)", [scope, asked]))

    def stored_page(self, scope: str, *, after: str = "", limit: int = 1000) -> dict[str, StoredRecord]:
        """Return the records that follow an id, in order, with their index entries."""
        if not is_storable(after):
            return {}
        query = f"SELECT {STORED} FROM {JOINED} WHERE r.scope = %s AND r.id > %s ORDER BY r.id LIMIT %s"
        return stored_of(self._rows(query, [scope, after, check_limit(limit)]))

    def find(self, scope: str, hashes: Collection[str]) -> dict[str, str]:
        """Return ids by content hash."""
        rows = self._rows(
            "SELECT DISTINCT ON (content_hash) content_hash, id FROM records WHERE scope = %s AND content_hash = ANY(%s)"
            " ORDER BY content_hash, status <> 'active', id",
            [scope, [bytes.fromhex(content) for content in set(hashes) if content]],
        )
        return {content.hex(): record_id for content, record_id in rows}

    def scan(
        self, scopes: Collection[str], where: RecordFilter, *, order: Order = "id", cursor: str | None = None, limit: int = 100
    ) -> RecordPage:
        """Return one page of records."""
        limit = check_limit(limit)
        after = read_cursor(order, cursor)
        with self.reading():
            return self._transactions.read(lambda connection: scanning.page(connection, scopes, where, order, after, limit))

    def positions(self, scopes: Collection[str]) -> dict[str, Position]:
        """Return each scope's position."""
        rows = self._rows("SELECT scope, position, indexed FROM scopes WHERE scope = ANY(%s)", [list(set(scopes))])
        found = {scope: Position(change, indexed) for scope, change, indexed in rows}
        return {scope: found.get(scope, Position(0, 0)) for scope in scopes}

    def index_slice(self, scope: str, after: Position | None = None) -> IndexSlice:
        """Return the scope's index rows, all or what changed since."""
        with self.reading():
            return self._transactions.read(lambda connection: indexing.index_slice(connection, scope, after))

    def changes(self, scopes: Collection[str] | None, *, after: int = 0, limit: int = 1000) -> list[Change]:
        """Return log entries after a position; of several scopes, none that a change still under way could come before."""
        limit = check_limit(limit)
        asked = None if scopes is None else sorted(set(scopes))
        rows = self._transactions.read(lambda connection: self._changes(connection, asked, max(after, 0), limit))
        return [change_of(row) for row in rows]

    def _changes(self, connection: Connection, scopes: list[str] | None, after: int, limit: int) -> list[tuple[Any, ...]]:
        if scopes is not None and len(scopes) == 1:
            query = f"{_LOG} WHERE scope = %s AND position > %s ORDER BY position LIMIT %s"
            return connection.execute(query, [scopes[0], after, limit], binary=True).fetchall()
        pinned = self._transactions.pinned
        last = positions.horizon(connection, self._floor_class) if pinned is None else pinned[1]
        if scopes is None:
            query = f"{_LOG} WHERE position > %s AND position <= %s ORDER BY position LIMIT %s"
            return connection.execute(query, [after, last, limit], binary=True).fetchall()
        query = (
            f"SELECT l.* FROM unnest(%s::text[]) s(scope), LATERAL ({_LOG} WHERE scope = s.scope AND position > %s AND position <= %s"
            " ORDER BY position LIMIT %s) l ORDER BY l.position LIMIT %s"
        )
        return connection.execute(query, [scopes, after, last, limit, limit], binary=True).fetchall()

    def history(self, scope: str, id: str) -> list[Change]:
        """Return one record's log entries."""
        return self.histories(scope, (id,)).get(id, [])

    def histories(self, scope: str, ids: Collection[str]) -> dict[str, list[Change]]:
        """Return the log entries of several records."""
        query = f"{_LOG} WHERE scope = %(scope)s AND position IN ({changing.CHAINS}) ORDER BY position"
        found: dict[str, list[Change]] = {}
        for row in self._rows(query, {"scope": scope, "ids": [name for name in ids if is_storable(name)]}):
            change = change_of(row)
            found.setdefault(change.id, []).append(change)
        return found

    def scopes(self) -> list[ScopeCount]:
        """Return every scope that holds something."""
        rows = self._rows(f"SELECT scope, {', '.join(Status)} FROM scopes WHERE active + pending + archived + deleted > 0 ORDER BY scope")
        return [
            ScopeCount(scope, {status.value: count for status, count in zip(Status, counts, strict=True) if count})
            for scope, *counts in rows
        ]

    def document(self, collection: str, key: str) -> dict[str, Any] | None:
        """Return one document's value."""
        if not (is_storable(collection) and is_storable(key)):
            return None
        rows = self._rows("SELECT value FROM documents WHERE collection = %s AND key = %s", [collection, key])
        return read_document(rows[0][0]) if rows else None

    def documents(
        self, collection: str, *, scope: str | None = None, prefix: str = "", after: str | None = None, limit: int = 1000
    ) -> list[Document]:
        """Return documents of a collection in key order."""
        limit = check_limit(limit)
        demands, values = "", [collection]
        for text, value in (
            (" AND scope = %s", scope),
            (" AND key >= %s AND starts_with(key, %s)", prefix or None),
            (" AND key > %s", after),
        ):
            if value is not None:
                demands += text
                values += [value] * text.count("%s")
        rows = self._rows(f"SELECT key, value, scope FROM documents WHERE collection = %s{demands} ORDER BY key LIMIT %s", [*values, limit])
        return [Document(collection, key, read_document(value), owner) for key, value, owner in rows]

    def collections(self) -> list[str]:
        """Return the names of collections that hold a document."""
        return [name for (name,) in self._rows("SELECT DISTINCT collection FROM documents ORDER BY collection")]

    # ------------------------------------------------------------ the index, and looking after

    def unindexed(self, *, after: tuple[str, str] | None = None, limit: int = 256) -> list[Unindexed]:
        """Return records without a vector."""
        limit = check_limit(limit)
        return self._transactions.read(lambda connection: indexing.unindexed(connection, after or ("", ""), limit))

    def count_unindexed(self) -> int:
        """Return how many records have no vector."""
        return int(self._rows("SELECT count(*) FROM records WHERE vector IS NULL AND status <> 'deleted'")[0][0])

    def scrub(self) -> bool:
        """Vacuum the tables, so that what was erased is in no index and may be overwritten; with `?scrub=rewrite` write them anew.

        False while a reader holds an old state.
        """
        return self._transactions.read(lambda connection: maintaining.vacuum(connection, rewrite=self._where.rewrite))

    def check(self) -> list[str]:
        """Compare what is kept twice."""
        with self.reading():
            return self._transactions.read(maintaining.check)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()
