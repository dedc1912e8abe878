"""Statements that tell of several one after another, compared each with each: "Anna speaks French, while Ben speaks Greek" (CNF-3).

It must not know how two statements of one are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product

from satchel.engine.comparing.pairing import lead, size
from satchel.engine.comparing.statements import Statement, parts
from satchel.engine.comparing.words import WEAK
from satchel.ports import Relation, Verdict

_LEAST = 1.5
_MOST = 0.6
"""Of what a statement tells of somebody, as much as is told of another before it is the same that is told of that one."""

_SAME_HAN = 2
"""Characters with which two Chinese statements begin alike where they are about one."""

Said = Callable[[Statement, Statement], Verdict | None]


def say_by_parts(older: Statement, newer: Statement, said: Said) -> Verdict | None:
    """Compare what either tells of each with what the other tells of each: the first verdict that is more than a doubt decides."""
    olders, newers = parts(older), parts(newer)
    if len(olders) == len(newers) == 1:
        return None
    possible: Verdict | None = None
    for first, second in product(olders, newers):
        verdict = said(first, second)
        if verdict is None or verdict.relation in {Relation.SAME, Relation.APART}:
            continue
        if verdict.relation is Relation.MAY_CONTRADICT:
            possible = possible or verdict
        elif verdict.relation is Relation.REPLACES and len(olders) > 1:
            return Verdict(Relation.CONTRADICTS, f"{verdict.reason}; but the older tells more than that")
        else:
            return verdict
    if any(_is_told_of_other(one, newers) for one in olders) or any(_is_told_of_other(one, olders) for one in newers):
        return Verdict(Relation.CONTRADICTS, "what one tells of somebody, the other tells of another, and of that one something else")
    return possible


def _is_told_of_other(statement: Statement, several: Sequence[Statement]) -> bool:
    """Tell whether one of several tells of another what a statement tells, and the next something else of whom that is about."""
    for one, other in permutations(several, 2):
        begins, begins_otherwise = _common_subject(statement, one), _common_subject(statement, other)
        if not begins or begins_otherwise:
            continue
        told = {token.base for token in statement.content} - begins - WEAK
        of_other, of_same = ({token.base for token in side.content} & told for side in (other, one))
        if size(of_other) >= _LEAST and size(of_other) >= _MOST * size(told) and size(of_same) < size(told) / 2:
            return True
    return False


def _common_subject(first: Statement, second: Statement) -> set[str]:
    """Return the keys of whom both are about; nothing where that is not one and the same."""
    if first.is_chinese or second.is_chinese:
        alike = 0
        while alike < min(len(first.content), len(second.content)) and first.content[alike].key == second.content[alike].key:
            alike += 1
        return {token.base for token in first.content[:alike]} if alike >= _SAME_HAN else set()
    leads = [{key for part in lead(side) for key in part} for side in (first, second)]
    return leads[0] if leads[0] == leads[1] else set()
