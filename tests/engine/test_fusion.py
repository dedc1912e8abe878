"""BM25, fusion of the lanes, and relevance as a probability (RCL-1, RCL-3)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.engine.recall.fusion import LEXICAL_FLOOR, WHOLE_SHARE, bm25, deal, fuse, inverse_frequency
from satchel.engine.recall.relevance import LEXICAL, best_relevance, lexical_relevance, relevance
from satchel.ports import Calibration


def row(*values):
    return np.array([values], np.float64)


def test_a_rarer_term_weighs_more_and_none_weighs_nothing():
    weights = inverse_frequency(np.array([0, 1, 10, 100]), 100)
    assert (np.diff(weights) < 0).all()
    assert weights[-1] > 0


def test_a_term_once_in_a_memory_of_mean_length_counts_its_weight():
    assert bm25(np.array([1]), np.array([20]), np.array([2.5]), 20.0) == pytest.approx([2.5])


def test_repetition_counts_ever_less_and_length_counts_against():
    scores = bm25(np.array([1, 2, 3, 255]), np.array([20] * 4), np.ones(4), 20.0)
    assert (np.diff(scores) > 0).all()
    assert scores[1] - scores[0] > scores[2] - scores[1]
    assert bm25(np.array([1]), np.array([40]), np.ones(1), 20.0)[0] < scores[0]


def test_the_first_of_both_lanes_is_1():
    assert fuse(row(0.9, 0.3), row(0.5, 0.2))[0] == 1.0


def test_a_lane_alone_gives_its_share():
    assert fuse(row(0.9, 0.0), row(0.0, 0.6), lexical_share=0.4) == pytest.approx([0.4, 0.6])


def test_without_an_embedder_words_order_alone():
    assert fuse(row(0.2, 0.8, 0.0), None) == pytest.approx([0.25, 1.0, 0.0])


def test_words_that_cover_little_do_not_reach_their_full_vote():
    assert fuse(row(LEXICAL_FLOOR / 2, 0.0), None)[0] == 0.5


def test_a_record_without_a_vector_is_judged_by_its_words():
    assert fuse(row(0.9, 0.9), row(0.5, 0.0), np.array([True, False])).tolist() == [1.0, 1.0]


def test_of_several_sentences_the_one_answered_best_counts():
    whole, first, second = [0.4, 0.2], [1.0, 0.0], [0.0, 0.5]
    fused = fuse(np.array([whole, first, second]), None)
    assert fused == pytest.approx([WHOLE_SHARE + 1.0 - WHOLE_SHARE, WHOLE_SHARE / 2 + 1.0 - WHOLE_SHARE])


def test_no_candidates_give_no_scores():
    assert fuse(np.empty((1, 0)), np.empty((1, 0)), np.empty(0, bool)).shape == (0,)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 20)), max_size=30))
def test_dealing_keeps_the_values_in_the_other_order(pairs):
    values, order = np.array([a for a, _ in pairs]), np.array([b / 20 for _, b in pairs])
    dealt = deal(values, order)
    for i in range(len(pairs)):
        for j in range(len(pairs)):
            if order[i] > order[j]:
                assert dealt[i] > dealt[j]
            if order[i] == order[j]:
                assert dealt[i] == dealt[j]
    if len(set(order.tolist())) == len(pairs):
        assert np.sort(dealt) == pytest.approx(np.sort(values), abs=0.011)


def test_relevance_is_the_logistic_model_of_its_calibration():
    model = Calibration(bias=-1.0, cosine=2.0, coverage=3.0, both=0.5, mismatch=0.25)
    found = relevance(np.array([0.5]), np.array([0.4]), model, np.array([1.0]))
    assert found == pytest.approx(1 / (1 + np.exp(-(-1.0 + 1.0 + 1.2 + 0.1 + 0.25))))


def test_relevance_stays_a_probability_at_any_figure():
    model = Calibration(bias=0.0, cosine=1e6, coverage=0.0)
    assert relevance(np.array([-1.0, 1.0]), 0.0, model).tolist() == pytest.approx([0.0, 1.0])


def test_by_words_alone_what_shares_none_is_no_answer():
    assert lexical_relevance(np.array([0.0, 1.0])).tolist() == pytest.approx([0.0, float(relevance(0.0, 1.0, LEXICAL))])
    assert lexical_relevance(np.array([1.0]))[0] > 0.8


def test_words_that_say_it_all_outweigh_a_vector_that_says_nothing():
    model = Calibration(bias=-6.0, cosine=14.0, coverage=2.0)
    found = best_relevance(np.array([0.0, 0.0, 0.6]), np.array([1.0, 0.3, 0.0]), model, np.zeros(3))
    assert found[0] > 0.8
    assert found[1] < 0.05
    assert found[2] == relevance(0.6, 0.0, model)
