"""Which rows of an index hold which terms, and how often: sorted arrays, in segments that merge as they grow.

It must not know records, weights or how text becomes terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_ROWS = 1 << 24
"""Rows that one scope's index can hold: a posting packs hash (32 bits), row (24) and frequency (8) into one sortable word."""

_ROW_MASK = np.uint64(MAX_ROWS - 1)
_EIGHT = np.uint64(8)
_THIRTY_TWO = np.uint64(32)

Rows = NDArray[np.int32]


class Found(NamedTuple):
    """The postings of several terms, those of term i first `counts[0]`, then `counts[1]` …; rows ascend within a term and segment."""

    rows: Rows
    frequencies: NDArray[np.uint8]
    terms: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Segment:
    hashes: NDArray[np.uint32]
    starts: NDArray[np.int64]
    rows: Rows
    frequencies: NDArray[np.uint8]

    def words(self) -> NDArray[np.uint64]:
        """Return the sorted packed words that this segment was made from."""
        counts = np.diff(self.starts)
        packed = np.repeat(self.hashes.astype(np.uint64) << _THIRTY_TWO, counts)
        packed |= self.rows.astype(np.uint64) << _EIGHT
        packed |= self.frequencies
        return packed

    @property
    def bytes(self) -> int:
        return self.hashes.nbytes + self.starts.nbytes + self.rows.nbytes + self.frequencies.nbytes


def _segment(words: NDArray[np.uint64]) -> _Segment:
    words.sort()
    hashes = (words >> _THIRTY_TWO).astype(np.uint32)
    first = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1]))) if len(hashes) else np.empty(0, np.int64)
    rows = ((words >> _EIGHT) & _ROW_MASK).astype(np.int32)
    return _Segment(hashes[first], np.append(first, len(hashes)).astype(np.int64), rows, words.astype(np.uint8))


@dataclass(frozen=True, slots=True)
class Postings:
    """Term postings of one scope. Immutable: a change gives a new value that shares what it can."""

    _segments: tuple[_Segment, ...] = ()

    def added(self, hashes: NDArray[np.uint32], rows: NDArray[np.integer], frequencies: NDArray[np.uint8]) -> Postings:
        """Return the postings with these (term, row, frequency) triples added. The rows must be new ones."""
        if not len(hashes):
            return self
        words = hashes.astype(np.uint64) << _THIRTY_TWO
        words |= rows.astype(np.uint64) << _EIGHT
        words |= frequencies
        segments = [*self._segments, _segment(words)]
        while len(segments) > 1 and len(segments[-2].rows) <= 2 * len(segments[-1].rows):
            last, before = segments.pop(), segments.pop()
            segments.append(_segment(np.concatenate((before.words(), last.words()))))
        return Postings(tuple(segments))

    def renumbered(self, numbers: NDArray[np.int32]) -> Postings:
        """Return the postings with row r called `numbers[r]`, and left out where that is negative."""
        kept = []
        for segment in self._segments:
            words = segment.words()
            renamed = numbers[segment.rows]
            words &= ~(_ROW_MASK << _EIGHT)
            words |= renamed.astype(np.uint64) << _EIGHT
            kept.append(words[renamed >= 0])
        return Postings((_segment(np.concatenate(kept)),)) if kept else self

    def holders(self, hashes: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return how many rows hold each term."""
        counts = np.zeros(len(hashes), np.int64)
        for segment in self._segments:
            at = np.minimum(np.searchsorted(segment.hashes, hashes), len(segment.hashes) - 1)
            known = segment.hashes[at] == hashes
            counts[known] += (segment.starts[at + 1] - segment.starts[at])[known]
        return counts

    def find(self, hashes: NDArray[np.uint32]) -> Found:
        """Return the postings of the terms, in the order of the terms."""
        rows: list[Rows] = [np.empty(0, np.int32)]
        frequencies: list[NDArray[np.uint8]] = [np.empty(0, np.uint8)]
        terms: list[NDArray[np.intp]] = [np.empty(0, np.intp)]
        for segment in self._segments:
            at = np.minimum(np.searchsorted(segment.hashes, hashes), len(segment.hashes) - 1)
            known = np.flatnonzero(segment.hashes[at] == hashes)
            if len(known):
                starts = segment.starts[at[known]]
                counts = segment.starts[at[known] + 1] - starts
                ends = np.cumsum(counts)
                places = np.repeat(starts - (ends - counts), counts) + np.arange(ends[-1])
                rows.append(segment.rows[places])
                frequencies.append(segment.frequencies[places])
                terms.append(np.repeat(known, counts))
        return Found(np.concatenate(rows), np.concatenate(frequencies), np.concatenate(terms))

    @property
    def bytes(self) -> int:
        """Memory that the arrays take."""
        return sum(segment.bytes for segment in self._segments)
