"""A scope's vectors that are kept in an external index: found and fetched there, a few at a time (STO-2).

It must not know which engine answers, nor how the index is kept up to date.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from satchel.engine.index.external import ExternalIndex
from satchel.engine.index.nearness import Fetched, Float32, Mask, Rows, products

if TYPE_CHECKING:
    from satchel.engine.index.scope_index import ScopeIndex

WHOLE = 1_000
"""Vectors of a scope up to which every search measures all of them: its answers are those of the vectors in memory."""

_FEW = 256
"""Rows left by the filters up to which they are fetched and measured, without a search."""

_SPARE = 4
"""How many times more than asked for a search brings at first, for the filters to choose from; and by how much it grows."""

_MOST = 10_000
"""Entries that one search brings, at the most."""

_ROUNDING = np.float32(1e-5)
"""Engines add up in an order of their own: products that differ by less are measured again here."""


@dataclass(frozen=True, slots=True)
class OutsideVectors:
    """What stands in a scope's index in the place of its vectors."""

    external: ExternalIndex
    scope: str

    bytes = 0

    def appended(self, rows: Float32, at: int) -> OutsideVectors:
        """Return these vectors: more rows change nothing here."""
        return self

    def taken(self, rows: Rows) -> OutsideVectors:
        """Return these vectors."""
        return self

    def row(self, index: ScopeIndex, row: int, fetched: Fetched) -> Float32 | None:
        """Return one row's vector; None where it is not there. Raises `IndexLost`."""
        if row not in fetched and self.ready(index):
            fetched.update((row, vector) for vector in self.external.vectors(self.scope, [index.ids[row]]).values())
        return fetched.get(row)

    def nearness(self, index: ScopeIndex, vector: Float32, fetched: Fetched) -> Asked | None:
        """Return what a search will ask; None while the external index is not at hand, or has not come as far as this one."""
        return Asked(self, index, vector, fetched) if self.ready(index) else None

    def ready(self, index: ScopeIndex) -> bool:
        """Tell whether the external index is at hand, and has come as far as this one."""
        return self.external.ready(self.scope, index.position)


@dataclass(frozen=True, slots=True)
class Asked:
    """A vector and an index, to be measured from outside. Its methods raise `IndexLost` where the external index fails."""

    home: OutsideVectors
    index: ScopeIndex
    vector: Float32
    fetched: Fetched

    def nearest(self, mask: Mask, count: int) -> Rows:
        """Return the nearest rows of a mask. In scopes beyond `WHOLE`, as the engine finds them, and no further than `_MOST` entries."""
        wanted = int(np.count_nonzero(mask)) if count else 0
        if wanted <= max(count, _FEW):
            return np.flatnonzero(mask) if count else np.empty(0, np.intp)
        held = int(np.count_nonzero(self.index.alive & self.index.columns.has_vector))
        exact = held <= WHOLE
        limit = held if exact else min(_SPARE * count, held)
        while True:
            found = self.home.external.search(self.home.scope, self.vector, limit, exact=exact)
            rows, values = self._rows(found)
            kept = mask[rows]
            rows, values = rows[kept], values[kept]
            ended = limit >= min(held, _MOST) or len(found) < limit
            if ended or (len(rows) >= count and values[count - 1] - _ROUNDING > found[-1][1]):
                break
            limit = min(_SPARE * limit, held, _MOST)
        if len(found) < min(limit, held):
            self.home.external.expect(self.home.scope, held, self.index.position)
        if len(rows) <= count:
            return rows
        best: Rows = rows[values >= values[count - 1] - _ROUNDING]
        return best

    def _rows(self, found: Sequence[tuple[str, float]]) -> tuple[Rows, NDArray[np.float32]]:
        """Return the living rows of what was found, greatest product first, with the products: the index may hold newer entries."""
        numbers = self.index.row_numbers([name for name, _ in found])
        values = np.array([value for _, value in found], np.float32)
        return numbers[numbers >= 0], values[numbers >= 0]

    def of(self, rows: Rows) -> Float32:
        """Return the products of rows, measured here from the vectors as they were put."""
        missing = [row for row in rows.tolist() if row not in self.fetched]
        if missing:
            names = {self.index.ids[row]: row for row in missing}
            found = self.home.external.vectors(self.home.scope, list(names))
            if len(found) < len(names):
                held = int(np.count_nonzero(self.index.alive & self.index.columns.has_vector))
                self.home.external.expect(self.home.scope, held, self.index.position)
            nothing = np.zeros(len(self.vector), np.float32)
            for name, row in names.items():
                self.fetched[row] = found.get(name, nothing)
        if not len(rows):
            return np.empty(0, np.float32)
        return products(np.array([self.fetched[row] for row in rows.tolist()], np.float32), self.vector)
