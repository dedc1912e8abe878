"""All that recall must know of one scope, in arrays: columns, ids, tags, term postings and vectors.

It owns building them from a store's index rows and refreshing them; it must not rank, and must not know where rows come from.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satchel.engine.index.columns import Columns, Room, Tags
from satchel.engine.index.nearness import Fetched, Nearness
from satchel.engine.index.outside import OutsideVectors
from satchel.engine.index.postings import Postings
from satchel.engine.index.vectors import VectorRows, unpack_vectors, which_are_sound
from satchel.engine.text.segmenting import unpack_many
from satchel.ports import IndexRow, IndexSlice, Position
from satchel.protocol.record import Origin, Status

STATUS_CODES = {Status.ACTIVE.value: 0, Status.PENDING.value: 1, Status.ARCHIVED.value: 2}
ORIGIN_CODES = {Origin.STATED.value: 0, Origin.INFERRED.value: 1, Origin.IMPORTED.value: 2}

_DEAD_SHARE = 4
_BYTES_PER_ID = 160  # a text, its place in a list, a dictionary and a tuple of tags
_BYTES_ALWAYS = 8192  # so that a great many empty scopes do not count as nothing

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Index rows as arrays, not yet part of an index."""

    ids: list[str]
    tags: list[tuple[str, ...]]
    columns: Columns
    vectors: NDArray[np.float32]
    hashes: NDArray[np.uint32]
    frequencies: NDArray[np.uint8]
    counts: NDArray[np.int64]


@dataclass(eq=False, slots=True)
class ScopeIndex:
    """One scope at one position. Readers share it freely; `apply` gives the next version and leaves this one whole.

    A changed record is a dead row and a new one; `alive` says which rows count. `dimension` is 0 where there are no vectors to hold.
    """

    position: Position
    dimension: int
    room: Room
    columns: Columns
    alive: Mask
    postings: Postings
    types: dict[str, int]
    vectors: VectorRows | OutsideVectors
    _rows: dict[str, int] | None = None
    _tagged: dict[str, Rows] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    size: int = 0
    total_length: int = 0

    @classmethod
    def build(cls, part: IndexSlice, dimension: int, outside: OutsideVectors | None = None) -> ScopeIndex:
        """Build the index from a complete slice; `dimension` is that of the embedder whose vectors are wanted, 0 for none.

        With `outside` the vectors are there, and none is kept here.
        """
        types: dict[str, int] = {}
        batch = _read(part.rows, types, dimension, kept=outside is None)
        rows = len(batch.ids)
        home = outside or VectorRows.holding(batch.vectors)
        postings = Postings().added(batch.hashes, np.repeat(np.arange(rows), batch.counts), batch.frequencies)
        room = Room(batch.ids, batch.tags, batch.columns)
        return cls(part.position, dimension, room, batch.columns, np.ones(rows, bool), postings, types, home)._counted()

    def _counted(self) -> ScopeIndex:
        self.size = int(np.count_nonzero(self.alive))
        self.total_length = _sum(self.columns.length[self.alive])
        return self

    def __len__(self) -> int:
        """Return the number of rows, dead ones included."""
        return len(self.alive)

    # ------------------------------------------------------------ reading

    @property
    def ids(self) -> list[str]:
        """The records' ids by row; beyond the last row may stand those of a later version."""
        return self.room.ids

    @property
    def tags(self) -> list[Tags]:
        """The records' tags by row, as `ids`."""
        return self.room.tags

    def rows_of(self, ids: Iterable[str]) -> Rows:
        """Return the living rows of those of the records that are here."""
        with self._lock:
            numbers = self._row_numbers()
            return np.array([numbers[record_id] for record_id in ids if record_id in numbers], np.intp)

    def row_numbers(self, ids: Sequence[str]) -> Rows:
        """Return each record's living row, -1 where it is not here."""
        with self._lock:
            numbers = self._row_numbers()
            return np.array([numbers.get(record_id, -1) for record_id in ids], np.intp)

    def nearness(self, vector: NDArray[np.float32], fetched: Fetched | None = None) -> Nearness | None:
        """Return how near the rows are to a vector; None where there are no vectors at hand."""
        return self.vectors.nearness(self, vector, {} if fetched is None else fetched) if self.dimension else None

    @property
    def ready(self) -> bool:
        """Whether its vectors, if it has any, are at hand."""
        return not self.dimension or self.vectors.ready(self)

    def _row_numbers(self) -> dict[str, int]:
        if self._rows is None:
            self._rows = {self.ids[row]: row for row in np.flatnonzero(self.alive).tolist()}
        return self._rows

    def tagged(self, tag: str) -> Rows:
        """Return the rows, dead ones included, that carry a tag."""
        if self._tagged is None:
            found: dict[str, list[int]] = {}
            for row, tags in enumerate(self.tags[: len(self)]):
                for name in tags:
                    found.setdefault(name, []).append(row)
            self._tagged = {name: np.array(rows, np.intp) for name, rows in found.items()}
        return self._tagged.get(tag, np.empty(0, np.intp))

    def use(self, uses: Iterable[tuple[str, float, int]]) -> None:
        """Take note that records were used (id, when, how often), so that it counts before the store is read again."""
        with self._lock:
            numbers = self._row_numbers()
            for record_id, at, count in uses:
                row = numbers.get(record_id)
                if row is not None:
                    self.columns.accessed[row] = max(at, self.columns.accessed[row])
                    self.columns.access_count[row] += count

    @property
    def bytes(self) -> int:
        """Memory that this index takes, about."""
        return self.columns.bytes + self.postings.bytes + self.vectors.bytes + len(self) * _BYTES_PER_ID + _BYTES_ALWAYS

    # ------------------------------------------------------------ refreshing

    def apply(self, part: IndexSlice) -> ScopeIndex:
        """Return the index after a slice: built anew from a complete one, else with its changes. Same answers as a fresh build."""
        if part.complete:
            return ScopeIndex.build(part, self.dimension, self._outside)
        with self._lock:
            return self._applied(part)

    @property
    def _outside(self) -> OutsideVectors | None:
        return self.vectors if isinstance(self.vectors, OutsideVectors) else None

    def _applied(self, part: IndexSlice) -> ScopeIndex:
        types = dict(self.types)
        batch = _read(part.rows, types, self.dimension, kept=self._outside is None)
        numbers, self._rows = self._row_numbers(), None  # handed over to the next version
        rows, new = len(self), len(batch.ids)
        alive = np.concatenate((self.alive, np.ones(new, bool)))
        dead = [numbers.pop(record_id) for record_id in (*part.gone, *batch.ids) if record_id in numbers]
        alive[dead] = False
        numbers.update(zip(batch.ids, range(rows, rows + new), strict=True))
        room = self.room.appended(batch.ids, batch.tags, batch.columns, rows)
        after = ScopeIndex(
            part.position,
            self.dimension,
            room,
            room.columns(rows + new),
            alive,
            self.postings.added(batch.hashes, np.repeat(np.arange(rows, rows + new), batch.counts), batch.frequencies),
            types,
            self.vectors.appended(batch.vectors, rows),
            numbers,
            size=self.size + new - len(dead),
            total_length=self.total_length + _sum(batch.columns.length) - _sum(self.columns.length[dead]),
        )
        return after._compacted() if len(after) - after.size > 64 + after.size // _DEAD_SHARE else after

    def _compacted(self) -> ScopeIndex:
        """Return the same index without its dead rows."""
        rows = np.flatnonzero(self.alive)
        numbers = np.full(len(self), -1, np.int32)
        numbers[rows] = np.arange(len(rows))
        kept = rows.tolist()
        columns = self.columns.taken(rows)
        return replace(
            self,
            room=Room([self.ids[row] for row in kept], [self.tags[row] for row in kept], columns),
            columns=columns,
            alive=np.ones(len(rows), bool),
            postings=self.postings.renumbered(numbers),
            vectors=self.vectors.taken(rows),
            _rows=None,
            _tagged=None,
            _lock=threading.Lock(),
        )


