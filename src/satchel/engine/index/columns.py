"""What an index knows of each row, column by column, with room for the rows to come.

It must not know records, scopes or how a row is ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]
Tags = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """One entry a row. Times are Unix seconds; `status` and `origin` are codes, `type` counts into `ScopeIndex.types`.

    `wide` is the share of unspaced scripts, in 255ths.
    """

    status: NDArray[np.uint8]
    type: NDArray[np.int32]
    origin: NDArray[np.uint8]
    moment: Floats
    updated: Floats
    stored: Floats
    accessed: Floats
    access_count: NDArray[np.int64]
    score: Floats
    half_life: Floats
    pinned: Mask
    expires: Floats
    length: NDArray[np.uint32]
    wide: NDArray[np.uint8]
    has_vector: Mask

    def cut(self, end: int) -> Columns:
        """Return the first rows, as views."""
        return Columns(*(getattr(self, name)[:end] for name in _NAMES))

    def taken(self, rows: Rows) -> Columns:
        """Return these rows only."""
        return Columns(*(getattr(self, name)[rows] for name in _NAMES))

    @property
    def bytes(self) -> int:
        """Memory that the arrays take."""
        return sum(getattr(self, name).nbytes for name in _NAMES)


_NAMES = tuple(column.name for column in fields(Columns))


class Room:
    """Rows with room to grow, so that one more costs the same in a scope of any size.

    Versions of an index share it: each reads no further than its own rows.
    """

    __slots__ = ("_columns", "_filled", "ids", "tags")

    def __init__(self, ids: list[str], tags: list[Tags], columns: Columns) -> None:
        self.ids = ids
        self.tags = tags
        self._columns = columns
        self._filled = len(ids)

    def columns(self, end: int) -> Columns:
        """Return the columns of the first rows."""
        return self._columns.cut(end)

    def appended(self, ids: Sequence[str], tags: Sequence[Tags], columns: Columns, at: int) -> Room:
        """Put rows after the first `at`: in place where nobody else has used that room, else in a copy. Callers take turns."""
        end = at + len(ids)
        home = self
        if at != self._filled or end > len(self._columns.status):
            home = Room(self.ids[:at], self.tags[:at], self._grown(at, end + end // 4 if at else end))
        home.ids += ids
        home.tags += tags
        for name in _NAMES:
            getattr(home._columns, name)[at:end] = getattr(columns, name)
        home._filled = end
        return home

    def _grown(self, at: int, capacity: int) -> Columns:
        grown = []
        for name in _NAMES:
            column = getattr(self._columns, name)
            wider = np.empty(capacity, column.dtype)
            wider[:at] = column[:at]
            grown.append(wider)
        return Columns(*grown)
