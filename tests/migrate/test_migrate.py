"""Running a migration: receipts, the plan, repeating, resuming, owners, and the dead (MIG-6, MIG-10; complaints 62, 65, 67, 68, 85)."""

from __future__ import annotations

import json
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from migrate_stage import DEMO, FIXTURES, SCOPE, conversation, empty_memory, saved, write, write_json
from satchel.errors import InvalidRequest, NotFound
from satchel.migrate import migrate, sources, undo, verify
from satchel.migrate import run as running
from satchel.operations import Memory
from satchel.protocol import MemoryRecord

REPORT = ["import_id", "items", "accepted", "merged", "transformed", "quarantined", "dropped", "receipts"]


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    return write(path, "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n")


def everything(memory: Memory) -> list[MemoryRecord]:
    found = [record for scope in memory.scopes() for record in memory.every_record(scope=scope.scope)]
    return sorted(found, key=lambda record: (record.scope, record.id))


@pytest.mark.parametrize(
    ("kind", "folder", "scope", "count"),
    [("mem0", "mem0", None, 8), ("mcp-memory", "mcp_memory", SCOPE, 6), ("hermes", "hermes", SCOPE, 4)],
)
def test_what_real_tools_wrote_arrives_with_a_receipt_each_and_is_verified(
    memory: Memory, kind: str, folder: str, scope: str | None, count: int
) -> None:
    report = migrate(memory, kind, DEMO / folder, scope=scope)
    assert report.ok and report.imported == count == len(everything(memory))
    found = report.to_dict()
    assert list(found) == REPORT
    assert found["items"] == len(found["receipts"]) == sum(found[name] for name in REPORT[2:7])
    assert len({receipt["item"] for receipt in found["receipts"]}) == found["items"]
    verified = verify(memory, report.import_id)
    assert verified.passed and verified.level == "source_compared" and verified.compared == count


def test_ids_times_and_provenance_survive_the_move(memory: Memory) -> None:
    report = migrate(memory, "mem0", DEMO / "mem0")
    rows = {row["id"]: row for row in json.loads((DEMO / "mem0" / "get_all_alice.json").read_text("utf-8"))["results"]}
    for identity, row in rows.items():
        record = memory.read(identity, scope=SCOPE)
        assert record.content == row["memory"]
        assert record.created_at == datetime.fromisoformat(row["created_at"]).astimezone(UTC)
        assert record.updated_at == datetime.fromisoformat(row["updated_at"]).astimezone(UTC)
        assert record.source.import_id == report.import_id
        assert (record.source.imported_from, record.source.tool) == ("mem0", "mem0")
        assert record.source.uri is not None and record.source.uri.startswith("mem0:get_all_alice.json[")


def test_the_same_move_again_adds_nothing_and_tells_the_same(memory: Memory) -> None:
    first = migrate(memory, "mem0", DEMO / "mem0")
    before = everything(memory)
    again = migrate(memory, "mem0", DEMO / "mem0")
    assert again.to_dict() == first.to_dict()
    assert everything(memory) == before
    assert [summary.import_id for summary in memory.imports()] == [first.import_id]


def test_a_plan_writes_nothing_and_foretells_the_run(memory: Memory) -> None:
    planned = migrate(memory, "mem0", DEMO / "mem0", dry_run=True)
    assert memory.scopes() == [] and memory.imports() == []
    assert planned.headline() == "8 of 9 items would be imported."
    done = migrate(memory, "mem0", DEMO / "mem0")
    assert planned.to_dict() == done.to_dict()


