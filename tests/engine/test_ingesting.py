"""`ingest`, `imports`, `receipts`, `undo_import`: MIG-6, MIG-7, RET-1, complaints E."""

from __future__ import annotations

import pytest

from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.operations import models as m
from write_stage import ALICE, BOB, START, opened, record, states, tombstone

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ORIGIN = m.ImportOrigin(kind="jsonl", path="notes.jsonl", scope=ALICE)


def item(name: str, content: str | None, **fields) -> m.ImportItem:
    extra = {key: fields.pop(key) for key in ("outcome", "reason", "changes") if key in fields}
    source = {"origin": "imported", "imported_from": "jsonl"}
    found = None if content is None else record(content, **{"id": name, "source": source, **fields})
    return m.ImportItem(item=name, record=found, **extra)


def ingest(memory, *items, import_id="imp", final=True, dry_run=False) -> list[m.Receipt]:
    return memory.ingest(m.IngestRequest(import_id=import_id, origin=ORIGIN, items=items, final=final, dry_run=dry_run))


def outcomes(receipts) -> list[str]:
    return [receipt.outcome.value for receipt in receipts]


def test_every_item_gets_a_receipt_with_its_reason(memory):
    memory.remember("曾经说过", scope=ALICE, id="gone")
    memory.forget("gone", scope=ALICE)
    memory.remember("already here", scope=ALICE, id="mine")
    memory.remember("my own words", scope=ALICE, id="taken")
    given = [
        item("plain", "一条普通的记忆"),
        item("changed", "a changed one", outcome="transformed", changes=("type: todo became task",)),
        item("twin", "already here"),
        item("again", "一条普通的记忆"),
        item("secret", f"令牌 {KEY}"),
        item("taken", "foreign words"),
        item("gone2", "曾经说过"),
        item("unreadable", None, outcome="quarantined", reason="line 9 is no JSON"),
        item("log", None, outcome="dropped", reason="a system log"),
        m.ImportItem(item="dead", record=tombstone("dead")),
    ]
    receipts = ingest(memory, *given)
    assert outcomes(receipts) == [
        "accepted",
        "transformed",
        "merged",
        "merged",
        "quarantined",
        "quarantined",
        "dropped",
        "quarantined",
        "dropped",
        "accepted",
    ]
    assert all(receipt.reason for receipt in receipts[2:])
    assert (receipts[2].id, receipts[3].id) == ("mine", "plain")
    assert receipts[1].changes == ("type: todo became task",)
    assert {found.id: found.status.value for found in memory.records(scope=ALICE).records} == dict.fromkeys(
        ("plain", "changed", "mine", "taken"), "active"
    )
    assert memory.read("taken", scope=ALICE).content == "my own words"
    assert memory.read_record("dead", scope=ALICE).is_tombstone
    assert KEY not in repr(memory._core.store.documents("quarantine")) + repr(list(memory.receipts("imp")))
    assert list(memory.receipts("imp")) == receipts
    (summary,) = memory.imports()
    assert (summary.state, summary.origin, summary.counts) == (
        "complete",
        ORIGIN,
        {"accepted": 2, "transformed": 1, "merged": 2, "quarantined": 3, "dropped": 2},
    )


def test_the_receipt_proves_what_was_written(memory, clock):
    clock.pass_(days=3)
    given = item("a", "证明", created_at=None, tags=("x",), meta={"n": 1})
    (receipt,) = ingest(memory, given)
    found = memory.read("a", scope=ALICE)
    assert receipt.state_hash == found.proof_hash() == given.record.proof_hash()
    assert (found.created_at, found.source.import_id, found.source.origin, found.revision) == (None, "imp", "imported", 1)
    assert found.stored_at == clock.now
    assert memory.remember("证明 ", scope=ALICE, id="other").record.proof_hash() != receipt.state_hash


def test_an_origin_that_the_reader_set_is_kept(memory):
    given = item("a", "said by the user", source={"origin": "stated", "imported_from": "chatgpt", "agent": "gpt"})
    ingest(memory, given)
    found = memory.read("a", scope=ALICE).source
    assert (found.origin, found.imported_from, found.agent, found.import_id) == ("stated", "chatgpt", "gpt", "imp")


