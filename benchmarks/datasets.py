"""Readers of the question sets that measure recall: stores of texts, and questions with the places of the texts that answer them.

The sets are not part of Satchel; their folder is named on the command line. It must not know how they are measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OWN = Path(__file__).resolve().parent / "data"
DEFAULT_FOLDER = Path(__file__).resolve().parent.parent.parent / "shared/data"

_POOLED = 20
_TURN = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the places of the texts that answer it."""

    question: str
    gold: frozenset[int]


@dataclass(frozen=True, slots=True)
class Pool:
    """One store: texts, and what is asked of it."""

    texts: list[str]
    asked: list[Asked]


def locomo(folder: Path) -> Iterator[Pool]:
    """Yield a store a conversation of LoCoMo, a text a turn ("Speaker: text [image: caption]"), questions of categories 1 to 4."""
    for conversation in json.loads((folder / "locomo/conversations.json").read_text(encoding="utf-8")):
        sessions = sorted((key for key in conversation["conversation"] if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
        turns = [turn for key in sessions for turn in conversation["conversation"][key]]
        places = {turn["dia_id"]: place for place, turn in enumerate(turns)}
        yield Pool([_turn_text(turn) for turn in turns], list(_locomo_questions(conversation["qa"], places)))


def _turn_text(turn: dict[str, Any]) -> str:
    caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{caption}"


def _locomo_questions(questions: list[dict[str, Any]], places: dict[str, int]) -> Iterator[Asked]:
    for item in questions:
        named = (turn for evidence in item.get("evidence", []) for turn in _TURN.findall(evidence))
        gold = frozenset(places[turn] for turn in named if turn in places)
        if item["category"] in (1, 2, 3, 4) and gold:
            yield Asked(item["question"], gold)


def memdaily(folder: Path) -> Iterator[Pool]:
    """Yield a store for each 20 consecutive trajectories of a file of MemDaily, a text a message; gold is `target_step_id`."""
    for file in sorted((folder / "memdaily_zh").glob("*.json")):
        rows = json.loads(file.read_text(encoding="utf-8"))
        for start in range(0, len(rows), _POOLED):
            yield _memdaily_pool(rows[start : start + _POOLED])


def _memdaily_pool(rows: list[dict[str, Any]]) -> Pool:
    pool = Pool([], [])
    for row in rows:
        places = {message["mid"]: len(pool.texts) + place for place, message in enumerate(row["message_list"])}
        pool.texts.extend(message["message"] for message in row["message_list"])
        for item in row["question_list"]:
            target = item["target_step_id"]
            steps = target if isinstance(target, list) else [target]
            gold = frozenset(places[step] for step in steps if not isinstance(step, list) and step in places)
            if gold:
                pool.asked.append(Asked(item["question"], gold))
    return pool


def longmemeval(folder: Path, together: int = 48) -> Iterator[Pool]:
    """Yield a store for each 48 questions of LongMemEval's evidence turns (MIT); a question's gold are its own turns."""
    items = [
        item for item in json.loads((folder / "longmemeval/evidence_turns.json").read_text(encoding="utf-8")) if not item["abstention"]
    ]
    for start in range(0, len(items), together):
        pool = Pool([], [])
        for item in items[start : start + together]:
            turns = [turn["content"] for session in item["evidence_sessions"] for turn in session["turns"]]
            pool.asked.append(Asked(item["question"], frozenset(range(len(pool.texts), len(pool.texts) + len(turns)))))
            pool.texts.extend(turns)
        yield pool


@dataclass(frozen=True, slots=True)
class Person:
    """What one person of MemoryBank said and heard, and questions about it, without places."""

    texts: list[str]
    questions: list[str]


def memorybank(folder: Path, language: str) -> list[Person]:
    """Return MemoryBank's people (MIT), in `cn` or `en`; both say the same, in the same order."""
    people = json.loads((folder / f"memorybank_zh_en/memory_bank_{language}.json").read_text(encoding="utf-8"))
    lines = (folder / f"memorybank_zh_en/probing_questions_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    questions = {name: asked for line in lines for name, asked in json.loads(line).items()}
    return [
        Person(
            [turn[part] for day in person["history"].values() for turn in day for part in ("query", "response")], questions.get(name, [])
        )
        for name, person in people.items()
    ]


def rows(name: str) -> list[list[str]]:
    """Return the columns of one of our own tables."""
    return [line.split("\t") for line in (OWN / name).read_text(encoding="utf-8").splitlines()]
