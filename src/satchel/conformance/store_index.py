"""The contract of a store: index entries and usage. It must not know any store."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import NOW, ids, later, make, put, remove, revise, tombstone, write
from satchel.errors import InvalidRequest
from satchel.ports import Batch, IndexEntry, IndexRow, Position, Store, StoredRecord, Use
from satchel.protocol.filters import RecordFilter


class Indexing(Contract):
    """`index_slice`, `write_index`, `unindexed`, `clear_vectors`, `touch`."""

    subject = "store"

    @requirement("STO-2", "RCL-1")
    def test_an_index_row_holds_what_ranking_must_know(self, store: Store) -> None:
        record = make(
            "r", self.scope(), type="preference", status="archived", source={"origin": "inferred"}, created_at=later(-5),
            stored_at=later(1), updated_at=later(2.5), score=0.7,
                half_life=3600.5, pinned=True, expires_at=later(60), tags=("乙", "a"),
        )  # fmt: skip
        store.apply(Batch([put(record, terms=b"\x00\x01t", vector=b"\x00\x3c\x00\xbc")]))
        store.touch([Use(self.scope(), "r", later(9), 2)])
        assert list(store.index_slice(self.scope()).rows) == [
            IndexRow(
                id="r", type="preference", status="archived", origin="inferred", moment=later(-5).timestamp(),
                updated=later(2.5).timestamp(), stored=later(1).timestamp(), accessed=later(9).timestamp(), access_count=2, score=0.7,
                half_life=3600.5, pinned=True, expires=later(60).timestamp(), tags=("乙", "a"),
                terms=b"\x00\x01t", vector=b"\x00\x3c\x00\xbc",
            )
        ]  # fmt: skip

    @requirement("STO-7")
    def test_a_stored_record_comes_with_what_is_kept_beside_it(self, store: Store) -> None:
        record, plain, gone = (make(name, self.scope()) for name in ("r", "plain", "gone"))
        first = store.apply(Batch([put(record, terms=b"\x00\x01t", vector=b"\x00\x3c\x00\xbc")]))
        store.apply(Batch([put(plain, terms=b""), put(gone, vector=b"vv")]))
        store.touch([Use(self.scope(), "r", later(9), 2)])
        last = store.apply(Batch([put(tombstone(gone))]))
        found = store.stored(self.scope(), ["r", "plain", "gone", "ghost", "lone \ud800"])
        assert found.keys() == {"r", "plain", "gone"}
        assert found["r"].record == store.get(self.scope(), ["r"])["r"]
        assert found["r"].record.usage.access_count == 2
        assert (found["r"].change, found["r"].terms, found["r"].vector) == (first, b"\x00\x01t", b"\x00\x3c\x00\xbc")
        assert (found["plain"].terms, found["plain"].vector) == (b"", None)
        assert (found["gone"].record.is_tombstone, found["gone"].change) == (True, last)
        assert (found["gone"].terms, found["gone"].vector) == (b"", None)
        assert store.stored(self.scope("bob"), ["r"]) == {}
        assert store.stored(self.scope(), []) == {}

    @requirement("STO-7")
    def test_stored_records_come_page_by_page_in_the_order_of_ids(self, store: Store) -> None:
        records = [make(name, self.scope(), f"note {name}") for name in ("b", "é", "B", "a", "乙", "aa", "gone")]
        write(store, *records)
        write(store, make("aa", self.scope("bob")))
        store.apply(Batch([put(tombstone(records[-1]))]))
        store.touch([Use(self.scope(), "aa", later(9), 2)])
        found, after = dict[str, StoredRecord](), ""
        while page := store.stored_page(self.scope(), after=after, limit=3):
            assert len(page) <= 3
            found |= page
            after = next(reversed(page))
        assert list(found) == ["B", "a", "aa", "b", "gone", "é", "乙"]
        assert found == store.stored(self.scope(), found.keys())
        assert store.stored_page(self.scope(), after="乙") == {}
        assert store.stored_page(self.scope("nobody")) == {}

    @requirement("RET-1", "RET-4")
    def test_a_row_without_times_says_so(self, store: Store) -> None:
        write(store, make("plain", self.scope(), created_at=None, stored_at=later(7)))
        write(
            store,
            make("ttl", self.scope(), created_at=NOW, ttl=90.5),
            make("old", self.scope(), created_at=datetime(1950, 1, 1, tzinfo=UTC)),
        )
        plain, ttl, old = store.index_slice(self.scope()).rows
        assert (plain.moment, plain.accessed, plain.expires, plain.vector, plain.tags) == (later(7).timestamp(), 0.0, math.inf, None, ())
        assert ttl.expires == later(90.5).timestamp()
        assert old.moment == datetime(1950, 1, 1, tzinfo=UTC).timestamp()

    @requirement("STO-3", "PRF-3")
    def test_a_slice_holds_the_living_records_of_its_scope_in_order_of_arrival(self, store: Store) -> None:
        records = [make(name, self.scope(), status=status) for name, status in [("z", "active"), ("a", "pending"), ("m", "archived")]]
        gone = make("gone", self.scope())
        write(store, *records, gone, make("b", self.scope("bob")), make("c", self.scope() + "/project:web"))
        store.apply(Batch([put(tombstone(gone)), put(revise(records[0]))]))
        part = store.index_slice(self.scope())
        assert part.complete
        assert ids(part) == ["z", "a", "m"]
        assert part.position == store.positions([self.scope()])[self.scope()]
        store.apply(Batch([remove(records[0])]))
        write(store, records[0])
        assert ids(store.index_slice(self.scope())) == ["a", "m", "z"]

    @requirement("RCL-7", "PRF-3")
    def test_a_later_slice_holds_only_what_changed_and_what_is_gone(self, store: Store) -> None:
        records = [make(f"r{place}", self.scope()) for place in range(5)]
        write(store, *records)
        before = store.index_slice(self.scope()).position
        write(store, make("elsewhere", self.scope("bob")))
        nothing = store.index_slice(self.scope(), before)
        assert (list(nothing.rows), set(nothing.gone), nothing.complete, nothing.position) == ([], set(), False, before)
        store.apply(
            Batch([put(revise(records[3], score=0.9)), put(tombstone(records[1])), remove(records[2]), put(make("new", self.scope()))])
        )
        part = store.index_slice(self.scope(), before)
        assert not part.complete
        assert [(row.id, row.score) for row in part.rows] == [("r3", 0.9), ("new", 0.5)]
        assert set(part.gone) == {"r1", "r2"}
        assert part.position == store.positions([self.scope()])[self.scope()]
        write(store, records[2])
        assert ids(store.index_slice(self.scope(), before)) == ["r3", "new", "r2"]

    @requirement("RCL-7")
    def test_a_position_that_cannot_be_answered_gives_the_whole_slice(self, store: Store) -> None:
        write(store, make("r", self.scope()))
        now = store.positions([self.scope()])[self.scope()]
        for foreign in (Position(now.change + 5, now.indexed), Position(now.change, now.indexed + 1)):
            part = store.index_slice(self.scope(), foreign)
            assert part.complete
            assert ids(part) == ["r"]

    @requirement("STO-2", "STO-4")
    def test_index_entries_are_written_only_while_their_content_stands(self, store: Store) -> None:
        first, second, gone = (make(name, self.scope()) for name in ("a", "b", "gone"))
        write(store, first, second, gone)
        store.apply(Batch([put(tombstone(gone))]))
        before = store.positions([self.scope()])[self.scope()]
        entries = [
            IndexEntry(self.scope(), "a", first.content_hash, vector=b"aa"),
            IndexEntry(self.scope(), "b", first.content_hash, vector=b"bb"),
            IndexEntry(self.scope(), "gone", gone.content_hash, vector=b"cc"),
            IndexEntry(self.scope(), "gone", "", vector=b"cc"),
            IndexEntry(self.scope("bob"), "a", first.content_hash, vector=b"dd"),
        ]
        assert store.write_index(entries) == 1
        part = store.index_slice(self.scope(), before)
        assert part.complete
        assert part.position == (before.change, before.indexed + 1)
        assert [(row.id, row.vector, row.terms) for row in part.rows] == [("a", b"aa", b"terms"), ("b", None, b"terms")]
        assert store.write_index(entries[1:]) == 0
        assert store.positions([self.scope()])[self.scope()] == part.position
        assert len(store.changes([self.scope()])) == 4

    @requirement("STO-2")
    def test_a_part_of_an_entry_that_is_not_given_stays(self, store: Store) -> None:
        record = make("r", self.scope())
        store.apply(Batch([put(record, vector=b"vv")]))
        store.write_index([IndexEntry(self.scope(), "r", record.content_hash, terms=b"other")])
        store.apply(Batch([put(revise(record, tags=("x",)), terms=b"")]))
        (row,) = store.index_slice(self.scope()).rows
        assert (row.terms, row.vector) == (b"other", b"vv")

    @requirement("STO-2", "STO-4")
    def test_another_content_needs_another_entry(self, store: Store) -> None:
        record = make("r", self.scope(), "旧内容")
        store.apply(Batch([put(record, vector=b"vv")]))
        assert store.count_unindexed() == 0
        store.apply(Batch([put(revise(record, content="new content"), terms=b"new")]))
        (row,) = store.index_slice(self.scope()).rows
        assert (row.terms, row.vector) == (b"new", None)
        assert [waiting.content for waiting in store.unindexed()] == ["new content"]

    @requirement("STO-4")
    def test_records_without_a_vector_are_listed_by_scope_and_id(self, store: Store) -> None:
        records = [make(f"r{place}", self.scope(scope)) for scope in ("bob", "alice") for place in (2, 1, 0)]
        done, forgotten = make("done", self.scope("bob")), make("forgotten", self.scope("alice"))
        write(store, *records, forgotten)
        store.apply(Batch([put(done, vector=b"vv"), put(tombstone(forgotten))]))
        expected = sorted((record.scope, record.id) for record in records)
        assert store.count_unindexed() == 6
        found = store.unindexed()
        assert [(waiting.scope, waiting.id) for waiting in found] == expected
        assert {waiting.content_hash for waiting in found} == {record.content_hash for record in records}
        some = store.unindexed(after=expected[1], limit=3)
        assert [(waiting.scope, waiting.id) for waiting in some] == expected[2:5]
        assert store.unindexed(after=expected[-1]) == []
        with refused(InvalidRequest):
            store.unindexed(limit=0)

    @requirement("STO-4")
    def test_clearing_the_vectors_leaves_records_and_terms(self, store: Store) -> None:
        store.apply(Batch([put(make("r", self.scope()), vector=b"vv"), put(make("s", self.scope("bob")), vector=b"vv")]))
        before = store.positions([self.scope(), self.scope("bob")])
        store.clear_vectors()
        assert store.count_unindexed() == 2
        part = store.index_slice(self.scope(), before[self.scope()])
        assert part.complete
        assert [(row.vector, row.terms) for row in part.rows] == [(None, b"terms")]
        assert store.positions([self.scope("bob")])[self.scope("bob")].indexed == before[self.scope("bob")].indexed + 1
        assert len(store.changes(None)) == 2

    @requirement("RET-3")
    def test_uses_add_up_and_the_latest_counts(self, store: Store) -> None:
        write(store, make("r", self.scope()), make("r", self.scope("bob")))
        store.touch([Use(self.scope(), "r", later(5), 2), Use(self.scope(), "r", later(1)), Use(self.scope(), "ghost", NOW)])
        store.touch([Use(self.scope("nobody"), "r", NOW), Use(self.scope(), "lone \ud800", NOW)])
        usage = store.get(self.scope(), ["r"])["r"].usage
        assert (usage.access_count, usage.last_access_at) == (3, later(5))
        assert store.get(self.scope("bob"), ["r"])["r"].usage.access_count == 0
        assert store.scan([self.scope()], RecordFilter()).records[0].usage == usage
        store.touch([Use(self.scope(), "r", datetime(1960, 1, 1, tzinfo=UTC), 1)])
        assert store.get(self.scope(), ["r"])["r"].usage.last_access_at == later(5)

    @requirement("RET-3")
    def test_usage_stays_with_a_record_that_changes(self, store: Store) -> None:
        record = make("r", self.scope())
        write(store, record)
        store.touch([Use(self.scope(), "r", NOW + timedelta(days=400), 3)])
        store.apply(Batch([put(revise(record, content="内容变了"))]))
        assert store.get(self.scope(), ["r"])["r"].usage.access_count == 3
        store.apply(Batch([remove(record)]))
        write(store, record)
        assert store.get(self.scope(), ["r"])["r"].usage.access_count == 0
