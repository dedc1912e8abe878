"""Scans: one page of records of several scopes, filtered and ordered. It must not know how records are written.

Each scope is read in order by itself and the scopes are merged, so that a page holds no more than itself in memory.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections.abc import Collection, Generator, Iterator
from contextlib import ExitStack, closing
from itertools import chain, islice
from typing import Any, NamedTuple

from satchel.errors import StoreCorrupt
from satchel.ports import Order, RecordPage
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord
from satchel.stores.bodies import damaged, decode
from satchel.stores.columns import Key, micros, write_cursor
from satchel.stores.expectations import is_storable
from satchel.stores.sqlite.preparing import TAG_MARK
from satchel.stores.sqlite.reading import names
from satchel.stores.sqlite.usage import read_usage

_FETCH = 128


class _Found(NamedTuple):
    """A row of a scan, ordered by its first three members: the record is read only when it is wanted."""

    descending: int
    scope: str
    id: str
    body: str
    last: int | None
    times: int | None

    def record(self) -> MemoryRecord:
        try:
            return decode(self.body, read_usage(self.last, self.times))
        except StoreCorrupt as error:
            raise damaged(error, self.scope, self.id) from None


def scan(
    connection: sqlite3.Connection, scopes: Collection[str], where: RecordFilter, order: Order, after: Key | None, limit: int
) -> RecordPage:
    """Return one page."""
    wanted = sorted({scope for scope in scopes if is_storable(scope)})
    # Closed before the connection goes back, also where a record turns out to be damaged.
    with ExitStack() as open_rows:
        found = _merged(connection, wanted, where, order, after, open_rows)
        matching = ((row, record) for row in found if where.matches(record := row.record()))
        page = list(islice(matching, limit))
        more = next(matching, None) is not None
    last = page[-1][0] if more else None
    cursor = None if last is None else write_cursor(order, Key(-last.descending, last.scope, last.id))
    return RecordPage([record for _, record in page], cursor)


def _merged(
    connection: sqlite3.Connection, scopes: list[str], where: RecordFilter, order: Order, after: Key | None, open_rows: ExitStack
) -> Iterator[_Found]:
    def rows(scope: str) -> Iterator[_Found]:
        return open_rows.enter_context(closing(_rows(connection, scope, where, order, after)))

    if order == "id":
        return chain.from_iterable(rows(scope) for scope in scopes if after is None or scope >= after.scope)
    return heapq.merge(*map(rows, scopes))


def _rows(
    connection: sqlite3.Connection, scope: str, where: RecordFilter, order: Order, after: Key | None
) -> Generator[_Found, None, None]:
    number = connection.execute("SELECT number FROM scopes WHERE scope = ?", (scope,)).fetchone()
    if number is None:
        return
    conditions, values = _conditions(where)
    if order == "id":
        first, sorting = "0", "id"
        if after is not None and scope == after.scope:
            conditions.append("id > ?")
            values.append(after.id)
    else:
        first, sorting = "-updated", "updated DESC, id"
        _continue_updated(conditions, values, scope, after)
    # Sorted without their texts, which are fetched for those that the page comes to.
    cursor = connection.execute(
        f"SELECT {first}, id, rid FROM memories WHERE {' AND '.join(['scope = ?', *conditions])} ORDER BY {sorting}",
        (number[0], *values),
    )
    try:
        while keys := cursor.fetchmany(_FETCH):
            texts = _texts(connection, [rid for _, _, rid in keys])
            yield from (_Found(descending, scope, record_id, *texts[rid]) for descending, record_id, rid in keys)
    finally:
        cursor.close()


def _texts(connection: sqlite3.Connection, rids: list[int]) -> dict[int, tuple[str, int | None, int | None]]:
    rows = connection.execute(
        "SELECT rid, body, last, count FROM memories LEFT JOIN usage USING (rid) WHERE rid IN (SELECT value FROM json_each(?))",
        (json.dumps(rids),),
    )
    return {rid: (body, last, count) for rid, body, last, count in rows}


def _continue_updated(conditions: list[str], values: list[Any], scope: str, after: Key | None) -> None:
    if after is None:
        return
    if scope == after.scope:
        conditions.append("(updated < ? OR (updated = ? AND id > ?))")
        values += [after.updated, after.updated, after.id]
    else:
        conditions.append("updated <= ?" if scope > after.scope else "updated < ?")
        values.append(after.updated)


def _conditions(where: RecordFilter) -> tuple[list[str], list[Any]]:
    """Return what SQL can check of a filter; the rest, and all of it again, is checked on the record."""
    conditions: list[str] = []
    values: list[Any] = []
    several = {
        "status": [status.value for status in where.statuses],
        "type": where.types,
        "origin": [origin.value for origin in where.origins],
        "json_extract(body, '$.source.session')": where.sessions,
        "json_extract(body, '$.source.import_id')": where.import_ids,
        "id": where.ids,
    }
    for column, wanted in several.items():
        if wanted:
            conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(names(wanted))
    for tag in where.tags:
        conditions.append("instr(? || tags || ?, ?) > 0")
        values += [TAG_MARK, TAG_MARK, f"{TAG_MARK}{tag}{TAG_MARK}"]
    for condition, bound in {"moment >= ?": where.since, "moment < ?": where.until}.items():
        if bound is not None:
            conditions.append(condition)
            values.append(micros(bound))
    if where.pinned is not None:
        conditions.append("pinned = ?")
        values.append(int(where.pinned))
    return conditions, values