def test_what_is_moved_in_is_as_strong_as_its_score(memory):
    ingest(memory, item("a", "an ancient memory", created_at="2012-01-01T00:00:00Z", score=0.66))
    assert memory.recall("ancient", scope=ALICE)[0].reasons["strength"] == pytest.approx(0.66)


@pytest.mark.parametrize("fresh_engine", [False, True])
@pytest.mark.parametrize("size", [2, 3, 7])
def test_sending_an_import_again_in_whatever_batches_changes_nothing(tmp_path, clock, fresh_engine, size):
    items = [item(f"i{n}", f"内容 {n % 9}") for n in range(12)]
    memory = opened(tmp_path / "agent.db", clock=clock)
    first = [receipt for start in range(0, 12, 4) for receipt in ingest(memory, *items[start : start + 4], final=False)]
    before = states(memory)
    position = memory.changes(scope=ALICE).position
    if fresh_engine:
        memory.close()
        memory = opened(tmp_path / "agent.db", clock=clock)
    clock.pass_(days=1)
    again = [receipt for start in range(0, 12, size) for receipt in ingest(memory, *items[start : start + size], final=start + size >= 12)]
    assert again == first
    assert list(memory.receipts("imp")) == first
    assert (states(memory), memory.changes(scope=ALICE).position) == (before, position)
    assert memory.imports()[0].counts == {"accepted": 9, "merged": 3}
    memory.close()


def test_an_import_goes_on_where_it_stopped(memory):
    items = [item(f"i{n}", f"内容 {n}") for n in range(10)]
    ingest(memory, *items[:4], final=False)
    assert memory.imports()[0].state == "open"
    ingest(memory, *items)
    assert [receipt.item for receipt in memory.receipts("imp")] == [f"i{n}" for n in range(10)]
    assert (memory.imports()[0].state, memory.stats().records) == ("complete", 10)


def test_a_second_import_of_the_same_source_adds_nothing(memory, clock):
    items = [item("a", "一"), item("b", "二"), item("c", "一")]
    ingest(memory, *items)
    before = states(memory)
    clock.pass_(days=1)
    second = ingest(memory, *items, import_id="again")
    assert outcomes(second) == ["accepted", "accepted", "merged"]
    assert second[0].state_hash == memory.read("a", scope=ALICE).proof_hash()
    assert states(memory) == before
    assert memory.undo_import("again").removed == 0


def test_what_changed_in_the_source_since_takes_its_place_unless_it_was_changed_here(memory, clock):
    ingest(memory, item("a", "first a"), item("b", "first b"), item("c", "same c"))
    memory.update("b", scope=ALICE, tags=["mine"])
    memory.update("c", scope=ALICE, tags=["mine"])
    clock.pass_(days=1)
    receipts = ingest(memory, item("a", "second a"), item("b", "second b"), item("c", "same c"), import_id="later")
    assert outcomes(receipts) == ["accepted", "quarantined", "merged"]
    assert memory.read("a", scope=ALICE).content == "second a"
    assert (memory.read("b", scope=ALICE).content, memory.read("c", scope=ALICE).tags) == ("first b", ("mine",))
    third = ingest(memory, item("a", "third a"), import_id="third")
    assert (outcomes(third), memory.read("a", scope=ALICE).revision) == (["accepted"], 3)
    assert [hit.record.id for hit in memory.recall("third", scope=ALICE)] == ["a"]


def test_what_was_deleted_in_the_source_since_is_forgotten_here(memory):
    ingest(memory, item("a", "delete me later"))
    receipts = ingest(memory, m.ImportItem(item="a", record=tombstone("a")), import_id="later")
    assert (outcomes(receipts), memory.recall("delete", scope=ALICE)) == (["accepted"], [])
    assert next(iter(memory.receipts("imp"))).state_hash is None
    assert outcomes(ingest(memory, item("b", "delete me later"), import_id="third")) == ["dropped"]


def test_the_same_content_in_two_scopes_is_two_memories(memory):
    assert outcomes(ingest(memory, item("a", "共同"), item("b", "共同", scope=BOB))) == ["accepted", "accepted"]


