"""Which memories of a scope are worth comparing with a new one: those that share its rarer words, and those nearest in meaning (CNF-1).

It only proposes. It must not know how two memories are compared, or what becomes of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from satchel.engine.comparing import kindred_words
from satchel.engine.core import Core
from satchel.engine.index.index_cache import IndexCache
from satchel.engine.index.postings import Postings
from satchel.engine.index.reach import IndexLost
from satchel.engine.index.scope_index import STATUS_CODES, ScopeIndex
from satchel.engine.index.vectors import unpack_vectors
from satchel.engine.text.segmenting import hash_term, pack_terms, segment, unpack_many
from satchel.engine.writing.committing import Vectors
from satchel.engine.writing.deciding import is_compared
from satchel.engine.writing.proposing import MOST, Terms, propose
from satchel.protocol.record import MemoryRecord

_ARCHIVED = STATUS_CODES["archived"]

Hashes = NDArray[np.uint32]
Vector = NDArray[np.float32]


def _living(index: ScopeIndex, now: float) -> NDArray[np.bool_]:
    """Return which rows are active or pending memories."""
    columns = index.columns
    return np.asarray(index.alive & (columns.status != _ARCHIVED) & (columns.expires > now))


def nearest_rows(index: ScopeIndex, vector: Vector, now: float) -> list[int]:
    """Return the rows of the active and pending memories whose vectors are nearest, nearest first; none where there are no vectors."""
    nearness = index.nearness(vector) if len(index) else None
    if nearness is None:
        return []
    try:
        rows = nearness.nearest(_living(index, now) & index.columns.has_vector, MOST)
        scores = nearness.of(rows)
    except IndexLost:
        return []
    return [int(row) for row in rows[np.lexsort((-rows, -scores))[:MOST]]]


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

    def everyone(self) -> set[str]:
        """Return every id proposed for the records of the call; none before any was asked for."""
        return set() if self._ready is None else self._ready.everyone()

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
    """What `Neighbours` needs once it is asked: for each record of the call what it is like, looked up for all at once."""

    def __init__(self, index: ScopeIndex, records: Sequence[MemoryRecord], vectors: Mapping[str, Vector], now: float) -> None:
        self._index = index
        self._vectors = vectors
        self._now = now
        self._ids = [record.id for record in records]
        self._may = _living(index, now)
        packed = unpack_many([pack_terms(record.content) for record in records])
        counts = np.diff(packed.offsets)
        own = np.split(packed.hashes, packed.offsets[1:-1])
        terms = [_with_kindred(hashes, record.content) for hashes, record in zip(own, records, strict=True)]
        inside = Postings().added(packed.hashes, np.repeat(np.arange(len(records)), counts), packed.frequencies)
        everyone = np.ones(len(records), bool)
        before = propose(inside, terms, len(records), everyone, earlier=True) if len(records) > 1 else [[]]
        stored = propose(index.postings, terms, len(index), self._may)
        self._proposed = {
            record.id: [*(self._ids[place] for place in places), *self._stored(record.id, rows)]
            for record, places, rows in zip(records, before, stored, strict=True)
        }

    def ids(self, record: MemoryRecord) -> list[str]:
        """Return the ids proposed for a record, which need not be one of the call's."""
        if record.id not in self._proposed:
            hashes = unpack_many([pack_terms(record.content)]).hashes
            rows = propose(self._index.postings, [_with_kindred(hashes, record.content)], len(self._index), self._may)[0]
            self._proposed[record.id] = self._stored(record.id, rows)
        return list(dict.fromkeys(self._proposed[record.id]))

    def everyone(self) -> set[str]:
        """Return all ids proposed so far."""
        return {name for names in self._proposed.values() for name in names}

    def _stored(self, record_id: str, rows: list[int]) -> list[str]:
        near = nearest_rows(self._index, self._vectors[record_id], self._now) if record_id in self._vectors else []
        return [self._index.ids[row] for row in (*rows, *near)]


def _with_kindred(hashes: Hashes, content: str) -> Terms:
    words = kindred_words(content)
    if not words:
        return Terms(hashes, len(hashes))
    more = np.array([hash_term(term) for term in segment(words)], np.uint32)
    return Terms(np.concatenate((hashes, np.setdiff1d(more, hashes))), len(hashes))
