"""Pages of records: a filter as SQL, and several scopes, each its own query, woven into one order.

It must not know transactions. What SQL does not say (the filter on `meta`) is left to the filter itself.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from itertools import chain, islice
from typing import Any

from satchel.ports import Order, RecordPage
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord
from satchel.stores.columns import Key, micros, write_cursor
from satchel.stores.postgres.connections import Connection
from satchel.stores.postgres.rows import JOINED, record_of

_SMALLEST_CHUNK = 16

Found = tuple[Key, MemoryRecord]


def conditions(where: RecordFilter) -> tuple[str, list[Any]]:
    """Return what a filter demands of records r, but for `where`, as SQL and its parameters."""
    listed: list[tuple[str, Collection[Any]]] = [
        ("r.status = ANY(%s)", [status.value for status in where.statuses]),
        ("r.type = ANY(%s)", where.types),
        ("r.origin = ANY(%s)", [origin.value for origin in where.origins]),
        ("r.id = ANY(%s)", where.ids),
        ("r.tags @> %s", where.tags),
        ("r.body::json #>> '{source,session}' = ANY(%s)", where.sessions),
        ("r.body::json #>> '{source,import_id}' = ANY(%s)", where.import_ids),
    ]
    single: list[tuple[str, Any]] = [
        ("r.pinned = %s", where.pinned),
        ("r.moment >= %s", None if where.since is None else micros(where.since)),
        ("r.moment < %s", None if where.until is None else micros(where.until)),
    ]
    said = [(text, list(values)) for text, values in listed if values] + [(text, value) for text, value in single if value is not None]
    return "".join(f" AND {text}" for text, _ in said), [value for _, value in said]


def page(connection: Connection, scopes: Collection[str], where: RecordFilter, order: Order, after: Key | None, limit: int) -> RecordPage:
    """Return one page of the records of these scopes after a key."""
    asked = sorted(set(scopes))
    if after is not None and order == "id":
        asked = [scope for scope in asked if scope >= after.scope]
    # A lone scope is read in one go; of many, most give a page little or nothing.
    chunk = limit + 1 if len(asked) == 1 else max(_SMALLEST_CHUNK, 2 * limit // max(1, len(asked)))
    streams = [_scope(connection, scope, where, order, after, chunk) for scope in asked]
    woven = chain.from_iterable(streams) if order == "id" else heapq.merge(*streams, key=lambda found: _sorting(found[0]))
    found = list(islice(woven, limit + 1))
    cursor = write_cursor(order, found[limit - 1][0]) if len(found) > limit else None
    return RecordPage([record for _, record in found[:limit]], cursor)


def _sorting(key: Key) -> tuple[int, str, str]:
    return (-key.updated, key.scope, key.id)


def _scope(connection: Connection, scope: str, where: RecordFilter, order: Order, after: Key | None, chunk: int) -> Iterator[Found]:
    """Yield one scope's records that match, in order, read a chunk at a time."""
    demands, values = conditions(where)
    while True:
        place, where_from = _after(scope, order, after)
        rows = connection.execute(
            f"SELECT r.updated, r.id, r.body, u.last, u.count FROM {JOINED}"
            f" WHERE r.scope = %s{demands}{place} ORDER BY {'r.id' if order == 'id' else 'r.updated DESC, r.id'} LIMIT %s",
            [scope, *values, *where_from, chunk],
        ).fetchall()
        for updated, record_id, body, last, count in rows:
            record = record_of(body, last, count)
            after = Key(0 if order == "id" else updated, scope, record_id)
            if not where.where or where.matches(record):
                yield after, record
        if len(rows) < chunk:
            return


def _after(scope: str, order: Order, after: Key | None) -> tuple[str, list[Any]]:
    if after is None:
        return "", []
    if order == "id":
        return (" AND r.id > %s", [after.id]) if after.scope == scope else ("", [])
    # Of the same moment, a scope before the key's has been read whole, and one behind it not at all.
    if scope < after.scope:
        return " AND r.updated < %s", [after.updated]
    if scope > after.scope:
        return " AND r.updated <= %s", [after.updated]
    return " AND r.updated <= %s AND (r.updated < %s OR r.id > %s)", [after.updated, after.updated, after.id]
