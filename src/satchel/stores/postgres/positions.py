"""Positions of the change log: how a writer takes them, and how far a reader of several scopes may go.

It must not know what is written there. Positions come from a sequence, so that writers of different scopes do not wait for each other.
A scope's own are taken while its row is locked, so that they appear in order. Across scopes a later position can appear first: therefore a
writer holds, from before it takes positions until after its commit, an advisory lock that names the last position taken by then, its floor.
"""

from __future__ import annotations

import zlib
from typing import Any

from satchel.stores.postgres.connections import Connection

_BITS = 2**31 - 1
"""A floor is told by its lowest bits: an advisory lock has room for no more."""

_LAST = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM positions"

FLOOR = f"SELECT pg_advisory_xact_lock_shared(%s::int, (({_LAST}) & {_BITS})::int)"
"""Takes the floor; its parameter is the schema's lock class. Once in a transaction, before its first position."""

_FLOORS = """
SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = %s::oid AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def lock_class(schema: str) -> int:
    """Return the class of the advisory locks of a schema's writers."""
    return zlib.crc32(b"satchel positions " + schema.encode()) & _BITS


def last_position(connection: Connection) -> int:
    """Return the last position taken."""
    return int(_one(connection.execute(_LAST)))


def take_positions(connection: Connection, count: int) -> list[int]:
    """Take positions, in order."""
    taken = connection.execute("SELECT nextval('positions') FROM generate_series(1, %s)", [count])
    return [position for (position,) in taken]


def last_logged(connection: Connection) -> int:
    """Return the last position that an entry has; others may have been taken and never used."""
    return int(_one(connection.execute("SELECT coalesce(max(position), 0) FROM log")))


def go_beyond(connection: Connection, position: int) -> None:
    """Let the next position be after this one, which was given."""
    connection.execute("SELECT setval('positions', greatest(%s, last_value)) FROM positions", [position])


def horizon(connection: Connection, floor_class: int) -> int:
    """Return a position up to which every change is committed or never will be.

    Both looks are at the present, not at a snapshot; a snapshot taken afterwards has everything up to the result.
    """
    with connection.pipeline():
        # In this order: who took a position up to the last had told its floor before.
        newest, told = connection.execute(_LAST), connection.execute(_FLOORS, [floor_class])
        last, floors = int(_one(newest)), [int(floor) for (floor,) in told]
    behind = [(last - floor) & _BITS for floor in floors]
    return last - max((gap for gap in behind if gap <= _BITS // 2), default=0)


def _one(cursor: Any) -> Any:
    return cursor.fetchone()[0]
