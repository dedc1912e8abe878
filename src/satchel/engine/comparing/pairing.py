"""Two statements side by side: what they share, what only one has, and whom they are about.

It must not know what follows from it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import repeat
from typing import NamedTuple

from satchel.engine.comparing.statements import CONTENT, Statement, Token, read
from satchel.engine.comparing.words import LIGHT, PREDICATES, SEVERAL, SEVERAL_HAN, WEAK, words

CHANGES = words("change now correct newly")
"""Cues that something has become otherwise."""

PLANS = words("plan maybe")
"""Cues that something is not so, or not yet."""

COPULAS = frozenset("是在为叫于")
_USER = words("i my we our user 用户")


@dataclass(frozen=True)
class Pair:
    """Two statements and the keys of their content in order, counted in `counts`. `only_old` and `only_new` leave weak words out.

    What most pairs need not know to be told apart is counted when it is asked for.
    """

    older: Statement
    newer: Statement
    keys: tuple[str, ...]
    new_keys: tuple[str, ...]
    counts: Counter[str]
    new_counts: Counter[str]

    @classmethod
    def of(cls, older: Statement, newer: Statement) -> Pair:
        """Lay two statements side by side."""
        mine, theirs = _content(older), _content(newer)
        keys, old = _keys(mine, theirs)
        new_keys, new = _keys(theirs, mine)
        return cls(older, newer, keys, new_keys, old, new)

    @cached_property
    def shared(self) -> Counter[str]:
        """What both have."""
        # As `&`, which is Python's own loop over every key and twice slower.
        new = self.new_counts
        return Counter({key: min(count, new[key]) for key, count in self.counts.items() if key in new})

    @cached_property
    def only_old(self) -> Counter[str]:
        """What only the older has."""
        return _beyond(self.counts, self.new_counts)

    @cached_property
    def only_new(self) -> Counter[str]:
        """What only the newer has."""
        return _beyond(self.new_counts, self.counts)

    def told(self) -> float:
        """Return how much both tell, beyond whom they are about."""
        one, other = told(self.older, self.keys), told(self.newer, self.new_keys)
        return size(Counter({key: min(count, other[key]) for key, count in one.items() if key in other}))

    def is_about_same(self) -> bool:
        """Tell whether whom the older is about is named in the newer too, unless that is the user, or a predicate comes first."""
        begins = self.older.tokens[0]
        if begins.kind not in CONTENT and (self.older.is_chinese or begins.key in _USER):
            return True
        first = next(token for token in self.older.tokens if token.kind in CONTENT)
        known = {token.base for token in self.newer.content}
        return first.base in known or first.key in self.shared or first.base in LIGHT or first.key.startswith("@")

    def is_of_several(self) -> bool:
        """Tell whether both begin with somebody without a name of whom one may know several: "my cousin", "我同事"."""
        return _is_of_several(self.older) and _is_of_several(self.newer)

    def has_same_subject(self) -> bool:
        """Tell whether the subjects are the same, or share one of several; for Chinese, whether all before the predicate is the same."""
        if self.older.is_chinese or self.newer.is_chinese:
            before = _before_predicate(self.older)
            return before is not None and before == _before_predicate(self.newer)
        first, second = set(lead(self.older)), set(lead(self.newer))
        return first == second or (len(first) + len(second) > 2 and bool(first & second))


class _Content(NamedTuple):
    """What a statement brings to every pair: its tokens, their keys and these counted; `is_open`: a capital leaves one open."""

    tokens: tuple[Token, ...]
    keys: tuple[str, ...]
    counts: Counter[str]
    is_open: bool


@lru_cache(maxsize=4096)
def _content(statement: Statement) -> _Content:
    keys = tuple(token.key for token in statement.content)
    return _Content(statement.content, keys, Counter(keys), any(token.other for token in statement.content))


def _keys(mine: _Content, theirs: _Content) -> tuple[tuple[str, ...], Counter[str]]:
    """Return the keys of tokens, those that a capital leaves open as the other statement has them, and the keys counted."""
    if not mine.is_open:
        return mine.keys, mine.counts
    known = theirs.counts
    keys = tuple(token.other if token.other and token.other in known and token.key not in known else token.key for token in mine.tokens)
    return keys, Counter(keys)


def _beyond(keys: Counter[str], others: Counter[str]) -> Counter[str]:
    """Return the counted keys that the others lack, without weak words."""
    return Counter({key: more for key, count in keys.items() if (more := count - others.get(key, 0)) > 0 and key not in WEAK})


def strong(keys: Counter[str]) -> Counter[str]:
    """Return the counted keys without weak words."""
    return Counter({key: count for key, count in keys.items() if key not in WEAK})


def size(keys: Counter[str] | Iterable[str]) -> float:
    """Return how much words weigh: a Chinese character half as much as an English word."""
    counted = keys.items() if isinstance(keys, Counter) else zip(keys, repeat(1))
    return sum(count * (0.5 if len(key) == 1 and key > "㐀" else 1.0) for key, count in counted)


@lru_cache(maxsize=4096)
def told(statement: Statement, keys: tuple[str, ...]) -> Counter[str]:
    """Return what a statement tells beyond whom it is about."""
    return strong(Counter(key.rstrip("~") for key in keys[sum(map(len, lead(statement))) :]))


@lru_cache(maxsize=4096)
def lead(statement: Statement) -> list[tuple[str, ...]]:
    """Return whom or what an English statement is about: the names it begins with, one by one, or its first word and what numbers it.

    Of a Chinese one nothing is known: its words are not told apart.
    """
    found: list[list[str]] = [[]]
    if statement.is_chinese:
        return []
    is_user = any(token.key == "user" and token.kind == "drop" for token in statement.tokens[:2])
    for token in statement.tokens:
        if token.kind == "name" or (token.kind == "value" and found[-1]):
            found[-1].append(token.key)
        elif token.kind == "word" and not found[-1]:
            if len(found) > 1 or token.key.startswith("@") or is_user or statement.tokens[0].key in _USER:
                break
            found[-1].append(token.key)
        elif found[-1] and (token.key == "and" or token.text == ","):
            found.append([])
        elif found[-1] or token.kind in CONTENT:
            break
    return [tuple(part) for part in found if part]


def _is_of_several(statement: Statement) -> bool:
    first = next(token for token in statement.tokens if token.kind in CONTENT)
    if not statement.is_chinese:
        after = next((token for token in statement.content if token.at > first.at), None)
        return first.base in SEVERAL and not (after is not None and after.kind == "name" and after.at == first.end + 1)
    begins = statement.canonical[first.at :]
    word = next((word for word in _several_han() if begins.startswith(word)), None)
    return word is not None and _NICKNAME.match(begins[len(word) :]) is None


_NICKNAME = re.compile("[小老阿] (?![家婆公孩区师板人时学])")
"""How a name may begin that follows a word like "colleague": "同事小王"."""


@cache
def _several_han() -> tuple[str, ...]:
    return tuple(f"{found.canonical} " for word in sorted(SEVERAL_HAN) if (found := read(word)) is not None)


@lru_cache(maxsize=4096)
def _before_predicate(statement: Statement) -> list[str] | None:
    """Return what stands before the first copula or known predicate, and that; None where there is none."""
    found: list[str] = []
    for token in statement.tokens:
        if token.key in COPULAS or token.key in PREDICATES:
            return [*found, token.key]
        if token.kind in CONTENT and token.key not in WEAK:
            found.append(token.key)
    return None
