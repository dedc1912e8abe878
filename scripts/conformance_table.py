"""Runs the conformance contracts on every store, vector index, place for sessions and door there is, and writes the one table of them.

    python scripts/conformance_table.py [--only TEXT ...]

It takes a few minutes and needs what the tests need (real PostgreSQL, Redis, Chroma, Qdrant and Milvus, without Docker or root), so that
`make test` does not do it. The page is docs/conformance-table.md; with --only, the columns whose name holds a text are run and printed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from satchel.conformance import Report, run_against, run_index, run_store, run_working  # noqa: E402
from satchel.conformance.report import Outcome, Result  # noqa: E402
from satchel.conformance.requirements import REQUIREMENTS  # noqa: E402
from satchel.engine.working.store import DocumentWorkingStore  # noqa: E402
from satchel.registry import INDEXES, imported, load  # noqa: E402
from satchel.wiring import open_memory, open_store  # noqa: E402

PAGE = ROOT / "docs/conformance-table.md"

HEAD = """<!-- Made by `python scripts/conformance_table.py`, which runs it all; do not edit. -->

# Conformance table

The [contracts](conformance.md), run on everything that ships, against real engines: PostgreSQL and Redis as servers, Qdrant, Chroma and
Milvus in the process. A number is that of the tests that passed. `−n` are tests of a capability that is not claimed, and that are left out
for that alone. Where a cell is empty, the contract has no test of that requirement. A test that failed, or did not run, would stand as
**n failed**. What each requirement says stands [there](conformance.md).
"""


class Column(NamedTuple):
    """A group, the name of what is certified there, and how."""

    group: str
    name: str
    run: Callable[[], Report]


class Beside(DocumentWorkingStore):
    """Sessions in a store of their own, which ends with them."""

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class Places:
    """New places each time: files in a folder, schemas and namespaces of servers that run as long as this."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._made = 0
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self._servers: dict[str, Any] = {}

    def path(self, ending: str = "") -> Path:
        """Return a path where nothing is."""
        self._made += 1
        return self.folder / f"{self._made}{ending}"

    def server(self, target: str) -> Any:
        """Return a running server of the tests."""
        if target not in self._servers:
            self._servers[target] = imported(target)()
            self._stack.callback(self._servers[target].remove)
        return self._servers[target]

    def postgres(self, **options: Any) -> str:
        """Return the URL of a new schema."""
        return str(self.server("tests.stores.postgres_server:PostgresServer").url(**options))

    def redis(self) -> str:
        """Return the URL of a new namespace."""
        return str(self.server("tests.stores.redis_server:RedisServer").url())


def columns(places: Places) -> Iterator[Column]:
    """Yield everything that there is."""
    stores: Mapping[str, Callable[[], str]] = {
        "memory": lambda: "memory://",
        "SQLite": lambda: f"sqlite:///{places.path('.db')}",
        "JSON lines": lambda: f"jsonl:///{places.path('.jsonl')}",
        "PostgreSQL": places.postgres,
        "PostgreSQL, partitioned": lambda: places.postgres(partitions=4),
    }
    indexes: Mapping[str, tuple[str, Callable[[], str]]] = {
        "memory": ("exact", lambda: "exact://"),
        "Qdrant's engine": ("qdrant:///", lambda: f"qdrant:///{places.path()}"),
        "Qdrant's client": ("qdrant-local", lambda: f"qdrant-local:///{places.path()}"),
        "Chroma": ("chroma", lambda: f"chroma:///{places.path()}"),
        "Milvus Lite": ("milvus:///", lambda: f"milvus:///{places.path('.db')}"),
    }
    for name, url in stores.items():
        yield Column("store", name, lambda url=url: run_store(lambda: open_store(url())))
    for name, (part, url) in indexes.items():
        opened = load(INDEXES, part, kind="vector index", field="index")
        yield Column("index", name, lambda opened=opened, url=url: run_index(lambda: opened(url())))
    for name in ("memory", "SQLite", "JSON lines", "PostgreSQL"):
        yield Column("sessions", name, lambda url=stores[name]: run_working(lambda: Beside(open_store(url()))))
    redis = imported("satchel.stores.redis:open_working")
    yield Column("sessions", "Redis", lambda: run_working(lambda: redis(places.redis())))
    for name in ("memory", "SQLite", "JSON lines", "PostgreSQL"):
        yield Column("engine", name, lambda url=stores[name]: of_engine(url()))
    yield Column("service", "HTTP", lambda: of_service(stores["SQLite"]()))


def of_engine(url: str) -> Report:
    """Run the contract of memories on the engine over a store."""
    with open_memory(url, embedder="none", agent="writer") as memory:
        return run_against(memory)


def of_service(url: str) -> Report:
    """Run it on a client of a service, over a socket."""
    from satchel.client import HttpMemory
    from satchel.service import serving

    with (
        open_memory(url, embedder="none", agent="writer") as engine,
        serving(engine) as address,
        HttpMemory(address, agent="writer") as memory,
    ):
        return run_against(memory)


def table(reports: Sequence[tuple[Column, Report]]) -> str:
    """Return the one table: requirements down, what was certified across."""
    lines = [f"| | {' | '.join(f'{column.group}: {column.name}' for column, _ in reports)} |", "|---" * (1 + len(reports)) + "|"]
    for key in REQUIREMENTS:
        cells = [cell([result for result in report.results if key in result.requirements]) for _, report in reports]
        if any(cells):
            lines.append(f"| **{key}** | {' | '.join(cells)} |")
    lines.append(f"| **tests** | {' | '.join(cell(report.results) for _, report in reports)} |")
    lines.append(f"| | {' | '.join('conformant' if report.conformant else '**NOT CONFORMANT**' for _, report in reports)} |")
    return "\n".join(lines) + "\n"


def cell(results: Sequence[Result]) -> str:
    """Return what became of some tests."""
    passed = sum(result.outcome is Outcome.PASSED for result in results)
    absent = sum(result.outcome is Outcome.UNDECLARED for result in results)
    failed = len(results) - passed - absent
    told = [str(passed)] * bool(passed) + [f"−{absent}"] * bool(absent) + [f"**{failed} failed**"] * bool(failed)
    return " ".join(told)


def absences(reports: Sequence[tuple[Column, Report]]) -> str:
    """Return which capabilities are not claimed by whom."""
    lines = ["\nNot claimed:\n"]
    for column, report in reports:
        found = sorted({result.message for result in report.results if result.outcome is Outcome.UNDECLARED})
        if found:
            lines.append(f"- {column.group}: {column.name}: {', '.join(text.split(chr(39))[1] for text in found)}")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run, tell and write; exit code 1 where something is not conformant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="print the columns whose name holds one of these; write nothing")
    given = parser.parse_args()
    with ExitStack() as stack:
        reports = []
        for column in columns(Places(stack)):
            named = f"{column.group}: {column.name}"
            if given.only is None or any(text.lower() in named.lower() for text in given.only):
                reports.append((column, column.run()))
                sys.stdout.write(f"{named}: {reports[-1][1].verdict}\n")
                sys.stdout.flush()
    made = table(reports) + absences(reports)
    if given.only is None:
        PAGE.write_text(HEAD + "\n" + made, "utf-8")
    else:
        sys.stdout.write(made)
    return 0 if all(report.conformant for _, report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
