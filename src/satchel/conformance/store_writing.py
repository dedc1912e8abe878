"""The contract of a store: writing. It must not know any store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import NOW, log, make, put, remove, revise, tombstone, write
from satchel.errors import Conflict, InvalidRequest
from satchel.ports import Batch, Document, Put, Remove, Store
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord

_EVERY = RecordFilter(statuses=())


class Writing(Contract):
    """`apply`: whole, conditional, exact."""

    subject = "store"

    @requirement("PRO-1", "STO-1")
    def test_a_record_reads_back_with_every_field(self, store: Store) -> None:
        record = MemoryRecord.model_validate(
            make("全/部 fields", self.scope()).model_dump(exclude={"content_hash"})
            | {
                "v": "1.7", "type": "recipe", "score": 0.1 + 0.2, "half_life": 86_400.5, "ttl": 60.25, "confidence": 0.25,
                "status": "pending", "pinned": True, "tags": ("饮食", "diet"), "retention": "core", "revision": 7,
                "valid_from": NOW, "valid_until": NOW + timedelta(days=9), "due_at": NOW, "expires_at": NOW + timedelta(days=3),
                "source": {"agent": "writer", "session": "s/1", "message": "m", "origin": "inferred", "time_basis": "mtime", "later": 1},
                "access": {"sensitivity": "secret", "exportable": False},
                "relations": {"supersedes": ["a", "b"], "derived_from": ["原"]},
                "meta": {"深": {"x": [1, 2.5, None, True, "1"]}, "big": 10**24, "small": 1e-9, "empty": {}},
                "a_field_of_the_future": {"kept": [None]},
            }
        )  # fmt: skip
        write(store, record)
        found = store.get(record.scope, [record.id])[record.id]
        assert found.state() == record.state()
        assert found.tags == record.tags
        assert found.meta == record.meta

    @requirement("PRO-1", "PRO-4")
    def test_times_of_every_year_keep_their_microsecond(self, store: Store) -> None:
        moments = [
            datetime(1, 1, 1, 0, 0, 0, 1, UTC), datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), datetime(1970, 1, 1, tzinfo=UTC),
            datetime(2101, 2, 3, 4, 5, 6, 700001, UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
        ]  # fmt: skip
        records = [make(f"t{place}", self.scope(), created_at=moment, updated_at=moment) for place, moment in enumerate(moments)]
        write(store, *records)
        found = store.get(self.scope(), [record.id for record in records])
        assert [found[record.id].created_at for record in records] == moments
        newest_first = store.scan([self.scope()], _EVERY, order="updated").records
        assert [record.updated_at for record in newest_first] == moments[::-1]

    @requirement("PRO-1")
    def test_ids_and_contents_of_any_alphabet_and_length_are_kept(self, store: Store) -> None:
        ids = ["a/b", "..", " lead and trail ", "用户-1", "\U0001f9e0" * 512, "A", "a", "e\u0301", "é", "100%_", "'\"\\;--"]
        contents = ["x", "𠮷野家\u2028\ufeff", "line\nline\r\n\ttab", "长" * 349_525, '{"kind":"trailer"}', "'; DROP TABLE memories; --"]
        records = [make(name, self.scope(), f"{contents[place % len(contents)]}") for place, name in enumerate(ids)]
        write(store, *records)
        found = store.get(self.scope(), ids)
        assert {name: found[name].content for name in ids} == {record.id: record.content for record in records}

    @requirement("ENG-3")
    def test_a_batch_keeps_every_record_to_the_last(self, store: Store) -> None:
        records = [make(f"r{place:04}", self.scope(), f"第 {place} 条 note") for place in range(301)]
        write(store, *records)
        assert store.get(self.scope(), [record.id for record in records]).keys() == {record.id for record in records}
        assert store.scopes()[-1].counts == {"active": 301}

    @requirement("ENG-3", "STO-5")
    def test_a_batch_is_written_whole_or_not_at_all(self, store: Store) -> None:
        kept = make("kept", self.scope())
        before = write(store, kept)
        document = Document("plans", "p1", {"done": False})
        with refused(Conflict):
            store.apply(Batch([put(make("new", self.scope()), 0), put(revise(kept), 9), put(make("last", self.scope()), 0)], [document]))
        assert store.get(self.scope(), ["kept", "new", "last"]) == {"kept": kept}
        assert store.document("plans", "p1") is None
        assert len(store.changes([self.scope()])) == 1
        assert store.positions([self.scope()])[self.scope()].change == before
        assert store.apply(Batch()) == before

    @requirement("PRO-1", "STO-5")
    def test_a_conflict_names_every_change_that_failed_and_the_revisions(self, store: Store) -> None:
        write(store, make("a", self.scope(), revision=4), make("b", self.scope()))
        changes = [put(make("a", self.scope()), 3), put(make("c", self.scope()), 0), put(make("b", self.scope()), 0)]
        with refused(Conflict) as caught:
            store.apply(Batch(changes))
        assert caught.details == {"failed": [0, 2], "expected": 3, "actual": 4}

    @requirement("PRO-1")
    def test_an_expectation_is_a_revision_or_absence_or_neither(self, store: Store) -> None:
        record = make("r", self.scope(), revision=5)
        with refused(Conflict):
            store.apply(Batch([put(record, 5)]))
        store.apply(Batch([put(record, 0)]))
        with refused(Conflict):
            store.apply(Batch([put(record, 0)]))
        store.apply(Batch([put(revise(record), 5)]))
        store.apply(Batch([put(make("r", self.scope(), revision=2), None)]))
        assert store.get(self.scope(), ["r"])["r"].revision == 2

    @requirement("ENG-3")
    def test_a_change_is_judged_after_those_before_it_in_its_batch(self, store: Store) -> None:
        first = make("r", self.scope())
        second = revise(first, content="改过的内容")
        store.apply(Batch([put(first, 0), put(second, 1), put(revise(second, content="and again"), 2)]))
        assert store.get(self.scope(), ["r"])["r"].content == "and again"
        assert [change.revision for change in store.history(self.scope(), "r")] == [1, 2, 3]
        store.apply(Batch([remove(first, 3), put(first, 0)]))
        assert store.get(self.scope(), ["r"])["r"].revision == 1

    @requirement("STO-3", "PRO-5")
    def test_the_same_id_in_two_scopes_is_two_records(self, store: Store) -> None:
        ours, theirs = make("1", self.scope("alice"), "阿丽的"), make("1", self.scope("bob"), "Bob's")
        write(store, ours, theirs)
        store.apply(Batch([put(revise(ours, content="只改阿丽的"), 1)]))
        assert store.get(theirs.scope, ["1"]) == {"1": theirs}
        store.apply(Batch([remove(ours)]))
        assert store.get(ours.scope, ["1"]) == {}
        assert store.get(theirs.scope, ["1"]) == {"1": theirs}

    @requirement("CNF-1")
    def test_a_content_already_there_is_refused_where_it_must_be_new(self, store: Store) -> None:
        text = "同一句话 said twice"
        write(store, make("first", self.scope(), text, status="archived"))
        again = Put(make("second", self.scope(), text), log(), 0, only_if_new_content=True)
        with refused(Conflict) as caught:
            store.apply(Batch([again]))
        assert caught.details["failed"] == [0]
        store.apply(Batch([Put(make("second", self.scope("bob"), text), log(), 0, only_if_new_content=True)]))
        store.apply(Batch([Put(make("first", self.scope(), text, revision=2), log(), 1, only_if_new_content=True)]))
        store.apply(Batch([put(make("third", self.scope(), text), 0)]))
        assert set(store.get(self.scope(), ["first", "second", "third"])) == {"first", "third"}

    @requirement("CNF-1")
    def test_a_content_must_be_new_within_its_batch_too(self, store: Store) -> None:
        text = "批内重复 within one batch"
        twice = [Put(make(name, self.scope(), text), log(), 0, only_if_new_content=True) for name in ("a", "b")]
        with refused(Conflict) as caught:
            store.apply(Batch(twice))
        assert caught.details["failed"] == [1]
        moved = revise(make("a", self.scope(), text), content="moved on")
        store.apply(Batch([twice[0], put(moved), twice[1]]))
        assert store.find(self.scope(), [twice[0].record.content_hash]) == {twice[0].record.content_hash: "b"}

    @requirement("RET-5", "CNF-1")
    def test_what_was_forgotten_can_be_remembered_anew(self, store: Store) -> None:
        record = make("r", self.scope(), "删除之后再次加入")
        write(store, record)
        store.apply(Batch([put(tombstone(record))]))
        store.apply(Batch([Put(make("anew", self.scope(), record.content), log(), 0, only_if_new_content=True)]))
        store.apply(Batch([put(make("r", self.scope(), record.content, revision=3), 2)]))
        assert {found.content for found in store.get(self.scope(), ["r", "anew"]).values()} == {record.content}

    @requirement("MIG-6")
    def test_a_record_taken_out_leaves_nothing_in_its_place(self, store: Store) -> None:
        record = make("r", self.scope())
        write(store, record, make("other", self.scope()))
        with refused(Conflict):
            store.apply(Batch([remove(record, 2)]))
        store.apply(Batch([remove(record, 1)]))
        assert store.get(self.scope(), ["r"]) == {}
        assert store.find(self.scope(), [record.content_hash]) == {}
        assert [found.id for found in store.scan([self.scope()], _EVERY).records] == ["other"]

    @requirement("MIG-6")
    def test_taking_out_what_is_not_there_changes_nothing(self, store: Store) -> None:
        before = write(store, make("r", self.scope()))
        ghost = make("ghost", self.scope("nobody"))
        assert store.apply(Batch([remove(ghost), Remove(self.scope(), "ghost", log(), 0)])) == before
        assert store.changes([self.scope("nobody")]) == []
        assert [count.scope for count in store.scopes()] == [self.scope()]

    @requirement("PRO-1", "RET-3")
    def test_usage_that_comes_with_a_record_is_merged_by_maximum(self, store: Store) -> None:
        early, late = NOW, NOW + timedelta(days=1)
        record = make("r", self.scope(), usage={"last_access_at": late, "access_count": 2})
        write(store, record)
        store.apply(Batch([put(revise(record, usage={"last_access_at": early, "access_count": 5}), 1)]))
        assert store.get(self.scope(), ["r"])["r"].usage.model_dump() == {"last_access_at": late, "access_count": 5}
        store.apply(Batch([put(make("r", self.scope(), revision=3), 2)]))
        assert store.get(self.scope(), ["r"])["r"].usage.access_count == 5

    @requirement("STO-1")
    def test_nobody_holds_a_part_of_the_store_in_hand(self, store: Store) -> None:
        record = make("r", self.scope(), meta={"list": [1]})
        write(store, record)
        record.meta["list"].append(2)
        store.get(self.scope(), ["r"])["r"].meta["list"].append(3)
        assert store.get(self.scope(), ["r"])["r"].meta == {"list": [1]}

    @requirement("STO-1")
    def test_what_no_store_could_keep_is_refused_before_anything_is_written(self, store: Store) -> None:
        good = make("good", self.scope())
        with refused(InvalidRequest):
            store.apply(Batch([put(good), put(make("r", self.scope(), revision=2**70))]))
        with refused(InvalidRequest):
            store.apply(Batch([put(good)], [Document("c", "lone \ud800", {})]))
        with refused(InvalidRequest):
            store.apply(Batch([put(good)], [Document("c", "k", {"at": NOW})]))
        assert store.get(self.scope(), ["good"]) == {}
