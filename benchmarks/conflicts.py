"""How well duplicates, replacements and contradictions are told apart, without a language model.

    python -m benchmarks.conflicts [--half seen|unseen] [--data FOLDER] [--embedder none|e5] [--only pairs|letta|facts|updates|cases|talk]

`pairs`    memories drawn from templates (benchmarks.pairs): how many that say the same are merged, how many that differ are, wrongly.
`letta`    Letta's bench: facts about made-up people, then a fact that contradicts some of them. Found: superseded, or put up as a question;
           and, counted apart, told to be possible.
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
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.pairs import DIFFERENT, pairs
from benchmarks.quality import embedder_named
from benchmarks.report import Report
from satchel import open_memory
from satchel.engine.comparing import compare
from satchel.operations.memory import Memory
from satchel.operations.models import Outcome, Remembered
from satchel.ports import Clock, Embedder, Relation

SCOPE = "user:bench"
CONFLICT = {Outcome.SUPERSEDED, Outcome.PENDING}


def _opened(*, embedder: Embedder | str = "none", compare: bool = True, clock: Clock | None = None) -> Memory:
    settings = {"compare": compare, "touch_on_recall": False}
    return open_memory("memory://", agent="bench", embedder=embedder, settings=settings, clock=clock)


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


def letta(report: Report, folder: Path, embedder: Embedder | str) -> None:
    """Measure detection of contradictions: recall by fact contradicted, precision by fact flagged."""
    items = [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]
    for name, some in (("even items, looked at", items[0::2]), ("odd items, not looked at", items[1::2])):
        hit = asked = flagged = right = newest = told = among = possible = 0
        any_hit = any_flagged = any_right = 0
        for item in some:
            for old, new in zip(item["supporting_fact_indices"], item["contradicting_facts"], strict=True):
                with _opened(embedder=embedder) as memory:
                    written = memory.remember_many(item["facts"], scope=SCOPE)
                    among += sum(one.outcome in CONFLICT for one in written)
                    possible += sum(map(_is_possible, written))
                    done = memory.remember(new, scope=SCOPE)
                    expected = {written[place].record.id for place in old}
                    found = set(done.related) if done.outcome in CONFLICT else set()
                    asked += 1
                    hit += bool(found & expected)
                    flagged += len(found)
                    right += len(found & expected)
                    found |= {*done.related} if _is_possible(done) else set()
                    any_hit += bool(found & expected)
                    any_flagged += len(found)
                    any_right += len(found & expected)
                    if done.outcome is Outcome.SUPERSEDED:
                        told += 1
                        ids = [hit.record.id for hit in memory.recall(new, scope=SCOPE, limit=8, min_relevance=0.0)]
                        newest += ids[:1] == [done.record.id] and not found & {*ids}
        for what, *(hits, rights, flags) in (
            ("decided or asked", hit, right, flagged),
            ("told to be possible", any_hit - hit, any_right - right, any_flagged - flagged),
            ("all of these", any_hit, any_right, any_flagged),
        ):
            report.row(set=f"letta, {name}", what=what, n=asked, recall=hits / asked, precision=rights / max(flags, 1))
        report.row(set=f"letta, {name}", what="superseded: only the newest recalled, first", n=told, newest=newest / max(told, 1))
        report.row(set=f"letta, {name}", what="flagged among the first facts", n=among)
        report.row(set=f"letta, {name}", what="possible among the first facts", n=possible)
        report.target(f"letta, {name}: recall, decided or asked", hit / asked, at_least=0.90)
        report.target(f"letta, {name}: precision, decided or asked", right / max(flagged, 1), at_least=0.90)
        report.target(f"letta, {name}: recall, possible ones too", any_hit / asked, at_least=0.90)
        report.target(f"letta, {name}: precision, possible ones too", any_right / max(any_flagged, 1), at_least=0.90)
        report.target(f"letta, {name}: the newest wins in recall", newest / max(told, 1), at_least=0.95)


def _is_possible(done: Remembered) -> bool:
    """Tell whether a memory was created, and is told to contradict others perhaps."""
    return done.outcome is Outcome.CREATED and bool(done.related)


def facts(report: Report, folder: Path, embedder: Embedder | str) -> None:
    """Measure whether the newest value is recalled, with comparing and without.

    `right`: what is recalled first holds the answer that the set gives. `newest`: the first of the memories that tell of what is asked
    is the one with the highest number; the set's answer to a few questions is an earlier one.
    """
    for data in json.loads((folder / "sets.json").read_text("utf-8")):
        name = data["metadata"]["qa_pair_ids"][0].rpartition("_no")[0]
        if "_sh_" not in name:
            continue
        written = [line.partition(". ")[2] for line in data["context"].splitlines() if re.match(r"\d+\. ", line)]
        for comparing in (True, False):
            with _opened(embedder=embedder, compare=comparing) as memory:
                outcomes: Counter[str] = Counter()
                for start in range(0, len(written), 1000):
                    outcomes.update(one.outcome for one in memory.remember_many(written[start : start + 1000], scope=SCOPE))
                while memory.reindex().embedded:
                    pass
                asked = list(zip(data["questions"], data["answers"], strict=True))
                found = [memory.recall(question, scope=SCOPE, limit=10, min_relevance=0.0) for question, _ in asked]
                right = sum(_holds(hits, answers) for hits, (_, answers) in zip(found, asked, strict=True)) / len(asked)
                newest = sum(_is_newest(hits, _about(*one, written)) for hits, one in zip(found, asked, strict=True)) / len(asked)
                report.row(set=name, what="compared" if comparing else "not compared", n=len(asked), right=right, newest=newest, **outcomes)
                if comparing:
                    report.target(f"{name}: the set's answer recalled first", right, at_least=0.95)
                    report.target(f"{name}: the newest value recalled", newest, at_least=0.95)


def _about(question: str, answers: Sequence[str], written: Sequence[str]) -> list[str]:
    """Return the facts that tell what is asked, in order: they begin like the one that holds an answer and the question's rarest words."""
    asked = _words(question)
    holders = Counter(word for fact in written for word in _words(fact))
    best, begins = 0.0, ""
    for fact in written:
        for answer in answers:
            before, found, _ = fact.partition(answer)
            rarity = sum(1 / holders[word] for word in _words(before) & asked) if found else 0.0
            if rarity > best:
                best, begins = rarity, before
    return [fact for fact in written if begins and fact.startswith(begins)]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _is_newest(hits: Sequence[Any], about: Sequence[str]) -> bool:
    told = [hit.record.content for hit in hits if hit.record.content in about]
    return bool(told) and told[0] == about[-1]


