"""Connections to one file: how they are opened, and the pool that reads use. It must not know any table of a memory.

A file or folder that cannot be written is still read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satchel.errors import StoreUnavailable
from satchel.stores.sqlite.failures import primary_code, translated

BUSY_SECONDS = 60.0
"""How long a statement waits for another process's write."""

_WRITER_CACHE_KIB = 32 * 1024
_READER_CACHE_KIB = 8 * 1024
_CHECKPOINT_PAGES = 4000
_WAL_LIMIT_BYTES = 64 * 1024 * 1024
_CANNOT_SHARE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM}


def _connect(path: Path, parameters: str) -> sqlite3.Connection:
    uri = f"file:{urllib.parse.quote(str(path.absolute()))}?{parameters}"
    return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256)


def _settle(connection: sqlite3.Connection, pragmas: dict[str, str | int]) -> sqlite3.Connection:
    try:
        for name, value in pragmas.items():
            connection.execute(f"PRAGMA {name} = {value}")
    except BaseException:
        connection.close()
        raise
    return connection


def identity(path: Path) -> tuple[int, int]:
    """Return which file stands at a path now. Raises OSError where there is none."""
    found = path.stat()
    return found.st_dev, found.st_ino


def create(path: Path) -> None:
    """Make an empty file, unless there is one. Memories are private: the file, and with it its log, is its owner's. Raises OSError."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def open_writer(path: Path) -> sqlite3.Connection:
    """Open a connection that writes durably: write-ahead log, synchronous=FULL, deleted content overwritten.

    Raises sqlite3.Error, or OSError where there is no file: one that was taken away is not silently replaced by an empty store.
    """
    identity(path)
    if not os.access(path, os.W_OK):
        # Opened all the same, SQLite would leave a shared-memory file behind that nobody could write once the store can be.
        raise PermissionError(errno.EACCES, "is read-only", str(path))
    pragmas: dict[str, str | int] = {
        "secure_delete": "ON",
        "temp_store": "MEMORY",
        "cache_size": -_WRITER_CACHE_KIB,
        "journal_mode": "WAL",
        "synchronous": "FULL",
        "wal_autocheckpoint": _CHECKPOINT_PAGES,
        "journal_size_limit": _WAL_LIMIT_BYTES,
    }
    return _settle(_connect(path, "mode=rw"), pragmas)


def open_reader(path: Path) -> tuple[sqlite3.Connection, bool]:
    """Open a connection that only reads; also say whether it may be kept. Raises sqlite3.Error."""
    pragmas: dict[str, str | int] = {"query_only": "ON", "temp_store": "MEMORY", "cache_size": -_READER_CACHE_KIB}
    identity(path)
    wal = path.with_name(path.name + "-wal")
    logged = wal.exists() and wal.stat().st_size > 0
    if os.access(path, os.W_OK) or logged:
        try:
            return _probed(_settle(_connect(path, "mode=rw"), pragmas)), True
        except sqlite3.OperationalError as error:
            if logged or primary_code(error) not in _CANNOT_SHARE:
                raise
    # Where nothing can be written there is no shared memory to coordinate in, and without a log nothing to coordinate: read the file as
    # it is, each time anew.
    return _probed(_settle(_connect(path, "mode=ro&immutable=1"), pragmas)), False


def _probed(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


_FORSAKEN: list[sqlite3.Connection] = []


def forsake(*connections: sqlite3.Connection) -> None:
    """Give connections up without closing them.

    One that was opened before a fork is the parent's; closing one whose file was replaced would take away the new file's log.
    """
    _FORSAKEN.extend(connections)


class Readers:
    """Connections for reading, one for each read under way."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._pinned = threading.local()
        self._lent: set[sqlite3.Connection] = set()
        self._here: tuple[int, tuple[int, int]] | None = None
        self._closed = False

    @contextmanager
    def one(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection. Raises StoreError."""
        pinned: sqlite3.Connection | None = getattr(self._pinned, "connection", None)
        with translated(str(self._path)):
            if pinned is not None:
                yield pinned
                return
            connection, keep = self._take()
            try:
                yield connection
            except sqlite3.Error:
                keep = False
                raise
            finally:
                self._give(connection, keep)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Pin one connection, inside one read transaction, to this thread for the block. Raises StoreError; the block's errors pass."""
        if getattr(self._pinned, "connection", None) is not None:
            yield
            return
        with translated(str(self._path)):
            connection, keep = self._begin()
        self._pinned.connection = connection
        try:
            yield
        finally:
            self._pinned.connection = None
            with translated(str(self._path)):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._give(connection, keep)

    def _begin(self) -> tuple[sqlite3.Connection, bool]:
        connection, keep = self._take()
        try:
            connection.execute("BEGIN")
            # A deferred transaction sees the state at its first read, not at its BEGIN.
            connection.execute("SELECT number FROM scrubs").fetchone()
        except BaseException:
            self._give(connection, False)
            raise
        return connection, keep

    def _take(self) -> tuple[sqlite3.Connection, bool]:
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"{self._path} was closed", path=str(self._path))
            here = os.getpid(), identity(self._path)
            if self._here != here:
                forsake(*self._idle)
                self._here, self._idle = here, []
            if self._idle:
                connection = self._idle.pop()
                self._lent.add(connection)
                return connection, True
        connection, keep = open_reader(self._path)
        with self._lock:
            self._lent.add(connection)
        return connection, keep

    def _give(self, connection: sqlite3.Connection, keep: bool) -> None:
        with self._lock:
            keep = keep and connection in self._lent
            self._lent.discard(connection)
            if keep and not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def drop(self) -> None:
        """Close the idle connections, and those that are lent as they come back."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._lent.clear()
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Close the idle connections, and those that are lent as they come back."""
        with self._lock:
            self._closed = True
        self.drop()
