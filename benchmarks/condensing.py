"""What of a dialogue is kept at a session's end, by rule: how much of what was asked about later, against how much of everything.

    python -m benchmarks.condensing [--data FOLDER] [--show FILE]

`lift` is the share of the evidence that is kept over the share of all turns that is; 1.0 would be chance. Every speaker of LoCoMo and
every message of MemDaily counts as the user's. LongMemEval's turns are all evidence, so that it has a share and no lift; MemoryBank names
no evidence. `assistant` is the share of the assistant's turns of which something was kept, which should be next to none. `--show` writes
what was kept beside the turn it came from, to be read: whether it is worth keeping, no figure tells.

The rules keep preferences, decisions, duties, who people are, and what is asked for outright; that a question set asks about an event
of one day makes it evidence, and no memory by these rules.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks.datasets import DEFAULT_FOLDER
from benchmarks.report import Report
from satchel.engine.text.utterances import remarks, utterances

SAID_AT = datetime(2024, 4, 1, tzinfo=UTC)
_TURN = re.compile(r"D\d+:\d+")


class Turn(NamedTuple):
    """One turn; `asked`: it is the evidence of a question, None where the set does not tell."""

    kind: str
    role: str
    text: str
    asked: bool | None


def locomo(folder: Path) -> Iterator[Turn]:
    """Yield the turns of LoCoMo (CC BY-NC 4.0), evidence of categories 1 to 4."""
    for conversation in json.loads((folder / "locomo/conversations.json").read_text(encoding="utf-8")):
        asked = {
            turn
            for item in conversation["qa"]
            if item["category"] in (1, 2, 3, 4)
            for evidence in item.get("evidence", [])
            for turn in _TURN.findall(evidence)
        }
        for key, turns in conversation["conversation"].items():
            if re.fullmatch(r"session_\d+", key):
                yield from (Turn("all", "user", turn["text"], turn["dia_id"] in asked) for turn in turns)


def memdaily(folder: Path) -> Iterator[Turn]:
    """Yield the messages of MemDaily, each once a trajectory."""
    for file in sorted((folder / "memdaily_zh").glob("*.json")):
        for row in json.loads(file.read_text(encoding="utf-8")):
            steps = [step for item in row["question_list"] for step in _steps(item["target_step_id"])]
            yield from (Turn("all", "user", message["message"], message["mid"] in steps) for message in row["message_list"])


def _steps(target: object) -> list[object]:
    return target if isinstance(target, list) else [target]


def longmemeval(folder: Path) -> Iterator[Turn]:
    """Yield LongMemEval's evidence turns (MIT), each once, by the kind of the question."""
    seen = set()
    for item in json.loads((folder / "longmemeval/evidence_turns.json").read_text(encoding="utf-8")):
        for turn in (turn for session in item["evidence_sessions"] for turn in session["turns"]):
            if turn["content"] not in seen:
                seen.add(turn["content"])
                yield Turn(item["question_type"], turn["role"], turn["content"], None)


def memorybank(folder: Path) -> Iterator[Turn]:
    """Yield MemoryBank's turns (MIT), Chinese and English."""
    for language in ("cn", "en"):
        people = json.loads((folder / f"memorybank_zh_en/memory_bank_{language}.json").read_text(encoding="utf-8"))
        for turn in (turn for person in people.values() for day in person["history"].values() for turn in day):
            yield Turn(language, "user", turn["query"], None)
            yield Turn(language, "assistant", turn["response"], None)


SETS: dict[str, Callable[[Path], Iterator[Turn]]] = {
    "locomo": locomo,
    "memdaily": memdaily,
    "longmemeval": longmemeval,
    "memorybank": memorybank,
}


def kept(turn: Turn) -> list[str]:
    """Return what a session's end keeps of a turn."""
    return [found.content for found in utterances(turn.text, turn.role, SAID_AT)]


def _share(turns: list[Turn]) -> float | None:
    return sum(bool(kept(turn)) for turn in turns) / len(turns) if turns else None


def measured(report: Report, name: str, turns: list[Turn]) -> None:
    """Tell the shares of one set, or of one kind of its turns."""
    said = [turn for turn in turns if turn.role == "user"]
    asked = [turn for turn in said if turn.asked]
    everything, evidence = _share(said), _share(asked)
    report.row(
        set=name,
        turns=len(said),
        kept=everything,
        evidence=evidence,
        lift=evidence / everything if evidence is not None and everything else None,
        second=sum(bool(list(remarks(turn.text, turn.role, SAID_AT))) for turn in said) / len(said) if said else None,
        assistant=_share([turn for turn in turns if turn.role != "user"]),
    )


def main() -> None:
    """Measure each set that is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SATCHEL_DATA", DEFAULT_FOLDER)))
    parser.add_argument("--show", type=Path)
    options = parser.parse_args()
    report = Report("condensing")
    shown = []
    for name, reader in SETS.items():
        try:
            turns = list(reader(options.data))
        except FileNotFoundError:
            continue
        for kind in dict.fromkeys(turn.kind for turn in turns):
            measured(report, name if kind == "all" else f"{name}, {kind}", [turn for turn in turns if turn.kind == kind])
        shown += [{"set": name, "role": turn.role, "asked": turn.asked, "kept": kept(turn), "turn": turn.text} for turn in turns]
    if options.show:
        lines = (json.dumps(line, ensure_ascii=False) for line in shown if line["kept"])
        options.show.write_text("\n".join(lines) + "\n", encoding="utf-8")
    report.show()


if __name__ == "__main__":
    main()
