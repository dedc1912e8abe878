"""What a statement says when its wording is put aside: keys of its core in order, and the phrases and times that may stand anywhere.

It must not know what follows when two gists are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from satchel.engine.comparing.chinese import DROPPED as DROPPED_HAN
from satchel.engine.comparing.english import DROPPED
from satchel.engine.comparing.statements import Statement, read
from satchel.engine.comparing.wordings import plainly
from satchel.engine.comparing.words import WEAK, words

_TIMES = ("date:", "weekday:", "time:", "every:", "part:", "month:", "everi")
_IN = {"in": "in", "on": "in", "at": "in"}
_PREPOSITIONS = words("in on at with for to from until since by before after into under over without between through during")
_BOUND = words("@only")
_GO = words("go goe")
_USERS = words("user me us 用户")
_CUES = words("now more correct newly plan past maybe stop ended change")
_EMPTY = words("take make made set provid hold serv act do perform carri conduct 做 搞 弄 办 完 成 花")
_OF = "of"
_AS_COMPOUND = words("of in for to")
_LINKS = frozenset("是在为于有被所")
_MARKS = words("| : 's")
_BREAKS = words("is are past has have do does the a an and my our his her their this that user") | _MARKS
"""Words at which a phrase that stands at the beginning is over: "in Lyon the user …"."""


class Gist(NamedTuple):
    """`whole`: the keys in order, but for phrases and times; `core`: those without predicates of the lexicon, and `predicates` these.

    `phrases`: each with the preposition that leads it; `times`: whatever tells when, each kind in its order.
    `is_past`: it tells what was, and not with a passive alone.
    """

    whole: tuple[str, ...]
    core: tuple[str, ...]
    predicates: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    times: tuple[str, ...]
    is_past: bool = False

    def size(self) -> float:
        """Return how much it says: a Chinese character counts half."""
        keys = [*self.core, *self.predicates, *self.times, *(key for phrase in self.phrases for key in phrase[1:])]
        return sum(0.5 if len(key) == 1 and key > "㐀" else 1.0 for key in keys)

    def has_phrases_of(self, other: Gist) -> bool:
        """Tell whether both have the same phrases: "the Bristol office" is the one in, of or for Bristol."""
        first, second = (sorted(gist.phrases, key=lambda phrase: phrase[1:]) for gist in (self, other))
        return len(first) == len(second) and all(
            one[1:] == two[1:] and (one[0] == two[0] or (_OF in (one[0], two[0]) and {one[0], two[0]} <= _AS_COMPOUND))
            for one, two in zip(first, second, strict=True)
        )

    def bare(self) -> tuple[str, ...]:
        """Return the core without verbs that say next to nothing: "takes place", "makes a call"."""
        return tuple(key for key in self.core if key not in _EMPTY)

    def clauses(self) -> Counter[tuple[str, ...]]:
        """Return the parts of the core between stops, as they may change places."""
        found: list[list[str]] = [[]]
        for key in self.core:
            if key == "|":
                found.append([])
            else:
                found[-1].append(key)
        return Counter(tuple(part) for part in found if part)


def gist(statement: Statement, known: Collection[str]) -> Gist:
    """Return the gist; `known` are the keys of the other statement, by which a capital at the beginning is told."""
    begins = next((token for token in statement.content if token.other), None)
    is_otherwise = begins is not None and begins.other in known and begins.key not in known
    return _gist(statement.text, is_otherwise)


@lru_cache(maxsize=4096)
def _gist(text: str, is_otherwise: bool) -> Gist:
    statement = read(text)
    assert statement is not None
    keys = [key for at in range(len(statement.tokens)) for key in _written(statement, at, is_otherwise)]
    plain = plainly(" ".join(keys), is_chinese=statement.is_chinese)
    names = {token.key for token in statement.content if token.kind == "name"}
    told = plain.split(" ")
    found = _chinese(told) if statement.is_chinese else _english(told, names)
    return found._replace(is_past="past" in told)


def _written(statement: Statement, at: int, is_otherwise: bool) -> Iterator[str]:
    """Yield what stands for one token."""
    token = statement.tokens[at]
    is_filler = statement.is_chinese and token.kind == "drop" and len(token.key) > 1 and token.key != "用户"
    if is_filler or token.text.lower() == "will be":
        return
    if token.key in _GO and at + 1 < len(statement.tokens) and statement.tokens[at + 1].text.endswith("ing"):
        return
    yield token.other if is_otherwise and token.other else token.key


def is_loose(key: str) -> bool:
    """Tell whether a key is a predicate of the lexicon, whose place says nothing; that of "only" does."""
    return key.startswith("@") and key not in _BOUND


def _chinese(keys: list[str]) -> Gist:
    kept = [key for key in keys if key == "|" or not (key in DROPPED_HAN or key in WEAK or key in _CUES or key in _MARKS)]
    return _sorted([key for at, key in enumerate(kept) if key not in _LINKS and not (key == "用户" and _begins(kept[:at]))], [])


def _begins(before: Sequence[str]) -> bool:
    """Tell whether what comes now begins its clause: there the user is who is meant anyway, elsewhere not."""
    return next((key == "|" for key in reversed(before) if not key.startswith((*_TIMES, "@"))), True)


def _english(keys: list[str], names: Collection[str]) -> Gist:
    """Take phrases that begin with a preposition, and names before a noun, out of the core: they may stand before or after."""
    core: list[str] = []
    phrases, beside = list[list[str]](), list[list[str]]()
    is_inside = False
    compound = _compounds(keys, names)
    for at, key in enumerate(keys):
        if at in compound:
            names_before = beside.pop() if at - 1 in compound else [_OF]
            beside.append([*names_before, key])
            continue
        if key in _PREPOSITIONS:
            phrases.append([_IN.get(key, key)])
            is_inside = True
            continue
        if is_inside and key in {"the", "a", "an", "my", "our", "his", "her", "their", "user"} and len(phrases[-1]) == 1:
            continue
        is_after_name = is_inside and phrases[-1][-1] in names and key not in names
        if is_after_name or key in _BREAKS or key.startswith("@"):
            is_inside = False
        if key.startswith(_TIMES) and is_inside and len(phrases[-1]) == 1:
            is_inside = False
        if key == "|" or (key in _USERS and not is_inside and not _begins(core)):
            core.append(key)
        elif key not in DROPPED and key not in WEAK and key not in _CUES and key not in _MARKS:
            (phrases[-1] if is_inside and not key.startswith(_TIMES) else core).append(key)
    return _sorted(core, [phrase for phrase in (*phrases, *beside) if len(phrase) > 1])


def _compounds(keys: Sequence[str], names: Collection[str]) -> set[int]:
    """Return the places of names between an article and a noun: "the Bristol office"."""
    found: set[int] = set()
    for at, key in enumerate(keys):
        end = at + 1
        while key in {"the", "a", "an"} and end < len(keys) and keys[end] in names:
            end += 1
        is_noun = end < len(keys) and not (keys[end] in _BREAKS or keys[end] in _PREPOSITIONS or ":" in keys[end] or keys[end][0] == "@")
        found.update(range(at + 1, end) if is_noun and keys[end] not in DROPPED else ())
    return found


def _sorted(core: list[str], phrases: list[list[str]]) -> Gist:
    return Gist(
        tuple(key for key in core if not key.startswith(_TIMES)),
        tuple(key for key in core if not is_loose(key) and not key.startswith(_TIMES)),
        tuple(sorted(key for key in core if is_loose(key))),
        tuple(sorted(tuple(phrase) for phrase in phrases)),
        tuple(sorted((key for key in core if key.startswith(_TIMES)), key=lambda key: key.split(":")[0])),
    )