def test_a_move_that_broke_off_goes_on(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = jsonl(tmp_path / "m.jsonl", *({"id": f"r{n}", "text": f"第{n}条 note"} for n in range(25)))
    monkeypatch.setattr(running, "BATCH_ITEMS", 10)

    def stop(done: int) -> None:
        if done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate(memory, "jsonl", file, scope=SCOPE, progress=stop)
    assert len(everything(memory)) == 20
    assert not verify(memory, memory.imports()[0].import_id).passed
    report = migrate(memory, "jsonl", file, scope=SCOPE)
    assert report.items == 25 and len(everything(memory)) == 25
    assert verify(memory, report.import_id).passed


def test_items_are_sent_in_batches_of_bounded_size(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "BATCH_CHARS", 1000)
    seen: list[int] = []
    file = jsonl(tmp_path / "m.jsonl", *({"id": f"r{n}", "text": f"{n} " + "长" * 600} for n in range(4)))
    migrate(memory, "jsonl", file, scope=SCOPE, progress=seen.append)
    assert seen == [1, 2, 3, 4]


# ---------------------------------------------------------------- what does not arrive


def test_nothing_imported_is_said_and_is_no_success(memory: Memory, tmp_path: Path) -> None:
    report = migrate(memory, "jsonl", jsonl(tmp_path / "m.jsonl", {"id": 1, "text": ""}, {"id": 2, "text": ["x"]}), scope=SCOPE)
    assert not report.ok and report.items == 2
    assert report.headline().startswith("Nothing was imported: none of 2 items")
    empty = migrate(memory, "chatgpt", write_json(tmp_path / "conversations.json", []), scope=SCOPE)
    assert not empty.ok and empty.headline().startswith("Nothing was found")


def test_a_credential_is_quarantined_and_the_rest_goes_in(memory: Memory, tmp_path: Path) -> None:
    secret = "token " + "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    report = migrate(memory, "jsonl", jsonl(tmp_path / "m.jsonl", {"id": 1, "text": secret}, {"id": 2, "text": "好 fine"}), scope=SCOPE)
    receipts = {receipt.item: receipt for receipt in report.receipts()}
    assert receipts["m.jsonl:1"].outcome.value == "quarantined" and "credential" in str(receipts["m.jsonl:1"].reason)
    assert [record.id for record in everything(memory)] == ["2"]
    assert verify(memory, report.import_id).passed


def test_the_same_content_twice_becomes_one_record_with_two_receipts(memory: Memory, tmp_path: Path) -> None:
    report = migrate(memory, "jsonl", jsonl(tmp_path / "m.jsonl", {"id": 1, "text": "喝茶"}, {"id": 2, "text": "喝茶"}), scope=SCOPE)
    assert dict(report.counts) == {"accepted": 1, "merged": 1}
    assert len(everything(memory)) == 1 and verify(memory, report.import_id).passed


def test_two_files_that_number_their_rows_alike_do_not_overwrite_each_other(memory: Memory, tmp_path: Path) -> None:
    migrate(memory, "jsonl", jsonl(tmp_path / "a.jsonl", {"id": 1, "text": "from a"}), scope=SCOPE)
    second = migrate(memory, "jsonl", jsonl(tmp_path / "b.jsonl", {"id": 1, "text": "from b"}), scope=SCOPE)
    assert dict(second.counts) == {"quarantined": 1} and memory.read("1", scope=SCOPE).content == "from a"
    derived = migrate(memory, "jsonl", tmp_path / "b.jsonl", scope=SCOPE, mapping={"ids": "derived"})
    assert derived.ok and len(everything(memory)) == 2


# ---------------------------------------------------------------- the dead


def test_what_its_tool_deleted_stays_deleted(memory: Memory) -> None:
    report = migrate(memory, "mem0", FIXTURES / "mem0_legacy")
    assert [record.content for record in everything(memory)] == ["I take my coffee without sugar. 我喝咖啡不加糖"]
    assert "deleted at origin" in [receipt.reason for receipt in report.receipts() if receipt.outcome.value == "dropped"]
    verified = verify(memory, report.import_id)
    assert verified.passed and verified.deleted_checked == 1


def test_a_record_of_an_earlier_import_that_its_tool_deleted_since_is_left_and_reported(memory: Memory, tmp_path: Path) -> None:
    shutil.copy(DEMO / "mem0" / "history.db", tmp_path / "history.db")
    first = migrate(memory, "mem0", tmp_path, scope=SCOPE)
    identity = next(record.id for record in everything(memory) if "周报" in record.content)
    with sqlite3.connect(tmp_path / "history.db") as tool:
        tool.execute("INSERT INTO history (id, memory_id, event, is_deleted) VALUES ('later', ?, 'DELETE', 1)", [identity])
    tool.close()
    second = migrate(memory, "mem0", tmp_path, scope=SCOPE)
    assert second.import_id != first.import_id
    assert memory.read(identity, scope=SCOPE).source.import_id == first.import_id
    told = [receipt.reason for receipt in second.receipts() if receipt.outcome.value == "dropped" and receipt.item.endswith(identity)]
    assert told == [running.STILL_HELD.format("an earlier import")]
    verified = verify(memory, second.import_id)
    assert not verified.passed and verified.faults[0].id == identity
    memory.forget(identity, scope=SCOPE)
    assert verify(memory, second.import_id).passed


def test_what_was_forgotten_here_does_not_come_back_by_a_second_move(memory: Memory) -> None:
    report = migrate(memory, "hermes", DEMO / "hermes", scope=SCOPE)
    gone = next(record for record in everything(memory) if "青霉素" in record.content)
    memory.forget(gone.id, scope=SCOPE)
    migrate(memory, "hermes", DEMO / "hermes", scope=SCOPE)
    with pytest.raises(NotFound):
        memory.read(gone.id, scope=SCOPE)
    assert report.imported == 4 and len(everything(memory)) == 3


def test_a_chatgpt_memory_forgotten_in_a_later_conversation_is_not_taken(memory: Memory, tmp_path: Path) -> None:
    talks = [
        conversation("6a000000-0000-4000-8000-00000000000a", saved("b1", "The user is selling the van."), saved("b2", "用户每周游泳")),
        conversation("6a000000-0000-4000-8000-00000000000b", saved("f1", "Forget that the user is selling the van", at=1_790_009_999.0)),
    ]
    migrate(memory, "chatgpt", write_json(tmp_path / "conversations.json", talks), scope=SCOPE)
    assert [record.content for record in everything(memory)] == ["用户每周游泳"]


# ---------------------------------------------------------------- owners and scopes


def test_users_that_a_source_names_keep_their_own_scopes(memory: Memory) -> None:
    report = migrate(memory, "mem0", DEMO / "mem0")
    assert [found.scope for found in memory.scopes()] == ["user:alice", "user:bob"]
    assert "scope user:bob: 3 of user:bob" in report.notes


def test_a_source_that_names_nobody_needs_a_scope_and_writes_nothing_without(memory: Memory) -> None:
    with pytest.raises(InvalidRequest, match="scope") as caught:
        migrate(memory, "mcp-memory", DEMO / "mcp_memory")
    assert caught.value.details["faults"][0]["field"] == "scope"
    assert memory.scopes() == []


@pytest.mark.parametrize("name", ["alice", "user:alice", "mem0/alice"])
def test_rules_send_owners_elsewhere_and_show_in_the_plan(memory: Memory, name: str) -> None:
    report = migrate(memory, "mem0", DEMO / "mem0", scope_map={name: "user:张丽/project:web"})
    assert [found.scope for found in memory.scopes()] == ["user:张丽/project:web"]
    assert dict(report.counts)["quarantined"] == 3
    assert any("no rule says where what belongs to user bob goes" in str(receipt.reason) for receipt in report.receipts())
    assert "scope user:张丽/project:web: 5 of user:alice" in report.notes
    assert verify(memory, report.import_id).passed


def test_a_rule_for_everyone_else_takes_the_rest(memory: Memory) -> None:
    migrate(memory, "mem0", DEMO / "mem0", scope_map={"alice": "user:a", "*": "team:rest"})
    assert [found.scope for found in memory.scopes()] == ["team:rest", "user:a"]


def test_one_scope_for_several_owners_is_obeyed_and_said(memory: Memory) -> None:
    report = migrate(memory, "mem0", DEMO / "mem0", scope="team:garden")
    assert [found.scope for found in memory.scopes()] == ["team:garden"]
    assert "scope team:garden takes the memories of 2 owners together: user:alice, user:bob" in report.notes


@pytest.mark.parametrize("scope", ["", "*", "user:..", "alice"])
def test_a_scope_that_cannot_be_is_refused_before_anything_is_read(memory: Memory, scope: str) -> None:
    with pytest.raises(InvalidRequest, match="scope"):
        migrate(memory, "mem0", DEMO / "mem0", scope=scope)


def test_an_unknown_kind_names_the_known_ones(memory: Memory) -> None:
    with pytest.raises(InvalidRequest, match="mcp-memory"):
        migrate(memory, "oracle", DEMO, scope=SCOPE)


# ---------------------------------------------------------------- undo, and the pages


def test_undo_takes_out_what_came_in_and_leaves_what_was_changed_since(memory: Memory) -> None:
    report = migrate(memory, "hermes", DEMO / "hermes", scope=SCOPE)
    changed = everything(memory)[0]
    memory.update(changed.id, scope=SCOPE, pinned=True)
    memory.remember("my own", scope=SCOPE)
    done = undo(memory, report.import_id)
    assert (done.removed, done.kept) == (3, 1)
    assert {record.content for record in everything(memory)} == {changed.content, "my own"}
    again = migrate(memory, "hermes", DEMO / "hermes", scope=SCOPE)
    assert again.imported == 4 and len(everything(memory)) == 5


def test_undoing_an_unknown_import_says_so(memory: Memory) -> None:
    with pytest.raises(NotFound):
        undo(memory, "none-such")


def test_the_report_is_a_page_a_person_can_read(memory: Memory, tmp_path: Path) -> None:
    report = migrate(memory, "jsonl", jsonl(tmp_path / "m.jsonl", {"id": 1, "text": "好"}, {"id": 2}), scope=SCOPE)
    page = report.to_markdown()
    assert page.startswith("# Migration: jsonl\n\n1 of 2 items imported.")
    assert "| quarantined | 1 |" in page and "- quarantined: m.jsonl:2 (has no text)" in page
    assert "content=text (detected)" in report.to_text()


def test_every_kind_accounts_for_its_fields() -> None:
    listed = sources()
    assert [info.kind for info in listed][:2] == ["claude-code", "codebuddy"] and len(listed) == 11
    for info in listed:
        assert info.description and info.location and len(info.fields) >= 4
        for name, place in info.fields.items():
            assert name and place
            assert not place.startswith("lost") or len(place) > len("lost: ") + 5, f"{info.kind}: {name} is lost and nobody says why"


def test_the_same_move_again_says_that_nothing_is_new_and_counts_as_before(memory: Memory, tmp_path: Path) -> None:
    source = write(tmp_path / "n.jsonl", '{"id": "a", "text": "爱丽丝养蕨类"}\n{"id": "b", "text": "Reports go out on Thursday"}\n')
    first = migrate(memory, "jsonl", source, scope=SCOPE)
    assert first.headline() == "2 of 2 items imported."
    again = migrate(memory, "jsonl", source, scope=SCOPE)
    assert again.headline() == "Nothing new: 2 of 2 items are already here." and again.headline() in again.to_text()
    assert (again.counts, again.new, again.ok) == (first.counts, 0, True)
    write(source, source.read_text("utf-8") + '{"id": "c", "text": "新来的一条"}\n')
    assert (
        migrate(memory, "jsonl", source, scope=SCOPE, dry_run=True).headline() == "3 of 3 items would be imported: 1 new, 2 already here."
    )
    grown = migrate(memory, "jsonl", source, scope=SCOPE)
    assert grown.headline() == "3 of 3 items imported: 1 new, 2 already here." and grown.to_dict()["accepted"] == 3


def test_what_was_undone_is_new_when_it_is_moved_again(memory: Memory, tmp_path: Path) -> None:
    source = write(tmp_path / "n.jsonl", '{"id": "a", "text": "爱丽丝养蕨类"}\n')
    undo(memory, migrate(memory, "jsonl", source, scope=SCOPE).import_id)
    assert migrate(memory, "jsonl", source, scope=SCOPE).headline() == "1 of 1 items imported."


def test_an_item_that_was_forgotten_here_is_not_called_already_here(tmp_path: Path) -> None:
    source = write(tmp_path / "m.jsonl", "\n".join(json.dumps({"id": name, "text": f"likes tea 茶 {name}"}) for name in "abc"))
    with empty_memory() as memory:
        migrate(memory, "jsonl", source, scope=SCOPE)
        memory.forget("b", scope=SCOPE)
        again = migrate(memory, "jsonl", source, scope=SCOPE)
        assert again.headline() == "Nothing new: 2 of 3 items are already here, 1 was forgotten here."
        assert {record.id for record in memory.every_record(scope=SCOPE)} == {"a", "c"}
