"""Snapshots that move with their scope, that large changes make by themselves, and that go again: OBS-2."""

from __future__ import annotations

import pytest

from satchel.errors import Denied, NotFound
from satchel.operations import models as m
from write_stage import ALICE, BOB, opened, package, record

TEAM = "team:kitchen"


def contents(records) -> dict[str, str]:
    return {found.id: found.content for found in records}


def reasons(memory, scope=ALICE) -> list[str]:
    return [one.reason for one in memory.snapshots(scope=scope) if one.automatic]


def test_a_snapshot_moves_with_its_scope_and_still_means_the_same_state(memory):
    memory.remember("第一版食谱", scope=ALICE, id="r")
    memory.remember("the oven is broken", scope=ALICE, id="oven")
    memory.snapshot(scope=ALICE, name="spring", reason="春")
    memory.remember("第二版食谱", scope=ALICE, id="r")
    memory.update("oven", scope=ALICE, status="archived")
    memory.remember("a later thing", scope=ALICE, id="later")
    before = memory.diff("spring", scope=ALICE)
    memory.move_scope(ALICE, to=TEAM)

    assert memory.snapshots(scope=ALICE) == []
    (followed,) = memory.snapshots(scope=TEAM)
    assert (followed.name, followed.reason, followed.logs) == ("spring", "春", (ALICE,))
    found = memory.diff("spring", scope=TEAM)
    assert contents(found.added) == contents(before.added) == {"later": "a later thing"}
    assert contents(one.before for one in found.changed) == {"r": "第一版食谱", "oven": "the oven is broken"}

    done = memory.restore(followed)
    assert (done.restored, done.archived) == (2, 1)
    assert contents(memory.every_record(scope=TEAM, status="active")) == {"r": "第一版食谱", "oven": "the oven is broken"}
    memory.restore(done.undo)
    assert contents(memory.every_record(scope=TEAM, status="active")) == {"r": "第二版食谱", "later": "a later thing"}


def test_snapshots_of_both_scopes_keep_their_meaning_over_several_moves(memory):
    memory.remember("one", scope=ALICE, id="a")
    memory.snapshot(scope=ALICE, name="s")
    memory.remember("two", scope=ALICE, id="a")
    memory.remember("茶", scope=BOB, id="b")
    memory.snapshot(scope=BOB, name="s")
    memory.remember("咖啡", scope=BOB, id="b")
    memory.move_scope(ALICE, to=BOB)
    memory.remember("three", scope=BOB, id="a")
    memory.snapshot(scope=BOB, name="both")
    memory.remember("四", scope=BOB, id="b")
    memory.move_scope(BOB, to=TEAM)
    memory.remember("five", scope=TEAM, id="a")

    by_name = {one.name: one for one in memory.snapshots(scope=TEAM) if not one.automatic}
    assert {name: one.logs for name, one in by_name.items()} == {"s": (BOB,), "s-2": (ALICE, BOB), "both": (BOB,)}
    then = {name: contents(memory.diff(one, "now").applied_to({}).values()) for name, one in by_name.items()}
    assert then["both"] == then["s-2"] == {"a": "five", "b": "四"}
    assert [one.before.content for one in memory.diff("s-2", "both", scope=TEAM).changed] == ["one"]
    memory.restore(snapshot="s-2", scope=TEAM)
    # Of bob's own, it is what bob's was at that position of the log: not there yet.
    assert contents(memory.every_record(scope=TEAM, status="active")) == {"a": "one"}
    memory.restore(snapshot="both", scope=TEAM)
    assert contents(memory.every_record(scope=TEAM, status="active")) == {"a": "three", "b": "咖啡"}
    memory.restore(snapshot="s", scope=TEAM)
    assert contents(memory.every_record(scope=TEAM, status="active")) == {"b": "茶"}


def test_a_scope_that_moves_away_and_back_keeps_its_snapshots(memory):
    memory.remember("one", scope=ALICE, id="a")
    memory.snapshot(scope=ALICE, name="s")
    memory.remember("two", scope=ALICE, id="a")
    memory.move_scope(ALICE, to=TEAM)
    memory.remember("three", scope=TEAM, id="a")
    memory.move_scope(TEAM, to=ALICE)
    (change,) = memory.diff("s", scope=ALICE).changed
    assert (change.before.content, change.after.content) == ("one", "three")
    memory.restore(snapshot="s", scope=ALICE)
    assert memory.read("a", scope=ALICE).content == "one"


def test_a_moment_is_as_it_was_after_a_move(memory, clock):
    memory.remember("她住在里昂", scope=ALICE, id="home")
    clock.pass_(days=1)
    memory.remember("她住在马赛", scope=ALICE, id="home")
    then = clock.now
    clock.pass_(days=1)
    memory.move_scope(ALICE, to=TEAM)
    assert contents(memory.as_of(then, scope=TEAM)) == {"home": "她住在马赛"}
    assert contents(memory.as_of("2026-03-01T08:00:00Z", scope=TEAM)) == {"home": "她住在里昂"}


