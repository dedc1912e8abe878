"""The contract of a store: several threads, snapshots, the end. It must not know any store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import NOW, ids, make, put, remove, revise, write
from satchel.errors import Conflict, StoreUnavailable
from satchel.ports import Batch, Document, Store, Use
from satchel.protocol.filters import RecordFilter

_EVERY = RecordFilter(statuses=())


_ATTEMPTS = 1000


def _until_it_fits(attempt: Callable[[], object]) -> None:
    """Try again on a conflict, as writers do; a store where it never fits must fail the test and not hold it for ever."""
    for _ in range(_ATTEMPTS):
        try:
            attempt()
        except Conflict:
            continue
        return
    raise AssertionError(f"a change of what was just read met a conflict {_ATTEMPTS} times in a row")


def _thirty_times(change: Callable[[], object]) -> None:
    """Make a change in six threads at once, five times in each."""

    def five() -> None:
        for _ in range(5):
            _until_it_fits(change)

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(five) for _ in range(6)]:
            done.result()


def _elsewhere(work: Callable[[], object]) -> None:
    """Do something in another thread, to its end."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


class Threads(Contract):
    """Every method may be called from any thread."""

    subject = "store"

    @requirement("STO-5")
    def test_concurrent_changes_of_one_record_lose_none(self, store: Store) -> None:
        write(store, make("r", self.scope(), meta={"n": 0}))

        def increment() -> None:
            record = store.get(self.scope(), ["r"])["r"]
            store.apply(Batch([put(revise(record, meta={"n": record.meta["n"] + 1}), record.revision)]))

        _thirty_times(increment)
        record = store.get(self.scope(), ["r"])["r"]
        assert (record.meta, record.revision) == ({"n": 30}, 31)
        assert [change.revision for change in store.history(self.scope(), "r")] == list(range(1, 32))

    @requirement("STO-5", "WRK-3")
    def test_concurrent_changes_of_one_document_lose_none(self, store: Store) -> None:
        def increment() -> None:
            version = (store.document("c", "k") or {"version": 0})["version"]
            store.apply(Batch(documents=[Document("c", "k", {"version": version + 1}, self.scope(), expect=version)]))

        _thirty_times(increment)
        assert store.document("c", "k") == {"version": 30}

    @requirement("STO-5", "ENG-3")
    def test_a_write_that_fails_harms_none_beside_it(self, store: Store) -> None:
        write(store, make("taken", self.scope()))
        start = threading.Barrier(8)

        def attempt(place: int) -> bool:
            start.wait()
            for turn in range(6):
                name = f"w{place}-{turn}"
                changes = [put(make(name, self.scope()), 0)]
                if place % 2:
                    changes.append(put(make("taken", self.scope()), 0))
                try:
                    store.apply(Batch(changes))
                except Conflict as error:
                    assert error.details["failed"] == [1]
                    assert place % 2
            return True

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(attempt, range(8)))
        expected = {"taken"} | {f"w{place}-{turn}" for place in (0, 2, 4, 6) for turn in range(6)}
        assert {record.id for record in store.scan([self.scope()], _EVERY, limit=1000).records} == expected
        changes = store.changes([self.scope()])
        assert sorted(change.id for change in changes) == sorted(expected)
        assert len({change.position for change in changes}) == len(changes)

    @requirement("RCL-7")
    def test_reading_sees_one_state_while_others_write(self, store: Store) -> None:
        record = make("r", self.scope())
        write(store, record, make("gone", self.scope()))
        with store.reading():
            before = store.positions([self.scope()])
            _elsewhere(lambda: store.apply(Batch([put(revise(record, content="新的内容")), remove(make("gone", self.scope()))])))
            _elsewhere(lambda: store.touch([Use(self.scope(), "r", NOW)]))
            assert store.get(self.scope(), ["r", "gone"]).keys() == {"r", "gone"}
            assert store.get(self.scope(), ["r"])["r"] == record
            assert store.positions([self.scope()]) == before
            assert ids(store.index_slice(self.scope())) == ["r", "gone"]
            with store.reading():
                assert len(store.history(self.scope(), "r")) == 1
            assert len(store.changes([self.scope()])) == 2
        assert store.get(self.scope(), ["r"])["r"].content == "新的内容"
        assert len(store.changes([self.scope()])) == 4

    @requirement("RCL-7")
    def test_what_was_acknowledged_is_read_at_once_by_every_thread(self, store: Store) -> None:
        record = make("r", self.scope())
        write(store, record)
        for turn in range(10):
            record = revise(record, content=f"第 {turn} 版")
            _elsewhere(lambda record=record: store.apply(Batch([put(record)])))  # type: ignore[misc]
            assert store.get(self.scope(), ["r"])["r"].content == f"第 {turn} 版"

    @requirement("RCL-7")
    def test_a_block_of_reading_passes_its_errors_on(self, store: Store) -> None:
        passed_on = False
        try:
            with store.reading():
                raise OSError("the caller's own")
        except OSError as error:
            passed_on = str(error) == "the caller's own"
        assert passed_on
        write(store, make("r", self.scope()))
        assert store.get(self.scope(), ["r"]).keys() == {"r"}

    @requirement("STO-5")
    def test_a_closed_store_says_so(self, store: Store) -> None:
        write(store, make("r", self.scope()))
        store.close()
        with refused(StoreUnavailable):
            store.get(self.scope(), ["r"])
        with refused(StoreUnavailable):
            write(store, make("s", self.scope()))
        store.close()
