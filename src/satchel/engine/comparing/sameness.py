"""Whether two statements say the same: equal words, values, names, denials and times, in an order that means the same (CNF-1).

It must not know what else they can be to each other. It is strict: what it takes for the same becomes one memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise

from satchel.engine.comparing.gist import Gist, gist, is_loose
from satchel.engine.comparing.marks import are_opposed
from satchel.engine.comparing.pairing import Pair, size, strong
from satchel.engine.comparing.persons import are_one, persons
from satchel.engine.comparing.statements import CONTENT, Statement, Token
from satchel.engine.comparing.words import FILLERS, WEAK, words
from satchel.ports import Relation, Verdict

_FREE = ("date:", "weekday:", "time:", "every:", "part:", "month:")
_UNTOLD = words("now more correct newly")
_REVERSIBLE = words("from to before after than over under by into without between until since @before @after")
_OPPOSED = (("来", "去"), ("上", "下"), ("早", "晚"), ("里", "外"))
"""Weak words that are not weak beside each other."""

_SHARED = 3
"""One word in so many that both have at least, however otherwise it is put."""

_LEAST = 2
"""Words that two memories must have in common beside weak ones before they are taken for the same."""

_PAST = "past"
"""A cue of which the gist knows more: "was written by Carlos" is "Carlos wrote"."""

_MODALS = words("@must @need")
"""Predicates that may stand anywhere in a Chinese statement of one clause, and mean the same."""

_LATER = ("postpon", "delay", "pushed back", "推迟", "延")
_EARLIER = ("brought forward", "提前")

_MEANS = "@use"
_USERS = words("user me us 用户")
_JOINTS = words("and @with")
_AND_HAN = frozenset("和与及")


def say_same(pair: Pair) -> Verdict | None:
    """Say where two statements are the same."""
    older, newer = pair.older, pair.newer
    if not _have_same_names(pair) and (pair.only_old or pair.only_new):
        return None  # most pairs, and the cheapest to tell: neither way to be the same is left
    if not are_one(persons(older), persons(newer)) or are_opposed(older, newer):
        return None
    if older.is_chinese and newer.is_chinese and _are_turned_users(older, newer):
        return None
    if _have_same_gist(pair):
        return Verdict(Relation.SAME, "the same in other words: values, names and denials agree")
    if pair.only_old or pair.only_new or older.denials != newer.denials or older.cues - _UNTOLD != newer.cues - _UNTOLD:
        return None
    if _told_cues(older) != _told_cues(newer):
        return None
    keys, new_keys = pair.counts, pair.new_counts
    if {*(keys - new_keys)} - FILLERS and {*(new_keys - keys)} - FILLERS:
        return None
    if size(strong(keys)) < _LEAST or not is_in_order(pair):
        return None
    return Verdict(Relation.SAME, "the same words, values and names, with nothing denied or dated otherwise")


def _have_same_gist(pair: Pair) -> bool:
    """Tell whether the two say the same once wording is put aside."""
    older, newer = pair.older, pair.newer
    if size(pair.shared) * _SHARED < min(size(pair.keys), size(pair.new_keys)):
        return False
    if older.is_chinese != newer.is_chinese or _told_cues(older) != _told_cues(newer) or not _have_same_names(pair):
        return False
    only = ({*pair.keys} - {*pair.new_keys}, {*pair.new_keys} - {*pair.keys})
    if any((one in only[0] and other in only[1]) or (other in only[0] and one in only[1]) for one, other in _OPPOSED):
        return False
    first, second = gist(older, pair.new_keys), gist(newer, pair.keys)
    if (first.is_past, first.predicates, first.times) != (second.is_past, second.predicates, second.times):
        return False
    if first.size() < 1 or not first.has_phrases_of(second):
        return False
    whole, other = [*first.whole], [*second.whole]
    if first.core == second.core:
        is_alike = whole == other or not _join_others(pair)  # "Anna likes Ben and Tom", "Anna and Ben like Tom"
    else:
        is_alike = first.clauses() == second.clauses() or _is_one_fuller(first, second)
    return is_alike or _is_turned(pair, whole, other) or _is_list_turned(pair, whole, other) or _is_means_moved(whole, other)


def _is_one_fuller(first: Gist, second: Gist) -> bool:
    """Tell whether one differs by a verb that says next to nothing; where both have one, they may say two things."""
    return first.bare() == second.bare() and (first.core == first.bare() or second.core == second.bare())


def _owners(statement: Statement) -> list[str]:
    """Return of whom something is told to be: the keys before "'s"."""
    return [token.key for token, after in pairwise(statement.tokens) if after.key == "'s"]


def _are_turned_owners(pair: Pair) -> bool:
    older, newer = _owners(pair.older), _owners(pair.newer)
    return bool(older and newer) and older != newer


_HAS = re.compile("(?:用户|我)的?[^是，]+是")
_IS_OF = re.compile("(?:用户|我)是.+的")


def _are_turned_users(older: Statement, newer: Statement) -> bool:
    """Tell whether the user has in one what he is in the other: "用户的上司是韩梅", "用户是韩梅的上司"."""
    return any(_HAS.match(one.text) and _IS_OF.match(other.text) for one, other in ((older, newer), (newer, older)))


def _join_others(pair: Pair) -> bool:
    """Tell whether both join things, and not the same ones: "Ben and Tom", "Anna and Ben"."""
    older, newer = _joined(pair.older), _joined(pair.newer)
    return bool(older and newer) and older != newer


@lru_cache(maxsize=4096)
def _joined(statement: Statement) -> frozenset[frozenset[str]]:
    """Return what stands on the two sides of each "and"."""
    sides = zip(statement.tokens, statement.tokens[1:], statement.tokens[2:], strict=False)
    return frozenset(frozenset({before.key, after.key}) for before, joint, after in sides if joint.key in _JOINTS)


def _told_cues(statement: Statement) -> set[str]:
    cues = {_told_cue(token) for token in statement.tokens if token.kind == "cue" and token.text.lower() != "will be"}
    return cues - _UNTOLD - {_PAST}


def _told_cue(token: Token) -> str:
    """Return the key of a cue; of a change, whether it makes something later or earlier."""
    if token.key != "change":
        return token.key
    text = token.text.lower()
    return "later" if text.startswith(_LATER) else "earlier" if text.startswith(_EARLIER) else token.key


def _have_same_names(pair: Pair) -> bool:
    older, newer = pair.counts, pair.new_counts
    return all(older[name] == newer[name] for side in (pair.older, pair.newer) for name in _names(side))


@lru_cache(maxsize=4096)
def _names(statement: Statement) -> frozenset[str]:
    return frozenset(token.key for token in statement.content if token.kind == "name")


def _is_means_moved(first: list[str], second: list[str]) -> bool:
    """Tell whether two differ by where it stands what something is done with: "用飞书管理任务", "任务用飞书管理"."""
    if first.count(_MEANS) != 1 or "|" in first or Counter(first) != Counter(second):
        return False
    start = next((at for at, keys in enumerate(zip(first, second, strict=True)) if keys[0] != keys[1]), 0)
    end = len(first) - next((at for at, keys in enumerate(zip(first[::-1], second[::-1], strict=True)) if keys[0] != keys[1]), 0)
    some, others = first[start:end], second[start:end]
    if _MEANS not in (some[0], others[0]):
        return False
    return any(some[at:] + some[:at] == others for at in range(1, len(some)))


def _is_turned(pair: Pair, first: list[str], second: list[str]) -> bool:
    """Tell whether a Chinese statement begins with what the other ends with."""
    if not pair.older.is_chinese or "|" in first or len(first) != len(second):
        return False
    if any([*first[at:], *first[:at]] == second for at in range(1, len(first))):
        return True
    if _MODALS.isdisjoint(first):
        return False
    first, second = ([key for key in keys if key not in _MODALS] for keys in (first, second))
    return any([*first[at:], *first[:at]] == second for at in range(1, len(first)))


def are_exchangeable(pair: Pair) -> bool:
    """Tell whether no word of direction makes an exchange of names another journey, another time: "from", "before"."""
    return not (_REVERSIBLE - {"by", "into"}) & {*pair.keys}


def is_in_order(pair: Pair) -> bool:
    """Tell whether the words stand in one order, but for what may move: times, clauses, one phrase, and names whose part is told."""
    if _times(pair.keys) != _times(pair.new_keys):
        return False
    older, newer = _clauses(pair.older, pair.keys), _clauses(pair.newer, pair.new_keys)
    first, second = [*chain.from_iterable(older)], [*chain.from_iterable(newer)]
    if _without_predicates(older) == _without_predicates(newer):
        return first == second or not _join_others(pair) or _is_list_turned(pair, first, second)
    if sorted(older) == sorted(newer):
        return True
    if "change" in pair.older.cues or _are_turned_owners(pair):
        return False  # "is replaced by" has two sides, and so has "is Helen's boss"
    turned = (first[at:] + first[:at] for at in range(1, len(first)) if _restricted(first) == _restricted(second))
    return second in turned or _is_list_turned(pair, first, second)


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
        elif token.key in _USERS and token.kind == "drop" and found[-1]:
            found[-1].append("user")
        elif token.kind in CONTENT and not (key := next(left)).startswith(_FREE) and key not in WEAK:
            found[-1][-1:] = sorted([*found[-1][-1:], key]) if is_joined else [*found[-1][-1:], key]
        is_joined = token.key == "and"
    return [clause for clause in found if clause]


def _without_predicates(clauses: Sequence[Sequence[str]]) -> list[str]:
    return [key for clause in clauses for key in clause if not is_loose(key)]


def _restricted(keys: Sequence[str]) -> list[str]:
    """Return what each "only" stands before."""
    return [after for key, after in zip(keys, [*keys[1:], ""], strict=True) if key == "@only"]


def _is_list_turned(pair: Pair, first: list[str], second: list[str]) -> bool:
    """Tell whether two Chinese statements differ by "A和B" for "B和A"."""
    joints = [token.text for side in (pair.older, pair.newer) for token in side.tokens if token.key == "@with"]
    if len(joints) != 2 or not _AND_HAN.issuperset(joints) or "@with" not in first:
        return False
    at = first.index("@with")
    before, after = first[:at], first[at + 1 :]
    return any(
        [*before[:start], *after[:length], "@with", *before[start:], *after[length:]] == second
        for start in range(at)
        for length in range(1, min(5, len(after) + 1))
        if start == 0 or length == at - start
    )
