"""Twins: active records of one scope that say the same become one, the others archived and linked to it (CNF-1 in a pass).

Writing already finds what is said again; twins come by imports and moves. It must not know how contents are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from satchel.engine.core import Core
from satchel.engine.index.index_cache import IndexCache
from satchel.engine.index.scope_index import ScopeIndex
from satchel.engine.moving.merging import more_usage
from satchel.engine.retention.ledger import ACTIVE
from satchel.engine.retention.passing import Edit, Records, ScopePass
from satchel.engine.retention.scoring import type_priority
from satchel.engine.text.segmenting import unpack_terms
from satchel.engine.writing.committing import merged_ids
from satchel.engine.writing.deciding import decide, is_compared, moment
from satchel.engine.writing.proposing import MOST
from satchel.operations.models import MaintenanceStep
from satchel.ports import IndexRow, Relation, Use, Verdict
from satchel.protocol.record import MemoryRecord, Status

_LEAST_SHARED = 0.4
"""Share of a record's terms that another holds, where both may say the same; their lengths differ by less than `_LEAST_RATIO`."""

_LEAST_RATIO = 0.4
_PAGE = 500
_BROUGHT = frozenset({"import", "write", "move_scope"})
"""Operations by which records come in that nobody compared with what was there."""


def merge_twins(work: ScopePass) -> int:
    """Merge active records whose content is the same; the survivor takes over tags, pin, the higher score and the usage."""
    done = 0
    for ids in _alike(work):
        records = work.records(ids)
        for names in _same_content(records):
            done += _merge(work, names, "the same content", lambda twins: len(set(map(_kind_of, twins))) == 1)
    return done


def merge_alike(work: ScopePass, indexes: IndexCache, after: int) -> int:
    """Merge what was brought in since a position of the log with what says the same in other words. Rules decide; they rather say no.

    What was remembered here was compared when it was written.
    """
    core = replace(work.core, judge=None)
    if not core.settings.compare:
        return 0
    brought = {name for name in _brought(work, after) if _is_active(work, name)}
    if not brought:
        return 0
    with core.store.reading():
        index = indexes.get(work.scope, core.store.positions((work.scope,))[work.scope])
    pairs = [pair for row in core.store.index_slice(work.scope).rows if row.id in brought for pair in _like(index, row)]
    return sum(_merge_alike(work, core, first, second) for first, second in sorted(set(pairs)))


def _brought(work: ScopePass, after: int) -> set[str]:
    found: set[str] = set()
    while page := work.core.store.changes((work.scope,), after=after, limit=_PAGE):
        found.update(change.id for change in page if change.operation in _BROUGHT)
        after = page[-1].position
    return found


def _is_active(work: ScopePass, name: str) -> bool:
    row = work.ledger.row_of(name)
    return row is not None and work.ledger.status[row] == ACTIVE


def _like(index: ScopeIndex, row: IndexRow) -> list[tuple[str, str]]:
    """Return pairs of ids that may say the same, the smaller first: both hold much of the other's words."""
    hashes, _, length, _ = unpack_terms(row.terms)
    found = index.postings.find(hashes)
    shared = np.bincount(found.rows, minlength=len(index))
    lengths = index.columns.length
    near = np.flatnonzero(
        index.alive
        & (index.columns.status == ACTIVE)
        & (shared >= max(1.0, _LEAST_SHARED * len(hashes)))
        & (lengths <= length / _LEAST_RATIO)
        & (lengths >= length * _LEAST_RATIO)
    )
    best = near[np.argsort(-shared[near], kind="stable")][: MOST + 1]
    names = [index.ids[at] for at in best.tolist() if index.ids[at] != row.id][:MOST]
    return [(min(row.id, name), max(row.id, name)) for name in names]


def _merge_alike(work: ScopePass, core: Core, first: str, second: str) -> int:
    if not (_is_active(work, first) and _is_active(work, second)):
        return 0
    pair = list(work.records((first, second)).values())
    if len(pair) < 2 or not all(may_merge(record) and is_compared(record, core.settings) for record in pair):
        return 0
    verdict = _verdict(core, *pair)
    if verdict.relation is not Relation.SAME:
        return 0
    return _merge(work, (first, second), verdict.reason, lambda found: _verdict(core, *found).relation is Relation.SAME)


