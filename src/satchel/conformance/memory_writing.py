"""The contract of a memory: remembering. It must not know whether the memory is embedded or remote."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import CONTENTS, NOW, make
from satchel.errors import InvalidRequest, SecretRefused
from satchel.operations.memory import Memory
from satchel.protocol.record import CORE_TYPES, MemoryRecord, content_hash

_TOKEN = "ghp_" + "k3Jx9Qw2" * 4 + "Zt7R"
"""Looks like a credential; is none."""


class Writing(Contract):
    """`remember`, `remember_many`, `write_record`."""

    subject = "memory"

    @requirement("ENG-1", "ENG-2")
    def test_a_memory_is_completed_and_reads_back_as_it_was_answered(self, memory: Memory) -> None:
        done = memory.remember(
            CONTENTS[0], scope=self.scope(), type="profile", tags=["饮食", "diet"], source={"session": "s1", "message": "m7"}
        )
        record = done.record
        assert done.outcome == "created"
        assert (record.content, record.scope, record.type, record.tags) == (CONTENTS[0], self.scope(), "profile", ("饮食", "diet"))
        assert (record.status, record.revision, record.content_hash) == ("active", 1, content_hash(CONTENTS[0]))
        assert record.id
        assert record.created_at is not None
        assert record.created_at.utcoffset() == record.stored_at.utcoffset() == timedelta(0)
        assert (record.source.session, record.source.message, record.source.origin) == ("s1", "m7", "stated")
        assert 0 < record.score <= 1
        assert record.half_life > 0
        assert memory.read(record.id, scope=self.scope()).state() == record.state()

    @requirement("PRO-1", "PRO-6")
    def test_what_is_given_is_kept(self, memory: Memory) -> None:
        meta = {"深": {"list": [1, 2.5, None, True, "x"]}, "e": {}}
        record = memory.remember(
            CONTENTS[1], scope=self.scope(), id="编号/1 of 2", type="habit", score=0.31, half_life=7200.5, confidence=0.25, pinned=True,
            created_at="2019-05-06T07:08:09.000123+08:00", due_at="2101-01-01T00:00:00Z", valid_from="1950-01-01T00:00:00Z", meta=meta,
            source={"agent": "someone", "tool": "notes", "uri": "file:///a b.md", "origin": "inferred"},
        ).record  # fmt: skip
        found = memory.read("编号/1 of 2", scope=self.scope())
        assert found.state() == record.state()
        assert (found.type, found.score, found.half_life, found.confidence, found.pinned) == ("habit", 0.31, 7200.5, 0.25, True)
        told = found.model_dump(mode="json")
        assert (told["created_at"], told["due_at"], told["valid_from"]) == (
            "2019-05-05T23:08:09.000123Z", "2101-01-01T00:00:00Z", "1950-01-01T00:00:00Z",
        )  # fmt: skip
        assert found.meta == meta
        assert (found.source.agent, found.source.tool, found.source.uri, found.source.origin) == (
            "someone", "notes", "file:///a b.md", "inferred",
        )  # fmt: skip

    @requirement("PRO-2")
    def test_core_types_and_any_other_are_kept(self, memory: Memory) -> None:
        for name in (*CORE_TYPES, "配方", "lab_note"):
            assert memory.remember(f"关于 {name} 的一条", scope=self.scope(), type=name).record.type == name

    @requirement("PRO-9", "ENG-4", "SRV-5")
    def test_a_replayed_write_changes_nothing(self, memory: Memory) -> None:
        first = memory.remember(CONTENTS[2], scope=self.scope(), id="m1", score=0.5)
        again = memory.remember(CONTENTS[2], scope=self.scope(), id="m1", score=0.5)
        assert (first.outcome, again.outcome) == ("created", "unchanged")
        assert again.record.state() == first.record.state()
        assert len(memory.history("m1", scope=self.scope())) == 1

    @requirement("CNF-1")
    def test_the_same_said_again_is_one_record_that_weighs_more(self, memory: Memory) -> None:
        first = memory.remember(CONTENTS[3], scope=self.scope(), score=0.5).record
        again = memory.remember(CONTENTS[3], scope=self.scope())
        assert again.outcome == "reinforced"
        assert again.record.id == first.id
        assert first.id in again.related
        assert abs(again.record.score - 0.75) < 1e-9
        assert [found.id for found in memory.every_record(scope=self.scope())] == [first.id]

    @requirement("CNF-1", "PRO-5")
    def test_the_same_in_another_scope_is_another_record(self, memory: Memory) -> None:
        outcomes = [memory.remember(CONTENTS[4], scope=self.scope(name), id="m1").outcome for name in ("alice", "bob")]
        assert outcomes == ["created", "created"]
        memory.remember("只改爱丽丝的", scope=self.scope("alice"), id="m1")
        assert memory.read("m1", scope=self.scope("bob")).content == CONTENTS[4]

    @requirement("ENG-5", "OBS-1")
    def test_other_content_under_the_same_id_is_its_next_revision(self, memory: Memory) -> None:
        memory.remember("喜欢喝咖啡", scope=self.scope(), id="m1", tags=["drink"])
        done = memory.remember("prefers tea now", scope=self.scope(), id="m1")
        assert (done.outcome, done.record.revision, done.record.content) == ("updated", 2, "prefers tea now")
        assert done.record.tags == ("drink",)
        assert [found.content for found in memory.every_record(scope=self.scope())] == ["prefers tea now"]

    @requirement("ENG-3")
    def test_many_are_answered_in_the_order_given(self, memory: Memory) -> None:
        given: list[Any] = [{"content": f"第 {place} 条 of many", "id": f"r{place}"} for place in range(120)]
        given += [CONTENTS[0], given[3]]
        results = memory.remember_many(given, scope=self.scope())
        assert [done.record.id for done in results[:120]] == [f"r{place}" for place in range(120)]
        assert [done.outcome for done in results] == ["created"] * 121 + ["unchanged"]
        assert len(list(memory.every_record(scope=self.scope()))) == 121
        assert memory.remember_many([], scope=self.scope()) == []

    @requirement("ENG-2", "ENG-3")
    def test_one_fault_in_many_refuses_all_and_names_it(self, memory: Memory) -> None:
        given: list[Any] = [{"content": CONTENTS[0]}, {"content": CONTENTS[1], "score": 7}, {"content": CONTENTS[2]}]
        with refused(InvalidRequest) as caught:
            memory.remember_many(given, scope=self.scope())
        assert any("1" in fault["field"] and "score" in fault["field"] for fault in caught.details["faults"])
        assert memory.records(scope=self.scope()).records == ()

    @requirement("ENG-2")
    def test_every_fault_is_told_at_once(self, memory: Memory) -> None:
        with refused(InvalidRequest) as caught:
            memory.remember("x", scope=self.scope(), score=2.0, half_life=-1, ttl=-60, confidence=-0.1)
        assert {fault["field"] for fault in caught.details["faults"]} >= {"score", "half_life", "ttl", "confidence"}

    @requirement("ENG-2", "PRO-3", "PRO-4", "PRO-5")
    def test_what_cannot_be_is_refused(self, memory: Memory) -> None:
        wrong: list[dict[str, object]] = [
            {"content": ""}, {"content": "  \n"}, {"content": "nul \x00"}, {"content": "长" * 400_000}, {"scope": ""}, {"scope": "*"},
            {"scope": "user:.."}, {"scope": "alice"}, {"scope": "user:a/user:b"}, {"id": ""}, {"id": "a\nb"}, {"ttl": 0},
            {"created_at": "2026-01-01T00:00:00"}, {"created_at": "yesterday"}, {"created_at": "1700000000"},
            {"valid_from": "2026-02-01T00:00:00Z", "valid_until": "2026-01-01T00:00:00Z"}, {"ttl": 60, "expires_at": NOW},
            {"meta": {"deep": float("nan")}},
        ]  # fmt: skip
        for arguments in wrong:
            given = {"content": "fine", "scope": self.scope()} | arguments
            with refused(InvalidRequest) as caught:
                memory.remember(given.pop("content"), **given)  # type: ignore[arg-type]
            assert caught.details["faults"], arguments
        assert memory.records(scope=self.scope()).records == ()

    @requirement("PRO-1", "PRO-3")
    def test_long_contents_and_odd_ids_arrive_whole(self, memory: Memory) -> None:
        long = "一万字的会议记录 minutes\n" * 12_000
        for name in ("a/b?c#d%e", "..", "长" * 300, "UPPER lower", "\U0001f9e0"):
            memory.remember(f"{name} {long}", scope=self.scope(), id=name)
            assert memory.read(name, scope=self.scope()).content == f"{name} {long}"

    @requirement("WRT-6")
    def test_a_credential_is_not_remembered(self, memory: Memory) -> None:
        with refused(SecretRefused):
            memory.remember(f"the token is {_TOKEN}", scope=self.scope())
        with refused(SecretRefused):
            memory.remember_many([CONTENTS[0], f"令牌：{_TOKEN}"], scope=self.scope())
        assert memory.records(scope=self.scope()).records == ()

    @requirement("PRO-9", "PRO-10")
    def test_a_raw_record_is_written_as_it_stands(self, memory: Memory) -> None:
        given = make("raw/1", self.scope(), created_at=None, status="pending", score=0.11, tags=("甲",), later_field={"kept": [1]})
        assert memory.write_record(given).outcome == "created"
        found = memory.read_record("raw/1", scope=self.scope())
        assert found.state() == given.state()
        assert memory.write_record(given).outcome == "unchanged"
        changed = MemoryRecord.model_validate(
            given.model_dump() | {"status": "active", "revision": 2, "updated_at": NOW + timedelta(days=1)}
        )
        assert memory.write_record(changed).outcome == "updated"
        assert memory.read_record("raw/1", scope=self.scope()).state() == changed.state()

    @requirement("STO-5", "CNF-1")
    def test_the_same_remembered_by_many_at_once_is_one_record(self, memory: Memory) -> None:
        with ThreadPoolExecutor(4) as pool:
            done = list(pool.map(lambda _: memory.remember(CONTENTS[5], scope=self.scope()), range(12)))
        assert len({each.record.id for each in done}) == 1
        assert sorted(each.outcome for each in done) == ["created"] + ["reinforced"] * 11
        assert len(list(memory.every_record(scope=self.scope()))) == 1

    @requirement("STO-5", "ENG-4")
    def test_memories_written_at_once_are_all_there(self, memory: Memory) -> None:
        def write(place: int) -> None:
            for turn in range(5):
                memory.remember(f"线程 {place} 的第 {turn} 条", scope=self.scope(), id=f"{place}-{turn}")

        with ThreadPoolExecutor(4) as pool:
            for each in [pool.submit(write, place) for place in range(4)]:
                each.result()
        assert {found.id for found in memory.every_record(scope=self.scope())} == {f"{p}-{t}" for p in range(4) for t in range(5)}
        assert len(memory.changes(scope=self.scope()).changes) == 20
