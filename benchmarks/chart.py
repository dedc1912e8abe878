"""Draws figures over the size of a store, both axes logarithmic, as SVG. It must not know what was measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from satchel.cli.svg import Point, document, dot, label, line, rule

Lines = Mapping[str, Sequence[Point]]
"""By name: points of a size and a figure, both above zero."""

_WIDTH, _LEFT, _RIGHT, _TOP, _PLOT, _LEGEND = 860, 84, 300, 62, 330, 20
_SMALL = 15
_COLOURS = ("#0b5fa5", "#b26a00", "#2e7d32", "#8e24aa", "#c62828", "#00838f", "#5d4037", "#455a64", "#9e9d24", "#ad1457")


def draw(title: str, unit: str, lines: Lines, *, across: str, below: Sequence[str]) -> str:
    """Return the picture. `unit` is that of the figures, `across` says what grows, `below` where they are from, in lines."""
    points = [point for drawn in lines.values() for point in drawn]
    sizes, values = _decades([x for x, _ in points]), _decades([y for _, y in points])
    height = _TOP + max(_PLOT, _LEGEND * len(lines)) + 52 + _SMALL * len(below)
    bottom, right = _TOP + _PLOT, _WIDTH - _RIGHT

    def at(point: Point) -> Point:
        return (
            _LEFT + _share(point[0], sizes) * (right - _LEFT),
            bottom - _share(point[1], values) * _PLOT,
        )

    parts = [label(_LEFT, 20, title, name="title"), label(_LEFT, _TOP - 14, unit)]
    for size in _ticks(sizes):
        x = at((size, values[0]))[0]
        parts += [rule((x, _TOP), (x, bottom)), label(x, bottom + 18, _number(size), anchor="middle")]
    for value in _ticks(values):
        y = at((sizes[0], value))[1]
        parts += [rule((_LEFT, y), (right, y)), label(_LEFT - 8, y + 4, _number(value), anchor="end")]
    style = ""
    for place, (name, drawn) in enumerate(lines.items()):
        colour, y = _COLOURS[place % len(_COLOURS)], _TOP + 8 + _LEGEND * place
        style += f".l{place}{{fill:none;stroke:{colour};stroke-width:2}}.d{place}{{fill:{colour}}}"
        parts += [
            line(f"l{place}", [at(point) for point in drawn]),
            *(dot(f"d{place}", at(point), f"{name}, {_number(point[0])}: {point[1]:.3g} {unit}") for point in drawn),
            rule((right + 16, y), (right + 36, y), name=f"l{place}"),
            label(right + 42, y + 4, name),
        ]
    parts.append(label((_LEFT + right) / 2, bottom + 36, across, anchor="middle"))
    parts += [label(_LEFT, height - 8 - _SMALL * place, words, name="below") for place, words in enumerate(reversed(below))]
    return document(_WIDTH, height, title, parts, style=style + ".below{font-size:11px;fill:#777}")


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Return the powers of ten that the values lie between."""
    low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
    return 10.0**low, 10.0 ** max(high, low + 1)


def _share(value: float, bounds: tuple[float, float]) -> float:
    low, high = (math.log10(bound) for bound in bounds)
    return (math.log10(value) - low) / (high - low)


def _ticks(bounds: tuple[float, float]) -> list[float]:
    low, high = (round(math.log10(bound)) for bound in bounds)
    return [10.0**power for power in range(low, high + 1)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
