"""The scopes' rows: number, position and counts, read and written by each batch. It must not know records.

Counts are kept, not counted, so that listing scopes costs nothing in a large store.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from satchel.protocol.record import Status

_STATUSES = tuple(status.value for status in Status)
_COLUMNS = "number, scope, sequence, change, indexed, active, pending, archived, deleted, unindexed"
_RANGE = 1 << 32


@dataclass(slots=True)
class ScopeRow:
    """One scope."""

    number: int
    scope: str
    sequence: int = 0
    change: int = 0
    indexed: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_STATUSES, 0))
    unindexed: int = 0
    stored: bool = False

    def next_rid(self) -> int:
        """Give out the next row id of the scope's range."""
        self.sequence += 1
        return self.number * _RANGE + self.sequence

    def count(self, status: str, embedded: bool, by: int) -> None:
        """Count a record in (1) or out (-1)."""
        self.counts[status] += by
        if not embedded and status != Status.DELETED.value:
            self.unindexed += by


def first_rid(number: int) -> int:
    """Return the least row id of a scope's range."""
    return number * _RANGE


def last_rid(number: int) -> int:
    """Return the greatest row id of a scope's range."""
    return number * _RANGE + _RANGE - 1


def find_scopes(connection: sqlite3.Connection, names: Collection[str]) -> dict[str, ScopeRow]:
    """Return the scopes by name; an unknown one gets the next number, and no row until it is saved."""
    if len(names) == 1:
        rows = connection.execute(f"SELECT {_COLUMNS} FROM scopes WHERE scope = ?", tuple(names))
    else:
        rows = connection.execute(f"SELECT {_COLUMNS} FROM scopes WHERE scope IN (SELECT value FROM json_each(?))", (json.dumps([*names]),))
    found = {row[1]: _read(row) for row in rows}
    missing = sorted(set(names) - found.keys())
    if missing:
        last: int = connection.execute("SELECT coalesce(max(number), 0) FROM scopes").fetchone()[0]
        found |= {name: ScopeRow(number, name) for number, name in enumerate(missing, start=last + 1)}
    return found


def _read(row: tuple[int | str, ...]) -> ScopeRow:
    number, name, sequence, change, indexed, *counts, unindexed = row
    return ScopeRow(number, name, sequence, change, indexed, dict(zip(_STATUSES, counts, strict=True)), unindexed, True)  # type: ignore[arg-type]


def save_scopes(connection: sqlite3.Connection, scopes: Iterable[ScopeRow]) -> None:
    """Write the scopes that have changed at least once."""
    for row in scopes:
        values = (row.sequence, row.change, row.indexed, *(row.counts[status] for status in _STATUSES), row.unindexed)
        if row.stored:
            connection.execute(
                "UPDATE scopes SET sequence = ?, change = ?, indexed = ?, active = ?, pending = ?, archived = ?, deleted = ?, unindexed = ?"
                " WHERE number = ?",
                (*values, row.number),
            )
        elif row.change:
            connection.execute("INSERT INTO scopes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (row.number, row.scope, *values))
