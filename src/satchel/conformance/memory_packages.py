"""The contract of a memory: packages and imports. It must not know whether the memory is embedded or remote."""

from __future__ import annotations

import io

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import CONTENTS, NOW, later, make, revise, tombstone
from satchel.errors import InvalidPackage, InvalidRequest, NotFound, VersionError
from satchel.operations.memory import Memory
from satchel.operations.models import ImportItem, ImportOrigin, IngestRequest
from satchel.protocol.package import Header, PackageLine, read_package, write_package
from satchel.protocol.record import MemoryRecord

_EVERY = ["active", "pending", "archived", "deleted"]


def _package(lines: list[PackageLine], **header: object) -> bytes:
    return b"".join(write_package(Header.model_validate({"producer": "conformance", "created_at": NOW} | header), lines))


class Packages(Contract):
    """`export`, `import_package`, `ingest`, `receipts`, `undo_import`."""

    subject = "memory"

    def _exported(self, memory: Memory, **request: object) -> bytes:
        target = io.BytesIO()
        size = memory.export(to=target, **({"scope": self.scope()} | request))  # type: ignore[arg-type]
        assert size == len(target.getvalue())
        return target.getvalue()

    def _lines(self, data: bytes) -> list[MemoryRecord]:
        with read_package(io.BytesIO(data)) as package:
            return [line for line in package.lines() if isinstance(line, MemoryRecord)]

    def _moving_in(self, memory: Memory) -> None:
        for place, content in enumerate(CONTENTS):
            memory.write_record(
                make(
                    f"m/{place}", self.scope(), content, status=["active", "pending", "archived"][place % 3], tags=("甲", "b"),
                    score=place / 10, meta={"n": [place, None]}, created_at=None if place % 4 == 0 else later(-place),
                    future_field={"kept": place},
                )
            )  # fmt: skip
        memory.forget("m/7", scope=self.scope())

    def _states(self, memory: Memory, scope: str) -> dict[str, dict[str, object]]:
        found = memory.every_record(scope=scope, status=_EVERY)
        return {record.id: record.model_dump(mode="json", exclude={"usage", "scope", "stored_at"}) for record in found}

    @requirement("PRO-10", "PRO-1", "ADP-4")
    def test_a_package_carries_everything_into_another_place(self, memory: Memory) -> None:
        self._moving_in(memory)
        report = memory.import_package(io.BytesIO(self._exported(memory)), scope_map={self.scope(): self.scope("new")})
        assert report.counts["created"] == 7
        assert self._states(memory, self.scope("new")) == self._states(memory, self.scope())
        with refused(NotFound):
            memory.read("m/7", scope=self.scope("new"))

    @requirement("PRO-10")
    def test_the_same_package_again_changes_nothing(self, memory: Memory) -> None:
        self._moving_in(memory)
        data = self._exported(memory)
        before = memory.changes(scope=self.scope()).position
        report = memory.import_package(io.BytesIO(data))
        assert report.counts == {"unchanged": 8}
        assert memory.changes(scope=self.scope()).position == before

    @requirement("PRO-10")
    def test_a_package_has_tombstones_first_and_a_trailer_that_proves_it(self, memory: Memory) -> None:
        self._moving_in(memory)
        lines = self._lines(self._exported(memory))
        assert [line.id for line in lines if line.is_tombstone] == ["m/7"]
        assert lines[0].is_tombstone
        assert sorted(line.id for line in lines[1:]) == [f"m/{place}" for place in range(7)]
        assert {line.scope for line in lines} == {self.scope()}

    @requirement("PRO-10")
    def test_a_damaged_package_is_refused_before_anything_is_written(self, memory: Memory) -> None:
        data = _package([make(f"r{place}", self.scope(), f"第 {place} 条") for place in range(30)])
        altered = data.replace("第 7 条".encode(), "第 8 条".encode(), 1)
        for damaged in (b"", data[:-2], data[: len(data) // 2], altered, data + b"{}\n", b"\xef\xbb\xbf" + data, b"not a package\n"):
            with refused(InvalidPackage):
                memory.import_package(io.BytesIO(damaged))
        assert memory.records(scope=self.scope()).records == ()

    @requirement("PRO-11")
    def test_a_newer_major_version_is_refused_and_names_both(self, memory: Memory) -> None:
        data = _package([make("r", self.scope())]).replace(b'"protocol":"1.0"', b'"protocol":"2.0"', 1)
        with refused(VersionError) as caught:
            memory.import_package(io.BytesIO(data))
        assert caught.details["found"] == "2.0"
        assert memory.records(scope=self.scope()).records == ()

    @requirement("PRO-11", "PRO-10")
    def test_a_later_minor_version_passes_through_unharmed(self, memory: Memory) -> None:
        record = MemoryRecord.model_validate(make("r", self.scope()).model_dump() | {"v": "1.9", "new_member": {"x": [None]}})
        memory.import_package(io.BytesIO(_package([record], protocol="1.9")))
        (found,) = self._lines(self._exported(memory))
        assert found.state() == record.model_copy(update={"stored_at": found.stored_at}).state()

    @requirement("RET-5", "PRO-10")
    def test_a_package_does_not_bring_back_what_was_forgotten(self, memory: Memory) -> None:
        memory.remember_many([{"content": CONTENTS[0], "id": "m1"}, {"content": CONTENTS[1], "id": "m2"}], scope=self.scope())
        old = self._exported(memory)
        memory.forget("m1", scope=self.scope())
        report = memory.import_package(io.BytesIO(old))
        assert report.counts.get("created", 0) == 0
        assert memory.read_record("m1", scope=self.scope()).is_tombstone
        other_id = make("another-id", self.scope(), CONTENTS[0])
        memory.import_package(io.BytesIO(_package([other_id])))
        with refused(NotFound):
            memory.read("another-id", scope=self.scope())
        assert [found.id for found in memory.every_record(scope=self.scope())] == ["m2"]

    @requirement("RET-5", "PRO-10")
    def test_a_tombstone_in_a_package_forgets_here(self, memory: Memory) -> None:
        record = make("m1", self.scope(), CONTENTS[0])
        memory.write_record(record)
        report = memory.import_package(io.BytesIO(_package([tombstone(record)])))
        assert report.counts == {"deleted": 1}
        assert memory.recall("花生过敏", scope=self.scope()) == []
        assert memory.read_record("m1", scope=self.scope()).is_tombstone

    @requirement("PRO-10")
    def test_two_versions_merge_to_the_later_whatever_the_order(self, memory: Memory) -> None:
        older = make("m1", self.scope(), "旧的说法")
        newer = revise(older, content="the newer wording")
        for first, second, scope in ((older, newer, "alice"), (newer, older, "bob")):
            for record in (first, second):
                moved = record.model_copy(update={"scope": self.scope(scope)})
                memory.import_package(io.BytesIO(_package([moved])))
            assert memory.read("m1", scope=self.scope(scope)).content == newer.content

    @requirement("PRO-10")
    def test_a_dry_run_says_what_would_happen_and_writes_nothing(self, memory: Memory) -> None:
        report = memory.import_package(io.BytesIO(_package([make("m1", self.scope())])), dry_run=True)
        assert report.counts == {"created": 1}
        assert memory.records(scope=self.scope()).records == ()

    @requirement("PRO-10", "STO-3")
    def test_an_export_names_its_scopes(self, memory: Memory) -> None:
        for name in ("alice", "bob"):
            memory.remember(f"{name} 的", scope=self.scope(name), id=name)
        assert [line.id for line in self._lines(self._exported(memory))] == ["alice"]
        both = self._exported(memory, scope=[self.scope("alice"), self.scope("bob")])
        assert {line.id for line in self._lines(both)} == {"alice", "bob"}
        assert self._lines(self._exported(memory, scope=self.scope("nobody"))) == []
        wrong: list[dict[str, object]] = [{"scope": None}, {"scope": []}, {"everything": True}]
        for request in wrong:
            with refused(InvalidRequest):
                self._exported(memory, **request)

    @requirement("PRO-10")
    def test_an_export_since_a_position_holds_what_changed(self, memory: Memory) -> None:
        memory.remember_many([{"content": CONTENTS[0], "id": "a"}, {"content": CONTENTS[1], "id": "b"}], scope=self.scope())
        position = memory.changes(scope=self.scope()).position
        memory.update("a", scope=self.scope(), pinned=True)
        memory.forget("b", scope=self.scope())
        assert [(line.id, line.is_tombstone) for line in self._lines(self._exported(memory, since=position))] == [("b", True), ("a", False)]

    @requirement("ACC-4", "PRO-8")
    def test_sensitive_records_leave_only_on_demand(self, memory: Memory) -> None:
        memory.remember("普通的一条", scope=self.scope(), id="a")
        memory.remember("a private matter", scope=self.scope(), id="b", sensitivity="sensitive")
        assert [line.id for line in self._lines(self._exported(memory))] == ["a"]
        assert {line.id for line in self._lines(self._exported(memory, include_sensitive=True))} == {"a", "b"}

    @requirement("MIG-6")
    def test_an_import_gives_each_item_a_receipt_and_is_undone(self, memory: Memory) -> None:
        import_id = f"import-{self.scope()}"
        origin = ImportOrigin(kind="jsonl", path="notes.jsonl", scope=self.scope())
        items = (
            ImportItem(item="notes.jsonl:1", record=make("i1", self.scope(), source={"origin": "imported", "import_id": import_id})),
            ImportItem(item="notes.jsonl:2", outcome="dropped", reason="空行"),
            ImportItem(item="notes.jsonl:3", record=make("i2", self.scope(), source={"origin": "imported", "import_id": import_id})),
        )
        request = IngestRequest(import_id=import_id, origin=origin, items=items, final=True)
        receipts = memory.ingest(request)
        assert [(receipt.item, receipt.outcome) for receipt in receipts] == [
            ("notes.jsonl:1", "accepted"), ("notes.jsonl:2", "dropped"), ("notes.jsonl:3", "accepted"),
        ]  # fmt: skip
        again = memory.ingest(request)
        assert [receipt.item for receipt in again] == [receipt.item for receipt in receipts]
        assert [receipt.item for receipt in memory.receipts(import_id)] == ["notes.jsonl:1", "notes.jsonl:2", "notes.jsonl:3"]
        assert import_id in {found.import_id for found in memory.imports()}
        assert len(list(memory.every_record(scope=self.scope()))) == 2
        undone = memory.undo_import(import_id)
        assert (undone.removed, undone.kept) == (2, 0)
        assert list(memory.every_record(scope=self.scope(), status=_EVERY)) == []
        with refused(NotFound):
            list(memory.receipts("no such import"))