def test_an_item_to_write_needs_a_record(memory):
    with pytest.raises(InvalidRequest, match=r"items\.1\.record"):
        ingest(memory, item("a", "x"), item("b", None))
    assert memory.scopes() == []


def test_a_dry_run_tells_the_same_and_writes_nothing(memory):
    items = [item("a", "一"), item("b", "一"), item("c", f"token {KEY}"), item("d", "二")]
    imagined = ingest(memory, *items[:2], dry_run=True, final=False) + ingest(memory, *items[2:], item("e", "一"), dry_run=True)
    assert outcomes(imagined) == ["accepted", "merged", "quarantined", "accepted", "merged"]
    assert (memory.scopes(), memory.imports(), memory._core.store.documents("quarantine")) == ([], [], [])
    assert outcomes(ingest(memory, *items, item("e", "一"))) == outcomes(imagined)


# ------------------------------------------------------------ receipts


def test_receipts_come_in_pages_in_the_order_of_the_source(memory):
    items = [item(f"i{n:04d}", f"内容 {n}") for n in range(1100)]
    for start in range(0, 1100, 300):
        ingest(memory, *items[start : start + 300], final=False)
    assert [receipt.item for receipt in memory.receipts("imp")] == [found.item for found in items]
    from satchel.operations import table as t

    page = memory.call(t.RECEIPTS, m.ReceiptsRequest(import_id="imp", limit=7))
    rest = memory.call(t.RECEIPTS, m.ReceiptsRequest(import_id="imp", limit=500, cursor=page.cursor))
    assert [receipt.item for receipt in (*page.receipts, *rest.receipts)] == [f"i{n:04d}" for n in range(507)]


def test_import_ids_that_start_alike_are_kept_apart(memory):
    for import_id in ("a", "a/b", "a b", "甲"):
        ingest(memory, item(f"only {import_id}", f"in {import_id}"), import_id=import_id)
    for import_id in ("a", "a/b", "a b", "甲"):
        assert [receipt.item for receipt in memory.receipts(import_id)] == [f"only {import_id}"]


def test_an_unknown_import_is_not_found(memory):
    for act in (lambda: list(memory.receipts("no")), lambda: memory.undo_import("no")):
        with pytest.raises(NotFound):
            act()


def test_imports_are_listed_newest_first(memory, clock):
    for name in ("one", "two", "three"):
        ingest(memory, item(name, name), import_id=name)
        clock.pass_(minutes=1)
    assert [summary.import_id for summary in memory.imports()] == ["three", "two", "one"]


# ------------------------------------------------------------ undo


def test_undo_takes_out_what_the_import_created_and_leaves_no_tombstone(memory):
    memory.remember("mine", scope=ALICE, id="mine")
    ingest(memory, item("a", "一"), item("b", "二"), item("twin", "mine"), item("s", f"key {KEY}"))
    memory.remember("二", scope=ALICE)
    undone = memory.undo_import("imp")
    assert (undone.removed, undone.kept) == (1, 1)
    assert set(states(memory)) == {"mine", "b"}
    assert memory.recall("一", scope=ALICE) == []
    assert memory.imports()[0].state == "undone"
    receipts = list(memory.receipts("imp"))
    assert [receipt.item for receipt in receipts] == ["a", "b", "twin", "s"]
    assert {(receipt.reason, receipt.state_hash) for receipt in receipts} == {("undone", None)}
    assert memory._core.store.documents("quarantine") == []
    assert (memory.undo_import("imp").removed, memory.undo_import("imp").kept) == (0, 0)


def _two_imports(memory, clock):
    ingest(memory, item("a", "旧地址在苏州"), import_id="one")
    clock.pass_(hours=1)
    ingest(memory, item("a", "旧地址在杭州", updated_at=clock.now), item("b", "new here"), import_id="two")
    assert memory.read("a", scope=ALICE).content == "旧地址在杭州"


