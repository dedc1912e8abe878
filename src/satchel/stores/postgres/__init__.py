"""The store to outgrow a machine on: PostgreSQL with pgvector, one schema for any number of processes.

It needs the extra `postgres`; it must not be imported by whoever does not open such a store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.errors import Unsupported

if TYPE_CHECKING:
    from satchel.stores.postgres.store import PostgresStore

INSTALL = "pip install 'satchel[postgres]'"

__all__ = ["open_store"]


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
