"""Draws a simulation: one line of text for a terminal, an SVG for a page. It must not know how the figures came about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Literal

from satchel.cli.svg import Point, area, document, label, line, rule
from satchel.operations.models import SimulatedRecord, Simulation

Scale = Callable[[float], float]
"""From a day, a strength or a number to a place in the picture."""

_LEVELS = "▁▂▃▄▅▆▇█"
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP = 840, 470, 56, 16, 34
_STRENGTHS, _COUNTS, _GAP = 230, 110, 44
_THREADS = 40
_TICKS = 6

_STYLE = (
    ".thread{fill:none;stroke:#9aa7b5;stroke-width:.7;opacity:.6}"
    ".mean{fill:none;stroke:#0b5fa5;stroke-width:2}.band{fill:#0b5fa5;opacity:.14}.active{fill:#2e7d32;opacity:.25}.faint{fill:#b26a00;opacity:.45}"
)


def sparkline(values: Sequence[float], *, width: int = 60, top: float | None = None) -> str:
    """Return values as a line of bars, from 0 to `top` (default: their greatest)."""
    if not values:
        return ""
    most = max(values) if top is None else top
    count = min(width, len(values))
    places = [round(at * (len(values) - 1) / max(1, count - 1)) for at in range(count)]
    return "".join(_LEVELS[min(len(_LEVELS) - 1, max(0, int(values[at] / (most or 1) * len(_LEVELS))))] for at in places)


def svg(simulation: Simulation) -> str:
    """Return the simulation as an SVG document: strengths above (mean, the middle eight tenths, single records), numbers below."""
    top = max([1.0, *simulation.high, *(value for record in simulation.records[:_THREADS] for value in record.curve)])
    base, counts_top = _TOP + _STRENGTHS, _TOP + _STRENGTHS + _GAP
    most = max([1, *simulation.active])
    first, last = simulation.days[0], max(simulation.days[-1], 1)

    def x(day: float) -> float:
        return _LEFT + (day - first) / (last - first) * (_WIDTH - _LEFT - _RIGHT)

    def strength(value: float) -> float:
        return base - value / top * _STRENGTHS

    def count(value: float) -> float:
        return counts_top + _COUNTS - value / most * _COUNTS

    def along(values: Sequence[float], y: Scale) -> list[Point]:
        return [(x(day), y(value)) for day, value in zip(simulation.days, values, strict=False)]

    nothing = [0] * len(simulation.days)
    parts = [
        label(_LEFT, 20, _title(simulation), name="title"),
        *(_level(strength(value), f"{value:.2f}") for value in (0.0, top / 2, top)),
        *(_level(count(value), str(int(value))) for value in (0, most)),
        *(_tick(x(day), simulation, day) for day in _tick_days(first, last)),
        area("band", along(simulation.high, strength), along(simulation.low, strength)),
        *(line("thread", along(_while_kept(record.curve), strength)) for record in _some(simulation)),
        line("mean", along(simulation.mean, strength)),
        area("active", along(simulation.active, count), along(nothing, count)),
        area("faint", along(simulation.faint, count), along(nothing, count)),
        label(_LEFT, base - _STRENGTHS - 4, "strength: mean, the middle eight tenths, single memories"),
        label(_LEFT, counts_top - 8, "memories: active, and of them too faint for recall"),
    ]
    return document(_WIDTH, _HEIGHT, _title(simulation), parts, style=_STYLE)


def _some(simulation: Simulation) -> Sequence[SimulatedRecord]:
    """Return some of the records, from the first to go to the last."""
    return simulation.records[:: max(1, len(simulation.records) // _THREADS)]


def _while_kept(curve: Sequence[float]) -> Sequence[float]:
    """Return a curve up to the day on which its record is archived."""
    return curve[: next((at for at, value in enumerate(curve) if value == 0.0), len(curve))]


def _title(simulation: Simulation) -> str:
    days = simulation.days[-1]
    return f"{simulation.count} memories over {days} days from {simulation.now:%Y-%m-%d}: {simulation.archived} archived if nothing is used"


def _level(y: float, words: str) -> str:
    return rule((_LEFT, y), (_WIDTH - _RIGHT, y)) + label(_LEFT - 6, y + 4, words, anchor="end")


def _tick_days(first: int, last: int) -> list[int]:
    return sorted({round(first + (last - first) * at / (_TICKS - 1)) for at in range(_TICKS)})


def _tick(x: float, simulation: Simulation, day: int) -> str:
    anchor: Literal["end", "middle"] = "end" if x > _WIDTH - 60 else "middle"
    return label(x, _HEIGHT - 10, f"{simulation.now + timedelta(days=day):%Y-%m-%d}", anchor=anchor)
