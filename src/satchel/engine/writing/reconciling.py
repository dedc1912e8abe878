"""Takes a new memory up beside those it is like: into one that says the same, in another's place, into a question, or as it is.

CNF-1 to CNF-3. Nothing is lost by it: what is merged or replaced is archived, linked, and can be restored. It must not know how
memories are compared, or how changes reach the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from satchel.engine.core import Core
from satchel.engine.recall.constraints import binds, must_not_wait
from satchel.engine.writing.committing import merged_ids, revised
from satchel.engine.writing.deciding import decide, moment
from satchel.operations.models import Outcome
from satchel.ports import Relation, Verdict
from satchel.protocol.record import MemoryRecord, Origin, Status

_MOST_REPLACED = 3
"""Memories that one new one replaces at most; what would replace more says something of its own."""


class Change(NamedTuple):
    """One record as it will be, the operation that the log names, and why."""

    record: MemoryRecord
    operation: str
    reason: str | None = None


@dataclass(slots=True)
class Reconciled:
    """What becomes of a new memory: its record or the one that took it in, the outcome, and every record that changes with it."""

    id: str
    outcome: Outcome
    related: tuple[str, ...] = ()
    changes: list[Change] = field(default_factory=list)
    reason: str | None = None
    at_odds: bool = False
    """It cannot hold beside what it is related to, though nothing waits."""


def reconcile(core: Core, record: MemoryRecord, beside: Iterable[MemoryRecord], *, is_latest: bool = False) -> Reconciled:
    """Compare a new record with those it is like, the likest first. `is_latest`: it was said just now, whatever its time says.

    Where one says the same, it takes the new one in; where any contradicts it, all of them become one question. One that it may
    contradict stays beside it, and is named.
    """
    found: list[tuple[MemoryRecord, Verdict]] = []
    doubted: list[tuple[MemoryRecord, Verdict]] = []
    for other in beside:
        is_newer = is_latest or moment(record) >= moment(other)
        verdict = decide(core, other, record) if is_newer else decide(core, record, other)
        if verdict.relation is Relation.SAME:
            return _taken_in(record, other, verdict)
        if verdict.relation is Relation.REPLACES and not is_newer:
            return _replaced_by(record, other, verdict)
        if verdict.relation is Relation.MAY_CONTRADICT:
            doubted.append((other, verdict))
        elif verdict.relation is not Relation.APART:
            found.append((other, verdict))
    if any(verdict.relation is Relation.CONTRADICTS for _, verdict in found):
        return _asked(record, found)
    if found and len(found) <= _MOST_REPLACED:
        return _replacing(record, found)
    reason = doubted[0][1].reason if doubted else None
    return Reconciled(record.id, Outcome.CREATED, tuple(other.id for other, _ in doubted), [Change(record, "remember")], reason)


def repeated(held: MemoryRecord, record: MemoryRecord) -> MemoryRecord:
    """Return a record whose content was said again: its score half the way to 1, archived no more, and valid where it had run out."""
    now = record.updated_at
    changes: dict[str, object] = {"score": held.score + (1.0 - held.score) / 2, "tags": tuple(dict.fromkeys((*held.tags, *record.tags)))}
    if held.status is Status.ARCHIVED:
        changes["status"] = Status.ACTIVE
    if record.pinned:
        changes["pinned"] = True
    if record.due_at is not None:
        changes["due_at"] = record.due_at
    if held.expires_at is not None and held.expires_at <= now:
        changes |= {"expires_at": record.expires_at, "ttl": record.ttl}
    if held.valid_until is not None and held.valid_until <= now:
        changes |= {"valid_from": record.valid_from, "valid_until": record.valid_until}
    return revised(held, now, **changes)


def survivor(record: MemoryRecord) -> str | None:
    """Return the id of the record that took this archived one in because it says the same; None where none did."""
    both = [id for id in record.relations.superseded_by if id in record.relations.derived_from]
    return both[-1] if both and record.status is Status.ARCHIVED else None


def _taken_in(record: MemoryRecord, held: MemoryRecord, verdict: Verdict) -> Reconciled:
    # What says the same again hangs on the one that took it in: whoever has that forgotten means this too.
    links = record.relations.model_copy(
        update={
            "superseded_by": merged_ids(record.relations.superseded_by, held.id),
            "derived_from": merged_ids(record.relations.derived_from, held.id),
        }
    )
    merged = repeated(held, record)
    merged = merged.model_copy(
        update={
            "relations": merged.relations.model_copy(update={"supersedes": merged_ids(merged.relations.supersedes, record.id)}),
            "source": _better_source(held, record),
        }
    )
    archived = record.model_copy(update={"status": Status.ARCHIVED, "relations": links})
    changes = [Change(archived, "merge", verdict.reason), Change(merged, "merge", verdict.reason)]
    return Reconciled(held.id, Outcome.MERGED, (held.id, record.id), changes, verdict.reason)


def _better_source(held: MemoryRecord, record: MemoryRecord) -> object:
    if held.source.origin is not Origin.STATED and record.source.origin is Origin.STATED:
        return held.source.model_copy(update={"origin": Origin.STATED})
    return held.source


def _replacing(record: MemoryRecord, found: Sequence[tuple[MemoryRecord, Verdict]]) -> Reconciled:
    ids = tuple(other.id for other, _ in found)
    relations = record.relations.model_copy(
        update={
            "supersedes": merged_ids(record.relations.supersedes, *ids),
            "superseded_by": tuple(id for id in record.relations.superseded_by if id not in ids),
        }
    )
    changes = [Change(record.model_copy(update={"relations": relations}), "remember")]
    changes += [Change(_superseded(other, record), "supersede", verdict.reason) for other, verdict in found]
    return Reconciled(record.id, Outcome.SUPERSEDED, ids, changes, found[0][1].reason)


def _superseded(other: MemoryRecord, by: MemoryRecord) -> MemoryRecord:
    links = other.relations.model_copy(
        update={
            "superseded_by": merged_ids(other.relations.superseded_by, by.id),
            "supersedes": tuple(id for id in other.relations.supersedes if id != by.id),
        }
    )
    return revised(other, by.updated_at, status=Status.ARCHIVED, relations=links)


def _replaced_by(record: MemoryRecord, newer: MemoryRecord, verdict: Verdict) -> Reconciled:
    """A memory of the past, written after what replaced it."""
    links = record.relations.model_copy(update={"superseded_by": merged_ids(record.relations.superseded_by, newer.id)})
    ahead = newer.relations.model_copy(update={"supersedes": merged_ids(newer.relations.supersedes, record.id)})
    archived = record.model_copy(update={"status": Status.ARCHIVED, "relations": links})
    changes = [
        Change(archived, "remember", verdict.reason),
        Change(revised(newer, record.updated_at, relations=ahead), "supersede", verdict.reason),
    ]
    return Reconciled(record.id, Outcome.SUPERSEDED, (newer.id,), changes, verdict.reason)


def _asked(record: MemoryRecord, found: Sequence[tuple[MemoryRecord, Verdict]]) -> Reconciled:
    """A question wrongly asked must never hide an allergy: what must be obeyed is obeyed until it is answered.

    Nor does it hide what is kept for ever. Where both sides must be obeyed nothing waits: both are told, and asked about.
    """
    ids = tuple(other.id for other, _ in found)
    reason = next(verdict.reason for _, verdict in found if verdict.relation is Relation.CONTRADICTS)
    told = {other.id for other, _ in found if other.status is Status.ACTIVE and _stays(other)}
    is_bound = binds(record.type, record.content)
    if is_bound and len(told) == len(found):
        return Reconciled(record.id, Outcome.CREATED, ids, [Change(record, "remember", reason)], reason, at_odds=True)
    waits = not is_bound and (bool(told) or not _stays(record))
    changes = [Change(_questioned(record, ids, waits=waits), "question", reason)]
    for other, verdict in found:
        questioned = _questioned(other, (record.id,), waits=other.id not in told)
        changes.append(Change(revised(questioned, record.updated_at), "question", verdict.reason))
    return Reconciled(record.id, Outcome.PENDING, ids, changes, reason)


def _stays(record: MemoryRecord) -> bool:
    return must_not_wait(record) or record.pinned or record.retention == "permanent"


def _questioned(record: MemoryRecord, others: Sequence[str], *, waits: bool) -> MemoryRecord:
    links = record.relations.model_copy(update={"conflicts_with": merged_ids(record.relations.conflicts_with, *others)})
    return record.model_copy(update={"status": Status.PENDING if waits else Status.ACTIVE, "relations": links})
