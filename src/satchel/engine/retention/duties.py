"""Which records are open duties: tasks and promises that are due and neither done nor dropped (RET-10).

It must not know when they are shown or what else keeps a record from fading.
"""

from __future__ import annotations

from typing import Any

from satchel.protocol.record import MemoryRecord, Status

CLOSED = frozenset(
    ["done", "dropped", "closed", "cancelled", "canceled", "completed", "abandoned", "finished", "已完成", "完成", "已取消", "取消"],
)
"""Values of `meta.state` or `meta.status`, and tags, that close a duty; `meta.done` and `meta.dropped` being true do so too."""


def is_open_duty(record: MemoryRecord) -> bool:
    """Tell whether something is due here and still to be done, whatever the record's type and strength."""
    if record.due_at is None or record.status is Status.DELETED:
        return False
    meta = record.meta
    if meta.get("done") is True or meta.get("dropped") is True:
        return False
    return not (_closes(meta.get("state")) or _closes(meta.get("status")) or any(map(_closes, record.tags)))


def _closes(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in CLOSED
