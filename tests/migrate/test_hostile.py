"""Whatever happened to a source's bytes, reading it ends in items or in a clear error, and never in a traceback."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from migrate_stage import DEMO, FIXTURES, conversation, planned, saved, write, write_json
from satchel.errors import InvalidRequest

MEMORY = "---\nname: a\nmetadata: \n  type: user\n---\n\n靠窗 window [[b]]\n"
DIRECTIVES = "<!-- observed: 2026-10-02 | status: active -->\n\n- 用中文\n\n```md\n- x\n```\n"


def sources(folder: Path) -> dict[str, Path]:
    return {
        "mem0": DEMO / "mem0" / "get_all_alice.json",
        "mem0 history": FIXTURES / "mem0_legacy" / "history.db",
        "mcp-memory": DEMO / "mcp_memory" / "memory.jsonl",
        "hermes": DEMO / "hermes" / "memories" / "USER.md",
        "chatgpt": write_json(folder / "conversations.json", [conversation("c", saved("b", "茶 tea")), conversation("d", saved("e", "x"))]),
        "claude-code": write(folder / "user_seat.md", MEMORY),
        "openclaw": write(folder / "USER.md", DIRECTIVES),
        "markdown": write(folder / "notes.md", "# 标题\n\n- one\n  - two\n\n<!-- c -->\ntext\n"),
        "jsonl": write(folder / "m.jsonl", '{"id":1,"text":"喝茶 \\ud83c\\udf75","ts":1790000000}\n{"id":2,"text":"b"}\n'),
        "csv": write(folder / "m.csv", 'id,内容,时间\n1,"a ""b"", 好",2026/9/22\n'.encode("gb18030")),
        "sqlite": DEMO / "mem0" / "history.db",
    }


def mutated(data: bytes, chance: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5, 30])):
        at = chance.randrange(len(found) + 1)
        kind = chance.randrange(5)
        if kind == 0 and at < len(found):
            found[at] = chance.randrange(256)
        elif kind == 1:
            del found[at : at + chance.randrange(1, 40)]
        elif kind == 2:
            found[at:at] = chance.randbytes(chance.randrange(1, 20))
        elif kind == 3:
            found[at:at] = found[: chance.randrange(60)]
        else:
            del found[at:]
    return bytes(found)


NAMES = ["mem0", "mem0 history", "mcp-memory", "hermes", "chatgpt", "claude-code", "openclaw", "markdown", "jsonl", "csv", "sqlite"]


@pytest.mark.parametrize("name", NAMES)
def test_mutated_bytes_give_items_or_a_clear_error(tmp_path: Path, name: str) -> None:
    chance = random.Random(f"satchel {name}")
    original = sources(tmp_path / "originals")[name]
    kind = name.partition(" ")[0]
    mapping = {"table": "*"} if kind == "sqlite" else {}
    read = 0
    for _ in range(40):
        file = write(tmp_path / "mutated" / original.name, mutated(original.read_bytes(), chance))
        try:
            read += bool(planned(kind, file, mapping=mapping))
        except InvalidRequest as error:
            assert error.details["faults"]
    assert read, "no mutation was mild enough to read"
