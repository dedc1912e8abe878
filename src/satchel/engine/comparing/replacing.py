"""Whether a newer statement takes an older one's place: it corrects it, ends it, or tells another value of the same thing (CNF-2).

It must not know what else they can be to each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from satchel.engine.comparing.denying import has_other_subject
from satchel.engine.comparing.holding import may_both_hold
from satchel.engine.comparing.pairing import CHANGES, PLANS, Pair, size
from satchel.engine.comparing.persons import are_one
from satchel.engine.comparing.qualifying import ends_partly
from satchel.engine.comparing.slots import Slot, slots
from satchel.engine.comparing.statements import CONTENT, Statement, Token
from satchel.engine.comparing.words import LIGHT, WEAK, words
from satchel.engine.text.segmenting import fold
from satchel.ports import Relation, Verdict

_ENDS = words("stop ended")
_PAST = words("past ended")
_MEASURED = words("when amount")
_ASIDE = frozenset({"instead of", "rather than", "而不是"})
_CONTRAST = frozenset({"but", "而是"})
_MOST_ASIDE = 5


def say_corrected(pair: Pair) -> Verdict | None:
    """Say where the newer names what it denies: "in May, not in June"."""
    aside = _set_aside(pair.newer)
    if aside.isdisjoint(pair.keys) or pair.older.denials or pair.newer.cues & PLANS:
        return None
    old, new = _words(pair.older) - aside, _words(pair.newer) - aside
    common = size(old & new)
    named = size(aside & {token.base for token in pair.older.content if token.kind != "name"})
    least = 2 if named < 2 or not pair.has_same_subject() else 1
    if common < least or common < 0.5 * min(size(old), size(new)):
        return None
    return Verdict(Relation.REPLACES, "the newer says expressly that a part of the older is not so, and what is so instead")


def _words(statement: Statement) -> set[str]:
    """Return what a statement tells apart from names."""
    return {token.base for token in statement.content if token.kind != "name" and token.key not in WEAK}


@lru_cache(maxsize=4096)
def _set_aside(statement: Statement) -> frozenset[str]:
    """Return the keys of what a statement sets aside: after "not", "instead of", "rather than", "不是", up to the next stop."""
    found: set[str] = set()
    for number, clause in enumerate(statement.clauses()):
        start = next((at for at, token in enumerate(clause) if token.kind == "deny" or _is_aside(token)), None)
        if start is None:
            continue
        is_apposition = number > 0 and start == 0 and clause[0].kind == "deny"
        if _is_aside(clause[start]) or is_apposition or _is_contrast(clause[start:]):
            keys = [token.base for token in clause[start + 1 :] if token.kind in CONTENT]
            found.update(keys if len(keys) <= _MOST_ASIDE else ())
    return frozenset(found)


def _is_aside(token: Token) -> bool:
    return token.kind == "cue" and token.text.lower() in _ASIDE


def _is_contrast(tokens: Sequence[Token]) -> bool:
    return any(token.text in _CONTRAST for token in tokens)


_STATES = (
    ("on", "off"), ("enabled", "disabled"), ("open", "closed"), ("active", "inactive"), ("online", "offline"), ("up", "down"),
    ("married", "single"), ("married", "divorced"), ("locked", "unlocked"), ("available", "unavailable"), ("full", "empty"),
    ("开启", "关闭"), ("打开", "关闭"), ("开着", "关着"), ("启用", "停用"), ("启用", "禁用"),
    ("在线", "离线"), ("已婚", "未婚"), ("已婚", "离异"),
    ("空闲", "忙碌"), ("有效", "失效"),
)  # fmt: skip
"""States of which one thing has one at a time, each with what it turns to."""

_UNSAID = re.compile(r"\b(?:now|currently|already|again) |(?:现在|目前|已经|已(?!婚)|又)|[\s。.]+$|了[。.\s]*$| (?:now|again)[.\s]*$")


def say_switched(pair: Pair) -> Verdict | None:
    """Say where both are the same but for the state they end with: "is on", "is off"."""
    if pair.older.denials or pair.newer.denials or (pair.older.cues | pair.newer.cues) & PLANS:
        return None
    old, new = _ending(pair.older.text), _ending(pair.newer.text)
    if not (old.endswith(_ANY_STATE) and new.endswith(_ANY_STATE)):
        return None
    for one, other in _STATES:
        for was, turned in ((one, other), (other, one)):
            begins = old.removesuffix(was)
            if old.endswith(was) and new == begins + turned and (begins.endswith(" ") or begins[-1:] > "㐀"):
                return Verdict(Relation.REPLACES, "the same thing is told in the opposite state")
    return None


_ANY_STATE = tuple({state for states in _STATES for state in states})


@lru_cache(maxsize=4096)
def _ending(text: str) -> str:
    """Return a text without what may stand after the state that it ends with, or anywhere."""
    return _UNSAID.sub("", fold(text)).lower()


def say_ended(pair: Pair) -> Verdict | None:
    """Say where the newer tells that what the older tells has ended: "no longer drinks coffee"."""
    older, newer = pair.older, pair.newer
    if not newer.cues & _ENDS or older.cues & _ENDS or older.denials or not pair.is_about_same():
        return None
    if _tells_past(older):
        return None
    clause = next((clause for clause in newer.clauses() if any(token.key in _ENDS for token in clause)), newer.tokens)
    known = {token.base for token in older.content}
    keys = [_key_in(token, known) for token in clause if token.kind in CONTENT]
    ended = [key for key in keys if key not in LIGHT and key not in WEAK]
    unknown = [key for key in ended if key not in known]
    if not ended or len(unknown) * 2 > len(ended):
        return None
    if unknown or has_other_subject(older, newer):
        return Verdict(Relation.APART, "the newer says that something else than what the older tells is no longer so")
    if ends_partly(older, newer):
        return Verdict(Relation.MAY_CONTRADICT, "the newer says that what the older tells is no longer so at some time or place")
    return Verdict(Relation.REPLACES, "the newer says that what the older tells is no longer so")


def _tells_past(statement: Statement) -> bool:
    """Tell whether an English statement tells what somebody once did, at a time it names: "smoked in his twenties"."""
    keys = {token.key for token in statement.tokens}
    return any(key.endswith("~") for key in keys) and bool({"in", "at"} & keys) and not _NOW_SAID & keys


_NOW_SAID = words("is are am has have 's")


def _key_in(token: Token, known: set[str]) -> str:
    return token.other.rstrip("~") if token.other.rstrip("~") in known else token.base


def say_refilled(pair: Pair) -> Verdict | None:
    """Say where both tell the one value of the same thing, and tell it otherwise: "lives in …", "the deadline is …"."""
    older, newer = pair.older, pair.newer
    if older.denials or newer.denials:
        return None
    if not (slots(older) and slots(newer)):
        return None
    filled = [(one, other) for one in slots(older) for other in slots(newer) if _is_same_slot(one, _owned(other, one, newer))]
    if filled:
        return _of_values(pair, *filled[0])
    if {one.role for one in slots(older)} & {other.role for other in slots(newer)}:
        return Verdict(Relation.APART, "they tell the same of different things")
    return None


def _owned(slot: Slot, like: Slot, statement: Statement) -> Slot:
    """Return a slot whose owner an earlier sentence names, with that owner: "The team has changed. Sam is now the lead"."""
    if slot.owner or not like.owner or not slot.role == like.role == "@lead" or not statement.cues & CHANGES:
        return slot
    return slot._replace(owner=like.owner) if {*like.owner} <= _words(statement) | {token.key for token in statement.content} else slot


def _is_same_slot(one: Slot, other: Slot) -> bool:
    is_alike = one.role not in _MEASURED or _dimensions(one.value) == _dimensions(other.value)
    is_of_same = one.owner == other.owner and are_one(one.persons, other.persons)
    return one.role == other.role and is_of_same and is_alike and bool(one.kinds & other.kinds)


def _of_values(pair: Pair, one: Slot, other: Slot) -> Verdict:
    older, newer = pair.older.cues, pair.newer.cues
    if one.value <= other.value or other.value <= one.value:
        return Verdict(Relation.APART, "one says the same as the other, and more")
    if (newer | older) & PLANS:
        return Verdict(Relation.CONTRADICTS, "they tell the same thing otherwise, and one of them is a plan or a guess")
    if (newer & _PAST) - older and not newer & CHANGES:
        return Verdict(Relation.APART, "the newer tells what was, the older what is")
    if (older & _PAST) - newer:
        return Verdict(Relation.APART, "the older tells what was, the newer what is")
    if "more" in newer:
        return Verdict(Relation.APART, "the newer adds to the older")
    if one.is_single or other.is_single or newer & CHANGES:
        return Verdict(Relation.REPLACES, "both tell the one value of the same thing, and the newer tells another")
    if one.is_person or one.value & other.value:
        return Verdict(Relation.APART, "both tell of the same, and both may hold")
    if may_both_hold(pair):
        return Verdict(Relation.MAY_CONTRADICT, "both tell the same thing of one of a kind, and both may hold")
    return Verdict(Relation.CONTRADICTS, "both tell the same thing, and the values differ")


def _dimensions(value: frozenset[str]) -> set[str]:
    """Return what a value is made of apart from its figures: the kinds of its times, or else its units."""
    kinds = {key.partition(":")[0] for key in value if key.startswith(("date:", "time:", "weekday:", "month:"))}
    return kinds or {key for key in value if not key.startswith("num:")}
