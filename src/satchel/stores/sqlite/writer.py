"""The one writer of a store: takes writes from every thread and commits those that wait together as one transaction.

It must not know what is written. A write waits for the one under way; whoever comes to the front then commits for all that wait,
each in its own savepoint, so that one's failure is nobody else's and one flush to the disk serves all.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from satchel.errors import SatchelError, StoreUnavailable
from satchel.stores.sqlite.connections import forsake, identity
from satchel.stores.sqlite.failures import primary_code, store_error, translated

T = TypeVar("T")

Work = Callable[[sqlite3.Connection], T]
"""Runs inside a write transaction; what it raises undoes what it did."""

_GROUP = 256
"""Most writes of one transaction, so that the first does not wait long for the last."""

_STALE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""After these a new connection may do better, once the cause is gone."""


class _Job(Generic[T]):
    """One write on its way: what it does, and what came of it."""

    __slots__ = ("done", "durable", "error", "result", "work")

    def __init__(self, work: Work[T], durable: bool) -> None:
        self.work = work
        self.durable = durable
        self.done = False
        self.result: T | None = None
        self.error: BaseException | None = None

    def outcome(self) -> T:
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]


class Writer:
    """Runs writes one group after the other over one connection, opened when first needed."""

    def __init__(self, path: Path, connect: Callable[[], sqlite3.Connection], *, on_stale: Callable[[], None] = lambda: None) -> None:
        """`on_stale` is called when the connection is given up, for others to the same file may have to go with it."""
        self._path = path
        self._connect = connect
        self._on_stale = on_stale
        self._waiting: deque[_Job[Any]] = deque()
        self._turn = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._durable = True
        self._here: tuple[int, tuple[int, int]] | None = None
        self._closed = False

    def run(self, work: Work[T], *, durable: bool = True) -> T:
        """Carry a write out and return its result once it is committed.

        Unless `durable`, a power failure may undo it; a killed process never does.
        """
        job = _Job(work, durable)
        self._waiting.append(job)
        with self._turn:
            if not job.done:
                self._commit_waiting()
        return job.outcome()

    def close(self) -> None:
        """Close the connection; writes that come later fail."""
        with self._turn:
            self._closed = True
            self.drop()

    def drop(self) -> None:
        """Close the connection, so that the next write opens another."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._here is not None and self._here[0] != os.getpid():
            forsake(connection)
        else:
            connection.close()

    # ------------------------------------------------------------ one group

    def _commit_waiting(self) -> None:
        jobs: list[_Job[Any]] = []
        while self._waiting and len(jobs) < _GROUP:
            jobs.append(self._waiting.popleft())
        failure: BaseException | None = None
        try:
            with translated(str(self._path)):
                self._commit(self._begin(jobs), jobs)
        except SatchelError as error:
            failure = error
        except BaseException:
            # The front one is interrupted (Ctrl-C), and with it the transaction of all.
            failure = StoreUnavailable(f"{self._path}: the write was interrupted; nothing was written", path=str(self._path))
            raise
        finally:
            for job in jobs:
                if failure is not None and job.error is None:
                    job.error = failure
                job.done = True

    def _open(self, jobs: list[_Job[Any]]) -> sqlite3.Connection:
        if self._closed:
            raise StoreUnavailable(f"{self._path} was closed", path=str(self._path))
        here = os.getpid(), identity(self._path)
        if self._connection is not None and self._here != here:
            # After a fork the connection is the parent's; to a file that was replaced a write would be lost.
            forsake(self._connection)
            self._connection = None
        if self._connection is None:
            self._connection, self._here, self._durable = self._connect(), here, True
        durable = any(job.durable for job in jobs)
        if durable is not self._durable:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable
        return self._connection

    def _begin(self, jobs: list[_Job[Any]]) -> sqlite3.Connection:
        """Begin a transaction. Connections from when the file could not be written may not outlast that: it is tried anew without them."""
        for attempt in (1, 2):
            try:
                connection = self._open(jobs)
                connection.execute("BEGIN IMMEDIATE")
                return connection
            except sqlite3.Error as error:
                if primary_code(error) in _STALE:
                    self._give_up()
                if attempt == 2 or primary_code(error) != sqlite3.SQLITE_READONLY:
                    raise
        raise AssertionError

    def _give_up(self) -> None:
        self.drop()
        self._on_stale()

    def _commit(self, connection: sqlite3.Connection, jobs: list[_Job[Any]]) -> None:
        try:
            for job in jobs:
                self._attempt(connection, job, alone=len(jobs) == 1)
            if connection.in_transaction:
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back(connection)
            if primary_code(error) in _STALE:
                self._give_up()
            raise
        except BaseException:
            self._roll_back(connection)
            raise

    def _attempt(self, connection: sqlite3.Connection, job: _Job[Any], *, alone: bool) -> None:
        if not alone:
            connection.execute("SAVEPOINT job")
        try:
            job.result = job.work(connection)
        except Exception as error:
            job.error = store_error(error, str(self._path)) if isinstance(error, (sqlite3.Error, OSError)) else error
            if isinstance(error, sqlite3.Error) and (not connection.in_transaction or primary_code(error) in _STALE):
                # SQLite has undone the whole transaction, or what it holds is not to be trusted.
                raise
            if alone:
                connection.execute("ROLLBACK")
            else:
                connection.execute("ROLLBACK TO job")
        if not alone:
            connection.execute("RELEASE job")

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.drop()
