"""Embedding of a question and of a thousand memories by each embedder that is installed, on one thread.

    python -m benchmarks.embedding [--passages 1000]

Seconds of processor time stand beside wall time, for a busy machine spoils the latter.
"""

from __future__ import annotations

import argparse
import statistics
import time

from benchmarks import texts
from benchmarks.report import Report, timed
from satchel.errors import Unsupported
from satchel.ports import Embedder
from satchel.registry import EMBEDDERS, load

SPECS = ("e5", "use")


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=1000)
    arguments = parser.parse_args()
    report = Report("embedding")
    passages, questions = list(texts.memories(arguments.passages)), list(texts.questions(50))
    for spec in SPECS:
        try:
            embedder: Embedder = load(EMBEDDERS, spec, kind="embedder", field="embedder")("")
            first = timed(lambda embedder=embedder: embedder.embed_queries(["第一次"]))  # type: ignore[misc]
        except (Unsupported, ImportError) as error:
            report.row(embedder=f"{spec}: {error}")
            continue
        assert embedder is not None
        singles = [timed(lambda q=question, e=embedder: e.embed_queries([q])) for question in questions]  # type: ignore[misc]
        cpu, wall = time.process_time(), time.perf_counter()
        embedder.embed_passages(passages)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        report.row(
            embedder=embedder.name,
            **{
                "first s": first,
                "question ms": statistics.median(singles) * 1000,
                "passages": len(passages),
                "wall s": wall,
                "processor s": cpu,
                "passages per processor s": len(passages) / cpu,
            },
        )
    report.show()


if __name__ == "__main__":
    main()
