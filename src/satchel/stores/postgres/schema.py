"""The tables, as named migrations that are only ever appended to, and how a schema comes to have them.

It must not know what the tables mean to a memory. Every table that grows has the scope first in its key, so that it can be
partitioned, or distributed, by scope. Text compares by code point. Times are microseconds since 1970.
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import psycopg

from satchel.errors import InvalidRequest, StoreCorrupt, Unsupported, VersionError
from satchel.stores.postgres.location import quoted

Connection = psycopg.Connection[tuple[Any, ...]]

LOCK_CLASS = zlib.crc32(b"satchel schema") - 2**31
"""Advisory locks of this class guard the creation and migration of a schema."""

OLDEST_PGVECTOR = (0, 7, 0)
"""The first with half-precision vectors."""


class Migration(NamedTuple):
    """One step. Once released, neither its name nor its statements change.

    `{partitioned}` becomes the clause that partitions a table by scope, or nothing.
    """

    name: str
    statements: tuple[str, ...]


_GROUND = (
    # Positions of the change log. A scope's own are handed out under the lock of its row in `scopes`, so that they appear in order.
    "CREATE SEQUENCE positions AS bigint CACHE 1",
    """CREATE TABLE scopes (
        scope text COLLATE "C" PRIMARY KEY,
        position bigint NOT NULL DEFAULT 0,     -- log position of the last change
        indexed bigint NOT NULL DEFAULT 0,      -- bumped when index entries are written apart
        active bigint NOT NULL DEFAULT 0,
        pending bigint NOT NULL DEFAULT 0,
        archived bigint NOT NULL DEFAULT 0,
        deleted bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50)""",
    """CREATE TABLE records (
        scope text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        change bigint NOT NULL,                 -- log position of the last change, where the record's chain of log entries starts
        arrived bigint NOT NULL,                -- log position of the first change: the order of a scope
        revision bigint NOT NULL,
        status text COLLATE "C" NOT NULL,
        type text COLLATE "C" NOT NULL,
        origin text COLLATE "C" NOT NULL,
        pinned boolean NOT NULL,
        moment bigint NOT NULL,                 -- created_at, else stored_at
        updated bigint NOT NULL,
        stored bigint NOT NULL,
        expires bigint,
        score double precision NOT NULL,
        half_life double precision NOT NULL,
        content_hash bytea,                     -- sha-256; NULL in a tombstone
        tags text[] COLLATE "C" NOT NULL,
        terms bytea NOT NULL,
        vector halfvec,                         -- of any dimension: another embedder may come
        body text NOT NULL,                     -- the record, which is the truth
        PRIMARY KEY (scope, id)
    ) {partitioned}""",
    # A row that is too wide loses its body to the side table first: ranking reads terms and vectors, not bodies.
    "ALTER TABLE records ALTER vector SET STORAGE MAIN, ALTER terms SET STORAGE MAIN",
    "CREATE INDEX records_by_content ON records (scope, content_hash) WHERE content_hash IS NOT NULL",
    "CREATE INDEX records_unindexed ON records (scope, id) WHERE vector IS NULL AND status <> 'deleted'",
    # Apart from the records: to be used writes a few bytes, not a record anew.
    """CREATE TABLE usage (
        scope text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        last bigint,
        count bigint NOT NULL,
        PRIMARY KEY (scope, id)
    ) {partitioned}""",
    """CREATE TABLE log (
        scope text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        position bigint NOT NULL DEFAULT nextval('positions'),
        revision bigint NOT NULL,
        operation text COLLATE "C" NOT NULL,
        agent text COLLATE "C",
        at bigint NOT NULL,
        reason text COLLATE "C",
        before text COLLATE "C",
        previous bigint NOT NULL,               -- position of the record's entry before this, 0 for the first
        token bigint NOT NULL,                  -- of the batch, by which its writer finds out what became of it
        erased boolean NOT NULL,
        PRIMARY KEY (scope, position)
    ) {partitioned}""",
    "CREATE INDEX log_by_position ON log (position)",
    # Where the chain of log entries starts of a record that was taken out.
    """CREATE TABLE removed (
        scope text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        change bigint NOT NULL,
        PRIMARY KEY (scope, id)
    ) {partitioned}""",
    """CREATE TABLE documents (
        collection text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        scope text COLLATE "C",
        value text NOT NULL,
        PRIMARY KEY (collection, key)
    )""",
)

MIGRATIONS: tuple[Migration, ...] = (Migration("0001 ground", _GROUND),)
"""Every step from an empty schema to the present, in order."""

PARTITIONED = ("records", "usage", "log", "removed")
"""The tables that grow with the records."""

_BOOK = "CREATE TABLE migrations (name text PRIMARY KEY, partitions integer NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"


def prepare(connection: Connection, schema: str, partitions: int, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Create or migrate a schema, all steps in one transaction; processes that come at once wait for the first.

    Raises:
        Unsupported: the database is not encoded in UTF-8.
        StoreCorrupt, VersionError, InvalidRequest: the schema is not ours, is a later Satchel's, has another number of partitions.
    """
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise Unsupported(f"this database is encoded in {encoding} and cannot hold every memory: CREATE DATABASE … ENCODING 'UTF8'")
    applied = _applied(connection, schema)
    if applied is None or len(applied) < len(migrations):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [LOCK_CLASS, schema])
            applied = _migrate(connection, schema, partitions, migrations)
    known = [step.name for step in migrations]
    if list(applied)[: len(known)] != known:
        later = [name for name in applied if name not in known]
        if not later:
            raise StoreCorrupt(f"schema {schema} has migrations that do not follow each other: {', '.join(applied)}")
    if len(applied) > len(known):
        raise VersionError(
            f"schema {schema} has migration {list(applied)[-1]!r}, written by a later Satchel; this one knows up to {known[-1]!r}",
            found=list(applied)[-1],
            supported=known[-1],
        )
    made_with = next(iter(applied.values()))
    if partitions and partitions != made_with:
        message = f"schema {schema} was made with {made_with or 'no'} partitions; copy the store to another schema to change that"
        raise InvalidRequest.of([{"field": "partitions", "message": message}], subject="store URL")


