"""Records as they were at a position of the log or at a moment (OBS-1): read backwards from the present, which the log leads away from.

A record that was forgotten or taken out is absent at every moment. It must not know snapshots, or what a state is wanted for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from satchel.engine.core import Core, Principal
from satchel.operations.models import AsOfRequest, Records
from satchel.ports import Change
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status

PAGE = 500
LIVING = RecordFilter(statuses=(Status.ACTIVE, Status.PENDING, Status.ARCHIVED))

Departures = dict[tuple[str, str], int]
"""By scope and id, the log position of the first change after a moment: the record as it was stands there."""


def as_of(core: Core, principal: Principal, request: AsOfRequest) -> Records:
    """Return one page of the records as they were known at a moment, ordered by scope and id."""
    if not request.scope:
        return Records(records=())
    found: list[MemoryRecord] = []
    cursor = request.cursor
    with core.store.reading():
        left = departures(core, request.scope, 0, lambda change: change.at > request.when)
        while len(found) < request.limit:
            page = core.store.scan(request.scope, LIVING, cursor=cursor, limit=min(PAGE, request.limit - len(found)))
            then = (record_at(core, left, record) for record in page.records)
            found += [record for record in then if record is not None and record.status in request.statuses]
            cursor = page.cursor
            if cursor is None:
                break
    return Records(records=tuple(found), cursor=cursor)


def departures(core: Core, scopes: Collection[str], after: int, is_later: Callable[[Change], bool] = lambda _: True) -> Departures:
    """Return where each record that changed later left its state; `is_later` is asked of the changes after a position."""
    found: Departures = {}
    for change in changes_after(core, scopes, after):
        if is_later(change):
            found.setdefault((change.scope, change.id), change.position)
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
    change = core.store.changes((present.scope,), after=position - 1, limit=1)[0]
    before = change.before
    return before if before is not None and not before.is_tombstone else None
