"""Whether two statements say the same: equal words, values, names, denials and times, in an order that means the same (CNF-1).

It must not know what else they can be to each other. It is strict: what it takes for the same becomes one memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from satchel.engine.comparing.pairing import Pair, size, strong
from satchel.engine.comparing.statements import CONTENT, Statement
from satchel.engine.comparing.words import FILLERS, WEAK, words
from satchel.ports import Relation, Verdict

_FREE = ("date:", "weekday:", "time:", "every:", "part:", "month:")
_UNTOLD = words("now more correct newly")
_REVERSIBLE = words("from to before after than over under by into without between until since @before @after")
_PARTS = {"in": "in", "at": "in", "on": "in", "with": "with", "for": "for", "of": "of", "to": "to"}
_ARTICLES = words("the a an")
_LEAST = 2
"""Words that two memories must have in common beside weak ones before they are taken for the same."""

_AND_HAN = frozenset("和与及")


def say_same(pair: Pair) -> Verdict | None:
    """Say where two statements are the same."""
    older, newer = pair.older, pair.newer
    if pair.only_old or pair.only_new or older.denials != newer.denials or older.cues - _UNTOLD != newer.cues - _UNTOLD:
        return None
    keys, new_keys = Counter(pair.keys), Counter(pair.new_keys)
    if {*(keys - new_keys)} - FILLERS and {*(new_keys - keys)} - FILLERS:
        return None
    if size(strong(keys)) < _LEAST or not is_in_order(pair):
        return None
    return Verdict(Relation.SAME, "the same words, values and names, with nothing denied or dated otherwise")


def are_exchangeable(pair: Pair) -> bool:
    """Tell whether no word of direction makes an exchange of names another journey, another time: "from", "before"."""
    return not (_REVERSIBLE - {"by", "into"}) & {*pair.keys}


def is_in_order(pair: Pair) -> bool:
    """Tell whether the words stand in one order, but for what may move: times, clauses, one phrase, and names whose part is told."""
    if _times(pair.keys) != _times(pair.new_keys):
        return False
    older, newer = _clauses(pair.older, pair.keys), _clauses(pair.newer, pair.new_keys)
    if _without_predicates(older) == _without_predicates(newer) or sorted(older) == sorted(newer):
        return True
    first, second = [*chain.from_iterable(older)], [*chain.from_iterable(newer)]
    turned = (first[at:] + first[:at] for at in range(1, len(first)))
    return second in turned or _is_list_turned(pair, first, second) or _are_parts_told(pair, first, second)


def _times(keys: Sequence[str]) -> list[str]:
    """Return the times of a statement, those of one kind in their order."""
    return sorted((key for key in keys if key.startswith(_FREE)), key=lambda key: key.split(":")[0])


def _clauses(statement: Statement, keys: Sequence[str]) -> list[list[str]]:
    """Return the keys that have an order clause by clause, denials among them, "b and a" as "a and b"."""
    found: list[list[str]] = [[]]
    left = iter(keys)
    is_joined = False
    for token in statement.tokens:
        if token.kind == "stop":
            found.append([])
        elif token.kind == "deny":
            found[-1].append("not")
        elif token.kind in CONTENT and not (key := next(left)).startswith(_FREE) and key not in WEAK:
            found[-1][-1:] = sorted([*found[-1][-1:], key]) if is_joined else [*found[-1][-1:], key]
        is_joined = token.key == "and"
    return [clause for clause in found if clause]


def _without_predicates(clauses: Sequence[Sequence[str]]) -> list[str]:
    return [key for clause in clauses for key in clause if not key.startswith("@")]


def _is_list_turned(pair: Pair, first: list[str], second: list[str]) -> bool:
    """Tell whether two Chinese statements differ by "A和B" for "B和A"."""
    joints = [token.text for side in (pair.older, pair.newer) for token in side.tokens if token.key == "@with"]
    if len(joints) != 2 or not _AND_HAN.issuperset(joints) or "@with" not in first:
        return False
    at = first.index("@with")
    before, after = first[:at], first[at + 1 :]
    return any([*after[:length], "@with", *before, *after[length:]] == second for length in range(1, min(5, len(after))))


def _are_parts_told(pair: Pair, first: Sequence[str], second: Sequence[str]) -> bool:
    """Tell whether the order cannot matter: English, at most one number, and each name in the same part, told by its preposition."""
    if pair.older.is_chinese or pair.newer.is_chinese or _REVERSIBLE & {*pair.keys, *pair.new_keys} or pair.older.denials:
        return False
    if sum(key.startswith("num:") for key in pair.keys) > 1:
        return False
    older, newer = _parts(pair.older), _parts(pair.newer)
    if older.keys() != newer.keys() or not all(_is_same_part(older[name], newer[name]) for name in older):
        return False
    subjects = [name for name, part in older.items() if not part]
    return not subjects or (len(subjects) == 1 and (first[0] == second[0] or any(key.startswith("@") for key in first)))


def _is_same_part(one: str, other: str) -> bool:
    return one == other or ("compound" in (one, other) and {one, other} <= {"compound", "in", "for", "of"})


def _parts(statement: Statement) -> dict[str, str]:
    """Return for each name, several words taken as one, the part it has: the preposition before it, `compound`, or "" for neither."""
    found: dict[str, str] = {}
    name, part, before = "", "", ""
    for token in (*statement.tokens, None):
        if token is not None and token.kind == "name":
            name = f"{name} {token.key}"
            continue
        if name:
            is_compound = before in _ARTICLES and token is not None and token.kind == "word"
            found[name.strip()] = "of" if token is not None and token.key == "'s" else "compound" if is_compound else part
            name = ""
        if token is not None:
            before = token.key
            part = part if before in _ARTICLES else _PARTS.get(before, "")
    return found
