"""The contract of a memory: listing and following. It must not know whether the memory is embedded or remote."""

from __future__ import annotations

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import CONTENTS, later, make
from satchel.errors import InvalidRequest
from satchel.operations.memory import Memory
from satchel.protocol.record import MemoryRecord


class Reading(Contract):
    """`records`, `every_record`, `scopes`, `stats`, `changes`."""

    subject = "memory"

    def _written(self, memory: Memory) -> list[MemoryRecord]:
        records = [
            make(
                f"r{place:02}", self.scope(), f"{CONTENTS[place % 8]} · {place}", updated_at=later(place // 3), pinned=place % 5 == 0,
                type=["fact", "preference"][place % 2], tags=[("饮食",), ("diet", "饮食"), ()][place % 3],
                status=["active", "active", "archived", "pending"][place % 4], meta={"n": place % 3, "deep": {"even": place % 2 == 0}},
            )
            for place in range(20)
        ]  # fmt: skip
        for record in records:
            memory.write_record(record)
        return sorted(records, key=lambda record: (-record.updated_at.timestamp(), record.id))

    @requirement("ENG-1")
    def test_records_are_listed_newest_first_in_pages_of_any_size(self, memory: Memory) -> None:
        expected = [record.id for record in self._written(memory)]
        assert [found.id for found in memory.every_record(scope=self.scope())] == expected
        for size in (1, 3, 20):
            found, cursor = [], None
            while True:
                page = memory.records(scope=self.scope(), limit=size, cursor=cursor)
                found += [record.id for record in page.records]
                cursor = page.cursor
                if cursor is None or len(found) > 20:
                    break
            assert found == expected

    @requirement("ENG-5")
    def test_records_are_chosen_by_what_they_are(self, memory: Memory) -> None:
        records = self._written(memory)

        def ids(**conditions: object) -> list[str]:
            return [found.id for found in memory.records(scope=self.scope(), limit=100, **conditions).records]  # type: ignore[arg-type]

        assert ids(status="archived") == [record.id for record in records if record.status == "archived"]
        assert ids(status=["pending", "active"]) == [record.id for record in records if record.status != "archived"]
        assert ids(type="preference") == [record.id for record in records if record.type == "preference"]
        assert ids(tags=["饮食", "diet"]) == [record.id for record in records if {"饮食", "diet"} <= set(record.tags)]
        assert ids(where={"n": [0, 2], "deep.even": True}) == [r.id for r in records if r.meta["n"] in {0, 2} and r.meta["deep"]["even"]]
        assert ids(pinned=True) == [record.id for record in records if record.pinned]
        assert ids(status="deleted") == []

    @requirement("STO-3", "ACC-1")
    def test_a_listing_is_of_the_scopes_named(self, memory: Memory) -> None:
        for name in ("alice", "bob", "carol"):
            memory.remember(f"{name} 的记忆", scope=self.scope(name), id=name)
        memory.remember("project memory", scope=f"{self.scope('alice')}/project:web", id="p")
        assert [found.id for found in memory.records(scope=self.scope("alice")).records] == ["alice"]
        assert {found.id for found in memory.records(scope=[self.scope("bob"), self.scope("carol")]).records} == {"bob", "carol"}
        assert memory.records(scope=self.scope("nobody")).records == ()
        with refused(InvalidRequest):
            memory.records(scope=[])
        with refused(InvalidRequest):
            memory.records(scope="*")

    @requirement("PRO-5")
    def test_a_scope_may_be_spelled_in_any_order(self, memory: Memory) -> None:
        user = self.scope()
        memory.remember(CONTENTS[0], scope=f"project:a%2Fb/{user}", id="m1")
        assert memory.read("m1", scope=f"{user}/project:a%2Fb").scope == f"{user}/project:a%2Fb"

    @requirement("PRO-7", "ENG-1")
    def test_scopes_and_counts_are_told(self, memory: Memory) -> None:
        memory.remember_many([{"content": "一", "id": "a"}, {"content": "two", "id": "b", "type": "task"}, "三"], scope=self.scope())
        memory.update("a", scope=self.scope(), status="archived")
        memory.forget("b", scope=self.scope())
        (found,) = [each for each in memory.scopes() if each.scope == self.scope()]
        assert found.counts == {"active": 1, "archived": 1, "deleted": 1}
        stats = memory.stats(self.scope())
        assert {name: count for name, count in stats.by_status.items() if count} == {"active": 1, "archived": 1, "deleted": 1}
        assert stats.scopes == 1

    @requirement("ENG-4", "OBS-1")
    def test_changes_are_followed_from_a_position(self, memory: Memory) -> None:
        memory.remember(CONTENTS[0], scope=self.scope(), id="a")
        seen = memory.changes(scope=self.scope())
        assert [change.id for change in seen.changes] == ["a"]
        memory.remember("elsewhere", scope=self.scope("bob"), id="x")
        memory.update("a", scope=self.scope(), pinned=True)
        memory.remember(CONTENTS[1], scope=self.scope(), id="b")
        rest = memory.changes(scope=self.scope(), after=seen.position)
        assert [(change.id, change.revision) for change in rest.changes] == [("a", 2), ("b", 1)]
        assert memory.changes(scope=self.scope(), after=rest.position).changes == ()
        assert [change.id for change in memory.changes(scope=self.scope(), after=seen.position, limit=1).changes] == ["a"]
        assert [change.id for change in memory.changes(scope=[self.scope(), self.scope("bob")]).changes] == ["a", "x", "a", "b"]
