"""The contract of a store: the change log and positions. It must not know any store."""

from __future__ import annotations

from dataclasses import replace

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import NOW, later, log, make, put, remove, revise, tombstone, write
from satchel.errors import InvalidRequest
from satchel.ports import Batch, Document, Store, Use


class Logging(Contract):
    """`changes`, `history`, `positions`: who did what, when and why."""

    subject = "store"

    @requirement("OBS-1")
    def test_every_change_says_who_when_why_and_what_was_before(self, store: Store) -> None:
        first = make("r", self.scope())
        second = revise(first, content="更正后的内容", tags=("新",))
        store.apply(Batch([put(first, log=log("remember", "writer"))]))
        store.apply(Batch([put(second, log=log("correct", None, "用户更正", later(5)))]))
        created, corrected = store.history(self.scope(), "r")
        assert (created.operation, created.agent, created.at, created.reason) == ("remember", "writer", NOW, None)
        assert (corrected.operation, corrected.agent, corrected.at, corrected.reason) == ("correct", None, later(5), "用户更正")
        assert (created.scope, created.id, created.revision, created.before, created.erased) == (self.scope(), "r", 1, None, False)
        assert (corrected.scope, corrected.id, corrected.revision, corrected.erased) == (self.scope(), "r", 2, False)
        assert corrected.before is not None
        assert corrected.before.state() == first.state()

    @requirement("OBS-1", "ENG-4")
    def test_positions_grow_and_follow_the_order_of_the_batch(self, store: Store) -> None:
        names = ["z", "a", "m"]
        first = store.apply(Batch([put(make(name, self.scope(scope))) for name, scope in zip(names, ("bob", "alice", "bob"), strict=True)]))
        second = write(store, make("b", self.scope("alice")))
        assert second > first
        log_of_all = store.changes(None)
        assert [change.id for change in log_of_all] == ["z", "a", "m", "b"]
        found = [change.position for change in log_of_all]
        assert found == sorted(set(found))
        assert (found[2], found[3]) == (first, second)

    @requirement("STO-3", "ENG-4")
    def test_changes_are_those_of_the_scopes_named_after_a_position(self, store: Store) -> None:
        alice, bob, carol = self.scope("alice"), self.scope("bob"), self.scope("carol")
        for place in range(9):
            write(store, make(f"r{place}", (alice, bob, carol)[place % 3]))
        assert [change.id for change in store.changes([alice])] == ["r0", "r3", "r6"]
        both = store.changes([carol, alice])
        assert [change.id for change in both] == ["r0", "r2", "r3", "r5", "r6", "r8"]
        assert [change.id for change in store.changes([alice, carol], after=both[1].position)] == ["r3", "r5", "r6", "r8"]
        assert [change.id for change in store.changes([alice, carol], after=both[1].position, limit=2)] == ["r3", "r5"]
        assert [change.id for change in store.changes(None, after=both[3].position, limit=1)] == ["r6"]
        assert store.changes([alice], after=both[-1].position) == []
        assert store.changes([]) == []
        with refused(InvalidRequest):
            store.changes([alice], limit=0)

    @requirement("OBS-1", "STO-3")
    def test_a_history_is_one_records_own(self, store: Store) -> None:
        record = make("r", self.scope())
        write(store, record, make("s", self.scope()), make("r", self.scope("bob")))
        store.apply(Batch([put(revise(record))]))
        assert [(change.scope, change.id, change.revision) for change in store.history(self.scope(), "r")] == [
            (self.scope(), "r", 1),
            (self.scope(), "r", 2),
        ]
        assert store.history(self.scope(), "ghost") == []

    @requirement("OBS-1", "STO-3")
    def test_histories_of_several_are_those_of_each(self, store: Store) -> None:
        records = [make(name, self.scope()) for name in ("r", "记/录", "gone", "other")]
        write(store, *records, make("r", self.scope("bob")))
        store.apply(Batch([put(revise(records[0])), put(tombstone(records[1])), remove(records[2])]))
        asked = ["r", "记/录", "gone", "ghost", "r", "\x00"]
        found = store.histories(self.scope(), asked)
        assert found == {name: store.history(self.scope(), name) for name in ("r", "记/录", "gone")}
        assert [len(found[name]) for name in ("r", "记/录", "gone")] == [2, 2, 2]
        assert store.histories(self.scope(), []) == store.histories(self.scope("nobody"), asked) == {}

    @requirement("OBS-1")
    def test_a_history_outlives_its_record_and_goes_on_when_it_returns(self, store: Store) -> None:
        record = make("r", self.scope())
        write(store, record)
        store.apply(Batch([remove(record)]))
        assert [change.operation for change in store.history(self.scope(), "r")] == ["remember", "undo_import"]
        write(store, record)
        store.apply(Batch([put(revise(record, content="第二次"))]))
        entries = store.history(self.scope(), "r")
        assert [change.operation for change in entries] == ["remember", "undo_import", "remember", "remember"]
        assert [change.erased for change in entries] == [True, True, False, False]
        assert [change.before is not None for change in entries] == [False, False, False, True]

    @requirement("RCL-7", "ENG-4")
    def test_a_position_moves_with_its_own_scope_only(self, store: Store) -> None:
        alice, bob = self.scope("alice"), self.scope("bob")
        write(store, make("a", alice))
        before = store.positions([alice])[alice]
        after = write(store, make("b", bob))
        assert store.positions([alice, bob]) == {alice: before, bob: (after, 0)}
        store.apply(Batch([remove(make("a", alice))]))
        assert store.positions([alice])[alice].change > before.change
        assert store.positions([bob])[bob].change == after

    @requirement("PRO-1", "RET-3")
    def test_usage_and_documents_move_no_position_and_leave_no_entry(self, store: Store) -> None:
        position = write(store, make("r", self.scope()))
        store.touch([Use(self.scope(), "r", NOW)])
        assert store.apply(Batch(documents=[Document("plans", "p", {"n": 1}, self.scope())])) == position
        assert store.positions([self.scope()])[self.scope()] == (position, 0)
        assert len(store.changes(None)) == 1
        assert store.get(self.scope(), ["r"])["r"].revision == 1

    @requirement("PRO-1", "OBS-1")
    def test_usage_is_no_part_of_what_was_before(self, store: Store) -> None:
        record = make("r", self.scope())
        write(store, record)
        store.touch([Use(self.scope(), "r", NOW, 3)])
        store.apply(Batch([put(revise(record))]))
        before = store.history(self.scope(), "r")[1].before
        assert before is not None
        assert before.usage.access_count == 0
        assert store.get(self.scope(), ["r"])["r"].usage.access_count == 3

    @requirement("STO-7")
    def test_an_entry_has_the_position_that_it_brings(self, store: Store) -> None:
        last = write(store, make("r", self.scope()))
        record, other = make("s", self.scope()), make("t", self.scope("bob"))
        placed = [
            replace(put(record), log=replace(log("copied"), position=last + 7)),
            replace(put(other), log=replace(log(), position=last + 9)),
        ]
        assert store.apply(Batch(placed)) == last + 9
        removed = replace(remove(record), log=replace(log("undo_import"), position=last + 12))
        assert store.apply(Batch([removed])) == last + 12
        assert [change.position for change in store.changes(None)] == [last, last + 7, last + 9, last + 12]
        assert [change.position for change in store.changes([self.scope()], after=last + 7)] == [last + 12]
        assert [(change.position, change.operation) for change in store.history(self.scope(), "s")] == [
            (last + 7, "copied"),
            (last + 12, "undo_import"),
        ]
        assert store.positions([self.scope()])[self.scope()].change == last + 12
        assert store.stored(self.scope("bob"), ["t"])["t"].change == last + 9
        assert write(store, make("u", self.scope())) > last + 12

    @requirement("STO-7")
    def test_a_position_that_the_log_is_past_is_refused(self, store: Store) -> None:
        last = write(store, make("r", self.scope()))
        record, other = make("s", self.scope()), make("t", self.scope("bob"))
        for positions in ((last, last + 1), (last + 2, last + 2), (last + 2, last + 1), (last + 1, None), (0, last + 1)):
            placed = [replace(put(one), log=replace(log(), position=place)) for one, place in zip((record, other), positions, strict=True)]
            with refused(InvalidRequest):
                store.apply(Batch(placed))
        assert len(store.changes(None)) == 1
        assert store.get(self.scope(), ["s"]) == {}
        assert write(store, record) > last
