"""Moments, snapshots and going back to them: OBS-1, OBS-2."""

from __future__ import annotations

import pytest

from satchel.engine.core import Principal
from satchel.engine.history.snapshots import snapshot_before
from satchel.engine.settings import Settings
from satchel.errors import Conflict, Denied, InvalidRequest, NotFound
from satchel.operations import models as m
from satchel.operations import table as t
from write_stage import ALICE, BOB, START, opened


def contents(records) -> dict[str, str]:
    return {record.id: record.content for record in records}


def test_a_moment_shows_what_was_known_then(memory, clock):
    memory.remember("她住在里昂", scope=ALICE, id="home")
    clock.pass_(days=1)
    memory.remember("她住在马赛", scope=ALICE, id="home")
    memory.remember("plays the cello", scope=ALICE, id="cello")
    clock.pass_(days=1)
    memory.update("cello", scope=ALICE, status="archived")
    assert contents(memory.as_of("2026-02-28T00:00:00Z", scope=ALICE)) == {}
    assert contents(memory.as_of(START, scope=ALICE)) == {"home": "她住在里昂"}
    then = list(memory.as_of("2026-03-02T12:00:00Z", scope=[ALICE, BOB], status="active"))
    assert contents(then) == {"cello": "plays the cello", "home": "她住在马赛"}
    assert contents(memory.as_of(clock.now, scope=ALICE, status=["archived"])) == {"cello": "plays the cello"}


def test_a_moment_is_read_in_pages(memory, clock, monkeypatch):
    memory.remember_many([{"content": f"事 {n}", "id": f"m{n:02}"} for n in range(25)], scope=ALICE)
    clock.pass_(days=1)
    for n in range(0, 25, 2):
        memory.update(f"m{n:02}", scope=ALICE, status="archived")
    monkeypatch.setattr("satchel.operations.models.MAX_LIMIT", 4)
    monkeypatch.setattr("satchel.engine.history.timetravel.PAGE", 3)
    assert [record.id for record in memory.as_of(START, scope=ALICE, status="active")] == [f"m{n:02}" for n in range(25)]
    assert [record.id for record in memory.as_of(clock.now, scope=ALICE, status="active")] == [f"m{n:02}" for n in range(1, 25, 2)]


def test_a_page_of_a_moment_reads_the_log_of_its_own_records_only(memory, clock, monkeypatch):
    memory.remember_many([{"content": f"事 {n}", "id": f"m{n:02}"} for n in range(40)], scope=ALICE)
    memory.remember_many([{"content": f"{n}", "id": f"m{n}"} for n in range(300)], scope=BOB)
    for turn in range(5):
        clock.pass_(hours=1)
        for n in range(10, 40):
            memory.update(f"m{n:02}", scope=ALICE, tags=[f"t{turn}"])
    store, read = memory.core.store, []
    changes, histories = store.changes, store.histories

    def counting(found):
        read.append(sum(map(len, found.values())) if isinstance(found, dict) else len(found))
        return found

    monkeypatch.setattr(store, "changes", lambda *given, **named: counting(changes(*given, **named)))
    monkeypatch.setattr(store, "histories", lambda *given, **named: counting(histories(*given, **named)))
    page = memory.call(t.AS_OF, m.AsOfRequest(when=START, scope=ALICE, limit=20))
    assert [record.tags for record in page.records] == [()] * 20
    assert sum(read) == 10 + 10 * 6


def test_what_is_forgotten_is_absent_at_every_moment(memory, clock):
    memory.remember("a secret wish", scope=ALICE, id="wish")
    made = memory.snapshot(scope=ALICE, name="before")
    clock.pass_(days=1)
    memory.forget("wish", scope=ALICE)
    assert list(memory.as_of(START, scope=ALICE)) == []
    assert memory.diff(made).removed == ()
    assert memory.restore(made).restored == 0
    assert memory.recall("wish", scope=ALICE) == []
    assert [entry.operation for entry in memory.history("wish", scope=ALICE)] == ["remember", "forget"]


def test_a_snapshot_is_a_position_with_a_name(memory, clock):
    memory.remember("x", scope=ALICE, id="x")
    first = memory.snapshot(scope=ALICE, name="第一", reason="to be sure")
    assert (first.name, first.scope, first.by, first.reason, first.at) == ("第一", ALICE, "writer", "to be sure", START)
    assert memory.snapshot(scope=ALICE, name="第一") == first
    clock.pass_(hours=1)
    memory.update("x", scope=ALICE, tags=["t"])
    with pytest.raises(Conflict):
        memory.snapshot(scope=ALICE, name="第一")
    unnamed = memory.snapshot(scope=ALICE)
    assert unnamed.position > first.position
    assert memory.snapshots(scope=[ALICE, BOB]) == [first, unnamed]


def test_no_snapshot_is_called_now_and_none_is_read_that_is_not_there(memory):
    with pytest.raises(InvalidRequest):
        memory.snapshot(scope=ALICE, name="now")
    for ask in (lambda: memory.diff("none", scope=ALICE), lambda: memory.restore(snapshot="none", scope=ALICE)):
        with pytest.raises(NotFound):
            ask()


