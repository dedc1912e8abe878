"""What a memory may contradict of things that were put together in another: found, and taken out where it does not hold (CNF-3, RET-6).

The whole stays as it is while it is asked: nothing is hidden by a doubt. It must not know how memories are put together, or how a question
is put.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from satchel.engine.core import Core
from satchel.engine.forgetting.lineage import originals
from satchel.engine.writing.committing import merged_ids
from satchel.engine.writing.deciding import decide, moment
from satchel.engine.writing.dividing import Division, divided
from satchel.ports import Relation, Verdict
from satchel.protocol.record import MemoryRecord, Status

AT_ODDS = frozenset({Relation.REPLACES, Relation.CONTRADICTS})
DOUBTED = AT_ODDS | {Relation.MAY_CONTRADICT}


class Doubted(NamedTuple):
    """One of the memories that were put together in another, as if it stood by itself, and what another memory is to it."""

    part: MemoryRecord
    verdict: Verdict


def doubted_parts(core: Core, whole: MemoryRecord, other: MemoryRecord) -> list[Doubted]:
    """Return what was put together in a memory, as it was said, and is in doubt beside another; empty where nothing was."""
    if not whole.relations.originals:
        return []
    parts = [part for part in originals(core, whole.scope, whole).values() if not part.relations.originals]
    told = [part.model_copy(update={"status": Status.ACTIVE}) for part in parts]
    found = [Doubted(one, _verdict(core, one, other)) for one in told]
    return [one for one in found if one.verdict.relation in DOUBTED]


def _verdict(core: Core, part: MemoryRecord, other: MemoryRecord) -> Verdict:
    return decide(core, part, other) if moment(other) >= moment(part) else decide(core, other, part)


def without_doubted(
    core: Core, whole: MemoryRecord, others: Sequence[MemoryRecord], settled: MemoryRecord, now: datetime
) -> tuple[list[tuple[MemoryRecord, MemoryRecord]], MemoryRecord]:
    """Return what comes out of a whole that an answer puts away, as it was and as it will be, and the whole as it will be.

    What is in doubt beside the others is archived, the rest is active again. Where nothing in it is in doubt the whole goes as `settled`.
    """
    wrong = {one.part.id for other in others for one in doubted_parts(core, whole, other)}
    if not wrong:
        return [], settled
    parts = {name: one for name, one in originals(core, whole.scope, whole).items() if not one.relations.originals}
    *pairs, (_, apart) = divided(Division(whole, parts, whole), now)
    links = settled.relations.model_copy(update={"supersedes": apart.relations.supersedes})
    found = [(before, _put_away(after, links.superseded_by) if before.id in wrong else after) for before, after in pairs]
    return found, settled.model_copy(update={"relations": links})


def _put_away(part: MemoryRecord, by: Sequence[str]) -> MemoryRecord:
    links = part.relations.model_copy(update={"superseded_by": merged_ids(part.relations.superseded_by, *by)})
    return part.model_copy(update={"status": Status.ARCHIVED, "relations": links})
