"""What must be asked though nothing waits for it: memories that may contradict each other, and those used often before they were wrong.

CNF-3, CNF-4. It owns the documents that say so, which hold ids and no words; it must not know how a doubt arises, or how it is settled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from satchel.engine.core import Core
from satchel.operations.models import ConflictKind
from satchel.ports import Document
from satchel.protocol.record import MemoryRecord

DOUBTS = "doubts"
"""Documents keyed by scope, the id of the memory that is doubted, and the kind of doubt."""

_KINDS = (ConflictKind.REVIEW, ConflictKind.POSSIBLE)


class Doubt(NamedTuple):
    """A memory, and those it is doubted for: what took its place (a review), or the older ones that it may contradict (possible).

    `used`: how often it was used before its place was taken. `answer`: what somebody said is to be kept; None while it is asked.
    `at_odds`: they cannot both hold, though both are told: one was restored that the other had replaced, or both must be obeyed.
    """

    kind: ConflictKind
    about: str
    beside: tuple[str, ...]
    used: int = 0
    answer: str | None = None
    at_odds: bool = False


def noted(scope: str, doubt: Doubt, at: datetime | None = None) -> Document:
    """Return the document that notes a doubt, or how it was answered, and when."""
    value: dict[str, Any] = {"beside": list(doubt.beside), "used": doubt.used, "answer": doubt.answer, "at_odds": doubt.at_odds}
    if at is not None:
        value["answered"] = at.timestamp()
    return Document(DOUBTS, _key(scope, doubt.about, doubt.kind), value, scope)


def reopened(core: Core, scope: str, since: datetime) -> list[Document]:
    """Return the documents that ask again what was answered after a moment: the state then knew no answer."""
    found: list[Document] = []
    after: str | None = None
    while page := core.store.documents(DOUBTS, prefix=f"{scope}\n", after=after):
        late = [one for one in page if one.value and one.value.get("answer") and one.value.get("answered", 0.0) > since.timestamp()]
        found += [noted(scope, _read(one)._replace(answer=None)) for one in late]
        after = page[-1].key
    return found


def put_up(core: Core, wrong: MemoryRecord, right_id: str) -> list[Document]:
    """Return the document that puts a memory up for review where it was used often enough; else none."""
    used = wrong.usage.access_count + core.unwritten.count(wrong.scope, wrong.id)
    if used < core.settings.review_after:
        return []
    return [noted(wrong.scope, Doubt(ConflictKind.REVIEW, wrong.id, (right_id,), used))]


def closed(scope: str, record_ids: Iterable[str], kinds: Sequence[ConflictKind] = _KINDS) -> list[Document]:
    """Return the documents that take back what was doubted about these memories."""
    return [Document(DOUBTS, _key(scope, record_id, kind), None) for record_id in record_ids for kind in kinds]


def every_doubt(core: Core, scope: str) -> Iterator[Doubt]:
    """Yield the doubts noted in a scope, answered or not."""
    after: str | None = None
    while page := core.store.documents(DOUBTS, prefix=f"{scope}\n", after=after):
        yield from map(_read, page)
        after = page[-1].key


def doubts_of(core: Core, scope: str) -> Iterator[Doubt]:
    """Yield the doubts noted in a scope that nobody has answered."""
    return (doubt for doubt in every_doubt(core, scope) if doubt.answer is None)


def possible_of(core: Core, scope: str, names: Collection[str]) -> list[Doubt]:
    """Return the open doubts of which one of these memories is a side."""
    return [one for one in doubts_of(core, scope) if one.kind is ConflictKind.POSSIBLE and not {one.about, *one.beside}.isdisjoint(names)]


def doubt_about(core: Core, scope: str, record_id: str, kind: ConflictKind) -> Doubt | None:
    """Return the doubt of a kind about one memory, answered or not; None where there is none."""
    key = _key(scope, record_id, kind)
    value = core.store.document(DOUBTS, key)
    return None if value is None else _read(Document(DOUBTS, key, value))


def _key(scope: str, record_id: str, kind: ConflictKind) -> str:
    return f"{scope}\n{record_id}\n{kind.value}"


def _read(document: Document) -> Doubt:
    _, record_id, kind = document.key.split("\n")
    value = document.value or {}
    return Doubt(
        ConflictKind(kind),
        record_id,
        tuple(value.get("beside", ())),
        int(value.get("used", 0)),
        value.get("answer"),
        bool(value.get("at_odds")),
    )