def test_undoing_an_import_brings_back_what_it_replaced(memory, clock):
    _two_imports(memory, clock)
    undone = memory.undo_import("two")
    assert (undone.removed, undone.restored, undone.kept) == (1, 1, 0)
    assert memory.read("a", scope=ALICE).content == "旧地址在苏州"
    assert [hit.record.id for hit in memory.recall("苏州的旧地址", scope=ALICE)] == ["a"]
    undone = memory.undo_import("one")
    assert (undone.removed, undone.restored, undone.kept) == (1, 0, 0)
    assert states(memory) == {}


def test_what_a_later_import_replaced_is_that_ones_to_undo(memory, clock):
    _two_imports(memory, clock)
    undone = memory.undo_import("one")
    assert (undone.removed, undone.restored, undone.kept) == (0, 0, 0)
    assert memory.read("a", scope=ALICE).content == "旧地址在杭州"
    assert memory.undo_import("two").removed == 2
    assert states(memory) == {}


def test_undo_keeps_what_a_person_changed_after_the_replacement(memory, clock):
    _two_imports(memory, clock)
    memory.update("a", scope=ALICE, tags=["mine"])
    for name in ("two", "one"):
        assert (memory.undo_import(name).restored, memory.read("a", scope=ALICE).content) == (0, "旧地址在杭州")


def test_a_replacing_import_can_be_run_again_after_it_was_undone(memory, clock):
    _two_imports(memory, clock)
    memory.undo_import("two")
    receipts = ingest(memory, item("a", "旧地址在杭州", updated_at=clock.now), import_id="three")
    assert outcomes(receipts) == ["accepted"]
    assert memory.undo_import("three").restored == 1
    assert memory.read("a", scope=ALICE).content == "旧地址在苏州"


def test_an_import_can_be_run_again_after_it_was_undone(memory):
    items = [item("a", "一"), item("b", "二")]
    first = ingest(memory, *items)
    memory.undo_import("imp")
    again = ingest(memory, *items)
    assert (again, outcomes(memory.receipts("imp"))) == (first, ["accepted", "accepted"])
    assert memory.imports()[0].counts == {"accepted": 2}
    assert memory.undo_import("imp").removed == 2


def test_an_import_that_another_process_undid_begins_anew(tmp_path):
    with opened(tmp_path / "agent.db") as one, opened(tmp_path / "agent.db") as two:
        ingest(one, item("a", "一"), item("b", "二"), final=False)
        two.undo_import("imp")
        ingest(one, item("c", "三"))
        assert [receipt.item for receipt in one.receipts("imp")] == ["c"]
        assert set(states(one)) == {"c"}


def test_two_processes_may_go_on_with_one_import(tmp_path):
    with opened(tmp_path / "agent.db") as one, opened(tmp_path / "agent.db") as two:
        for number in range(6):
            ingest((one, two)[number % 2], item(f"i{number}", f"内容 {number}"), item("i0", "内容 0"), final=False)
        assert [receipt.item for receipt in one.receipts("imp")] == [f"i{number}" for number in range(6)]


def test_undo_leaves_what_was_forgotten_forgotten(memory):
    ingest(memory, item("a", "一"), item("b", "二"))
    memory.forget("a", scope=ALICE)
    assert memory.undo_import("imp").removed == 1
    assert memory.read_record("a", scope=ALICE).is_tombstone
    assert outcomes(ingest(memory, item("a", "一"), item("b", "二"))) == ["dropped", "accepted"]


def test_nothing_comes_into_an_import_that_is_being_undone(memory):
    from satchel.engine.moving.receipts import ImportHead
    from satchel.ports import Batch

    ingest(memory, item("a", "一"))
    head = ImportHead.load(memory._core, "imp").changed(state="undoing")
    memory._core.store.apply(Batch(documents=[head.document()]))
    with pytest.raises(Conflict):
        ingest(memory, item("b", "二"))
    assert memory.undo_import("imp").removed == 1


def test_nothing_of_an_undone_import_is_left_in_the_files(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        ingest(memory, item("a", "水晶企鹅 crystal-penguin-77", created_at=START))
        memory.undo_import("imp")
        memory.remember("x", scope=ALICE, id="x")
        memory.forget("x", scope=ALICE)
        data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"crystal-penguin-77" not in data
