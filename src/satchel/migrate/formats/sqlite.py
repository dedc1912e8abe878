"""Any SQLite database: one or more of its tables, read from a copy. Tables that keep secrets are never read.

It knows tables and rows; what a column means is the mapping's.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

from satchel.errors import InvalidRequest
from satchel.migrate.formats.table import FIELDS_OF_A_TABLE, Table
from satchel.migrate.items import Options, Reading, SourceItem, quarantined
from satchel.migrate.mapping import Columns, is_vector, resolve
from satchel.migrate.reading import columns_of, database_copy, database_files, is_database, reading, refuse

_SECRET = re.compile(r"auth|token|secret|credential|password|passwd|api_?key|private_?key|cookie", re.IGNORECASE)
_INTERNAL = re.compile(
    r"sqlite_|.*_(?:fts|data|idx|docsize|config|content)\Z|alembic_version|schema_migrations?\Z|migrations?\Z", re.IGNORECASE
)
_VIRTUAL = re.compile(r"\s*create\s+virtual\b", re.IGNORECASE)


class SqliteTables:
    """Generic SQLite."""

    kind = "sqlite"
    description = "Any SQLite database: the table named by --map table=NAME, or the one that looks like memories"
    location = "any file"
    fields: Mapping[str, str] = {**FIELDS_OF_A_TABLE, "tables of tokens, passwords, credentials": "never read", "blobs": "lost: no text"}

    def detect(self, path: Path) -> bool:
        """Tell whether it is a database with a table that holds a content."""
        if not is_database(path):
            return False
        try:
            with database_copy(path) as connection:
                return bool(_candidates(connection, {}))
        except InvalidRequest:
            return False

    def read(self, path: Path, options: Options) -> Reading:
        """Open a database. Raises InvalidRequest where the table must be chosen."""
        with reading(path):
            path.stat()
        if not is_database(path):
            raise refuse(path, "is no SQLite database")
        with database_copy(path) as connection:
            tables = _chosen(path, connection, options.mapping)
            notes = [note for name, (columns, detected) in tables.items() for note in _notes(connection, name, columns, detected)]
        owners = any({"user", "scope"} & set(columns.fields) for columns, _ in tables.values())
        items = _items(path, {name: columns for name, (columns, _) in tables.items()}, options)
        return Reading(path.parent, tuple(database_files(path)), items, notes, names_owners=owners)


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Return the tables that may be read; those of a module that is not here, and what it keeps beside them, are passed over."""
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall()
    names = [row["name"] for row in found]
    foreign = [row["name"] for row in found if _VIRTUAL.match(row["sql"] or "") and not columns_of(connection, row["name"])]
    beside = tuple(f"{name}_" for name in foreign)
    return [
        name
        for name in names
        if not _INTERNAL.match(name) and not _SECRET.search(name) and name not in foreign and not name.startswith(beside)
    ]


def _candidates(connection: sqlite3.Connection, mapping: Mapping[str, str]) -> dict[str, tuple[Columns, list[str]]]:
    """Return the tables that the mapping fits: each column that it names is there, and a content is known."""
    found = {}
    for name in _tables(connection):
        try:
            found[name] = resolve(mapping, columns_of(connection, name))
        except InvalidRequest:
            continue
    return found


def _chosen(path: Path, connection: sqlite3.Connection, mapping: Mapping[str, str]) -> dict[str, tuple[Columns, list[str]]]:
    named = [name.strip() for name in mapping.get("table", "").split(",") if name.strip()]
    secret = [name for name in named if _SECRET.search(name)]
    if secret:
        raise _fault(f"table {secret[0]!r} keeps secrets by its name, and is never read")
    if named and named != ["*"]:
        absent = [name for name in named if not columns_of(connection, name)]
        if absent:
            raise _fault(f"there is no table {absent[0]!r} (tables: {', '.join(_tables(connection))})")
        return {name: resolve(mapping, columns_of(connection, name)) for name in named}
    candidates = _candidates(connection, mapping)
    if not candidates:
        # A single table's own fault says more than that none fits.
        tables = _tables(connection)
        if len(tables) == 1:
            return {tables[0]: resolve(mapping, columns_of(connection, tables[0]))}
        raise refuse(path, f"no table looks like memories (tables: {', '.join(tables) or 'none'}); name one with --map table=NAME")
    if len(candidates) > 1 and not named:
        raise _fault(f"several tables could hold memories: {', '.join(candidates)}; choose with --map table=NAME (or several, or *)")
    return candidates


def _fault(message: str) -> InvalidRequest:
    return InvalidRequest.of([{"field": "map", "message": message}], subject="mapping")


def _notes(connection: sqlite3.Connection, name: str, columns: Columns, detected: list[str]) -> list[str]:
    vectors = [column for column in columns_of(connection, name) if is_vector(column)]
    left = [f"table {name}: {column} left out: vectors are rebuilt from the content" for column in vectors]
    return [f"table {name}: {columns.note(detected)}", *left]


def _items(path: Path, tables: Mapping[str, Columns], options: Options) -> Iterator[SourceItem]:
    with database_copy(path) as connection:
        for name, columns in tables.items():
            table = Table("sqlite", f"{path.name}:{name}", columns, options)
            number = 0
            try:
                for number, row in enumerate(_rows(connection, name), 1):
                    yield table.item(f"{path.name}:{name}:{number}", dict(row))
            except sqlite3.DatabaseError as error:
                yield quarantined(f"{path.name}:{name}:{number + 1}", f"the database is damaged from here on ({error})")


def _rows(connection: sqlite3.Connection, name: str) -> Iterator[sqlite3.Row]:
    quoted = '"' + name.replace('"', '""') + '"'
    try:
        yield from connection.execute(f"SELECT * FROM {quoted} ORDER BY rowid")
    except sqlite3.OperationalError as error:
        if "rowid" not in str(error):
            raise
        yield from connection.execute(f"SELECT * FROM {quoted}")


SQLITE = SqliteTables()
"""The one reader of SQLite databases."""
