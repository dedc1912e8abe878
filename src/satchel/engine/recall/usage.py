"""Usage on its way to the store: gathered in memory, written in batches apart from recall, so that a read never waits for a writer (RET-3).

It must not know what counts as use, or what use is good for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Protocol

from satchel.engine.core import Core
from satchel.errors import SatchelError
from satchel.ports import Use

DELAY_SECONDS = 1.0
"""Usage reaches the store about this long after it happened."""


class Beside(Protocol):
    """What is written on the same occasions."""

    @property
    def waiting(self) -> bool:
        """Whether something is not in the store yet."""
        ...

    def flush(self) -> None:
        """Write what has been gathered."""
        ...


class UsageLog:
    """Gathers uses and writes them about a second later. Safe under threads; nothing is written after `close`."""

    def __init__(self, core: Core, after: Callable[[Sequence[Use]], None] = lambda _: None, beside: Beside | None = None) -> None:
        """`after` is called with uses that have just been written."""
        self._core = core
        self._after = after
        self._beside = beside
        self._pending: dict[tuple[str, str], Use] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        core.unwritten.come_from(self.pending)

    def add(self, keys: Iterable[tuple[str, str]], at: datetime) -> list[Use]:
        """Note that these (scope, id) were used now; return the uses as they were noted."""
        uses = [Use(scope, id, at) for scope, id in keys]
        with self._lock:
            if self._stop.is_set():
                return uses
            for use in uses:
                before = self._pending.get((use.scope, use.id), use)
                count = use.count if before is use else use.count + before.count
                self._pending[use.scope, use.id] = Use(use.scope, use.id, max(use.at, before.at), count)
            if uses:
                self._start()
        return uses

    def wake(self) -> None:
        """Have what waits beside the uses written in a moment."""
        with self._lock:
            if not self._stop.is_set():
                self._start()

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="satchel-usage", daemon=True)
            self._thread.start()

    def pending(self, scope: str) -> list[Use]:
        """Return the scope's uses that are not in the store yet."""
        with self._lock:
            return [use for use in self._pending.values() if use.scope == scope]

    def flush(self) -> None:
        """Write what has been gathered; returns when it is in the store. A store that takes no writes is noted once, its usage dropped."""
        with self._writing:
            if self._beside is not None:
                self._beside.flush()
            with self._lock:
                uses, self._pending = list(self._pending.values()), {}
            if not uses:
                return
            try:
                self._core.store.touch(uses)
                self._after(uses)
            except SatchelError as error:
                self._core.notes.add("usage", f"usage of memories is not recorded: {error}")

    def close(self) -> None:
        """Write what has been gathered and stop."""
        self._stop.set()
        thread = self._thread
        if thread is not None:
            thread.join()
        self.flush()

    def _run(self) -> None:
        while not self._stop.wait(DELAY_SECONDS):
            self.flush()
            with self._lock:
                if not self._pending and not (self._beside is not None and self._beside.waiting):  # an idle engine keeps no thread
                    self._thread = None
                    return
