"""Recall with the vectors in an external index, beside the vectors in memory: search, copying, and the memory of the process.

    python -m benchmarks.indexes [--records 10000 100000] [--queries 100] [--dir FOLDER] [--only NAME ...]

One scope in one SQLite file. Each index has a process of its own, asks the same questions as the built-in vectors, and tells how much of
the built-in answer it finds. Embedding is apart: vectors are looked up. The answer cache is off. The ratio is to the built-in p50 of the
same run. Memory is what the process holds more than before it opened anything; engines in this process are in it, servers are not.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import platformdirs

from benchmarks.recall_speed import TARGET, core_over, filled, questions
from benchmarks.report import Report, milliseconds

INDEXES = {"built in": None, "qdrant-edge": "qdrant:///{folder}", "chroma": "chroma:///{folder}", "milvus-lite": "milvus:///{folder}.db"}
LIMIT = 8


def resident() -> float:
    """Return the MiB that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(name: str, path: Path, records: int, count: int, folder: Path) -> dict[str, Any]:
    """Ask the questions of one index, and return what they took and found."""
    from dataclasses import replace

    from satchel import registry
    from satchel.engine.core import Principal
    from satchel.engine.index.embedding import open_index, reindex
    from satchel.engine.index.external import ExternalIndex
    from satchel.engine.recall.recalling import Recaller
    from satchel.operations.models import RecallRequest, ReindexRequest
    from satchel.stores.sqlite import SQLiteStore

    queries = questions(count, records)
    before = resident()
    core = core_over(SQLiteStore(path))
    url = INDEXES[name]
    if url is not None:
        scheme = url.partition(":")[0]
        part = f"{scheme}:///" if f"{scheme}:///" in registry.INDEXES else scheme
        index = registry.load(registry.INDEXES, part, kind="vector index", field="index")(url.format(folder=folder))
        core = replace(core, external=ExternalIndex(index, core.store, core.notes))
    open_index(core)
    started = time.perf_counter()
    if core.external is not None:
        done = reindex(core, Principal(), ReindexRequest(everything=False))
        while done.uncopied:
            done = reindex(core, Principal(), ReindexRequest(resume=True))
    copying = time.perf_counter() - started
    recaller = Recaller(core)
    spent, found = [], []
    for turn in range(2):
        for query in queries:
            started = time.perf_counter()
            hits = recaller.search(Principal(), _request(query)) if turn else recaller.recall(Principal(), _recall(RecallRequest, query))
            if turn:
                spent.append(time.perf_counter() - started)
                found.append([hit.record.id for hit in hits.hits])
    held = resident() - before
    recaller.close()
    if core.external is not None:
        core.external.close()
    core.store.close()
    return {"seconds": spent, "found": found, "copying": copying, "resident": held}


def _recall(kind: Any, query: str) -> Any:
    return kind(query=query, scope=TARGET, limit=LIMIT)


def _request(query: str) -> Any:
    from satchel.operations.models import SearchRequest

    return SearchRequest(query=query, scope=TARGET, limit=LIMIT)


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--dir", type=Path, default=platformdirs.user_cache_path("satchel") / "bench")
    parser.add_argument("--only", nargs="+", choices=list(INDEXES), default=list(INDEXES))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        records = arguments.records[0]
        folder = arguments.dir / f"index-{arguments.one.replace(' ', '-')}"
        for left in (folder, folder.with_suffix(".db")):
            shutil.rmtree(left, ignore_errors=True)
        told = measure(arguments.one, arguments.dir / f"recall-1x{records}.db", records, arguments.queries, folder)
        print(json.dumps(told))
        return
    report = Report("external indexes")
    for records in arguments.records:
        filled(arguments.dir / f"recall-1x{records}.db", [42], records).close()
        base: dict[str, Any] = {}
        for name in ["built in", *(name for name in arguments.only if name != "built in")]:
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.indexes", "--one", name, "--records", str(records)]
            command += ["--queries", str(arguments.queries), "--dir", str(arguments.dir)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            told = json.loads(done.stdout.splitlines()[-1])
            base = base or told
            same = [len(set(ours) & set(theirs)) / max(1, len(theirs)) for ours, theirs in zip(told["found"], base["found"], strict=True)]
            report.row(
                work=name,
                records=records,
                **milliseconds(told["seconds"]),
                **{
                    "p50 / built in": statistics.median(told["seconds"]) / statistics.median(base["seconds"]),
                    "same hits": statistics.mean(same),
                    "copied/s": records / told["copying"] if name != "built in" else "",
                    "memory MiB": told["resident"],
                },
            )
    report.show()


if __name__ == "__main__":
    main()
