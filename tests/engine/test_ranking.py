"""Ranking policies (RCL-2)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from satchel.engine.recall.ranking import POLICIES, Candidates, Weighted, policy_named, register_policy
from satchel.errors import InvalidRequest


def candidates(relevance: list[float], **figures: list[float]) -> Candidates:
    none = [0.0] * len(relevance)
    names = ("semantic", "lexical", "fused", "recency", "strength", "type")
    rest = {name: np.array(figures.get(name, none)) for name in names}
    return Candidates("茶", relevance=np.array(relevance), match=np.array(relevance), **rest)


def order(policy: str, given: Candidates) -> list[int]:
    return np.argsort(-policy_named(policy)(given), kind="stable").tolist()


def test_the_default_policy_weighs_relevance_time_and_type() -> None:
    score = policy_named("default")(candidates([0.5], recency=[0.4], type=[1.0], strength=[0.9]))
    assert score == pytest.approx([0.60 * 0.5 + 0.25 * 0.4 + 0.15 * 1.0])


def test_the_default_policy_keeps_the_order_of_relevance_where_time_and_type_are_the_same() -> None:
    drawn = np.random.default_rng(5).random(200).tolist()
    given = candidates(drawn, recency=[0.7] * 200, type=[0.6] * 200, strength=[0.5] * 200)
    assert order("default", given) == np.argsort(-np.array(drawn), kind="stable").tolist()


def test_a_preference_outranks_a_trace_that_is_a_little_more_relevant() -> None:
    assert order("default", candidates([0.80, 0.75], recency=[1.0, 1.0], type=[0.3, 1.0])) == [1, 0]


def test_the_policy_strength_weighs_relevance_and_strength() -> None:
    assert policy_named("strength")(candidates([0.5], strength=[1.0], recency=[1.0])) == pytest.approx([0.7])


def test_the_policy_similarity_asks_for_strength_only_among_equals() -> None:
    given = candidates([0.901, 0.908, 0.95], strength=[1.0, 0.2, 0.1])
    assert order("similarity", given) == [2, 0, 1]


def test_weights_make_a_policy() -> None:
    given = candidates([0.4, 0.5], lexical=[1.0, 0.0])
    assert policy_named(" lexical = 1 , relevance=0.5")(given) == pytest.approx([(1.0 + 0.2) / 1.5, 0.25 / 1.5])


@pytest.mark.parametrize("name", ["", "best", "default,strength", "taste=1", "relevance=0", "relevance=-1", "relevance=nan"])
def test_an_unknown_policy_is_a_fault_that_names_the_field(name: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        policy_named(name)
    assert raised.value.details["faults"][0]["field"] == "policy"


def test_weights_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="weights"):
        Weighted({})


@pytest.fixture
def own_policy() -> Iterator[str]:
    register_policy("newest", lambda given: given.recency)
    yield "newest"
    POLICIES.pop("newest")


def test_a_policy_of_ones_own_can_be_registered(own_policy: str) -> None:
    assert order(own_policy, candidates([0.9, 0.1], recency=[0.1, 0.9])) == [1, 0]
