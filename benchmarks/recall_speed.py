"""Recall in a scope of 10,000 records: beside the bare arithmetic, and inside a store of 1,000,000 beside a store of that scope alone.

    python -m benchmarks.recall_speed [--scopes 100] [--records 10000] [--queries 1000] [--dir FOLDER]

The floor is what any exact search must do: one product of the same float32 matrix with the question's vector on one thread, and the
places of the eight greatest. Recall does more: it reads the scopes' positions, searches words, filters, ranks by the default policy,
reads eight records from the file, explains them and notes their use. Embedding is apart: vectors are looked up. The answer cache is
off. A cold scope (its index built from the file) is reported apart. Stores are made once and kept in FOLDER.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the floor is one thread's; recall keeps to one by itself

import argparse
import itertools
import random
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray

from benchmarks import texts
from benchmarks.report import Report, milliseconds, percentile
from benchmarks.standin import StandIn
from satchel.engine.core import Core, Principal
from satchel.engine.index.embedding import open_index, reindex
from satchel.engine.index.vectors import pack_vectors
from satchel.engine.recall.recalling import Recaller
from satchel.engine.settings import Settings
from satchel.engine.text.segmenting import pack_terms
from satchel.operations.models import RecallRequest, ReindexRequest
from satchel.ports import Batch, LogEntry, Put, Store
from satchel.protocol.record import MemoryRecord
from satchel.stores.sqlite import SQLiteStore

LIMIT = 8
TARGET = "user:bench042"
TYPES = ("fact", "preference", "task", "interaction", "skill", "profile")
NOW = datetime(2026, 6, 1, tzinfo=UTC)
COLD = 5
PROCESSOR = ", processor"


def vectors_of(scope: int, count: int) -> NDArray[np.float32]:
    """Return the scope's unit vectors."""
    drawn = np.random.default_rng(scope).standard_normal((count, StandIn.dimension), dtype=np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)


def puts_of(scope: int, count: int) -> Iterator[Put]:
    """Yield the writes that fill one scope: records of every type and of the last year."""
    rng = random.Random(scope)
    stored = pack_vectors(vectors_of(scope, count))
    for number, text in enumerate(texts.memories(count, scope)):
        moment = NOW - timedelta(seconds=rng.randrange(365 * 86_400))
        record = MemoryRecord(
            id=f"{rng.getrandbits(64):016x}",
            scope=f"user:bench{scope:03}",
            content=text,
            type=rng.choice(TYPES),
            score=rng.uniform(0.3, 1.0),
            half_life=5e6,
            created_at=moment,
            stored_at=NOW - timedelta(days=rng.randrange(30)),
            updated_at=moment,
            tags=(rng.choice(("work", "home")),),
        )
        yield Put(record, LogEntry("remember", "bench", NOW), terms=pack_terms(text), vector=stored[number])


def filled(path: Path, scopes: list[int], count: int) -> Store:
    """Open the store, made first where it is not there yet."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        making = path.with_suffix(".making")
        making.unlink(missing_ok=True)
        store = SQLiteStore(making)
        reindex(core_over(store), Principal(), ReindexRequest())  # records whose vectors these will be
        for done, scope in enumerate(scopes, start=1):
            batch = puts_of(scope, count)
            while part := list(itertools.islice(batch, 2000)):
                store.apply(Batch(part))
            print(f"\r{path.name}: {done}/{len(scopes)} scopes", end="", flush=True)
        print()
        store.close()
        making.rename(path)
    return SQLiteStore(path)


def core_over(store: Store) -> Core:
    """Return an engine's core that looks vectors up and repeats no answer."""
    return Core(store, StandIn(), lambda: NOW, Settings(answer_cache_seconds=0))


def questions(count: int, records: int) -> list[str]:
    """Return distinct questions: pieces of what is remembered, whole questions, and two things at once; Chinese and English."""
    rng = random.Random(7)
    known = list(texts.memories(records, 42))
    asked: dict[str, None] = {}
    for question in texts.questions(100 * count):
        text = rng.choice(known)
        start = rng.randrange(max(1, len(text) - 12))
        piece = text[start : start + rng.randrange(2, 14)].strip()
        asked[rng.choice([question, piece or question, f"{question} {piece}"])] = None
        if len(asked) == count:
            break
    return list(asked)


