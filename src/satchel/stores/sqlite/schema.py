"""The tables, as named migrations that are only ever appended to. It must not know what the tables mean to a memory.

A row id is `scope number << 32 | sequence`, so that a scope is one contiguous range. Times are microseconds since 1970.
"""

from __future__ import annotations

from typing import NamedTuple

APPLICATION_ID = 0x53415443
"""`SATC` in the file's header: this is a Satchel store."""


class Migration(NamedTuple):
    """One step of the schema. Once released, neither its name nor its statements change."""

    version: int
    name: str
    statements: tuple[str, ...]


_GROUND = (
    """CREATE TABLE scopes (
        number INTEGER PRIMARY KEY,
        scope TEXT NOT NULL UNIQUE,
        sequence INTEGER NOT NULL,      -- of the last row id given out
        change INTEGER NOT NULL,        -- log position of the last change
        indexed INTEGER NOT NULL,       -- bumped when index entries are written apart
        active INTEGER NOT NULL,
        pending INTEGER NOT NULL,
        archived INTEGER NOT NULL,
        deleted INTEGER NOT NULL,
        unindexed INTEGER NOT NULL      -- records without a vector
    )""",
    """CREATE TABLE memories (
        rid INTEGER PRIMARY KEY,
        scope INTEGER NOT NULL,
        id TEXT NOT NULL,
        hash BLOB,                      -- first 16 bytes of the sha-256 of the content; NULL in a tombstone
        change INTEGER NOT NULL,        -- log position of the last change, where the record's chain of log entries starts
        revision INTEGER NOT NULL,
        status TEXT NOT NULL,
        type TEXT NOT NULL,
        origin TEXT NOT NULL,
        moment INTEGER NOT NULL,        -- created_at, else stored_at
        updated INTEGER NOT NULL,
        stored INTEGER NOT NULL,
        expires INTEGER,
        score REAL NOT NULL,
        half_life REAL NOT NULL,
        pinned INTEGER NOT NULL,
        embedded INTEGER NOT NULL,      -- whether vectors holds a row
        tags TEXT,                      -- separated by U+001F
        terms BLOB NOT NULL,
        body TEXT NOT NULL              -- the record, which is the truth; last, so that ranking reads past none of it
    )""",
    "CREATE UNIQUE INDEX memories_by_id ON memories (scope, id)",
    "CREATE INDEX memories_by_content ON memories (scope, hash) WHERE hash IS NOT NULL",
    "CREATE TABLE vectors (rid INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
    "CREATE TABLE usage (rid INTEGER PRIMARY KEY, last INTEGER, count INTEGER NOT NULL)",
    """CREATE TABLE changes (
        position INTEGER PRIMARY KEY,
        scope INTEGER NOT NULL,
        id TEXT NOT NULL,
        revision INTEGER NOT NULL,
        operation TEXT NOT NULL,
        agent TEXT,
        at INTEGER NOT NULL,
        reason TEXT,
        previous INTEGER NOT NULL,      -- position of the record's entry before this, 0 for the first
        erased INTEGER NOT NULL,
        before TEXT
    )""",
    "CREATE INDEX changes_by_scope ON changes (scope)",
    # Where the log of a record that was taken out starts.
    "CREATE TABLE removed (scope INTEGER NOT NULL, id TEXT NOT NULL, change INTEGER NOT NULL, PRIMARY KEY (scope, id)) WITHOUT ROWID",
    """CREATE TABLE documents (
        collection TEXT NOT NULL,
        key TEXT NOT NULL,
        scope TEXT,
        value TEXT NOT NULL,
        PRIMARY KEY (collection, key)
    ) WITHOUT ROWID""",
    # Moved by each scrubbing, so that every other connection drops the pages it holds in memory.
    "CREATE TABLE scrubs (number INTEGER NOT NULL)",
    "INSERT INTO scrubs VALUES (0)",
)

MIGRATIONS: tuple[Migration, ...] = (Migration(1, "ground", _GROUND),)
"""Every step from an empty file to the present, in order."""

SCHEMA_TABLE = "CREATE TABLE schema (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)"
