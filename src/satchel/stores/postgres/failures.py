"""Turns what the driver raises into our errors, so that no driver exception leaves the store. It must not know what was attempted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from satchel.errors import InvalidRequest, SatchelError, StoreCorrupt, StoreError, StoreUnavailable
from satchel.stores.postgres.refusals import advice_on, is_refused

_UNAVAILABLE = (
    (errors.DiskFull, "cannot grow: the server's disk is full"),
    (errors.ReadOnlySqlTransaction, "is read-only"),
    (errors.InsufficientPrivilege, "does not let this user do what a store needs"),
    (errors.LockNotAvailable, "is locked by another process"),
    (errors.QueryCanceled, "took longer than the server allows"),
    (errors.TooManyConnections, "has no connection left"),
    (errors.DeadlockDetected, "is locked by another process"),
    (errors.SerializationFailure, "is locked by another process"),
    (errors.OutOfMemory, "is out of memory"),
)
_CORRUPT = (
    errors.DataCorrupted,
    errors.IndexCorrupted,
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.UndefinedObject,
    errors.UndefinedFunction,
)


def store_error(error: psycopg.Error, shown: str) -> SatchelError:
    """Return our error for a driver's; the message names the store, never a password."""
    said = str(error).strip().splitlines()
    reason = said[0] if said else type(error).__name__
    advice = advice_on(reason)
    for kind, words in _UNAVAILABLE:
        if isinstance(error, kind):
            return StoreUnavailable(f"{shown} {words}" + (f": {reason}; {advice}" if advice else ""), location=shown, reason=reason)
    if isinstance(error, _CORRUPT):
        return StoreCorrupt(f"{shown} is damaged or is not a Satchel store: {reason}", location=shown)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | psycopg.InternalError):
        words = "cannot be opened" if is_refused(reason) else "cannot be reached"
        return StoreUnavailable(f"{shown} {words}: {reason}" + (f"; {advice}" if advice else ""), location=shown, reason=reason)
    if isinstance(error, psycopg.DataError):
        return InvalidRequest.of([{"field": "body", "message": f"the store cannot keep it: {reason}"}])
    return StoreError(f"{shown} failed: {reason}", location=shown)


@contextmanager
def translated(shown: str) -> Iterator[None]:
    """Raise our errors in place of what the driver raises inside the block."""
    try:
        yield
    except psycopg.Error as error:
        raise store_error(error, shown) from error
