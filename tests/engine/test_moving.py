"""`move_scope`: ENG-5."""

from __future__ import annotations

import pytest

from satchel.errors import InvalidRequest, NotFound
from write_stage import ALICE, BOB, exported, package, record, states

TEAM = "team:kitchen"


def test_records_move_with_their_history_and_usage(memory, clock):
    memory.remember("第一版 recipe", scope=ALICE, id="r")
    clock.pass_(hours=1)
    memory.bind(agent="editor").remember("第二版 recipe", scope=ALICE, id="r")
    memory.update("r", scope=ALICE, tags=["t"])
    memory.recall("recipe", scope=ALICE)
    before = memory.history("r", scope=ALICE)
    moved = memory.move_scope(ALICE, to=TEAM)
    assert (moved.moved, moved.left) == (1, ())
    with pytest.raises(NotFound):
        memory.read("r", scope=ALICE)
    found = memory.read("r", scope=TEAM)
    assert (found.content, found.tags, found.scope, found.revision) == ("第二版 recipe", ("t",), TEAM, 4)
    after = memory.history("r", scope=TEAM)
    told = [(entry.operation, entry.agent, entry.at, entry.after and entry.after.content) for entry in after]
    assert told[:-1] == [(entry.operation, entry.agent, entry.at, entry.after and entry.after.content) for entry in before]
    assert (told[-1][0], after[-1].reason) == ("move_scope", f"from {ALICE}")
    assert [hit.record.id for hit in memory.recall("recipe", scope=TEAM)] == ["r"]
    assert memory.recall("recipe", scope=ALICE) == []
    assert [found.scope for found in memory.scopes()] == [TEAM]


def test_usage_moves_along(memory):
    memory.import_package(package([record("used", usage={"last_access_at": "2026-01-01T00:00:00Z", "access_count": 4})]))
    memory.move_scope(ALICE, to=TEAM)
    assert memory.read("r1", scope=TEAM).usage.access_count == 4


def test_what_the_target_holds_under_the_same_id_is_left_and_named(memory):
    memory.remember("mine", scope=ALICE, id="x")
    memory.remember("same", scope=ALICE, id="y")
    memory.remember("forgotten there", scope=ALICE, id="z")
    memory.remember("yours", scope=BOB, id="x")
    memory.remember("same", scope=BOB, id="y")
    memory.remember("forgotten there", scope=BOB, id="z")
    memory.forget("z", scope=BOB)
    moved = memory.move_scope(ALICE, to=BOB)
    assert (moved.moved, moved.left) == (1, ("x", "z"))
    assert (memory.read("x", scope=ALICE).content, memory.read("x", scope=BOB).content) == ("mine", "yours")
    assert memory.read_record("z", scope=BOB).is_tombstone


def test_what_was_forgotten_stays_forgotten_in_the_new_scope(memory):
    memory.remember("不许再提", scope=ALICE, id="x", meta={"native_id": "m-1"})
    memory.forget("x", scope=ALICE)
    memory.move_scope(ALICE, to=TEAM)
    arriving = [
        record("不许再提", id="other", scope=TEAM),
        record("reworded", id="m-1", scope=TEAM),
        record("不许再提", id="x", scope=TEAM),
    ]
    assert memory.import_package(package(arriving)).counts == {"blocked": 3}


def test_a_retry_of_a_repetition_is_none_after_the_move(memory):
    memory.remember("said", scope=ALICE, id="a")
    memory.remember("said", scope=ALICE, id="b")
    memory.move_scope(ALICE, to=TEAM)
    assert memory.remember("said", scope=TEAM, id="b").outcome == "unchanged"


def test_more_than_a_page_moves(memory):
    memory.remember_many([{"content": f"第 {n} 条", "id": f"{n}"} for n in range(450)], scope=ALICE)
    before = states(memory)
    assert memory.move_scope(ALICE, to=TEAM).moved == 450
    assert {record_id: state | {"scope": ALICE} for record_id, state in states(memory, TEAM).items()} == before
    assert exported(memory, scope=ALICE).count(b'"kind":"record"') == 0


def test_a_scope_does_not_move_onto_itself(memory):
    with pytest.raises(InvalidRequest):
        memory.move_scope(ALICE, to=ALICE)


def test_moving_nothing_moves_nothing(memory):
    assert memory.move_scope(ALICE, to=BOB).moved == 0
