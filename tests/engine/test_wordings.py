"""Paraphrases of an agent's memories in tables (CNF-1): how many are merged, and that nothing that differs is.

Each line of a table is a pair. The rules were written while looking at the odd lines of `same_*`; the even ones were only counted.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.engine.comparing import compare
from satchel.ports import Relation

TABLES = Path(__file__).parent.parent / "fixtures" / "wordings"
LANGUAGES = ("en", "zh")


def _pairs(table: str) -> list[tuple[str, str]]:
    lines = (TABLES / f"{table}.txt").read_text("utf-8").splitlines()
    return [(first, second) for first, _, second in (line.partition(" || ") for line in lines)]


def _are_same(first: str, second: str) -> bool:
    return compare(first, second).relation is Relation.SAME


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_paraphrases_are_merged(language: str, record_property: pytest.RecordProperty) -> None:
    pairs = _pairs(f"same_{language}")
    developed, counted = ([_are_same(*pair) for pair in half] for half in (pairs[0::2], pairs[1::2]))
    record_property("merged_of_the_other_half", sum(counted) / len(counted))
    assert sum(developed) / len(developed) >= 0.8


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_of_two_paraphrases_makes_no_difference(language: str) -> None:
    pairs = _pairs(f"same_{language}")
    assert [pair for pair in pairs if _are_same(*pair) != _are_same(*pair[::-1])] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_differs_is_never_merged(language: str) -> None:
    pairs = _pairs(f"unlike_{language}")
    assert [pair for pair in pairs if _are_same(*pair) or _are_same(*pair[::-1])] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_paraphrases_of_different_memories_are_never_merged(language: str) -> None:
    sides = [first for first, _ in _pairs(f"same_{language}")]
    assert [(one, other) for at, one in enumerate(sides) for other in sides[at + 1 :] if _are_same(one, other)] == []


@pytest.mark.parametrize(
    ("framed", "said"),
    [
        ("Please note that the office is closed on Monday.", "The office is closed on Monday."),
        ("The user mentioned that he lives in Rome.", "The user lives in Rome."),
        ("The user said that his dog is ill.", "The user's dog is ill."),
        ("请记住用户住在成都。", "用户住在成都。"),
        ("用户提到他不吃牛肉。", "用户不吃牛肉。"),
    ],
)
def test_a_frame_around_a_memory_tells_nothing(framed: str, said: str) -> None:
    assert _are_same(framed, said)
    assert _are_same(said, framed)
