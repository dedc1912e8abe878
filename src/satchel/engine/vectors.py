"""Unit vectors of one scope, searched exactly: float32 rows, and the stored form (little-endian float16) they come from.

It must not know records, texts or models.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_BLOCK_ELEMENTS = 8192
"""Elements of one product. OpenBLAS starts threads from 9,216 on; two threads of a search, under load, cost twenty times what they save."""

_DIGITS = 9

Float32 = NDArray[np.float32]
Rows = NDArray[np.intp]


class VectorBlocks:
    """Rows of float32 in blocks, with room to grow. Versions of an index share it: each reads no further than its own rows."""

    __slots__ = ("_blocks", "_filled", "dimension")

    def __init__(self, dimension: int, capacity: int) -> None:
        self.dimension = dimension
        per_block = max(1, _BLOCK_ELEMENTS // max(1, dimension))
        self._blocks = np.zeros((-(-capacity // per_block), per_block, dimension), np.float32)
        self._filled = 0

    @property
    def matrix(self) -> Float32:
        """The same memory as rows of one matrix, unused room included."""
        return self._blocks.reshape(self._blocks.shape[0] * self._blocks.shape[1], self.dimension)

    @property
    def bytes(self) -> int:
        """Memory that the rows take."""
        return self._blocks.nbytes

    def appended(self, rows: Float32, at: int) -> VectorBlocks:
        """Put rows after the first `at`: in place where nobody else has used that room, else in a copy. Callers take turns."""
        end = at + len(rows)
        home = self
        if at != self._filled or end > len(self.matrix):
            home = VectorBlocks(self.dimension, end + end // 4 if at else end)
            home.matrix[:at] = self.matrix[:at]
        home._filled = end
        home.matrix[at:end] = rows
        return home

    def products(self, query: Float32, rows: int) -> Float32:
        """Return the product of each of the first rows with a vector, one thread's worth of work.

        The last bits depend on a row's place in its block; `exact_products` do not.
        """
        blocks = -(-rows // self._blocks.shape[1])
        found: Float32 = (self._blocks[:blocks] @ query).reshape(-1)[:rows]
        return found

    @property
    def error(self) -> float:
        """How far `products` of unit vectors may be off: single precision, added up in sixteen or fewer lanes."""
        return 1e-6 + 1e-8 * self.dimension

    def exact_products(self, query: Float32, rows: Rows) -> NDArray[np.float64]:
        """Return the products of these rows with a vector, the same wherever a row stands, rounded to nine digits."""
        # In double precision and one row at a time: BLAS would add up differently by place.
        chosen = self.matrix.take(rows, axis=0).astype(np.float64)
        summed: NDArray[np.float64] = np.einsum("ij,j->i", chosen, query.astype(np.float64))
        return summed.round(_DIGITS)


def pack_vectors(vectors: Float32) -> list[bytes]:
    """Return the stored form of each row."""
    return [row.tobytes() for row in vectors.astype("<f2")]


def unpack_vectors(blobs: Sequence[bytes | None], dimension: int) -> tuple[Float32, NDArray[np.bool_]]:
    """Return float32 rows, zeros where there is no sound vector of that dimension, and which rows have one."""
    size = 2 * dimension
    has_vector = np.array([blob is not None and size > 0 and len(blob) == size for blob in blobs], bool)
    vectors = np.zeros((len(blobs), dimension), np.float32)
    if has_vector.any():
        joined = b"".join([blob for blob, good in zip(blobs, has_vector.tolist(), strict=True) if good and blob is not None])
        vectors[has_vector] = np.frombuffer(joined, "<f2").reshape(-1, dimension)
        # A damaged vector must not reach every answer by way of NaN.
        sound = np.isfinite(vectors).all(axis=1)
        vectors[~sound] = 0.0
        has_vector &= sound
    return vectors, has_vector
