"""Verification proves what it says and fails on one altered character (MIG-7; complaints 70, 70b, 70c)."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from migrate_stage import DEMO, SCOPE, empty_memory, write
from satchel.engine.engine import Engine
from satchel.errors import NotFound
from satchel.migrate import migrate, verify
from satchel.operations import Memory
from satchel.ports import Batch, LogEntry, Put
from satchel.protocol import MemoryRecord


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    return write(path, "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n")


def alter(engine: Engine, identity: str, **fields: Any) -> None:
    """Change a record behind the engine's back."""
    store = engine.core.store
    record = store.get(SCOPE, {identity})[identity]
    state = record.model_dump() | {"content_hash": "", "revision": record.revision} | fields
    changed = MemoryRecord.model_validate(state)
    store.apply(Batch([Put(changed, LogEntry("tamper", None, engine.core.now()))]))


@pytest.fixture
def engine() -> Engine:
    found = empty_memory()
    assert isinstance(found, Engine)
    return found


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"content": "用户对芒果严重过敏。"}, "content"),
        ({"meta": {"room": "B13", "deep": {"x": 1}}}, "meta.room"),
        ({"meta": {"room": "B12", "deep": {"x": 2}}}, "meta.deep.x"),
        ({"tags": ("food", "饮食 ")[:1]}, "tags"),
        ({"created_at": "2026-05-01T08:00:01Z"}, "created_at"),
        ({"score": 0.71}, "score"),
        ({"type": "skill"}, "type"),
        ({"status": "archived"}, "status"),
    ],
)
def test_one_altered_field_in_one_record_fails_and_is_named(engine: Engine, tmp_path: Path, fields: dict[str, Any], named: str) -> None:
    rows = [{"id": f"r{n}", "text": f"note {n}"} for n in range(50)]
    target = {"id": "target", "text": "用户对花生严重过敏。", "created_at": "2026-05-01T08:00:00Z", "tags": ["food", "饮食"]}
    rows.append(target | {"room": "B12", "deep": {"x": 1}})
    report = migrate(engine, "jsonl", jsonl(tmp_path / "m.jsonl", *rows), scope=SCOPE)
    assert verify(engine, report.import_id).passed
    alter(engine, "target", **fields)
    found = verify(engine, report.import_id)
    assert not found.passed and found.fault_count == 1
    fault = found.faults[0]
    assert (fault.id, fault.field, fault.item) == ("target", named, "m.jsonl:51")
    assert "target" in found.to_text() and named in found.to_markdown()


def test_a_correction_by_its_user_shows_as_a_difference(memory: Memory) -> None:
    report = migrate(memory, "hermes", DEMO / "hermes", scope=SCOPE)
    record = next(memory.every_record(scope=SCOPE))
    memory.correct(record.id, record.content + "！", scope=SCOPE)
    found = verify(memory, report.import_id)
    assert not found.passed and {fault.id for fault in found.faults} == {record.id}


def test_a_missing_record_fails(memory: Memory) -> None:
    report = migrate(memory, "mcp-memory", DEMO / "mcp_memory", scope=SCOPE)
    record = next(memory.every_record(scope=SCOPE))
    memory.forget(record.id, scope=SCOPE)
    found = verify(memory, report.import_id)
    assert not found.passed
    assert [(fault.problem, fault.id) for fault in found.faults] == [("is not in the store", record.id)]


def test_the_counts_are_by_state_and_deleted_ones_are_no_part_of_them(memory: Memory) -> None:
    report = migrate(memory, "mem0", DEMO / "mem0")
    found = verify(memory, report.import_id)
    assert found.by_status == {"active": 8}
    assert found.outcomes == {"accepted": 8, "merged": 0, "transformed": 0, "quarantined": 0, "dropped": 1}
    assert found.deleted_checked == 1


def test_with_the_source_gone_only_the_hashes_are_claimed(engine: Engine, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "m.jsonl", {"id": "a", "text": "喝茶"}, {"id": "b", "text": "tea"}, {"id": "c"})
    report = migrate(engine, "jsonl", file, scope=SCOPE)
    file.unlink()
    found = verify(engine, report.import_id)
    assert found.passed and found.level == "hash_only" and found.compared == 2
    assert "the source is gone" in found.to_text() and found.to_dict()["verification_level"] == "hash_only"
    alter(engine, "a", content="喝酒")
    failed = verify(engine, report.import_id)
    assert not failed.passed
    assert [(fault.id, fault.field) for fault in failed.faults] == [("a", "state_hash")]