def test_restoring_brings_back_content_status_and_recall_and_archives_what_came_since(memory, clock):
    memory.remember("她对花生过敏", scope=ALICE, id="allergy", type="profile")
    memory.remember("likes walking", scope=ALICE, id="walks")
    good = memory.snapshot(scope=ALICE, name="good")
    clock.pass_(days=1)
    memory.remember("nothing of the kind", scope=ALICE, id="allergy")
    memory.update("walks", scope=ALICE, status="archived")
    memory.remember("a later thing", scope=ALICE, id="later")
    done = memory.restore(good)
    assert (done.restored, done.archived, done.left) == (2, 1, ())
    assert memory.read("allergy", scope=ALICE).content == "她对花生过敏"
    assert memory.read("allergy", scope=ALICE).revision == 3
    assert [hit.record.id for hit in memory.recall("花生", scope=ALICE)] == ["allergy"]
    assert memory.read("later", scope=ALICE).status == "archived"
    assert memory.diff(good).changed == ()
    assert memory.history("allergy", scope=ALICE)[-1].reason == "back to the snapshot of 2026-03-01 08:00:00 UTC"


def test_restoring_is_undone_by_restoring_the_snapshot_it_made(memory, clock):
    memory.remember("one", scope=ALICE, id="a")
    memory.snapshot(scope=ALICE, name="s")
    memory.remember("two", scope=ALICE, id="a")
    memory.remember("三", scope=ALICE, id="b")
    before = {record.id: (record.content, record.status) for record in memory.every_record(scope=ALICE)}
    done = memory.restore(snapshot="s", scope=ALICE)
    assert done.undo is not None
    assert done.undo.automatic
    memory.restore(done.undo)
    assert {record.id: (record.content, record.status) for record in memory.every_record(scope=ALICE)} == before
    assert memory.diff(done.undo).model_dump(exclude={"cursor"}) == {"added": (), "removed": (), "changed": ()}


def test_restoring_twice_changes_nothing_the_second_time(memory):
    memory.remember("one", scope=ALICE, id="a")
    good = memory.snapshot(scope=ALICE, name="s")
    memory.remember("two", scope=ALICE, id="a")
    memory.restore(good)
    position = memory.stats(ALICE).position
    again = memory.restore(good)
    assert (again.restored, again.archived, again.undo) == (0, 0, None)
    assert memory.stats(ALICE).position == position


def test_restoring_does_not_bring_back_a_content_that_was_forgotten_elsewhere(memory):
    memory.remember("the code word is plum", scope=ALICE, id="a")
    good = memory.snapshot(scope=ALICE, name="s")
    memory.remember("the code word has changed", scope=ALICE, id="a")
    memory.remember("the code word is plum", scope=ALICE, id="b")
    memory.forget("b", scope=ALICE)
    done = memory.restore(good)
    assert (done.restored, done.left) == (0, ("a",))
    assert memory.read("a", scope=ALICE).content == "the code word has changed"


def test_a_restore_names_a_record_or_a_snapshot(memory):
    with pytest.raises(InvalidRequest):
        memory.restore()
    with pytest.raises(InvalidRequest):
        memory.restore("a", snapshot="b", scope=ALICE)


def test_large_changes_name_the_state_before_them_and_only_the_last_such_names_stay(clock):
    with opened(clock=clock, settings=Settings(automatic_snapshots=3)) as memory:
        core, who = memory.core, Principal("keeper")
        assert snapshot_before(core, who, ALICE, "nothing yet") is None
        memory.snapshot(scope=ALICE, name="mine")
        for n in range(5):
            memory.remember(f"memory {n}", scope=ALICE, id=f"m{n}")
            made = snapshot_before(core, who, ALICE, f"pass {n}")
            assert snapshot_before(core, who, ALICE, "again") == made
        assert [one.reason for one in memory.snapshots(scope=ALICE)] == [None, "pass 2", "pass 3", "pass 4"]


def test_snapshots_keep_to_the_scopes_of_the_caller(memory):
    memory.remember("x", scope=ALICE, id="x")
    memory.snapshot(scope=ALICE, name="s")
    bound = memory.bind(read=[BOB], write=[BOB])
    assert bound.snapshots(scope=[ALICE]) == []
    assert list(bound.as_of(START, scope=ALICE)) == []
    with pytest.raises(NotFound):
        bound.diff("s", scope=ALICE)
    with pytest.raises(Denied):
        bound.restore(snapshot="s", scope=ALICE)


def test_a_maintenance_pass_that_changes_something_names_the_state_before_it(memory, clock):
    memory.remember("会过期的事", scope=ALICE, id="old", ttl=60.0)
    memory.maintain(ALICE)
    assert memory.snapshots(scope=ALICE) == []
    clock.pass_(days=1)
    memory.maintain(ALICE, dry_run=True)
    assert memory.snapshots(scope=ALICE) == []
    memory.maintain(ALICE)
    (made,) = memory.snapshots(scope=ALICE)
    assert (made.reason, made.automatic) == ("maintenance", True)
    assert memory.read("old", scope=ALICE).status == "archived"
    memory.restore(made)
    assert memory.read("old", scope=ALICE).status == "active"
