"""The contract of a store: erasure. It must not know any store."""

from __future__ import annotations

from satchel.conformance.contract import Contract, requirement
from satchel.conformance.samples import NOW, ids, log, make, put, remove, revise, tombstone, write
from satchel.ports import Batch, Store, Use
from satchel.protocol.record import MemoryRecord


class Erasing(Contract):
    """A tombstone, or taking out, leaves no content behind."""

    subject = "store"

    def _grown(self, store: Store) -> MemoryRecord:
        """Write a record of three revisions, embedded and used; return the last."""
        record = make("r", self.scope(), "第一版：住在北京朝阳区")
        store.apply(Batch([put(record, vector=b"\x00\x3c")]))
        for content in ("second: moved to Hangzhou", "第三版：搬到了成都"):
            record = revise(record, content=content)
            store.apply(Batch([put(record, vector=b"\x00\x3c", log=log("correct", "writer", f"because {content}"))]))
        store.touch([Use(self.scope(), "r", NOW, 4)])
        return record

    @requirement("RET-5", "OBS-1")
    def test_a_tombstone_erases_what_the_log_held_and_keeps_who_and_when(self, store: Store) -> None:
        record = self._grown(store)
        store.apply(Batch([put(tombstone(record), record.revision, log=log("forget", "other", "用户要求", NOW))]))
        entries = store.history(self.scope(), "r")
        assert [entry.operation for entry in entries] == ["remember", "correct", "correct", "forget"]
        assert [entry.before for entry in entries] == [None] * 4
        assert all(entry.erased for entry in entries)
        assert [entry.reason for entry in entries] == [None, None, None, "用户要求"]
        assert [entry.agent for entry in entries] == ["writer", "writer", "writer", "other"]
        assert all(entry.before is None and entry.erased for entry in store.changes([self.scope()]))

    @requirement("RET-5")
    def test_taking_out_erases_what_the_log_held(self, store: Store) -> None:
        record = self._grown(store)
        store.apply(Batch([remove(record, record.revision)]))
        entries = store.history(self.scope(), "r")
        assert [entry.before for entry in entries] == [None] * 4
        assert all(entry.erased for entry in entries)

    @requirement("RET-5")
    def test_erasure_within_one_batch_reaches_that_batch(self, store: Store) -> None:
        record = make("r", self.scope(), "写了又删")
        second = revise(record, content="written and forgotten at once")
        store.apply(Batch([put(record, 0), put(second, 1), put(tombstone(second), 2)]))
        assert [(entry.before, entry.erased) for entry in store.history(self.scope(), "r")] == [(None, True)] * 3
        assert store.get(self.scope(), ["r"])["r"].is_tombstone

    @requirement("RET-5")
    def test_a_tombstone_has_no_index_entry_and_no_usage(self, store: Store) -> None:
        record = self._grown(store)
        store.apply(Batch([put(tombstone(record))]))
        assert ids(store.index_slice(self.scope())) == []
        assert store.count_unindexed() == 0
        assert store.unindexed() == []
        assert store.get(self.scope(), ["r"])["r"].usage.access_count == 0
        store.touch([Use(self.scope(), "r", NOW)])
        assert store.get(self.scope(), ["r"])["r"].usage.access_count == 0

    @requirement("RET-5")
    def test_what_comes_again_brings_nothing_of_the_old_back(self, store: Store) -> None:
        record = self._grown(store)
        store.apply(Batch([put(tombstone(record))]))
        anew = make("r", self.scope(), "全新的内容", revision=5)
        store.apply(Batch([put(anew, 4, terms=b"")]))
        (row,) = store.index_slice(self.scope()).rows
        assert (row.access_count, row.accessed, row.vector, row.terms) == (0, 0.0, None, b"")
        last = store.history(self.scope(), "r")[-1]
        assert last.before is not None
        assert last.before.is_tombstone
        assert not last.erased

    @requirement("RET-5")
    def test_erasure_leaves_every_other_record_alone(self, store: Store) -> None:
        record = self._grown(store)
        others = [make("s", self.scope(), record.content), make("r", self.scope("bob"), "Bob's own")]
        write(store, *others)
        store.apply(Batch([put(revise(other, tags=("kept",))) for other in others]))
        store.apply(Batch([put(tombstone(record))]))
        for other in others:
            assert store.get(other.scope, [other.id])[other.id].content == other.content
            before = store.history(other.scope, other.id)[1].before
            assert before is not None
            assert before.content == other.content

    @requirement("RET-5", capability="scrub")
    def test_scrubbing_ends_well_when_nobody_reads(self, store: Store) -> None:
        record = self._grown(store)
        write(store, make("kept", self.scope(), "留下的 stays"))
        store.apply(Batch([put(tombstone(record))]))
        assert store.scrub() is True
        assert store.get(self.scope(), ["kept"])["kept"].content == "留下的 stays"
        assert store.check() == []

    @requirement("STO-5")
    def test_a_store_that_has_lived_finds_itself_sound(self, store: Store) -> None:
        record = self._grown(store)
        others = [make(f"o{place}", self.scope("bob"), f"其他 {place}") for place in range(20)]
        write(store, *others)
        store.apply(Batch([put(tombstone(record)), *(remove(other) for other in others[::3])]))
        store.apply(Batch([put(revise(other, status="archived")) for other in others[1::3]]))
        store.clear_vectors()
        assert store.check() == []
