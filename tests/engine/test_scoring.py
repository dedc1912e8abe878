"""Strength, recency and type priority (RET-1, RCL-2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.engine.retention.scoring import Life, faint_below, recencies, strength, strengths, type_priority
from satchel.engine.settings import Settings
from satchel.protocol.record import MemoryRecord, Usage

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DAY = 86_400.0


def a_record(**fields: object) -> MemoryRecord:
    given = {
        "id": "m1",
        "scope": "user:alice",
        "content": "喜欢乌龙茶",
        "stored_at": START,
        "updated_at": START,
        "score": 0.8,
        "half_life": DAY,
    }
    return MemoryRecord(**(given | fields))


def after(days: float) -> float:
    return (START + timedelta(days=days)).timestamp()


def test_what_was_just_stored_is_as_strong_as_its_score() -> None:
    moved_in = a_record(created_at=START - timedelta(days=900))
    assert strength(moved_in, after(0), Settings()) == 0.8


def test_strength_halves_with_every_half_life() -> None:
    assert [strength(a_record(), after(days), Settings()) for days in (1, 2, 3)] == [0.4, 0.2, 0.1]


def test_use_starts_the_decay_anew_and_adds_a_bonus_that_is_capped() -> None:
    used = a_record(usage=Usage(last_access_at=START + timedelta(days=5), access_count=4))
    assert strength(used, after(5), Settings()) == pytest.approx(0.88)
    worn = a_record(usage=Usage(last_access_at=START, access_count=10_000))
    assert strength(worn, after(0), Settings()) == pytest.approx(1.1)
    assert strength(worn, after(1), Settings()) == pytest.approx(0.55)


def test_pinned_does_not_fade() -> None:
    assert strength(a_record(pinned=True), after(4000), Settings()) == 0.8


def test_a_clock_that_stands_before_the_record_adds_no_strength() -> None:
    assert strength(a_record(), after(-30), Settings()) == 0.8


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (Settings(decay_base=0.9), 0.72),
        (Settings(access_bonus_cap=0.0), 0.4),
        (Settings(decay_bonus=False), 0.4 + 0.04),
        (Settings(decay_from="created"), 0.84 * 0.25),
    ],
)
def test_base_cap_bonus_and_start_of_the_decay_are_settings(settings: Settings, expected: float) -> None:
    used = 0 if settings.access_bonus_cap == 0 or settings.decay_base == 0.9 else 2
    record = a_record(created_at=START - timedelta(days=1), usage=Usage(access_count=used))
    assert strength(record, after(1), settings) == pytest.approx(expected)


@given(st.floats(0, 1), st.integers(0, 10_000), st.floats(60, 1e9), st.floats(0, 1e9), st.floats(0, 1e9), st.booleans(), st.booleans())
def test_strength_never_rises_with_time_alone(
    score: float, count: int, half_life: float, earlier: float, longer: float, pinned: bool, decay_bonus: bool
) -> None:
    record = a_record(score=score, half_life=half_life, pinned=pinned, usage=Usage(last_access_at=START, access_count=count))
    settings = Settings(decay_bonus=decay_bonus)
    first, second = (strength(record, START.timestamp() + age, settings) for age in (earlier, earlier + longer))
    assert 0.0 <= second <= first <= 1.3


def test_many_at_once_are_as_strong_as_one_by_one() -> None:
    records = [a_record(score=0.1 * n, half_life=DAY * n, pinned=n % 4 == 0, usage=Usage(access_count=n)) for n in range(1, 10)]
    life = Life(
        score=np.array([r.score for r in records]),
        access_count=np.array([r.usage.access_count for r in records]),
        accessed=np.zeros(9),
        stored=np.full(9, START.timestamp()),
        moment=np.full(9, START.timestamp()),
        half_life=np.array([r.half_life for r in records]),
        pinned=np.array([r.pinned for r in records]),
    )
    assert strengths(life, after(3), Settings()).round(9).tolist() == [strength(r, after(3), Settings()) for r in records]


def test_a_record_that_started_faint_is_faint_only_below_half_its_score() -> None:
    assert faint_below(np.array([0.9, 0.3, 0.2]), 0.15).tolist() == [0.15, 0.15, 0.1]


def test_recency_halves_with_age_and_never_passes_one() -> None:
    moments = np.array([after(1), after(0), after(-30), after(-60)])
    assert recencies(moments, after(0), 30 * DAY).tolist() == [1.0, 1.0, 0.5, 0.25]


def test_preferences_and_tasks_outrank_traces_and_an_unknown_type_is_like_a_fact() -> None:
    assert min(type_priority("preference"), type_priority("task")) > type_priority("fact") > type_priority("interaction")
    assert type_priority("心得") == type_priority("fact")
