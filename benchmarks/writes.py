"""Durable single writes, batches, and the import of a package, beside a bare SQLite insert of the same rows with their full-text entry.

    python -m benchmarks.writes [--singles 2000] [--batched 20000] [--imported 100000]

The bare insert writes the record's JSON and its segmented text into a table and an FTS5 index, WAL, synchronous=FULL:
what any store must at least do. Satchel does more in the same time: it validates, screens for credentials, looks for
duplicates, logs the change and indexes terms. Embedding is apart (embedder none). The import runs in a process of its own,
so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import texts
from benchmarks.report import Report, peak_memory_mib, timed
from satchel.engine.text.segmenting import segment
from satchel.protocol import Header, MemoryRecord, new_id, write_package
from satchel.wiring import open_memory

SCOPE = "user:bench/project:writes"
ROUNDS = 3


def records(count: int, seed: int) -> Iterator[MemoryRecord]:
    """Yield complete records in one hundred scopes."""
    now = datetime.now(UTC)
    for number, text in enumerate(texts.memories(count, seed)):
        scope = f"user:bench{number % 100}"
        yield MemoryRecord(id=new_id(), content=text, scope=scope, created_at=now, stored_at=now, updated_at=now, tags=("bench",))


class Bare:
    """A table and its full-text index: the floor."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript(
            "pragma journal_mode=wal; pragma synchronous=full;"
            "create table memories(rid integer primary key, scope text, id text, body text, unique(scope, id));"
            "create virtual table words using fts5(terms, content='', tokenize='unicode61')"
        )

    def insert(self, rows: Iterable[tuple[str, str, str, str]]) -> None:
        """Insert (scope, id, body, content) rows in one transaction."""
        self.connection.execute("begin immediate")
        for scope, record_id, body, content in rows:
            cursor = self.connection.execute("insert into memories(scope, id, body) values (?, ?, ?)", (scope, record_id, body))
            terms = " ".join(segment(content))
            self.connection.execute("insert into words(rowid, terms) values (?, ?)", (cursor.lastrowid, terms))
        self.connection.execute("commit")


def _row(record: MemoryRecord) -> tuple[str, str, str, str]:
    return record.scope, record.id, record.to_json(), record.content


def singles(count: int, folder: Path, report: Report) -> None:
    """Compare durable single writes, in rounds that alternate."""
    spent = {"bare": 0.0, "satchel": 0.0}
    bare = Bare(folder / "bare.db")
    with open_memory(f"sqlite:///{folder}/single.db", agent="bench", embedder="none") as memory:
        for turn in range(ROUNDS):
            rows = [_row(record) for record in records(count // ROUNDS, 10 + turn)]
            contents = list(texts.memories(count // ROUNDS, 20 + turn))
            spent["bare"] += timed(lambda rows=rows: [bare.insert([row]) for row in rows])  # type: ignore[misc,func-returns-value]
            spent["satchel"] += timed(lambda contents=contents: [memory.remember(text, scope=SCOPE) for text in contents])  # type: ignore[misc]
    _tell(report, "single durable writes", count, spent, at_least=0.4)


def batches(count: int, folder: Path, report: Report) -> None:
    """Compare batches of a thousand."""
    spent = {"bare": 0.0, "satchel": 0.0}
    bare = Bare(folder / "bare-batches.db")
    with open_memory(f"sqlite:///{folder}/batches.db", agent="bench", embedder="none") as memory:
        for start in range(0, count, 1000):
            rows = [_row(record) for record in records(1000, 1000 + start)]
            contents = list(texts.memories(1000, 2000 + start))
            spent["bare"] += timed(lambda rows=rows: bare.insert(rows))  # type: ignore[misc]
            spent["satchel"] += timed(lambda contents=contents: memory.remember_many(contents, scope=SCOPE))  # type: ignore[misc]
    _tell(report, "batches of 1,000", count, spent, at_least=0.5)


def _tell(report: Report, what: str, count: int, spent: dict[str, float], *, at_least: float) -> None:
    rates = {f"{name} /s": count / seconds for name, seconds in spent.items()}
    ratio = spent["bare"] / spent["satchel"]
    report.row(work=what, records=count, **rates, **{"satchel / bare rate": ratio})
    report.target(f"{what}: satchel / bare rate", ratio, at_least=at_least)


def _bare_import(package: Path, target: Path) -> None:
    bare = Bare(target)
    with package.open("rb") as lines:
        batch: list[tuple[str, str, str, str]] = []
        for line in lines:
            value = json.loads(line)
            if value["kind"] != "record":
                continue
            record = value["record"]
            batch.append((record["scope"], record["id"], json.dumps(record, ensure_ascii=False), record["content"]))
            if len(batch) == 1000:
                bare.insert(batch)
                batch.clear()
        bare.insert(batch)


def _satchel_import(package: Path, target: Path) -> None:
    with open_memory(f"sqlite:///{target}", agent="bench", embedder="none") as memory, package.open("rb") as stream:
        report = memory.import_package(stream)
        assert report.counts.get("created"), report.counts


def _alone(work: str, package: Path, target: Path, answers: multiprocessing.Queue[tuple[float, float]]) -> None:
    before = peak_memory_mib()
    started = time.perf_counter()
    {"bare": _bare_import, "satchel": _satchel_import}[work](package, target)
    answers.put((time.perf_counter() - started, max(before, peak_memory_mib())))


def imports(count: int, folder: Path, report: Report) -> None:
    """Compare the import of one package."""
    package = folder / "package.jsonl"
    with package.open("wb") as out:
        for chunk in write_package(Header(producer="bench", created_at=datetime.now(UTC)), records(count, 5)):
            out.write(chunk)
    context = multiprocessing.get_context("spawn")
    spent, peaks = {}, {}
    for work in ("bare", "satchel"):
        answers: multiprocessing.Queue[tuple[float, float]] = context.Queue()
        process = context.Process(target=_alone, args=(work, package, folder / f"{work}-import.db", answers))
        process.start()
        spent[work], peaks[work] = answers.get(timeout=3600)
        process.join()
    slower = spent["satchel"] / spent["bare"]
    report.row(
        work="import of a package", records=count, **{f"{work} /s": count / spent[work] for work in spent}, **{"peak MiB": peaks["satchel"]}
    )
    report.target(f"import of {count:,}: satchel / bare time", slower, at_most=2.5)
    report.target(f"import of {count:,}: peak MiB", peaks["satchel"], at_most=250)


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--singles", type=int, default=2000)
    parser.add_argument("--batched", type=int, default=20_000)
    parser.add_argument("--imported", type=int, default=100_000)
    arguments = parser.parse_args()
    report = Report("writes")
    with tempfile.TemporaryDirectory() as place:
        singles(arguments.singles, Path(place), report)
        batches(arguments.batched, Path(place), report)
        if arguments.imported:
            imports(arguments.imported, Path(place), report)
    report.show()


if __name__ == "__main__":
    main()