def _sum(lengths: NDArray[np.uint32]) -> int:
    return int(lengths.sum(dtype=np.int64))


def _read(rows: Iterable[IndexRow], types: dict[str, int], dimension: int, *, kept: bool) -> _Batch:
    """Turn index rows into arrays; new types get the next numbers in `types`. Vectors are only looked at where they are not `kept`."""
    by_name: Sequence[Any] = list(zip(*rows, strict=True)) or [()] * len(IndexRow._fields)
    given = IndexRow(*by_name)  # each field now holds the whole column
    packed = unpack_many(given.terms)  # type: ignore[arg-type]
    if kept:
        vectors, has_vector = unpack_vectors(given.vector, dimension)  # type: ignore[arg-type]
    else:
        vectors, has_vector = np.empty((0, dimension), np.float32), which_are_sound(given.vector, dimension)  # type: ignore[arg-type]
    columns = Columns(
        status=np.array([STATUS_CODES[name] for name in given.status], np.uint8),
        type=np.array([types.setdefault(name, len(types)) for name in given.type], np.int32),
        origin=np.array([ORIGIN_CODES[name] for name in given.origin], np.uint8),
        moment=np.array(given.moment, np.float64),
        updated=np.array(given.updated, np.float64),
        stored=np.array(given.stored, np.float64),
        accessed=np.array(given.accessed, np.float64),
        access_count=np.array(given.access_count, np.int64),
        score=np.array(given.score, np.float64),
        half_life=np.array(given.half_life, np.float64),
        pinned=np.array(given.pinned, bool),
        expires=np.array(given.expires, np.float64),
        length=packed.lengths.astype(np.uint32),
        wide=packed.wide,
        has_vector=has_vector,
    )
    ids, tags = list(given.id), list(given.tags)
    return _Batch(ids, tags, columns, vectors, packed.hashes, packed.frequencies, np.diff(packed.offsets))  # type: ignore[arg-type]
