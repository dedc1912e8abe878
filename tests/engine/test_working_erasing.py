"""What is forgotten leaves working memory too, and no old holder or package brings it back (RET-5)."""

from __future__ import annotations

import json

import pytest

from satchel.errors import Conflict
from satchel.protocol import WorkingSnapshot
from write_stage import ALICE, BOB, START, exported, lines_of, opened, package, record

FACT = "用户的保险箱密语是紫色长颈鹿"


def everything(memory):
    return exported(memory, everything=True, working=True).decode()


def files_of(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def spelled(*words):
    return [form for word in words for form in (word.encode(), json.dumps(word)[1:-1].encode(), word.encode("utf-16-le"))]


def told(memory, session="s1"):
    """A session whose every part tells it, beside other things."""
    working = memory.working(session, scope=ALICE)
    working.slots["tmp_密语"] = FACT
    working.slots["notes"] = {"list": ["tea", f"remember: {FACT}!"], FACT: True}
    working.slots["city"] = "杭州"
    working.add_event(f"听好，{FACT}。还有，我喝茶")
    working.add_event("Noted.", role="assistant", detail={"said": FACT})
    working.add_task(FACT)
    working.add_task(f"买花，别提 {FACT}")
    working.summary = f"聊了茶。{FACT}。"
    working.save()
    return working


def test_a_forgotten_record_leaves_every_part_of_every_session_and_the_rest_stays(memory):
    told(memory)
    told(memory, "s2")
    done = memory.remember(FACT, scope=ALICE)
    memory.forget(done.record.id, scope=ALICE)
    assert "长颈鹿" not in everything(memory)
    for session in ("s1", "s2"):
        working = memory.working(session, scope=ALICE)
        assert (working.slots["city"], working.slots["notes"]["list"][0]) == ("杭州", "tea")
        assert "tmp_密语" not in working.slots
        assert "我喝茶" in working.recent_events[0]["content"] and working.recent_events[1]["content"] == "Noted."
        assert [task["content"] for task in working.task_stack] == ["买花，别提 "]
        assert working.summary.startswith("聊了茶")


def test_the_files_hold_nothing_of_it_once_it_is_scrubbed(tmp_path):
    words = spelled("紫色长颈鹿", "violet-giraffe-9041")
    with opened(tmp_path / "agent.db") as memory:
        working = told(memory)
        working.add_event("violet-giraffe-9041 紫色长颈鹿")
        working.save()
        assert [word for word in words if word in files_of(tmp_path)]
        plan = memory.forget(session="s1", scope=ALICE)
        assert plan.count == 0
        assert memory.forget(plan=plan).state == "scrubbed"
        assert not [word for word in words if word in files_of(tmp_path)]
        working = told(memory, "s2")
        done = memory.remember(FACT, scope=ALICE)
        assert memory.forget(done.record.id, scope=ALICE).state == "scrubbed"
        assert not [word for word in spelled("紫色长颈鹿") if word in files_of(tmp_path)]


def test_the_turn_slot_and_task_a_memory_came_from_go_with_it_though_they_say_it_in_other_words(memory):
    working = memory.working("s1", scope=ALICE)
    turn = working.add_event("我的保险箱密语是紫色长颈鹿")
    working.add_event("别的话")
    working.slots["密语"] = "紫色长颈鹿"
    working.promote(slot="密语", content="保险箱的密语是一种紫色的动物")
    memory.remember("用户告诉了我保险箱的密语：长颈鹿，紫色的", scope=ALICE, id="m", source={"session": "s1", "message": turn["id"]})
    memory.forget("m", scope=ALICE)
    promoted = working.snapshot.promoted["slot:密语"]
    memory.forget(promoted, scope=ALICE)
    working.reload()
    assert "长颈鹿" not in everything(memory)
    assert [event.get("content") for event in working.recent_events] == [None, "别的话"]
    assert working.slots == {} and working.snapshot.promoted == {}


def test_a_turn_that_says_it_in_the_first_person_in_another_session_goes_too(memory):
    for session in ("s1", "s2"):
        working = memory.working(session, scope=ALICE)
        working.add_event("我不吃香菜")
        working.save()
        if session == "s1":
            ended = working.end()
    memory.forget(ended.records[0], scope=ALICE)
    assert "香菜" not in everything(memory)
    assert memory.session_end("s2", scope=ALICE).written == ()
    assert memory.recall("香菜", scope=ALICE) == []


def test_what_left_the_ring_is_forgotten_too(memory):
    working = memory.working("s1", scope=ALICE)
    working.add_event("我不吃香菜")
    for _ in range(30):
        working.add_event("闲话")
    working.save()
    assert "香菜" in everything(memory)
    done = memory.remember("用户不吃香菜", scope=ALICE)
    memory.forget(done.record.id, scope=ALICE)
    assert "香菜" not in everything(memory)
    assert memory.session_end("s1", scope=ALICE).written == ()


def test_a_writer_that_still_holds_the_old_session_cannot_bring_it_back(memory):
    stale = told(memory)
    memory.remember(FACT, scope=ALICE, id="m")
    memory.forget("m", scope=ALICE)
    stale.add_event("继续聊")
    stale.slots["city"] = "上海"
    stale.save()
    assert "长颈鹿" not in everything(memory)
    assert (stale.slots["city"], stale.recent_events[-1]["content"]) == ("上海", "继续聊")
    assert "长颈鹿" not in str([stale.slots, stale.recent_events, stale.task_stack, stale.summary])


def test_a_forgotten_session_is_gone_and_its_old_holder_is_refused(memory):
    stale = told(memory)
    memory.forget(plan=memory.forget(session="s1", scope=ALICE))
    assert memory.working("s1", scope=ALICE).version == 0
    stale.add_event("继续聊")
    with pytest.raises(Conflict) as caught:
        stale.save()
    assert caught.value.details["forgotten"] is True
    assert "长颈鹿" not in everything(memory)
    new = memory.session_start("s1", scope=ALICE)
    new.slots["a"] = "新"
    new.save()
    with pytest.raises(Conflict):
        stale.save()
    assert memory.working("s1", scope=ALICE).slots == {"a": "新"}


def test_forgetting_a_session_takes_what_it_became_along(memory):
    working = memory.working("s1", scope=ALICE)
    working.add_event("我不吃香菜")
    working.end()
    plan = memory.forget(session="s1", scope=ALICE)
    assert plan.count == 1
    memory.forget(plan=plan)
    assert "香菜" not in everything(memory)


def test_forgetting_everything_of_a_scope_takes_its_sessions_and_no_others(memory):
    stale = told(memory)
    other = memory.working("s1", scope=BOB)
    other.slots["city"] = "南京"
    other.save()
    memory.remember("x", scope=ALICE)
    memory.forget(plan=memory.forget(everything=True, scope=ALICE))
    assert memory.sessions(scope=ALICE).sessions == ()
    assert memory.working("s1", scope=BOB).slots == {"city": "南京"}
    stale.summary = "again"
    with pytest.raises(Conflict):
        stale.save()
    assert memory._core.store.documents("mentions", prefix=f"{ALICE}\n") == []


@pytest.mark.parametrize("way", ["record", "session"])
def test_a_package_does_not_bring_it_back(memory, way):
    told(memory)
    memory.remember(FACT, scope=ALICE, id="m")
    carried = lines_of(exported(memory, scope=ALICE, working=True))
    if way == "record":
        memory.forget("m", scope=ALICE)
    else:
        memory.forget(plan=memory.forget(session="s1", scope=ALICE))
        memory.forget("m", scope=ALICE)
    report = memory.import_package(package(carried))
    assert "长颈鹿" not in everything(memory)
    if way == "session":
        assert [receipt.reason for receipt in report.receipts if receipt.id is None] == ["this session was forgotten here"]
        assert memory.working("s1", scope=ALICE).version == 0
    else:
        assert memory.working("s1", scope=ALICE).slots["city"] == "杭州"


def test_a_foreign_snapshot_does_not_bring_a_forgotten_content_in(memory):
    memory.remember(FACT, scope=ALICE, id="m")
    memory.forget("m", scope=ALICE)
    now = START.isoformat()
    held = {
        "slots": {"a": FACT, FACT: 1, "b": ["tea", f"茶。{FACT}。好"]},
        "recent_events": [{"role": "user", "content": f"第一句。{FACT}！第三句"}],
        "task_stack": [{"content": FACT}],
        "summary": FACT,
    }
    snapshot = WorkingSnapshot.model_validate({"session_id": "x", "scope": ALICE, "created_at": now, "updated_at": now, **held})
    memory.import_package(package([record("r"), snapshot]))
    assert "长颈鹿" not in everything(memory)
    working = memory.working("x", scope=ALICE)
    assert working.slots["b"] == ["tea", "茶。好"]
    assert working.recent_events[0]["content"] == "第一句。第三句"


def test_the_same_can_be_said_anew_afterwards(memory, clock):
    memory.remember("用户不吃香菜", scope=ALICE, id="m")
    memory.forget("m", scope=ALICE)
    clock.pass_(minutes=1)
    working = memory.session_start("s1", scope=ALICE)
    working.add_event("我不吃香菜")
    assert [done.record.content for done in working.end().written] == ["用户不吃香菜"]


def test_a_record_of_another_scope_leaves_this_one_alone(memory):
    told(memory)
    memory.remember(FACT, scope=BOB, id="m")
    memory.forget("m", scope=BOB)
    assert "长颈鹿" in everything(memory)
