"""What becomes of the sides of a question once it is answered, or once one of them is gone (CNF-3, CNF-4).

A side waits only while something that may hold goes against it. It must not know how questions arise, or how changes reach a store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from satchel.engine.core import Core
from satchel.engine.writing.committing import merged_ids, revised
from satchel.protocol.record import MemoryRecord, Status

BOTH, NONE = "both", "none"
"""What `keep` may be beside the id of a record."""

Read = Callable[[Iterable[str]], Mapping[str, MemoryRecord]]
"""Reads records of one scope by id."""

_LIVING = (Status.ACTIVE, Status.PENDING)


def has_opponent(held: Mapping[str, MemoryRecord], names: Iterable[str]) -> bool:
    """Tell whether any of these records may still hold."""
    return any(name in held and held[name].status in _LIVING for name in names)


def opponents(read: Read, record: MemoryRecord) -> list[MemoryRecord]:
    """Return the records that an open question sets against this one."""
    names = record.relations.conflicts_with
    if not names or record.status not in _LIVING:
        return []
    held = read(names)
    facing = [held[name] for name in names if name in held and held[name].status in _LIVING]
    facing = [other for other in facing if record.id in other.relations.conflicts_with]
    return facing if any(one.status is Status.PENDING for one in (record, *facing)) else []


def left_over(
    read: Read, leaving: Iterable[MemoryRecord], after: Mapping[str, MemoryRecord], now: datetime
) -> Iterator[tuple[MemoryRecord, MemoryRecord]]:
    """Yield what waited only for records that leave their question, as it was and as it will be: active, and asked about no more.

    `leaving`: those records as they were; `after`: every record that changes, as it will be.
    """
    names = {name for record in leaving for name in record.relations.conflicts_with} - after.keys()
    waiting = [record for record in (read(names) if names else {}).values() if record.status is Status.PENDING]
    facing = {name for record in waiting for name in record.relations.conflicts_with} - after.keys()
    held = {**(read(facing) if facing else {}), **after}
    for record in waiting:
        # What is changed keeps its side of the question only where it still names this record.
        facing_it = record.relations.conflicts_with
        against = [name for name in facing_it if name not in after or record.id in after[name].relations.conflicts_with]
        if not has_opponent(held, against):
            links = record.relations.model_copy(update={"conflicts_with": ()})
            yield record, revised(record, now, status=Status.ACTIVE, relations=links)


def set_free(core: Core, leaving: Iterable[MemoryRecord], now: datetime) -> Iterator[tuple[MemoryRecord, MemoryRecord]]:
    """Yield what was put away only because one of these took its place, as it was and as it will be: active again.

    `leaving`: records as they were, which hold no more. What was found to be wrong, or says the same, stays where it is.
    """
    everything = {record.id: record for record in leaving}
    gone = {name: record for name, record in everything.items() if record.status in _LIVING}
    parts = {name for record in gone.values() for name in record.relations.derived_from}
    for scope in {record.scope for record in gone.values()}:
        names = {name for record in gone.values() for name in record.relations.supersedes} - everything.keys() - parts
        for record in (core.store.get(scope, names) if names else {}).values():
            links = record.relations
            if links.superseded_by and {*links.superseded_by} <= gone.keys() and was_replaced(core, record, now):
                yield record, revised(record, now, status=Status.ACTIVE, relations=links.model_copy(update={"superseded_by": ()}))


def was_replaced(core: Core, record: MemoryRecord, now: datetime) -> bool:
    """Tell whether a record is archived because something newer took its place, and for no other reason."""
    if record.status is not Status.ARCHIVED or not {*record.relations.superseded_by}.isdisjoint(record.relations.derived_from):
        return False
    if record.expires_at is not None and record.expires_at <= now:
        return False
    return put_away_by(core, record) == "supersede"


def put_away_by(core: Core, record: MemoryRecord) -> str:
    """Return the operation that archived a record."""
    changes = reversed(core.store.history(record.scope, record.id))
    return next((change.operation for change in changes if change.operation in _PUTS_AWAY), "")


_PUTS_AWAY = frozenset({"supersede", "correct", "resolve", "merge", "archive", "consolidate", "update", "forget"})


def settled(record: MemoryRecord, keep: str, members: Sequence[MemoryRecord], now: datetime) -> MemoryRecord:
    """Return a record as it is once the question is settled; itself where that is how it stands."""
    ids = {member.id for member in members}
    links = record.relations
    relations = {"conflicts_with": tuple(name for name in links.conflicts_with if name not in ids)}
    is_kept = record.id == keep or (keep == BOTH and keep not in ids)
    if is_kept:
        others = () if keep not in ids else sorted(ids - {record.id})
        relations["superseded_by"] = tuple(name for name in links.superseded_by if name not in ids)
        relations["supersedes"] = merged_ids(links.supersedes, *others) if others else tuple(n for n in links.supersedes if n not in ids)
    elif keep in ids:
        relations["superseded_by"] = merged_ids(links.superseded_by, keep)
        relations["supersedes"] = tuple(name for name in links.supersedes if name not in ids)
    changes = {"relations": links.model_copy(update=relations), "status": Status.ACTIVE if is_kept else Status.ARCHIVED}
    if all(getattr(record, name) == value for name, value in changes.items()):
        return record
    return revised(record, now, **changes)