def test_a_move_into_a_scope_that_holds_something_names_the_state_before(memory):
    memory.remember("mine", scope=ALICE, id="a")
    memory.remember("yours", scope=BOB, id="b")
    moved = memory.move_scope(ALICE, to=BOB)
    assert moved.before.reason == f"move of {ALICE}"
    memory.restore(moved.before)
    assert contents(memory.every_record(scope=BOB, status="active")) == {"b": "yours"}
    assert memory.move_scope(BOB, to=TEAM).before is None


def test_an_import_names_the_state_before_it_where_it_changes_something(memory):
    memory.remember("她住在里昂", scope=ALICE, id="home")
    lines = [record("她住在马赛", id="home", at="2026-04-01T00:00:00Z"), record("new here", id="n", scope=BOB)]
    done = memory.import_package(package(lines))
    assert [(one.scope, one.reason) for one in done.before] == [(ALICE, f"import {done.import_id}")]
    assert memory.import_package(package(lines)).before == ()
    assert len(reasons(memory)) == 1
    assert memory.import_package(package([record("x", id="x")]), dry_run=True).before == ()
    memory.restore(done.before[0])
    assert memory.read("home", scope=ALICE).content == "她住在里昂"


def test_undoing_an_import_names_the_state_before_it(memory):
    memory.remember("她住在里昂", scope=ALICE, id="home")
    done = memory.import_package(package([record("她住在马赛", id="home", at="2026-04-01T00:00:00Z")]))
    undone = memory.undo_import(done.import_id)
    assert [one.reason for one in undone.before] == [f"undo of import {done.import_id}"]
    assert memory.read("home", scope=ALICE).content == "她住在里昂"
    memory.restore(undone.before[0])
    assert memory.read("home", scope=ALICE).content == "她住在马赛"


def test_moving_in_names_the_state_before_it_once(memory):
    memory.remember("here before", scope=ALICE, id="h")
    origin = m.ImportOrigin(kind="jsonl", path="old.jsonl")
    for n in range(3):
        item = m.ImportItem(item=f"line {n}", record=record(f"旧事 {n}", id=f"o{n}", source={"origin": "imported", "import_id": "imp"}))
        memory.ingest(m.IngestRequest(import_id="imp", origin=origin, items=(item,), final=n == 2))
    assert reasons(memory) == ["import imp"]


def test_maintenance_tells_how_to_go_back(memory, clock):
    memory.remember("会过期的事", scope=ALICE, id="old", ttl=60.0)
    clock.pass_(days=1)
    done = memory.maintain(ALICE)
    assert [one.reason for one in done.before] == ["maintenance"]
    assert memory.maintain(ALICE).before == ()
    memory.restore(done.before[0])
    assert memory.read("old", scope=ALICE).status == "active"


def test_a_snapshot_can_be_dropped_and_its_records_stay(memory):
    memory.remember("x", scope=ALICE, id="x")
    made = memory.snapshot(scope=ALICE, name="一")
    memory.snapshot(scope=ALICE, name="two")
    assert memory.drop_snapshot(made) == made
    assert [one.name for one in memory.snapshots(scope=ALICE)] == ["two"]
    assert memory.read("x", scope=ALICE).content == "x"
    for ask in (lambda: memory.drop_snapshot("一", scope=ALICE), lambda: memory.diff("一", scope=ALICE)):
        with pytest.raises(NotFound):
            ask()
    with pytest.raises(Denied):
        memory.bind(write=[BOB]).drop_snapshot("two", scope=ALICE)
    memory.remember("y", scope=ALICE, id="y")
    assert memory.snapshot(scope=ALICE, name="一").position > made.position


def test_forgetting_a_whole_scope_takes_its_snapshots_for_nothing_is_left_to_go_back_to(memory):
    memory.remember("x", scope=ALICE, id="x")
    memory.snapshot(scope=ALICE, name="s", reason="words of alice")
    memory.snapshot(scope=BOB, name="s")
    memory.forget(plan=memory.forget(scope=ALICE, everything=True))
    assert memory.snapshots(scope=[ALICE, BOB]) == memory.snapshots(scope=BOB) != []


def test_what_is_forgotten_leaves_the_words_of_snapshots_too(memory):
    memory.remember("她对花生过敏", scope=ALICE, id="a")
    memory.snapshot(scope=ALICE, name="kept", reason="记下：她对花生过敏")
    memory.snapshot(scope=ALICE, name="她对花生过敏 之前")
    memory.forget("a", scope=ALICE)
    assert [(one.name, one.reason) for one in memory.snapshots(scope=ALICE)] == [("kept", None)]


def test_what_moves_is_as_large_as_its_log_and_no_snapshot_means_nothing_more_is_kept(clock):
    with opened(clock=clock) as memory:
        memory.remember("x", scope=ALICE, id="x")
        memory.move_scope(ALICE, to=TEAM)
        assert memory.core.store.documents("arrivals") == []
        memory.snapshot(scope=TEAM, name="s")
        memory.remember("y", scope=TEAM, id="y")
        memory.move_scope(TEAM, to=ALICE)
        (kept,) = memory.core.store.documents("arrivals")
        assert {entry[0] for entry in kept.value["entries"]} == {"x"}
