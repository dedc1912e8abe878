"""Connections to one database: lent to one user at a time, and replaced when the server went away.

It must not know any table of a memory, nor when work may be repeated.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from satchel.errors import StoreUnavailable
from satchel.stores.postgres.location import Location

# What the driver says of broken connections is said by our errors.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Connection = psycopg.Connection[tuple[Any, ...]]

CONNECT_SECONDS = 10

LOCK_SECONDS = 30
"""How long a statement waits for another's lock."""

# Acknowledged means durable, whatever the server's default is. Compiling a query that returns a scope takes longer than running it.
_SETTINGS = f"""
SET lock_timeout = '{LOCK_SECONDS}s';
SET jit = off;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
"""

_SHUT = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.DatabaseDropped)

_FORKED: list[list[Connection]] = []
"""The parent's connections, kept from being closed in a child."""


class Lost(Exception):
    """There is no connection, or it broke; `error` is the driver's."""

    def __init__(self, error: psycopg.Error) -> None:
        super().__init__(str(error))
        self.error = error


class Connections:
    """The idle connections, last used first. Safe under threads and across a fork."""

    def __init__(self, location: Location, prepare: Callable[[Connection], None], *, patience: float) -> None:
        """Lend up to `location.connections` at a time; who comes later waits `patience` seconds. `prepare` makes a new one fit for use."""
        self._location = location
        self._prepare = prepare
        self._patience = patience
        self._lock = threading.Lock()
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._idle: list[Connection] = []
        self._free = threading.BoundedSemaphore(self._location.connections)

    @contextmanager
    def one(self) -> Iterator[Connection]:
        """Lend a connection; what breaks inside the block raises Lost, and an open transaction is rolled back.

        Raises:
            Lost: the server is not there, or went away.
            StoreUnavailable: the store was closed, or all connections are in use.
        """
        if self._process != os.getpid():
            _FORKED.append(self._idle)
            self._start()
        free = self._free
        if not free.acquire(timeout=self._patience):
            shown, number = self._location.shown, self._location.connections
            raise StoreUnavailable(f"{shown}: all {number} connections are in use", location=shown)
        try:
            yield from self._lend(self._take())
        finally:
            free.release()

    def _lend(self, connection: Connection) -> Iterator[Connection]:
        try:
            yield connection
        except psycopg.Error as error:
            if connection.closed or isinstance(error, _SHUT):
                connection.close()
                raise Lost(error) from error
            raise
        finally:
            self._give(connection)

    def _take(self) -> Connection:
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"{self._location.shown} was closed", location=self._location.shown)
            while self._idle:
                connection = self._idle.pop()
                if not connection.closed:
                    return connection
        return self._open()

    def _open(self) -> Connection:
        try:
            connection = psycopg.connect(
                self._location.conninfo,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                application_name="satchel",
                client_encoding="utf8",
            )
        except psycopg.Error as error:
            raise Lost(error) from error
        try:
            connection.execute(_SETTINGS)
            self._prepare(connection)
        except BaseException as error:
            broken = connection.closed
            connection.close()
            if isinstance(error, psycopg.Error) and (broken or isinstance(error, _SHUT)):
                raise Lost(error) from error
            raise
        return connection

    def _give(self, connection: Connection) -> None:
        try:
            if not connection.closed and connection.info.transaction_status is not TransactionStatus.IDLE:
                connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()
        with self._lock:
            if not connection.closed and not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def drop(self) -> None:
        """Close the idle connections: the server they led to is gone."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Close the idle connections, and those that are lent as they come back."""
        with self._lock:
            self._closed = True
        self.drop()
