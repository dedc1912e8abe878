"""How each measurement grows with the store: measured at several sizes, kept, and drawn.

    python -m benchmarks.growth [--sizes 1000 10000 100000] [--only inside scope adds moving peers] [--systems satchel chroma]
    python -m benchmarks.growth --draw

Each size of each chart is kept in docs/growth/figures.json as soon as it is measured, in place of what was there for it, with the machine
it was measured on: so it can be run in pieces, on a quiet machine, for the larger sizes. Then everything kept is drawn beside it, with a
page of tables; `--draw` only draws. What is measured, and how, is said where it is measured:

    inside  recall_speed, one scope of --scope records inside a store of so many
    scope   recall_speed, one scope of so many records
    adds    comparing_cost, processor time of one record into a scope that holds so many
    moving  moving: copied from SQLite to PostgreSQL, exported, imported, each beside the bare thing
    peers   peers, every system that is installed; what takes longer than five minutes is left out
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as recall_speed has it, before numpy is imported

import argparse
import json
import statistics
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from benchmarks import chart, comparing_cost, moving, peers, recall_speed
from benchmarks.report import Report, machine, percentile
from benchmarks.standin import StandIn
from satchel.engine.index.embedding import open_index
from satchel.wiring import open_store

FOLDER = Path(__file__).resolve().parent.parent / "docs/growth"
FIGURES = "figures.json"
SCOPES = 100
TARGET = int(recall_speed.TARGET.removeprefix("user:bench"))

Figure = tuple[str, float]
"""A line's name, and its value at the size that was measured."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture: its title, the unit of its figures, and what grows."""

    title: str
    unit: str
    across: str


CHARTS = {
    "inside": Chart("Recall inside a store that grows", "ms", "records in the store"),
    "scope": Chart("Recall in a scope that grows", "ms", "records in the scope"),
    "adds": Chart("Adding a record to a scope that grows", "ms of processor time", "records in the scope"),
    "moving": Chart("A whole store moved", "records a second", "records in the store"),
    "peers-search": Chart("Search beside others, p50", "ms", "records"),
    "peers-search-p95": Chart("Search beside others, p95", "ms", "records"),
    "peers-adds": Chart("Adding beside others, a thousand at a time", "records a second", "records"),
    "peers-single-adds": Chart("Adding beside others, one at a time", "records a second", "records"),
}

# ------------------------------------------------------------ measuring: each yields a chart's name with a figure


def recalls(path: Path, scopes: list[int], count: int, queries: int, suffix: str, *, cold: bool = False) -> Iterator[Figure]:
    """Yield how long recall takes in one store, beside the bare product."""
    store = recall_speed.filled(path, scopes, count)
    try:
        open_index(recall_speed.core_over(store))
        asked = recall_speed.questions(queries, count)
        if cold:
            yield f"first recall of a process{suffix}", statistics.median(recall_speed.cold(store, asked[0])) * 1000
        spent = recall_speed.warm({"recall": store}, asked, count)
        yield f"recall, p50{suffix}", statistics.median(spent["recall"]) * 1000
        yield f"recall, p95{suffix}", percentile(spent["recall"], 0.95) * 1000
        yield f"recall, processor time, p50{suffix}", statistics.median(spent["recall" + recall_speed.PROCESSOR]) * 1000
        yield f"bare product, p50{suffix}", statistics.median(spent["floor"]) * 1000
    finally:
        store.close()


