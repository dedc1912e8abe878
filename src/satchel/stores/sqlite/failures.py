"""Turns what the driver raises into our errors, so that no driver exception leaves the store. It must not know what was attempted."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satchel.errors import StoreCorrupt, StoreError, StoreUnavailable
from satchel.stores.permissions import hindrance

_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_UNAVAILABLE = {
    sqlite3.SQLITE_BUSY: "is locked by another process",
    sqlite3.SQLITE_LOCKED: "is locked",
    sqlite3.SQLITE_READONLY: "is read-only",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full, so this was not written",
    sqlite3.SQLITE_IOERR: "cannot be read or written (input/output error)",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_PERM: "may not be opened",
    sqlite3.SQLITE_AUTH: "may not be opened",
    sqlite3.SQLITE_NOMEM: "cannot be read: out of memory",
    sqlite3.SQLITE_INTERRUPT: "was interrupted",
    sqlite3.SQLITE_PROTOCOL: "is locked by another process",
    sqlite3.SQLITE_NOLFS: "is too large for this disk",
}

_REFUSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
"""What SQLite says where permissions are wanting."""

_PAGE = 65_536
"""Bytes of the largest page that SQLite may want to write."""


def primary_code(error: BaseException) -> int:
    """Return SQLite's primary result code; 0 where the error has none."""
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def store_error(error: Exception, path: str) -> StoreError:
    """Return our error for a driver's or the operating system's; the message names the file."""
    code = primary_code(error)
    if code in _CORRUPT:
        return StoreCorrupt(f"{path} is damaged or is not a Satchel store: {error}", path=path)
    if code == sqlite3.SQLITE_IOERR and _is_full(path):
        code = sqlite3.SQLITE_FULL
    if code in _REFUSED or isinstance(error, PermissionError):
        why = hindrance(Path(path))
        if why is not None:
            return StoreUnavailable(f"{path} is read-only: {why}", path=path, reason=str(error))
    if code in _UNAVAILABLE:
        return StoreUnavailable(f"{path} {_UNAVAILABLE[code]}", path=path, reason=str(error))
    if isinstance(error, OSError):
        return StoreUnavailable(f"{path} cannot be used: {error.strerror or error}", path=path)
    if isinstance(error, sqlite3.OperationalError) and not code:
        # The driver's own: text in the file that is not UTF-8.
        return StoreCorrupt(f"{path} is damaged: {error}", path=path)
    if isinstance(error, sqlite3.ProgrammingError):
        return StoreUnavailable(f"{path} was closed", path=path, reason=str(error))
    return StoreError(f"{path} failed: {error}", path=path)


def _is_full(path: str) -> bool:
    """Tell whether the disk has no room for a page: SQLite calls that an I/O error where it cannot grow its shared memory."""
    try:
        return shutil.disk_usage(Path(path).parent).free < _PAGE
    except OSError:
        return False


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise StoreUnavailable, StoreCorrupt or StoreError in place of what the driver raises inside the block."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise store_error(error, path) from error
