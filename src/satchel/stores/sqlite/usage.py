"""Usage of records, kept apart from them: when last, how often. It must not know who used them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from satchel.ports import Use
from satchel.protocol.record import Usage
from satchel.stores.columns import LARGEST, micros, moment_of

_MERGE = """
    INSERT INTO usage VALUES (?, ?, ?)
    ON CONFLICT (rid) DO UPDATE SET
        last = max(coalesce(last, excluded.last), coalesce(excluded.last, last)),
        count = max(count, excluded.count)
"""
_TOUCH = """
    INSERT INTO usage
    SELECT memories.rid, ?1, ?2 FROM memories JOIN scopes ON scopes.number = memories.scope
    WHERE scopes.scope = ?3 AND memories.id = ?4 AND memories.status != 'deleted'
    ON CONFLICT (rid) DO UPDATE SET
        last = max(coalesce(last, excluded.last), excluded.last),
        count = iif(count > 9223372036854775807 - excluded.count, 9223372036854775807, count + excluded.count)
"""


def write_usage(connection: sqlite3.Connection, usage: Mapping[int, Usage]) -> None:
    """Merge usage that came with records: the maximum of both, member by member."""
    if usage:
        connection.executemany(_MERGE, [(rid, *_row(used)) for rid, used in sorted(usage.items(), key=lambda item: item[0])])


def _row(usage: Usage) -> tuple[int | None, int]:
    last = None if usage.last_access_at is None else micros(usage.last_access_at)
    return last, min(usage.access_count, LARGEST)


def touch(connection: sqlite3.Connection, uses: Iterable[Use]) -> None:
    """Add uses; records that are not there, or are tombstones, are passed over."""
    connection.executemany(_TOUCH, [(micros(use.at), min(use.count, LARGEST), use.scope, use.id) for use in uses])


def read_usage(last: int | None, count: int | None) -> Usage | None:
    """Return a row's usage; None where there is none."""
    if count is None:
        return None
    return Usage(last_access_at=None if last is None else moment_of(last), access_count=count)
