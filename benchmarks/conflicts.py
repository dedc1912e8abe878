"""How well duplicates, replacements and contradictions are told apart, without a language model.

    python -m benchmarks.conflicts [--half seen|unseen] [--data FOLDER] [--only pairs|letta|facts|updates|cases|talk]

`pairs`    memories drawn from templates (benchmarks.pairs): how many that say the same are merged, how many that differ are, wrongly.
`letta`    Letta's bench: facts about made-up people, then a fact that contradicts some of them. Found: superseded, or put up as a question.
`facts`    MemoryAgentBench's fact consolidation: numbered facts written in order, a later one overrides. Single-hop questions only.
`updates`  LongMemEval's questions about updated knowledge: the newer evidence above the older.
`cases`    memtrust's contradictions.
`talk`     conversations and diaries in which nothing should be merged or replaced: LoCoMo's turns, MemDaily's messages.

All but `pairs` need the public data sets in a folder (--data, or SATCHEL_DATA), each in a folder of its own; what is not there is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.pairs import DIFFERENT, pairs
from benchmarks.report import Report
from satchel import open_memory
from satchel.engine.comparing import compare
from satchel.operations.memory import Memory
from satchel.operations.models import Outcome, Remembered
from satchel.ports import Relation

SCOPE = "user:bench"
CONFLICT = {Outcome.SUPERSEDED, Outcome.PENDING}


def _opened(*, embedder: str = "none", compare: bool = True) -> Memory:
    return open_memory("memory://", agent="bench", embedder=embedder, settings={"compare": compare, "touch_on_recall": False})


def drawn(report: Report, half: Any) -> None:
    """Measure merging on one half of the drawn pairs."""
    found = pairs(half)
    merged: Counter[str] = Counter()
    for pair in found:
        is_same = compare(pair.first, pair.second).relation is Relation.SAME
        merged[f"{pair.language} {pair.kind}"] += is_same
    count = Counter(f"{pair.language} {pair.kind}" for pair in found)
    for name in count:
        report.row(set=f"pairs, {half}", what=name, n=count[name], merged=merged[name] / count[name])
    same = sum(pair.is_same for pair in found)
    missed = 1 - sum(merged[f"{language} paraphrase"] for language in ("en", "zh")) / same
    wrong = sum(merged[f"{language} {kind}"] for language in ("en", "zh") for kind in DIFFERENT) / (len(found) - same)
    report.target(f"pairs, {half}: wrong merges", wrong, at_most=0.01)
    report.target(f"pairs, {half}: missed merges", missed, at_most=0.30)


def letta(report: Report, folder: Path) -> None:
    """Measure detection of contradictions: recall by fact contradicted, precision by fact flagged."""
    items = [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]
    for name, some in (("even items, looked at", items[0::2]), ("odd items, not looked at", items[1::2])):
        hit = asked = flagged = right = newest = among = 0
        for item in some:
            for old, new in zip(item["supporting_fact_indices"], item["contradicting_facts"], strict=True):
                with _opened() as memory:
                    written = memory.remember_many(item["facts"], scope=SCOPE)
                    among += sum(one.outcome in CONFLICT for one in written)
                    done = memory.remember(new, scope=SCOPE)
                    expected = {written[place].record.id for place in old}
                    found = set(done.related) if done.outcome in CONFLICT else set()
                    asked += 1
                    hit += bool(found & expected)
                    flagged += len(found)
                    right += len(found & expected)
                    hits = memory.search(new, scope=SCOPE, limit=1)
                    newest += bool(hits) and hits[0].record.id == done.record.id
        report.row(set=f"letta, {name}", what="questions", n=asked, recall=hit / asked, precision=right / max(flagged, 1))
        report.row(set=f"letta, {name}", what="flagged among the first facts", n=among)
        report.target(f"letta, {name}: recall", hit / asked, at_least=0.90)
        report.target(f"letta, {name}: precision", right / max(flagged, 1), at_least=0.90)


def facts(report: Report, folder: Path) -> None:
    """Measure whether the newest value is recalled, with comparing and without."""
    for data in json.loads((folder / "sets.json").read_text("utf-8")):
        name = data["metadata"]["qa_pair_ids"][0].rpartition("_no")[0]
        if "_sh_" not in name:
            continue
        written = [line.partition(". ")[2] for line in data["context"].splitlines() if re.match(r"\d+\. ", line)]
        for comparing in (True, False):
            with _opened(compare=comparing) as memory:
                outcomes: Counter[str] = Counter()
                for start in range(0, len(written), 1000):
                    outcomes.update(one.outcome for one in memory.remember_many(written[start : start + 1000], scope=SCOPE))
                first = [memory.recall(question, scope=SCOPE, limit=1, min_relevance=0.0) for question in data["questions"]]
                right = sum(_holds(found, answers) for found, answers in zip(first, data["answers"], strict=True))
                share = right / len(data["questions"])
                report.row(set=name, what="compared" if comparing else "not compared", n=len(data["questions"]), right=share, **outcomes)
                if comparing:
                    report.target(f"{name}: the newest value recalled first", share, at_least=0.95)


def _holds(hits: Sequence[Any], answers: Sequence[str]) -> bool:
    return bool(hits) and any(answer.casefold() in hits[0].record.content.casefold() for answer in answers)


def updates(report: Report, folder: Path) -> None:
    """Measure in how many questions the newest evidence is ranked above every older one, with comparing and without."""
    questions = [
        one for one in json.loads((folder / "evidence_turns.json").read_text("utf-8")) if one["question_type"] == "knowledge-update"
    ]
    for comparing in (True, False):
        above = asked = 0
        outcomes: Counter[str] = Counter()
        for question in questions:
            sessions = sorted(question["evidence_sessions"], key=lambda session: session["date"])
            turns = [(place, turn["content"]) for place, session in enumerate(sessions) for turn in session["turns"]]
            if len(sessions) < 2:
                continue
            with _opened(compare=comparing) as memory:
                done = [memory.remember(text, scope=SCOPE, created_at=_moment(sessions[place]["date"])) for place, text in turns]
                outcomes.update(one.outcome for one in done)
                places = {one.record.id: place for one, (place, _) in zip(done, turns, strict=True)}
                hits = memory.recall(question["question"], scope=SCOPE, limit=20, min_relevance=0.0, min_strength=0.0)
                asked += 1
                above += bool(hits) and places.get(hits[0].record.id) == len(sessions) - 1
        report.row(
            set="longmemeval, updates", what="compared" if comparing else "not compared", n=asked, newest_first=above / asked, **outcomes
        )


def _moment(date: str) -> str:
    return re.sub(r"(\d+)/(\d+)/(\d+) \(\w+\) (\d+:\d+)", r"\1-\2-\3T\4:00Z", date)


def cases(report: Report, folder: Path) -> None:
    """Measure memtrust's contradictions: found, and the updated value alone recalled."""
    found = newest = 0
    listed = json.loads((folder / "contradiction_cases.json").read_text("utf-8"))["cases"]
    for case in listed:
        with _opened() as memory:
            memory.remember(case["initial_fact"], scope=SCOPE)
            done = memory.remember(case["contradicting_fact"], scope=SCOPE)
            found += done.outcome in CONFLICT
            hits = memory.recall(case["query"], scope=SCOPE, limit=1, min_relevance=0.0)
            newest += bool(hits) and case["updated_value"].casefold() in hits[0].record.content.casefold()
            report.row(set="memtrust", what=case["subject"], outcome=done.outcome.value)
    report.row(set="memtrust", what="found", n=len(listed), recall=found / len(listed), right=newest / len(listed))


