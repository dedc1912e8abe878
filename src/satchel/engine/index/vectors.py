"""Unit vectors of one scope, searched exactly: float32 rows, and the stored form (little-endian float16) they come from.

It must not know records, texts or models.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized

import numpy as np
from numpy.typing import NDArray

from satchel.engine.index.nearness import Fetched, Products, products

Float32 = NDArray[np.float32]


class VectorRows:
    """Rows of float32 with room to grow. Versions of an index share it: each reads no further than its own rows."""

    __slots__ = ("_filled", "matrix")

    def __init__(self, dimension: int, capacity: int) -> None:
        self.matrix: Float32 = np.zeros((capacity, dimension), np.float32)
        self._filled = 0

    @classmethod
    def holding(cls, rows: Float32) -> VectorRows:
        """Take an array over as it is."""
        home = cls(rows.shape[1], 0)
        home.matrix, home._filled = rows, len(rows)
        return home

    def appended(self, rows: Float32, at: int) -> VectorRows:
        """Put rows after the first `at`: in place where nobody else has used that room, else in a copy. Callers take turns."""
        end = at + len(rows)
        home = self
        if at != self._filled or end > len(self.matrix):
            home = VectorRows(self.matrix.shape[1], end + end // 4 if at else end)
            home.matrix[:at] = self.matrix[:at]
        home._filled = end
        home.matrix[at:end] = rows
        return home

    def taken(self, rows: NDArray[np.intp]) -> VectorRows:
        """Return these rows only."""
        return VectorRows.holding(self.matrix[rows])

    def products(self, query: Float32, rows: int) -> Float32:
        """Return the product of each of the first rows with a vector."""
        return products(self.matrix[:rows], query)

    def row(self, index: Sized, row: int, fetched: Fetched) -> Float32:
        """Return one row's vector."""
        found: Float32 = self.matrix[row]
        return found

    def nearness(self, index: Sized, vector: Float32, fetched: Fetched) -> Products:
        """Return the products of an index's rows with a vector."""
        return Products(self.products(vector, len(index)))

    def ready(self, index: Sized) -> bool:
        """Tell that the vectors are at hand."""
        return True

    @property
    def bytes(self) -> int:
        """Memory that the rows take."""
        return self.matrix.nbytes


def pack_vectors(vectors: Float32) -> list[bytes]:
    """Return the stored form of each row."""
    return [row.tobytes() for row in vectors.astype("<f2")]


def unpack_vectors(blobs: Sequence[bytes | None], dimension: int) -> tuple[Float32, NDArray[np.bool_]]:
    """Return float32 rows, zeros where there is no sound vector of that dimension, and which rows have one."""
    size = 2 * dimension
    sized = [blob if blob is not None and len(blob) == size else None for blob in blobs] if size else [None] * len(blobs)
    has_vector = np.array([blob is not None for blob in sized], bool)
    joined = b"".join([blob for blob in sized if blob is not None])
    found = np.frombuffer(joined, "<f2").astype(np.float32).reshape(-1, dimension or 1)
    if has_vector.all():
        vectors = found.reshape(len(blobs), dimension)
    else:
        vectors = np.zeros((len(blobs), dimension), np.float32)
        vectors[has_vector] = found
    # A damaged vector must not reach every answer by way of NaN.
    sound = np.isfinite(vectors).all(axis=1)
    vectors[~sound] = 0.0
    return vectors, has_vector & sound


_PART = 4096


def which_are_sound(blobs: Sequence[bytes | None], dimension: int) -> NDArray[np.bool_]:
    """Return which of the stored forms are sound vectors of that dimension, without holding all of them at once."""
    parts = [unpack_vectors(blobs[start : start + _PART], dimension)[1] for start in range(0, len(blobs), _PART)]
    return np.concatenate(parts) if parts else np.empty(0, bool)