def _applied(connection: Connection, schema: str) -> dict[str, int] | None:
    """Return the migrations applied, with the number of partitions then asked for; None where there is no store."""
    if not holds_store(connection, schema):
        return None
    return dict(connection.execute(f"SELECT name, partitions FROM {quoted(schema)}.migrations ORDER BY name").fetchall())


def holds_store(connection: Connection, schema: str) -> bool:
    """Tell whether a schema holds a store, of whatever version."""
    return _exists(connection, schema, "migrations")


def _exists(connection: Connection, schema: str, table: str) -> bool:
    # Asked of the catalogue as a table: inside a transaction to_regclass may remember what was before another process made it.
    found = connection.execute(
        "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = %s", [schema, table]
    )
    return found.fetchone() is not None


def _migrate(connection: Connection, schema: str, partitions: int, migrations: tuple[Migration, ...]) -> dict[str, int]:
    applied = _applied(connection, schema)
    if applied is None:
        _require_free(connection, schema)
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
        connection.execute(_BOOK)
        applied = {}
    elif applied:
        partitions = next(iter(applied.values()))
    for step in migrations[len(applied) :]:
        for statement in step.statements:
            clause = "PARTITION BY HASH (scope)" if partitions else ""
            connection.execute(statement.replace("{partitioned}", clause))
        if partitions and step is migrations[0]:
            _create_partitions(connection, partitions)
        connection.execute("INSERT INTO migrations (name, partitions) VALUES (%s, %s)", [step.name, partitions])
        applied[step.name] = partitions
    return applied


def _require_free(connection: Connection, schema: str) -> None:
    if _exists(connection, schema, "records"):
        raise StoreCorrupt(f"schema {schema} holds a table named records that is not a Satchel store's; nothing was written to it")


def _create_partitions(connection: Connection, partitions: int) -> None:
    for table in PARTITIONED:
        for number in range(partitions):
            connection.execute(
                f"CREATE TABLE {table}_{number} PARTITION OF {table} FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number})"
            )


def find_pgvector(connection: Connection) -> str:
    """Return the schema that pgvector lives in, creating the extension where the database does not have it yet.

    Raises:
        Unsupported: it is not installed, may not be created, or is too old.
    """
    found = _pgvector(connection)
    if found is None:
        offered = connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone()
        if offered is None:
            raise Unsupported(
                "this PostgreSQL server has no pgvector; install it (package postgresql-NN-pgvector, or your provider's switch)"
            )
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", [LOCK_CLASS])
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        found = _pgvector(connection)
    schema, version = found
    if tuple(int(part) for part in version.split(".")[:3]) < OLDEST_PGVECTOR:
        raise Unsupported(f"pgvector {version} has no half-precision vectors; version 0.7 does: ALTER EXTENSION vector UPDATE")
    return str(schema)


def _pgvector(connection: Connection) -> Any:
    return connection.execute(
        "SELECT n.nspname, e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    ).fetchone()
