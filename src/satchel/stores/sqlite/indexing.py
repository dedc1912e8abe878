"""The index entries beside the records: what ranking reads of a scope, and how vectors are filled in later. It must not rank."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from satchel.ports import IndexEntry, IndexRow, Position, Unindexed
from satchel.stores.bodies import decode
from satchel.stores.columns import MICROSECONDS
from satchel.stores.expectations import is_storable
from satchel.stores.sqlite.preparing import TAG_MARK, short_hash
from satchel.stores.sqlite.scopes import find_scopes, first_rid, last_rid, save_scopes

_FETCH = 1000
_ROW = (
    "SELECT id, type, status, origin, moment, updated, stored, last, count, score, half_life, pinned, expires, tags, terms, vector"
    " FROM memories LEFT JOIN usage USING (rid) LEFT JOIN vectors USING (rid)"
)


def whole(connection: sqlite3.Connection, number: int) -> Iterator[IndexRow]:
    """Yield the index rows of a scope in order of arrival."""
    return _fetch(connection, f"{_ROW} WHERE memories.rid BETWEEN ? AND ? AND status != 'deleted' ORDER BY memories.rid", number)


def changed_ids(connection: sqlite3.Connection, number: int, after: int) -> list[str]:
    """Return the ids of a scope that were changed after a log position."""
    rows = connection.execute("SELECT DISTINCT id FROM changes WHERE scope = ? AND position > ?", (number, after))
    return [record_id for (record_id,) in rows]


def some(connection: sqlite3.Connection, number: int, ids: list[str]) -> list[IndexRow]:
    """Return index rows by id, in order of arrival; those of records that are gone are missing."""
    rows = connection.execute(
        f"{_ROW} WHERE memories.scope = ? AND id IN (SELECT value FROM json_each(?)) AND status != 'deleted' ORDER BY memories.rid",
        (number, json.dumps(ids, ensure_ascii=False)),
    )
    return [_index_row(row) for row in rows]


def _fetch(connection: sqlite3.Connection, statement: str, number: int) -> Iterator[IndexRow]:
    cursor = connection.execute(statement, (first_rid(number), last_rid(number)))
    try:
        while rows := cursor.fetchmany(_FETCH):
            yield from map(_index_row, rows)
    finally:
        cursor.close()


def _index_row(row: tuple[Any, ...]) -> IndexRow:
    id_, type_, status, origin, moment, updated, stored, last, count, score, half_life, pinned, expires, tags, terms, vector = row
    return IndexRow(
        id_, type_, status, origin,
        moment / MICROSECONDS, updated / MICROSECONDS, stored / MICROSECONDS,
        last / MICROSECONDS if last else 0.0, count or 0,
        score, half_life, pinned == 1,
        math.inf if expires is None else expires / MICROSECONDS,
        tuple(tags.split(TAG_MARK)) if tags else (),
        terms, vector,
    )  # fmt: skip


# ---------------------------------------------------------------- writing


def write_index(connection: sqlite3.Connection, entries: Iterable[IndexEntry]) -> int:
    """Write index entries whose content is still the same; return how many."""
    given = [entry for entry in entries if entry.content_hash and is_storable(entry.scope) and is_storable(entry.id)]
    scopes = find_scopes(connection, {entry.scope for entry in given})
    written = 0
    bumped = set()
    for entry in given:
        scope = scopes[entry.scope]
        row = connection.execute(
            "SELECT rid, embedded FROM memories WHERE scope = ? AND id = ? AND hash = ?",
            (scope.number, entry.id, short_hash(entry.content_hash)),
        ).fetchone()
        if row is None:
            continue
        written += 1
        bumped.add(entry.scope)
        if _write_entry(connection, row[0], row[1], entry):
            scope.unindexed -= 1
    for name in bumped:
        scopes[name].indexed += 1
    save_scopes(connection, [scopes[name] for name in bumped])
    return written


def _write_entry(connection: sqlite3.Connection, rid: int, embedded: int, entry: IndexEntry) -> bool:
    """Write one entry; tell whether the record has its first vector now."""
    if entry.terms is not None:
        connection.execute("UPDATE memories SET terms = ? WHERE rid = ?", (entry.terms, rid))
    if entry.vector is None:
        return False
    connection.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (rid, entry.vector))
    if embedded:
        return False
    connection.execute("UPDATE memories SET embedded = 1 WHERE rid = ?", (rid,))
    return True


def clear_vectors(connection: sqlite3.Connection) -> None:
    """Drop every vector."""
    connection.execute("DELETE FROM vectors")
    connection.execute("UPDATE memories SET embedded = 0 WHERE embedded")
    connection.execute("UPDATE scopes SET indexed = indexed + 1, unindexed = active + pending + archived")


# ---------------------------------------------------------------- what is still to do


def unindexed(connection: sqlite3.Connection, after: tuple[str, str] | None, limit: int) -> list[Unindexed]:
    """Return records without a vector, in order of scope and id."""
    name, record_id = after or ("", "")
    if not (is_storable(name) and is_storable(record_id)):
        return []
    found: list[Unindexed] = []
    scopes = connection.execute("SELECT number, scope FROM scopes WHERE unindexed > 0 AND scope >= ? ORDER BY scope", (name,)).fetchall()
    for number, scope in scopes:
        if len(found) == limit:
            break
        rows = connection.execute(
            "SELECT id, body FROM memories WHERE scope = ? AND id > ? AND NOT embedded AND status != 'deleted' ORDER BY id LIMIT ?",
            (number, record_id if scope == name else "", limit - len(found)),
        )
        found += [_unindexed(scope, body) for _, body in rows]
    return found


def _unindexed(scope: str, body: str) -> Unindexed:
    record = decode(body)
    return Unindexed(scope, record.id, record.content_hash, record.content)


def count_unindexed(connection: sqlite3.Connection) -> int:
    """Return how many records have no vector."""
    total: int = connection.execute("SELECT coalesce(sum(unindexed), 0) FROM scopes").fetchone()[0]
    return total


def position_of(connection: sqlite3.Connection, scope: str) -> tuple[int | None, Position]:
    """Return a scope's number (None for an unknown one) and position."""
    row = None
    if is_storable(scope):
        row = connection.execute("SELECT number, change, indexed FROM scopes WHERE scope = ?", (scope,)).fetchone()
    return (None, Position(0, 0)) if row is None else (row[0], Position(row[1], row[2]))
