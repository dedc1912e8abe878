"""What a person should know of a memory beside its answers. It must not know what it is about."""

from __future__ import annotations

import logging
import threading

logger = logging.getLogger("satchel")

UNFINISHED = "unfinished-copy"
"""The note that a store is an unfinished copy: what is written to it keeps the copy from being finished."""


class Notes:
    """Things a person should know, each said once: logged when first added, and given with answers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._notes: dict[str, str] = {}

    def add(self, key: str, text: str) -> None:
        """Say it, unless it was said."""
        with self._lock:
            if key in self._notes:
                return
            self._notes[key] = text
        logger.warning(text)

    def drop(self, key: str) -> None:
        """Take a note back, for it is mended."""
        with self._lock:
            self._notes.pop(key, None)

    def get(self, key: str) -> str | None:
        """Return one note, where it stands."""
        with self._lock:
            return self._notes.get(key)

    def all(self) -> tuple[str, ...]:
        """Return what stands."""
        with self._lock:
            return tuple(self._notes.values())
