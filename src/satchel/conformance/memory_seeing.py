"""The contract of a memory: looking back and setting back. It must not know whether the memory is embedded or remote.

The clock is the memory's own: moments are taken from what it says itself, never from this machine.
"""

from __future__ import annotations

import time

from satchel.conformance.contract import Contract, refused, requirement
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.operations.memory import Memory
from satchel.operations.models import Diff
from satchel.protocol.record import MemoryRecord

_TICK = 0.003
"""Seconds that let any clock show a later time."""


def _said(records: object) -> dict[str, tuple[str, str]]:
    assert isinstance(records, (list, tuple))
    return {found.id: (found.content, found.status) for found in records if isinstance(found, MemoryRecord)}


class Seeing(Contract):
    """`as_of`, `snapshot`, `snapshots`, `drop_snapshot`, `diff`, `restore` of a snapshot, `recall_log`, `used`."""

    subject = "memory"

    def _changed(self, memory: Memory) -> None:
        """Change one, archive one, add one."""
        memory.remember("用户搬到了苏州", scope=self.scope(), id="home")
        memory.update("seat", scope=self.scope(), status="archived")
        memory.remember("Drinks oat milk", scope=self.scope(), id="later")

    def _home_and_seat(self, memory: Memory) -> None:
        memory.remember("用户住在上海", scope=self.scope(), id="home")
        memory.remember("Prefers a window seat", scope=self.scope(), id="seat", tags=["travel"])

    def _present(self, memory: Memory) -> dict[str, tuple[str, str]]:
        return _said(list(memory.every_record(scope=self.scope())))

    @requirement("OBS-1")
    def test_a_moment_shows_what_was_known_then(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        then = memory.history("seat", scope=self.scope())[-1].at
        before = self._present(memory)
        time.sleep(_TICK)
        self._changed(memory)
        assert _said(list(memory.as_of(then, scope=self.scope()))) == before
        now = memory.history("later", scope=self.scope())[-1].at
        assert _said(list(memory.as_of(now, scope=self.scope()))) == self._present(memory)
        assert list(memory.as_of("2000-01-01T00:00:00Z", scope=self.scope())) == []

    @requirement("OBS-1", "RET-5")
    def test_what_was_forgotten_is_absent_at_every_moment(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        then = memory.history("seat", scope=self.scope())[-1].at
        made = memory.snapshot(scope=self.scope(), name="before")
        time.sleep(_TICK)
        memory.forget("home", scope=self.scope())
        assert set(_said(list(memory.as_of(then, scope=self.scope())))) == {"seat"}
        assert memory.diff(made) == Diff()
        memory.restore(made)
        assert set(self._present(memory)) == {"seat"}
        assert "上海" not in "".join(entry.model_dump_json() for entry in memory.history("home", scope=self.scope()))

    @requirement("OBS-2")
    def test_a_snapshot_names_a_state_and_is_listed(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        made = memory.snapshot(scope=self.scope(), name="第一/次", reason="why")
        assert (made.name, made.scope, made.reason, made.automatic) == ("第一/次", self.scope(), "why", False)
        assert memory.snapshot(scope=self.scope(), name="第一/次") == made
        self._changed(memory)
        with refused(Conflict):
            memory.snapshot(scope=self.scope(), name="第一/次")
        other = memory.snapshot(scope=self.scope())
        assert memory.snapshots(scope=[self.scope(), self.scope("bob")]) == [made, other]
        with refused(InvalidRequest):
            memory.snapshot(scope=self.scope(), name="now")

    @requirement("OBS-2")
    def test_a_snapshot_can_be_dropped(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        made = memory.snapshot(scope=self.scope(), name="s")
        before = self._present(memory)
        assert memory.drop_snapshot(made) == made
        assert memory.snapshots(scope=self.scope()) == []
        assert self._present(memory) == before
        with refused(NotFound):
            memory.drop_snapshot(made)
        with refused(NotFound):
            memory.diff(made)
        with refused(NotFound):
            memory.restore(made)

    @requirement("OBS-2")
    def test_a_difference_applied_to_the_first_state_is_the_second(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        first = {(found.scope, found.id): found for found in memory.every_record(scope=self.scope())}
        a = memory.snapshot(scope=self.scope(), name="a")
        self._changed(memory)
        b = memory.snapshot(scope=self.scope(), name="b")
        found = memory.diff(a, b)
        assert [one.id for one in found.added] == ["later"]
        assert {one.after.id: one.before.id for one in found.changed} == {"home": "home", "seat": "seat"}
        assert _said(list(found.applied_to(first).values())) == self._present(memory)
        assert [one.id for one in memory.diff(b, a).removed] == ["later"]
        assert memory.diff(b) == memory.diff(a, a) == Diff()

    @requirement("OBS-2")
    def test_restoring_brings_a_state_back_and_is_undone_by_restoring(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        before = self._present(memory)
        made = memory.snapshot(scope=self.scope(), name="good")
        self._changed(memory)
        after = self._present(memory)
        done = memory.restore(made)
        assert (done.restored, done.archived, done.left) == (2, 1, ())
        assert self._present(memory) == before | {"later": ("Drinks oat milk", "archived")}
        assert done.undo is not None
        assert done.undo.automatic
        memory.restore(done.undo)
        assert self._present(memory) == after
        again = memory.restore(done.undo)
        assert (again.restored, again.archived, again.undo) == (0, 0, None)

    @requirement("OBS-2", "ENG-5")
    def test_snapshots_move_with_their_scope(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        before = self._present(memory)
        memory.snapshot(scope=self.scope(), name="good")
        self._changed(memory)
        target = self.scope("target")
        memory.move_scope(self.scope(), to=target)
        assert memory.snapshots(scope=self.scope()) == []
        memory.restore(snapshot="good", scope=target)
        assert _said(list(memory.every_record(scope=target, status="active"))) == before

    @requirement("OBS-2", "STO-3")
    def test_snapshots_are_of_their_scope(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        memory.snapshot(scope=self.scope(), name="s")
        memory.remember("x", scope=self.scope("bob"), id="home")
        assert memory.snapshots(scope=self.scope("bob")) == []
        with refused(NotFound):
            memory.restore(snapshot="s", scope=self.scope("bob"))

    @requirement("OBS-5")
    def test_the_recall_log_says_which_memories_entered_which_turn_without_content(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        memory.update("seat", scope=self.scope(), pinned=True)
        memory.recall("window seat", scope=self.scope(), limit=1, session="s1", turn="7")
        memory.recall("window seat", scope=self.scope(), limit=1, session="s2")
        (entry,) = memory.recall_log(scope=self.scope(), session="s1")
        assert (entry.scope, entry.session, entry.turn) == (self.scope(), "s1", "7")
        assert [(item.id, item.revision, item.used) for item in entry.items] == [("seat", 2, False)]
        assert "window" not in entry.model_dump_json()
        assert [found.session for found in memory.recall_log(scope=self.scope())] == ["s1", "s2"]
        assert list(memory.recall_log(scope=self.scope("bob"))) == []

    @requirement("OBS-4")
    def test_what_a_session_used_is_told_once(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        memory.recall("window seat", scope=self.scope(), limit=1, session="s1")
        told = memory.used(["seat", "no-such"], scope=self.scope(), session="s1")
        assert told.unknown == ("no-such",)
        assert memory.used(["seat"], scope=self.scope(), session="s1").counted == 0
        (entry,) = memory.recall_log(scope=self.scope(), session="s1")
        assert [(item.id, item.used) for item in entry.items] == [("seat", True)]
        assert memory.stats(self.scope()).hit_rate == 1.0

    @requirement("OBS-5", "RET-5")
    def test_a_forgotten_memory_leaves_the_recall_log(self, memory: Memory) -> None:
        self._home_and_seat(memory)
        memory.recall("window seat", scope=self.scope(), limit=1, session="s1")
        memory.forget("seat", scope=self.scope())
        assert "seat" not in [item.id for entry in memory.recall_log(scope=self.scope()) for item in entry.items]
