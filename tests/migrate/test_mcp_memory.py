"""The MCP memory server's file: observations get their subject, relations become sentences, what does not resolve is flagged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from migrate_stage import DEMO, planned, reasons, records, write
from satchel.errors import InvalidRequest
from satchel.migrate import detect

FILE = DEMO / "mcp_memory" / "memory.jsonl"


def lines(*rows: object) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def test_each_observation_and_relation_is_one_record_with_its_subject() -> None:
    found = records("mcp-memory", FILE)
    assert [record.content for record in found] == [
        "default_user: 不吃香菜",
        "default_user: Prefers metric units in all estimates",
        "default_user: Works as a head gardener since spring",
        "青岚花园: 竹林步道在十二月完工",
        "青岚花园: default_user is responsible for it",
        "default_user leads 青岚花园",
    ]
    assert found[0].tags == ("person",)
    assert found[0].meta == {"entity": "default_user", "entity_type": "person"}
    assert all(record.created_at is None and record.source.time_basis == "none" for record in found)
    assert "mcp-memory" in detect(FILE)
    assert not any("tyres" in record.content for record in found)


def test_ids_depend_on_what_is_said_and_not_on_the_file_or_its_order(tmp_path: Path) -> None:
    text = FILE.read_text("utf-8").split("\n")
    moved = write(tmp_path / "elsewhere.jsonl", "\n".join(reversed(text)))
    assert {record.id for record in records("mcp-memory", moved)} == {record.id for record in records("mcp-memory", FILE)}


def test_pronouns_and_unknown_ends_are_flagged_and_kept_verbatim(tmp_path: Path) -> None:
    rows = [
        {"type": "entity", "name": "小周", "entityType": "person", "observations": ["他也喜欢", "lives here", "likes tea"]},
        {"type": "relation", "from": "小周", "to": "Nowhere Ltd", "relationType": "works_at"},
    ]
    found = records("mcp-memory", write(tmp_path / "memory.jsonl", lines(*rows)))
    assert [record.content for record in found] == ["小周: 他也喜欢", "小周: lives here", "小周: likes tea", "小周 works_at Nowhere Ltd"]
    assert ["unresolved_reference" in record.meta for record in found] == [True, True, False, True]
    assert found[0].score == 0.3 and found[2].score > 0.3


def test_broken_lines_are_quarantined_with_their_number_and_the_rest_goes_in(tmp_path: Path) -> None:
    good = lines({"type": "entity", "name": "A", "entityType": "t", "observations": ["一"]})
    bad = [
        '{"type":"entity","name":"B","observations":"not a list"}',
        '{"type":"entity"}',
        '{"type":"relation","from":"A"}',
        "not json",
        "[1]",
        '{"type":"entity","name":"C","observations":[1]}',
        '{"type":"entity","name":"cut',
    ]
    file = write(tmp_path / "memory.jsonl", "\ufeff" + good + "\r\n\n" + "\n".join(bad))
    assert [record.content for record in records("mcp-memory", file)] == ["A: 一"]
    found = reasons("mcp-memory", file)
    assert [name.partition("#")[0] for name in found] == [f"memory.jsonl:{number}" for number in range(3, 10)]
    assert found["memory.jsonl:9"] == "quarantined: is cut off"


def test_an_entity_without_observations_is_not_lost(tmp_path: Path) -> None:
    file = write(tmp_path / "memory.jsonl", lines({"type": "entity", "name": "西湖", "entityType": "place", "observations": []}))
    assert [record.content for record in records("mcp-memory", file)] == ["西湖: place"]


def test_the_same_observation_twice_gets_two_receipts(tmp_path: Path) -> None:
    file = write(tmp_path / "memory.jsonl", lines({"type": "entity", "name": "A", "entityType": "t", "observations": ["x", "x", ""]}))
    found = planned("mcp-memory", file)
    assert len({item.request.item for item in found}) == 3
    assert len({item.record.id for item in found if item.record}) == 2
    assert found[2].request.reason == "has no content"


def test_members_that_the_format_does_not_know_are_kept(tmp_path: Path) -> None:
    row = {"type": "entity", "name": "A", "entityType": "t", "observations": ["x"], "confidence": 0.4}
    assert records("mcp-memory", write(tmp_path / "memory.json", lines(row)))[0].meta["confidence"] == 0.4


def test_a_file_that_is_no_server_memory_is_refused_in_one_line(tmp_path: Path) -> None:
    file = write(tmp_path / "memory.jsonl", "\n".join(json.dumps({"id": n, "text": "用户爱喝茶"}) for n in range(50)))
    with pytest.raises(InvalidRequest, match="no file of the MCP memory server"):
        planned("mcp-memory", file)
