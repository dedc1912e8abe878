"""`update`, `confirm`, `restore`, `correct`, `history`, `changes`: ENG-5, CNF-4, OBS-1, complaints A11, A17, B19, B23."""

from __future__ import annotations

import pytest

from satchel.errors import Conflict, InvalidRequest, NotFound
from write_stage import ALICE


def test_an_update_changes_what_it_names_and_nothing_else(memory, clock):
    before = memory.remember("喜欢爬山", scope=ALICE, tags=["a"], meta={"k": 1}, source={"session": "s1"}).record
    clock.pass_(hours=1)
    after = memory.update(before.id, scope=ALICE, tags=["b"], type="preference", score=0.5, pinned=True, meta={"k": 2})
    assert (after.tags, after.type, after.score, after.pinned, after.meta, after.revision) == (("b",), "preference", 0.5, True, {"k": 2}, 2)
    assert (after.content, after.scope, after.source, after.stored_at) == (before.content, before.scope, before.source, before.stored_at)
    assert after.status == "active"
    assert memory.read(before.id, scope=ALICE) == after


def test_an_update_that_changes_nothing_makes_no_revision(memory):
    before = memory.remember("x", scope=ALICE, tags=["a"]).record
    assert memory.update(before.id, scope=ALICE, tags=["a"]) == before
    assert len(memory.history(before.id, scope=ALICE)) == 1


def test_an_update_against_an_old_revision_is_a_conflict_with_both(memory):
    found = memory.remember("x", scope=ALICE).record
    memory.update(found.id, scope=ALICE, score=0.1)
    with pytest.raises(Conflict) as caught:
        memory.update(found.id, scope=ALICE, score=0.2, if_revision=1)
    assert (caught.value.details["expected"], caught.value.details["actual"]) == (1, 2)


def test_a_retried_update_against_a_revision_is_no_conflict(memory):
    found = memory.remember("x", scope=ALICE).record
    first = memory.update(found.id, scope=ALICE, score=0.2, if_revision=1)
    assert memory.update(found.id, scope=ALICE, score=0.2, if_revision=1) == first


def test_an_update_cannot_delete(memory):
    found = memory.remember("x", scope=ALICE).record
    with pytest.raises(InvalidRequest, match="forget"):
        memory.update(found.id, scope=ALICE, status="deleted")


def test_a_change_needs_an_exact_id(memory):
    memory.remember("note", scope=ALICE, id="note-1")
    for act in (
        lambda: memory.update("note", scope=ALICE, score=0.1),
        lambda: memory.correct("note-", "other", scope=ALICE),
        lambda: memory.confirm("NOTE-1", scope=ALICE),
        lambda: memory.forget("note-2", scope=ALICE),
        lambda: memory.read("note-1", scope="user:bob"),
    ):
        with pytest.raises(NotFound):
            act()


def test_confirming_makes_a_pending_memory_active_and_raises_its_score(memory):
    found = memory.remember("也许养了一只猫", scope=ALICE, score=0.4).record
    memory.update(found.id, scope=ALICE, status="pending")
    after = memory.confirm(found.id, scope=ALICE)
    assert (after.status, after.score) == ("active", pytest.approx(0.7))


def test_a_restored_memory_is_recalled_again_however_old(memory, clock):
    found = memory.remember("The spare key is with the neighbour.", scope=ALICE).record
    memory.update(found.id, scope=ALICE, status="archived")
    clock.pass_(days=900)
    assert memory.restore(found.id, scope=ALICE).status == "active"
    assert [hit.record.id for hit in memory.recall("spare key", scope=ALICE, min_strength=0.15)] == [found.id]
    revision = memory.read(found.id, scope=ALICE).revision
    assert memory.restore(found.id, scope=ALICE).revision == revision


def test_a_restored_memory_whose_time_had_run_out_has_no_end(memory, clock):
    found = memory.remember("门禁码在前台", scope=ALICE, ttl=60).record
    memory.update(found.id, scope=ALICE, status="archived")
    clock.pass_(days=1)
    assert memory.restore(found.id, scope=ALICE).expires_at is None


# ------------------------------------------------------------ correct


def test_a_correction_archives_the_wrong_and_links_both_ways(memory, clock):
    wrong = memory.remember(
        "I like coffee", scope=ALICE, tags=["drink"], source={"session": "s1", "message": "m1", "origin": "inferred"}
    ).record
    clock.pass_(days=1)
    done = memory.correct(wrong.id, "I like tea now", scope=ALICE, reason="said so")
    right = done.record
    assert (done.outcome, done.related) == ("superseded", (wrong.id,))
    assert (right.tags, right.relations.supersedes, right.created_at) == (("drink",), (wrong.id,), clock.now)
    assert (right.source.session, right.source.message, right.source.origin) == ("s1", "m1", "stated")
    old = memory.read(wrong.id, scope=ALICE)
    assert (old.status, old.relations.superseded_by, old.content) == ("archived", (right.id,), "I like coffee")
    assert [hit.record.id for hit in memory.recall("coffee or tea", scope=ALICE)] == [right.id]
    assert [entry.operation for entry in memory.history(wrong.id, scope=ALICE)] == ["remember", "correct"]


