"""Records, changes and sessions that the contracts write, Chinese as often as English. It must not know what is done with them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from satchel.ports import Batch, IndexSlice, LogEntry, Put, Remove, Store
from satchel.protocol.record import Deletion, MemoryRecord
from satchel.protocol.working import WorkingSnapshot

NOW = datetime(2026, 3, 2, 9, 30, 15, 123456, tzinfo=UTC)
"""When the samples are written."""

CONTENTS = (
    "用户对花生严重过敏，订餐前要先确认。",
    "Prefers the window seat on long flights.",
    "每周三下午三点和数据平台组开会",
    "The staging cluster is rebuilt every Monday night.",
    "回答请用简体中文，代码注释用英文",
    "Never push to main without a review.",
    "母亲的生日是农历八月十五",
    "Learned to restart the worker before the queue is drained.",
)


def later(seconds: float) -> datetime:
    """Return a moment after NOW."""
    return NOW + timedelta(seconds=seconds)


def make(record_id: str, scope: str, content: str | None = None, **members: Any) -> MemoryRecord:
    """Make a record; without a content it gets one of its own."""
    text = f"{CONTENTS[len(record_id) % len(CONTENTS)]}（{record_id}）" if content is None else content
    given = {"created_at": NOW, "stored_at": NOW, "updated_at": NOW} | members
    return MemoryRecord.model_validate({"id": record_id, "scope": scope, "content": text, **given})


def sitting(session: str, scope: str, version: int = 1, **members: Any) -> WorkingSnapshot:
    """Make a session's snapshot."""
    given = {"created_at": NOW, "updated_at": NOW, "agent_id": "writer"} | members
    return WorkingSnapshot.model_validate({"session_id": session, "scope": scope, "version": version, **given})


def tombstone(record: MemoryRecord, *, reason: str | None = None) -> MemoryRecord:
    """Make a record's tombstone, its next revision."""
    return MemoryRecord(
        id=record.id,
        scope=record.scope,
        type=record.type,
        content="",
        created_at=record.created_at,
        stored_at=record.stored_at,
        updated_at=later(3600),
        status="deleted",
        revision=record.revision + 1,
        deletion=Deletion(at=later(3600), by="writer", reason=reason),
    )


def revise(record: MemoryRecord, **members: Any) -> MemoryRecord:
    """Return a record's next revision."""
    given = record.model_dump(exclude={"content_hash"}) | {"revision": record.revision + 1, "updated_at": later(record.revision)}
    return MemoryRecord.model_validate(given | members)


def log(operation: str = "remember", agent: str | None = "writer", reason: str | None = None, at: datetime = NOW) -> LogEntry:
    """Make a log entry."""
    return LogEntry(operation, agent, at, reason)


def put(record: MemoryRecord, expect: int | None = None, *, terms: bytes = b"terms", vector: bytes | None = None, **more: Any) -> Put:
    """Make a change that writes a record."""
    return Put(record, more.pop("log", log()), expect, b"" if record.is_tombstone else terms, vector, **more)


def remove(record: MemoryRecord, expect: int | None = None) -> Remove:
    """Make a change that takes a record out."""
    return Remove(record.scope, record.id, log("undo_import"), expect)


def write(store: Store, *records: MemoryRecord) -> int:
    """Write records in one batch."""
    return store.apply(Batch([put(record) for record in records]))


def ids(part: IndexSlice) -> list[str]:
    """Return the ids of an index slice's rows."""
    return [row.id for row in part.rows]