def _verdict(core: Core, first: MemoryRecord, second: MemoryRecord) -> Verdict:
    older, newer = sorted((first, second), key=lambda record: (moment(record), record.id))
    return decide(core, older, newer)


def _alike(work: ScopePass) -> list[list[str]]:
    """Return groups of ids whose terms are the same: those with the same content among them."""
    ledger = work.ledger
    rows = ledger.rows(ledger.active)
    prints = ledger.prints[rows]
    order = np.argsort(prints, kind="stable")
    rows, prints = rows[order], prints[order]
    starts = np.flatnonzero(np.concatenate(([True], prints[1:] != prints[:-1]))) if len(rows) else np.empty(0, np.intp)
    groups = np.split(rows, starts[1:])
    return [ledger.ids_of(group.tolist()) for group in groups if len(group) > 1]


def _same_content(records: Records) -> list[list[str]]:
    found: dict[object, list[str]] = {}
    for name in sorted(records):
        record = records[name]
        if may_merge(record):
            found.setdefault(_kind_of(record), []).append(name)
    return [names for names in found.values() if len(names) > 1]


def may_merge(record: MemoryRecord) -> bool:
    """Tell whether a record may be merged into another at all; one that a person brought back beside its successor may not."""
    return record.status is Status.ACTIVE and not record.relations.superseded_by and not record.relations.conflicts_with


def _kind_of(record: MemoryRecord) -> object:
    return record.content_hash, record.due_at, record.valid_from, record.valid_until, record.access


def _merge(work: ScopePass, names: Sequence[str], reason: str, is_same: Callable[[Sequence[MemoryRecord]], bool]) -> int:
    """Merge these records where they are, as they are now, still the same."""

    def decide(records: Records) -> list[Edit]:
        twins = sorted((record for record in records.values() if may_merge(record)), key=_standing)
        if len(twins) < len(names) or not is_same(twins):
            return []
        first, *others = twins
        ids = tuple(record.id for record in others)
        taken = work.edit(first, "merge", f"took in {len(ids)}: {reason}", related=ids, **_together(first, others))
        return [taken, *(_archived(work, record, first.id, reason) for record in others)]

    def uses(records: Records) -> list[Use]:
        first, *others = sorted(records.values(), key=_standing)
        usage = first.usage
        for record in others:
            usage = usage.merged(record.usage)
        use = more_usage(work.scope, first.id, first.usage, usage)
        return [] if use is None else [use]

    return work.together(names, MaintenanceStep.MERGE, decide, uses=uses)


def _archived(work: ScopePass, record: MemoryRecord, survivor: str, reason: str) -> Edit:
    # It hangs on the one that took it in: whoever has that forgotten means this too.
    links = record.relations.model_copy(
        update={
            "superseded_by": merged_ids(record.relations.superseded_by, survivor),
            "derived_from": merged_ids(record.relations.derived_from, survivor),
        }
    )
    return work.edit(record, "merge", f"taken in by {survivor}: {reason}", related=(survivor,), status=Status.ARCHIVED, relations=links)


def _standing(record: MemoryRecord) -> tuple[bool, bool, float, float, datetime, str]:
    """Order twins, the one that stays first."""
    return (not record.pinned, record.retention != "permanent", -type_priority(record.type), -record.score, moment(record), record.id)


def _together(first: MemoryRecord, others: Sequence[MemoryRecord]) -> dict[str, object]:
    every = [first, *others]
    expiries = [record.expires_at for record in every]
    changes: dict[str, object] = {
        "tags": tuple(dict.fromkeys(tag for record in every for tag in record.tags)),
        "score": max(record.score for record in every),
        "half_life": max(record.half_life for record in every),
        "pinned": any(record.pinned for record in every),
        "relations": first.relations.model_copy(
            update={"supersedes": merged_ids(first.relations.supersedes, *(record.id for record in others))}
        ),
    }
    if None in expiries:
        changes |= {"expires_at": None, "ttl": None}
    else:
        changes["expires_at"] = max(moment for moment in expiries if moment is not None)
    return changes
