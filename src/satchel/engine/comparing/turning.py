"""Whether a newer statement tells what was put in the place of what the older names: "switched from Slack to Teams", 从A迁到B (CNF-2).

It must not know what else two statements can be to each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from satchel.engine.comparing.pairing import CHANGES, COPULAS, PLANS, Pair
from satchel.engine.comparing.statements import Statement, Token, read
from satchel.engine.comparing.words import LIGHT, WEAK, words
from satchel.ports import Relation, Verdict

_THING = r"[^,;:.!?，。；：！？、]{1,40}?"
_MOVED = r"(?:switched|switching|moved|migrated|changed|transitioned|converted|went|upgraded|ported|swapped)"
_ENGLISH = (
    rf"(?P<who>.*?)\b{_MOVED}(?: over| away| back)?(?P<what>{_THING})? from (?P<old>{_THING}) (?:over )?(?:on)?to (?P<new>{_THING})",
    rf"(?P<who>.*?)\b(?:migrated|moved) off (?:of )?(?P<old>{_THING}) (?:on)?to (?P<new>{_THING})",
    rf"(?P<who>.*?)\b(?:replaced|swapped(?: out)?) (?P<old>{_THING}) (?:with|for|by) (?P<new>{_THING})",
    rf"(?P<old>{_THING}) (?:was|were|is|are|got|has been|have been)(?: now)? (?:replaced|superseded) (?:by|with) (?P<new>{_THING})",
)
_LATELY = "(?:已经|已|刚刚|刚|现在|最近|都|也|正式)*"
_TURN = "(?:迁移|迁|切换|切|更换|替换|换|改|转移|转|升级|搬)"
_CHINESE = (
    rf"(?P<who>.*?){_LATELY}从(?P<old>{_THING}){_TURN}(?:到|成|为|至|用)了?(?P<new>{_THING})",
    rf"(?P<who>.*?){_LATELY}(?:把|将)(?P<old>{_THING}){_TURN}(?:到|成|为|至)了?(?P<new>{_THING})",
    rf"(?P<old>{_THING}){_LATELY}被(?P<new>{_THING})(?:取代|替代|代替|替换|换掉)",
)
_FORMS = tuple(re.compile(rf"{form}(?:了|now|\s)*[.。!！]*$", re.IGNORECASE) for form in _ENGLISH + _CHINESE)
_MAY_TURN = re.compile(r"\b(?:from|off|replaced|swapped|superseded)\b|从|把|将|被", re.IGNORECASE)

_HOLDS = words("@use drive own run written built host hosted deploy deploy~ base~ store~ @store 写 跑 部 署 搭 建 采 使 基 于 的 开 骑")
"""What a thing does with what can be put in another's place: it is what it runs on, is written in, is kept in."""

_STANDS = words("@work @live 住")
"""What somebody does at a place that can be left for another."""

_OF_A_PART = re.compile(r"\b(?:for|when|during|on|at|in|only)\b", re.IGNORECASE)

_ANYBODY = words(
    "team project compani org squad group app applic system repo codebas stack servic user 团 队 项 目 公 司 小 组 系 统 应 服 务"
)
"""Whom a statement may be about that the other leaves out."""

_SELF = words("i my we our")

_NUMBERS = ("num:", "version:")


class _Turn(NamedTuple):
    """What was put in the place of what, and whom that is about, as keys."""

    about: frozenset[str]
    old: tuple[str, ...]
    new: frozenset[str]
    is_of_a_part: bool


def say_turned(pair: Pair) -> Verdict | None:
    """Say where the newer names what the older tells as what has given its place to something else."""
    older, newer = pair.older, pair.newer
    if older.denials or newer.denials or (older.cues | newer.cues) & PLANS or older.cues & CHANGES:
        return None
    turn = _turn(newer)
    if turn is None or not _names(older, turn.old):
        return None
    known = {token.base for token in older.content}
    if turn.new <= known:
        return None
    if turn.about - known - _ANYBODY:
        return Verdict(Relation.APART, "the newer tells of something else that it has changed")
    holds = known & (_HOLDS | _STANDS if known & turn.about else _HOLDS)
    told = known - {*turn.old} - turn.about - holds - LIGHT - WEAK - _ANYBODY
    is_whole = not told and (holds or not COPULAS.isdisjoint(token.key for token in older.tokens))
    if is_whole and not turn.is_of_a_part:
        return Verdict(Relation.REPLACES, "the newer says what has taken the place of what the older tells")
    if is_whole or (holds and len(told) <= _MOST_BESIDE and not _is_of_another(older, told, holds)):
        return Verdict(Relation.CONTRADICTS, "the newer says what has taken the place of what the older tells, perhaps of a part of it")
    return None


_MOST_BESIDE = 4


def _is_of_another(statement: Statement, told: Set[str], holds: Set[str]) -> bool:
    """Tell whether a statement begins with somebody whom the other does not name: "the client uses …"."""
    predicate = min(token.at for token in statement.content if token.base in holds)
    return any(token.base in told and token.at < predicate for token in statement.content)


@lru_cache(maxsize=4096)
def _turn(statement: Statement) -> _Turn | None:
    if _MAY_TURN.search(statement.text) is None:
        return None
    for form in _FORMS:
        match = form.match(statement.text)
        if match is not None:
            found = match.groupdict()
            old, new = _keys(found["old"]), _keys(found["new"])
            about = {*_keys(found.get("who") or ""), *_keys(found.get("what") or "")}
            is_of_a_part = _OF_A_PART.search(found["new"]) is not None
            return _Turn(frozenset(about) - _SELF - LIGHT - WEAK, old, frozenset(new), is_of_a_part) if old and new else None
    return None


def _keys(text: str) -> tuple[str, ...]:
    statement = read(text)
    return () if statement is None else tuple(token.base for token in statement.content)


def _names(statement: Statement, old: tuple[str, ...]) -> bool:
    """Tell whether a statement names a thing, in one piece and however many others."""
    keys = tuple(token.base for token in statement.content)
    return any(keys[start : start + len(old)] == old for start in range(len(keys) - len(old) + 1))


def say_upgraded(pair: Pair) -> Verdict | None:
    """Say where the newer tells that a thing which the older tells with its version has another now: "on Python 3.12 now"."""
    older, newer = pair.older, pair.newer
    if older.denials or newer.denials or (older.cues | newer.cues) & PLANS or not newer.cues & CHANGES or older.cues & CHANGES:
        return None
    was, turned = dict(_versions(older)), dict(_versions(newer))
    names = [name for name in turned if name in was and was[name] != turned[name]]
    if len(names) != 1 or len(was) != 1:
        return None
    (name,) = names
    known = {name, was[name], turned[name]}
    rest = {token.base for token in older.content} - known - LIGHT - WEAK - _HOLDS
    about = {token.base for token in newer.content} - known - LIGHT - WEAK - _HOLDS
    if about - rest - _ANYBODY:
        return None
    if not rest - about - _ANYBODY:
        return Verdict(Relation.REPLACES, "both tell the version of the same thing, and the newer says that it has changed")
    return Verdict(Relation.CONTRADICTS, "the newer tells another version, perhaps of this one")


def _versions(statement: Statement) -> Iterator[tuple[str, str]]:
    """Yield each name that a number follows, and the number."""
    tokens: tuple[Token, ...] = statement.content
    for one, after in pairwise(tokens):
        if one.kind == "name" and after.kind == "value" and after.key.startswith(_NUMBERS) and after.at == one.end + 1:
            yield one.base, after.key
