"""Compares two short memories: the same, one in the other's place, in contradiction, or apart (CNF-1 to CNF-3).

It works without a model, in Chinese and English, and says why. It must not know records, scopes or what is done with a verdict. It would
rather say `apart` or ask than take two different things for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from satchel.engine.comparing.contradicting import say_about_to_change, say_differing, say_exchanged, say_parted, say_updated
from satchel.engine.comparing.denying import say_denied
from satchel.engine.comparing.doubting import say_possible
from satchel.engine.comparing.handing import say_handed
from satchel.engine.comparing.hypernyms import kindred_of
from satchel.engine.comparing.marks import are_opposed
from satchel.engine.comparing.pairing import CHANGES, Pair
from satchel.engine.comparing.persons import are_one, persons, speak_of_others
from satchel.engine.comparing.qualifying import weigh_by_time_and_part
from satchel.engine.comparing.replacing import say_corrected, say_ended, say_refilled, say_switched
from satchel.engine.comparing.revaluing import say_revalued
from satchel.engine.comparing.sameness import say_same
from satchel.engine.comparing.several import say_by_parts
from satchel.engine.comparing.slots import kindred_words as kindred_of_slots
from satchel.engine.comparing.statements import Statement, is_said_now, read
from satchel.engine.comparing.tools import tools_in, tools_like
from satchel.engine.comparing.turning import say_turned
from satchel.engine.comparing.turns import turn
from satchel.ports import Relation, Verdict

__all__ = ["compare", "is_said_now", "kindred_words", "may_be_same", "values_of"]

_RULES: tuple[Callable[[Pair], Verdict | None], ...] = (
    say_same,
    say_exchanged,
    say_corrected,
    say_turned,
    say_handed,
    say_ended,
    say_switched,
    say_revalued,
    say_refilled,
    say_denied,
    say_about_to_change,
    say_parted,
    say_updated,
    say_differing,
    say_possible,
)
"""The first that says anything decides."""

_OF_VALUES = frozenset({say_refilled, say_differing})
"""Those that find two values of one thing, which may hold of two parts of it or at two times."""


def compare(older: str, newer: str) -> Verdict:
    """Say how the newer text stands to the older, and why."""
    first, second = read(older), read(newer)
    if first is None or second is None:
        return Verdict(Relation.APART, "one of them is no short statement")
    verdict = _said(first, second)
    if verdict is None or verdict.relation in _WEAK_VERDICTS:
        return say_by_parts(first, second, _said) or verdict or Verdict(Relation.APART, "they speak of different things")
    return verdict


_WEAK_VERDICTS = frozenset({Relation.APART, Relation.MAY_CONTRADICT})


def kindred_words(text: str) -> str:
    """Return words that other memories may hold which say the same, or deny it, in other words; empty where there are none."""
    return f"{kindred_of_slots(text)} {kindred_of(text)} {_kindred_tools(text)}".strip()


def _kindred_tools(text: str) -> str:
    """Return the tools of a kind with one that a text says somebody changed to, where it does not say from which."""
    if not tools_in(text):
        return ""
    statement = read(text)
    changed = turn(statement) if statement is not None else None
    return tools_like(changed.come) if changed is not None and changed.come and not changed.gone else ""


def _said(older: Statement, newer: Statement) -> Verdict | None:
    pair = Pair.of(older, newer)
    is_weighed = older.is_plain and newer.is_plain and not speak_of_others(older, newer)
    for rule in _RULES if is_weighed else (say_same,):
        verdict = rule(pair)
        if verdict is not None:
            verdict = weigh_by_time_and_part(pair, verdict) if rule in _OF_VALUES else verdict
            return _of_several(pair, verdict) if pair.is_of_several() else verdict
    return None


def _of_several(pair: Pair, verdict: Verdict) -> Verdict:
    """Weigh a verdict on people without names: "my colleague lives in Rome" and "… in Oslo" may be two; a change told is one's, perhaps."""
    if verdict.relation in {Relation.SAME, Relation.APART}:
        return verdict
    if verdict.relation is not Relation.MAY_CONTRADICT and pair.newer.cues & (CHANGES | {"stop"}):
        return Verdict(Relation.CONTRADICTS, f"{verdict.reason}; but it may be somebody else who is meant")
    return Verdict(Relation.APART, "they tell of people without names, who may be two")


def may_be_same(older: str, newer: str) -> bool:
    """Tell whether two texts can say the same, whoever says that they do: their values, names, denials, persons and signs agree."""
    first, second = read(older), read(newer)
    if first is None or second is None:
        return first is second
    return values_of(older) == values_of(newer) and are_one(persons(first), persons(second)) and not are_opposed(first, second)


def values_of(text: str) -> Counter[str] | None:
    """Return the numbers, dates, times, names and denials of a text; None where it is no short statement.

    Two memories in which they differ do not say the same, whoever says so.
    """
    statement = read(text)
    if statement is None:
        return None
    return Counter([token.key for token in statement.content if token.kind in {"value", "name"}] + ["not"] * statement.denials)
