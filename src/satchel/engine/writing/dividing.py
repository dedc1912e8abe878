"""Takes a memory that was put together of others apart again, where one thing in it is wrong (CNF-4, RET-6).

The others come back as they were; only the one that the right words are nearest to is replaced. It must not know who says what is right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from satchel.engine.comparing import compare
from satchel.engine.core import Core
from satchel.engine.forgetting.lineage import originals
from satchel.engine.text.joining import sentences
from satchel.engine.text.segmenting import segment
from satchel.engine.text.stopwords import STOP_WORDS
from satchel.engine.text.topicless import LOOSE
from satchel.engine.writing.committing import revised
from satchel.errors import Conflict
from satchel.ports import Relation
from satchel.protocol.record import MemoryRecord, Status

_SHOWN = 20
_ABOUT_IT = frozenset({Relation.SAME, Relation.REPLACES, Relation.CONTRADICTS})


class Division(NamedTuple):
    """A whole, what it was put together of, and the one of these that is wrong."""

    whole: MemoryRecord
    parts: Mapping[str, MemoryRecord]
    wrong: MemoryRecord


def division(core: Core, whole: MemoryRecord, content: str, *, wrong: str | None = None) -> Division | None:
    """Tell how to take a record apart to correct one thing in it; None where it was not put together, or is written anew as a whole.

    Raises:
        Conflict: the right words are near to none of the originals, or to several; it names them all.
    """
    found = originals(core, whole.scope, whole)
    parts = {name: part for name, part in found.items() if not part.relations.originals}
    if not parts or (wrong is None and _says_all(content, parts)):
        return None
    chosen = parts.get(wrong) if wrong is not None else _nearest(list(parts.values()), content)
    if chosen is None:
        listed = tuple(sorted(parts))
        raise Conflict(
            f"this memory was put together of {len(parts)} others, and it does not show which of them is wrong: correct one of "
            f"{', '.join(listed[:_SHOWN])}{' …' if len(listed) > _SHOWN else ''}",
            id=whole.id,
            scope=whole.scope,
            actual=whole.revision,
            originals=listed,
        )
    return Division(whole, parts, chosen)


def divided(found: Division, now: datetime) -> list[tuple[MemoryRecord, MemoryRecord]]:
    """Return every record of a division as it was and as it will be: the parts active, the wrong one and the whole archived."""
    places = {found.whole.id, *found.whole.relations.supersedes, *found.parts}
    pairs = [
        (part, revised(part, now, status=Status.ARCHIVED if part is found.wrong else Status.ACTIVE, relations=_without(part, places)))
        for part in found.parts.values()
    ]
    # It stands in their place no more; that it was made of them stays told.
    kept = tuple(name for name in found.whole.relations.supersedes if name not in found.whole.relations.derived_from)
    links = found.whole.relations.model_copy(update={"supersedes": kept})
    return [*pairs, (found.whole, revised(found.whole, now, status=Status.ARCHIVED, relations=links))]


def _without(part: MemoryRecord, places: Collection[str]) -> object:
    left = tuple(name for name in part.relations.superseded_by if name not in places)
    return part.relations.model_copy(update={"superseded_by": left})


def _says_all(content: str, parts: Collection[str]) -> bool:
    said = [piece for sentence in sentences(content) for piece in re.split("[;；\n]", sentence) if piece.strip()]
    return len(said) > 1 and len(said) * 2 > len(parts)


def _nearest(parts: Sequence[MemoryRecord], content: str) -> MemoryRecord | None:
    """Return the one of these that the content is about: what it says otherwise, or else shares most with, of what not all of them say."""
    about = [part for part in parts if compare(part.content, content).relation in _ABOUT_IT]
    if len(about) == 1:
        return about[0]
    words, terms = _terms(content)
    held = {part.id: _terms(part.content) for part in about or parts}
    common = Counter(term for _, all_ in held.values() for term in all_)
    telling = {term for term, count in common.items() if count < len(held) or len(held) == 1}
    ranked = sorted(
        (
            (sum(1 / common[term] for term in own & words & telling), sum(1 / common[term] for term in all_ & terms & telling), name)
            for name, (own, all_) in held.items()
        ),
        reverse=True,
    )
    best, second = ranked[0], ranked[1] if len(ranked) > 1 else (0.0, 0.0, "")
    if best[:2] <= second[:2] or (not best[0] and best[1] < 1):
        return None
    return next(part for part in parts if part.id == best[2])


def _terms(content: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a text that say what it is about, and all its terms."""
    terms = frozenset(term for term in segment(content) if len(term) > 1 and term not in STOP_WORDS)
    return frozenset(term for term in terms if not set(term) & LOOSE), terms
