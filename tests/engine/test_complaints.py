"""What users of other memories complain about, where a memory fades, is merged, forgotten, undone or handed on: each case passes here.

Numbers are those of the list of complaints. What a module of its own already tries (2, 8, 10, 11, 13, 26, 28, 29, 74) is not repeated.
"""

from __future__ import annotations

import io

import pytest

from recall_stage import TableEmbedder
from satchel.errors import NotFound
from write_stage import ALICE, BOB, Clock, exported, opened, package, record, tombstone


def recalled(memory, question: str, scope: str = ALICE) -> list[str]:
    return [hit.record.content for hit in memory.recall(question, scope=scope, touch=False)]


def test_1_deleting_all_of_one_user_leaves_every_other_user_whole(memory):
    for number in range(5):
        memory.remember_many([f"用户 {number} 的第 {n} 件事" for n in range(20)], scope=f"user:u{number}")
    memory.working("s", scope="user:u2").save()
    before = {found.scope: found.counts for found in memory.scopes() if found.scope != "user:u1"}
    assert memory.forget(plan=memory.forget(scope="user:u1", everything=True)).count == 20
    assert {found.scope: found.counts for found in memory.scopes() if found.scope != "user:u1"} == before
    assert len(memory.sessions(scope="user:u2").sessions) == 1


def test_14_what_two_scopes_both_say_stays_in_the_one_when_it_goes_from_the_other(memory, clock):
    for scope in (ALICE, BOB):
        memory.remember("The office moves to Lyon in May", scope=scope, id="office")
        memory.remember("办公室五月搬到里昂", scope=scope)
    memory.forget("office", scope=ALICE)
    assert "The office moves to Lyon in May" not in recalled(memory, "office Lyon")
    assert "The office moves to Lyon in May" in recalled(memory, "office Lyon", BOB)
    memory.maintain()
    assert memory.read("office", scope=BOB).status == "active"


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [("I like coffee", "I don't drink coffee any more", "coffee"), ("用户喜欢喝咖啡", "用户不再喝咖啡了，改喝茶", "咖啡")],
)
def test_19_what_was_superseded_is_not_recalled_and_stands_in_the_history(memory, older, newer, question):
    memory.remember(older, scope=ALICE, id="old")
    done = memory.remember(newer, scope=ALICE, id="new")
    assert (done.outcome, done.related) == ("superseded", ("old",))
    assert recalled(memory, question) == [newer]
    entries = memory.history("old", scope=ALICE)
    assert (entries[-1].operation, entries[-1].before.content, entries[-1].after.status) == ("supersede", older, "archived")
    memory.restore("old", scope=ALICE)
    assert older in recalled(memory, question)


def test_20_what_was_merged_into_another_is_not_recalled_beside_it(memory):
    memory.import_package(package([record("她对花生过敏", id="a"), record("她对花生过敏", id="b"), record("她对花生过敏。", id="c")]))
    memory.maintain()
    hits = memory.recall("花生", scope=ALICE)
    assert len(hits) == 1
    archived = {found.id for found in memory.every_record(scope=ALICE, status="archived")}
    assert archived == {"a", "b", "c"} - {hits[0].record.id}


def test_23_feedback_and_an_update_leave_a_memory_active_and_found(memory, clock):
    memory.remember("会议室在三楼", scope=ALICE, id="room")
    memory.recall("会议室", scope=ALICE, session="s")
    memory.used(["room"], scope=ALICE, session="s")
    memory.update("room", scope=ALICE, tags=["office"], meta={"floor": 3}, score=0.7)
    memory.confirm("room", scope=ALICE)
    clock.pass_(days=1)
    memory.maintain()
    assert memory.read("room", scope=ALICE).status == "active"
    assert recalled(memory, "会议室") == ["会议室在三楼"]


@pytest.mark.parametrize("content", ["用户对青霉素过敏", "The user is allergic to penicillin"])
def test_37_how_long_a_memory_keeps_does_not_hang_on_its_language(memory, content):
    kept = memory.remember(content, scope=ALICE, type="profile").record
    assert (kept.half_life, kept.score >= 0.95) == (365 * 86_400.0, True)
    for said in ("上次聊到天气", "we talked about the weather"):
        assert memory.remember(said, scope=ALICE, type="interaction").record.half_life <= 3 * 86_400.0


def test_47_what_is_archived_or_forgotten_can_be_restored_and_forgotten_after_the_model_was_switched(tmp_path):
    with opened(tmp_path / "a.db", embedder=TableEmbedder("first")) as memory:
        memory.remember("对花生严重过敏", scope=ALICE, id="archived")
        memory.remember("喜欢龙井茶", scope=ALICE, id="gone")
        memory.update("archived", scope=ALICE, status="archived")
        memory.forget("gone", scope=ALICE)
    with opened(tmp_path / "a.db", embedder=TableEmbedder("second")) as memory:
        memory.reindex(everything=True)
        assert memory.restore("archived", scope=ALICE).status == "active"
        assert recalled(memory, "花生") == ["对花生严重过敏"]
        assert memory.forget("archived", scope=ALICE).state == "scrubbed"
        assert memory.import_package(package([record("喜欢龙井茶", id="gone")])).counts == {"blocked": 1}


def test_76_a_scope_of_hundreds_goes_in_one_call(memory):
    memory.remember_many([f"第 {n} 条" for n in range(793)], scope=ALICE)
    assert memory.forget(plan=memory.forget(scope=ALICE, everything=True)).count == 793
    assert list(memory.every_record(scope=ALICE)) == []


def test_101_what_was_deleted_is_found_by_no_door(memory):
    memory.remember("她住在温州路", scope=ALICE, id="street")
    made = memory.snapshot(scope=ALICE, name="s")
    first = exported(memory, scope=ALICE)
    memory.forget("street", scope=ALICE)
    assert recalled(memory, "温州路") == []
    assert memory.search("温州路", scope=ALICE) == []
    assert "温州路" not in memory.context("温州路", scope=ALICE)
    memory.restore(made)
    assert memory.import_package(io.BytesIO(first)).counts == {"blocked": 1}
    with pytest.raises(NotFound):
        memory.read("street", scope=ALICE)


@pytest.mark.parametrize("url", ["memory://", "sqlite:///{}/a.db", "jsonl:///{}/a.jsonl"])
def test_103_what_was_deleted_can_be_remembered_anew(tmp_path, url):
    with opened(url.format(tmp_path), clock=Clock()) as memory:
        for _ in range(3):
            done = memory.remember("她住在温州路", scope=ALICE)
            assert done.outcome == "created"
            assert recalled(memory, "温州路") == ["她住在温州路"]
            memory.forget(done.record.id, scope=ALICE)
        memory.import_package(package([tombstone("elsewhere")]))
        assert memory.remember("她住在温州路", scope=ALICE).outcome == "created"


def test_a_wrong_memory_is_corrected_and_then_forgotten_one_by_one(memory):
    memory.remember("她姓王", scope=ALICE, id="wrong")
    memory.correct("wrong", "她姓汪", scope=ALICE, new_id="right")
    memory.forget("wrong", scope=ALICE)
    assert recalled(memory, "她姓") == ["她姓汪"]
    memory.forget("right", scope=ALICE)
    assert recalled(memory, "她姓") == []
