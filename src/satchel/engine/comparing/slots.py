"""Finds in a statement what can hold one value only: the capital of a country, a deadline, where someone lives.

It must not know what follows when two statements fill one slot otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from satchel.engine.comparing.chinese import entries
from satchel.engine.comparing.english import PHRASES
from satchel.engine.comparing.persons import persons_before
from satchel.engine.comparing.slot_patterns import (
    ENGLISH,
    HOLDERS,
    LIST_VERBS,
    LISTED,
    LOOSE,
    PERSONS,
    ROLES_HAN,
    TITLES_HAN,
    chinese_patterns,
)
from satchel.engine.comparing.statements import Statement, Token, read
from satchel.engine.comparing.values import kinds
from satchel.engine.comparing.words import words

_COMMAS = frozenset(",，、(（")
_UNSETTLED = words("plan maybe change stop")
_LOOSE_HAN = words("amount work")
_SAME_ROLE = {
    "heads": "@lead",
    "leads": "@lead",
    "lead": "@lead",
    "worksat": "@work",
    "moved": "@live",
    "born": "born",
    "when": "when",
    "amount": "amount",
    "age": "age",
    "blood": "blood",
}
_ALIKE = {"@address": "@live", "地址": "@live", "住 址": "@live", "家": "@live"}
_UNTOLD = words("the in at to 于 在 newly now current")


_KINDRED = {
    "@live": "live reside resident address home moved 住 家 搬 地址",
    "@work": "work job employed employer company joined 工作 上班 公司 就职 任职 跳槽",
    "@deadline": "deadline due 截止 期限",
    "@birthday": "birthday born 生日 出生",
    "@lead": "lead leader leads led head 负责 领导",
}
"""Words by which memories that fill a slot in other words may be found."""


class Slot(NamedTuple):
    """What is filled, whose it is, and with what: `persons` are those of the owner, `kinds` of what kinds the value is.

    `is_single`: that it holds one value is as good as certain; `is_person`: it may be told by a name, or by what somebody does.
    """

    role: str
    owner: tuple[str, ...]
    value: frozenset[str]
    is_single: bool
    is_person: bool
    persons: tuple[str, ...]
    kinds: frozenset[str]


def slots(statement: Statement) -> tuple[Slot, ...]:
    """Return the slots that a statement fills, the likeliest first."""
    return _slots(statement.text)


@lru_cache(maxsize=2048)
def _slots(text: str) -> tuple[Slot, ...]:
    statement = read(text)
    if statement is None:
        return ()
    starts = [0] + [token.end + 1 for token in statement.tokens if token.kind == "stop" and token.text.strip() not in _COMMAS]
    starts += [
        one.end + 1 for one, after in pairwise(statement.tokens) if one.key == "and" and after.key == "now"
    ]  # "left … and now work at"
    return tuple(found for start in starts for found in _matching(statement, start))


def _matching(statement: Statement, start: int) -> Iterator[Slot]:
    text = statement.canonical[start:]
    for name, pattern in _chinese() if statement.is_chinese else ENGLISH:
        match = pattern.match(text)
        if match is not None and (found := _slot(statement, name, match, start)) is not None:
            yield found


@cache
def _chinese() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return chinese_patterns([_spelled(word) for word in ROLES_HAN | TITLES_HAN])


def _spelled(word: str) -> str:
    """Return a word as it stands in a canonical text: one of the lexicon whole, another by character."""
    statement = read(word)
    return statement.canonical if statement is not None else word


@cache
def _persons() -> frozenset[str]:
    return frozenset(map(_spelled, PERSONS)) | PERSONS


def _slot(statement: Statement, name: str, match: re.Match[str], start: int) -> Slot | None:
    groups = match.groupdict()
    if not _holds_one(statement, name, groups):
        return None

    owner = tuple(sorted(token.base for token in _tokens(statement, match, "owner", start)))
    value = frozenset(token.base for token in _tokens(statement, match, "value", start))
    if any(token.kind == "cue" and token.key in _UNSETTLED for token in _span(statement, match, "value", start)):
        return None
    if any(token.key == "stop" for token in statement.tokens if start <= token.at < start + match.end("value")):
        return None
    if not value or (not owner and name in {"when", "amount", "called"}):
        return None
    role = groups["role"]
    if role in HOLDERS and not statement.is_chinese and not any(_may_name(token) for token in _tokens(statement, match, "value", start)):
        return None
    is_person = role in _persons()
    is_loose = is_person or name in LOOSE or (name in _LOOSE_HAN and statement.is_chinese)
    role = _role(name, role)
    whose = persons_before(statement, start, start + match.start("value")) if match.start("value") > match.start("role") else ()
    found = _span(statement, match, "value", start)
    of_kinds = _kinds(role, found, statement)
    return Slot(_ALIKE.get(role, role), owner, value, not is_loose, is_person, whose, of_kinds)


def _kinds(role: str, value: Sequence[Token], statement: Statement) -> frozenset[str]:
    if role in _ALIKE:
        return frozenset({"name"})  # an address is a place, however it is written
    if role in _titles():
        return frozenset({"name"} if _NAME_HAN.fullmatch("".join(token.text for token in value)) else ())
    return kinds(role, value, is_chinese=statement.is_chinese)


_NAME_HAN = re.compile("(?![个一很我他她位谁最])[一-鿿·]{2,4}(?<![的人])|[A-Za-z][A-Za-z .]*")


@cache
def _titles() -> frozenset[str]:
    return frozenset(map(_spelled, TITLES_HAN))


def _role(name: str, role: str) -> str:
    if name == "born" and not role.startswith(("出", "生", "in", "at")):
        return role  # where somebody comes from, or whom they married
    return _SAME_ROLE.get(name) or " ".join(word for word in role.split() if word not in _UNTOLD)


def _may_name(token: Token) -> bool:
    """Tell whether a token is a name, or may be one: a capital at the beginning."""
    return token.kind == "name" or bool(token.other)


def _span(statement: Statement, match: re.Match[str], group: str, start: int) -> list[Token]:
    first, last = match.span(group)
    return [token for token in statement.tokens if token.at >= first + start and token.end <= last + start]


def _is_move(text: str) -> bool:
    """Tell whether a cue tells a move of house: "moved to", not "moved"."""
    return text.startswith(("relocat", "搬")) or (text.startswith("mov") and text.endswith(" to"))


def _tokens(statement: Statement, match: re.Match[str], group: str, start: int) -> tuple[Token, ...]:
    if match.groupdict().get(group) is None:
        return ()
    first, last = match.span(group)
    return statement.within(first + start, last + start)


def _holds_one(statement: Statement, name: str, groups: dict[str, str | None]) -> bool:
    """Tell whether what a pattern found holds one value: "the capital of", not "a member of"; a move of house, not another change."""
    role = groups["role"] or ""
    if name in {"of", "holder"}:
        return not LISTED & {*role.split()}
    if name == "kind":
        return (groups["verb"] or "").rstrip("~") not in LIST_VERBS and role not in LISTED
    if name == "moved":
        return any(token.key == "change" and _is_move(token.text.lower()) for token in statement.tokens)
    return True


@cache
def _kindling() -> re.Pattern[str]:
    """Return what a text holds at least where it fills a slot that can be told in other words."""
    roles = {*_KINDRED, *(role for role, alike in _ALIKE.items() if alike in _KINDRED)}
    english = [word for word, (_, key) in PHRASES.items() if roles & {*key.split("+")} or (key.startswith("change") and _is_move(word))]
    chinese = [entry.word for entry in entries() if roles & {*entry.key.split("+")} or (entry.kind == "cue" and _is_move(entry.word))]
    plain = [role.replace(" ", "") for role in roles if not role.startswith("@")]
    words = rf"\b(?:{'|'.join(map(re.escape, english))})\b"
    return re.compile(f"{words}|{'|'.join(map(re.escape, (*chinese, *plain)))}", re.IGNORECASE)


def kindred_words(text: str) -> str:
    """Return words that other memories may hold which fill the same slots in other words; empty where there are none."""
    if _kindling().search(text) is None:
        return ""
    return " ".join(sorted({_KINDRED[slot.role] for slot in _slots(text) if slot.role in _KINDRED}))
