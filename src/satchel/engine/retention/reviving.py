"""An archived record that recall found, for nothing active answered, and that was used, comes back to active (RET-4).

It must not know how it was found, or what counts as use.
"""

from __future__ import annotations

from collections.abc import Collection

from satchel.engine.core import Core, Principal
from satchel.engine.writing.committing import commit, log_entry, restate, revised
from satchel.ports import Batch
from satchel.protocol.record import MemoryRecord, Status

REASON = "found again by recall, and used"


def revive(core: Core, principal: Principal, scope: str, ids: Collection[str], *, reason: str = REASON) -> int:
    """Make archived records active; return how many. Superseded and expired ones stay, and so does what the caller may not write."""
    if principal.write is not None and scope not in principal.write:
        return 0

    def plan() -> tuple[Batch, int]:
        log = log_entry(core, principal, "restore", reason=reason)
        back = [record for record in core.store.get(scope, ids).values() if _may_return(record) and not _is_past(core, record)]
        return Batch([restate(revised(record, log.at, status=Status.ACTIVE), log, expect=record.revision) for record in back]), len(back)

    return commit(core, plan)


def _may_return(record: MemoryRecord) -> bool:
    return record.status is Status.ARCHIVED and not record.relations.superseded_by


def _is_past(core: Core, record: MemoryRecord) -> bool:
    return core.settings.on_expiry == "leave_out" and record.expires_at is not None and record.expires_at <= core.now()
