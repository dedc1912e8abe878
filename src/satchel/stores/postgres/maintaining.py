"""Looking a schema over: vacuum, and what is kept twice and must agree. It must not know how either came to be written."""

from __future__ import annotations

from satchel.protocol.record import Status
from satchel.stores.postgres.connections import Connection
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
_DEAD = """
SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_all_tables WHERE schemaname = current_schema()
"""


def check(connection: Connection) -> list[str]:
    """Return what is wrong, a sentence each."""
    found = [f"the counts of scope {row[0]} do not agree with its records" for row in connection.execute(_COUNTS)]
    found += [f"the position of scope {scope} does not agree with the change log" for (scope,) in connection.execute(_POSITIONS)]
    found += [f"index {name} is not valid: REINDEX INDEX {name}" for (name,) in connection.execute(_INDEXES)]
    return found


def vacuum(connection: Connection) -> bool:
    """Free what was erased, in tables and indexes; False where a reader still holds an old state."""
    for table in (*PARTITIONED, "documents", "scopes"):
        connection.execute(f"VACUUM (INDEX_CLEANUP ON) {table}")
    return True
