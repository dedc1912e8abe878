"""Reads records as they are: one, a page, and the raw primitive that shows tombstones. It must not know ranking."""

from __future__ import annotations

from satchel.engine.core import Core, Principal
from satchel.errors import NotFound
from satchel.operations.models import RecordRequest, Records, RecordsRequest
from satchel.protocol.record import MemoryRecord


def fetch(core: Core, scope: str, record_id: str, *, tombstones: bool = False) -> MemoryRecord:
    """Return one record. Raises NotFound where there is none, or only a tombstone that was not asked for."""
    found = core.store.get(scope, (record_id,)).get(record_id)
    if found is None or (found.is_tombstone and not tombstones):
        raise NotFound("no such record", id=record_id, scope=scope)
    return found


def read(core: Core, principal: Principal, request: RecordRequest) -> MemoryRecord:
    """Return one record; a forgotten one is not found."""
    return fetch(core, request.scope, request.id)


def read_record(core: Core, principal: Principal, request: RecordRequest) -> MemoryRecord:
    """Return a record or its tombstone."""
    return fetch(core, request.scope, request.id, tombstones=True)


def records(core: Core, principal: Principal, request: RecordsRequest) -> Records:
    """Return one page, the last changed first."""
    if not request.scope:
        return Records(records=())
    page = core.store.scan(request.scope, request.to_filter(), order="updated", cursor=request.cursor, limit=request.limit)
    return Records(records=tuple(page.records), cursor=page.cursor)
