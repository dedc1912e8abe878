"""mem0's history.db: replayed memory by memory, a deletion being final.

It knows the table of mem0 0.1 to 2.x. Reading "rows with is_deleted = 0" would bring the dead back: the ADD row of a deleted
memory keeps is_deleted = 0, and the DELETE row of 0.1 has no times, so that sorting by time puts it first.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from satchel.migrate.reading import columns_of, database_copy, refuse

NEEDED = {"memory_id", "new_memory", "event", "created_at"}
_COLUMNS = ("event", "is_deleted", "new_memory", "created_at", "updated_at", "actor_id", "role")


@dataclass(slots=True)
class Life:
    """What became of one memory: its last content, None where it has none, and every earlier one."""

    id: str
    content: str | None = None
    created_at: Any = None
    updated_at: Any = None
    dead: bool = False
    actor: str | None = None
    role: str | None = None
    versions: list[dict[str, Any]] = field(default_factory=list)

    def take(self, row: sqlite3.Row, columns: list[str]) -> None:
        """Apply one row of the history; versions of mem0 differ in their columns."""
        found = {name: row[name] if name in columns else None for name in _COLUMNS}
        event = str(found["event"] or "").upper()
        if event == "DELETE" or found["is_deleted"]:
            self.dead = True
            return
        if event not in {"ADD", "UPDATE"}:
            return
        if self.content is not None:
            self.versions.append({"content": self.content, "at": self.updated_at or self.created_at})
        self.content = found["new_memory"]
        self.created_at = self.created_at or found["created_at"]
        self.updated_at = found["updated_at"] or self.updated_at
        self.actor, self.role = found["actor_id"] or self.actor, found["role"] or self.role


@dataclass(frozen=True, slots=True)
class History:
    """All lives by memory id, in order of first appearance, and the number of chat lines that lie beside them."""

    lives: dict[str, Life]
    messages: int
    damage: str | None = None


def is_history(path: Path) -> bool:
    """Tell whether a database holds mem0's history table."""
    try:
        with database_copy(path) as connection:
            return set(columns_of(connection, "history")) >= NEEDED
    except Exception:  # noqa: BLE001 - detection never raises
        return False


def read_history(path: Path) -> History:
    """Replay the history. Raises InvalidRequest where there is no such table."""
    lives: dict[str, Life] = {}
    damage = None
    with database_copy(path) as connection:
        columns = columns_of(connection, "history")
        if not set(columns) >= NEEDED:
            raise refuse(path, "holds no mem0 history table")
        try:
            for row in connection.execute("SELECT * FROM history ORDER BY rowid"):
                identity = str(row["memory_id"] or "")
                lives.setdefault(identity, Life(identity)).take(row, columns)
        except sqlite3.DatabaseError as error:
            # Without its end a history does not tell who is dead.
            damage = str(error)
        messages = 0
        if columns_of(connection, "messages"):
            messages = connection.execute("SELECT count(*) FROM messages").fetchone()[0]
    return History(lives, messages, damage)
