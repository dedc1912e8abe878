"""Reads records, scopes, the change log and documents from one connection. It must not know transactions, threads or files.

A list of ids goes in as one JSON parameter, so that no list is too long.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Generator
from contextlib import closing
from typing import Any

from satchel.errors import StoreCorrupt
from satchel.ports import Change, Document, Position, ScopeCount, StoredRecord
from satchel.protocol.record import MemoryRecord, Status
from satchel.stores.bodies import damaged, decode
from satchel.stores.columns import moment_of
from satchel.stores.expectations import is_storable, read_document
from satchel.stores.sqlite.preparing import short_hash
from satchel.stores.sqlite.usage import read_usage

_FETCH = 256
_PARAMETERS = 500
_HASH = re.compile("[0-9a-f]{64}")
_NUMBER = "(SELECT number FROM scopes WHERE scope = ?)"
_CHANGE = "changes.position, scopes.scope, changes.id, revision, operation, agent, at, reason, before, erased"


def names(texts: Collection[str]) -> str:
    """Return texts as one JSON parameter, without those that no row can hold."""
    return json.dumps([text for text in texts if is_storable(text)], ensure_ascii=False)


def get(connection: sqlite3.Connection, scope: str, ids: Collection[str]) -> dict[str, MemoryRecord]:
    """Return records by id, in the order asked for."""
    if not is_storable(scope):
        return {}
    rows = connection.execute(
        "SELECT id, body, last, count FROM memories LEFT JOIN usage USING (rid)"
        f" WHERE memories.scope = {_NUMBER} AND id IN (SELECT value FROM json_each(?))",
        (scope, names(ids)),
    )
    found = {record_id: _record(scope, record_id, *row) for record_id, *row in rows.fetchall()}
    return {record_id: found[record_id] for record_id in ids if record_id in found}


def stored(connection: sqlite3.Connection, scope: str, ids: Collection[str]) -> dict[str, StoredRecord]:
    """Return records by id with what is kept beside them."""
    if not is_storable(scope):
        return {}
    return _stored(connection, scope, f"{_STORED} AND id IN (SELECT value FROM json_each(?))", names(ids))


def stored_page(connection: sqlite3.Connection, scope: str, after: str, limit: int) -> dict[str, StoredRecord]:
    """Return the records that follow an id, in order, with what is kept beside them."""
    if not (is_storable(scope) and is_storable(after)):
        return {}
    return _stored(connection, scope, f"{_STORED} AND id > ? ORDER BY id LIMIT ?", after, limit)


_STORED = (
    "SELECT id, change, terms, vector, body, last, count FROM memories LEFT JOIN usage USING (rid) LEFT JOIN vectors USING (rid)"
    f" WHERE memories.scope = {_NUMBER}"
)


def _stored(connection: sqlite3.Connection, scope: str, query: str, *values: str | int) -> dict[str, StoredRecord]:
    rows = connection.execute(query, (scope, *values))
    return {
        record_id: StoredRecord(_record(scope, record_id, *row), change, terms, vector)
        for record_id, change, terms, vector, *row in rows.fetchall()
    }


def _record(scope: str, record_id: str, body: str, last: int | None, count: int | None) -> MemoryRecord:
    try:
        return decode(body, read_usage(last, count))
    except StoreCorrupt as error:
        raise damaged(error, scope, record_id) from None


def find(connection: sqlite3.Connection, scope: str, hashes: Collection[str]) -> dict[str, str]:
    """Return ids by content hash: an active record's before others', then the smallest."""
    number = scope_number(connection, scope)
    if number is None:
        return {}
    held = holders(connection, number, hashes)
    return {content_hash: min((status != "active", record_id) for status, record_id in rows)[1] for content_hash, rows in held.items()}


def holders(connection: sqlite3.Connection, number: int, hashes: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """Return, by content hash, status and id of every record of a scope that has that content."""
    wanted = {short_hash(content_hash): content_hash for content_hash in hashes if _HASH.fullmatch(content_hash)}
    found: dict[str, list[tuple[str, str]]] = {}
    short = list(wanted)
    for start in range(0, len(short), _PARAMETERS):
        some = short[start : start + _PARAMETERS]
        statement = f"SELECT hash, status, id FROM memories WHERE scope = ? AND hash IN ({', '.join('?' * len(some))})"
        for hashed, status, record_id in connection.execute(statement, (number, *some)):
            found.setdefault(wanted[hashed], []).append((status, record_id))
    return found


def scope_number(connection: sqlite3.Connection, scope: str) -> int | None:
    """Return a scope's number; None for one that never was written."""
    if not is_storable(scope):
        return None
    row = connection.execute("SELECT number FROM scopes WHERE scope = ?", (scope,)).fetchone()
    return None if row is None else int(row[0])


def positions(connection: sqlite3.Connection, scopes: Collection[str]) -> dict[str, Position]:
    """Return each scope's position, in the order asked for."""
    rows = connection.execute("SELECT scope, change, indexed FROM scopes WHERE scope IN (SELECT value FROM json_each(?))", (names(scopes),))
    found = {scope: Position(change, indexed) for scope, change, indexed in rows}
    return {scope: found.get(scope, Position(0, 0)) for scope in scopes}


