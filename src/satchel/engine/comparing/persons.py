"""Who a statement speaks of without a name: the user, "we", "he", "she", "they", "you", and whether two statements mean the same people.

It must not know what else two statements tell. What the writer says of "I" and what is told of "the user" are one person's; so may be what
names nobody at all. Every other person is somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

from satchel.engine.comparing.statements import Statement
from satchel.engine.text.segmenting import fold

_USER = "user"
_PERSONS = {
    _USER: r"I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Uu]ser",
    "we": r"[Ww]e|[Uu]s|[Oo]urs?|[Oo]urselves",
    "you": r"[Yy]ou|[Yy]ours?|[Yy]ourself",
    "he": r"[Hh]e|[Hh]im|[Hh]is|[Hh]imself",
    "she": r"[Ss]he|[Hh]er|[Hh]ers|[Hh]erself",
    "they": r"[Tt]hey|[Tt]hem|[Tt]heirs?|[Tt]hemselves",
}
_PERSONS_HAN = {
    "we": "我们|咱们|咱俩|我俩",
    _USER: r"用户(?![名组数量界])|本人|我(?!校)",
    "you": "你们|您|你",
    "they": "他们|她们|它们|他俩|她俩|人家",
    "he": "(?<![其吉])他(?!人|乡|国)",
    "she": "她",
}
# Most characters begin no person, and are passed by their first look.
_PERSON = re.compile(
    r"(?=[ImMuUwWoOyYhHsStT])(?<![\w.@/-])(?:"
    + "|".join(f"(?P<{key}>{words})" for key, words in _PERSONS.items())
    + r")(?![\w@/-]|\.\w)|(?=[我咱用本你您他她它人])(?:"
    + "|".join(f"(?P<{key}_>{words})" for key, words in _PERSONS_HAN.items())
    + ")"
)
_LEADING = re.compile(r"(?:the |on |in |at |since |now |currently |today |现在|目前|今后|今天)*", re.IGNORECASE)
_UNTOLD = frozenset({_USER, "we"})
"""Persons that a statement may leave out: "works in Rome", "the server is down"."""


def persons(statement: Statement) -> tuple[str, ...]:
    """Return the persons in their order, each once in a row."""
    return _persons(statement.text)


@lru_cache(maxsize=4096)
def _persons(text: str) -> tuple[str, ...]:
    return tuple(key for key, _ in groupby((match.lastgroup or "").rstrip("_") for match in _PERSON.finditer(_read(text))))


@lru_cache(maxsize=4096)
def _read(text: str) -> str:
    return fold(text).replace("’", "'")


@lru_cache(maxsize=4096)
def _leading(text: str) -> str:
    """Return the person that a text begins with, or nothing."""
    found = _PERSON.match(_read(text), _LEADING.match(_read(text)).end())  # type: ignore[union-attr]
    return (found.lastgroup or "").rstrip("_") if found else ""


def persons_before(statement: Statement, start: int, end: int) -> tuple[str, ...]:
    """Return the persons between two places of the canonical text."""
    told = " ".join(token.text for token in statement.tokens if start <= token.at < end)
    return _persons(told)


def are_one(first: Sequence[str], second: Sequence[str]) -> bool:
    """Tell whether two rows of persons may be the same people, each in the same part."""
    if first == second or _is_left_out(first, second):
        return True
    # "The user … his" is "I … my", but "the user … him" is not "the user … her".
    if {*first} & {*second} & {_USER} and not (_others(first) and _others(second)):
        return {*first, *second} <= {_USER, "he", "she", "they"} and len(_others((*first, *second))) == 1
    return False


def _is_left_out(first: Sequence[str], second: Sequence[str]) -> bool:
    untold = [{*row} & _UNTOLD for row in (first, second)]
    return _others(first) == _others(second) and not (untold[0] and untold[1])


def _others(row: Sequence[str]) -> list[str]:
    return [person for person in row if person not in _UNTOLD]


def speak_of_others(older: Statement, newer: Statement) -> bool:
    """Tell whether two statements cannot be about the same people: one begins with "he", the other with "she"; "I owe him", "I owe her"."""
    first, second = _leading(older.text), _leading(newer.text)
    if first != second and not ({first, second} <= {"", _USER} or {first, second} <= {"", "we"}):
        return True
    told = _others(persons(older)), _others(persons(newer))
    return bool(told[0] and told[1]) and told[0] != told[1]
