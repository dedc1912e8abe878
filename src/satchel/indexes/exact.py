"""The reference: an external index in this process's memory, searched exactly. What it keeps is gone with it.

For tests, and as the example of what an index does; the engine's own vectors are faster. It must not know who searches it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from satchel.indexes.address import Address
from satchel.indexes.base import BaseIndex, Held, Vector
from satchel.ports import VectorEntry


class ExactIndex(BaseIndex):
    """Entries in dictionaries, by scope and id."""

    capabilities = frozenset({"scrub"})

    def __init__(self) -> None:
        super().__init__(Address("exact", None))
        self._lock = threading.RLock()
        self.location = "exact://"
        self._entries: dict[str, dict[str, VectorEntry]] | None = None

    def _connect(self) -> None:
        return

    def _disconnect(self) -> None:
        return

    def _witness(self) -> None:
        return None

    def _exists(self) -> bool:
        return self._entries is not None

    def _held(self, scope: str) -> dict[str, VectorEntry]:
        return (self._entries or {}).get(scope, {})

    def _create(self, dimension: int) -> None:
        self._entries = {}

    def _drop(self) -> None:
        self._entries = None

    def _put(self, scope: str, entries: Sequence[VectorEntry]) -> None:
        if self._entries is not None:
            self._entries.setdefault(scope, {}).update({entry.id: entry for entry in entries})

    def _remove(self, scope: str, ids: Sequence[str]) -> None:
        for record_id in ids:
            self._held(scope).pop(record_id, None)

    def _search(self, scope: str, vector: Vector, limit: int, exact: bool) -> list[tuple[str, float]]:
        return self._measured(scope, vector, limit)

    def _fetch(self, scope: str, ids: Sequence[str] | None, vectors: bool) -> list[Held]:
        held = self._held(scope)
        return [Held(*held[name]) for name in (held if ids is None else ids) if name in held]

    def _count(self, scope: str) -> int:
        return len(self._held(scope))

    def _size(self) -> int:
        return sum(map(len, (self._entries or {}).values()))


def open_index(url: str = "exact://") -> ExactIndex:
    """Open an empty index."""
    return ExactIndex()
