"""Looking a schema over: vacuum, and what is kept twice and must agree. It must not know how either came to be written."""

from __future__ import annotations

import time

from psycopg import errors

from satchel.protocol.record import Status
from satchel.stores.postgres.connections import LOCK_SECONDS, Connection
from satchel.stores.postgres.schema import PARTITIONED

_COUNTS = f"""
SELECT coalesce(s.scope, r.scope), {", ".join(f"coalesce(s.{status}, 0) - coalesce(r.{status}, 0)" for status in Status)}
FROM scopes s FULL JOIN (
    SELECT scope, {", ".join(f"count(*) FILTER (WHERE status = '{status}') AS {status}" for status in Status)} FROM records GROUP BY scope
) r ON r.scope = s.scope
WHERE ({", ".join(f"coalesce(s.{status}, 0)" for status in Status)}) <> ({", ".join(f"coalesce(r.{status}, 0)" for status in Status)})
ORDER BY 1 LIMIT 10
"""
_POSITIONS = """
SELECT s.scope FROM scopes s JOIN (SELECT scope, max(position) AS position FROM log GROUP BY scope) l ON l.scope = s.scope
WHERE s.position <> l.position ORDER BY 1 LIMIT 10
"""
_INDEXES = """
SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = current_schema()::regnamespace AND NOT (i.indisvalid AND i.indisready) ORDER BY 1
"""
_OLD_READERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND age(backend_xmin) > age(%s::xid)
"""
_WAIT_SECONDS = 1.0


def check(connection: Connection) -> list[str]:
    """Return what is wrong, a sentence each."""
    found = [f"the counts of scope {row[0]} do not agree with its records" for row in connection.execute(_COUNTS)]
    found += [f"the position of scope {scope} does not agree with the change log" for (scope,) in connection.execute(_POSITIONS)]
    found += [f"index {name} is not valid: REINDEX INDEX {name}" for (name,) in connection.execute(_INDEXES)]
    return found


def vacuum(connection: Connection, *, rewrite: bool) -> bool:
    """Free what was erased, in tables and indexes, or write the tables anew; False where a reader still holds an old state."""
    number = connection.execute("SELECT pg_current_xact_id()::xid::text").fetchone()
    alone = _wait_for_old_readers(connection, str(number[0]) if number else "")
    try:
        if rewrite:
            # Who waits for an exclusive lock makes all others wait behind it.
            connection.execute(f"SET lock_timeout = '{_WAIT_SECONDS}s'")
        for table in (*PARTITIONED, "documents"):
            connection.execute(f"VACUUM {'(FULL)' if rewrite else '(INDEX_CLEANUP ON)'} {table}")
    except errors.LockNotAvailable:
        return False
    finally:
        connection.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")
    return alone


def _wait_for_old_readers(connection: Connection, xid: str) -> bool:
    """Wait a little for snapshots older than a transaction: what they may see, a vacuum leaves in place."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        found = connection.execute(_OLD_READERS, [xid]).fetchone()
        if not (found and found[0]):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
