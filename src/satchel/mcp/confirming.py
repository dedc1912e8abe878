"""What an agent has been shown and may now confirm (WRT-6). It must not know what is confirmed."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

_KEPT = 10_000


class Confirmations:
    """Questions that wait for a yes, for `seconds`. Each is taken once. Safe under threads."""

    def __init__(self, seconds: float = 900.0, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._asked: OrderedDict[Hashable, float] = OrderedDict()

    def ask(self, key: Hashable) -> None:
        """Note that the question was put."""
        with self._lock:
            self._asked.pop(key, None)
            self._asked[key] = self._clock()
            while len(self._asked) > _KEPT:
                self._asked.popitem(last=False)

    def take(self, key: Hashable) -> bool:
        """Tell whether the question was put lately, and forget that it was."""
        with self._lock:
            asked = self._asked.pop(key, None)
            return asked is not None and self._clock() - asked <= self._seconds
