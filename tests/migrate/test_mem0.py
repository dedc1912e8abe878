"""mem0: every shape of get_all, history.db replayed, and the dead stay dead (sources.md 0.2 and 3; complaints 52, 62, 67, 98)."""

from __future__ import annotations

import json
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from migrate_stage import DEMO, FIXTURES, notes, planned, reasons, records, write, write_json
from satchel.errors import InvalidRequest
from satchel.migrate import detect
from satchel.migrate.catalogue import source_for
from satchel.protocol import Origin

ROW = {"id": "m-1", "memory": "喜欢靠窗的座位", "created_at": "2026-11-01T08:00:00+00:00", "user_id": "alice"}
MEM0 = DEMO / "mem0"
LEGACY = FIXTURES / "mem0_legacy"


@pytest.mark.parametrize(
    "shape",
    [
        {"results": [ROW]},
        {"memories": [ROW]},
        {"items": [ROW]},
        [ROW],
        {"count": 1, "next": None, "results": [ROW]},
        {"results": [], "memories": [ROW]},
        {"memories": None, "results": [ROW]},
        {"results": [ROW], "relations": []},
    ],
)
def test_every_shape_of_get_all_is_read_and_an_empty_alias_hides_nothing(tmp_path: Path, shape: Any) -> None:
    file = write_json(tmp_path / "all.json", shape)
    assert [record.id for record in records("mem0", file)] == ["m-1"]
    assert "mem0" in detect(file)


@pytest.mark.parametrize("key", ["memory", "text", "data", "content"])
def test_the_content_stands_under_any_of_its_names(tmp_path: Path, key: str) -> None:
    row = {"id": "m-1", key: "爱喝乌龙茶 oolong"}
    assert records("mem0", write_json(tmp_path / "all.json", [row]))[0].content == "爱喝乌龙茶 oolong"


def test_an_empty_content_alias_does_not_hide_a_full_one(tmp_path: Path) -> None:
    row = {"id": "m-1", "memory": "", "data": "the real text"}
    assert records("mem0", write_json(tmp_path / "all.json", [row]))[0].content == "the real text"


def test_fields_are_mapped_or_kept_and_ids_and_times_are_verbatim(tmp_path: Path) -> None:
    row = ROW | {
        "updated_at": "2026-11-02T08:00:00.123456+00:00", "agent_id": "helper", "run_id": "r7", "role": "user", "hash": "abc",
        "actor_id": "bo",
        "metadata": {"category": "user_preference", "city": "杭州"}, "categories": ["travel", "出行"], "attributed_to": "user",
    }  # fmt: skip
    (record,) = records("mem0", write_json(tmp_path / "all.json", [row]))
    assert record.id == "m-1"
    assert record.created_at == datetime(2026, 11, 1, 8, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 11, 2, 8, 0, 0, 123456, tzinfo=UTC)
    assert (record.type, record.meta["original_type"]) == ("preference", "user_preference")
    assert record.tags == ("travel", "出行")
    assert (record.source.agent, record.source.session, record.source.origin) == ("helper", "r7", Origin.STATED)
    kept = {
        "city": "杭州",
        "hash": "abc",
        "actor_id": "bo",
        "attributed_to": "user",
        "user_id": "alice",
        "agent_id": "helper",
        "run_id": "r7",
    }
    assert kept.items() <= record.meta.items()
    assert record.source.uri == "mem0:all.json[0]"


def test_an_expiry_date_lasts_to_the_end_of_its_day(tmp_path: Path) -> None:
    (item,) = planned("mem0", write_json(tmp_path / "all.json", [ROW | {"expiration_date": "2026-12-31"}]))
    assert item.record is not None
    assert item.record.expires_at == datetime(2027, 1, 1, tzinfo=UTC)
    assert "expires_at" in item.request.changes[0]


def test_what_the_assistant_said_is_kept_with_a_low_score() -> None:
    said = next(record for record in records("mem0", MEM0 / "get_all_bob.json") if record.content.startswith("Sure"))
    assert (said.source.origin, said.score) == (Origin.INFERRED, 0.2)


def test_a_pacific_offset_of_old_versions_is_converted_and_kept() -> None:
    (record,) = records("mem0", LEGACY / "get_all_alice.json")
    assert record.created_at is not None and record.created_at.tzinfo is UTC
    assert str(record.meta["time_raw"]).endswith("-08:00")


def test_a_deleted_memory_stays_deleted_though_its_first_row_says_otherwise() -> None:
    found = reasons("mem0", LEGACY / "history.db")
    assert list(found.values()) == ["dropped: deleted at origin"]
    with sqlite3.connect(LEGACY / "history.db") as history:
        rows = history.execute(
            "SELECT event, is_deleted, created_at FROM history WHERE memory_id = ?", [next(iter(found)).partition(":")[2]]
        )
        assert sorted(row[0] for row in rows if not row[1]) == ["ADD", "UPDATE"]
    assert [record.content for record in records("mem0", LEGACY / "history.db")] == ["I take my coffee without sugar. 我喝咖啡不加糖"]


