"""Where something was mentioned, kept under a keyed hash so that it holds nothing to forget (WRK-4).

It must not know what becomes of what is mentioned often.
"""

from __future__ import annotations

from typing import Any

from satchel.engine.core import Core
from satchel.engine.forgetting.tombstones import Marks
from satchel.ports import Batch, Document
from satchel.protocol.record import canonical_json, content_hash

MENTIONS = "mentions"
"""Documents keyed by scope and a keyed hash of what was mentioned: where."""


def of_slot(key: str, value: Any) -> str:
    """Say in one text that a slot has a value."""
    return canonical_json(["slot", key, value]).decode()


def of_statement(content: str) -> str:
    """Say in one text that something was said."""
    return canonical_json(["said", content]).decode()


def mention(core: Core, scope: str, told: str, place: str, *, needed: int) -> int:
    """Note that something was mentioned in a place; return in how many different ones, as far as `needed`."""
    key = mention_key(core, scope, told)
    seen = (core.store.document(MENTIONS, key) or {}).get("seen", [])
    if place not in seen and len(seen) < needed:
        seen = [*seen, place]
        core.store.apply(Batch(documents=[Document(MENTIONS, key, {"seen": seen}, scope)]))
    return len(seen)


def mention_key(core: Core, scope: str, told: str) -> str:
    """Return the key of the document about the mentions of something."""
    marks = Marks(core)
    marks.ensure()
    return f"{scope}\n{marks.of(content_hash(told))[0]}"


def unmentioned(core: Core, scope: str, told: str) -> Document:
    """Return the document to write where a mention is to be forgotten."""
    return Document(MENTIONS, mention_key(core, scope, told), None)
