"""The lanes of recall: which rows of some scopes' indexes are candidates for a question, with the figures that rank them (RCL-1).

It owns choosing and measuring candidates; it must not know policies, thresholds of relevance, or how the indexes came about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from satchel.engine.index.nearness import Fetched, Nearness, greatest
from satchel.engine.index.postings import Found
from satchel.engine.index.scope_index import ScopeIndex
from satchel.engine.recall.fusion import bm25, inverse_frequency

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

MAX_TERMS = 256
"""Terms of one question that are looked up; of a longer one the rarest count."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, or one sentence of it, as the lanes need it: distinct term hashes, and its unit vector where there is a semantic lane.

    `weights`: the share of each term's idf that counts, all of it where there are none. `wide`: see `segmenting.wide_share`; None: unknown.
    """

    hashes: NDArray[np.uint32]
    vector: NDArray[np.float32] | None
    weights: Floats | None = None
    wide: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One index seen by a question: the lexical figures of every row, and which rows may be found.

    `lexical`: BM25 over the statistics of all scopes searched together, as a share of the question's weight. `coverage`: share of the
    question's terms, weighted by idf; its root in unspaced scripts, see `_Weights`. `nearness`: None where there is no semantic lane.
    """

    question: Question
    index: ScopeIndex
    lexical: Floats
    coverage: Floats
    nearness: Nearness | None

    def mismatch(self, rows: Rows) -> Floats:
        """Return how far the languages of the question and of these rows differ, 0..1."""
        if self.question.wide is None:
            return np.zeros(len(rows))
        return np.abs(self.index.columns.wide[rows] / 255.0 - self.question.wide)


def measure(indexes: Sequence[ScopeIndex], question: Question, fetched: Sequence[Fetched] | None = None) -> list[Measured]:
    """Measure every row of the indexes; `fetched` has, for each, the vectors that questions before this one had to fetch.

    Document frequencies and lengths are those of the scopes searched, added up, whatever the filters: records of every status but
    tombstones. So a question to two scopes ranks them by one measure, and no other scope's words leak into it.
    """
    found = [_living(index, index.postings.find(question.hashes)) for index in indexes]
    terms = len(question.hashes)
    documents = sum(index.size for index in indexes)
    holders = sum((np.bincount(one.terms, minlength=terms) for one in found), np.zeros(terms, np.int64))
    idf = inverse_frequency(holders, documents) if documents else np.zeros(terms)
    if terms > MAX_TERMS:
        holders = _rarest(idf, holders)
    weights = _Weights.of(idf, question, kept=holders > 0)
    mean_length = sum(index.total_length for index in indexes) / max(1, documents)
    return [
        Measured(
            question,
            index,
            *_lexical(index, one, weights, mean_length),
            None if question.vector is None else index.nearness(question.vector, known),
        )
        for index, one, known in zip(indexes, found, fetched or [{} for _ in indexes], strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Weights:
    """What each term of a question counts: for BM25, and for coverage, where characters beside their pairs do not count.

    Each is a share of its sum over all terms, those that no record holds among them. Pairs across the seams of words, which no record
    holds either, dilute the coverage of unspaced scripts; `root`, a half for them and 1 for others, makes up for it.
    """

    scored: Floats
    covered: Floats
    root: float

    @classmethod
    def of(cls, idf: Floats, question: Question, kept: Mask) -> _Weights:
        given = np.ones(len(idf)) if question.weights is None else question.weights
        scored, covered = idf * given, np.where(given < 1.0, 0.0, idf)
        root = 1.0 - (question.wide or 0.0) / 2.0
        return cls(np.where(kept, scored, 0.0) / (scored.sum() or 1.0), np.where(kept, covered, 0.0) / (covered.sum() or 1.0), root)


def _living(index: ScopeIndex, found: Found) -> Found:
    if index.size == len(index):
        return found
    living = index.alive[found.rows]
    return Found(found.rows[living], found.frequencies[living], found.terms[living])


def _rarest(idf: Floats, holders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the holders of the rarest terms that any record holds, and none of the others."""
    kept = np.argsort(-np.where(holders > 0, idf, 0.0), kind="stable")[:MAX_TERMS]
    cut = np.zeros_like(holders)
    cut[kept] = holders[kept]
    return cut


def _lexical(index: ScopeIndex, found: Found, weights: _Weights, mean_length: float) -> tuple[Floats, Floats]:
    rows = found.rows
    # A row's terms are added in the order of the question, wherever the row stands: the sums are the same on every store.
    scored = bm25(found.frequencies, index.columns.length[rows], weights.scored[found.terms], mean_length)
    lexical = np.asarray(np.bincount(rows, weights=scored, minlength=len(index)), np.float64)
    covered = np.asarray(np.bincount(rows, weights=weights.covered[found.terms], minlength=len(index)), np.float64)
    return lexical, covered if weights.root == 1.0 else covered**weights.root


def lexical_lane(measured: Measured, mask: Mask, count: int) -> Rows:
    """Return the rows with the best BM25 score above 0, in no order."""
    rows = np.flatnonzero(mask & (measured.lexical > 0.0))
    return _best(measured.index, rows, measured.lexical[rows], count)


def semantic_lane(measured: Measured, mask: Mask, count: int) -> Rows:
    """Return the rows whose vectors are nearest, in no order; none where there are no vectors."""
    if measured.nearness is None:
        return np.empty(0, np.intp)
    rows = measured.nearness.nearest(mask & measured.index.columns.has_vector, count)
    return _best(measured.index, rows, measured.nearness.of(rows), count)


def strongest_rows(index: ScopeIndex, mask: Mask, strengths: Floats, count: int) -> Rows:
    """Return the strongest rows, in no order. They are proposed for ranking and have no vote in it."""
    rows = greatest(mask, strengths, count)
    return _best(index, rows, strengths[rows], count)


def _best(index: ScopeIndex, rows: Rows, values: NDArray[np.floating], count: int) -> Rows:
    """Return the rows of the greatest values; of equal ones those with the later `updated`, then the smaller id."""
    if len(rows) <= count:
        return rows
    first, rows, left = _split(rows, values, count)
    second, rows, left = _split(rows, index.columns.updated[rows], left)
    named = zip([index.ids[row] for row in rows.tolist()], rows.tolist(), strict=True)
    third = [row for _, row in nsmallest(left, named)] if left else []
    return np.concatenate((first, second, np.array(third, np.intp)))


def _split(rows: Rows, key: NDArray[np.floating], count: int) -> tuple[Rows, Rows, int]:
    """Return the rows sure of a place among the `count` greatest keys, those that tie for the last places, and how many such places."""
    if len(rows) <= count or not count:
        return (rows, rows[:0], 0) if count else (rows[:0], rows[:0], 0)
    last = np.partition(key, len(key) - count)[len(key) - count]
    sure = rows[key > last]
    return sure, rows[key == last], count - len(sure)
