"""Writes the table of docs/soak.md from what the long runs left behind.

    make soak
    python scripts/soak_table.py [--print]

Each long test tells its figures when it has passed: one file each in the cache folder (SATCHEL_SOAK names another). A run that is older
than the machine's last one of the same name is replaced by it. Between the page's two marks stands the table, and nothing else is touched.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

PAGE = Path(__file__).resolve().parent.parent / "docs/soak.md"
BEGIN, END = "<!-- soak table: begin -->", "<!-- soak table: end -->"
FOLDER = Path(os.environ.get("SATCHEL_SOAK") or Path(platformdirs.user_cache_dir("satchel", appauthor=False)) / "soak")


class Kept(NamedTuple):
    """One run: what it was, what it showed, how long it took, when and where."""

    what: str
    figures: Mapping[str, Any]
    seconds: float
    at: str
    machine: Mapping[str, Any]

    @property
    def told(self) -> str:
        """The figures in words."""
        return ", ".join(f"{name.replace('_', ' ')} {_figure(value)}" for name, value in self.figures.items())

    @property
    def line(self) -> str:
        """Everything in one line."""
        return f"soak: {self.what}: {self.told}; {self.seconds:.0f} s"


def _figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def keep(folder: Path, what: str, figures: Mapping[str, Any], *, seconds: float, machine: Mapping[str, Any]) -> Kept:
    """Keep a run in place of the last one of its name."""
    kept = Kept(what, dict(figures), seconds, datetime.now(UTC).isoformat(timespec="seconds"), dict(machine))
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", what.lower()).strip("-")
    (folder / f"{name}.json").write_text(json.dumps(kept._asdict(), ensure_ascii=False, indent=1), "utf-8")
    return kept


def read(folder: Path) -> list[Kept]:
    """Return every run that was kept, by name."""
    found = [Kept(**json.loads(path.read_text("utf-8"))) for path in sorted(folder.glob("*.json"))]
    return sorted(found, key=lambda kept: kept.what)


def table(runs: Sequence[Kept]) -> str:
    """Return the table, with the machines below it."""
    lines = ["| run | showed | took | on |", "|---|---|---|---|"]
    lines += [f"| {run.what} | {run.told} | {run.seconds:,.0f} s | {run.at[:10]} |" for run in runs]
    machines = dict.fromkeys(_machine(run.machine) for run in runs)
    return "\n".join([*lines, "", *(f"Machine: {told}." for told in machines)])


def _machine(told: Mapping[str, Any]) -> str:
    """Return what stays the same from run to run: how busy it was does not."""
    named = {name: value for name, value in told.items() if name != "load"}
    return ", ".join(str(value) if name in ("processor", "system") else f"{name} {value}" for name, value in named.items())


def written(page: str, made: str) -> str:
    """Return a page with a new table between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{made}\n{END}{after}"


def main() -> int:
    """Write the page; exit code 1 where no run was kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="print the table; write nothing")
    given = parser.parse_args()
    runs = read(FOLDER)
    if not runs:
        sys.stderr.write(f"no run was kept in {FOLDER}: make soak\n")
        return 1
    if given.print:
        sys.stdout.write(table(runs) + "\n")
    else:
        PAGE.write_text(written(PAGE.read_text("utf-8"), table(runs)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
