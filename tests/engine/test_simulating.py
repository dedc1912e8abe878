"""The simulation (RET-8) foretells what a pass a day does, and touches nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.engine.retention.scoring import strength
from satchel.errors import InvalidRequest
from write_stage import ALICE, BOB, START, Clock, opened, package, record

DAY = 86_400.0


def fill(memory) -> None:
    memory.import_package(
        package(
            [
                record("用户对花生过敏", id="allergy", type="profile", retention="permanent", score=0.95, half_life=365 * DAY),
                record("等车时聊到天气", id="trace", type="interaction", score=0.3, half_life=2 * DAY),
                record("The office moved to Elm Street", id="fact", score=0.7, half_life=60 * DAY),
                record("把合同寄给李律师", id="duty", type="task", score=0.5, half_life=7 * DAY, due_at=START),
                record("今日口令是枫叶", id="code", score=0.7, half_life=60 * DAY, expires_at=START + timedelta(days=3)),
                record("用户在学吉他", id="old", status="archived"),
                record("用户用左手写字", id="pinned", score=0.2, half_life=DAY, pinned=True),
            ]
        )
    )


def test_each_record_is_told_the_day_it_would_be_archived_and_why(memory) -> None:
    fill(memory)
    found = memory.simulate(days=365)
    assert (found.count, found.archived, found.days[0], found.days[-1]) == (6, 3, 0, 365)
    told = {one.id: one for one in found.records}
    assert list(told)[:3] == ["code", "trace", "fact"]
    assert told["code"].archived_at == START + timedelta(days=3)
    assert told["code"].reason == "expired"
    assert told["trace"].reason.startswith("faded")
    assert told["fact"].reason.startswith("faint")
    assert [told[id].archived_at for id in ("allergy", "duty", "pinned")] == [None] * 3
    assert "old" not in told
    assert told["fact"].faint_at == START + timedelta(days=134)
    assert found.reasons == {"expired": 1, "faded": 1, "faint": 1}


def test_curves_are_the_strengths_of_the_days(memory) -> None:
    fill(memory)
    found = memory.simulate(ALICE, days=30)
    held = memory.read("fact", scope=ALICE)
    curve = next(one.curve for one in found.records if one.id == "fact")
    for day, value in zip(found.days, curve, strict=True):
        assert value == pytest.approx(strength(held, (START + timedelta(days=day)).timestamp(), memory.core.settings), abs=1e-6)
    assert found.active[0] == 6
    assert found.mean[0] == pytest.approx(sum(one.curve[0] for one in found.records) / 6, abs=1e-5)
    assert all(len(some) == len(found.days) for some in (found.active, found.faint, found.mean, found.low, found.high))


def test_nothing_is_touched(memory) -> None:
    fill(memory)
    before, position = list(memory.every_record(scope=ALICE)), memory.changes(scope=ALICE).position
    memory.simulate(days=3650)
    assert list(memory.every_record(scope=ALICE)) == before
    assert memory.changes(scope=ALICE, after=position).changes == ()


def test_another_policy_can_be_tried(memory) -> None:
    fill(memory)
    assert memory.simulate(days=100).archived == 2
    assert memory.simulate(days=100, settings={"half_life_by_type": {"fact": 5 * DAY}}).archived == 3
    assert memory.simulate(days=100, settings={"retention_preset": "types"}).archived == 3
    found = memory.simulate(days=1, settings={"ceiling": 4})
    assert found.reasons == {"beyond": 2}
    assert found.active == (4, 4)
    assert memory.simulate(days=100, settings={"on_expiry": "demote"}).reasons == {"faded": 1, "faint": 1}
    assert memory.core.settings.ceiling is None


def test_a_setting_that_cannot_be_is_refused_by_name(memory) -> None:
    with pytest.raises(InvalidRequest, match="half_lives"):
        memory.simulate(settings={"half_lives": 3})
    with pytest.raises(InvalidRequest, match="days"):
        memory.simulate(days=0)


def test_only_scopes_that_the_caller_may_read_are_simulated(memory) -> None:
    fill(memory)
    memory.remember("Bob's own", scope=BOB)
    assert memory.simulate().count == 7
    assert memory.bind(read=[BOB]).simulate().count == 1
    assert memory.bind(read=[BOB]).simulate(ALICE).count == 0
    assert memory.simulate("user:nobody").active == (0,) * 91


def test_long_futures_are_told_in_few_points_that_include_the_last_day(memory) -> None:
    fill(memory)
    found = memory.simulate(days=1000, limit=0)
    assert len(found.days) <= 180
    assert found.days[-1] == 1000
    assert found.records == ()
    assert found.archived == 3


def test_it_starts_from_the_usage_that_is_not_written_yet(memory, clock) -> None:
    fill(memory)
    clock.pass_(days=20)
    assert memory.recall("Elm Street office", scope=ALICE)
    curve = next(one.curve for one in memory.simulate(days=1).records if one.id == "fact")
    assert curve[0] == pytest.approx(0.72)


_records = st.lists(
    st.tuples(
        st.floats(0.05, 1.0), st.floats(0.5, 40.0), st.sampled_from(["fact", "task", "interaction"]), st.booleans(), st.integers(0, 60)
    ),
    min_size=1,
    max_size=10,
)


@settings(max_examples=25, deadline=None)
@given(given_records=_records, ceiling=st.integers(3, 12))
def test_a_pass_a_day_archives_what_the_simulation_said_on_the_day_it_said(given_records, ceiling) -> None:
    clock = Clock()
    with opened(clock=clock, settings={"ceiling": ceiling, "consolidate": False, "compare": False}) as memory:
        memory.import_package(
            package(
                record(
                    f"memory {number}",
                    id=f"m{number}",
                    score=round(score, 3),
                    half_life=half_life * DAY,
                    type=kind,
                    pinned=pinned and number % 3 == 0,
                    expires_at=START + timedelta(days=lives) if lives and number % 2 else None,
                )
                for number, (score, half_life, kind, pinned, lives) in enumerate(given_records)
            )
        )
        foretold = {one.id: one.archived_at for one in memory.simulate(days=60).records}
        happened = dict.fromkeys(foretold)
        for day in range(61):
            clock.now = START + timedelta(days=day)
            happened |= {action.id: clock.now for action in memory.maintain().actions}
        assert happened == foretold


@pytest.mark.parametrize("half_life", [0, -1, float("inf")])
def test_a_half_life_that_is_none_is_refused(memory, half_life):
    with pytest.raises(InvalidRequest):
        memory.simulate(ALICE, settings={"half_life_by_type": {"fact": half_life}})
