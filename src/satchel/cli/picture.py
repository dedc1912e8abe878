"""Draws a simulation: one line of text for a terminal, an SVG for a page. It must not know how the figures came about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from html import escape

from satchel.operations.models import SimulatedRecord, Simulation

Scale = Callable[[float], float]
"""From a day, a strength or a number to a place in the picture."""

_LEVELS = "▁▂▃▄▅▆▇█"
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP = 840, 470, 56, 16, 34
_STRENGTHS, _COUNTS, _GAP = 230, 110, 44
_THREADS = 40
_TICKS = 6

_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333}.grid{stroke:#ddd}.thread{fill:none;stroke:#9aa7b5;stroke-width:.7;opacity:.6}"
    ".mean{fill:none;stroke:#0b5fa5;stroke-width:2}.band{fill:#0b5fa5;opacity:.14}.active{fill:#2e7d32;opacity:.25}.faint{fill:#b26a00;opacity:.45}"
    ".title{font-weight:600;font-size:14px}"
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

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{escape(_title(simulation))}</title><style>{_STYLE}</style>",
        f'<text class="title" x="{_LEFT}" y="20">{escape(_title(simulation))}</text>',
        *(_level(strength(value), f"{value:.2f}") for value in (0.0, top / 2, top)),
        *(_level(count(value), str(int(value))) for value in (0, most)),
        *(_tick(x(day), simulation, day) for day in _tick_days(first, last)),
        _area("band", simulation.days, simulation.low, simulation.high, x, strength),
        *(_line("thread", simulation.days, _while_kept(record.curve), x, strength) for record in _some(simulation)),
        _line("mean", simulation.days, simulation.mean, x, strength),
        _area("active", simulation.days, [0] * len(simulation.days), simulation.active, x, count),
        _area("faint", simulation.days, [0] * len(simulation.days), simulation.faint, x, count),
        f'<text x="{_LEFT}" y="{base - _STRENGTHS - 4}">strength: mean, the middle eight tenths, single memories</text>',
        f'<text x="{_LEFT}" y="{counts_top - 8}">memories: active, and of them too faint for recall</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _some(simulation: Simulation) -> Sequence[SimulatedRecord]:
    """Return some of the records, from the first to go to the last."""
    return simulation.records[:: max(1, len(simulation.records) // _THREADS)]


def _while_kept(curve: Sequence[float]) -> Sequence[float]:
    """Return a curve up to the day on which its record is archived."""
    return curve[: next((at for at, value in enumerate(curve) if value == 0.0), len(curve))]


def _title(simulation: Simulation) -> str:
    days = simulation.days[-1]
    return f"{simulation.count} memories over {days} days from {simulation.now:%Y-%m-%d}: {simulation.archived} archived if nothing is used"


def _level(y: float, label: str) -> str:
    line = f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return f'{line}<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'


def _tick_days(first: int, last: int) -> list[int]:
    return sorted({round(first + (last - first) * at / (_TICKS - 1)) for at in range(_TICKS)})


def _tick(x: float, simulation: Simulation, day: int) -> str:
    label = f"{simulation.now + timedelta(days=day):%Y-%m-%d}"
    anchor = "end" if x > _WIDTH - 60 else "middle"
    return f'<text x="{x:.1f}" y="{_HEIGHT - 10}" text-anchor="{anchor}">{label}</text>'


def _points(days: Sequence[int], values: Sequence[float], x: Scale, y: Scale) -> list[str]:
    return [f"{x(day):.1f},{y(value):.1f}" for day, value in zip(days, values, strict=False)]


def _line(name: str, days: Sequence[int], values: Sequence[float], x: Scale, y: Scale) -> str:
    return f'<polyline class="{name}" points="{" ".join(_points(days, values, x, y))}"/>'


def _area(name: str, days: Sequence[int], low: Sequence[float], high: Sequence[float], x: Scale, y: Scale) -> str:
    around = _points(days, high, x, y) + _points(days, low, x, y)[::-1]
    return f'<polygon class="{name}" points="{" ".join(around)}"/>'
