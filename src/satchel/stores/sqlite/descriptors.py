"""One descriptor on each store file, shared in the process and kept open as long as any store has the file open. It must not know what for.

On POSIX, closing any descriptor of a file drops every lock that the process holds on it, SQLite's too.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from satchel.stores.sqlite.connections import identity

_LOCK = threading.Lock()
_STORES: dict[tuple[int, int], int] = {}
"""How many stores have a file open."""
_OPEN: dict[tuple[int, int], int] = {}


class Descriptor:
    """One store's share in the descriptor of its file, which is opened when it is first asked for."""

    def __init__(self, path: Path) -> None:
        """Take a share. Raises OSError."""
        self._path = path
        self.file = identity(path)
        with _LOCK:
            _STORES[self.file] = _STORES.get(self.file, 0) + 1

    def number(self) -> int:
        """Return the descriptor, for reading and writing. Raises OSError."""
        with _LOCK:
            if self.file not in _OPEN:
                _OPEN[self.file] = os.open(self._path, os.O_RDWR | getattr(os, "O_BINARY", 0))
            return _OPEN[self.file]

    def close(self) -> None:
        """Give the share back, once the store's connections are closed."""
        with _LOCK:
            _STORES[self.file] -= 1
            if not _STORES[self.file]:
                del _STORES[self.file]
                if self.file in _OPEN:
                    os.close(_OPEN.pop(self.file))
