"""How work reaches the server exactly once: snapshots to read in, transactions to write in, and what is repeated after a fault.

It must not know any table of a memory. Whether a commit whose answer was lost took place is not guessed: the work is told to look. (The
server's own transaction numbers do not tell: after a crash it gives those that it lost out again.)
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
from satchel.stores.postgres.refusals import is_refused

T = TypeVar("T")

PATIENCE_SECONDS = 10.0
"""How long a call waits for a server that went away. While it is known to be away longer than that, calls fail at once."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0
_ATTEMPTS = 50


class Transaction:
    """One write on its way. The work calls `begin`, sends its statements, and calls `commit` last."""

    def __init__(self, connection: Connection, *, uncertain: bool) -> None:
        self.connection = connection
        self.uncertain = uncertain
        """Whether an earlier attempt was sent to be committed and its answer lost: the work looks first whether it is done."""
        self.committing = False

    def begin(self) -> None:
        """Open the transaction."""
        self.connection.execute("BEGIN")

    def commit(self) -> None:
        """Send the commit. From here on only the server knows."""
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

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run a transaction, and return what `work` returned.

        It is run again where the server undid it (a deadlock), and where the connection broke: as `uncertain` once a commit was sent.

        Raises:
            StoreUnavailable: `details["outcome"]` is `unknown` where the server stayed away after the commit was sent.
            SatchelError: what `work` raised, or the driver's errors, translated; nothing was written.
        """
        uncertain = False

        def attempt() -> T:
            nonlocal uncertain
            transaction: Transaction | None = None
            try:
                with self._connections.one() as connection:
                    transaction = Transaction(connection, uncertain=uncertain)
                    return work(transaction)
            except Lost:
                uncertain = uncertain or (transaction is not None and transaction.committing)
                raise

        try:
            return self._repeated(attempt)
        except StoreUnavailable as error:
            if not uncertain:
                raise
            text = f"{self._shown} went away during a commit; whether it took place is not known"
            raise StoreUnavailable(text, location=self._shown, outcome="unknown", reason=error.details.get("reason")) from error

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
        if is_refused(str(lost.error)) or now - min(started, self._gone_since) >= self.patience:
            raise store_error(lost.error, self._shown) from lost.error
