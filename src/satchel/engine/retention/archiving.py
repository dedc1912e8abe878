"""What a maintenance pass archives: the expired, the faded, and what is beyond a scope's ceiling (RET-4).

It must not know formulas of strength, or how a change is written.
"""

from __future__ import annotations

import numpy as np

from satchel.engine.retention.fading import DAY, fading, is_kept, last_used, outlives_ttl, reason_of, weakest_first
from satchel.engine.retention.ledger import PENDING
from satchel.engine.retention.passing import BATCH, Edit, ScopePass
from satchel.engine.retention.scoring import Life
from satchel.operations.models import MaintenanceStep
from satchel.protocol.record import MemoryRecord, Status

_ALIVE = (Status.ACTIVE, Status.PENDING)


def archive_expired(work: ScopePass) -> int:
    """Archive what is past its ttl, unless the settings demote it instead; duties that are open stay."""
    if work.core.settings.on_expiry == "demote":
        return 0
    ledger = work.ledger
    past = (ledger.active | (ledger.status == PENDING)) & (ledger.expires <= work.moment)

    def decide(record: MemoryRecord) -> Edit | None:
        at = record.expires_at
        if record.status not in _ALIVE or at is None or at > work.now or outlives_ttl(record):
            return None
        return work.edit(record, "archive", f"expired on {at:%Y-%m-%d}", status=Status.ARCHIVED)

    return work.each(ledger.ids_of(ledger.rows(past)), MaintenanceStep.EXPIRE, decide)


def archive_faded(work: ScopePass) -> int:
    """Archive what has faded to nearly nothing, or is faint and long unused; never what is pinned, permanent or still to be done."""
    ledger = work.ledger
    judged = fading(ledger.life, ledger.expires, work.moment, work.core.settings)

    def decide(record: MemoryRecord) -> Edit | None:
        reason = _faded(work, record)
        if record.status is not Status.ACTIVE or reason is None or is_kept(record):
            return None
        return work.edit(record, "archive", reason, status=Status.ARCHIVED)

    return work.each(ledger.ids_of(ledger.rows(ledger.active & (judged.gone | judged.unused))), MaintenanceStep.ARCHIVE, decide)


def _faded(work: ScopePass, record: MemoryRecord) -> str | None:
    """Return why a record, as it is now, is to be archived; None where it is not."""
    life = life_of(record)
    expires = np.array([np.inf if record.expires_at is None else record.expires_at.timestamp()])
    judged = fading(life, expires, work.moment, work.core.settings)
    if not (judged.gone[0] or judged.unused[0]):
        return None
    used = float(last_used(life)[0])
    return reason_of(float(judged.strength[0]), record.score, used, work.moment, work.core.settings, gone=bool(judged.gone[0]))


def life_of(record: MemoryRecord) -> Life:
    """Return one record's figures as arrays of one entry."""
    used = record.usage.last_access_at
    return Life(
        score=np.array([record.score]),
        access_count=np.array([record.usage.access_count]),
        accessed=np.array([used.timestamp() if used else 0.0]),
        stored=np.array([record.stored_at.timestamp()]),
        moment=np.array([(record.created_at or record.stored_at).timestamp()]),
        half_life=np.array([record.half_life]),
        pinned=np.array([record.pinned]),
    )


def keep_ceiling(work: ScopePass) -> int:
    """Archive the weakest and longest unused of the active records beyond the ceiling."""
    ledger, most = work.ledger, work.core.settings.most_active
    excess = int(np.count_nonzero(ledger.active)) - most
    if excess <= 0:
        return 0
    strength, used = fading(ledger.life, ledger.expires, work.moment, work.core.settings).strength, last_used(ledger.life)
    order = ledger.ids_of(weakest_first(ledger.rows(ledger.active & ~ledger.life.pinned), strength, used, ledger.ids))

    def decide(record: MemoryRecord) -> Edit | None:
        if record.status is not Status.ACTIVE or is_kept(record):
            return None
        idle = (work.moment - float(last_used(life_of(record))[0])) / DAY
        reason = f"beyond the ceiling of {most} active memories; among the weakest, unused for {int(idle)} days"
        return work.edit(record, "archive", reason, status=Status.ARCHIVED)

    done = at = 0
    while done < excess and at < len(order):
        size = min(BATCH, excess - done)
        done += work.each(order[at : at + size], MaintenanceStep.CEILING, decide)
        at += size
    return done
