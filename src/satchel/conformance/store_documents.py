"""The contract of a store: documents. It must not know any store."""

from __future__ import annotations

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import make, put, remove
from satchel.errors import Conflict, InvalidRequest
from satchel.ports import Batch, Document, Store


class Documents(Contract):
    """`document`, `documents`: small things beside the memories."""

    subject = "store"

    def _write(self, store: Store, *documents: Document) -> None:
        store.apply(Batch(documents=documents))

    @requirement("MIG-6")
    def test_a_document_is_written_replaced_and_deleted(self, store: Store) -> None:
        value = {"文": ["列表", 1, 2.5, None, True], "deep": {"big": 10**20}, "": ""}
        self._write(store, Document("receipts", "k", value, "user:alice"))
        assert store.document("receipts", "k") == value
        self._write(store, Document("receipts", "k", {"n": 2}, "user:bob"))
        assert store.documents("receipts") == [Document("receipts", "k", {"n": 2}, "user:bob")]
        self._write(store, Document("receipts", "k", None), Document("receipts", "never was", None))
        assert store.document("receipts", "k") is None
        assert store.documents("receipts") == []

    @requirement("MIG-6")
    def test_the_last_of_a_batch_stands(self, store: Store) -> None:
        self._write(store, Document("c", "k", {"n": 1}), Document("c", "k", None), Document("c", "k", {"n": 3}), Document("c", "l", {}))
        self._write(store, Document("c", "l", {"n": 4}), Document("c", "l", None))
        assert store.documents("c") == [Document("c", "k", {"n": 3})]

    @requirement("ENG-3")
    def test_documents_and_records_are_written_together(self, store: Store) -> None:
        record = make("r", self.scope())
        store.apply(Batch([put(record, 0)], [Document("receipts", "1", {"id": "r"}, self.scope())]))
        assert store.document("receipts", "1") == {"id": "r"}
        store.apply(Batch([remove(record)]))
        assert store.document("receipts", "1") == {"id": "r"}

    @requirement("WRK-3", "ENG-3")
    def test_a_document_is_only_written_over_the_version_expected(self, store: Store) -> None:
        with refused(Conflict) as caught:
            self._write(store, Document("c", "k", {"version": 2}, expect=1))
        assert (caught.details["documents"], caught.details["expected"], caught.details["actual"]) == ([0], 1, 0)
        self._write(store, Document("c", "k", {"version": 1, "text": "第一"}, expect=0))
        with refused(Conflict) as caught:
            self._write(store, Document("c", "k", {"version": 1, "text": "second"}, expect=0))
        assert caught.details["actual"] == 1
        self._write(store, Document("c", "k", {"version": 7}, expect=1))
        with refused(Conflict):
            self._write(store, Document("c", "k", None, expect=1))
        assert store.document("c", "k") == {"version": 7}
        self._write(store, Document("c", "k", None, expect=7))
        assert store.document("c", "k") is None

    @requirement("WRK-3")
    def test_a_document_without_a_version_meets_no_expectation(self, store: Store) -> None:
        for value in ({}, {"version": "1"}, {"version": None}, {"version": True}, {"version": 1.0}):
            self._write(store, Document("c", "k", value))
            for expect in (0, 1):
                with refused(Conflict):
                    self._write(store, Document("c", "k", {"version": 2}, expect=expect))
        self._write(store, Document("c", "k", {"version": 1}))
        assert store.document("c", "k") == {"version": 1}

    @requirement("WRK-3", "ENG-3")
    def test_where_a_document_is_not_as_expected_nothing_of_the_batch_is_written(self, store: Store) -> None:
        self._write(store, Document("c", "stands", {"version": 3}))
        record = make("r", self.scope())
        documents = [Document("c", "first", {}), Document("c", "stands", {"version": 4}, expect=2), Document("c", "last", {}, expect=0)]
        with refused(Conflict) as caught:
            store.apply(Batch([put(record, 0)], documents))
        assert (caught.details["failed"], caught.details["documents"]) == ([], [1])
        assert store.get(self.scope(), ["r"]) == {}
        assert store.history(self.scope(), "r") == []
        assert [found.key for found in store.documents("c")] == ["stands"]

    @requirement("WRK-3")
    def test_documents_of_a_batch_are_expected_one_after_the_other(self, store: Store) -> None:
        steps = [Document("c", "k", {"version": 1}, expect=0), Document("c", "k", {"version": 2}, expect=1)]
        self._write(store, *steps, Document("c", "k", None, expect=2), Document("c", "k", {"version": 5}, expect=0))
        assert store.document("c", "k") == {"version": 5}
        with refused(Conflict) as caught:
            self._write(store, Document("c", "k", {"version": 6}, expect=5), Document("c", "k", {"version": 7}, expect=5))
        assert caught.details["documents"] == [1]
        assert store.document("c", "k") == {"version": 5}

    @requirement("STO-1")
    def test_collections_do_not_see_each_other(self, store: Store) -> None:
        self._write(store, Document("tokens", "k", {"n": 1}), Document("tokens2", "k", {"n": 2}), Document("token", "sk", {"n": 3}))
        assert store.document("tokens", "k") == {"n": 1}
        assert [found.value for found in store.documents("tokens")] == [{"n": 1}]
        assert store.document("none", "k") is None
        assert store.documents("none") == []

    @requirement("STO-7")
    def test_the_collections_are_those_that_hold_something(self, store: Store) -> None:
        assert store.collections() == []
        self._write(store, *(Document(name, key, {}) for name in ("b", "B", "中", "a-b", "a") for key in ("k", "l")))
        assert store.collections() == ["B", "a", "a-b", "b", "中"]
        self._write(store, Document("b", "k", None), Document("a", "k", None), Document("a", "l", None))
        assert store.collections() == ["B", "a-b", "b", "中"]

    @requirement("STO-1")
    def test_documents_are_listed_by_key_in_code_point_order(self, store: Store) -> None:
        keys = ["b", "B", "a/2", "a/10", "中", "\U0001f9e0", "é", "", "\uffff"]
        self._write(store, *(Document("c", key, {"key": key}) for key in keys))
        assert [found.key for found in store.documents("c")] == sorted(keys)

    @requirement("STO-1", "STO-3")
    def test_documents_are_chosen_by_prefix_scope_and_place(self, store: Store) -> None:
        keys = [f"{name}/{place}" for name in ("i1", "i1x", "i2") for place in range(4)]
        self._write(store, *(Document("c", key, {}, "user:alice" if place % 2 else None) for place, key in enumerate(keys)))
        assert [found.key for found in store.documents("c", prefix="i1/")] == keys[:4]
        assert [found.key for found in store.documents("c", prefix="i1/", after="i1/1")] == keys[2:4]
        assert [found.key for found in store.documents("c", prefix="i2", after="i1/1", limit=2)] == keys[8:10]
        assert [found.key for found in store.documents("c", scope="user:alice")] == keys[1::2]
        assert [found.key for found in store.documents("c", scope="user:alice", prefix="i1x", limit=1)] == ["i1x/1"]
        assert store.documents("c", scope="user:bob") == []
        assert store.documents("c", after=keys[-1]) == []
        with refused(InvalidRequest):
            store.documents("c", limit=0)

    @requirement("STO-1")
    def test_a_prefix_is_taken_as_it_stands(self, store: Store) -> None:
        keys = ["100%", "100_x", "1000", "a*b", "[a]", "\U0010ffff", "\U0010ffffz"]
        self._write(store, *(Document("c", key, {}) for key in keys))
        for prefix in ("100%", "100_", "a*", "[a]", "\U0010ffff", "none"):
            assert [found.key for found in store.documents("c", prefix=prefix)] == sorted(key for key in keys if key.startswith(prefix))

    @requirement("STO-1")
    def test_many_documents_are_paged_to_the_last(self, store: Store) -> None:
        self._write(store, *(Document("c", f"{place:05}", {"n": place}) for place in range(1500)))
        found: list[Document] = []
        while page := store.documents("c", after=found[-1].key if found else None):
            found += page
            assert len(found) <= 1500, "the pages go round in a circle"
        assert [document.key for document in found] == [f"{place:05}" for place in range(1500)]
