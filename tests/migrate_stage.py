"""What the tests of moving in share: reading a source without a store, real fixtures, a small ChatGPT export, an empty memory."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from satchel import open_memory
from satchel.migrate.plan import PlannedItem, make_plan
from satchel.operations import Memory
from satchel.protocol import MemoryRecord

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "src" / "satchel" / "demo_data"
FIXTURES = ROOT / "tests" / "fixtures"
SCOPE = "user:alice"
NOW = datetime(2027, 1, 5, 12, tzinfo=UTC)


def planned(kind: str, path: Path, **how: Any) -> list[PlannedItem]:
    """Read a source into planned items."""
    how.setdefault("scope", SCOPE)
    return list(make_plan(kind, path, now=NOW, **how).items())


def records(kind: str, path: Path, **how: Any) -> list[MemoryRecord]:
    """Return the records that a source gives."""
    return [item.record for item in planned(kind, path, **how) if item.record is not None and item.request.outcome.value != "quarantined"]


def reasons(kind: str, path: Path, **how: Any) -> dict[str, str]:
    """Return, by item, the outcome and reason of what gives no record."""
    found = planned(kind, path, **how)
    return {
        item.request.item: f"{item.request.outcome.value}: {item.request.reason}"
        for item in found
        if item.request.outcome.value in {"dropped", "quarantined"}
    }


def notes(kind: str, path: Path, **how: Any) -> list[str]:
    """Return what a plan says was detected."""
    how.setdefault("scope", SCOPE)
    plan = make_plan(kind, path, now=NOW, **how)
    list(plan.items())
    return plan.notes()


def write(path: Path, text: str | bytes, *, mtime: float | None = None) -> Path:
    """Write a file and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    if mtime is not None:
        os.utime(path, (mtime, mtime))
    return path


def write_json(path: Path, value: Any) -> Path:
    """Write JSON with ASCII escapes, as many tools do."""
    return write(path, json.dumps(value))


def empty_memory(url: str = "memory://") -> Memory:
    """Open a memory without a model."""
    return open_memory(url, embedder="none")


# ---------------------------------------------------------------- ChatGPT


def message(
    identity: str, text: str, *, role: str = "assistant", recipient: str = "all", at: float | None = 1_790_000_000.5
) -> dict[str, Any]:
    """Return one message of an export."""
    return {
        "id": identity,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": "text", "parts": [text, None, {"asset_pointer": "file-service://x"}]},
        "recipient": recipient,
        "weight": 1.0,
        "metadata": {},
    }


def saved(identity: str, text: str, **how: Any) -> dict[str, Any]:
    """Return the message that saves a memory."""
    return message(identity, text, recipient="bio", **how)


def special(
    identity: str, content: Mapping[str, Any], *, metadata: Mapping[str, Any] | None = None, at: float | None = None
) -> dict[str, Any]:
    """Return a message of another content type."""
    return message(identity, "", at=at) | {"content": dict(content), "metadata": dict(metadata or {})}


def conversation(identity: str, *messages: dict[str, Any], at: float = 1_790_000_000.0, **more: Any) -> dict[str, Any]:
    """Return a conversation of one branch."""
    names = ["root", *(each["id"] for each in messages)]
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": names[1:2]}}
    for place, each in enumerate(messages, 1):
        mapping[each["id"]] = {"id": each["id"], "message": each, "parent": names[place - 1], "children": names[place + 1 : place + 2]}
    found = {"id": identity, "conversation_id": identity, "title": "花园 garden", "create_time": at, "update_time": at + 10}
    return found | {"mapping": mapping, "current_node": names[-1], "is_do_not_remember": None} | more
