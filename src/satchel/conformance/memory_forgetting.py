"""The contract of a memory: forgetting. It must not know whether the memory is embedded or remote."""

from __future__ import annotations

from typing import Any

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import CONTENTS
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.operations.memory import Memory

_GONE = {"scrubbed", "scrub_pending"}


class Forgetting(Contract):
    """`forget`, `delete_record`."""

    subject = "memory"

    @requirement("RET-5", "PRO-7")
    def test_a_forgotten_memory_is_gone_from_every_answer(self, memory: Memory) -> None:
        memory.remember("用户的旧住址是长安街一号", scope=self.scope(), id="m1", tags=["home"], meta={"street": "长安街"})
        memory.remember("the old address, said again", scope=self.scope(), id="m1")
        done = memory.forget("m1", scope=self.scope(), reason="用户要求")
        assert done.state in _GONE
        assert (done.count, [item.id for item in done.items]) == (1, ["m1"])
        with refused(NotFound):
            memory.read("m1", scope=self.scope())
        assert memory.recall("old address 长安街", scope=self.scope(), min_relevance=0.0, min_strength=0.0) == []
        assert memory.search("old address 长安街", scope=self.scope()) == []
        assert memory.context("old address 长安街", scope=self.scope()) == ""
        assert memory.records(scope=self.scope()).records == ()

    @requirement("RET-5", "PRO-7", "OBS-1")
    def test_a_tombstone_remains_without_content(self, memory: Memory) -> None:
        memory.remember("用户的旧住址是长安街一号", scope=self.scope(), id="m1", tags=["home"], meta={"street": "长安街"})
        memory.update("m1", scope=self.scope(), pinned=True)
        memory.forget("m1", scope=self.scope(), reason="用户要求")
        remains = memory.read_record("m1", scope=self.scope())
        assert (remains.status, remains.content, remains.meta, remains.content_hash) == ("deleted", "", {}, "")
        assert remains.deletion is not None
        assert remains.deletion.reason == "用户要求"
        entries = memory.history("m1", scope=self.scope())
        assert all(entry.before is None or entry.before.is_tombstone for entry in entries)
        assert all(entry.after is None or entry.after.is_tombstone for entry in entries)
        assert "长安街" not in "".join(entry.model_dump_json() for entry in entries)

    @requirement("RET-5", "ENG-4")
    def test_forgetting_twice_is_forgetting_once(self, memory: Memory) -> None:
        memory.remember(CONTENTS[0], scope=self.scope(), id="m1")
        memory.forget("m1", scope=self.scope())
        revision = memory.read_record("m1", scope=self.scope()).revision
        assert memory.forget("m1", scope=self.scope()).state in _GONE
        assert memory.delete_record("m1", scope=self.scope()).state in _GONE
        assert memory.read_record("m1", scope=self.scope()).revision == revision

    @requirement("RET-5", "STO-3")
    def test_forgetting_leaves_other_scopes_alone(self, memory: Memory) -> None:
        for name in ("alice", "bob"):
            memory.remember_many([{"content": CONTENTS[0], "id": "m1"}, {"content": CONTENTS[1], "id": "m2"}], scope=self.scope(name))
        memory.forget("m1", scope=self.scope("alice"))
        memory.forget(plan=memory.forget(scope=self.scope("alice"), everything=True))
        assert list(memory.every_record(scope=self.scope("alice"))) == []
        assert {found.id for found in memory.every_record(scope=self.scope("bob"))} == {"m1", "m2"}
        assert memory.recall("花生过敏", scope=self.scope("bob"))[0].record.id == "m1"

    @requirement("RET-5")
    def test_more_than_an_id_takes_a_plan_and_a_second_call(self, memory: Memory) -> None:
        memory.remember_many([{"content": content, "id": f"m{place}"} for place, content in enumerate(CONTENTS)], scope=self.scope())
        plan = memory.forget(scope=self.scope(), everything=True)
        assert (plan.state, plan.count) == ("planned", len(CONTENTS))
        assert plan.plan
        assert len(list(memory.every_record(scope=self.scope()))) == len(CONTENTS)
        done = memory.forget(plan=plan)
        assert done.state in _GONE
        assert done.count == len(CONTENTS)
        assert list(memory.every_record(scope=self.scope())) == []

    @requirement("RET-5")
    def test_a_plan_is_made_by_session_time_or_question(self, memory: Memory) -> None:
        scope = self.scope()
        memory.remember("会话一说的话", scope=scope, id="s1", source={"session": "one"}, created_at="2020-01-01T00:00:00Z")
        memory.remember("said in session two", scope=scope, id="s2", source={"session": "two"}, created_at="2021-01-01T00:00:00Z")
        memory.remember("关于花生的一件事", scope=scope, id="s3", created_at="2022-01-01T00:00:00Z")

        def planned(**by: object) -> set[str]:
            return {item.id for item in memory.forget(scope=scope, **by).items}  # type: ignore[arg-type]

        assert planned(session="one") == {"s1"}
        assert planned(since="2020-06-01T00:00:00Z", until="2021-06-01T00:00:00Z") == {"s2"}
        assert planned(since="2020-06-01T00:00:00Z") == {"s2", "s3"}
        assert "s3" in planned(query="花生")
        assert len(list(memory.every_record(scope=scope))) == 3

    @requirement("RET-5")
    def test_a_request_to_forget_that_cannot_be_is_refused(self, memory: Memory) -> None:
        wrong: list[dict[str, Any]] = [{}, {"id": "m1"}, {"id": "m1", "everything": True}, {"id": "m1", "scope": ["user:a", "user:b"]}]
        for arguments in wrong:
            with refused(InvalidRequest):
                memory.forget(**arguments)
        with refused(NotFound):
            memory.forget(plan="no such plan")

    @requirement("RET-5", "CNF-1")
    def test_the_same_content_can_be_remembered_anew_under_a_new_id(self, memory: Memory) -> None:
        memory.remember(CONTENTS[0], scope=self.scope(), id="m1")
        memory.forget("m1", scope=self.scope())
        anew = memory.remember(CONTENTS[0], scope=self.scope())
        assert anew.outcome == "created"
        assert anew.record.id != "m1"
        assert [hit.record.id for hit in memory.recall("花生过敏", scope=self.scope())] == [anew.record.id]
        with refused(Conflict):
            memory.remember(CONTENTS[1], scope=self.scope(), id="m1")

    @requirement("RET-5")
    def test_what_was_corrected_can_be_forgotten_whole(self, memory: Memory) -> None:
        memory.remember("用户住在上海静安", scope=self.scope(), id="m1")
        memory.correct("m1", "用户住在苏州", scope=self.scope(), new_id="m2")
        memory.forget("m1", scope=self.scope())
        told = "".join(entry.model_dump_json() for name in ("m1", "m2") for entry in memory.history(name, scope=self.scope()))
        assert "静安" not in told
        assert memory.read("m2", scope=self.scope()).content == "用户住在苏州"
