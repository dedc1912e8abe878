"""The specification in spec/ says what the code does (PRO-11, PRO-13)."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.errors import InvalidRequest
from satchel.operations import OPERATIONS, Memory
from satchel.protocol import (
    Deletion,
    Header,
    MemoryRecord,
    Status,
    UnknownLine,
    Usage,
    WorkingSnapshot,
    parse_scope,
    read_package,
    write_package,
)
from satchel.protocol.schema import documents
from satchel.protocol.scope import SCOPE_PATTERN, SEGMENT_KINDS, encode_name

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "spec"
NOON = datetime(2026, 11, 30, 12, 0, 0, 250_000, tzinfo=UTC)


def _generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "scripts" / "generate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _validator(name: str) -> jsonschema.Draft202012Validator:
    schema = documents()[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_generated_files_are_what_the_code_says() -> None:
    generate = _generator()
    assert [str(path) for path in generate.stale(generate.generated())] == [], "run `make docs`"


RECORDS = [
    MemoryRecord(id="m1", content="用户的猫叫豆包。", scope="user:alice", stored_at=NOON, updated_at=NOON, created_at=None),
    MemoryRecord(
        id="日记/1",
        content="Deploys happen on Tuesdays.",
        scope="user:李 雷/project:web",
        stored_at=NOON,
        updated_at=NOON,
        type="ritual",
        tags=["work", "部署"],
        meta={"nested": {"null": None, "list": [1, 2.5, True]}},
        source={"agent": "writer", "origin": "inferred", "time_basis": "naive_local"},
        usage=Usage(last_access_at=NOON, access_count=3),
        later_member={"kept": True},
    ),
    MemoryRecord(id="m2", content="", scope="public", stored_at=NOON, updated_at=NOON, status=Status.DELETED, deletion=Deletion(at=NOON)),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.id)
def test_what_is_written_meets_the_published_schema(record: MemoryRecord) -> None:
    _validator("record.json").validate(json.loads(record.to_json()))


@pytest.mark.parametrize(
    "change",
    [
        {"content": "  "},
        {"content": None},
        {"scope": "alice"},
        {"scope": "user:*"},
        {"score": 1.5},
        {"half_life": 0},
        {"status": "gone"},
        {"status": "deleted"},
        {"stored_at": "2026-11-30T12:00:00"},
        {"stored_at": 1796040000},
        {"v": "2.0"},
        {"id": ""},
        {"tags": "diet"},
    ],
    ids=str,
)
def test_the_schema_refuses_what_the_prose_refuses(change: dict[str, Any]) -> None:
    record = json.loads(RECORDS[0].to_json()) | change
    assert not _validator("record.json").is_valid(record)


def test_every_line_of_a_package_meets_the_schema() -> None:
    working = WorkingSnapshot(session_id="s1", scope="user:alice", created_at=NOON, updated_at=NOON, slots={"城市": "苏州"})
    header = Header(producer="test", created_at=NOON)
    lines = [RECORDS[2], RECORDS[0], RECORDS[1], working, UnknownLine("later", {"value": 1})]
    data = b"".join(write_package(header, lines))
    validator = _validator("package-line.json")
    for line in data.splitlines():
        validator.validate(json.loads(line))
    with read_package(io.BytesIO(data)) as package:
        assert list(package.lines()) == lines


def test_the_example_record_of_the_prose_is_a_record() -> None:
    example = re.search(r"```json\n(\{.*\})\n```", (SPEC / "02-record.md").read_text("utf-8"))
    assert example
    _validator("record.json").validate(json.loads(example[1]))
    assert MemoryRecord.model_validate_json(example[1]).content.startswith("用户")


def test_the_example_package_of_the_prose_is_a_package() -> None:
    block = re.search(r"```json\n(.*?)```", (SPEC / "05-package.md").read_text("utf-8"), re.DOTALL)
    assert block
    import hashlib

    body, _, trailer = block[1].strip().rpartition("\n")
    digest = hashlib.sha256(f"{body}\n".encode()).hexdigest()
    with read_package(io.BytesIO(f"{body}\n{trailer.replace('…', digest)}\n".encode())) as package:
        assert [record.id for record in package.lines() if isinstance(record, MemoryRecord)] == ["m2", "m1"]


def _member_rows() -> set[str]:
    text = (SPEC / "02-record.md").read_text("utf-8")
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_prose_names_every_member_of_a_record() -> None:
    assert set(MemoryRecord.model_fields) <= _member_rows()


def test_the_prose_gives_the_segment_kinds_in_canonical_order() -> None:
    text = (SPEC / "03-scopes.md").read_text("utf-8")
    order = ", ".join(f"`{kind}`" for kind in SEGMENT_KINDS)
    assert f"in the order {order};" in text


@pytest.mark.parametrize(
    ("given_scope", "canonical"),
    [
        ("project:web/user:alice", "user:alice/project:web"),
        ("user:%61lice", "user:alice"),
        ("user:a%2fb", "user:a%2Fb"),
        ("user:李 雷", "user:李%20雷"),
        ("user:李\u3000雷", "user:李%E3%80%80雷"),
    ],
)
def test_the_scope_examples_of_the_prose_hold(given_scope: str, canonical: str) -> None:
    assert f"| `{given_scope}` | `{canonical}` |" in (SPEC / "03-scopes.md").read_text("utf-8")
    assert parse_scope(given_scope) == canonical


@given(st.text(max_size=40), st.sampled_from(SEGMENT_KINDS[1:]))
def test_every_canonical_scope_meets_the_grammar_and_is_its_own_canonical_form(name: str, kind: str) -> None:
    try:
        scope = parse_scope(f"{kind}:{name}")
    except InvalidRequest:
        return
    assert re.search(SCOPE_PATTERN, scope)
    assert parse_scope(scope) == scope


def test_every_character_in_a_name_meets_the_grammar() -> None:
    missed = [
        f"{code:04X}"
        for code in range(1, 0x11000)
        if not 0xD800 <= code < 0xE000 and not re.search(SCOPE_PATTERN, f"user:a{encode_name(chr(code))}b")
    ]
    assert missed == []


def test_no_white_space_of_another_language_stands_in_a_scope() -> None:
    """ECMA 262 takes U+FEFF for white space, which Python does not."""
    assert encode_name("a\ufeffb") == "a%EF%BB%BFb"


def test_the_typescript_types_compile() -> None:
    compiler = shutil.which("tsc")
    text = (SPEC / "types" / "satchel.d.ts").read_text("utf-8")
    assert text.count("{") == text.count("}")
    assert {"Header", "MemoryRecord", "Trailer", "WorkingSnapshot"} <= set(re.findall(r"export interface (\w+)", text))
    if compiler:
        done = subprocess.run([compiler, "--noEmit", "--strict", str(SPEC / "types" / "satchel.d.ts")], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


# ---------------------------------------------------------------- one vocabulary


def _verbs() -> list[dict[str, str]]:
    lines = [line for line in (SPEC / "09-verbs.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    names, *rows = ([cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines if not line.startswith("|---"))
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_the_table_of_verbs_is_the_operation_table() -> None:
    streams = {"export": "GET /export", "import": "POST /import"}
    expected = {operation.name: f"{operation.verb} {operation.path}" for operation in OPERATIONS} | streams
    assert {row["verb"]: row["HTTP"] for row in _verbs()} == expected


def test_every_verb_is_a_method_of_memory_and_of_its_async_twin() -> None:
    from satchel.client import AsyncHttpMemory

    for row in _verbs():
        assert callable(getattr(Memory, row["Python"]))
        assert callable(getattr(AsyncHttpMemory, row["Python"]))


def test_every_command_and_tool_of_the_table_exists() -> None:
    from scripts.reference import command_names

    from satchel.mcp.tools import TOOLS

    rows = _verbs()
    assert {row["command"] for row in rows} - {"—"} <= set(command_names())
    assert {row["MCP tool"] for row in rows} - {"—"} == {tool.name for tool in TOOLS}
