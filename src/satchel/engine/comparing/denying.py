"""Whether one of two statements denies what the other says, or tells its end, of the same people and things (CNF-3).

It must not know what else they can be to each other. What is denied of somebody else, at another time or of another thing, denies nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from satchel.engine.comparing.hypernyms import of_a_kind
from satchel.engine.comparing.pairing import Pair, lead, size
from satchel.engine.comparing.qualifying import denies_part
from satchel.engine.comparing.statements import CONTENT, Statement, Token, read
from satchel.engine.comparing.words import LIGHT, PREDICATES, WEAK, words
from satchel.ports import Relation, Verdict

_SHORT = 2
_BRIEF = 6
"""Words of a statement of which each counts."""

_FIRST = 3
"""Words that a denial begins with."""

_WHOLLY = 3
"""Words beyond the verb that what is denied altogether has in common with what is said, before the rest may be otherwise put."""

_ANDS = words("and instead")
_EXCEPT = words("outsid except besid beyond apart 除")
_EVER = words("never none nobody nothing neither 从不 从来不 从未")
_NONE_OF = words("none neither")
_EVER_HAN = re.compile("从来?(?:没|不|未)|任何")
_UNTIL_NOW = re.compile(r"\b(?:as of|by|until|up to|to date)(?: \w+){0,2}$|(?:截至|截止到?|到)$")
_FOND = words("@like interest passion")
_ORS = words("or 或 或者")
_TIMES = ("date:", "weekday:", "time:", "every:", "part:", "month:")
_UNTOLD = (
    LIGHT
    | PREDICATES
    | WEAK
    | words("often usual realli current interest passion all ever num:1 everi time 只 条 个 常 有 很 太 最 能 可 以")
)
"""Words that one may lack, and still be denied by the other."""


def say_denied(pair: Pair) -> Verdict | None:
    """Say where one denies what the other says."""
    if bool(pair.older.denials or "stop" in pair.older.cues) == bool(pair.newer.denials or "stop" in pair.newer.cues):
        return None
    older, newer = _denials(pair.older), _denials(pair.newer)
    if bool(older) == bool(newer):
        return None
    denying, saying = (pair.older, pair.newer) if older else (pair.newer, pair.older)
    kinds = _Kinds.of(denying, saying)
    if not (kinds.names or pair.is_about_same()) or has_other_subject(saying, denying, kinds.known(saying)):
        return None
    said = _beyond(kinds.told(token.base for token in saying.content), saying)
    possible: Verdict | None = None
    for denial in older or newer:
        if _is_of_another(denial, denying, saying, kinds):
            continue
        if _is_denied(denial, denying, said, kinds):
            if denial.spared and not _are_several(denial.spared, saying):
                possible = Verdict(Relation.MAY_CONTRADICT, "one denies what the other says, but for something that may be what is meant")
                continue
            if not (denial.is_ever or kinds.names) and _are_brief(denying, saying) and denies_part(denying, saying):
                possible = Verdict(Relation.MAY_CONTRADICT, "one denies a part of what the other says, or denies it of another time")
                continue
            return Verdict(Relation.CONTRADICTS, "one denies what the other says")
        possible = possible or _say_partly(denial, denying, said, kinds)
    return possible


def _is_denied(denial: _Denial, denying: Statement, said: set[str], kinds: _Kinds) -> bool:
    is_said = any(_is_said(_beyond(keys, denying), said) for keys in denial.parts)
    if (is_said and denial.begins_with(said)) or (denial.is_short and set() < _beyond(denial.after, denying) <= said):
        return True
    denied = _beyond(denial.after, denying)
    if kinds.names & denied & said:
        return denial.begins_with(said, first=1) and _is_said(denied - _UNTOLD - kinds.names | kinds.names & said | denied & LIGHT, said)
    return denial.is_ever and _is_verb_said(denial, said) and size(denied & said) > _WHOLLY and size(denied & said) >= 0.5 * size(denied)


def _say_partly(denial: _Denial, denying: Statement, said: set[str], kinds: _Kinds) -> Verdict | None:
    """Say where what is denied altogether, or of a whole kind, is a good part of what is said."""
    denied = _beyond(denial.after, denying) - _UNTOLD
    common = denied & (said - _UNTOLD)
    if kinds.names & common and (denial.begins_with(said, first=1) or (LIGHT & {*denial.after[:1]} and LIGHT & said)):
        return Verdict(Relation.MAY_CONTRADICT, "one denies a kind of thing of which the other tells one")
    if _FOND & {*denial.after[:1]} and _FOND & said and common == denied:
        return Verdict(Relation.MAY_CONTRADICT, "one denies the liking that the other tells")
    if denial.is_ever and size(common) >= _WHOLLY and size(common) >= 0.5 * size(denied):
        return Verdict(Relation.MAY_CONTRADICT, "one denies altogether what the other tells in part")
    return None


def _is_verb_said(denial: _Denial, said: set[str]) -> bool:
    return next((key for key in denial.after if key not in WEAK), "") in said


def _are_several(spared: Sequence[str], saying: Statement) -> bool:
    """Tell whether several are told of what one alone is excepted of: "never outside his country", "in 15 countries"."""
    content = saying.content
    counted = (after.base for token, after in pairwise(content) if _COUNT.fullmatch(token.key))
    return any(key in spared for key in counted)


_COUNT = re.compile(r"num:(?!1$)\d+")


class _Kinds(NamedTuple):
    """Kinds of things that one statement denies, and what of them the other tells: keys of either."""

    names: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()

    @classmethod
    def of(cls, denying: Statement, saying: Statement) -> _Kinds:
        found = of_a_kind(denying.text, saying.text)
        return cls(_keys_of(name for name, _ in found), _keys_of(member for _, member in found)) if found else _NO_KINDS

    def known(self, saying: Statement) -> frozenset[str]:
        """Return what names nobody else: the kinds, what is of them, and all that hangs on a predicate that comes first."""
        begins = saying.content[0].base in LIGHT
        return self.names | self.members | {token.base for token in saying.content if begins} if self.names else self.names

    def told(self, keys: Iterable[str]) -> set[str]:
        """Return what is told, with the kind in the place of what is of it."""
        found = {*keys}
        return (found - self.members) | self.names if self.names else found


_NO_KINDS = _Kinds()


def _keys_of(named: Iterable[str]) -> frozenset[str]:
    statements = map(read, named)
    return frozenset(token.base for statement in statements if statement is not None for token in statement.content)


def has_other_subject(first: Statement, second: Statement, known: frozenset[str] = frozenset()) -> bool:
    """Tell whether either names, before anything that both tell, what the other does not name: "my guest eats", "I eat"."""
    return _begins_otherwise(first, second, known) or _begins_otherwise(second, first, known)


def _begins_otherwise(statement: Statement, other: Statement, alike: frozenset[str]) -> bool:
    known = alike | {token.base for token in other.content} | {token.other for token in other.content if token.other}
    for token in statement.content:
        if token.base in known or token.other in known:
            return False
        if token.base not in _UNTOLD and not token.key.startswith(_TIMES):
            return True
    return False


def _is_of_another(denial: _Denial, denying: Statement, saying: Statement, kinds: _Kinds) -> bool:
    """Tell whether what is denied has a name, a number or a time that the other lacks; in Chinese, whether either has any such word."""
    told, whole = ({token.base: token for token in side.content} for side in (saying, denying))
    denied = [whole[key] for key in denial.reach if key not in told and key not in _UNTOLD and key not in kinds.names]
    left = [token for key, token in told.items() if key not in whole and key not in _UNTOLD and key not in kinds.members]
    is_most_said = denial.is_ever and size({*denial.after} & told.keys()) >= _WHOLLY
    if (denying.is_chinese or saying.is_chinese) and not is_most_said:
        return bool(denied or left)
    return any(token.kind != "word" for token in denied) or bool(_are_brief(saying, denying) and denied and left)


def _are_brief(first: Statement, second: Statement) -> bool:
    return len(first.content) <= _BRIEF and len(second.content) <= _BRIEF


def _is_said(denied: set[str], said: set[str]) -> bool:
    common = size(denied & said)
    is_most = common >= 0.5 * size(said) or (common >= 2 and common >= 0.3 * size(said))
    return common >= 1 and common >= 0.6 * size(denied) and is_most


def _beyond(keys: Iterable[str], statement: Statement) -> set[str]:
    return {*keys} - WEAK - {key for part in lead(statement) for key in part}


class _Denial(NamedTuple):
    """What one clause denies or tells the end of, up to the next "and"; the whole clause; and the clause up to there.

    `spared`: what it excepts from that ("outside of …"). `is_ever`: it denies altogether ("never", "nobody").
    """

    after: tuple[str, ...]
    whole: tuple[str, ...]
    reach: tuple[str, ...]
    spared: tuple[str, ...]
    is_ever: bool

    @property
    def is_short(self) -> bool:
        """Whether next to nothing is denied but a predicate: "never lectured there"."""
        return len(self.after) <= _SHORT and self.whole[-len(self.after) :] == self.after

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        return (self.after, self.whole)

    def begins_with(self, said: set[str], first: int = _FIRST) -> bool:
        """Tell whether what is denied first is what was said: "does not like tea", not "does not like noise" beside "likes tea"."""
        keys = [key for key in self.after if key not in WEAK][:first]
        return sum(key in said for key in keys) * 2 > len(keys) or (len(keys) == 2 and keys[-1] in said)


@lru_cache(maxsize=4096)
def _denials(statement: Statement) -> list[_Denial]:
    found: list[_Denial] = []
    for clause in _denying_clauses(statement):
        start = next((at for at, token in enumerate(clause) if token.kind == "deny" or token.key == "stop"), None)
        if start is None:
            continue
        end = next((at for at in range(start + 2, len(clause)) if clause[at].key in _ANDS), len(clause))
        until = next((at for at in range(start + 2, end) if clause[at].base in _EXCEPT), end)
        spared = tuple(token.base for token in clause[until + 1 : end] if token.kind in CONTENT)
        told = [token for at, token in enumerate(clause) if not until <= at < end and not _is_until_now(clause, at)]
        whole = tuple(token.base for token in told if token.kind in CONTENT)
        reach = tuple(token.base for token in clause[:until] if token.kind in CONTENT and token in told)
        is_ever = clause[start].text.lower() in _EVER or _EVER_HAN.search("".join(token.text for token in clause)) is not None
        found += [
            _Denial(after, whole, reach, spared, is_ever)
            for after in _alternatives([token for token in clause[start:until] if token in told])
        ]
    return found


def _denying_clauses(statement: Statement) -> Sequence[Sequence[Token]]:
    """Return the clauses; where "none of" several begins them, all that follows is one, for it is denied."""
    if statement.tokens[0].text.lower() not in _NONE_OF:
        return statement.clauses()
    return [[token for clause in statement.clauses() for token in clause]]


def _is_until_now(clause: Sequence[Token], at: int) -> bool:
    """Tell whether a token is the time up to which something is denied: "as of 2024"."""
    token = clause[at]
    if token.kind != "value":
        return False
    return _UNTIL_NOW.search(" ".join(one.text.lower() for one in clause[max(at - 3, 0) : at])) is not None


def _alternatives(tokens: Sequence[Token]) -> list[tuple[str, ...]]:
    """Return the keys of what is denied, whole and by each "or": not this or that is neither."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token.key in _ORS:
            parts.append([])
        elif token.kind in CONTENT:
            parts[-1].append(token.base)
    whole = [key for part in parts for key in part]
    return [tuple(part) for part in ([whole, *parts] if len(parts) > 1 else [whole]) if part]
