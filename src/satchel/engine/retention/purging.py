"""What a maintenance pass erases: records archived longer than the settings keep them, and nothing where they set no age (RET-4).

It must not know how a record is erased.
"""

from __future__ import annotations

from collections.abc import Callable

from satchel.engine.forgetting.erasing import erase
from satchel.engine.forgetting.lineage import descendants
from satchel.engine.retention.fading import DAY
from satchel.engine.retention.ledger import ARCHIVED
from satchel.engine.retention.passing import BATCH, ScopePass
from satchel.operations.models import MaintenanceAction, MaintenanceStep
from satchel.protocol.record import MemoryRecord, Status


def purge(work: ScopePass) -> int:
    """Erase what has been archived for longer than `purge_after_seconds`, as forgetting does.

    An original that something living was derived from stays: if that is forgotten for another original's sake, this one comes back.
    """
    age = work.core.settings.purge_after_seconds
    if age is None:
        return 0
    ledger = work.ledger
    ids = ledger.ids_of(ledger.rows((ledger.status == ARCHIVED) & (ledger.updated <= work.moment - age)))
    return sum(_purge(work, ids[start : start + BATCH], age) for start in range(0, len(ids), BATCH))


def _purge(work: ScopePass, ids: list[str], age: float) -> int:
    reason = f"archived for longer than {age / DAY:g} days"

    def is_old(record: MemoryRecord) -> bool:
        return record.status is Status.ARCHIVED and record.updated_at.timestamp() <= work.moment - age and not record.pinned

    wanted = [name for name, record in work.records(ids).items() if is_old(record) and not _is_needed(work, name, is_old)]
    gone = wanted if work.dry_run else erase(work.core, work.principal, work.scope, wanted, reason=reason, only=is_old) if wanted else []
    for name in sorted(gone):
        work.ledger.erased(name)
        work.actions.append(MaintenanceAction(step=MaintenanceStep.PURGE, scope=work.scope, id=name, reason=reason))
    return len(gone)


def _is_needed(work: ScopePass, record_id: str, is_old: Callable[[MemoryRecord], bool]) -> bool:
    derived = descendants(work.core, work.scope, (record_id,))
    return bool(derived) and not all(map(is_old, work.records(derived).values()))
