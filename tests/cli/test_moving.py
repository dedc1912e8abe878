"""Moving in from the terminal (surface.md, MIG-6, MIG-7)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

REPORT = {"import_id", "items", "accepted", "merged", "transformed", "quarantined", "dropped", "receipts"}


@pytest.fixture
def old_memory(tmp_path: Path) -> Path:
    path = tmp_path / "mem0.json"
    rows = [
        {
            "id": "1f",
            "memory": "用户不吃香菜",
            "created_at": "2026-05-01T08:00:00+08:00",
            "user_id": "lin",
            "metadata": {"category": "preference"},
        },
        {"id": "2f", "memory": "The printer is on the second floor", "created_at": "2026-05-02T08:00:00Z", "user_id": "lin"},
    ]
    path.write_text(json.dumps({"results": rows}, ensure_ascii=False), "utf-8")
    return path


def test_memory_moves_in_is_verified_and_taken_back(satchel, old_memory: Path) -> None:
    done = satchel("migrate", "mem0", str(old_memory), "--scope", "user:alice", "--json")
    assert done.code == 0, done.err
    assert set(done.json) >= REPORT
    assert (done.json["items"], done.json["accepted"], len(done.json["receipts"])) == (2, 2, 2)
    import_id = done.json["import_id"]
    assert satchel("recall", "香菜").code == 0
    proof = satchel("verify", import_id, "--json")
    assert proof.code == 0
    assert proof.json["passed"] is True
    listed = satchel("imports", "--json").json["imports"]
    assert [summary["import_id"] for summary in listed] == [import_id]
    undone = satchel("undo", import_id, "--json").json
    assert (undone["removed"], undone["restored"], undone["kept"]) == (2, 0, 0)
    assert [one["reason"] for one in undone["before"]] == [f"undo of import {import_id}"]
    assert satchel("list").code == 1


def test_a_dry_run_tells_and_writes_nothing(satchel, old_memory: Path) -> None:
    plan = satchel("migrate", "mem0", str(old_memory), "--scope", "user:alice", "--dry-run", "--json")
    assert plan.code == 0
    assert plan.json["accepted"] == 2
    assert satchel("list").code == 1
    assert satchel("imports").code == 1


def test_running_it_again_adds_nothing(satchel, old_memory: Path) -> None:
    satchel("migrate", "mem0", str(old_memory), "--scope", "user:alice")
    assert satchel("migrate", "mem0", str(old_memory), "--scope", "user:alice").code == 0
    assert len(satchel("list", "--json").json["records"]) == 2


def test_verification_fails_on_one_altered_character(satchel, old_memory: Path) -> None:
    done = satchel("migrate", "mem0", str(old_memory), "--scope", "user:alice", "--json")
    old_memory.write_text(old_memory.read_text("utf-8").replace("second floor", "second flour"), "utf-8")
    proof = satchel("verify", done.json["import_id"])
    assert proof.code == 1
    assert "FAILED" in proof.out


def test_owners_that_the_source_names_get_their_own_scope(satchel, old_memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_SCOPE")
    assert satchel("migrate", "mem0", str(old_memory)).code == 0
    assert len(satchel("list", "--scope", "user:lin", "--json").json["records"]) == 2


def test_owners_can_be_mapped(satchel, old_memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_SCOPE")
    assert satchel("migrate", "mem0", str(old_memory), "--map", "lin=team:garden").code == 0
    assert len(satchel("list", "--scope", "team:garden", "--json").json["records"]) == 2


def test_the_report_is_a_page_too(satchel, old_memory: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.md"
    done = satchel("migrate", "mem0", str(old_memory), "--scope", "user:alice", "--report", str(page), "--json")
    assert page.read_text("utf-8").startswith("# Migration")
    satchel("verify", done.json["import_id"], "--report", str(page))
    assert page.read_text("utf-8").startswith("# Verification")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["migrate", "mem9", "x.json", "--scope", "user:a"], "mem9"),
        (["migrate", "mem0", "nowhere.json", "--scope", "user:a"], "nowhere.json"),
        (["migrate", "mem0", "{old}", "--scope", "user:a", "--tz", "Mars/Olympus"], "tz"),
        (["migrate", "mem0", "{old}", "--scope", "user:a", "--map", "x"], "map"),
        (["sources", "mem9"], "mem9"),
    ],
)
def test_wrong_usage_is_named(satchel, old_memory: Path, words: list[str], named: str) -> None:
    answer = satchel(*[word.replace("{old}", str(old_memory)) for word in words])
    assert answer.code == 2, answer
    assert named in answer.err


def test_nothing_to_take_is_exit_code_1(satchel, tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text('{"results": []}')
    assert satchel("migrate", "mem0", str(empty), "--scope", "user:alice").code == 1


def test_an_unknown_import_is_exit_code_1(satchel) -> None:
    assert satchel("verify", "nothing").code == 1
    assert satchel("undo", "nothing").code == 1


def test_sources_lists_every_kind_and_every_field(satchel) -> None:
    listed = satchel("sources", "--json")
    assert listed.code == 0, listed
    kinds = [source["kind"] for source in listed.json["sources"]]
    assert {"mem0", "mcp-memory", "claude-code", "chatgpt", "csv"} <= set(kinds)
    assert "user_id" in satchel("sources", "mem0").out
