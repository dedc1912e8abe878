"""Which memories somebody has said hold together: what a third one asks about them does not ask that again (CNF-3).

It must not know how questions are put, or what an answer does to the memories.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

from satchel.engine.core import Core
from satchel.engine.writing.doubts import Doubt, doubt_about, every_doubt, noted
from satchel.engine.writing.settling import BOTH
from satchel.operations.models import ConflictKind
from satchel.ports import Document
from satchel.protocol.record import MemoryRecord

_FEWEST = 3
"""Memories of a question of which some may have been asked about before: of two, nothing would be left to ask."""


def agreed(core: Core, scope: str, names: Collection[str]) -> frozenset[str]:
    """Return those of these memories that were said to hold together; none where that is all of them, or they fall into several parts."""
    if len(names) < _FEWEST:
        return frozenset()
    said = [{one.about, *one.beside} for one in every_doubt(core, scope) if _is_agreed(one)]
    pairs = {frozenset(pair) for sides in said for pair in combinations(sorted(sides.intersection(names)), 2)}
    found = frozenset(name for pair in pairs for name in pair)
    is_one = all(frozenset(pair) in pairs for pair in combinations(found, 2))
    return found if is_one and len(found) < len(names) else frozenset()


def hold_together(core: Core, scope: str, pair: Collection[str]) -> bool:
    """Tell whether two memories were said to hold together."""
    return len(pair) > 1 and any({*pair} <= {one.about, *one.beside} for one in every_doubt(core, scope) if _is_agreed(one))


def _is_agreed(doubt: Doubt) -> bool:
    return doubt.kind is ConflictKind.POSSIBLE and doubt.answer == BOTH


def agreement(core: Core, members: Sequence[MemoryRecord]) -> Document:
    """Return the document that notes that these hold together, the newest last, beside what was said of that one before."""
    *others, last = members
    before = doubt_about(core, last.scope, last.id, ConflictKind.POSSIBLE)
    known = before.beside if before is not None and before.answer in {None, BOTH} else ()
    beside = tuple(dict.fromkeys((*known, *(one.id for one in others))))
    return noted(last.scope, Doubt(ConflictKind.POSSIBLE, last.id, beside, answer=BOTH), core.now())