@pytest.mark.parametrize("new_id", [None, "right"])
def test_a_retried_correction_is_one_correction(memory, new_id):
    wrong = memory.remember("住在北京", scope=ALICE).record
    first = memory.correct(wrong.id, "住在上海", scope=ALICE, new_id=new_id, if_revision=1)
    again = memory.correct(wrong.id, "住在上海", scope=ALICE, new_id=new_id, if_revision=1)
    assert (again.outcome, again.record) == ("unchanged", first.record)
    assert len(memory.records(scope=ALICE).records) == 2


def test_a_correction_to_what_is_remembered_already_uses_that_record(memory):
    wrong = memory.remember("Born in May", scope=ALICE).record
    right = memory.remember("Born in June", scope=ALICE).record
    done = memory.correct(wrong.id, "Born in June", scope=ALICE)
    assert (done.record.id, done.record.relations.supersedes) == (right.id, (wrong.id,))
    assert memory.correct(wrong.id, "Born in June", scope=ALICE).outcome == "unchanged"
    assert {found.id for found in memory.records(scope=ALICE, status="active").records} == {right.id}


def test_a_correction_to_the_same_words_changes_nothing(memory):
    found = memory.remember("same", scope=ALICE).record
    assert memory.correct(found.id, "same", scope=ALICE).outcome == "unchanged"


def test_a_correction_may_not_take_the_id_of_another_memory(memory):
    wrong = memory.remember("one", scope=ALICE).record
    memory.remember("two", scope=ALICE, id="taken")
    with pytest.raises(Conflict, match="taken"):
        memory.correct(wrong.id, "three", scope=ALICE, new_id="taken")


def test_a_correction_against_an_old_revision_is_a_conflict(memory):
    wrong = memory.remember("one", scope=ALICE).record
    memory.update(wrong.id, scope=ALICE, score=0.1)
    with pytest.raises(Conflict):
        memory.correct(wrong.id, "two", scope=ALICE, if_revision=1)


def test_an_empty_correction_is_refused(memory):
    wrong = memory.remember("one", scope=ALICE).record
    with pytest.raises(InvalidRequest):
        memory.correct(wrong.id, "  ", scope=ALICE)


# ------------------------------------------------------------ history and changes


def test_history_tells_who_did_what_before_and_after(memory, clock):
    found = memory.remember("第一版", scope=ALICE, id="x").record
    clock.pass_(hours=1)
    memory.bind(agent="editor").update("x", scope=ALICE, score=0.9)
    first, second = memory.history("x", scope=ALICE)
    assert (first.operation, first.agent, first.before, first.after.score) == ("remember", "writer", None, found.score)
    assert (second.operation, second.agent, second.before.score, second.after.score, second.at) == (
        "update",
        "editor",
        found.score,
        0.9,
        clock.now,
    )


def test_history_of_what_is_forgotten_holds_no_content(memory):
    memory.remember("说过的秘密", scope=ALICE, id="x")
    memory.update("x", scope=ALICE, score=0.9)
    memory.forget("x", scope=ALICE)
    entries = memory.history("x", scope=ALICE)
    assert [entry.operation for entry in entries] == ["remember", "update", "forget"]
    assert all(entry.erased and entry.before is None for entry in entries)
    assert entries[-1].after.is_tombstone
    assert "秘密" not in repr(entries)


def test_history_of_nothing_is_not_found(memory):
    with pytest.raises(NotFound):
        memory.history("nobody", scope=ALICE)


def test_changes_are_followed_from_a_position_in_the_scopes_named(memory):
    memory.remember("a", scope=ALICE, id="a")
    start = memory.changes(scope=ALICE).position
    memory.remember("b", scope=ALICE, id="b")
    memory.remember("c", scope="user:bob", id="c")
    memory.forget("a", scope=ALICE)
    found = memory.changes(scope=ALICE, after=start)
    assert [(change.operation, change.id) for change in found.changes] == [("remember", "b"), ("forget", "a")]
    assert memory.changes(scope=ALICE, after=found.position).changes == ()
    assert memory.changes(scope=ALICE, after=found.position).position == found.position


def test_records_are_listed_in_pages_the_last_changed_first(memory, clock):
    for number in range(7):
        clock.pass_(minutes=1)
        memory.remember(f"记录 {number}", scope=ALICE, id=f"n{number}")
    page = memory.records(scope=ALICE, limit=3)
    assert [found.id for found in page.records] == ["n6", "n5", "n4"]
    assert [found.id for found in memory.records(scope=ALICE, limit=10, cursor=page.cursor).records] == ["n3", "n2", "n1", "n0"]
    assert len(list(memory.every_record(scope=ALICE))) == 7
