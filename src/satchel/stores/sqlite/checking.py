"""Looks a file over: SQLite's own check, then what the tables promise each other. It must not mend anything."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice

from satchel.errors import StoreCorrupt
from satchel.stores.bodies import decode
from satchel.stores.columns import expires, micros
from satchel.stores.sqlite.preparing import short_hash

_MOST = 20
"""Sentences of one kind; a broken store need not fill the screen."""

_COUNTED = {
    "scopes whose counts are wrong": """
        SELECT scopes.scope FROM scopes LEFT JOIN (
            SELECT scope, sum(status = 'active') AS active, sum(status = 'pending') AS pending, sum(status = 'archived') AS archived,
                sum(status = 'deleted') AS deleted, sum(status != 'deleted' AND NOT embedded) AS unindexed
            FROM memories GROUP BY scope
        ) AS counted ON counted.scope = scopes.number
        WHERE (scopes.active, scopes.pending, scopes.archived, scopes.deleted, scopes.unindexed) IS NOT (
            coalesce(counted.active, 0), coalesce(counted.pending, 0), coalesce(counted.archived, 0), coalesce(counted.deleted, 0),
            coalesce(counted.unindexed, 0))""",
    "records outside their scope's range": "SELECT id FROM memories WHERE rid >> 32 != scope",
    "records of a scope that is not listed": "SELECT id FROM memories WHERE scope NOT IN (SELECT number FROM scopes)",
    "records whose vector flag is wrong": "SELECT id FROM memories LEFT JOIN vectors USING (rid) WHERE embedded != (vector IS NOT NULL)",
    "vectors without a record": "SELECT rid FROM vectors WHERE rid NOT IN (SELECT rid FROM memories)",
    "usage without a record": "SELECT rid FROM usage WHERE rid NOT IN (SELECT rid FROM memories)",
    "records whose log is lost": """
        SELECT memories.id FROM memories LEFT JOIN changes ON changes.position = memories.change
        WHERE changes.id IS NOT memories.id OR changes.scope IS NOT memories.scope""",
    "log entries whose chain is broken": """
        SELECT later.position FROM changes AS later LEFT JOIN changes AS earlier ON earlier.position = later.previous
        WHERE later.previous != 0 AND (earlier.id IS NOT later.id OR earlier.scope IS NOT later.scope)""",
    "erased records with payloads left in the log": """
        SELECT changes.id FROM changes JOIN memories ON memories.change = changes.position
        WHERE memories.status = 'deleted' AND changes.before IS NOT NULL AND changes.erased""",
    "scopes whose position is behind the log": """
        SELECT scope FROM scopes WHERE change != coalesce((SELECT max(position) FROM changes WHERE changes.scope = scopes.number), 0)""",
}


def check(connection: sqlite3.Connection) -> list[str]:
    """Return what is wrong, a sentence each. A file too damaged to be read is told so, and no error."""
    found: list[str] = []
    for look in (_whole, _fitting, _legible):
        try:
            found += look(connection)
        except sqlite3.DatabaseError as error:
            found.append(f"the file is damaged: {error}")
    return list(dict.fromkeys(found))


def _whole(connection: sqlite3.Connection) -> list[str]:
    return [f"the file is damaged: {text}" for (text,) in connection.execute(f"PRAGMA integrity_check({_MOST})") if text != "ok"]


def _fitting(connection: sqlite3.Connection) -> list[str]:
    found = []
    for what, statement in _COUNTED.items():
        rows = [str(value) for (value,) in connection.execute(statement).fetchmany(_MOST)]
        if rows:
            more = " and more" if len(rows) == _MOST else ""
            found.append(f"there are {what}: {', '.join(rows[:5])}{more}")
    return found


def _legible(connection: sqlite3.Connection) -> list[str]:
    return list(islice(_damaged(connection), _MOST))


def _damaged(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what is wrong with the records' texts and the columns made from them."""
    columns = (
        "SELECT memories.id, scopes.scope, hash, status, type, updated, expires, body FROM memories JOIN scopes ON number = memories.scope"
    )
    for record_id, scope, hashed, status, type_, updated, ends, body in connection.execute(columns):
        try:
            record = decode(body)
        except StoreCorrupt as error:
            yield f"record {record_id!r} of {scope}: {error.message}"
            continue
        told = (record.id, record.scope, short_hash(record.content_hash), record.status.value, record.type)
        if (*told, micros(record.updated_at), expires(record)) != (record_id, scope, hashed, status, type_, updated, ends):
            yield f"record {record_id!r} of {scope}: its columns do not tell what its text tells"
