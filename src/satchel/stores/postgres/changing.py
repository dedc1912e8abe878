"""One change as statements: the record's row, its entry in the log, and what erasure takes away. Many new records at once by COPY.

It must not know expectations. A record's log entries are a chain: its row, or that in `removed`, names the last, and each the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from satchel.ports import Put, Remove
from satchel.stores.columns import LARGEST, micros
from satchel.stores.expectations import Address, address
from satchel.stores.postgres.connections import Connection
from satchel.stores.postgres.positions import FLOOR
from satchel.stores.postgres.rows import COLUMNS, LOG_COLUMNS, log_values, record_rows

CHAIN = """
WITH RECURSIVE chain (position, previous) AS (
    SELECT position, previous FROM log WHERE scope = %s AND position = coalesce(
        (SELECT change FROM records WHERE scope = %s AND id = %s), (SELECT change FROM removed WHERE scope = %s AND id = %s))
    UNION ALL
    SELECT l.position, l.previous FROM chain c JOIN log l ON l.scope = %s AND l.position = c.previous
)
SELECT position FROM chain
"""
"""The positions of one record's log entries; see `chain_of`."""


CHAINS = """
WITH RECURSIVE newest (position) AS (
    SELECT change FROM records WHERE scope = %(scope)s AND id = ANY(%(ids)s)
    UNION ALL
    SELECT change FROM removed WHERE scope = %(scope)s AND id = ANY(%(ids)s)
), chain (position, previous) AS (
    SELECT l.position, l.previous FROM newest n JOIN log l ON l.scope = %(scope)s AND l.position = n.position
    UNION ALL
    SELECT l.position, l.previous FROM chain c JOIN log l ON l.scope = %(scope)s AND l.position = c.previous
)
SELECT position FROM chain
"""
"""The positions of several records' log entries; its parameters are named."""


def chain_of(scope: str, record_id: str) -> tuple[str, ...]:
    """Return the parameters of `CHAIN`."""
    return (scope, scope, record_id, scope, record_id, scope)


# The floor is a row that the entry is made from, so that it is told before a position is taken.
_LOGGED = f"""
floor AS MATERIALIZED ({FLOOR}),
logged AS (
    INSERT INTO log ({", ".join(LOG_COLUMNS)})
    SELECT %s, %s, coalesce(%s, nextval('positions')), %s, %s, %s, %s, %s, {{before}}, {{previous}}, %s, %s
    FROM floor RETURNING scope, id, position
)
"""
_GIVEN = [name for name in COLUMNS if name not in ("change", "arrived")]
_WRITTEN_ANEW = [name for name in COLUMNS if name not in ("scope", "id", "arrived", "terms", "vector")]

_PUT = f"""
WITH old AS (SELECT body, change, status FROM records WHERE scope = %s AND id = %s),
back AS (DELETE FROM removed WHERE scope = %s AND id = %s RETURNING change),
unused AS (
    -- What a touch wrote while the record was being erased.
    DELETE FROM usage WHERE scope = %s AND id = %s AND (EXISTS (SELECT FROM back) OR (SELECT status FROM old) = 'deleted')
),
{
    _LOGGED.format(
        before="CASE WHEN %s THEN NULL ELSE (SELECT body FROM old) END",
        previous="coalesce((SELECT change FROM old), (SELECT change FROM back), 0)",
    )
}
INSERT INTO records AS r (change, arrived, {", ".join(_GIVEN)})
SELECT position, position, {", ".join(["%s"] * len(_GIVEN))} FROM logged
ON CONFLICT (scope, id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _WRITTEN_ANEW)},
    terms = CASE WHEN r.content_hash = excluded.content_hash AND excluded.terms = '' THEN r.terms ELSE excluded.terms END,
    vector = CASE WHEN r.content_hash = excluded.content_hash THEN coalesce(excluded.vector, r.vector) ELSE excluded.vector END
"""
_REMOVE = f"""
WITH old AS (DELETE FROM records WHERE scope = %s AND id = %s RETURNING change),
{_LOGGED.format(before="NULL", previous="(SELECT change FROM old)")}
INSERT INTO removed SELECT scope, id, position FROM logged
"""
_ERASE = f"UPDATE log SET before = NULL, reason = NULL, erased = true WHERE scope = %s AND position IN ({CHAIN}) AND NOT erased"
_UNUSED = "DELETE FROM usage WHERE scope = %s AND id = %s"
_USED = """
INSERT INTO usage AS u (scope, id, last, count) VALUES (%s, %s, %s, %s)
ON CONFLICT (scope, id) DO UPDATE SET last = greatest(u.last, excluded.last), count = greatest(u.count, excluded.count)
"""


class Signs(NamedTuple):
    """What a batch puts on its log entries: the class of its floor, and its token."""

    floor_class: int
    token: int


def write_change(connection: Connection, change: Put | Remove, revision: int, signs: Signs, position: int | None = None) -> None:
    """Write one change, at a position that was taken for it or at the next; `revision` is the one that stood before."""
    where = address(change)
    log = log_values(change.log)
    if isinstance(change, Remove):
        _erase(connection, where)
        connection.execute(_REMOVE, (*where, signs.floor_class, *where, position, revision, *log, signs.token, True))
        return
    record = change.record
    gone = record.is_tombstone
    if gone:
        _erase(connection, where)
    ((_, _, _, _, *row),) = record_rows([change], [0])
    entry = (signs.floor_class, *where, position, record.revision, *log, gone, signs.token, gone)
    connection.execute(_PUT, (*where, *where, *where, *entry, *where, *row))
    if not gone:
        _use(connection, change)


def _erase(connection: Connection, where: Address) -> None:
    connection.execute(_ERASE, (where[0], *chain_of(*where)))
    connection.execute(_UNUSED, where)


def _use(connection: Connection, put: Put) -> None:
    usage = put.record.usage
    if usage.access_count or usage.last_access_at:
        last = micros(usage.last_access_at) if usage.last_access_at else None
        connection.execute(_USED, (put.record.scope, put.record.id, last, min(usage.access_count, LARGEST)))


# ---------------------------------------------------------------- many at once


def copy_new(connection: Connection, puts: Sequence[Put], positions: Sequence[int], token: int) -> None:
    """Write records that never stood anywhere, at their positions. Not inside a pipeline."""
    _copy(connection, "records", COLUMNS, record_rows(puts, positions))
    _copy(connection, "log", LOG_COLUMNS, map(_first_entry, puts, positions, repeat(token)))
    with connection.pipeline():
        for put in puts:
            if not put.record.is_tombstone:
                _use(connection, put)


def _first_entry(put: Put, position: int, token: int) -> tuple[Any, ...]:
    record = put.record
    return (record.scope, record.id, position, record.revision, *log_values(put.log), None, 0, token, record.is_tombstone)


def _copy(connection: Connection, table: str, columns: dict[str, str], rows: Iterable[tuple[Any, ...]]) -> None:
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)


_REMOVED = "SELECT id FROM removed WHERE scope = %s AND id = ANY(%b)"


def departed(connection: Connection, addresses: Iterable[Address]) -> set[Address]:
    """Return which of these records stood somewhere before they were taken out: their log goes on where it ended."""
    ids: dict[str, list[str]] = {}
    for scope, record_id in addresses:
        ids.setdefault(scope, []).append(record_id)
    with connection.pipeline():
        found = {scope: connection.execute(_REMOVED, [scope, some]) for scope, some in ids.items()}
        return {(scope, record_id) for scope, cursor in found.items() for (record_id,) in cursor}