def test_a_json_taken_before_the_deletion_does_not_bring_it_back(tmp_path: Path) -> None:
    shutil.copy(LEGACY / "history.db", tmp_path)
    shutil.copy(LEGACY / "get_all_alice_before.json", tmp_path)
    found = reasons("mem0", tmp_path, scope=None)
    assert list(found.values()) == ["dropped: deleted at origin"]
    assert len(records("mem0", tmp_path, scope=None)) == 1


def test_no_receipt_of_a_deleted_memory_holds_its_text() -> None:
    for item in planned("mem0", LEGACY / "history.db"):
        if item.record is None:
            assert "locker" not in item.request.model_dump_json() and "储物柜" not in item.request.model_dump_json()


def test_an_update_wins_and_the_earlier_wording_is_kept_as_a_version() -> None:
    updated = next(record for record in records("mem0", MEM0 / "history.db") if "short answers" in record.content)
    assert [version["content"] for version in updated.meta["versions"]] == ["I like long answers with many examples."]


def test_a_folder_joins_owners_from_the_json_with_deaths_from_the_history() -> None:
    found = planned("mem0", MEM0, scope=None)
    assert {item.record.scope for item in found if item.record} == {"user:alice", "user:bob"}
    assert sum(item.source.deleted_at_origin for item in found) == 1
    assert len([item for item in found if item.record]) == 8


def test_a_newer_history_overrides_an_older_json(tmp_path: Path) -> None:
    shutil.copy(MEM0 / "history.db", tmp_path)
    rows = json.loads((MEM0 / "get_all_alice.json").read_text("utf-8"))["results"]
    row = next(row for row in rows if "short answers" in row["memory"])
    write_json(tmp_path / "old.json", [row | {"memory": "I like long answers with many examples.", "updated_at": row["created_at"]}])
    found = next(item for item in planned("mem0", tmp_path) if item.record and item.record.id == row["id"])
    assert found.record is not None and found.record.content == row["memory"]
    assert "newer version" in found.request.changes[0]


def test_a_history_alone_names_nobody_and_needs_a_scope() -> None:
    with pytest.raises(InvalidRequest, match="scope"):
        planned("mem0", MEM0 / "history.db", scope=None)


def test_a_page_of_many_says_that_it_is_one(tmp_path: Path) -> None:
    file = write_json(tmp_path / "page.json", {"count": 120, "results": [ROW]})
    assert any("names 120 memories and holds 1" in note for note in notes("mem0", file))


def test_rows_without_id_or_text_are_quarantined_and_relations_are_not_memories(tmp_path: Path) -> None:
    rows = [
        {"memory": "no id"},
        {"id": "x"},
        {"id": "y", "memory": {"deep": 1}},
        "text",
        ROW,
        {"source": "a", "relationship": "r", "destination": "b"},
    ]
    found = reasons("mem0", write_json(tmp_path / "all.json", {"results": rows}))
    assert [reason.partition(":")[0] for reason in found.values()] == ["quarantined"] * 4 + ["dropped"]


def test_json_that_is_cut_off_gives_what_came_before_and_says_where(tmp_path: Path) -> None:
    text = json.dumps({"results": [ROW, ROW | {"id": "m-2"}]})
    file = write(tmp_path / "all.json", text[:-30])
    assert [record.id for record in records("mem0", file)] == ["m-1"]
    assert reasons("mem0", file)["all.json[1]"].startswith("quarantined: the JSON ends or breaks here")


def test_a_live_database_is_read_with_its_write_ahead_log_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "history.db"
    shutil.copy(MEM0 / "history.db", file)
    tool = sqlite3.connect(file, isolation_level=None)
    tool.execute("PRAGMA journal_mode = WAL")
    columns = "id, memory_id, new_memory, event, created_at, is_deleted"
    row = ("h", "wal-1", "新记忆 fresh", "ADD", "2026-11-30T08:00:00+00:00", 0)
    tool.execute(f"INSERT INTO history ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert "wal-1" in {record.id for record in records("mem0", file)}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    tool.close()


def test_other_files_are_not_mistaken_for_mem0(tmp_path: Path) -> None:
    write_json(tmp_path / "config.json", {"user_id": "x", "items": [1]})
    assert not source_for("mem0").detect(tmp_path)
    with pytest.raises(InvalidRequest, match="neither a mem0 history"):
        planned("mem0", tmp_path)
    with pytest.raises(InvalidRequest, match="no such file"):
        planned("mem0", tmp_path / "absent.json")


def test_a_single_json_is_taken_as_it_is_and_a_history_beside_it_is_pointed_out() -> None:
    file = LEGACY / "get_all_alice_before.json"
    assert len(records("mem0", file)) == 2
    assert any("migrate the folder" in note for note in notes("mem0", file))


def test_a_users_own_metadata_of_the_same_name_is_kept_beside_mem0s(tmp_path: Path) -> None:
    row = ROW | {"hash": "abc", "metadata": {"hash": "mine", "x": 1}}
    (record,) = records("mem0", write_json(tmp_path / "all.json", [row]))
    assert record.meta["hash"] == "abc" and record.meta["metadata.hash"] == "mine"
