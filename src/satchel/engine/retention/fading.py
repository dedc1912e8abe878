"""When a memory has faded so far that it is archived, and what is never archived for its age (RET-4).

It owns the two thresholds and the order in which a ceiling takes records; it must not know who asks or what is done about it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satchel.engine.recall.constraints import binds
from satchel.engine.retention.duties import is_open_duty
from satchel.engine.retention.scoring import Life, at_least, demoted, faint_below, strengths
from satchel.engine.settings import Settings
from satchel.protocol.record import MemoryRecord

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

DAY = 86_400.0
PERMANENT = "permanent"

_DIGITS = 9


class Fading(NamedTuple):
    """What time has done to some rows: their strength, which are nearly gone, and which are faint and long unused."""

    strength: Floats
    gone: Mask
    unused: Mask


def last_used(life: Life) -> Floats:
    """Return when each row was last used, or stored where that is later (Unix seconds)."""
    return np.maximum(life.accessed, life.stored)


def gone_below(score: Floats, settings: Settings) -> Floats:
    """Return the strength below which a record is archived at once: 2 % of its score, at least 0.01 by default."""
    return np.maximum(settings.archive_floor, settings.archive_share * score)


def fading(life: Life, expires: Floats, now: float, settings: Settings) -> Fading:
    """Judge rows at `now` (Unix seconds). What is pinned does not fade."""
    strength = demoted(strengths(life, now, settings), expires, now, settings)
    gone = ~at_least(strength, gone_below(life.score, settings)) & ~life.pinned
    faint = ~at_least(strength, faint_below(life.score, settings.min_strength)) & ~life.pinned
    idle = now - last_used(life) >= settings.archive_unused_seconds
    return Fading(strength, gone, faint & idle & ~gone)


def reason_of(record_strength: float, score: float, used: float, now: float, settings: Settings, *, gone: bool) -> str:
    """Say why a faded record is archived, with the figures."""
    if gone:
        least = float(gone_below(np.array([score]), settings)[0])
        return f"faded: strength {record_strength:.4f} is below {least:.4f}"
    least = float(faint_below(np.array([score]), settings.min_strength)[0])
    return f"faint (strength {record_strength:.3f}, below {least:.3f}) and unused for {int((now - used) // DAY)} days"


def is_kept(record: MemoryRecord) -> bool:
    """Tell whether a record is never archived for its age: pinned, permanent, what must be obeyed, or a duty that is still open."""
    return record.pinned or record.retention == PERMANENT or is_open_duty(record) or binds(record.type, record.content)


def outlives_ttl(record: MemoryRecord) -> bool:
    """Tell whether a record stays though its ttl is over: a duty that is still open, and is not kept for another reason."""
    return is_open_duty(record) and not record.pinned and record.retention != PERMANENT


def weakest_first(rows: Rows, strength: Floats, used: Floats, ids: list[str]) -> list[int]:
    """Order rows as a ceiling takes them: the weakest, of equals the longest unused, then by id."""
    keyed = [(round(float(strength[row]), _DIGITS), float(used[row]), ids[row], row) for row in rows.tolist()]
    return [row for *_, row in sorted(keyed)]
