"""The store to outgrow a machine on: PostgreSQL with pgvector, one schema for any number of processes.

It needs the extra `postgres`; it must not be imported by whoever does not open such a store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.errors import Unsupported

if TYPE_CHECKING:
    from satchel.stores.postgres.store import PostgresStore

INSTALL = "pip install 'satchel[postgres]'"

__all__ = ["missing_store", "open_store"]


def open_store(url: str) -> PostgresStore:
    """Open `postgresql://user@host:port/database?schema=…&partitions=…`, and make the schema where there is none.

    Raises:
        Unsupported: the driver or, in the database, pgvector is not installed.
        StoreError, VersionError, InvalidRequest: it cannot be used.
    """
    try:
        import psycopg  # noqa: F401 - only to see whether it is there
    except ImportError:
        raise Unsupported(f"PostgreSQL needs a driver: {INSTALL}", install=INSTALL) from None
    from satchel.stores.postgres.store import PostgresStore

    return PostgresStore(url)


def missing_store(url: str) -> str | None:
    """Return the store's name where the URL's schema holds none yet, and make nothing; None where it does, or only opening can tell.

    Raises:
        InvalidRequest: the URL cannot be.
    """
    import psycopg

    from satchel.stores.postgres.connections import CONNECT_SECONDS
    from satchel.stores.postgres.location import parse
    from satchel.stores.postgres.schema import holds_store

    where = parse(url)
    try:
        with psycopg.connect(where.conninfo, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="satchel") as connection:
            return None if holds_store(connection, where.schema) else where.shown
    except psycopg.Error:  # what keeps it from being asked is told by whoever opens it
        return None
