"""How busy this process is with calls that somebody waits for, so that work that can wait lets them go first. It must not know either."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

QUIET_SECONDS = 0.2
"""After the last call the next is likely to follow within this."""

LONGEST_PAUSE = 30.0
"""What can wait is not kept waiting for longer, however many calls there are: it goes on by one step."""


class Activity:
    """Counts the calls under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self._last = 0.0

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count a call for the length of the block."""
        with self._lock:
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                self._last = time.monotonic()

    @property
    def is_quiet(self) -> bool:
        """Whether nobody waits."""
        with self._lock:
            return not self._calls and time.monotonic() - self._last >= QUIET_SECONDS

    def wait(self, stop: threading.Event | None = None) -> None:
        """Return when it is quiet, when `stop` is set, or after the longest pause."""
        stop = stop or threading.Event()
        deadline = time.monotonic() + LONGEST_PAUSE
        while not self.is_quiet and time.monotonic() < deadline:
            if stop.wait(QUIET_SECONDS / 4):
                return
