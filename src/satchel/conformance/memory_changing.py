"""The contract of a memory: changing what is remembered, and its history. It must not know whether the memory is embedded or remote."""

from __future__ import annotations

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import CONTENTS
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.operations.memory import Memory


class Changing(Contract):
    """`update`, `correct`, `confirm`, `restore`, `history`, `move_scope`."""

    subject = "memory"

    @requirement("ENG-5")
    def test_what_is_not_content_is_changed_in_place(self, memory: Memory) -> None:
        first = memory.remember(CONTENTS[0], scope=self.scope(), id="m1", meta={"old": 1}, tags=["a"]).record
        done = memory.update("m1", scope=self.scope(), tags=["乙"], type="preference", score=0.9, meta={"new": [2]}, pinned=True)
        assert (done.tags, done.type, done.score, done.meta, done.pinned) == (("乙",), "preference", 0.9, {"new": [2]}, True)
        assert (done.revision, done.content, done.created_at) == (2, first.content, first.created_at)
        assert memory.read("m1", scope=self.scope()).state() == done.state()

    @requirement("ENG-5", "PRO-1")
    def test_an_update_against_another_revision_is_a_conflict(self, memory: Memory) -> None:
        memory.remember(CONTENTS[0], scope=self.scope(), id="m1")
        memory.update("m1", scope=self.scope(), pinned=True, if_revision=1)
        with refused(Conflict) as caught:
            memory.update("m1", scope=self.scope(), pinned=False, if_revision=1)
        assert (caught.details["expected"], caught.details["actual"]) == (1, 2)
        assert memory.read("m1", scope=self.scope()).pinned

    @requirement("ENG-5")
    def test_an_update_that_cannot_be_is_refused(self, memory: Memory) -> None:
        memory.remember(CONTENTS[0], scope=self.scope(), id="m1")
        with refused(InvalidRequest):
            memory.update("m1", scope=self.scope(), score=1.5)
        with refused(InvalidRequest):
            memory.update("m1", scope=self.scope(), status="deleted")
        assert memory.read("m1", scope=self.scope()).revision == 1

    @requirement("CNF-4", "PRO-8")
    def test_a_correction_archives_the_wrong_and_links_both_ways(self, memory: Memory) -> None:
        wrong = memory.remember("用户住在上海", scope=self.scope(), id="m1", source={"session": "s1"}, tags=["home"]).record
        done = memory.correct("m1", "用户住在苏州", scope=self.scope(), new_id="m2", reason="搬家了")
        right = memory.read("m2", scope=self.scope())
        old = memory.read("m1", scope=self.scope())
        assert (right.content, right.status, right.relations.supersedes) == ("用户住在苏州", "active", ("m1",))
        assert (old.content, old.status, old.relations.superseded_by) == (wrong.content, "archived", ("m2",))
        assert right.state() == done.record.state()
        assert (right.source.session, right.type) == ("s1", wrong.type)

    @requirement("CNF-4", "ENG-4")
    def test_a_correction_sent_twice_is_made_once(self, memory: Memory) -> None:
        memory.remember("the meeting is on Monday", scope=self.scope(), id="m1")
        for _ in range(2):
            memory.correct("m1", "会议改到周二", scope=self.scope(), new_id="m2")
        assert sorted((found.id, found.status) for found in memory.every_record(scope=self.scope())) == [
            ("m1", "archived"),
            ("m2", "active"),
        ]

    @requirement("CNF-2", "RET-4")
    def test_what_was_archived_can_be_restored(self, memory: Memory) -> None:
        memory.remember(CONTENTS[1], scope=self.scope(), id="m1")
        memory.correct("m1", "Prefers the aisle now", scope=self.scope(), new_id="m2")
        assert memory.restore("m1", scope=self.scope()).status == "active"
        assert {found.id for found in memory.every_record(scope=self.scope(), status="active")} == {"m1", "m2"}

    @requirement("ENG-1")
    def test_a_confirmation_makes_it_active_and_weigh_more(self, memory: Memory) -> None:
        memory.remember(CONTENTS[2], scope=self.scope(), id="m1", score=0.4)
        memory.update("m1", scope=self.scope(), status="pending")
        done = memory.confirm("m1", scope=self.scope())
        assert done.status == "active"
        assert abs(done.score - 0.7) < 1e-9

    @requirement("OBS-1")
    def test_a_history_tells_what_was_before_and_after(self, memory: Memory) -> None:
        memory.remember("第一版", scope=self.scope(), id="m1")
        memory.update("m1", scope=self.scope(), tags=["x"])
        memory.remember("the second version", scope=self.scope(), id="m1")
        entries = memory.history("m1", scope=self.scope())
        assert [entry.revision for entry in entries] == [1, 2, 3]
        assert [entry.before and entry.before.content for entry in entries] == [None, "第一版", "第一版"]
        assert [entry.after and entry.after.content for entry in entries] == ["第一版", "第一版", "the second version"]
        assert [entry.position for entry in entries] == sorted(entry.position for entry in entries)
        assert not any(entry.erased for entry in entries)

    @requirement("ACC-1", "PRO-5")
    def test_a_record_that_is_not_there_is_not_found_in_every_verb(self, memory: Memory) -> None:
        memory.remember(CONTENTS[0], scope=self.scope("bob"), id="m1")
        scope = self.scope("alice")
        for attempt in (
            lambda: memory.read("m1", scope=scope),
            lambda: memory.read_record("m1", scope=scope),
            lambda: memory.update("m1", scope=scope, pinned=True),
            lambda: memory.correct("m1", "x", scope=scope),
            lambda: memory.confirm("m1", scope=scope),
            lambda: memory.restore("m1", scope=scope),
            lambda: memory.history("m1", scope=scope),
            lambda: memory.forget("m1", scope=scope),
            lambda: memory.delete_record("m1", scope=scope),
        ):
            with refused(NotFound):
                attempt()
        assert memory.read("m1", scope=self.scope("bob")).content == CONTENTS[0]

    @requirement("ENG-5")
    def test_a_scope_is_moved_with_its_history(self, memory: Memory) -> None:
        memory.remember_many([{"content": "一", "id": "a"}, {"content": "two", "id": "b"}], scope=self.scope())
        memory.update("a", scope=self.scope(), pinned=True)
        before = {found.id: found.model_dump(exclude={"scope"}) for found in memory.every_record(scope=self.scope())}
        target = self.scope("target")
        moved = memory.move_scope(self.scope(), to=target)
        assert (moved.moved, moved.left) == (2, ())
        assert list(memory.every_record(scope=self.scope())) == []
        after = {found.id: found.model_dump(exclude={"scope"}) for found in memory.every_record(scope=target)}
        assert {key: value["content"] for key, value in after.items()} == {key: value["content"] for key, value in before.items()}
        assert after["a"]["pinned"]
        assert memory.history("a", scope=target)
