"""How work reaches the server exactly once: snapshots to read in, transactions to write in, and what is repeated after a fault.

It must not know any table of a memory. Whether a commit whose answer was lost took place is not guessed: the server is asked.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg import errors

from satchel.errors import StoreUnavailable
from satchel.stores.postgres.connections import Connection, Connections, Lost
from satchel.stores.postgres.failures import store_error
from satchel.stores.postgres.location import Location

T = TypeVar("T")

PATIENCE_SECONDS = 10.0
"""How long a call waits for a server that went away. While it is known to be away longer than that, calls fail at once."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0
_ATTEMPTS = 50


class Transaction:
    """One write on its way. The work calls `begin`, sends its statements, and calls `commit` last."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.committing = False
        self.xid = ""
        """The transaction's number, by which the server can be asked later what became of it."""

    def begin(self) -> None:
        """Open the transaction."""
        self.connection.execute("BEGIN")

    def number(self, xid: str) -> None:
        """Take note of the number, where the work has asked for it on the way."""
        self.xid = xid

    def commit(self) -> None:
        """Send the commit. From here on only the server knows."""
        if not self.xid:
            found = self.connection.execute("SELECT pg_current_xact_id()::text").fetchone()
            self.xid = str(found[0]) if found else ""
        self.committing = True
        self.connection.execute("COMMIT")


class Transactions:
    """Runs reads and writes over lent connections."""

    def __init__(self, location: Location, connections: Connections, *, patience: float = PATIENCE_SECONDS) -> None:
        self._shown = location.shown
        self._connections = connections
        self.patience = patience
        self._gone_since: float | None = None
        self._pinned = threading.local()

    # ------------------------------------------------------------ reading

    @property
    def pinned(self) -> tuple[Connection, Any] | None:
        """The snapshot of this thread: its connection, and what `begin` returned."""
        found: tuple[Connection, Any] | None = getattr(self._pinned, "snapshot", None)
        return found

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run something that only reads: inside this thread's snapshot, else by itself, and then again where the connection broke.

        Raises:
            SatchelError: the driver's errors, translated.
        """
        pinned = self.pinned
        if pinned is None:
            return self._repeated(lambda: self._lent(work))
        try:
            return work(pinned[0])
        except psycopg.Error as error:
            raise store_error(error, self._shown) from error

    def _lent(self, work: Callable[[Connection], T]) -> T:
        with self._connections.one() as connection:
            return work(connection)

    @contextmanager
    def snapshot(self, begin: Callable[[Connection], Any]) -> Iterator[None]:
        """Pin a connection to this thread for the block, in the transaction that `begin` opens; nested, it is the outer one."""
        if self.pinned is not None:
            yield
            return
        with ExitStack() as stack:
            self._pinned.snapshot = self._repeated(lambda: self._begun(stack, begin))
            try:
                yield
            finally:
                self._pinned.snapshot = None

    def _begun(self, stack: ExitStack, begin: Callable[[Connection], Any]) -> tuple[Connection, Any]:
        with ExitStack() as attempt:
            connection = attempt.enter_context(self._connections.one())
            started = begin(connection)
            # The block's own errors are not the connection's.
            stack.callback(attempt.pop_all().close)
        return connection, started

    # ------------------------------------------------------------ writing

    def write(self, work: Callable[[Transaction], T], recall: Callable[[Connection], T]) -> T:
        """Run a transaction exactly once, and return what `work` returned.

        It is run again where the server undid it (a deadlock), or where the connection broke and it was not committed. Where it was, and
        only the answer was lost, `recall` finds the result.

        Raises:
            StoreUnavailable: `details["outcome"]` is `unknown` where the server stayed away after the commit was sent.
            SatchelError: what `work` raised, or the driver's errors, translated; nothing was written.
        """
        return self._repeated(lambda: self._written(work, recall))

    def _written(self, work: Callable[[Transaction], T], recall: Callable[[Connection], T]) -> T:
        transaction: Transaction | None = None
        try:
            with self._connections.one() as connection:
                transaction = Transaction(connection)
                return work(transaction)
        except Lost as lost:
            if transaction is None or not transaction.committing:
                raise
            self._connections.drop()
            if self._was_committed(transaction.xid, lost):
                return self._lent(recall)
            raise

    def _was_committed(self, xid: str, lost: Lost) -> bool:
        def ask(connection: Connection) -> str | None:
            found = connection.execute("SELECT pg_xact_status(%s::xid8)", [xid]).fetchone()
            status: str | None = found[0] if found else None
            if status == "in progress":
                raise Lost(lost.error)
            return status

        try:
            status = self._repeated(lambda: self._lent(ask))
        except StoreUnavailable as error:
            raise self._unknown(error.details.get("reason", str(error))) from lost.error
        if status is None:
            raise self._unknown(str(lost.error)) from lost.error
        return status == "committed"

    def _unknown(self, reason: str) -> StoreUnavailable:
        text = f"{self._shown} went away during a commit; whether it took place is not known"
        return StoreUnavailable(text, location=self._shown, outcome="unknown", reason=reason)

    # ------------------------------------------------------------ repeating

    def _repeated(self, attempt: Callable[[], T]) -> T:
        started = time.monotonic()
        pause = _FIRST_PAUSE
        for number in range(_ATTEMPTS):
            try:
                result = attempt()
            except Lost as lost:
                self._connections.drop()
                self._give_up_when_gone(lost, started)
                pause = min(2 * pause, _LONGEST_PAUSE)
            except psycopg.Error as error:
                if not isinstance(error, errors.DeadlockDetected | errors.SerializationFailure) or number == _ATTEMPTS - 1:
                    raise store_error(error, self._shown) from error
            else:
                self._gone_since = None
                return result
            time.sleep(pause * random.uniform(0.5, 1.0))
        raise StoreUnavailable(f"{self._shown} cannot be reached", location=self._shown)

    def _give_up_when_gone(self, lost: Lost, started: float) -> None:
        now = time.monotonic()
        if self._gone_since is None:
            self._gone_since = now
        if now - min(started, self._gone_since) >= self.patience:
            raise store_error(lost.error, self._shown) from lost.error
