"""Pieces of an SVG picture: the document, lines, areas, rules and labels. It must not know what is drawn, nor on what scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

Point = tuple[float, float]

_STYLE = "text{font:12px system-ui,sans-serif;fill:#333}.grid{stroke:#ddd}.title{font-weight:600;font-size:14px}"


def document(width: int, height: int, title: str, parts: Iterable[str], *, style: str = "") -> str:
    """Return a picture with its title; `style` is added to what every picture has."""
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
    return "\n".join([opening, f"<title>{escape(title)}</title><style>{_STYLE}{style}</style>", *parts, "</svg>"]) + "\n"


def label(x: float, y: float, words: str, *, anchor: Literal["start", "middle", "end"] = "start", name: str = "") -> str:
    """Return a text."""
    shown = f' class="{name}"' if name else ""
    return f'<text{shown} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def rule(start: Point, end: Point, *, name: str = "grid") -> str:
    """Return a straight line."""
    return f'<line class="{name}" x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>'


def line(name: str, points: Sequence[Point]) -> str:
    """Return a line through points."""
    return f'<polyline class="{name}" points="{_listed(points)}"/>'


def area(name: str, high: Sequence[Point], low: Sequence[Point]) -> str:
    """Return what lies between two lines."""
    return f'<polygon class="{name}" points="{_listed([*high, *reversed(low)])}"/>'


def dot(name: str, point: Point, words: str) -> str:
    """Return a dot that says its words to who points at it."""
    return f'<circle class="{name}" cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="3"><title>{escape(words)}</title></circle>'


def _listed(points: Sequence[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
