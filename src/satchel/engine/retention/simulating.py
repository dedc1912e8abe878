"""`simulate`: what time and a policy will do to what is active now, computed without touching the store (RET-8).

It foretells a pass a day, by the rules of the pass. It must not know how strength is computed, or draw anything.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satchel.engine.core import Core, Principal
from satchel.engine.retention.fading import DAY, Fading, fading, is_kept, last_used, outlives_ttl, reason_of, weakest_first
from satchel.engine.retention.ledger import Ledger
from satchel.engine.retention.retention import CLASSES, default_class, default_half_life
from satchel.engine.retention.scoring import at_least, faint_below
from satchel.engine.settings import Settings
from satchel.operations.models import SimulatedRecord, SimulateRequest, Simulation
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord
from satchel.protocol.validation import validated

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_POINTS = 180
"""Days that curves have at most; between them the days are counted, but not told."""

_PAGE = 500
_PREVIEW = 80
_SHOWN_DIGITS = 6
_ACTIVE = RecordFilter()
_NEVER = np.int32(2**31 - 1)


class Simulator:
    """Handles `simulate`. One per engine."""

    def __init__(self, core: Core, flush: Callable[[], None]) -> None:
        """`flush` writes the usage gathered so far, so that the simulation starts from it."""
        self._core = core
        self._flush = flush

    def simulate(self, principal: Principal, request: SimulateRequest) -> Simulation:
        """Return the coming days of the scopes, or of all that the caller may read.

        Raises:
            InvalidRequest: a setting that cannot be.
        """
        self._flush()
        named = request.scope if request.scope is not None else [count.scope for count in self._core.store.scopes()]
        settings, now = _settings(self._core.settings, request.settings or {}), self._core.now()
        days = _points(request.days)
        futures = [_Future.of(self._core, scope, settings, request.settings or {}, now) for scope in sorted(principal.readable(named))]
        runs = [future.run(request.days, days) for future in futures]
        return _told(self._core, futures, runs, days, now, request.limit)


def _settings(ours: Settings, given: dict[str, Any]) -> Settings:
    return validated(Settings, ours.model_dump(exclude_unset=True) | given, subject="settings")


def _points(days: int) -> tuple[int, ...]:
    step = math.ceil(days / (_POINTS - 1))
    return (*range(0, days, step), days)


class _Run(NamedTuple):
    """What became of one scope's rows. `curve` and the masks have an entry for each day told and row."""

    curve: Floats
    active: Mask
    faint: Mask
    faint_day: NDArray[np.int32]
    archived_day: NDArray[np.int32]
    reasons: dict[int, str]


@dataclass(slots=True)
class _Future:
    """One scope's active records, and the policy they will live under."""

    ledger: Ledger
    settings: Settings
    now: datetime
    kept: Mask
    due: Mask

    @classmethod
    def of(cls, core: Core, scope: str, settings: Settings, given: dict[str, Any], now: datetime) -> _Future:
        ledger = Ledger.load(core, scope)
        kept, due = np.zeros(len(ledger), bool), np.zeros(len(ledger), bool)
        cursor: str | None = None
        while True:
            page = core.store.scan((scope,), _ACTIVE, cursor=cursor, limit=_PAGE)
            for record in page.records:
                row = ledger.row_of(record.id)
                if row is not None:
                    kept[row], due[row] = is_kept(record), outlives_ttl(record)
                    ledger.life.half_life[row] = _half_life(record, settings, given)
            cursor = page.cursor
            if cursor is None:
                return cls(ledger, settings, now, kept, due)

    def run(self, days: int, points: Sequence[int]) -> _Run:
        """Live through the days, a pass each."""
        ledger, size = self.ledger, len(self.ledger)
        active = ledger.active.copy()
        archived, faint_day = np.full(size, _NEVER), np.full(size, _NEVER)
        reasons: dict[int, str] = {}
        told: list[tuple[Floats, Mask, Mask]] = []
        wanted = set(points)
        for day in range(days + 1):
            moment = self.now.timestamp() + day * DAY
            judged = fading(ledger.life, ledger.expires, moment, self.settings)
            faint = active & ~at_least(judged.strength, faint_below(ledger.life.score, self.settings.min_strength))
            faint_day[faint & (faint_day == _NEVER)] = day
            for row, reason in self._leaving(active, judged, moment):
                active[row], archived[row], reasons[row] = False, day, reason
            if day in wanted:
                told.append((np.where(active, judged.strength, 0.0), active.copy(), faint & active))
        curve, alive, faint_then = (np.array([entry[part] for entry in told]) for part in range(3))
        return _Run(curve, alive, faint_then, faint_day, archived, reasons)

    def _leaving(self, active: Mask, judged: Fading, moment: float) -> list[tuple[int, str]]:
        """Return the rows that a pass at that moment archives, and why, by the rules of the pass and in its order."""
        ledger = self.ledger
        leaving: dict[int, str] = {}
        if self.settings.on_expiry == "leave_out":
            past = np.flatnonzero(active & (ledger.expires <= moment) & ~self.due)
            leaving |= dict.fromkeys(past.tolist(), "expired")
        used = last_used(ledger.life)
        for row in np.flatnonzero(active & ~self.kept & (judged.gone | judged.unused)).tolist():
            if row not in leaving:
                figures = float(judged.strength[row]), float(ledger.life.score[row]), float(used[row])
                leaving[row] = reason_of(*figures, moment, self.settings, gone=bool(judged.gone[row]))
        excess = int(np.count_nonzero(active)) - len(leaving) - self.settings.most_active
        if excess > 0:
            open_ = active & ~self.kept
            open_[list(leaving)] = False
            beyond = weakest_first(np.flatnonzero(open_), judged.strength, used, ledger.ids)[:excess]
            leaving |= dict.fromkeys(beyond, f"beyond the ceiling of {self.settings.most_active} active memories")
        return list(leaving.items())


