"""Many clients at once on one service: reads and writes mixed, a memory ceiling, and an exporter that reads slowly.

    python -m benchmarks.load [--clients 64] [--seconds 60] [--embedder none]

The service is a process of its own on a SQLite file. Each client keeps eight memories in a scope of its own, in Chinese and
English: it recalls, lists, writes, corrects, and forgets its oldest, so that the store does not grow and neither must the service.
In the second half one more client reads an export of everything as slowly as a bad line would. Any error counts, whatever its kind.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from benchmarks import texts
from benchmarks.report import Report, percentile
from satchel.client import AsyncHttpMemory
from satchel.errors import SatchelError

T = TypeVar("T")

KEPT = 8
"""Memories that each client keeps."""

EVERYONE = "user:everyone"
EXPORTED = 4000
"""Memories in the scope that the slow exporter reads."""

MIX = {"recall": 12, "remember": 4, "list": 2, "correct": 1}
"""How often a client does what; it forgets as often as it remembers."""


@dataclass
class Load:
    """What a run showed. Seconds by verb, in two halves: without and with the slow exporter; memory of the service in MiB."""

    spent: dict[str, tuple[list[float], list[float]]] = field(default_factory=lambda: defaultdict(lambda: ([], [])))
    errors: Counter[str] = field(default_factory=Counter)
    memory: list[float] = field(default_factory=list)
    exported: int = 0

    @property
    def done(self) -> int:
        """How many requests were answered."""
        return sum(len(half) for halves in self.spent.values() for half in halves)

    @property
    def growth(self) -> float:
        """MiB that the service grew by from the median of the second quarter to that of the last."""
        quarter = max(1, len(self.memory) // 4)
        return statistics.median(self.memory[-quarter:]) - statistics.median(self.memory[quarter : 2 * quarter])


def memory_of(process: int) -> float:
    """Return the resident memory of a process in MiB."""
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True, check=True)
    return int(told.stdout) / 1024


@contextmanager
def service(store: Path, embedder: str) -> Iterator[tuple[str, int]]:
    """Start a service; yield its address and its process."""
    words = ["serve", "--port", "0", "--json", "--rate", "1000000", "--no-mcp", "--maintain-every", "never"]
    place = ["--store", f"sqlite:///{store}", "--embedder", embedder]
    process = subprocess.Popen([sys.executable, "-m", "satchel", *words, *place], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"], process.pid
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout is not None:
            process.stdout.close()


async def _client(number: int, url: str, until: float, load: Load, half: Callable[[], int]) -> None:
    chance = random.Random(number)
    contents = texts.memories(1_000_000, 7000 + number)
    scope = f"user:load{number}"
    held: deque[str] = deque()

    async def timed(verb: str, asked: Awaitable[T]) -> T | None:
        started = time.perf_counter()
        try:
            answer = await asked
        except SatchelError as error:
            load.errors[f"{verb}: {error.code}: {error}"[:200]] += 1
            return None
        load.spent[verb][half()].append(time.perf_counter() - started)
        return answer

    async with AsyncHttpMemory(url, agent=f"client-{number}") as memory:
        while time.monotonic() < until:
            verb = chance.choices(list(MIX), list(MIX.values()))[0] if held else "remember"
            if verb == "recall":
                await timed(verb, memory.recall(next(contents)[:40], scope=[scope, EVERYONE], limit=5))
            elif verb == "list":
                await timed(verb, memory.records(scope=scope, limit=20))
            elif verb == "correct":
                corrected = await timed(verb, memory.correct(held[-1], next(contents), scope=scope))
                if corrected is not None:
                    held[-1] = corrected.record.id
            else:
                done = await timed(verb, memory.remember(next(contents), scope=scope))
                if done is not None and done.record.id not in held:
                    held.append(done.record.id)
                if len(held) > KEPT:
                    await timed("forget", memory.forget(held.popleft(), scope=scope))


async def _slow_exporter(url: str, start: float, until: float, load: Load) -> None:
    await asyncio.sleep(max(0.0, start - time.monotonic()))
    async with AsyncHttpMemory(url, agent="exporter") as memory:
        from satchel.operations.models import ExportRequest

        while time.monotonic() < until:
            async for chunk in memory.export_chunks(ExportRequest(scope=[EVERYONE])):
                load.exported += len(chunk)
                if time.monotonic() >= until:
                    return
                await asyncio.sleep(0.2)


async def _watch(process: int, until: float, load: Load) -> None:
    while time.monotonic() < until:
        load.memory.append(await asyncio.to_thread(memory_of, process))
        await asyncio.sleep(0.5)


async def _all(url: str, process: int, clients: int, seconds: float) -> Load:
    load = Load()
    async with AsyncHttpMemory(url, agent="before") as memory:
        contents = texts.memories(EXPORTED, 1)
        for _ in range(EXPORTED // 500):
            await memory.remember_many([next(contents) for _ in range(500)], scope=EVERYONE)
    now = time.monotonic()
    middle, until = now + seconds / 2, now + seconds

    def half() -> int:
        return int(time.monotonic() >= middle)

    work = [_client(number, url, until, load, half) for number in range(clients)]
    await asyncio.gather(*work, _slow_exporter(url, middle, until, load), _watch(process, until, load))
    return load


def run(store: Path, *, clients: int, seconds: float, embedder: str = "none") -> Load:
    """Put a service on a new store under load; return what it showed."""
    with service(store, embedder) as (url, process):
        return asyncio.run(_all(url, process, clients, seconds))


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--embedder", default="none")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        load = run(Path(place) / "load.db", clients=arguments.clients, seconds=arguments.seconds, embedder=arguments.embedder)
    report = Report("load")
    for verb, halves in sorted(load.spent.items()):
        for half, name in zip(halves, ("", "beside a slow export"), strict=True):
            if half:
                figures = {f"p{share}": f"{percentile(half, share / 100) * 1000:.1f}" for share in (50, 95, 99)}
                report.row(verb=verb, when=name, requests=len(half), **{f"{name} ms": value for name, value in figures.items()})
    alone, beside = load.spent["recall"]
    report.target("errors", sum(load.errors.values()), at_most=0)
    report.target("recall p50 beside a slow export / without", statistics.median(beside) / statistics.median(alone), at_most=1.3)
    report.target("growth after warm-up, MiB", load.growth, at_most=32)
    report.target("peak memory, MiB", max(load.memory), at_most=400)
    report.row(verb="all", when=f"{load.done / arguments.seconds:,.0f} a second", requests=load.done)
    report.show()
    for told, count in load.errors.most_common(10):
        print(f"{count} x {told}")


if __name__ == "__main__":
    main()
