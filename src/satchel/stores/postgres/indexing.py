"""What ranking reads, and what is written apart from records: index entries and usage. It must not know how a vector ranks."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.ports import IndexEntry, IndexSlice, Position, Unindexed, Use
from satchel.stores.columns import LARGEST, micros
from satchel.stores.postgres.connections import Connection
from satchel.stores.postgres.rows import INDEX_ROW, JOINED, index_rows
from satchel.stores.postgres.transactions import Transaction
from satchel.stores.postgres.vectors import halves

_ROWS = f"""
SELECT {INDEX_ROW} FROM {JOINED} WHERE r.scope = %s AND r.status <> 'deleted'
"""
_POSITION = "SELECT position, indexed FROM scopes WHERE scope = %s"
_CHANGED = "SELECT DISTINCT id FROM log WHERE scope = %s AND position > %s"

_TOUCH = f"""
INSERT INTO usage AS u (scope, id, last, count)
    SELECT r.scope, r.id, g.last, g.count FROM unnest(%b::text[], %b::bigint[], %b::bigint[]) g(id, last, count)
    JOIN records r ON r.scope = %s AND r.id = g.id AND r.status <> 'deleted' ORDER BY r.id
ON CONFLICT (scope, id) DO UPDATE
    SET last = greatest(u.last, excluded.last), count = u.count + least(excluded.count, {LARGEST} - u.count)
"""
_SETTLE_SCOPES = "SELECT scope FROM scopes WHERE scope = ANY(%s) ORDER BY scope FOR NO KEY UPDATE"
_INDEX = """
UPDATE records SET terms = coalesce(%s, terms), vector = coalesce(%s, vector)
WHERE scope = %s AND id = %s AND status <> 'deleted' AND content_hash = %s
"""
_INDEXED = "UPDATE scopes SET indexed = indexed + 1 WHERE scope = ANY(%s)"


def index_slice(connection: Connection, scope: str, after: Position | None) -> IndexSlice:
    """Return a scope's index rows, all or what changed since."""
    found = connection.execute(_POSITION, [scope]).fetchone()
    position = Position(*found) if found else Position(0, 0)
    if after is None or after.indexed != position.indexed or after.change > position.change:
        rows = connection.execute(_ROWS, [scope], binary=True).fetchall()
        return IndexSlice(position, index_rows(rows), complete=True)
    if after.change == position.change:
        return IndexSlice(position, [], complete=False)
    changed = [record_id for (record_id,) in connection.execute(_CHANGED, [scope, after.change])]
    rows = connection.execute(f"{_ROWS} AND r.id = ANY(%s)", [scope, changed], binary=True).fetchall()
    return IndexSlice(position, index_rows(rows), complete=False, gone=set(changed) - {row[0] for row in rows})


def touch(transaction: Transaction, uses: Sequence[Use]) -> None:
    """Add to the records' usage, each record once, in the order of their keys, so that two at once do not block each other."""
    if transaction.uncertain:
        # Rather not counted than counted twice.
        return
    gathered: dict[str, dict[str, tuple[int, int]]] = {}
    for use in uses:
        of_scope = gathered.setdefault(use.scope, {})
        last, count = of_scope.get(use.id, (micros(use.at), 0))
        of_scope[use.id] = (max(last, micros(use.at)), min(count + use.count, LARGEST))
    connection = transaction.connection
    with connection.pipeline():
        transaction.begin()
        connection.execute("SET LOCAL synchronous_commit = off")
        for scope, some in sorted(gathered.items()):
            connection.execute(_TOUCH, [list(some), [last for last, _ in some.values()], [count for _, count in some.values()], scope])
        transaction.commit()


def write_index(transaction: Transaction, entries: Sequence[IndexEntry]) -> int:
    """Write index entries whose record still has their content; return how many."""
    connection = transaction.connection
    vectors = halves([entry.vector for entry in entries])
    with connection.pipeline() as pipeline:
        transaction.begin()
        connection.execute(_SETTLE_SCOPES, [sorted({entry.scope for entry in entries})])
        done = [
            connection.execute(_INDEX, [entry.terms, vector, entry.scope, entry.id, bytes.fromhex(entry.content_hash)])
            for entry, vector in zip(entries, vectors, strict=True)
        ]
        pipeline.sync()
        current = [entry for entry, cursor in zip(entries, done, strict=True) if cursor.rowcount]
        connection.execute(_INDEXED, [sorted({entry.scope for entry in current})])
        transaction.commit()
    return len(current)


def clear_vectors(transaction: Transaction) -> None:
    """Drop every vector."""
    with transaction.connection.pipeline():
        transaction.begin()
        transaction.connection.execute("SELECT scope FROM scopes ORDER BY scope FOR NO KEY UPDATE")
        transaction.connection.execute("UPDATE records SET vector = NULL WHERE vector IS NOT NULL")
        transaction.connection.execute("UPDATE scopes SET indexed = indexed + 1 WHERE position > 0")
        transaction.commit()


def unindexed(connection: Connection, after: tuple[str, str], limit: int) -> list[Unindexed]:
    """Return records without a vector after a (scope, id)."""
    rows = connection.execute(
        "SELECT scope, id, content_hash, body::json ->> 'content' FROM records"
        " WHERE vector IS NULL AND status <> 'deleted' AND (scope, id) > (%s, %s) ORDER BY scope, id LIMIT %s",
        [*after, limit],
        binary=True,
    ).fetchall()
    return [Unindexed(scope, record_id, content.hex(), text) for scope, record_id, content, text in rows]