def _half_life(record: MemoryRecord, settings: Settings, given: dict[str, Any]) -> float:
    """Return the half-life that a policy with tables of its own would give a record; else the one it has."""
    by_type = settings.half_life_by_type
    if "retention_preset" not in given and not ("half_life_by_type" in given and record.type in by_type):
        return record.half_life
    found = CLASSES.get(record.retention or "") or default_class(record.type, record.content)
    return default_half_life(settings, record.type, record.content, found, record.source.origin)


# ---------------------------------------------------------------- telling


def _told(core: Core, futures: Sequence[_Future], runs: Sequence[_Run], days: Sequence[int], now: datetime, limit: int) -> Simulation:
    begun = [future.ledger.active for future in futures]
    count = sum(int(np.count_nonzero(mask)) for mask in begun)
    living = [np.concatenate([run.curve[at][run.active[at]] for run in runs]) if runs else np.empty(0) for at in range(len(days))]
    reasons = Counter(_kind(reason) for run in runs for reason in run.reasons.values())
    return Simulation(
        now=now,
        days=tuple(days),
        active=tuple(len(some) for some in living),
        faint=tuple(sum(int(np.count_nonzero(run.faint[at])) for run in runs) for at in range(len(days))),
        mean=tuple(_shown(some.mean()) if len(some) else 0.0 for some in living),
        low=tuple(_shown(np.quantile(some, 0.1)) if len(some) else 0.0 for some in living),
        high=tuple(_shown(np.quantile(some, 0.9)) if len(some) else 0.0 for some in living),
        records=_records(core, futures, runs, now, limit),
        count=count,
        archived=sum(len(run.reasons) for run in runs),
        reasons=dict(reasons),
    )


def _kind(reason: str) -> str:
    """Return the first word of a reason: expired, faded, faint or beyond."""
    return reason.split(" ", 1)[0].rstrip(":")


def _shown(value: Any) -> float:
    return round(float(value), _SHOWN_DIGITS)


def _records(core: Core, futures: Sequence[_Future], runs: Sequence[_Run], now: datetime, limit: int) -> tuple[SimulatedRecord, ...]:
    """Return the first that are archived, then the weakest of those that stay."""
    keyed = [
        (int(run.archived_day[row]), _shown(run.curve[-1][row]), _shown(run.curve[0][row]), future.ledger.ids[row], number, row)
        for number, (future, run) in enumerate(zip(futures, runs, strict=True))
        for row in np.flatnonzero(future.ledger.active).tolist()
    ]
    chosen = sorted(keyed)[:limit]
    contents = {
        number: core.store.get(futures[number].ledger.scope, [entry[3] for entry in chosen if entry[4] == number])
        for number in {entry[4] for entry in chosen}
    }
    return tuple(_record(futures[number], runs[number], row, contents[number].get(name), now) for *_, name, number, row in chosen)


def _record(future: _Future, run: _Run, row: int, held: MemoryRecord | None, now: datetime) -> SimulatedRecord:
    ledger = future.ledger
    start = " ".join((held.content if held else "").split())
    return SimulatedRecord(
        id=ledger.ids[row],
        scope=ledger.scope,
        type=ledger.types[row],
        preview=start if len(start) <= _PREVIEW else start[:_PREVIEW] + "…",
        curve=tuple(map(_shown, run.curve[:, row])),
        faint_at=_on(run.faint_day[row], now),
        archived_at=_on(run.archived_day[row], now),
        reason=run.reasons.get(row),
    )


def _on(day: np.int32, now: datetime) -> datetime | None:
    return None if day == _NEVER else now + timedelta(days=int(day))