def _holds(hits: Sequence[Any], answers: Sequence[str]) -> bool:
    return bool(hits) and any(answer.casefold() in hits[0].record.content.casefold() for answer in answers)


def updates(report: Report, folder: Path, embedder: Embedder | str) -> None:
    """Measure in how many questions the newest evidence is ranked above every older one, by policy, asked on the day of the question."""
    questions = [
        one for one in json.loads((folder / "evidence_turns.json").read_text("utf-8")) if one["question_type"] == "knowledge-update"
    ]
    for comparing, policy in product((True, False), ("default", "strength", "similarity", "match=0.4,recency=0.6")):
        above = asked = 0
        outcomes: Counter[str] = Counter()
        for question in questions:
            sessions = sorted(question["evidence_sessions"], key=lambda session: session["date"])
            turns = [(place, turn["content"]) for place, session in enumerate(sessions) for turn in session["turns"]]
            if len(sessions) < 2:
                continue
            asked_at = datetime.fromisoformat(_moment(question["question_date"]))
            with _opened(embedder=embedder, compare=comparing, clock=lambda now=asked_at: now) as memory:  # type: ignore[misc]
                done = [memory.remember(text, scope=SCOPE, created_at=_moment(sessions[place]["date"])) for place, text in turns]
                outcomes.update(one.outcome for one in done)
                places = {one.record.id: place for one, (place, _) in zip(done, turns, strict=True)}
                hits = memory.recall(question["question"], scope=SCOPE, limit=20, min_relevance=0.0, min_strength=0.0, policy=policy)
                asked += 1
                above += bool(hits) and places.get(hits[0].record.id) == len(sessions) - 1
        told = f"{'compared' if comparing else 'not compared'}, policy {policy}"
        report.row(set="longmemeval, updates", what=told, n=asked, newest=above / asked, **outcomes)


def _moment(date: str) -> str:
    return re.sub(r"(\d+)/(\d+)/(\d+) \(\w+\) (\d+:\d+)", r"\1-\2-\3T\4:00Z", date)


def cases(report: Report, folder: Path, _: Embedder | str) -> None:
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


def talk(report: Report, data: Path, _: Embedder | str) -> None:
    """Count what is merged, replaced or asked where nothing should be: turns of conversations, messages of diaries, all of type fact."""
    for name, texts in (("LoCoMo turns", _locomo(data)), ("MemDaily messages", _memdaily(data))):
        outcomes: Counter[str] = Counter()
        count = 0
        for some in texts:
            count += len(some)
            with _opened() as memory:
                done = list(_many(memory, some))
                outcomes.update(one.outcome for one in done)
                outcomes["possible"] += sum(map(_is_possible, done))
        if count:
            report.row(set=name, what="written", n=count, **outcomes)
            report.target(f"{name}: told to be possible contradictions", outcomes["possible"] / count, at_most=0.01)


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


SETS: dict[str, tuple[str, Callable[[Report, Path, Embedder | str], None]]] = {
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
    parser.add_argument("--embedder", default="none", help="for what is recalled; memories are compared without a model")
    parser.add_argument("--only", choices=("pairs", *SETS), action="append")
    arguments = parser.parse_args()
    embedder = embedder_named(arguments.embedder)
    report = Report("conflicts")
    wanted = arguments.only or ["pairs", *SETS]
    if "pairs" in wanted:
        drawn(report, arguments.half)
    for name, (folder, measure) in SETS.items():
        if name in wanted and arguments.data is not None and (arguments.data / folder).is_dir():
            measure(report, arguments.data / folder, embedder)
    report.show()


if __name__ == "__main__":
    main()
