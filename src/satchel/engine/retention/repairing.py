"""Links between records that lead nowhere, and what waits for a conflict whose other side is gone: mended in a pass (RET-7).

It must not know how conflicts arise or are resolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from satchel.engine.retention.passing import BATCH, Edit, ScopePass
from satchel.engine.writing.settling import has_opponent, was_replaced
from satchel.operations.models import MaintenanceStep
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Relations, Status

_LIVING = RecordFilter(statuses=(Status.ACTIVE, Status.PENDING, Status.ARCHIVED))
_PAGE = 500
_KINDS = ("supersedes", "superseded_by", "conflicts_with")
"""Links that are followed. `derived_from` is provenance: it may name what is no longer here."""


def mend_links(work: ScopePass) -> int:
    """Drop links to records that are not here at all, and settle what stood only because of them.

    What was archived for a successor that is not here comes back; what is pending for a conflict alone, with no living opponent left,
    becomes active. Links to tombstones stay: they say what was forgotten.
    """
    return sum(
        work.each(ids[start : start + BATCH], MaintenanceStep.REPAIR, lambda record: _mended(work, record))
        for ids in _linked(work)
        for start in range(0, len(ids), BATCH)
    )


def _linked(work: ScopePass) -> Iterator[list[str]]:
    """Yield the ids of records whose links may need mending, page by page."""
    cursor: str | None = None
    while True:
        page = work.core.store.scan((work.scope,), _LIVING, cursor=cursor, limit=_PAGE)
        linked = [record for record in page.records if any(_targets(record.relations))]
        if linked:
            yield [record.id for record in linked]
        cursor = page.cursor
        if cursor is None:
            return


def _targets(relations: Relations) -> Iterable[str]:
    return (target for kind in _KINDS for target in getattr(relations, kind))


def _mended(work: ScopePass, record: MemoryRecord) -> Edit | None:
    targets = set(_targets(record.relations))
    held = work.core.store.get(work.scope, targets)
    missing = targets - held.keys()
    kept = {kind: tuple(name for name in getattr(record.relations, kind) if name not in missing) for kind in _KINDS}
    changes: dict[str, object] = {}
    reasons = []
    if missing:
        changes["relations"] = record.relations.model_copy(update=kept)
        reasons.append(f"dropped {len(missing)} links to records that are not here")
    if record.status is Status.ARCHIVED and record.relations.superseded_by and not kept["superseded_by"]:
        changes["status"] = Status.ACTIVE
        reasons.append("its successor is not here")
    elif _stood_in(work, record, [held[name] for name in kept["superseded_by"]]):
        changes |= {"status": Status.ACTIVE, "relations": record.relations.model_copy(update=kept | {"superseded_by": ()})}
        reasons.append("what had taken its place for a time has expired")
    if record.status is Status.PENDING and record.relations.conflicts_with and not has_opponent(held, kept["conflicts_with"]):
        changes |= {"status": Status.ACTIVE, "relations": record.relations.model_copy(update=kept | {"conflicts_with": ()})}
        reasons.append("what it conflicted with is gone")
    if not changes:
        return None
    return work.edit(record, "repair", "; ".join(reasons), related=tuple(sorted(missing)), **changes)


def _stood_in(work: ScopePass, record: MemoryRecord, successors: Sequence[MemoryRecord]) -> bool:
    """Tell whether what took a record's place was for a time that is over."""
    are_over = all(one.status is Status.ARCHIVED and one.expires_at is not None and one.expires_at <= work.now for one in successors)
    return bool(successors) and are_over and was_replaced(work.core, record, work.now)
