"""Records as they were at a moment, or at a standpoint in the log (OBS-1): read backwards from the present, which the log leads away from.

A record that was forgotten or taken out is absent at every moment. It must not know snapshots, or what a state is wanted for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from satchel.engine.core import Core, Principal
from satchel.engine.history.arrivals import Places, place_of, places
from satchel.operations.models import AsOfRequest, Records
from satchel.ports import Change
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status

PAGE = 500
LIVING = RecordFilter(statuses=(Status.ACTIVE, Status.PENDING, Status.ARCHIVED))

Departures = dict[tuple[str, str], int]
"""By scope and id, the log position of the first change after a standpoint: the record as it was stands there."""


class Standpoint(NamedTuple):
    """A position from which a scope is looked at; `logs`: the scopes in whose logs it was taken, where they moved here since."""

    position: int
    logs: tuple[str, ...] = ()


def as_of(core: Core, principal: Principal, request: AsOfRequest) -> Records:
    """Return one page of the records as they were known at a moment, ordered by scope and id.

    It reads the log of the records looked at, and nothing else of the log.
    """
    if not request.scope:
        return Records(records=())
    found: list[MemoryRecord] = []
    cursor = request.cursor
    with core.store.reading():
        while len(found) < request.limit:
            page = core.store.scan(request.scope, LIVING, cursor=cursor, limit=min(PAGE, request.limit - len(found)))
            then = (state for state in _states(core, page.records, request.when) if state.status in request.statuses)
            found += then
            cursor = page.cursor
            if cursor is None:
                break
    return Records(records=tuple(found), cursor=cursor)


def _states(core: Core, records: Sequence[MemoryRecord], when: datetime) -> Iterator[MemoryRecord]:
    """Yield the records that were there at a moment, as they were then."""
    ids: dict[str, list[str]] = {}
    for record in records:
        ids.setdefault(record.scope, []).append(record.id)
    logs = {scope: core.store.histories(scope, names) for scope, names in ids.items()}
    for record in records:
        log = logs[record.scope].get(record.id, ())
        left = next((change for change in log if change.at > when and not change.erased), None)
        state = record if left is None else _standing(left)
        if state is not None:
            yield state


def departures(core: Core, scope: str, *standpoints: Standpoint) -> list[Departures]:
    """Return, for each standpoint, where each record that changed later left its state. It reads the log from the earliest on."""
    found: list[Departures] = [{} for _ in standpoints]
    arrived: Places = places(core, scope) if any(one.logs for one in standpoints) else {}
    for change in changes_after(core, (scope,), min(one.position for one in standpoints)):
        # What was erased belongs to an earlier life of the record, or to one that is forgotten.
        if change.erased:
            continue
        for left, one in zip(found, standpoints, strict=True):
            if place_of(change, arrived, one.logs) > one.position:
                left.setdefault((change.scope, change.id), change.position)
    return found


def changes_after(core: Core, scopes: Collection[str], after: int) -> Iterator[Change]:
    """Yield the log entries of these scopes after a position, page by page."""
    while page := core.store.changes(scopes, after=after, limit=PAGE):
        yield from page
        after = page[-1].position


def record_at(core: Core, left: Departures, present: MemoryRecord) -> MemoryRecord | None:
    """Return a record as it was, given how it is now; None where it was not there, or is forgotten."""
    position = left.get((present.scope, present.id))
    if present.is_tombstone:
        return None
    if position is None:
        return present
    return _standing(core.store.changes((present.scope,), after=position - 1, limit=1)[0])


def _standing(left: Change) -> MemoryRecord | None:
    """Return what stood before a change."""
    return left.before if left.before is not None and not left.before.is_tombstone else None
