"""Fit the constants of relevance: how probable it is that what recall finds answers the question.

    python -m benchmarks.calibrate [--data DIR] [--embedder e5|use|none] [--lost 0.05]

Questions are asked of stores that hold their answer and of stores that do not: LongMemEval's evidence and MemoryBank's people in both
languages and across them (both MIT), and our own pairs. The model is logistic in the figures of the best record (its own choice of best,
found in turns); its bias is then set so that at `min_relevance` of the settings a given share of the answerable questions is lost. Only
text that we wrote or that is MIT goes in; the sets that quality.py measures do not.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets
from benchmarks.quality import SCOPE, Asking, embedder_named
from benchmarks.report import Report
from satchel.engine.settings import Settings
from satchel.engine.text.segmenting import wide_share
from satchel.ports import Embedder

Floats = NDArray[np.float64]

FIGURES = ("bias", "cosine", "coverage", "mismatch")
_CONSIDERED = 50
_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Trial:
    """A store, and questions that it answers or does not."""

    group: str
    texts: list[str]
    answerable: list[str]
    unanswerable: list[str]


@dataclass(frozen=True, slots=True)
class Example:
    """One question of one store: a row of figures a record found."""

    group: str
    answerable: bool
    figures: Floats


def trials(folder: Path) -> Iterator[Trial]:
    """Yield every trial."""
    pools = list(datasets.longmemeval(folder))
    for place, pool in enumerate(pools):
        others = pools[(place + 1) % len(pools)]
        yield Trial("longmemeval", pool.texts, [asked.question for asked in pool.asked], [asked.question for asked in others.asked])
    people = {language: datasets.memorybank(folder, language) for language in ("cn", "en")}
    for asked, held in (("cn", "cn"), ("en", "en"), ("cn", "en"), ("en", "cn")):
        yield from _of_people(f"memorybank {asked} of {held}", people[asked], people[held])
    yield from _of_own_pairs([text for language in people for person in people[language] for text in person.texts[:8]])


def _of_people(group: str, asking: Sequence[datasets.Person], held: Sequence[datasets.Person]) -> Iterator[Trial]:
    count = len(held)
    for place in range(0, count, 2):
        here = [place, (place + 1) % count]
        elsewhere = [(place + 3) % count, (place + 6) % count]
        yield Trial(
            group,
            [text for one in here for text in held[one].texts],
            [question for one in here for question in asking[one].questions],
            [question for one in elsewhere for question in asking[one].questions],
        )


def _of_own_pairs(filling: list[str]) -> Iterator[Trial]:
    pairs = datasets.rows("calibration.tsv")
    for half in (0, 1):
        here, elsewhere = pairs[half::2], pairs[1 - half :: 2]
        yield Trial("own", [memory for memory, _ in here] + filling, [asked for _, asked in here], [asked for _, asked in elsewhere])


def examples(folder: Path, embedder: Embedder | str) -> Iterator[Example]:
    """Ask everything and yield the figures."""
    for trial in trials(folder):
        with Asking(trial.texts, embedder) as asking:
            for answerable, questions in ((True, trial.answerable), (False, trial.unanswerable)):
                for question in questions:
                    yield Example(trial.group, answerable, _figures(asking, question))


def _figures(asking: Asking, question: str) -> Floats:
    hits = asking.memory.recall(question, scope=SCOPE, limit=_CONSIDERED, touch=False, min_relevance=0.0)
    asked = wide_share(question)
    rows = [[1.0, hit.reasons["semantic"], hit.reasons["lexical"], _mismatch(asked, hit.record.content)] for hit in hits]
    return np.array(rows or [[1.0, 0.0, 0.0, 0.0]])


def _mismatch(asked: float | None, content: str) -> float:
    return 0.0 if asked is None else abs((wide_share(content) or 0.0) - asked)


def fit(given: Sequence[Example], used: NDArray[np.bool_]) -> Floats:
    """Return the weights of the figures: logistic regression on each question's best record, best by the weights so far."""
    answers = np.array([example.answerable for example in given], np.float64)
    importance = _importance(given)
    weights = np.where(used, [-3.0, 5.0, 3.0, 0.0], 0.0)
    for _ in range(_ROUNDS):
        best = np.stack([example.figures[np.argmax(example.figures @ weights)] for example in given])
        for _ in range(20):
            probable = 1.0 / (1.0 + np.exp(-best @ weights))
            slope = best.T @ (importance * (answers - probable))
            curve = (best * (importance * probable * (1.0 - probable))[:, None]).T @ best + 1e-5 * np.eye(len(weights))
            weights = weights + np.where(used, np.linalg.solve(curve[np.ix_(used, used)], slope[used]) @ np.eye(len(weights))[used], 0.0)
    return np.asarray(weights)


def _importance(given: Sequence[Example]) -> Floats:
    """Return weights that make every group, and in it both answers, count the same."""
    keys = [(example.group, example.answerable) for example in given]
    share = np.array([1.0 / keys.count(key) for key in keys])
    return np.asarray(share / share.sum())


def best_scores(given: Sequence[Example], weights: Floats) -> Floats:
    """Return each question's best log-odds."""
    return np.array([float((example.figures @ weights).max()) for example in given])


def main() -> None:
    """Fit and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=datasets.DEFAULT_FOLDER)
    parser.add_argument("--embedder", default="e5")
    parser.add_argument("--lost", type=float, default=0.05, help="share of answerable questions, within one language, that may be lost")
    arguments = parser.parse_args()
    used = np.array([True, arguments.embedder != "none", True, arguments.embedder != "none"])
    given = [
        example
        for example in examples(arguments.data, embedder_named(arguments.embedder))
        if arguments.embedder != "none" or ("cn of en" not in example.group and "en of cn" not in example.group)
    ]
    weights = fit(given, used)
    within = np.array(["cn of en" not in example.group and "en of cn" not in example.group for example in given])
    answerable = np.array([example.answerable for example in given])
    least = Settings().min_relevance
    scores = best_scores(given, weights)
    bound = float(np.quantile(scores[within & answerable], arguments.lost))
    weights[0] += np.log(least / (1.0 - least)) - bound
    tell(given, scores - bound, weights, arguments.embedder)


def tell(given: Sequence[Example], beyond: Floats, weights: Floats, embedder: str) -> None:
    """Show the constants, and what each group loses and lets through; `beyond` is above 0 where something is found."""
    report = Report(f"calibration {embedder}")
    report.row(**{name: round(float(weight), 2) for name, weight in zip(FIGURES, weights, strict=True)})
    report.show()
    curve = Report(f"calibration {embedder} by group")
    for group in dict.fromkeys(example.group for example in given):
        here = np.array([example.group == group for example in given])
        answerable = np.array([example.answerable for example in given])
        lost, silent = float((beyond[here & answerable] < 0).mean()), float((beyond[here & ~answerable] < 0).mean())
        curve.row(group=group, questions=int(here.sum()), **{"answerable lost": lost, "unanswerable with nothing": silent})
    curve.show()


if __name__ == "__main__":
    main()
