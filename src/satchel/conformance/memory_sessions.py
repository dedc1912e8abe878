"""The contract of a memory: sessions and working memory. It must not know whether the memory is embedded or remote."""

from __future__ import annotations

from satchel.conformance.contract import Contract, refused, requirement
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.operations.memory import Memory
from satchel.operations.working import Working


class Sessions(Contract):
    """`working`, its `save`, `promote`, `sessions`, `session_start`, `session_end`."""

    subject = "memory"

    def _begun(self, memory: Memory, name: str = "s1") -> Working:
        working = memory.session_start(name, scope=self.scope())
        working.slots["city"] = "苏州"
        working.add_event("book me a hotel")
        working.add_task("find a hotel", id="t1")
        working.summary = "a trip is planned"
        working.save()
        return working

    @requirement("WRK-1", "WRK-2")
    def test_a_session_is_gone_on_with_whole_from_its_id(self, memory: Memory) -> None:
        self._begun(memory)
        found = memory.session_start("s1", scope=self.scope())
        assert found.resumed
        assert (dict(found.slots), found.summary) == ({"city": "苏州"}, "a trip is planned")
        assert [event["content"] for event in found.recent_events] == ["book me a hotel"]
        assert [(task["id"], task["content"]) for task in found.task_stack] == [("t1", "find a hotel")]
        assert dict(memory.working("s1", scope=self.scope("bob")).slots) == {}

    @requirement("WRK-1")
    def test_only_json_gets_in(self, memory: Memory) -> None:
        working = memory.session_start("s1", scope=self.scope())
        working.slots["message"] = object()
        with refused(InvalidRequest):
            working.save()

    @requirement("WRK-3")
    def test_two_writers_are_merged_and_nothing_is_lost(self, memory: Memory) -> None:
        self._begun(memory)
        ours, theirs = memory.working("s1", scope=self.scope()), memory.working("s1", scope=self.scope())
        ours.slots["budget"] = 900
        ours.add_event("not over 900")
        theirs.slots["guests"] = 2
        theirs.add_task("ask for breakfast", id="t2")
        ours.save()
        saved = theirs.save()
        assert saved.merged
        assert saved.snapshot.slots == {"city": "苏州", "budget": 900, "guests": 2}
        assert len(saved.snapshot.recent_events) == 2
        assert {task.id for task in saved.snapshot.task_stack} == {"t1", "t2"}
        assert memory.working("s1", scope=self.scope()).version == saved.snapshot.version > ours.version

    @requirement("WRK-3")
    def test_what_cannot_be_merged_is_told_with_both_sides_and_not_saved(self, memory: Memory) -> None:
        self._begun(memory)
        ours, theirs = memory.working("s1", scope=self.scope()), memory.working("s1", scope=self.scope())
        ours.task_stack[0]["content"] = "find a flat"
        theirs.task_stack[0]["content"] = "find a hostel"
        ours.save()
        with refused(Conflict) as caught:
            theirs.save()
        told = str(caught.details)
        assert "find a flat" in told
        assert "find a hostel" in told
        assert [task["content"] for task in memory.working("s1", scope=self.scope()).task_stack] == ["find a flat"]
        theirs.save(keep="ours")
        assert [task["content"] for task in memory.working("s1", scope=self.scope()).task_stack] == ["find a hostel"]

    @requirement("WRK-4")
    def test_what_is_said_once_stays_and_what_is_said_again_becomes_a_memory(self, memory: Memory) -> None:
        first = memory.session_start("s1", scope=self.scope())
        first.add_event("我对虾过敏")
        assert first.save().promoted == ()
        assert list(memory.every_record(scope=self.scope())) == []
        second = memory.session_start("s2", scope=self.scope())
        second.add_event("我对虾过敏")
        (promoted,) = second.save().promoted
        record = memory.read(promoted, scope=self.scope())
        assert "虾" in record.content
        assert record.source.session == "s2"

    @requirement("WRK-4")
    def test_what_is_confirmed_becomes_a_memory_at_once(self, memory: Memory) -> None:
        working = self._begun(memory)
        done = working.promote(task="t1")
        assert done.record.type == "task"
        assert memory.read(done.record.id, scope=self.scope()).content == done.record.content
        with refused(NotFound):
            working.promote(slot="no-such")

    @requirement("WRK-4")
    def test_the_end_condenses_a_session_once(self, memory: Memory) -> None:
        working = memory.session_start("s1", scope=self.scope())
        working.add_event("I prefer trains to planes.")
        working.save()
        ended = memory.session_end("s1", scope=self.scope())
        assert not ended.already
        assert any("train" in memory.read(name, scope=self.scope()).content for name in ended.records)
        again = memory.session_end("s1", scope=self.scope())
        assert (again.already, again.written, set(again.records)) == (True, (), set(ended.records))
        with refused(NotFound):
            memory.session_end("no-such", scope=self.scope())

    @requirement("WRK-2")
    def test_sessions_are_listed_without_what_they_hold(self, memory: Memory) -> None:
        self._begun(memory, "s1")
        self._begun(memory, "s2")
        memory.session_end("s2", scope=self.scope())
        found = memory.sessions(scope=self.scope()).sessions
        assert [(one.session_id, one.ended_at is None, one.slots, one.events, one.open_tasks) for one in found] == [
            ("s1", True, 1, 1, 1),
            ("s2", False, 1, 1, 1),
        ]
        assert "苏州" not in "".join(one.model_dump_json() for one in found)
        assert [one.session_id for one in memory.sessions(scope=self.scope(), ended=False).sessions] == ["s1"]
        assert memory.sessions(scope=self.scope("bob")).sessions == ()

    @requirement("RET-10")
    def test_what_is_overdue_comes_with_the_start_of_a_session(self, memory: Memory) -> None:
        memory.remember("send the contract", scope=self.scope(), id="due", type="task", due_at="2020-01-01T00:00:00Z", score=0.1)
        memory.remember("water the plants", scope=self.scope(), id="far", type="task", due_at="2199-01-01T00:00:00Z")
        assert [record.id for record in memory.session_start("s1", scope=self.scope()).due] == ["due"]

    @requirement("WRK-1", "RET-5")
    def test_a_forgotten_memory_leaves_the_sessions_that_hold_it(self, memory: Memory) -> None:
        working = self._begun(memory)
        working.slots["allergy"] = "用户对虾过敏"
        working.save()
        memory.remember("用户对虾过敏", scope=self.scope(), id="m1")
        memory.forget("m1", scope=self.scope())
        assert "虾" not in str(dict(memory.working("s1", scope=self.scope()).slots))
        memory.forget(plan=memory.forget(scope=self.scope(), session="s1"))
        assert memory.sessions(scope=self.scope()).sessions == ()
