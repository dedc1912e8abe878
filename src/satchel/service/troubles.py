"""What the service's log says of stores that fail: each trouble once in a while, however many calls meet it.

It must not know HTTP, nor what was asked for.
"""

from __future__ import annotations

import logging
import threading
import time

from satchel.errors import SatchelError, StoreError

AGAIN_SECONDS = 60.0
"""How long the same trouble is not told again."""

_MOST = 1000
"""Troubles that are kept in mind."""

logger = logging.getLogger("satchel.service")


class Troubles:
    """The troubles that were logged lately. Safe under threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: dict[str, float] = {}

    def tell(self, error: SatchelError) -> None:
        """Log an error of a store, with its notes (whose store it is), unless it was logged a moment ago."""
        if not isinstance(error, StoreError):
            return
        said = ": ".join([*getattr(error, "__notes__", ()), error.message])
        now = time.monotonic()
        with self._lock:
            last = self._told.pop(said, None)
            if last is not None and now - last < AGAIN_SECONDS:
                self._told[said] = last
                return
            self._told[said] = now
            if len(self._told) > _MOST:
                del self._told[next(iter(self._told))]
        logger.warning(said)
