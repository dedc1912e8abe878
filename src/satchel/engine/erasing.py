"""`forget`: real, in two stages (RET-5). At once gone from every answer; then scrubbed from the files, and only then said to be.

It must not know how a store removes bytes.
"""

from __future__ import annotations

from datetime import datetime

from satchel.engine.committing import commit, log_entry
from satchel.engine.core import Core, Principal
from satchel.engine.reading import fetch
from satchel.errors import Unsupported
from satchel.operations.models import ForgetItem, ForgetRequest, ForgetState, Forgotten, RecordRequest
from satchel.ports import Batch, Put
from satchel.protocol.record import Deletion, MemoryRecord, Status

NOTE = "packages that were exported earlier are out of reach"


def tombstone(record: MemoryRecord, *, at: datetime, by: str | None, reason: str | None) -> MemoryRecord:
    """Return what remains of a forgotten record: id, scope, times, and who forgot it and why."""
    return MemoryRecord(
        id=record.id,
        content="",
        scope=record.scope,
        stored_at=record.stored_at,
        updated_at=max(at, record.updated_at),
        created_at=record.created_at,
        status=Status.DELETED,
        revision=record.revision + 1,
        deletion=Deletion(at=at, by=by, reason=reason),
    )


def forget(core: Core, principal: Principal, request: ForgetRequest) -> Forgotten:
    """Forget one record at once."""
    if request.id is None or request.scope is None:
        raise Unsupported("only an id can be forgotten yet")
    return _forget_one(core, principal, request.scope[0], request.id, request.reason)


def delete_record(core: Core, principal: Principal, request: RecordRequest) -> Forgotten:
    """Replace a record by its tombstone."""
    return _forget_one(core, principal, request.scope, request.id, None)


def _forget_one(core: Core, principal: Principal, scope: str, record_id: str, reason: str | None) -> Forgotten:
    def plan() -> tuple[Batch, None]:
        found = fetch(core, scope, record_id, tombstones=True)
        if found.is_tombstone:
            return Batch(), None
        log = log_entry(core, principal, "forget", reason=reason)
        return Batch([Put(tombstone(found, at=log.at, by=principal.agent, reason=reason), log, expect=found.revision)]), None

    commit(core, plan)
    state = ForgetState.SCRUBBED if core.store.scrub() else ForgetState.SCRUB_PENDING
    return Forgotten(state=state, count=1, items=(ForgetItem(id=record_id, scope=scope),), note=NOTE)
