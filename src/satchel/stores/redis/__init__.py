"""Working memory on a Redis server, or one that speaks as Redis does: the sessions of any number of processes (WRK-2).

It needs the extra `redis`; it must not be imported by whoever does not keep sessions there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.errors import Unsupported

if TYPE_CHECKING:
    from satchel.stores.redis.store import RedisWorkingStore

INSTALL = "pip install 'satchel[redis]'"

__all__ = ["open_working"]


def open_working(url: str) -> RedisWorkingStore:
    """Open `redis://user:password@host:port/0?namespace=…`, `rediss://…` (TLS) or `unix:///path/to/socket`.

    The server is met when a session is first asked for: that raises Unsupported where it is older than Redis 5, StoreError where it is
    away.

    Raises:
        Unsupported: the client library is not installed.
        InvalidRequest: the URL cannot be.
    """
    try:
        import redis  # noqa: F401 - only to see whether it is there
    except ImportError:
        raise Unsupported(f"Redis needs a client library: {INSTALL}", install=INSTALL) from None
    from satchel.stores.redis.store import RedisWorkingStore

    return RedisWorkingStore(url)
