"""How a benchmark tells its figures: a table for people, JSON beside it. It must not know what was measured."""

from __future__ import annotations

import json
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

RESULTS = Path("bench-results")


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` (0..1) of the values lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def timed(work: Callable[[], Any]) -> float:
    """Run once; return seconds of wall time."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def busy(work: Callable[[], Any]) -> float:
    """Run once; return seconds of this process's processor time, which a machine that is busy with other things does not spoil."""
    start = time.process_time()
    work()
    return time.process_time() - start


def interleaved(rounds: int, *works: Callable[[], Any]) -> list[list[float]]:
    """Run the works in turn, A B A B …, so that a machine that drifts harms all alike; return seconds for each."""
    spent: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for place, work in enumerate(works):
            spent[place].append(timed(work))
    return spent


def peak_memory_mib() -> float:
    """Return this process's peak resident memory."""
    status = Path("/proc/self/status")
    if status.exists():
        # Of this program alone. What the resource module tells begins with the size of the process that started it.
        told = next((line for line in status.read_text("ascii").splitlines() if line.startswith("VmHWM:")), None)
        if told is not None:
            return int(told.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_048_576 if sys.platform == "darwin" else 1024)


def machine() -> dict[str, Any]:
    """Name the machine by what matters for a figure; nothing tells whose it is."""
    import os
    import sqlite3

    import satchel

    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "memory GiB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "satchel": satchel.__version__,
        "load": [round(value, 1) for value in os.getloadavg()],
        "sqlite": sqlite3.sqlite_version,
    }


def _processor() -> str:
    """Return the processor's name, where the system tells it."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text("utf-8").splitlines() if told.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor() or "unknown")


@dataclass
class Report:
    """One benchmark's table: columns by the keys of its rows, and targets that a ratio must meet."""

    name: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    targets: list[dict[str, Any]] = field(default_factory=list)

    def row(self, **values: Any) -> None:
        """Add a row."""
        self.rows.append(values)

    def target(self, what: str, figure: float, *, at_most: float | None = None, at_least: float | None = None) -> None:
        """Add a figure with its bound."""
        met = (at_most is None or figure <= at_most) and (at_least is None or figure >= at_least)
        bound = f"<= {at_most:g}" if at_most is not None else f">= {at_least:g}"
        self.targets.append({"what": what, "figure": round(figure, 3), "bound": bound, "met": met})

    def show(self) -> None:
        """Print the tables and write `bench-results/<name>.json`."""
        console = Console(width=None if sys.stdout.isatty() else 160)
        for title, rows in ((self.name, self.rows), (f"{self.name}: bounds", self.targets)):
            if rows:
                console.print(_table(title, rows))
        console.print("machine: " + ", ".join(f"{name} {value}" for name, value in machine().items()))
        RESULTS.mkdir(exist_ok=True)
        body = {"benchmark": self.name, "machine": machine(), "rows": self.rows, "targets": self.targets}
        (RESULTS / f"{self.name.replace(' ', '-')}.json").write_text(
            json.dumps(body, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )


def _table(title: str, rows: Iterable[dict[str, Any]]) -> Table:
    rows = list(rows)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*[_cell(row.get(column)) for column in columns])
    return table


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """Return p50 and p95 of seconds, in milliseconds."""
    return {"p50 ms": round(statistics.median(seconds) * 1000, 3), "p95 ms": round(percentile(seconds, 0.95) * 1000, 3)}
