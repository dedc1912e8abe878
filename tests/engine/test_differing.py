"""Differences between snapshots and between packages: OBS-2."""

from __future__ import annotations

import io
import random

import pytest

from satchel.engine.history.differing import diff_packages
from satchel.errors import InvalidRequest
from satchel.operations import models as m
from satchel.operations import table as t
from write_stage import ALICE, exported, opened, package, record, tombstone

WORDS = ["她喜欢喝茶", "plays the viola", "住在里昂", "hates early calls", "周三开会"]


def said(records) -> dict[str, object]:
    own = {"usage", "revision", "updated_at", "stored_at"}
    return {one.id: one.model_dump(exclude=own) for one in records}


def wander(memory, chance: random.Random) -> None:
    """Make one change of some kind."""
    record_id = f"m{chance.randrange(20)}"
    kind = chance.randrange(5)
    if record_id in {one.id for one in memory.every_record(scope=ALICE, status="deleted")}:
        return
    known = {one.id for one in memory.every_record(scope=ALICE)}
    if kind == 0 or record_id not in known:
        memory.write_record(record(f"{chance.choice(WORDS)} {chance.randrange(99)}", id=record_id, at=memory.core.now()))
    elif kind == 1:
        memory.update(record_id, scope=ALICE, status=chance.choice(["active", "archived", "pending"]))
    elif kind == 2:
        memory.update(record_id, scope=ALICE, tags=[chance.choice("ab")], pinned=chance.random() < 0.5)
    elif kind == 3:
        memory.forget(record_id, scope=ALICE)
    else:
        memory.confirm(record_id, scope=ALICE)


@pytest.mark.parametrize("seed", range(6))
def test_the_difference_of_two_snapshots_applied_to_the_first_is_the_second(clock, seed):
    chance = random.Random(seed)
    with opened(clock=clock) as memory:
        moments = []
        for number in range(5):
            for _ in range(30):
                clock.pass_(minutes=1)
                wander(memory, chance)
            moments.append((memory.snapshot(scope=ALICE, name=f"s{number}"), clock.now))
        states = [{(one.scope, one.id): one for one in memory.as_of(when, scope=ALICE)} for _, when in moments]
        for a in range(5):
            for b in range(5):
                found = memory.diff(moments[a][0], moments[b][0])
                assert said(found.applied_to(states[a]).values()) == said(states[b].values())


def test_a_difference_says_what_came_went_and_changed(memory):
    memory.remember("她喜欢茶", scope=ALICE, id="tea")
    memory.snapshot(scope=ALICE, name="a")
    memory.remember("likes coffee now", scope=ALICE, id="coffee")
    memory.update("tea", scope=ALICE, tags=["drink"])
    memory.snapshot(scope=ALICE, name="b")
    found = memory.diff("a", "b", scope=ALICE)
    assert [one.id for one in found.added] == ["coffee"]
    assert [(one.before.tags, one.after.tags) for one in found.changed] == [((), ("drink",))]
    back = memory.diff("b", "a", scope=ALICE)
    assert [one.id for one in back.removed] == ["coffee"]
    assert memory.diff("b", scope=ALICE) == memory.diff("b", "b", scope=ALICE) == m.Diff()


def test_use_alone_is_no_difference(memory):
    memory.remember("plays the viola", scope=ALICE, id="v")
    made = memory.snapshot(scope=ALICE, name="a")
    memory.recall("viola", scope=ALICE)
    memory.update("v", scope=ALICE, pinned=True)
    memory.update("v", scope=ALICE, pinned=False)
    assert memory.diff(made) == m.Diff()


def test_pages_of_a_difference_are_of_the_same_two_states(memory):
    made = memory.snapshot(scope=ALICE, name="a")
    memory.remember_many([{"content": f"事 {n}", "id": f"m{n}"} for n in range(5)], scope=ALICE)
    page = memory.call(t.DIFF, m.DiffRequest(scope=ALICE, a=made.name, limit=2))
    found = list(page.added)
    memory.remember("later", scope=ALICE, id="m9")
    while page.cursor:
        page = memory.call(t.DIFF, m.DiffRequest(scope=ALICE, a=made.name, limit=2, cursor=page.cursor))
        found += page.added
    assert [one.id for one in found] == [f"m{n}" for n in range(5)]
    with pytest.raises(InvalidRequest):
        memory.call(t.DIFF, m.DiffRequest(scope=ALICE, a=made.name, cursor="x"))


def test_two_packages_are_compared_whatever_their_order(memory):
    a = package([tombstone("t"), record("一", id="one"), record("two", id="two"), record("three", id="three")])
    b = package([record("three", id="three"), record("二", id="two"), record("t", id="t")])
    found = diff_packages(a, b)
    assert [one.id for one in found.added] == ["t"]
    assert [one.id for one in found.removed] == ["one"]
    assert [(one.before.content, one.after.content) for one in found.changed] == [("two", "二")]


def test_a_package_and_its_import_do_not_differ(memory, clock):
    memory.remember("她住在里昂", scope=ALICE, id="home", tags=["place"])
    first = exported(memory)
    clock.pass_(days=1)
    with opened(clock=clock) as other:
        other.import_package(io.BytesIO(first))
        assert diff_packages(io.BytesIO(first), io.BytesIO(exported(other))) == m.Diff()
