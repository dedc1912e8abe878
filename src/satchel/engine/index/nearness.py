"""How near the rows of a scope's index are to a vector: what a lane asks, whoever measures it.

It must not know questions, records or engines.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

Fetched: TypeAlias = "MutableMapping[int, Float32]"
"""Vectors by row that one search has fetched already, so that its questions share them."""


class Nearness(Protocol):
    """Products of one vector with the rows of one index."""

    def nearest(self, mask: Mask, count: int) -> Rows:
        """Return the rows of a mask whose products are among the `count` greatest, with all that equal the last, in no order."""
        ...

    def of(self, rows: Rows) -> Float32:
        """Return the products of rows, the same whoever measures them."""
        ...


@dataclass(frozen=True, slots=True)
class Products:
    """Products of every row, all measured."""

    values: Float32

    def nearest(self, mask: Mask, count: int) -> Rows:
        """Return the rows of a mask with the greatest values."""
        return greatest(mask, self.values, count)

    def of(self, rows: Rows) -> Float32:
        """Return the products of rows."""
        return self.values[rows]


def products(rows: Float32, vector: Float32) -> Float32:
    """Return the product of each row with a vector: one thread's work, and the same wherever a row stands.

    A matrix product would be neither: BLAS starts threads for it, which under load cost twenty times what they save, and adds up in
    an order that depends on a row's place.
    """
    if hasattr(np, "vecdot"):
        return np.asarray(np.vecdot(rows, vector), np.float32)
    return np.asarray(np.einsum("ij,j->i", rows, vector), np.float32)  # NumPy 1


def greatest(mask: Mask, values: NDArray[np.floating], count: int) -> Rows:
    """Return the rows of a mask whose values are among the `count` greatest, and all that equal the last of them."""
    if not count:
        return np.empty(0, np.intp)
    if len(mask) > count:
        considered = np.where(mask, values, -np.inf)
        last = np.partition(considered, len(mask) - count)[len(mask) - count]
        if last > -np.inf:
            return np.flatnonzero(considered >= last)
    return np.flatnonzero(mask)
