"""Which memories of a scope are worth comparing with a new one: those that share its rarer words, and those nearest in meaning (CNF-1).

It only proposes. It must not know how two memories are compared, or what becomes of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satchel.engine.committing import Vectors
from satchel.engine.comparing import kindred_words
from satchel.engine.core import Core
from satchel.engine.deciding import is_compared
from satchel.engine.fusion import inverse_frequency
from satchel.engine.index_cache import IndexCache
from satchel.engine.postings import Postings
from satchel.engine.reach import IndexLost
from satchel.engine.scope_index import STATUS_CODES, ScopeIndex
from satchel.engine.segmenting import hash_term, pack_terms, segment, unpack_many
from satchel.engine.vectors import unpack_vectors
from satchel.protocol.record import MemoryRecord

MOST = 6
"""Memories proposed for each new one, and by each lane."""

_LEAST_COVERAGE = 0.12
"""Share of a new memory's words, weighted by rarity, that another must hold to be proposed, where there are many others."""

_MANY = 200

_MOST_COMMON = 0.25
_ALWAYS_RARE = 64
"""Words that more memories hold than these (a share, a number) propose nothing."""

_ARCHIVED = STATUS_CODES["archived"]

Floats = NDArray[np.float64]
Hashes = NDArray[np.uint32]
Vector = NDArray[np.float32]


def likest_rows(index: ScopeIndex, terms: Terms, now: float) -> list[int]:
    """Return the rows of the active and pending memories that share most with these terms, the likest first."""
    rows, scores = _scored(index.postings, terms, len(index))
    if not len(rows):
        return []
    columns = index.columns
    may = index.alive[rows] & (columns.status[rows] != _ARCHIVED) & (columns.expires[rows] > now)
    return _best(rows[may], scores[may])


def nearest_rows(index: ScopeIndex, vector: Vector, now: float) -> list[int]:
    """Return the rows of the active and pending memories whose vectors are nearest, nearest first; none where there are no vectors."""
    nearness = index.nearness(vector) if len(index) else None
    if nearness is None:
        return []
    columns = index.columns
    may = index.alive & columns.has_vector & (columns.status != _ARCHIVED) & (columns.expires > now)
    try:
        rows = nearness.nearest(may, MOST)
        return _best(rows, nearness.of(rows).astype(np.float64))
    except IndexLost:
        return []


class Terms(NamedTuple):
    """The terms of a memory, its own first; the others are those of words that mean what it says."""

    hashes: Hashes
    own: int


def _scored(postings: Postings, terms: Terms, size: int) -> tuple[NDArray[np.int32], Floats]:
    """Return the rows that hold enough of the terms, and how much."""
    found = postings.find(terms.hashes)
    if not len(found.rows):
        return found.rows, np.empty(0)
    holders = np.bincount(found.terms, minlength=len(terms.hashes))
    weights = inverse_frequency(holders, max(size, 1))
    rare = holders <= max(_ALWAYS_RARE, _MOST_COMMON * size)
    counted = rare[found.terms]
    rows = found.rows[counted]
    if not len(rows):
        return rows, np.empty(0)
    scores = np.asarray(np.bincount(rows, weights=weights[found.terms[counted]]), np.float64)
    least = _LEAST_COVERAGE * float(weights[: terms.own].sum()) if size > _MANY else 0.0
    enough = np.flatnonzero((scores > 0.0) & (scores >= least))
    return enough.astype(np.int32), scores[enough]


def _best(rows: NDArray[np.integer], scores: Floats) -> list[int]:
    if len(rows) > MOST:
        # Later rows first among equals: the last told is the likeliest to be meant.
        order = np.lexsort((-rows, -scores))[:MOST]
        return [int(row) for row in rows[order]]
    return [int(row) for row in rows[np.lexsort((-rows, -scores))]]


class Neighbours:
    """The memories of one call and scope, and for each those to compare it with: earlier ones of the call, and the scope's.

    Nothing is read before it is asked for: most calls that change nothing need none.
    """

    def __init__(self, core: Core, indexes: IndexCache, scope: str, given: Sequence[MemoryRecord], vectors: Vectors) -> None:
        self._core = core
        self._indexes = indexes
        self._scope = scope
        self._given = given
        self._vectors = vectors
        self._ready: _Ready | None = None

    def of(self, record: MemoryRecord) -> list[str]:
        """Return the ids to compare a record with, the likeliest first; none where it is not compared."""
        settings = self._core.settings
        if not settings.compare or not is_compared(record, settings):
            return []
        if self._ready is None:
            self._ready = self._read()
        return self._ready.ids(record)

    def _read(self) -> _Ready:
        store = self._core.store
        with store.reading():
            index = self._indexes.get(self._scope, store.positions((self._scope,))[self._scope])
        compared = [record for record in self._given if is_compared(record, self._core.settings)]
        vectors: dict[str, Vector] = {}
        if self._core.judge is not None and index.dimension:
            # Rules need words in common; a judge can tell what is said in others.
            rows, known = unpack_vectors(self._vectors.made(compared), index.dimension)
            vectors = {record.id: row for record, row, has in zip(compared, rows, known, strict=True) if has}
        return _Ready(index, compared, vectors, self._core.now().timestamp())


class _Ready:
    """What `Neighbours` needs once it is asked."""

    def __init__(self, index: ScopeIndex, records: Sequence[MemoryRecord], vectors: Mapping[str, Vector], now: float) -> None:
        self._index = index
        self._vectors = vectors
        self._now = now
        self._ids = [record.id for record in records]
        self._places = {record.id: place for place, record in enumerate(records)}
        packed = unpack_many([pack_terms(record.content) for record in records])
        counts = np.diff(packed.offsets)
        self._postings = Postings().added(packed.hashes, np.repeat(np.arange(len(records)), counts), packed.frequencies)
        self._terms = np.split(packed.hashes, packed.offsets[1:-1])

    def ids(self, record: MemoryRecord) -> list[str]:
        place = self._places.get(record.id, len(self._ids))
        hashes = self._terms[place] if place < len(self._terms) else unpack_many([pack_terms(record.content)]).hashes
        terms = _with_kindred(hashes, record.content)
        found: list[str] = []
        if place:
            rows, scores = _scored(self._postings, terms, len(self._ids))
            found += [self._ids[row] for row in _best(rows[rows < place], scores[rows < place])]
        stored = likest_rows(self._index, terms, self._now)
        if record.id in self._vectors:
            stored += nearest_rows(self._index, self._vectors[record.id], self._now)
        return list(dict.fromkeys([*found, *(self._index.ids[row] for row in stored)]))


def _with_kindred(hashes: Hashes, content: str) -> Terms:
    words = kindred_words(content)
    more = np.array([hash_term(term) for term in segment(words)], np.uint32)
    return Terms(np.concatenate((hashes, np.setdiff1d(more, hashes))) if words else hashes, len(hashes))
