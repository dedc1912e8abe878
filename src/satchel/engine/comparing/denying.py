"""Whether one of two statements denies what the other says, or tells its end, of the same people and things (CNF-3).

It must not know what else they can be to each other. What is denied of somebody else, at another time or of another thing, denies nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from satchel.engine.comparing.pairing import Pair, lead, size
from satchel.engine.comparing.statements import CONTENT, Statement, Token
from satchel.engine.comparing.words import LIGHT, PREDICATES, WEAK, words
from satchel.ports import Relation, Verdict

_SHORT = 2
_BRIEF = 6
"""Words of a statement of which each counts."""

_FIRST = 3
"""Words that a denial begins with."""

_ANDS = words("and instead")
_ORS = words("or 或 或者")
_TIMES = ("date:", "weekday:", "time:", "every:", "part:", "month:")
_UNTOLD = LIGHT | PREDICATES | WEAK | words("often usual realli current everi time 常 有 很 太 最 能 可 以")
"""Words that one may lack, and still be denied by the other."""


def say_denied(pair: Pair) -> Verdict | None:
    """Say where one denies what the other says."""
    if bool(pair.older.denials or "stop" in pair.older.cues) == bool(pair.newer.denials or "stop" in pair.newer.cues):
        return None
    older, newer = _denials(pair.older), _denials(pair.newer)
    if bool(older) == bool(newer) or not pair.is_about_same():
        return None
    denying, saying = (pair.older, pair.newer) if older else (pair.newer, pair.older)
    said = _beyond({token.base for token in saying.content}, saying)
    for denial in older or newer:
        if has_other_subject(saying, denying) or _is_of_another(denial, denying, saying):
            continue
        is_said = any(_is_said(_beyond(keys, denying), said) for keys in denial.parts)
        if (is_said and denial.begins_with(said)) or (denial.is_short and set() < _beyond(denial.after, denying) <= said):
            return Verdict(Relation.CONTRADICTS, "one denies what the other says")
    return None


def has_other_subject(first: Statement, second: Statement) -> bool:
    """Tell whether either names, before anything that both tell, what the other does not name: "my guest eats", "I eat"."""
    return _begins_otherwise(first, second) or _begins_otherwise(second, first)


def _begins_otherwise(statement: Statement, other: Statement) -> bool:
    known = {token.base for token in other.content} | {token.other for token in other.content if token.other}
    for token in statement.content:
        if token.base in known or token.other in known:
            return False
        if token.base not in _UNTOLD and not token.key.startswith(_TIMES):
            return True
    return False


def _is_of_another(denial: _Denial, denying: Statement, saying: Statement) -> bool:
    """Tell whether what is denied has a name, a number or a time that the other lacks; in Chinese, whether either has any such word."""
    told, whole = ({token.base: token for token in side.content} for side in (saying, denying))
    denied = [whole[key] for key in denial.reach if key not in told and key not in _UNTOLD]
    left = [token for key, token in told.items() if key not in whole and key not in _UNTOLD]
    if denying.is_chinese or saying.is_chinese:
        return bool(denied or left)
    is_brief = len(saying.content) <= _BRIEF and len(denying.content) <= _BRIEF
    return any(token.kind != "word" for token in denied) or bool(is_brief and denied and left)


def _is_said(denied: set[str], said: set[str]) -> bool:
    common = size(denied & said)
    is_most = common >= 0.5 * size(said) or (common >= 2 and common >= 0.3 * size(said))
    return common >= 1 and common >= 0.6 * size(denied) and is_most


def _beyond(keys: Iterable[str], statement: Statement) -> set[str]:
    return {*keys} - WEAK - {key for part in lead(statement) for key in part}


class _Denial(NamedTuple):
    """What one clause denies or tells the end of, up to the next "and"; the whole clause; and the clause up to there."""

    after: tuple[str, ...]
    whole: tuple[str, ...]
    reach: tuple[str, ...]

    @property
    def is_short(self) -> bool:
        """Whether next to nothing is denied but a predicate: "never lectured there"."""
        return len(self.after) <= _SHORT and self.whole[-len(self.after) :] == self.after

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        return (self.after, self.whole)

    def begins_with(self, said: set[str]) -> bool:
        """Tell whether what is denied first is what was said: "does not like tea", not "does not like noise" beside "likes tea"."""
        first = [key for key in self.after if key not in WEAK][:_FIRST]
        return sum(key in said for key in first) * 2 > len(first) or (len(first) == 2 and first[-1] in said)


@lru_cache(maxsize=4096)
def _denials(statement: Statement) -> list[_Denial]:
    found: list[_Denial] = []
    for clause in statement.clauses():
        start = next((at for at, token in enumerate(clause) if token.kind == "deny" or token.key == "stop"), None)
        if start is None:
            continue
        end = next((at for at in range(start + 2, len(clause)) if clause[at].key in _ANDS), len(clause))
        whole = tuple(token.base for token in clause if token.kind in CONTENT)
        reach = tuple(token.base for token in clause[:end] if token.kind in CONTENT)
        found += [_Denial(after, whole, reach) for after in _alternatives(clause[start:end])]
    return found


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