def test_a_verification_that_compared_nothing_proves_nothing(engine: Engine, tmp_path: Path) -> None:
    report = migrate(engine, "jsonl", jsonl(tmp_path / "m.jsonl", {"id": "a", "text": ""}), scope=SCOPE)
    found = verify(engine, report.import_id)
    assert (found.passed, found.level) == (False, "unverified")


def test_a_source_that_changed_is_compared_as_it_is_now(engine: Engine, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "m.jsonl", {"id": "a", "text": "喝茶"}, {"id": "b", "text": "tea"}, {"id": "c", "text": "水"})
    report = migrate(engine, "jsonl", file, scope=SCOPE)
    jsonl(file, {"id": "a", "text": "喝茶！"}, {"id": "b", "text": "tea"})
    found = verify(engine, report.import_id)
    assert not found.passed and any("has changed since" in note for note in found.notes)
    assert [(fault.item, fault.field) for fault in found.faults] == [("m.jsonl:1", "content"), ("m.jsonl:3", None)]


def test_a_merged_item_is_compared_with_the_record_it_went_into(engine: Engine, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "m.jsonl", {"id": "a", "text": "喝茶"}, {"id": "b", "text": "喝茶"})
    report = migrate(engine, "jsonl", file, scope=SCOPE)
    assert verify(engine, report.import_id).passed
    alter(engine, "a", content="喝酒")
    assert {fault.item for fault in verify(engine, report.import_id).faults} == {"m.jsonl:1", "m.jsonl:2"}


def test_something_brought_back_that_was_deleted_at_its_origin_fails(engine: Engine) -> None:
    report = migrate(engine, "mem0", DEMO / "mem0" / "history.db", scope=SCOPE)
    dead = next(receipt.item for receipt in report.receipts() if receipt.reason == "deleted at origin").partition(":")[2]
    engine.remember("旧住址 old address", scope=SCOPE, id=dead)
    found = verify(engine, report.import_id)
    assert not found.passed and found.faults[0].problem == "was deleted at its origin, and the store holds it"


def test_no_page_of_a_verification_holds_the_content(engine: Engine, tmp_path: Path) -> None:
    report = migrate(engine, "jsonl", jsonl(tmp_path / "m.jsonl", {"id": "a", "text": "私密 private words"}), scope=SCOPE)
    alter(engine, "a", content="altered private words")
    found = verify(engine, report.import_id)
    for page in (found.to_text(), found.to_markdown(), json.dumps(found.to_dict(), ensure_ascii=False)):
        assert "private" not in page and "私密" not in page


def test_a_record_altered_or_damaged_in_the_database_file_is_named(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'satchel.db'}"
    with empty_memory(url) as memory:
        report = migrate(memory, "hermes", DEMO / "hermes", scope=SCOPE)
    with sqlite3.connect(tmp_path / "satchel.db") as file:
        body, rid, identity = file.execute("SELECT body, rid, id FROM memories WHERE body LIKE '%青霉素%'").fetchone()
        file.execute("UPDATE memories SET body = ? WHERE rid = ?", [body.replace("青霉素", "青莓素"), rid])
    file.close()
    with empty_memory(url) as memory:
        found = verify(memory, report.import_id)
    assert [(fault.id, fault.field) for fault in found.faults] == [(identity, "content")]
    with sqlite3.connect(tmp_path / "satchel.db") as file:
        file.execute("UPDATE memories SET body = ? WHERE rid = ?", [body[:40], rid])
    file.close()
    with empty_memory(url) as memory:
        found = verify(memory, report.import_id)
    assert [(fault.id, fault.problem) for fault in found.faults] == [(identity, "is damaged in the store and cannot be read")]


def test_an_unknown_import_is_not_found(engine: Engine) -> None:
    with pytest.raises(NotFound):
        verify(engine, "none-such")


def test_many_faults_are_counted_and_the_first_are_told(engine: Engine, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "m.jsonl", *({"id": f"r{n}", "text": f"note {n}"} for n in range(150)))
    report = migrate(engine, "jsonl", file, scope=SCOPE)
    for n in range(150):
        alter(engine, f"r{n}", content=f"altered {n}")
    found = verify(engine, report.import_id)
    assert found.fault_count == 150 and len(found.faults) == 100
    assert found.to_text().endswith("and 50 more")