def talk(report: Report, data: Path) -> None:
    """Count what is merged, replaced or asked where nothing should be: turns of conversations, messages of diaries, all of type fact."""
    for name, texts in (("LoCoMo turns", _locomo(data)), ("MemDaily messages", _memdaily(data))):
        outcomes: Counter[str] = Counter()
        count = 0
        for some in texts:
            count += len(some)
            with _opened() as memory:
                outcomes.update(one.outcome for one in _many(memory, some))
        if count:
            report.row(set=name, what="written", n=count, **outcomes)


def _many(memory: Memory, texts: Sequence[str]) -> Iterator[Remembered]:
    for start in range(0, len(texts), 1000):
        yield from memory.remember_many(texts[start : start + 1000], scope=SCOPE)


def _locomo(data: Path) -> Iterator[list[str]]:
    file = data / "locomo" / "conversations.json"
    for one in json.loads(file.read_text("utf-8")) if file.exists() else ():
        sessions = (turns for name, turns in one["conversation"].items() if name.startswith("session_") and isinstance(turns, list))
        yield [f"{turn['speaker']}: {turn['text']}" for turns in sessions for turn in turns]


def _memdaily(data: Path) -> Iterator[list[str]]:
    for file in sorted((data / "memdaily_zh").glob("*.json")):
        for trajectory in json.loads(file.read_text("utf-8")):
            yield [message["message"] for message in trajectory["message_list"]]


SETS: dict[str, tuple[str, Callable[[Report, Path], None]]] = {
    "letta": ("letta_bench", letta),
    "facts": ("mab_conflict", facts),
    "updates": ("longmemeval", updates),
    "cases": ("memtrust_cases", cases),
    "talk": ("", talk),
}


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("seen", "unseen"), default="unseen")
    parser.add_argument("--data", type=Path, default=os.environ.get("SATCHEL_DATA"))
    parser.add_argument("--only", choices=("pairs", *SETS), action="append")
    arguments = parser.parse_args()
    report = Report("conflicts")
    wanted = arguments.only or ["pairs", *SETS]
    if "pairs" in wanted:
        drawn(report, arguments.half)
    for name, (folder, measure) in SETS.items():
        if name in wanted and arguments.data is not None and (arguments.data / folder).is_dir():
            measure(report, arguments.data / folder)
    report.show()


if __name__ == "__main__":
    main()
