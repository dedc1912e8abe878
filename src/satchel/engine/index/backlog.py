"""What a service notes of the vectors that it makes in the background, and how that is told. It must not know who makes them."""

from __future__ import annotations

from satchel.engine.core import Core

COLLECTION, KEY = "schedule", "embedding"
"""The document that says who embeds, since when, when it was last seen, and how many are done."""

LEASE_SECONDS = 60.0
"""Whoever was not seen for so long has ended."""


def progress(core: Core) -> str | None:
    """Return how far the making of vectors is in words; None where nobody is at it."""
    last = core.store.document(COLLECTION, KEY)
    if last is None:
        return None
    now = core.now().timestamp()
    if now - float(last["at"]) >= LEASE_SECONDS:
        return None
    return f"{last['done']} were made in the background in the last {max(1, round(now - float(last['since'])))} s"
