"""What a new memory is compared with: the rows that hold most of its rarer words, for a whole batch at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from satchel.engine.index.postings import Postings
from satchel.engine.recall.fusion import inverse_frequency
from satchel.engine.writing.proposing import MOST, Terms, propose

WORDS = st.lists(st.integers(0, 40), min_size=1, max_size=8, unique=True)


def _terms(words: list[int]) -> Terms:
    return Terms(np.array(sorted(words), np.uint32), len(words))


def _postings(rows: list[list[int]]) -> Postings:
    hashes = np.array([word for words in rows for word in words], np.uint32)
    places = np.repeat(np.arange(len(rows)), [len(words) for words in rows])
    return Postings().added(hashes, places, np.ones(len(hashes), np.uint8))


def _plainly(rows: list[list[int]], words: list[int]) -> list[float]:
    """Score every row one after another."""
    weight = {word: float(inverse_frequency(np.array(sum(word in row for row in rows)), len(rows))) for word in words}
    return [sum(weight[word] for word in words if word in row) for row in rows]


@given(st.lists(WORDS, min_size=1, max_size=30), st.lists(WORDS, min_size=1, max_size=10))
def test_the_rows_that_share_most_are_proposed_for_each(rows: list[list[int]], memories: list[list[int]]) -> None:
    may = np.ones(len(rows), bool)
    for words, found in zip(memories, propose(_postings(rows), [_terms(one) for one in memories], len(rows), may), strict=True):
        scores = _plainly(rows, words)
        best = sorted((score for score in scores if score > 0), reverse=True)[:MOST]
        assert np.allclose([scores[row] for row in found], best)


@given(st.lists(WORDS, min_size=1, max_size=30), st.integers(0, 29))
def test_all_at_once_is_as_one_by_one(rows: list[list[int]], hidden: int) -> None:
    may = np.arange(len(rows)) != hidden
    memories = [_terms(words) for words in rows]
    together = propose(_postings(rows), memories, len(rows), may)
    assert together == [propose(_postings(rows), [one], len(rows), may)[0] for one in memories]
    assert all(hidden not in found for found in together)


@given(st.lists(WORDS, min_size=1, max_size=30))
def test_only_earlier_ones_of_a_batch_are_proposed(rows: list[list[int]]) -> None:
    found = propose(_postings(rows), [_terms(words) for words in rows], len(rows), np.ones(len(rows), bool), earlier=True)
    assert all(row < place for place, rows_found in enumerate(found) for row in rows_found)


def test_a_twin_is_proposed_among_many_that_share_common_words() -> None:
    rows = [[1, 2, 3, 4, 100 + place] for place in range(5000)]
    rows[4000] = [1, 2, 3, 9001, 9002]
    found = propose(_postings(rows), [_terms([1, 2, 3, 9001, 9002])], len(rows), np.ones(len(rows), bool))[0]
    assert found == [4000]


def test_words_that_all_hold_propose_nothing_among_many() -> None:
    rows = [[1, 2, 100 + place] for place in range(5000)]
    assert propose(_postings(rows), [_terms([1, 2, 7])], len(rows), np.ones(len(rows), bool)) == [[]]
