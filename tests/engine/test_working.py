"""Working memory: whole in every process, saved by merging, never silently overwritten (WRK-1 to WRK-3)."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.errors import Conflict, Denied, InvalidRequest, NotFound
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.protocol.working import MAX_SNAPSHOT_BYTES
from write_stage import ALICE, BOB, Clock, exported, lines_of, opened, package, record

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def begun(memory, session="s1", scope=ALICE):
    """A session with something of each kind in it."""
    working = memory.working(session, scope=scope)
    working.slots["城市"] = "杭州"
    working.slots["plan"] = {"nights": 2, "rooms": ["A", None]}
    working.add_event("帮我订酒店", role="user")
    working.add_event("Which nights?", role="assistant", tokens=12)
    working.add_task("订酒店", due_at="2026-03-03T00:00:00Z")
    working.summary = "在订杭州的酒店"
    working.save()
    return working


def held(working):
    return (dict(working.slots), working.recent_events, working.task_stack, working.summary)


# ------------------------------------------------------------ whole, elsewhere


def test_nothing_is_written_before_it_is_saved(memory):
    working = memory.working("s1", scope=ALICE)
    working.slots["a"] = 1
    assert (working.version, working.resumed) == (0, False)
    with pytest.raises(NotFound):
        working.reload()


def test_another_agent_goes_on_with_the_whole_session(memory):
    first = begun(memory)
    second = memory.bind(agent="第二个").working("s1", scope=ALICE)
    assert held(second) == held(first)
    assert (second.version, second.resumed, second.snapshot.agent_id) == (1, True, "writer")
    second.add_event("两晚")
    second.save()
    assert second.snapshot.agent_id == "第二个"
    first.reload()
    assert [event["content"] for event in first.recent_events] == ["帮我订酒店", "Which nights?", "两晚"]


def test_another_process_goes_on_with_the_whole_session(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        first = begun(memory)
        whole = [first.slots, first.recent_events, first.task_stack, first.summary, "writer"]
    code = (
        "import sys, json; from satchel import open_memory\n"
        "m = open_memory(sys.argv[1], agent='other', embedder='none')\n"
        "w = m.working('s1', scope='user:alice')\n"
        "print(json.dumps([w.slots, w.recent_events, w.task_stack, w.summary, w.snapshot.agent_id], default=str))\n"
        "w.slots['nights'] = 'two'; w.save(); m.close()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "agent.db")], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == json.loads(json.dumps(whole, default=str))
    with opened(tmp_path / "agent.db") as memory:
        found = memory.working("s1", scope=ALICE)
        assert (found.slots["nights"], found.snapshot.agent_id) == ("two", "other")


def test_sessions_of_two_scopes_do_not_see_each_other(memory):
    begun(memory)
    assert memory.working("s1", scope=BOB).slots == {}


def test_what_a_caller_may_not_read_looks_absent_and_is_not_written(memory):
    begun(memory)
    bound = memory.bind(agent="helper", read=[BOB], write=[BOB])
    assert bound.working("s1", scope=ALICE).slots == {}
    working = bound.working("s1", scope=ALICE)
    working.slots["a"] = 1
    with pytest.raises(Denied):
        working.save()
    only_writes = memory.bind(agent="helper", read=[], write=[ALICE]).working("s2", scope=ALICE)
    only_writes.slots["a"] = 1
    with pytest.raises(NotFound):
        only_writes.save()


# ------------------------------------------------------------ what is kept


def test_the_last_turns_are_kept_and_those_that_left_are_told(memory):
    working = memory.working("s1", scope=ALICE)
    for place in range(25):
        working.add_event(f"第 {place} 句")
    saved = working.save()
    assert [event["content"] for event in working.recent_events] == [f"第 {place} 句" for place in range(5, 25)]
    assert [event.text for event in saved.dropped] == [f"第 {place} 句" for place in range(5)]


def test_the_length_of_the_ring_is_a_setting():
    with opened(settings={"recent_events": 3}) as memory:
        working = memory.working("s1", scope=ALICE)
        for place in range(5):
            working.add_event(str(place))
        working.save()
        assert [event["content"] for event in working.recent_events] == ["2", "3", "4"]


def test_the_same_save_again_writes_nothing(memory):
    working = begun(memory)
    assert working.save().snapshot.version == 1
    assert not working.is_changed


def test_saving_without_a_change_keeps_a_session_from_being_let_go(memory, clock):
    working = begun(memory)
    clock.pass_(days=5)
    working.save()
    clock.pass_(days=5)
    assert memory.working("s1", scope=ALICE).slots["城市"] == "杭州"


def test_turns_that_came_without_ids_get_the_same_ids_in_a_retry_and_stay_two_where_they_are_two(memory):
    snapshot = {"recent_events": [{"role": "user", "content": "好的"}, {"role": "user", "content": "好的"}]}
    request = m.SaveWorkingRequest(session="s1", scope=ALICE, snapshot=snapshot)
    first = memory.call(t.SAVE_WORKING, request).snapshot
    again = memory.call(t.SAVE_WORKING, request).snapshot
    assert (len({event.id for event in first.recent_events}), again) == (2, first)


def test_turns_stand_in_the_order_they_were_given_whatever_their_clocks_say(memory):
    given = [
        {"id": "a", "at": "2026-03-01T07:00:00Z"},
        {"id": "b", "at": "2026-03-01T06:00:00Z"},
        {"id": "c", "at": "2030-01-01T00:00:00Z"},
    ]
    request = m.SaveWorkingRequest(session="s1", scope=ALICE, snapshot={"recent_events": given})
    turns = memory.call(t.SAVE_WORKING, request).snapshot.recent_events
    assert [turn.id for turn in turns] == ["a", "b", "c"]
    times = [turn.at for turn in turns]
    assert times == sorted(set(times)) and times[-1] <= memory._core.now()


def test_no_framework_object_gets_in_and_the_path_is_named(memory):
    class HumanMessage:
        content = "hello"

    working = begun(memory)
    working.slots["last"] = {"messages": [HumanMessage()]}
    with pytest.raises(InvalidRequest) as caught:
        working.save()
    assert [fault["field"] for fault in caught.value.details["faults"]] == ["slots.last.messages.0"]
    assert "HumanMessage" in caught.value.message
    assert memory.working("s1", scope=ALICE).version == 1


def test_a_credential_is_taken_out_and_said_so(memory):
    working = memory.working("s1", scope=ALICE)
    working.slots["password"] = "hunter2-xyz-9"
    working.add_event(f"我的令牌是 {KEY}，别说出去")
    saved = working.save()
    assert sorted(saved.masked) == ["recent_events.0", "slots.password"]
    data = exported(memory, everything=True, working=True).decode()
    assert KEY not in data and "hunter2" not in data
    assert "别说出去" in working.recent_events[0]["content"]


def test_a_snapshot_that_no_package_could_hold_is_refused(memory):
    working = memory.working("s1", scope=ALICE)
    for _ in range(6):
        working.add_event("长" * (MAX_SNAPSHOT_BYTES // 15))
    with pytest.raises(InvalidRequest, match="summary instead"):
        working.save()


def test_what_a_later_version_adds_is_kept(memory):
    snapshot = {"slots": {"a": 1}, "mood": "好", "recent_events": [{"id": "1", "reaction": "👍"}]}
    memory.call(t.SAVE_WORKING, m.SaveWorkingRequest(session="s1", scope=ALICE, snapshot=snapshot))
    working = memory.working("s1", scope=ALICE)
    working.slots["a"] = 2
    working.save()
    told = memory.working("s1", scope=ALICE).snapshot
    assert told.__pydantic_extra__ == {"mood": "好"} and told.recent_events[0].said() == {"reaction": "👍"}


# ------------------------------------------------------------ two writers


def test_two_writers_that_change_different_things_lose_nothing(memory):
    first = begun(memory)
    second = memory.working("s1", scope=ALICE)
    first.slots["城市"] = "上海"
    first.add_event("去上海吧")
    first.task_stack[0]["status"] = "done"
    second.slots["budget"] = "800 a night"
    second.add_event("at most 800")
    second.task_stack[0]["note"] = "要安静"
    second.summary = "预算 800"
    assert not second.save().merged
    saved = first.save()
    assert saved.merged and saved.replaced == ()
    assert first.slots == {"城市": "上海", "plan": {"nights": 2, "rooms": ["A", None]}, "budget": "800 a night"}
    assert {event["content"] for event in first.recent_events} >= {"去上海吧", "at most 800"}
    assert (first.task_stack[0]["status"], first.task_stack[0]["note"], first.summary) == ("done", "要安静", "预算 800")
    second.reload()
    assert held(second) == held(first)


def test_of_a_slot_both_set_the_newer_stands_and_the_report_has_the_older(memory, clock):
    first, second = begun(memory), memory.working("s1", scope=ALICE)
    clock.pass_(minutes=1)
    first.slots["城市"] = "上海"
    clock.pass_(minutes=1)
    second.slots["城市"] = "Berlin"
    second.save()
    clock.pass_(minutes=1)
    saved = first.save()
    assert first.slots["城市"] == "Berlin"
    (told,) = saved.replaced
    assert (told.key, told.ours, told.theirs, told.kept) == ("城市", "上海", "Berlin", "theirs")


def test_a_task_both_changed_otherwise_is_a_conflict_with_both_sides_and_nothing_is_saved(memory):
    first, second = begun(memory), memory.working("s1", scope=ALICE)
    second.task_stack[0]["content"] = "订民宿"
    second.slots["who"] = "二"
    second.save()
    first.task_stack[0]["content"] = "book a hostel"
    first.add_event("hostel then")
    with pytest.raises(Conflict) as caught:
        first.save()
    (told,) = caught.value.details["conflicts"]
    assert (told["kind"], told["members"], told["ours"]["content"], told["theirs"]["content"]) == (
        "task", ["content"], "book a hostel", "订民宿",
    )  # fmt: skip
    assert (caught.value.details["expected"], caught.value.details["actual"]) == (1, 2)
    assert memory.working("s1", scope=ALICE).version == 2
    saved = first.save(keep="theirs")
    assert first.task_stack[0]["content"] == "订民宿"
    assert [found.kept for found in saved.replaced] == ["theirs"]
    assert first.slots["who"] == "二" and first.recent_events[-1]["content"] == "hostel then"


def test_without_what_it_began_from_a_save_over_a_newer_version_is_a_conflict(memory):
    begun(memory)
    for version in (0, 7):
        with pytest.raises(Conflict) as caught:
            memory.call(t.SAVE_WORKING, m.SaveWorkingRequest(session="s1", scope=ALICE, snapshot={"slots": {"a": 1}, "version": version}))
        assert (caught.value.details["actual"], caught.value.details["mergeable"]) == (1, True)
        assert caught.value.details["theirs"]["slots"]["城市"] == "杭州"


def test_two_that_begin_one_session_at_once_are_merged(memory):
    first, second = memory.working("s1", scope=ALICE), memory.working("s1", scope=ALICE)
    first.slots["a"] = "一"
    second.slots["b"] = "two"
    first.save()
    assert second.save().merged
    assert second.slots == {"a": "一", "b": "two"}


def test_a_removed_slot_and_a_popped_task_stay_away_for_the_other_writer(memory):
    first, second = begun(memory), memory.working("s1", scope=ALICE)
    del first.slots["城市"]
    first.task_stack.pop()
    first.save()
    second.add_event("还在吗")
    second.save()
    assert "城市" not in second.slots and second.task_stack == []


def test_many_threads_at_one_session_lose_nothing(tmp_path):
    with opened(tmp_path / "agent.db", settings={"recent_events": 1000}) as memory:
        errors = []

        def work(place: int) -> None:
            try:
                for turn in range(8):
                    working = memory.working("s1", scope=ALICE)
                    working.slots[f"k{place}-{turn}"] = f"值 {turn}"
                    working.add_event(f"{place}-{turn}")
                    working.add_task(f"任务 {place}-{turn}")
                    working.save()
            except Exception as error:  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        working = memory.working("s1", scope=ALICE)
        assert len(working.slots) == len(working.recent_events) == len(working.task_stack) == 32


class Writer:
    """One of two writers of a session, and what it has written so far."""

    def __init__(self, memory, name):
        self.name, self.memory = name, memory
        self.working = memory.working("s", scope=ALICE)
        self.count = 0
        self.wrote, self.told = set(), set()

    def set_slot(self, key):
        self.count += 1
        value = f"{self.name}{self.count}"
        self.working.slots[key] = value
        self.wrote.add(("slot", key, value))

    def say(self):
        self.count += 1
        event = self.working.add_event(f"{self.name}{self.count}")
        self.wrote.add(("event", event["id"], event["content"]))

    def push(self):
        self.count += 1
        task = self.working.add_task(f"{self.name}{self.count}")
        self.wrote.add(("task", task["id"], task["content"]))

    def edit(self, place):
        if self.working.task_stack:
            task = self.working.task_stack[place % len(self.working.task_stack)]
            self.count += 1
            self.wrote.discard(("task", task["id"], task["content"]))
            task["content"] = f"{self.name}{self.count}"
            self.wrote.add(("task", task["id"], task["content"]))

    def sum_up(self):
        self.count += 1
        self.working.summary = f"{self.name}{self.count}"
        self.wrote.add(("summary", "summary", self.working.summary))

    def save(self):
        try:
            saved = self.working.save()
        except Conflict as error:
            for found in error.details["conflicts"]:
                self.note(found)
            saved = self.working.save(keep="ours")
        for found in saved.replaced:
            self.note(found.model_dump(mode="json"))
        for event in saved.dropped:
            self.told.add(("event", event.id, event.text))

    def note(self, found):
        for side in (found["ours"], found["theirs"]):
            self.told.add((found["kind"], found["key"], side["content"] if isinstance(side, dict) else side))


steps = st.lists(
    st.tuples(
        st.booleans(),
        st.one_of(
            st.sampled_from([("save",), ("say",), ("push",), ("sum_up",)]),
            st.tuples(st.just("set_slot"), st.sampled_from(["城市", "diet"])),
            st.tuples(st.just("edit"), st.integers(0, 3)),
        ),
        st.integers(0, 90),
    ),
    max_size=30,
)


@settings(max_examples=120, deadline=None)
@given(steps)
def test_no_interleaving_of_two_writers_loses_a_slot_a_turn_or_a_task_unless_it_is_reported(script):
    clock = Clock()
    with opened(clock=clock, settings={"recent_events": 6, "promote_after": 0}) as memory:
        writers = (Writer(memory, "甲"), Writer(memory, "b"))
        history = []
        for which, (verb, *arguments), seconds in script:
            clock.pass_(seconds=seconds)
            getattr(writers[which], verb)(*arguments)
            history.append((which, verb))
        for writer in writers:
            writer.save()
        final = memory.working("s", scope=ALICE)
        standing = {("slot", key, value) for key, value in final.slots.items()}
        standing |= {("event", event["id"], event["content"]) for event in final.recent_events}
        standing |= {("task", task["id"], task["content"]) for task in final.task_stack}
        told = writers[0].told | writers[1].told
        for writer in writers:
            keys = {key for kind, key, _ in writer.wrote if kind == "slot"}
            assert keys <= set(final.slots), "a slot's key is gone"
            for kind, key, value in writer.wrote:
                if kind in {"event", "task"}:
                    lost = (kind, key, value) not in standing | told
                    replaced_by_own = kind == "task" and any(one[:2] == (kind, key) for one in standing)
                    assert not lost or replaced_by_own, (kind, key, value)


# ------------------------------------------------------------ packages and scopes


def test_a_package_carries_working_memory_only_when_asked(memory, clock):
    begun(memory)
    memory.remember("一条记忆", scope=ALICE)
    assert len(lines_of(exported(memory, scope=ALICE))) == 1
    carried = exported(memory, scope=ALICE, working=True)
    with opened(clock=clock) as other:
        other.import_package(package(lines_of(carried)))
        assert held(other.working("s1", scope=ALICE)) == held(memory.working("s1", scope=ALICE))
        before = exported(other, everything=True, working=True)
        other.import_package(package(lines_of(carried)))
        assert exported(other, everything=True, working=True).splitlines()[1:-1] == before.splitlines()[1:-1]
    assert lines_of(exported(memory, scope=BOB, working=True)) == []


def test_an_imported_session_is_merged_with_the_one_that_went_on_here(memory, clock):
    begun(memory)
    carried = lines_of(exported(memory, scope=ALICE, working=True))
    with opened(clock=clock) as other:
        other.import_package(package(carried))
        there = other.working("s1", scope=ALICE)
        clock.pass_(hours=1)
        there.slots["城市"] = "南京"
        there.add_event("改去南京")
        there.save()
        here = memory.working("s1", scope=ALICE)
        here.slots["who"] = "两个人"
        here.add_event("two of us")
        here.save()
        memory.import_package(package(lines_of(exported(other, scope=ALICE, working=True))))
    merged = memory.working("s1", scope=ALICE)
    assert (merged.slots["城市"], merged.slots["who"]) == ("南京", "两个人")
    assert [event["content"] for event in merged.recent_events][2:] in (["改去南京", "two of us"], ["two of us", "改去南京"])
    memory.import_package(package(carried))
    assert held(memory.working("s1", scope=ALICE)) == held(merged)


def test_a_session_goes_with_its_scope_into_another(memory):
    working = begun(memory)
    memory.import_package(package(lines_of(exported(memory, scope=ALICE, working=True))), scope_map={ALICE: "team:x"})
    assert held(memory.working("s1", scope="team:x")) == held(working)
    memory.remember("x", scope=ALICE)
    memory.move_scope(ALICE, to="project:web")
    assert held(memory.working("s1", scope="project:web")) == held(working)
    assert memory.working("s1", scope=ALICE).version == 0


def test_moving_into_a_scope_that_has_a_session_of_that_name_merges_them(memory):
    begun(memory)
    other = memory.working("s1", scope=BOB)
    other.slots["b"] = "乙"
    other.save()
    memory.remember("x", scope=ALICE)
    memory.move_scope(ALICE, to=BOB)
    assert memory.working("s1", scope=BOB).slots.keys() == {"城市", "plan", "b"}


def test_a_credential_does_not_come_in_with_a_snapshot(memory):
    from satchel.protocol import WorkingSnapshot

    now = "2026-03-01T00:00:00Z"
    snapshot = WorkingSnapshot(session_id="s", scope=ALICE, created_at=now, updated_at=now, slots={"token": KEY}, summary="fine")
    memory.import_package(package([record("r"), snapshot]))
    assert KEY not in exported(memory, everything=True, working=True).decode()
    assert memory.working("s", scope=ALICE).summary == "fine"
