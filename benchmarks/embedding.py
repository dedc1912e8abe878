"""Embedding of a question and of a thousand memories by each embedder that is installed, on one thread; and what halving vectors costs.

    python -m benchmarks.embedding [--passages 1000]

Times are the processor's, for a busy machine spoils the clock's; that of the passages stands beside. `e5` and `e5-onnx` embed the same
texts in turn; their vectors are compared, language means taken off as they are stored. Memory is what a process of its own grew by when
the model was loaded and passages embedded. Stored vectors are half precision: the nearest ten of the memories are compared with those in
single precision. The kernel that numpy multiplies with is named, for OPENBLAS_CORETYPE changes it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import time
from pathlib import Path

import numpy as np

from benchmarks import texts
from benchmarks.report import Report, busy
from satchel.errors import Unsupported
from satchel.ports import Embedder, Vectors
from satchel.registry import EMBEDDERS, load

SPECS = ("e5", "e5-onnx", "use")
ROUNDS = 4


def opened(spec: str) -> Embedder:
    """Return an embedder."""
    embedder: Embedder = load(EMBEDDERS, spec, kind="embedder", field="embedder")("")
    return embedder


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if Path("/proc/self/statm").exists() else 0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_048_576


def _alone(spec: str, count: int, answers: multiprocessing.Queue[dict[str, float | str]]) -> None:
    try:
        before = _resident_mib()
        embedder = opened(spec)
        first = busy(lambda: embedder.embed_queries(["第一次"]))
        embedder.embed_passages(list(texts.memories(count)))
        answers.put({"first, processor s": first, "memory MiB": _resident_mib() - before})
    except (Unsupported, ImportError) as error:
        answers.put({"embedder": f"{spec}: {error}"})


def alone(spec: str, count: int) -> dict[str, float | str]:
    """Load an embedder in a process of its own; return the processor time to its first vector, and its memory."""
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[dict[str, float | str]] = context.Queue()
    process = context.Process(target=_alone, args=(spec, min(count, 300), answers))
    process.start()
    found = answers.get(timeout=600)
    process.join()
    return found


def throughput(embedders: dict[str, Embedder], passages: list[str]) -> dict[str, tuple[float, float, Vectors]]:
    """Embed the passages with each in turn, part by part; return processor time, wall time and vectors."""
    spent = dict.fromkeys(embedders, (0.0, 0.0))
    vectors: dict[str, list[Vectors]] = {spec: [] for spec in embedders}
    size = -(-len(passages) // ROUNDS)
    for start in range(0, len(passages), size):
        for spec, embedder in embedders.items():
            cpu, wall = time.process_time(), time.perf_counter()
            vectors[spec].append(embedder.embed_passages(passages[start : start + size]))
            before = spent[spec]
            spent[spec] = before[0] + time.process_time() - cpu, before[1] + time.perf_counter() - wall
    return {spec: (*spent[spec], np.concatenate(vectors[spec])) for spec in embedders}


def halved(questions: Vectors, passages: Vectors) -> tuple[float, float]:
    """Return what share of the nearest ten stays among the ten when passages are kept in half precision, and of the nearest one."""
    whole = np.argsort(-(questions @ passages.T), axis=1, kind="stable")[:, :10]
    half = np.argsort(-(questions @ passages.astype("<f2").astype(np.float32).T), axis=1, kind="stable")[:, :10]
    ten = float(np.mean([len(set(a) & set(b)) / 10 for a, b in zip(whole, half, strict=True)]))
    return ten, float(np.mean(whole[:, 0] == half[:, 0]))


def kernel() -> str:
    """Name the kernel that numpy multiplies with."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return os.environ.get("OPENBLAS_CORETYPE", "numpy's own choice")
    return ", ".join(f"{found['internal_api']} {found.get('architecture', '')}".strip() for found in threadpool_info())


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=1000)
    arguments = parser.parse_args()
    report = Report("embedding")
    passages, questions = list(texts.memories(arguments.passages)), list(texts.questions(50))
    loaded = {spec: alone(spec, arguments.passages) for spec in SPECS}
    embedders = {spec: opened(spec) for spec, found in loaded.items() if "embedder" not in found}
    for embedder in embedders.values():
        embedder.embed_queries(["第一次"])
    found = throughput(embedders, passages)
    for spec, start in loaded.items():
        if spec not in embedders:
            report.row(**start)
            continue
        embedder = embedders[spec]
        singles = [busy(lambda q=question, e=embedder: e.embed_queries([q])) for question in questions]  # type: ignore[misc]
        cpu, wall, _ = found[spec]
        report.row(
            embedder=spec,
            **start,
            **{
                "question, processor ms": statistics.median(singles) * 1000,
                "passages": len(passages),
                "wall s": wall,
                "processor s": cpu,
                "passages per processor s": len(passages) / cpu,
            },
        )
    if "e5-onnx" in found:
        cosines = (found["e5"][2] * found["e5-onnx"][2]).sum(axis=1)
        report.target("e5-onnx / e5, passages per processor second", found["e5"][0] / found["e5-onnx"][0], at_least=4)
        report.target("cosine of e5-onnx with e5, mean", float(cosines.mean()), at_least=0.99)
        report.target("cosine of e5-onnx with e5, least", float(cosines.min()), at_least=0.985)
    ten, one = halved(embedders["e5"].embed_queries(questions), found["e5"][2])
    report.target("half precision: of the nearest ten, kept", ten, at_least=0.99)
    report.target("half precision: the nearest stays the nearest", one, at_least=0.98)
    print("numpy multiplies with", kernel())
    report.show()


if __name__ == "__main__":
    main()
