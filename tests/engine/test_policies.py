"""The presets and a policy of one's own, chosen by configuration or by a request (RCL-2)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from satchel.errors import InvalidRequest
from write_stage import ALICE, START, Clock, opened, package, record

_MEMORIES = (
    # content, id, type, days ago, score, half-life in days
    ("周末爬山的路线在手机里", "exact", "interaction", 60, 0.3, 10),
    ("用户周末喜欢去爬山看日出还有露营野餐摄影", "taste", "preference", 1, 0.5, 30),
    ("周末有人提到爬山，也提到过很多别的事", "strong", "interaction", 90, 0.95, 100),
)

_ORDERS = {
    "default": ["taste", "exact", "strong"],  # 0.60 match, 0.25 recency, 0.15 type
    "strength": ["strong", "exact", "taste"],  # 0.6 match, 0.4 strength
    "similarity": ["exact", "strong", "taste"],  # match first, then strength
    "relevance=1,strength=3": ["strong", "taste", "exact"],  # of one's own
    "recency=1": ["taste", "exact", "strong"],
}


def _filled(policy: str | None = None):
    memory = opened(clock=Clock(), settings={} if policy is None else {"policy": policy})
    memory.import_package(
        package(
            record(content, id=name, type=kind, at=START - timedelta(days=days), score=score, half_life=half_life * 86_400.0)
            for content, name, kind, days, score, half_life in _MEMORIES
        )
    )
    return memory


def _order(memory, **asked) -> list[str]:
    return [hit.record.id for hit in memory.recall("周末爬山路线", scope=ALICE, touch=False, min_strength=0, **asked)]


@pytest.mark.parametrize("policy", _ORDERS)
def test_a_policy_is_chosen_by_configuration(policy) -> None:
    with _filled(policy) as memory:
        assert _order(memory) == _ORDERS[policy]


def test_a_request_may_choose_another_than_the_configuration() -> None:
    with _filled() as memory:
        assert {policy: _order(memory, policy=policy) for policy in _ORDERS} == _ORDERS
        assert _order(memory) == _ORDERS["default"]


def test_an_unknown_policy_is_said_when_it_is_configured_or_asked_for() -> None:
    with _filled() as memory, pytest.raises(InvalidRequest):
        _order(memory, policy="best")
    with pytest.raises(InvalidRequest):
        opened(settings={"policy": "best"})
