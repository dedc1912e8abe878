"""Pairs of short memories that say the same, and pairs that differ in one number, date, negation or name, drawn from templates.

It owns drawing values into data/pairs.json and the split into two halves by template; it must not know how pairs are compared.

    python -m benchmarks.pairs [--half seen|unseen]     prints the pairs as JSON lines

A frame is one thing to remember and the ways people put it. Frames in even places make the half to look at while building, those in
odd places the half that only the final figures come from.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, NamedTuple

Kind = Literal["paraphrase", "number", "date", "negation", "name"]
Language = Literal["en", "zh"]

DIFFERENT: tuple[Kind, ...] = ("number", "date", "negation", "name")


class Frame(NamedTuple):
    """Ways to say one thing, and one way to deny it. A placeholder is `{pool}` or `{pool_2}` for another value of the pool."""

    ways: tuple[str, ...]
    denied: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories, and whether they say the same."""

    language: Language
    kind: Kind
    first: str
    second: str

    @property
    def is_same(self) -> bool:
        """Whether the two say the same."""
        return self.kind == "paraphrase"


_TEMPLATES = json.loads((Path(__file__).parent / "data" / "pairs.json").read_text("utf-8"))
POOLS: Mapping[str, Sequence[str | Sequence[str]]] = _TEMPLATES["pools"]

_NUMBERS = ("n", "big", "time", "version", "数", "大", "时", "版")
_WHEN = ("date", "weekday", "日", "周")
_NAMES = ("name", "city", "firm", "tool", "food", "名", "城", "司", "具", "食")

FRAMES: Mapping[Language, Sequence[Frame]] = {
    language: [Frame(tuple(frame["ways"]), frame["denied"]) for frame in frames] for language, frames in _TEMPLATES["frames"].items()
}


def _slots(way: str) -> list[str]:
    return [part.split("}")[0] for part in way.split("{")[1:]]


def _choose(frame: Frame, chance: random.Random) -> dict[str, str | Sequence[str]]:
    """Draw a value for every slot of a frame, those of one pool distinct."""
    chosen: dict[str, str | Sequence[str]] = {}
    for slot in dict.fromkeys(name for way in frame.ways for name in _slots(way)):
        pool = POOLS[slot.removesuffix("_2")]
        chosen[slot] = chance.choice([value for value in pool if value not in chosen.values()])
    return chosen


def _say(way: str, values: Mapping[str, str | Sequence[str]], chance: random.Random) -> str:
    forms = {slot: value if isinstance(value, str) else chance.choice(value) for slot, value in values.items()}
    return way.format(**forms)


def _changed(values: Mapping[str, str | Sequence[str]], slots: Sequence[str], chance: random.Random) -> dict[str, str | Sequence[str]]:
    slot = chance.choice(slots)
    pool = POOLS[slot.removesuffix("_2")]
    return {**values, slot: chance.choice([value for value in pool if value not in values.values()])}


def _different(frame: Frame, kind: Kind, chance: random.Random) -> tuple[str, str] | None:
    """Return two memories that differ in one thing of this kind, half of them in other words besides; None where the frame has none."""
    values = _choose(frame, chance)
    if kind == "negation":
        return _say(chance.choice(frame.ways), values, chance), _say(frame.denied, values, chance)
    group = {"number": _NUMBERS, "date": _WHEN, "name": _NAMES}[kind]
    slots = [slot for slot in values if slot.removesuffix("_2") in group]
    if not slots:
        return None
    first = chance.choice(frame.ways)
    second = first if chance.random() < 0.5 else chance.choice(frame.ways)
    return _say(first, values, chance), _say(second, _changed(values, slots, chance), chance)


def _same(frame: Frame, chance: random.Random) -> tuple[str, str]:
    values = _choose(frame, chance)
    one, other = chance.sample(frame.ways, 2)
    return _say(one, values, chance), _say(other, values, chance)


def _drawn(language: Language, kind: Kind, frames: Sequence[Frame], count: int, chance: random.Random) -> Iterator[Pair]:
    seen: set[tuple[str, str]] = set()
    while len(seen) < count:
        frame = chance.choice(frames)
        drawn = _same(frame, chance) if kind == "paraphrase" else _different(frame, kind, chance)
        if drawn is not None and drawn[0] != drawn[1] and drawn not in seen:
            seen.add(drawn)
            yield Pair(language, kind, *drawn)


def pairs(half: Literal["seen", "unseen"], *, seed: int = 20) -> list[Pair]:
    """Return one half: 500 paraphrases and 500 pairs that differ (125 a kind), half of each in either language."""
    made: list[Pair] = []
    for language, frames in FRAMES.items():
        some = frames[0 if half == "seen" else 1 :: 2]
        chance = random.Random(f"{half}-{language}-{seed}")
        made += _drawn(language, "paraphrase", some, 250, chance)
        for place, kind in enumerate(DIFFERENT):
            made += _drawn(language, kind, some, 63 if place < 2 else 62, chance)
    return made


def main() -> None:
    """Print the pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("seen", "unseen"), default="seen")
    for pair in pairs(parser.parse_args().half):
        print(json.dumps(asdict(pair), ensure_ascii=False))


if __name__ == "__main__":
    main()
