"""Brings a file to the present schema: creates it, backs it up and migrates it, or says why it cannot be used.

It must not know what the tables hold.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from satchel.errors import StoreCorrupt, VersionError
from satchel.stores.sqlite.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_TABLE, Migration

_COPY = ".backup-"


def schema_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the file's schema version, 0 for an empty file.

    Raises:
        StoreCorrupt: it is a database, and not a Satchel store.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not tables:
        return 0
    if "schema" not in tables or connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreCorrupt(f"{path} is a database, but not a Satchel store; nothing was written to it", path=str(path))
    version: int = connection.execute("SELECT coalesce(max(version), 0) FROM schema").fetchone()[0]
    return version


def require_known(version: int, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Refuse a file that a later Satchel has written.

    Raises:
        VersionError: its details hold `found` and `supported`.
    """
    latest = migrations[-1].version
    if version > latest:
        raise VersionError(
            f"{path} has store schema {version}, written by a later Satchel; this one knows schemas up to {latest}",
            found=str(version),
            supported=str(latest),
        )


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Create or migrate the file behind a write connection. Before a migration the file is copied to `<name>.backup-<version>`.

    Raises:
        StoreCorrupt, VersionError: it cannot be used.
        sqlite3.Error, OSError: the migration failed and was undone; the file is as it was.
    """
    version = schema_version(connection, path)
    require_known(version, path, migrations)
    if version == migrations[-1].version:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited.
        version = schema_version(connection, path)
        require_known(version, path, migrations)
        if version:
            back_up(path, path.with_name(f"{path.name}{_COPY}{version}"))
        else:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(SCHEMA_TABLE)
        for step in migrations:
            if step.version > version:
                _run(connection, step)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _run(connection: sqlite3.Connection, step: Migration) -> None:
    for statement in step.statements:
        connection.execute(statement)
    connection.execute("INSERT INTO schema VALUES (?, ?, ?)", (step.version, step.name, datetime.now(UTC).isoformat(timespec="seconds")))


def back_up(path: Path, target: Path) -> None:
    """Copy the committed state of a store to another file, which appears only when it is whole."""
    unfinished = target.with_name(target.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_CREAT | os.O_RDWR, 0o600))
    source = sqlite3.connect(path, timeout=60)
    try:
        copy = sqlite3.connect(unfinished)
        try:
            source.backup(copy)
        finally:
            copy.close()
    finally:
        source.close()
    unfinished.replace(target)


def remove_copies(path: Path) -> None:
    """Delete the copies that migrations left beside a store. Raises OSError."""
    for copy in path.parent.iterdir():
        if copy.name.startswith(path.name + _COPY):
            copy.unlink(missing_ok=True)
