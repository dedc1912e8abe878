"""What an import may not bring in, kept aside with every credential masked, for a person to look at (MIG-6).

It must not know why something is quarantined.
"""

from __future__ import annotations

from typing import Any

from satchel.engine.moving.receipts import import_key
from satchel.engine.text.screening import mask, mask_json, screen
from satchel.ports import Document
from satchel.protocol.record import MemoryRecord

QUARANTINE = "quarantine"


def quarantined(record: MemoryRecord, *, import_id: str, item: str, reason: str) -> Document:
    """Return the document that keeps a record aside."""
    value = {"import_id": import_id, "item": item, "reason": reason, "record": _masked(record)}
    return Document(QUARANTINE, f"{record.scope}\n{record.id}\n{import_key(import_id)}", value, record.scope)


def _masked(record: MemoryRecord) -> dict[str, Any]:
    state: dict[str, Any] = mask_json(record.model_dump(mode="json", exclude_defaults=True))
    content = mask(record.content)
    # Where something would still be found, nothing of it is kept.
    state["content"] = "" if screen(content) else content
    state.pop("content_hash", None)
    return state
