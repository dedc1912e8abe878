"""The change log as callers see it (OBS-1): one record's life, and what changed since a position. It must not know how it is kept."""

from __future__ import annotations

from satchel.engine.core import Core, Principal
from satchel.errors import NotFound
from satchel.operations.models import ChangeInfo, Changes, ChangesRequest, History, HistoryEntry, RecordRequest
from satchel.ports import Change
from satchel.protocol.record import MemoryRecord


def history(core: Core, principal: Principal, request: RecordRequest) -> History:
    """Return a record's changes, oldest first, also those of one that is forgotten: its contents are erased there too."""
    with core.store.reading():
        changes = core.store.history(request.scope, request.id)
        current = core.store.get(request.scope, (request.id,)).get(request.id)
    if not changes and current is None:
        raise NotFound("no such record", id=request.id, scope=request.scope)
    afters = [change.before for change in changes[1:]] + [current]
    return History(entries=tuple(_entry(change, after) for change, after in zip(changes, afters, strict=False)))


def _entry(change: Change, after: MemoryRecord | None) -> HistoryEntry:
    return HistoryEntry(
        position=change.position,
        operation=change.operation,
        agent=change.agent,
        at=change.at,
        reason=change.reason,
        revision=change.revision,
        before=change.before,
        after=after,
        erased=change.erased,
    )


def changes(core: Core, principal: Principal, request: ChangesRequest) -> Changes:
    """Return changes after a position, oldest first; go on after the `position` of the answer."""
    if not request.scope:
        return Changes(changes=(), position=request.after)
    found = core.store.changes(request.scope, after=request.after, limit=request.limit)
    return Changes(changes=tuple(_info(change) for change in found), position=found[-1].position if found else request.after)


def _info(change: Change) -> ChangeInfo:
    return ChangeInfo(
        position=change.position,
        scope=change.scope,
        id=change.id,
        operation=change.operation,
        agent=change.agent,
        at=change.at,
        revision=change.revision,
    )
