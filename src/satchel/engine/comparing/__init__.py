"""Compares two short memories: the same, one in the other's place, in contradiction, or apart (CNF-1 to CNF-3).

It works without a model, in Chinese and English, and says why. It must not know records, scopes or what is done with a verdict. It would
rather say `apart` or ask than take two different things for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from satchel.engine.comparing.contradicting import say_about_to_change, say_denied, say_differing, say_exchanged
from satchel.engine.comparing.pairing import Pair
from satchel.engine.comparing.replacing import say_corrected, say_ended, say_refilled
from satchel.engine.comparing.sameness import say_same
from satchel.engine.comparing.slots import kindred_words
from satchel.engine.comparing.statements import is_said_now, read
from satchel.ports import Relation, Verdict

__all__ = ["compare", "is_said_now", "kindred_words", "values_of"]

_RULES: tuple[Callable[[Pair], Verdict | None], ...] = (
    say_same,
    say_corrected,
    say_ended,
    say_refilled,
    say_denied,
    say_about_to_change,
    say_exchanged,
    say_differing,
)
"""The first that says anything decides."""


def compare(older: str, newer: str) -> Verdict:
    """Say how the newer text stands to the older, and why."""
    first, second = read(older), read(newer)
    if first is None or second is None:
        return Verdict(Relation.APART, "one of them is no short statement")
    pair = Pair.of(first, second)
    for rule in _RULES if first.is_plain and second.is_plain else (say_same,):
        verdict = rule(pair)
        if verdict is not None:
            return verdict
    return Verdict(Relation.APART, "they speak of different things")


def values_of(text: str) -> Counter[str] | None:
    """Return the numbers, dates, times, names and denials of a text; None where it is no short statement.

    Two memories in which they differ do not say the same, whoever says so.
    """
    statement = read(text)
    if statement is None:
        return None
    return Counter([token.key for token in statement.content if token.kind in {"value", "name"}] + ["not"] * statement.denials)
