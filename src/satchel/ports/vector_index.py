"""`VectorIndex`: vectors outside the store, derived from it and rebuilt from it. It must not know records."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from satchel.ports.states import Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class VectorEntry(NamedTuple):
    """A record's vector as an external index keeps it. `checksum` is of the vector's stored form: a stale entry has another one."""

    id: str
    checksum: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IndexDescription:
    """Whose vectors an index holds: the embedder's name and dimension, and the store that they are a copy of."""

    embedder: str
    dimension: int
    store: str


@runtime_checkable
class VectorIndex(Protocol):
    """A copy of the vectors of a store, in an engine that searches them (STO-2). Every method may be called from any thread.

    It holds no truth: whatever is lost is put again. Scopes are canonical, an unknown one is empty, and every method that reads takes
    exactly one and filters by it in the engine's own query (STO-3); an empty text is no scope, and a StoreError. Vectors have length 1,
    about; products are those with the vectors as they were given. Opening one connects to nothing: every failure is a StoreError of the
    method called, and a later call may succeed.
    """

    capabilities: frozenset[str]
    """Declared abilities: `persistent`, `multiprocess`, `scrub` (removed vectors leave its files at once)."""

    location: str
    """Where it is, for a person to read; holds no password."""

    def describe(self) -> IndexDescription | None:
        """Return what `clear` was told last; None where the index is missing or was emptied.

        Raises:
            StoreUnavailable: with `details["foreign"]` where what is at its place is somebody else's, so that no `clear` may mend it.
        """
        ...

    def clear(self, description: IndexDescription) -> None:
        """Drop every entry and every position, and begin anew for these vectors."""
        ...

    def position(self, scope: str) -> Position | None:
        """Return how far the index has come with a scope: what `mark` was told last; None where nothing was since `clear`."""
        ...

    def mark(self, scope: str, position: Position | None) -> None:
        """Keep a scope's position, beside the entries; None takes it back. What was put before is durable at least as far as this is."""
        ...

    def marks(self) -> dict[str, Position]:
        """Return the position of every scope that has one."""
        ...

    def put(self, scope: str, entries: Sequence[VectorEntry]) -> None:
        """Write entries over those with the same ids. They are found from now on.

        Raises:
            StoreError: nothing was cleared yet, or another dimension than it was cleared for; entries may be there in part.
        """
        ...

    def remove(self, scope: str, ids: Collection[str]) -> None:
        """Remove entries; ids that are not there are passed over. They are not found from now on."""
        ...

    def search(self, scope: str, vector: NDArray[np.float32], limit: int, *, exact: bool = False) -> list[tuple[str, float]]:
        """Return the ids with the greatest products with a vector, greatest first, with the products.

        `exact`: as if every entry of the scope were measured; without it the engine may miss some of the nearest, but not their number.
        """
        ...

    def vectors(self, scope: str, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of those of the ids that are there, exactly as they were put."""
        ...

    def checksums(self, scope: str) -> dict[str, str]:
        """Return the checksum of every entry of a scope, by id."""
        ...

    def count(self, scope: str) -> int:
        """Return the number of entries of a scope."""
        ...

    def check(self) -> list[str]:
        """Return what is wrong with the index, a sentence each, one that cannot be reached among them; empty when it is sound."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...
