"""The contract of a store: reading records. It must not know any store."""

from __future__ import annotations

from datetime import timedelta

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import NOW, later, make, put, remove, tombstone, write
from satchel.errors import InvalidRequest
from satchel.ports import Batch, Order, RecordPage, Store
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status

_EVERY = RecordFilter(statuses=())
_ORDERS: tuple[Order, ...] = ("id", "updated")


def _names(page: RecordPage) -> list[str]:
    return [record.id for record in page.records]


class Reading(Contract):
    """`get`, `find`, `scan`, `scopes`: exactly the scopes named, in the order promised."""

    subject = "store"

    @requirement("STO-3")
    def test_an_unknown_scope_is_an_empty_one(self, store: Store) -> None:
        write(store, make("r", self.scope()))
        nobody = self.scope("nobody")
        assert store.get(nobody, ["r"]) == {}
        assert store.find(nobody, [make("r", self.scope()).content_hash]) == {}
        assert store.scan([nobody], _EVERY) == RecordPage([], None)
        assert store.history(nobody, "r") == []
        assert store.positions([nobody]) == {nobody: (0, 0)}

    @requirement("PRO-7")
    def test_get_returns_tombstones_and_leaves_out_what_is_not_there(self, store: Store) -> None:
        record = make("r", self.scope())
        write(store, record, make("s", self.scope()))
        store.apply(Batch([put(tombstone(record, reason="用户要求"))]))
        found = store.get(self.scope(), ["r", "ghost", "lone \ud800", ""])
        assert found == {"r": tombstone(record, reason="用户要求")}

    @requirement("STO-1")
    def test_a_list_of_ids_may_be_long(self, store: Store) -> None:
        records = [make(f"r{place}", self.scope(), f"note {place}") for place in range(0, 6000, 100)]
        write(store, *records)
        wanted = [f"r{place}" for place in range(40_000)]
        assert store.get(self.scope(), wanted).keys() == {record.id for record in records}
        found = store.scan([self.scope()], RecordFilter(ids=tuple(wanted)), limit=1000)
        assert sorted(_names(found)) == sorted(record.id for record in records)
        hashes = [record.content_hash for record in records] + [f"{place:064x}" for place in range(2000)]
        assert set(store.find(self.scope(), hashes).values()) == {record.id for record in records}

    @requirement("CNF-1")
    def test_find_prefers_an_active_record_then_the_smallest_id(self, store: Store) -> None:
        text = "同样的内容 said by many"
        write(
            store,
            *(make(name, self.scope(), text, status=status) for name, status in [("a", "archived"), ("z", "active"), ("m", "active")]),
        )
        write(store, make("0", self.scope("bob"), text))
        content = make("x", self.scope(), text).content_hash
        assert store.find(self.scope(), [content, "0" * 64]) == {content: "m"}
        store.apply(Batch([remove(make("m", self.scope())), remove(make("z", self.scope()))]))
        assert store.find(self.scope(), [content]) == {content: "a"}

    @requirement("RET-5")
    def test_find_does_not_see_what_was_forgotten(self, store: Store) -> None:
        record = make("r", self.scope())
        write(store, record)
        store.apply(Batch([put(tombstone(record))]))
        assert store.find(self.scope(), [record.content_hash, ""]) == {}

    @requirement("STO-3", "PRO-5")
    def test_a_scan_returns_the_records_of_exactly_the_scopes_named(self, store: Store) -> None:
        alice, longer, project = self.scope(), self.scope() + "x", self.scope() + "/project:web"
        write(store, *(make(f"r{place}", scope) for place, scope in enumerate([alice, longer, project, "public"])))
        assert [record.scope for record in store.scan([alice], _EVERY).records] == [alice]
        assert [record.scope for record in store.scan([project, alice, alice], _EVERY).records] == [alice, project]
        assert store.scan([], _EVERY).records == []
        assert store.scan([self.scope().upper()], _EVERY).records == []

    @requirement("STO-1")
    def test_a_scan_by_id_goes_by_scope_and_code_point(self, store: Store) -> None:
        names = ["B", "a", "b", "é", "中", "\uffee", "\U0001f9e0", "10", "9", " "]
        write(store, *(make(name, self.scope(scope)) for scope in ("bob", "alice") for name in names))
        found = [(record.scope, record.id) for record in store.scan([self.scope("bob"), self.scope("alice")], _EVERY).records]
        assert found == sorted((self.scope(scope), name) for scope in ("alice", "bob") for name in names)

    @requirement("STO-1")
    def test_a_scan_by_update_goes_newest_first_then_by_scope_and_id(self, store: Store) -> None:
        moments = [NOW, NOW + timedelta(microseconds=1), later(-86_400 * 30_000), NOW]
        records = [
            make(f"{name}{place}", self.scope(scope), updated_at=moment)
            for scope in ("bob", "alice")
            for place, moment in enumerate(moments)
            for name in ("b", "a")
        ]
        write(store, *records)
        found = store.scan([self.scope("alice"), self.scope("bob")], _EVERY, order="updated").records
        expected = sorted(records, key=lambda record: (-(record.updated_at - NOW), record.scope, record.id))
        assert [(record.scope, record.id) for record in found] == [(record.scope, record.id) for record in expected]

    @requirement("STO-1")
    def test_pages_of_any_size_are_one_scan(self, store: Store) -> None:
        scopes = [self.scope("alice"), self.scope("bob"), self.scope("empty")]
        records = [make(f"r {place}", scopes[place % 2], f"第 {place} 条", updated_at=later(place // 4)) for place in range(23)]
        write(store, *records)
        for order in _ORDERS:
            whole = store.scan(scopes, _EVERY, order=order, limit=23)
            assert len(whole.records) == 23
            assert whole.cursor is None
            for size in (1, 2, 7, 22, 24):
                assert self._paged(store, scopes, order, size) == list(whole.records)

    def _paged(self, store: Store, scopes: list[str], order: Order, size: int) -> list[MemoryRecord]:
        found: list[MemoryRecord] = []
        page = store.scan(scopes, _EVERY, order=order, limit=size)
        while True:
            found += page.records
            assert len(found) <= 23, "a cursor goes round in a circle"
            if page.cursor is None:
                return found
            assert len(page.records) == size
            page = store.scan(scopes, _EVERY, order=order, cursor=page.cursor, limit=size)

    @requirement("STO-1")
    def test_a_page_goes_on_after_records_that_are_gone(self, store: Store) -> None:
        records = [make(f"r{place}", self.scope(), updated_at=later(-place)) for place in range(6)]
        write(store, *records)
        for order in _ORDERS:
            page = store.scan([self.scope()], _EVERY, order=order, limit=2)
            assert _names(page) == ["r0", "r1"]
            store.apply(Batch([remove(records[1])]))
            assert _names(store.scan([self.scope()], _EVERY, order=order, cursor=page.cursor, limit=9)) == ["r2", "r3", "r4", "r5"]
            write(store, records[1])

    @requirement("STO-1")
    def test_more_than_a_thousand_records_are_no_limit(self, store: Store) -> None:
        write(store, *(make(f"r{place}", self.scope(), f"note {place}") for place in range(1100)))
        assert len(store.scan([self.scope()], _EVERY, limit=5000).records) == 1100

    @requirement("STO-3", "ENG-5")
    def test_a_scan_finds_what_the_filter_matches_and_nothing_else(self, store: Store) -> None:
        records = self._varied()
        write(store, *records)
        for where in self._filters():
            found = store.scan([self.scope()], where, limit=1000)
            assert set(_names(found)) == {record.id for record in records if where.matches(record)}, where
            assert found.cursor is None

    def _varied(self) -> list[MemoryRecord]:
        return [
            make(
                f"r{place:02}",
                self.scope(),
                f"第 {place} 条",
                status=[*Status][place % 3],
                type=["fact", "preference", "配方"][place % 3],
                tags=[("饮食",), ("饮食", "diet"), (), ("die",)][place % 4],
                source={"origin": ["stated", "inferred", "imported"][place % 3], "session": [None, "s1", "s2"][place % 3],
                        "import_id": [None, "i1"][place % 2]},
                created_at=None if place % 5 == 0 else later(place * 10),
                stored_at=later(place * 20),
                pinned=place % 4 == 0,
                meta={"lang": ["zh", "en"][place % 2], "n": place % 3, "deep": {"flag": place % 2 == 0}, "list": [place % 2]},
            )
            for place in range(24)
        ]  # fmt: skip

    def _filters(self) -> list[RecordFilter]:
        given: list[dict[str, object]] = [
            {}, {"statuses": ()}, {"statuses": ("archived", "pending")}, {"types": ("配方", "fact")}, {"tags": ("饮食",)},
            {"tags": ("diet", "饮食")}, {"tags": ("die",)}, {"origins": ("inferred",)}, {"sessions": ("s1", "s2")}, {"import_ids": ("i1",)},
            {"ids": ("r01", "r02", "nobody")}, {"since": later(100)}, {"until": later(100)}, {"since": later(60), "until": later(200)},
            {"pinned": True}, {"pinned": False}, {"where": {"lang": "zh"}}, {"where": {"n": [0, 2]}}, {"where": {"deep.flag": True}},
            {"where": {"list": [1]}}, {"where": {"n": True}}, {"where": {"nothing": None}},
            {"statuses": (), "types": ("fact",), "tags": ("饮食",), "since": later(50), "where": {"lang": "en"}},
        ]  # fmt: skip
        return [RecordFilter.model_validate(one) for one in given]

    @requirement("STO-1")
    def test_a_cursor_or_limit_that_cannot_be_is_refused(self, store: Store) -> None:
        write(store, make("r", self.scope()))
        for order in _ORDERS:
            with refused(InvalidRequest):
                store.scan([self.scope()], _EVERY, order=order, cursor="nonsense")
        for limit in (0, -1):
            with refused(InvalidRequest):
                store.scan([self.scope()], _EVERY, limit=limit)

    @requirement("STO-1", "PRO-7")
    def test_scopes_are_listed_in_order_with_their_counts(self, store: Store) -> None:
        forgotten, out = make("f", self.scope("bob")), make("o", self.scope("carol"))
        write(store, make("p", self.scope("alice"), status="pending"), make("a", self.scope("alice")), make("b", self.scope("alice")))
        write(store, forgotten, out)
        store.apply(Batch([put(tombstone(forgotten)), remove(out)]))
        counted = [(found.scope, dict(found.counts)) for found in store.scopes()]
        assert counted == [(self.scope("alice"), {"active": 2, "pending": 1}), (self.scope("bob"), {"deleted": 1})]
        store.apply(Batch([put(make("p", self.scope("alice"), revision=2, status="archived"))]))
        assert store.scopes()[0].counts == {"active": 2, "archived": 1}