def asking(recaller: Recaller, queries: list[str]) -> Callable[[], object]:
    """Return a call that asks the next question each time."""
    turn = itertools.cycle(RecallRequest(query=query, scope=TARGET, limit=LIMIT) for query in queries)
    principal = Principal()
    return lambda: recaller.recall(principal, next(turn))


def cold(store: Store, query: str) -> list[float]:
    """Return seconds of a first question, its scope's index not in memory yet."""
    spent = []
    for _ in range(COLD):
        recaller = Recaller(core_over(store))
        ask = asking(recaller, [query])
        started = time.perf_counter()
        ask()
        spent.append(time.perf_counter() - started)
        recaller.close()
    return spent


def warm(stores: dict[str, Store], queries: list[str], records: int) -> dict[str, list[float]]:
    """Return seconds of every question for the floor and for each store, asked in turn so that a machine that drifts harms all alike.

    Names that end in `, processor` hold this thread's processor time, which says more where the machine is busy with other things.
    """
    matrix = np.concatenate([vectors_of(42, records).astype("<f2").astype(np.float32)])
    embedder = StandIn()
    vectors = itertools.cycle(list(embedder.embed_queries(queries)))

    def floor() -> object:
        products = matrix @ next(vectors)
        return np.argpartition(products, len(products) - LIMIT)[-LIMIT:]

    recallers = {name: Recaller(core_over(store)) for name, store in stores.items()}
    works: dict[str, Callable[[], object]] = {"floor": floor} | {name: asking(one, queries) for name, one in recallers.items()}
    for recaller in recallers.values():  # both rounds of embedding and of building the index are over before the clock starts
        ask = asking(recaller, queries)
        for _ in queries:
            ask()
    spent: dict[str, list[float]] = {name + kind: [] for name in works for kind in ("", PROCESSOR)}
    order = list(works)
    for _ in queries:
        for name in order:
            started, busy = time.perf_counter(), time.thread_time()
            works[name]()
            spent[name + PROCESSOR].append(time.thread_time() - busy)
            spent[name].append(time.perf_counter() - started)
        order.append(order.pop(0))  # no store is always the one after the floor
    for recaller in recallers.values():
        recaller.close()
    return spent


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scopes", type=int, default=100)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--dir", type=Path, default=platformdirs.user_cache_path("satchel") / "bench")
    arguments = parser.parse_args()
    records, count = arguments.records, max(arguments.scopes, 43)
    stores = {
        "alone": filled(arguments.dir / f"recall-1x{records}.db", [42], records),
        "inside": filled(arguments.dir / f"recall-{count}x{records}.db", list(range(count)), records),
    }
    for store in stores.values():
        open_index(core_over(store))
    queries = questions(arguments.queries, records)
    report = Report("recall speed")
    first = {name: cold(store, queries[0]) for name, store in stores.items()}
    spent = warm(stores, queries, records)
    floor = spent["floor"]
    names = {"floor": "product and top 8", "alone": "recall, the scope alone", "inside": f"recall, inside {count * records:,}"}
    for name, what in names.items():
        seconds, busy = spent[name], spent[name + PROCESSOR]
        ratios = {
            "p50 / floor": statistics.median(seconds) / statistics.median(floor),
            "p95 / floor": percentile(seconds, 0.95) / percentile(floor, 0.95),
            "processor p50 ms": statistics.median(busy) * 1000,
            "processor p50 / floor": statistics.median(busy) / statistics.median(spent["floor" + PROCESSOR]),
        }
        report.row(work=what, queries=len(seconds), **milliseconds(seconds), **ratios)
    for name, seconds in first.items():
        report.row(work=f"cold, {names[name]}", queries=len(seconds), **milliseconds(seconds))
    inside, alone = spent["inside"], spent["alone"]
    report.target("p50, inside / floor", statistics.median(inside) / statistics.median(floor), at_most=4)
    report.target("p95, inside / floor", percentile(inside, 0.95) / percentile(floor, 0.95), at_most=8)
    report.target("p50, inside / alone", statistics.median(inside) / statistics.median(alone), at_most=1.3)
    report.target("p95, inside / alone", percentile(inside, 0.95) / percentile(alone, 0.95), at_most=1.3)
    report.show()
    for store in stores.values():
        store.close()


if __name__ == "__main__":
    main()