def inside(size: int, given: argparse.Namespace) -> Iterator[tuple[str, Figure]]:
    """One scope of a fixed size inside a store of `size` records."""
    count = max(1, size // given.scope)
    if size < given.scope:
        return
    others = [number for number in range(count) if number != TARGET][: count - 1]
    path = given.dir / f"recall-{count}x{given.scope}.db"  # what recall_speed makes serves as well
    for figure in recalls(path, [TARGET, *others], given.scope, given.queries, f", scope of {given.scope:,}"):
        yield "inside", figure


def scope(size: int, given: argparse.Namespace) -> Iterator[tuple[str, Figure]]:
    """One scope that is the store."""
    for figure in recalls(given.dir / f"recall-1x{size}.db", [TARGET], size, given.queries, "", cold=True):
        yield "scope", figure


def adds(size: int, given: argparse.Namespace) -> Iterator[tuple[str, Figure]]:
    """One record more, alone and in a batch, compared with those that are there and not."""
    report = Report("adds")
    with tempfile.TemporaryDirectory() as place:
        comparing_cost.measure(report, size, "unlike", Path(place), None)
    for row in report.rows:
        for column in ("compared", "not compared"):
            yield "adds", (f"{row['work']}, {column}", row[f"{column} µs"] / 1000)


def move(size: int, given: argparse.Namespace) -> Iterator[tuple[str, Figure]]:
    """The store copied, exported and imported."""
    from tests.stores.postgres_server import PostgresServer

    report, scopes = Report("moving"), min(SCOPES, max(1, size // 100))
    server = PostgresServer(settings={"shared_buffers": "512MB", "max_wal_size": "4GB"})
    try:
        with tempfile.TemporaryDirectory() as place:
            url = server.url(f"bench_{uuid.uuid4().hex[:8]}")
            open_store(url).close()
            source = given.dir / f"recall-{scopes}x{size // scopes}.db"  # what recall_speed makes serves as well: it is only read
            recall_speed.filled(source, list(range(scopes)), size // scopes).close()
            moving.measure(report, size // scopes * scopes, str(source), url, Path(place))
    finally:
        server.remove()
    for row in report.rows:
        yield "moving", (row["work"], row["records /s"])


def beside(size: int, given: argparse.Namespace) -> Iterator[tuple[str, Figure]]:
    """Every other memory that is installed."""
    report, embedder = Report("peers"), StandIn()
    for name in given.systems:
        try:
            peers.measure(name, size, embedder, report)
        except ImportError as error:
            print(f"{name} is not installed ({error.name})")
    columns = {"p50 ms": "peers-search", "p95 ms": "peers-search-p95", "adds/s": "peers-adds", "single adds/s": "peers-single-adds"}
    for row in report.rows:
        for column, drawn in columns.items():
            if row.get("p50 ms") and row.get(column):
                yield drawn, (row["system"], row[column])


MEASURES: dict[str, Callable[[int, argparse.Namespace], Iterator[tuple[str, Figure]]]] = {
    "inside": inside,
    "scope": scope,
    "adds": adds,
    "moving": move,
    "peers": beside,
}

# ------------------------------------------------------------ keeping


def kept(folder: Path) -> dict[str, Any]:
    """Return what was measured before."""
    path = folder / FIGURES
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {"machines": [], "figures": []}
    return found


def keep(folder: Path, size: int, found: Iterable[tuple[str, Figure]], where: dict[str, Any]) -> None:
    """Put figures in place of those of the same charts, lines and size. A machine that no figure is from any more is left out.

    `where` is the machine, with its `load` before the measuring, which is kept with each figure.
    """
    whole = kept(folder)
    load, where = max(where["load"]), {key: value for key, value in where.items() if key != "load"}
    rows = {
        (row["chart"], row["line"], row["size"]): (row["value"], row["load"], whole["machines"][row["machine"]]) for row in whole["figures"]
    }
    rows |= {(name, line, size): (float(f"{value:.4g}"), load, where) for name, (line, value) in found}
    machines: list[dict[str, Any]] = []
    for _, _, machine_ in rows.values():
        if machine_ not in machines:
            machines.append(machine_)
    order = list(CHARTS)
    figures = [
        {"chart": name, "line": line, "size": at, "value": value, "load": load, "machine": machines.index(machine_)}
        for (name, line, at), (value, load, machine_) in sorted(
            rows.items(), key=lambda row: (order.index(row[0][0]), row[0][1], row[0][2])
        )
    ]
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in figures)
    head = json.dumps(machines, ensure_ascii=False)
    (folder / FIGURES).write_text(f'{{"machines": {head},\n "figures": [\n  {lines}\n ]}}\n', "utf-8")


# ------------------------------------------------------------ drawing


def draw(folder: Path, target: Path) -> None:
    """Draw every chart that there are figures for, and write the page that shows them, from what is kept in `folder`."""
    whole = kept(folder)
    machines = [told(one) for one in whole["machines"]]
    page = [_HEAD]
    for name, about in CHARTS.items():
        rows = [row for row in whole["figures"] if row["chart"] == name]
        if not rows:
            continue
        lines: dict[str, list[tuple[float, float]]] = {}
        for row in rows:
            lines.setdefault(row["line"], []).append((row["size"], row["value"]))
        below = [machines[at] for at in sorted({row["machine"] for row in rows})] + _busy(rows, whole["machines"])
        target.mkdir(parents=True, exist_ok=True)
        (target / f"{name}.svg").write_text(chart.draw(about.title, about.unit, lines, across=about.across, below=below), "utf-8")
        page += [f"\n## {about.title}\n\n![{about.title}]({name}.svg)\n", _table(about, lines), f"\nMeasured on {'; '.join(below)}."]
    (target / "README.md").write_text("\n".join(page), "utf-8")


_HEAD = """<!-- Made from figures.json by `python -m benchmarks.growth --draw`; do not edit. -->

# How it grows

Both axes of each picture are logarithmic: what keeps its speed is a level line, and what costs as the size does rises by one square a
square. What each line is and how it is measured is said in `benchmarks/growth.py`."""


def _table(about: Chart, lines: dict[str, list[tuple[float, float]]]) -> str:
    sizes = sorted({size for drawn in lines.values() for size, _ in drawn})
    rows = [f"| {about.unit} | {' | '.join(f'{size:,.0f}' for size in sizes)} |", "|---" * (1 + len(sizes)) + "|"]
    for name, drawn in lines.items():
        values = dict(drawn)
        rows.append(f"| {name} | {' | '.join(_cell(values[size]) if size in values else '' for size in sizes)} |")
    return "\n".join(rows)


def _cell(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _busy(rows: list[dict[str, Any]], machines: list[dict[str, Any]]) -> list[str]:
    """Say so where the machine had more to do than it has processors: clock times are then too long, and unevenly so."""
    loads = [row["load"] for row in rows if row["load"] > machines[row["machine"]]["processors"]]
    return [f"while it was busy with other things (load up to {max(loads):.0f})"] if loads else []


def told(where: dict[str, Any]) -> str:
    """Return a machine in a few words."""
    versions = ", ".join(f"{name} {where[key]}" for name, key in (("Python", "python"), ("SQLite", "sqlite"), ("satchel", "satchel")))
    return f"{where['processor']}, {where['processors']} processors, {where['memory GiB']} GiB, {where['system']}, {versions}"


def main() -> None:
    """Measure what is asked for, keep it, and draw all that is kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--only", nargs="+", choices=tuple(MEASURES), default=list(MEASURES))
    parser.add_argument("--systems", nargs="+", choices=tuple(peers.SYSTEMS), default=list(peers.SYSTEMS), help="of peers")
    parser.add_argument("--scope", type=int, default=1_000, help="records of the scope inside a store that grows")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--dir", type=Path, default=platformdirs.user_cache_path("satchel") / "bench", help="where stores are kept")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where figures and pictures are kept")
    parser.add_argument("--draw", action="store_true", help="only draw what is kept")
    given = parser.parse_args()
    for size in [] if given.draw else given.sizes:
        for name in given.only:
            print(f"{name}, {size:,}", flush=True)
            keep(given.out, size, MEASURES[name](size, given), machine())
    draw(given.out, given.out)


if __name__ == "__main__":
    main()