def scopes(connection: sqlite3.Connection) -> list[ScopeCount]:
    """Return every scope that holds a record or a tombstone, in order."""
    statuses = [status.value for status in Status]
    rows = connection.execute(f"SELECT scope, {', '.join(statuses)} FROM scopes ORDER BY scope")
    counted = ((scope, {status: count for status, count in zip(statuses, counts, strict=True) if count}) for scope, *counts in rows)
    return [ScopeCount(scope, counts) for scope, counts in counted if counts]


# ---------------------------------------------------------------- the log


def changes(connection: sqlite3.Connection, scopes: Collection[str] | None, after: int, limit: int) -> list[Change]:
    """Return log entries after a position, oldest first."""
    if scopes is None:
        rows = connection.execute(
            f"SELECT {_CHANGE} FROM changes JOIN scopes ON scopes.number = changes.scope WHERE position > ? ORDER BY position LIMIT ?",
            (after, limit),
        )
        return [_change(row) for row in rows]
    found: list[tuple[Any, ...]] = []
    for scope in set(scopes):
        if is_storable(scope):
            found += connection.execute(
                f"SELECT {_CHANGE} FROM changes JOIN scopes ON scopes.number = changes.scope"
                f" WHERE changes.scope = {_NUMBER} AND position > ? ORDER BY position LIMIT ?",
                (scope, after, limit),
            )
            # Only the oldest can be in the answer; the rest need not be held.
            found = sorted(found, key=lambda row: row[0])[:limit]
    return [_change(row) for row in found]


def histories(connection: sqlite3.Connection, scope: str, ids: Collection[str]) -> dict[str, list[Change]]:
    """Return records' log entries by id, oldest first: they are chained, the newest known to the record's row."""
    if not is_storable(scope):
        return {}
    rows = connection.execute(
        f"""WITH RECURSIVE here (number) AS (SELECT number FROM scopes WHERE scope = ?1),
            newest (position) AS (
                SELECT change FROM memories, here WHERE memories.scope = here.number AND id IN (SELECT value FROM json_each(?2))
                UNION ALL
                SELECT change FROM removed, here WHERE removed.scope = here.number AND id IN (SELECT value FROM json_each(?2))
            ),
            chain (place, previous) AS (
                SELECT changes.position, previous FROM changes JOIN newest ON changes.position = newest.position
                UNION ALL
                SELECT changes.position, changes.previous FROM changes JOIN chain ON changes.position = chain.previous
            )
            SELECT {_CHANGE} FROM chain JOIN changes ON changes.position = chain.place
            JOIN scopes ON scopes.number = changes.scope ORDER BY changes.position""",
        (scope, names(ids)),
    )
    found: dict[str, list[Change]] = {}
    for row in rows:
        change = _change(row)
        found.setdefault(change.id, []).append(change)
    return found


def _change(row: tuple[Any, ...]) -> Change:
    position, scope, record_id, revision, operation, agent, at, reason, before, erased = row
    return Change(
        position=position,
        scope=scope,
        id=record_id,
        revision=revision,
        operation=operation,
        agent=agent,
        at=moment_of(at),
        reason=reason,
        before=None if before is None else decode(before),
        erased=bool(erased),
    )


# ---------------------------------------------------------------- documents


def document(connection: sqlite3.Connection, collection: str, key: str) -> dict[str, Any] | None:
    """Return one document's value."""
    if not (is_storable(collection) and is_storable(key)):
        return None
    row = connection.execute("SELECT value FROM documents WHERE collection = ? AND key = ?", (collection, key)).fetchone()
    return None if row is None else read_document(row[0])


def collections(connection: sqlite3.Connection) -> list[str]:
    """Return the names of collections that hold something, each found by a step in the index."""
    found: list[str] = []
    while True:
        after = ("WHERE collection > ?", (found[-1],)) if found else ("", ())
        row = connection.execute(f"SELECT min(collection) FROM documents {after[0]}", after[1]).fetchone()
        if row[0] is None:
            return found
        found.append(row[0])


def documents(
    connection: sqlite3.Connection, collection: str, scope: str | None, prefix: str, after: str | None, limit: int
) -> list[Document]:
    """Return documents in key order."""
    if not all(is_storable(text or "") for text in (collection, scope, prefix, after)):
        return []
    found: list[Document] = []
    with closing(_documents_from(connection, collection, scope, max(prefix, after or ""))) as rows:
        for key, owner, value in rows:
            if not key.startswith(prefix) or len(found) == limit:
                break
            if after is None or key > after:
                found.append(Document(collection, key, read_document(value), owner))
    return found


def _documents_from(
    connection: sqlite3.Connection, collection: str, scope: str | None, start: str
) -> Generator[tuple[str, str | None, str], None, None]:
    cursor = connection.execute(
        "SELECT key, scope, value FROM documents WHERE collection = ?1 AND key >= ?2 AND (?3 IS NULL OR scope = ?3) ORDER BY key",
        (collection, start, scope),
    )
    try:
        while rows := cursor.fetchmany(_FETCH):
            yield from rows
    finally:
        cursor.close()
