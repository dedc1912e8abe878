"""The contract of a memory: what it does about contradictions, and what maintenance keeps. It must not know by what rules."""

from __future__ import annotations

from satchel.conformance.contract import Contract, refused, requirement
from satchel.errors import InvalidRequest, NotFound
from satchel.operations.memory import Memory
from satchel.operations.models import Conflict as Question


class Keeping(Contract):
    """`conflicts`, `resolve`, `maintain`, `simulate`."""

    subject = "memory"

    def _statuses(self, memory: Memory) -> dict[str, str]:
        return {found.id: found.status.value for found in memory.every_record(scope=self.scope())}

    def _asked(self, memory: Memory) -> Question:
        memory.remember("The project uses module A", scope=self.scope(), id="a")
        done = memory.remember("The project is about to move to module C", scope=self.scope(), id="c")
        assert (done.outcome, done.related) == ("pending", ("a",))
        (found,) = memory.conflicts(scope=self.scope())
        return found

    @requirement("CNF-2")
    def test_a_newer_statement_replaces_the_older_which_stays_and_is_linked(self, memory: Memory) -> None:
        memory.remember("用户喜欢喝咖啡", scope=self.scope(), id="old")
        done = memory.remember("用户不再喝咖啡了", scope=self.scope(), id="new")
        assert (done.outcome, done.related) == ("superseded", ("old",))
        old, new = memory.read("old", scope=self.scope()), memory.read("new", scope=self.scope())
        assert (old.status, old.relations.superseded_by) == ("archived", ("new",))
        assert (new.status, new.relations.supersedes) == ("active", ("old",))
        assert [hit.record.id for hit in memory.recall("喝咖啡", scope=self.scope())] == ["new"]

    @requirement("CNF-3")
    def test_a_contradiction_is_asked_about_and_stated_as_no_fact(self, memory: Memory) -> None:
        found = self._asked(memory)
        assert {record.id for record in found.records} == {"a", "c"}
        assert found.question
        assert self._statuses(memory) == {"a": "pending", "c": "pending"}
        assert memory.recall("project module", scope=self.scope()) == []
        assert memory.conflicts(scope=self.scope("bob")) == []

    @requirement("CNF-3")
    def test_one_call_settles_it(self, memory: Memory) -> None:
        found = self._asked(memory)
        with refused(InvalidRequest):
            memory.resolve(found.id, keep="no-such")
        memory.resolve(found.id, keep="c")
        assert self._statuses(memory) == {"a": "archived", "c": "active"}
        assert memory.conflicts(scope=self.scope()) == []

    @requirement("CNF-3")
    def test_both_or_neither_may_hold(self, memory: Memory) -> None:
        memory.resolve(self._asked(memory).id, keep="both")
        assert self._statuses(memory) == {"a": "active", "c": "active"}
        with refused(NotFound):
            memory.resolve(f"{self.scope()}//no-such", keep="both")

    @requirement("CNF-3")
    def test_what_may_contradict_is_told_by_both_and_asked_about(self, memory: Memory) -> None:
        memory.remember("I enjoy hiking in the Rocky Mountains", scope=self.scope(), id="a")
        done = memory.remember("I enjoy hiking in the Appalachian Mountains", scope=self.scope(), id="c")
        assert (done.outcome, done.related) == ("created", ("a",))
        assert done.reason
        assert self._statuses(memory) == {"a": "active", "c": "active"}
        (found,) = memory.conflicts(scope=self.scope())
        assert (found.kind, {record.id for record in found.records}) == ("possible", {"a", "c"})
        memory.resolve(found.id, keep="both")
        assert memory.conflicts(scope=self.scope()) == []
        assert self._statuses(memory) == {"a": "active", "c": "active"}

    @requirement("RET-4", "RET-7")
    def test_a_pass_archives_what_is_over_and_changes_nothing_the_second_time(self, memory: Memory) -> None:
        memory.remember("会议室改到 302", scope=self.scope(), id="over", expires_at="2020-01-01T00:00:00Z")
        memory.remember("Prefers a window seat", scope=self.scope(), id="stays", pinned=True)
        foretold = memory.maintain(self.scope(), dry_run=True)
        assert (foretold.dry_run, foretold.counts) == (True, {"expire": 1})
        assert self._statuses(memory) == {"over": "active", "stays": "active"}
        done = memory.maintain(self.scope())
        assert [(action.step, action.id) for action in done.actions] == [("expire", "over")]
        assert self._statuses(memory) == {"over": "archived", "stays": "active"}
        assert memory.history("over", scope=self.scope())[-1].reason == done.actions[0].reason
        position = memory.stats(self.scope()).position
        assert memory.maintain(self.scope()).counts == {}
        assert memory.stats(self.scope()).position == position

    @requirement("RET-7", "OBS-2")
    def test_a_pass_is_undone_by_restoring_what_was_before_it(self, memory: Memory) -> None:
        memory.remember("会议室改到 302", scope=self.scope(), id="over", expires_at="2020-01-01T00:00:00Z")
        (before,) = memory.maintain(self.scope()).before
        assert before.automatic
        memory.restore(before)
        assert self._statuses(memory) == {"over": "active"}

    @requirement("RET-7", "STO-3")
    def test_a_pass_over_one_scope_leaves_the_others(self, memory: Memory) -> None:
        for name in ("alice", "bob"):
            memory.remember("会议室改到 302", scope=self.scope(name), id="over", expires_at="2020-01-01T00:00:00Z")
        memory.maintain(self.scope("bob"))
        assert self._statuses(memory) == {"over": "active"}

    @requirement("RET-8")
    def test_a_simulation_shows_what_would_fade_and_changes_nothing(self, memory: Memory) -> None:
        memory.remember("等车时聊到天气很闷", scope=self.scope(), id="weather", type="interaction")
        memory.remember("用户对花生严重过敏", scope=self.scope(), id="allergy", type="profile", pinned=True)
        position = memory.stats(self.scope()).position
        found = memory.simulate(self.scope(), days=365)
        assert (found.count, found.archived) == (2, 1)
        assert (found.active[0], found.active[-1]) == (2, 1)
        (first,) = [one for one in found.records if one.archived_at is not None]
        assert first.id == "weather"
        assert list(first.curve) == sorted(first.curve, reverse=True)
        assert memory.simulate(self.scope(), days=1).archived == 0
        assert memory.stats(self.scope()).position == position
        with refused(InvalidRequest):
            memory.simulate(self.scope(), settings={"no_such_setting": 1})
