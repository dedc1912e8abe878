"""What is wrong with an external index, beside the store whose vectors it should hold, and the command that mends it.

It must not know which engine it is, nor how the index is brought up to date.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from satchel.engine.index.entries import chunks, entries_of
from satchel.engine.index.reach import IndexLost, Reach
from satchel.errors import SatchelError
from satchel.ports import Store, VectorIndex

OTHERS = "the vector index {} holds the vectors of another store"
TAKE_OVER = "name another collection, or let `satchel reindex --everything` take this one over"


@dataclass(frozen=True, slots=True)
class Difference:
    """How a scope's entries differ from the store's vectors: how many lack, are of older content, and have nothing left in the store."""

    scope: str
    missing: int
    stale: int
    extra: int


class Inspection:
    """One look at an index. `store_id` is the name by which the index knows the store."""

    def __init__(self, index: VectorIndex, store: Store, store_id: str, reach: Reach) -> None:
        self._index = index
        self._store = store
        self._store_id = store_id
        self._ask = reach.ask
        reach.wake()

    def problems(self, embedder: str | None) -> list[str]:
        """Return what is wrong with the index itself, each with what mends it. `embedder`: the one whose vectors it should hold."""
        try:
            failures = self._index.check()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the index's failure and belongs among the findings
            failures = [f"the vector index {self._index.location} failed: {error}"]
        try:
            return [f"{failure}; {self._remedy()}" for failure in failures] or list(self._strangeness(embedder))
        except IndexLost as error:
            return [f"{error}; {self._remedy()}"]

    def _remedy(self) -> str:
        if self._is_foreign():
            return "words answer meanwhile"
        if "multiprocess" not in self._index.capabilities:
            return "words answer meanwhile, and `satchel reindex --everything` makes it anew from the store"
        away = "words answer while its server is away, and it is brought up to date when that is back"
        return f"{away}; if the server is there, `satchel reindex --everything` makes the index anew from the store"

    def _is_foreign(self) -> bool:
        """Tell whether the place is somebody else's: then nothing that Satchel does may mend it."""
        try:
            self._index.describe()
        except SatchelError as error:
            return bool(error.details.get("foreign"))
        except Exception:  # noqa: BLE001 - it failed, and has been told of
            return False
        return False

    def _strangeness(self, embedder: str | None) -> Iterator[str]:
        """Yield why the index does not hold this store's vectors at all. Raises IndexLost."""
        found = self._ask(self._index.describe)
        if found is None:
            if self._store_has_vectors():
                yield f"the vector index {self._index.location} is empty; `satchel reindex` fills it, and recall does so scope by scope"
        elif found.store != self._store_id:
            yield f"{OTHERS.format(self._index.location)}; words answer meanwhile: {TAKE_OVER}"
        elif embedder is not None and found.embedder != embedder:
            what = f"holds the vectors of {found.embedder}, this is {embedder}"
            yield f"the vector index {self._index.location} {what}; `satchel reindex` makes it anew"

    def _store_has_vectors(self) -> bool:
        living = sum(count for found in self._store.scopes() for status, count in found.counts.items() if status != "deleted")
        return living > self._store.count_unindexed()

    def compare(self) -> Iterator[Difference]:
        """Yield the scopes that the index has come to the end of and yet does not hold as the store does. Raises IndexLost."""
        found = self._ask(self._index.describe)
        if found is None or found.store != self._store_id:
            return
        for scope, marked in self._ask(self._index.marks).items():
            with self._store.reading():
                part = self._store.index_slice(scope)
                truth = {entry.id: entry.checksum for rows in chunks(part.rows) for entry in entries_of(rows, found.dimension)[0]}
            if part.position != marked:
                continue  # it is behind, and the next recall brings it up to date
            held = self._ask(self._index.checksums, scope)
            stale = sum(held[name] != truth[name] for name in held.keys() & truth.keys())
            told = Difference(scope, len(truth.keys() - held.keys()), stale, len(held.keys() - truth.keys()))
            if told.missing or told.stale or told.extra:
                yield told
