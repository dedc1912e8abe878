"""What comparing costs a writer: processor time a record, comparing against not, by the size of the scope, single and in batches.

    python -m benchmarks.comparing_cost [--sizes 1000 10000 100000] [--texts unlike alike] [--profile]

`unlike`: texts of words drawn from thousands. `alike`: texts from a few templates, where each shares most words with thousands of others.
Both lanes run in one process in turn, on SQLite files and without an embedder; the disk's time is not counted.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from benchmarks import texts
from benchmarks.report import Report
from satchel import open_memory
from satchel.operations.memory import Memory

SCOPE = "user:bench"
BATCH = 1000
SINGLES = 300
BATCHES = 3
_SYLLABLES = [first + last for first in "b c d f g h k l m n p r s t v w z".split() for last in "a e i o u ai ou".split()]  # noqa: SIM905
_HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]


def unlike(count: int, seed: int = 1) -> Iterator[str]:
    """Yield texts of about 40 characters whose words are drawn from thousands, three quarters of them Chinese."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(_SYLLABLES, k=3)) for _ in range(8000)]
    pairs = ["".join(chance.choices(_HAN, k=2)) for _ in range(8000)]
    for _ in range(count):
        if chance.random() < 0.75:
            yield f"用户{chance.choice(pairs)}的{''.join(chance.choices(pairs, k=4))}在{''.join(chance.choices(pairs, k=3))}"
        else:
            yield f"The {' '.join(chance.choices(words, k=3))} of {' '.join(chance.choices(words, k=3))}"


TEXTS: dict[str, Callable[[int, int], Iterator[str]]] = {"unlike": unlike, "alike": texts.memories}


def _spent(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _filled(size: int, kind: str, folder: Path) -> dict[bool, Memory]:
    """Return a memory that compares and one that does not, on copies of a store with so many records in the scope."""
    held = list(TEXTS[kind](size, 1))
    paths = {compare: folder / f"{kind}-{size}-{compare}.db" for compare in (False, True)}
    with _opened(paths[False], compare=False) as memory:  # only what is written later is measured
        for start in range(0, size, BATCH):
            memory.remember_many(held[start : start + BATCH], scope=SCOPE)
    shutil.copy(paths[False], paths[True])
    return {compare: _opened(path, compare=compare) for compare, path in paths.items()}


def _opened(path: Path, *, compare: bool) -> Memory:
    return open_memory(f"sqlite:///{path}", agent="bench", embedder="none", settings={"compare": compare})


def measure(report: Report, size: int, kind: str, folder: Path, profile: cProfile.Profile | None) -> None:
    """Add the rows of one size."""
    opened = _filled(size, kind, folder)
    more = iter(TEXTS[kind](10**9, 7)) if kind == "alike" else iter(unlike(10**9, 1 + size))
    spent = {True: 0.0, False: 0.0}
    single = {True: 0.0, False: 0.0}
    for turn in range(BATCHES + 1):
        batch = list(islice(more, BATCH))
        for compare, memory in opened.items():
            if profile is not None and compare and turn:
                profile.enable()
            took = _spent(lambda memory=memory, batch=batch: memory.remember_many(batch, scope=SCOPE))  # type: ignore[misc]
            if profile is not None:
                profile.disable()
            spent[compare] += took if turn else 0.0  # the first warms up
    for text in islice(more, SINGLES):
        for compare, memory in opened.items():
            single[compare] += _spent(lambda memory=memory, text=text: memory.remember(text, scope=SCOPE))  # type: ignore[misc]
    for what, sums, count in (("batches of 1,000", spent, BATCHES * BATCH), ("one at a time", single, SINGLES)):
        on, off = (sums[compare] / count * 1e6 for compare in (True, False))
        report.row(texts=kind, scope=size, work=what, **{"compared µs": on, "not compared µs": off, "ratio": on / off})
        if kind == "unlike" and what != "one at a time":
            report.target(f"{size:,} in the scope, {what}: comparing / not", on / off, at_most=1.5)
    for memory in opened.values():
        memory.close()


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--texts", nargs="+", choices=tuple(TEXTS), default=list(TEXTS))
    parser.add_argument("--profile", action="store_true", help="print where comparing spends its time")
    arguments = parser.parse_args()
    report = Report("cost of comparing")
    profile = cProfile.Profile() if arguments.profile else None
    with tempfile.TemporaryDirectory() as place:
        for kind in arguments.texts:
            for size in arguments.sizes:
                measure(report, size, kind, Path(place), profile)
    report.show()
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
