"""Memories that were used often and then turned out wrong: put up for review, for what was built on them may be wrong too (CNF-4).

It owns the documents that say so; it must not know how a memory turns out wrong, or how a review is settled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from satchel.engine.core import Core
from satchel.ports import Document
from satchel.protocol.record import MemoryRecord

REVIEWS = "reviews"
"""Documents keyed by scope and the id of the memory that was put away; their value names what took its place, and how often it was used."""


def review_key(scope: str, record_id: str) -> str:
    """Return the key of the review of one memory."""
    return f"{scope}\n{record_id}"


def put_up(core: Core, wrong: MemoryRecord, right_id: str) -> list[Document]:
    """Return the document that puts a memory up for review where it was used often enough; else none."""
    used = wrong.usage.access_count + core.unwritten.count(wrong.scope, wrong.id)
    if used < core.settings.review_after:
        return []
    return [Document(REVIEWS, review_key(wrong.scope, wrong.id), {"by": right_id, "used": used}, wrong.scope)]


def closed(scope: str, record_ids: Iterable[str]) -> list[Document]:
    """Return the documents that take reviews back."""
    return [Document(REVIEWS, review_key(scope, record_id), None) for record_id in record_ids]


def open_reviews(core: Core, scope: str) -> Iterator[tuple[str, str, int]]:
    """Yield the id of each memory of a scope under review, of what took its place, and how often it was used."""
    after: str | None = None
    while page := core.store.documents(REVIEWS, prefix=f"{scope}\n", after=after):
        for document in page:
            value = document.value or {}
            yield document.key.partition("\n")[2], str(value.get("by", "")), int(value.get("used", 0))
        after = page[-1].key


def under_review(core: Core, scope: str) -> set[str]:
    """Return the ids of a scope's memories that are under review."""
    return {record_id for record_id, _, _ in open_reviews(core, scope)}
