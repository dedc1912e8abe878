"""A scope's rows as entries of an external index, each with the checksum that tells whether it is still the store's.

It must not know which index they go to, nor when.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from satchel.engine.index.vectors import unpack_vectors
from satchel.ports import IndexRow, VectorEntry

CHUNK = 500


def chunks(rows: Iterable[IndexRow]) -> Iterator[list[IndexRow]]:
    """Yield a scope's rows in parts."""
    chunk: list[IndexRow] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def entries_of(rows: list[IndexRow], dimension: int) -> tuple[list[VectorEntry], list[str]]:
    """Return the entries of those of the rows that have a sound vector, and the ids of the others."""
    vectors, sound = unpack_vectors([row.vector for row in rows], dimension)
    entries = [
        VectorEntry(row.id, blake2b(row.vector, digest_size=12).hexdigest(), vector)
        for row, vector, is_sound in zip(rows, vectors, sound, strict=True)
        if is_sound and row.vector is not None
    ]
    return entries, [row.id for row, is_sound in zip(rows, sound, strict=True) if not is_sound]
