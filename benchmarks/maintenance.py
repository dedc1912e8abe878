"""A maintenance pass while two processes go on writing: its peak memory at two sizes of store, and how long the writers had to wait.

    python -m benchmarks.maintenance [--small 10000] [--large 50000] [--scope-size 1000] [--url URL]

The store holds memories of every type, a tenth of them twins that an import brought and a tenth past their time; the pass looks at
them half a year later, so that most fade. It runs in a process of its own, so that its peak memory is its own. Each writer remembers
one memory after another, durably, in scopes that the pass goes through, before the pass and during it; all that was acknowledged
must be there afterwards. Embedding is apart (embedder none). Waits are in milliseconds, memory in MiB, `wall` and `cpu` in seconds; the
longest wait says more of what else the machine does than of the pass.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from benchmarks import texts
from benchmarks.report import Report, peak_memory_mib, percentile
from satchel.protocol import Header, MemoryRecord, write_package
from satchel.wiring import open_memory

WRITERS = 2
ALONE_SECONDS = 5.0
"""How long the writers write before the pass, to compare with."""

LATER = timedelta(days=180)
TYPES = ("preference", "fact", "interaction", "task", "skill", "profile")

Latencies = list[tuple[float, float]]
"""Moment (monotonic) and seconds of each write."""


def scope_of(number: int) -> str:
    """Name one of the scopes."""
    return f"user:bench{number}"


def records(count: int, scope_size: int) -> Iterator[MemoryRecord]:
    """Yield records scope by scope."""
    now = datetime.now(UTC)
    last = ""
    for number, text in enumerate(texts.memories(count, 7)):
        content = last if number % 10 == 1 and number % scope_size > 1 else text
        last = text
        yield MemoryRecord(
            id=f"m{number:06}",
            content=content,
            scope=scope_of(number // scope_size),
            type=TYPES[number % len(TYPES)],
            created_at=now,
            stored_at=now,
            updated_at=now,
            expires_at=now + timedelta(days=1) if number % 10 == 2 else None,
            score=0.3 + (number % 7) / 10,
            half_life=86_400.0 * (1 + number % 40),
        )


def fill(url: str, count: int, scope_size: int) -> None:
    """Import the records."""
    header = Header(producer="a benchmark", created_at=datetime.now(UTC))
    with open_memory(url, agent="import", embedder="none") as memory:
        memory.import_package(io.BytesIO(b"".join(write_package(header, records(count, scope_size)))))


def write(url: str, name: int, scopes: int, stop: Event, told: Queue[Any]) -> None:
    """Remember until told to stop; tell what was acknowledged, and how long each took."""
    taken: Latencies = []
    with open_memory(url, agent=f"writer{name}", embedder="none") as memory:
        for number, text in enumerate(texts.memories(10_000_000, 100 + name)):
            if stop.is_set():
                break
            begun = time.monotonic()
            memory.remember(text, scope=scope_of(number % scopes), id=f"w{name}-{number}")
            taken.append((begun, time.monotonic() - begun))
    told.put((name, taken))


def keep(url: str, told: Queue[Any]) -> None:
    """Make one pass half a year later; tell what it did and took."""
    with open_memory(url, agent="keeper", embedder="none", clock=lambda: datetime.now(UTC) + LATER) as memory:
        before = peak_memory_mib()
        begun, used = time.monotonic(), time.process_time()
        done = memory.maintain()
        ended = time.monotonic()
        told.put((begun, ended, time.process_time() - used, before, peak_memory_mib(), done.counts, done.skipped))


def _waits(spent: list[float]) -> dict[str, float]:
    return {"p50": percentile(spent, 0.5), "p99": percentile(spent, 0.99), "longest": max(spent)}


def lost(url: str, scopes: int, written: dict[int, int]) -> int:
    """Count the acknowledged writes that are not there."""
    with open_memory(url, agent="check", embedder="none") as memory:
        there = {found.id for number in range(scopes) for found in memory.every_record(scope=scope_of(number))}
    return sum(f"w{name}-{number}" not in there for name, count in written.items() for number in range(count))


def measure(count: int, scope_size: int, url: str, report: Report) -> float:
    """Build a store, run the pass beside the writers, tell the figures; return the pass's peak memory in MiB."""
    context = multiprocessing.get_context("spawn")
    scopes = max(1, count // scope_size)
    filling = context.Process(target=fill, args=(url, count, scope_size))
    filling.start()
    filling.join()
    if filling.exitcode:
        raise RuntimeError("the store could not be filled")
    stop, told, passed = context.Event(), context.Queue(), context.Queue()
    writers = [context.Process(target=write, args=(url, name, scopes, stop, told)) for name in range(WRITERS)]
    for writer in writers:
        writer.start()
    time.sleep(ALONE_SECONDS)
    keeper = context.Process(target=keep, args=(url, passed))
    keeper.start()
    try:
        begun, ended, used, before, peak, counts, skipped = passed.get(timeout=3600)
    finally:
        stop.set()
    results: dict[int, Latencies] = dict(told.get(timeout=60) for _ in writers)
    for process in (*writers, keeper):
        process.join()
    during = [spent for taken in results.values() for at, spent in taken if begun - spent <= at <= ended]
    alone = [spent for taken in results.values() for at, spent in taken if at < begun - 1.0]
    missing = lost(url, scopes, {name: len(taken) for name, taken in results.items()})
    report.row(
        records=count,
        scopes=scopes,
        wall=ended - begun,
        cpu=used,
        peak=peak,
        grown=peak - before,
        done=sum(counts.values()),
        skipped=skipped,
        writes=len(during),
        **{name: value * 1000 for name, value in _waits(during).items()},
        **{f"{name}_alone": value * 1000 for name, value in _waits(alone).items()},
        lost=missing,
    )
    report.target(f"{count} records: writes lost", missing, at_most=0)
    ratio = percentile(during, 0.5) / percentile(alone, 0.5)
    report.target(f"{count} records: a writer's median wait beside the pass / alone", ratio, at_most=3.0)
    return float(peak)


def main() -> None:
    """Measure both sizes and show the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=50_000)
    parser.add_argument("--scope-size", type=int, default=1000)
    parser.add_argument("--url", help="an empty store for the large run alone, instead of SQLite files for both")
    given = parser.parse_args()
    report = Report("maintenance beside writers")
    if given.url:
        measure(given.large, given.scope_size, given.url, report)
    else:
        with tempfile.TemporaryDirectory() as folder:
            peaks = [
                measure(count, given.scope_size, f"sqlite:///{Path(folder) / name}.db", report)
                for name, count in (("small", given.small), ("large", given.large))
            ]
        report.target("peak memory of the pass, large store / small store", peaks[1] / peaks[0], at_most=1.15)
    report.show()


if __name__ == "__main__":
    main()
