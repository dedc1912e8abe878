"""How answers look: tables for people, JSON for programs, progress on the terminal's error stream.

It must not know what a memory is. Nothing that was remembered can move the cursor: control characters are shown, not sent.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol, TextIO

WIDEST = 64
"""What a cell of a table takes, at most, that does not go to a terminal; the last of a row, what it is about, is whole."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str, *, lines: bool = False) -> str:
    """Return text that a terminal shows as it is; line ends become spaces unless `lines`."""
    if lines:
        return "\n".join(printable(line) for line in text.split("\n"))
    flat = text.replace("\r\n", " ").replace("\n", " ").replace("\t", " ")
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", flat)


def say(text: str = "") -> None:
    """Print one line of an answer."""
    sys.stdout.write(f"{text}\n")


def remark(text: str) -> None:
    """Print one line beside the answer, on the error stream."""
    sys.stderr.write(f"{text}\n")


def write_json(value: Any, *, stream: TextIO | None = None) -> None:
    """Print one JSON document: indented on a terminal, else on one line."""
    out = stream or sys.stdout
    out.write(json.dumps(value, ensure_ascii=False, indent=2 if out.isatty() else None) + "\n")


def local(moment: datetime | None) -> str:
    """Write a time for a person: local, to the minute."""
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: ruled and wrapped on a terminal, else columns two spaces apart."""
    cleaned = [[printable(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _ruled(columns, cleaned)
        return
    widths = [min(WIDEST, max(width(row[place]) for row in [columns, *cleaned])) for place in range(len(columns) - 1)]
    for *cells, last in [columns, *cleaned]:
        cut = [_cut(cell, size) for cell, size in zip(cells, widths, strict=True)]
        padded = [cell + " " * (size - width(cell)) for cell, size in zip(cut, widths, strict=True)]
        say("  ".join([*padded, last]).rstrip())


def _cut(text: str, size: int) -> str:
    if width(text) <= size:
        return text
    while text and width(text) >= size:
        text = text[: min(len(text) - 1, size)]
    return text + "…"


def _ruled(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    ruled = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns[:-1]:
        ruled.add_column(column, overflow="fold")
    # The last column is what was asked for: half of the screen is its own.
    ruled.add_column(columns[-1], overflow="fold", ratio=1, min_width=console.width // 2)
    for row in rows:
        ruled.add_row(*(Text(cell) for cell in row))
    console.print(ruled)


def fields(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values below each other; empty values are left out."""
    shown = [(name, value) for name, value in pairs if value]
    size = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        say(f"{name.ljust(size)}  {printable(value)}")


def width(text: str) -> int:
    """Return the terminal cells that a text takes; Chinese characters take two."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Advance(Protocol):
    """Tells a progress bar how far the work has come."""

    def __call__(self, done: int, total: int | None = None, *, label: str | None = None) -> None:
        """Show `done` of `total` (None: unknown) steps, under another label where one is given."""
        ...


@contextmanager
def progress(label: str) -> Iterator[Advance]:
    """Show a bar on the error stream for the length of a block; nothing where it is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total=None, *, label=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total=None, *, label=None: bar.update(task, completed=done, total=total, description=label)


def ask(question: str) -> bool:
    """Ask a person yes or no; no where nobody is there to answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes", "是"}
