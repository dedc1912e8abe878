"""Whether a newer statement tells of a part, of a while or of time to come: "for students", "in winter", "will", 暂时 (CNF-2, CNF-3).

It must not know how two statements were found to differ. What holds of a part holds beside what is told of the whole, and what will be so
is not so yet: neither takes the place of the present and the general.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from satchel.engine.comparing.pairing import PLANS, Pair
from satchel.engine.comparing.statements import CONTENT, Statement, Token
from satchel.engine.comparing.turn_patterns import LIMITS_HAN
from satchel.engine.comparing.words import WEAK, words
from satchel.engine.text.segmenting import fold
from satchel.ports import Relation, Verdict

_LEADS = words("for on in at dure when while if unless under because without as until till before after outsid insid between over")
"""Words that what limits a statement begins with; "during" as it is stemmed."""

_NESTING = words("in at on")
_AT_HOME = words("@live @work change")
_RECURRING = ("part:", "every:", "everi", "weekday:")
_SOMETIMES = words("most sometim occasion often weekend season summer winter autumn spring usual")
_TIMES = ("date:", "weekday:", "time:", "month:")
_ABOVE_ALL = words("@only primarili mainli main sole first origin exclus 主要")
_COMMAS = frozenset(",，(（)、")
_CLOCK = words("noon midnight")
_ARTICLES = words("the a an my our your his her their its 's")
_YEAR = re.compile(r"num:(?:19|20)\d\d|date:(?:19|20)\d\d.*")
_SPAN = re.compile(r"num:\S+")
_HOW = words("well fluent much good yet enough rare alway @always")
_WHERE_OR_WHEN = words("before after until from outsid outside insid inside except besid")

_AWHILE = re.compile(
    r"\b(?:temporarily|for now|for the time being|for the moment|this (?:week|month|summer|winter|autumn|spring|weekend)|tonight|while)\b"
    "|暂时|临时|暂住|这段时间|这几天|这周|本周|今晚|的时候|期间|每[周天月年晚]|周末|[夏冬春秋][天季]|小时候|对[^，。]{1,8}(?:来说|而言|是)"
    "|在[^，。]{1,6}(?:环境|模式|情况)",
    re.IGNORECASE,
)
_COMING = re.compile(
    r"\b(?:will|shall|going to)\b|'ll\b|\b(?:am|is|are) (?:moving|relocating|starting|switching|changing|transferring)\b"
    r"|'(?:m|s|re) (?:moving|relocating|starting|switching|changing|transferring)\b"
    "|将(?![近就军来])|即将|(?<![站周例年晚早班大开聚社机审])会(?=[住搬去换])"
    "|(?:(?:明|后|来)年|下个?(?:周|月|星期|季度|学期|半年)|明天|后天)[^，。]{0,6}(?:[住搬去]|在[^，。]{1,6}工作)",
    re.IGNORECASE,
)


def weigh_by_time_and_part(pair: Pair, verdict: Verdict) -> Verdict:
    """Weigh a verdict that puts away or asks: what is of a part may hold beside it, and what is to come is asked about."""
    if verdict.relation not in {Relation.REPLACES, Relation.CONTRADICTS}:
        return verdict
    if _ABOVE_ALL & {*pair.only_new}:
        return verdict  # it says itself that nothing else holds
    older, newer = pair.older, pair.newer
    is_planned = (is_coming(newer) or "plan" in newer.cues) and "maybe" not in newer.cues and not older.cues & PLANS
    if is_planned and not is_coming(older) and not (older.denials or newer.denials) and _tells_when(older, newer):
        return Verdict(Relation.MAY_CONTRADICT, "the newer tells what will be so later, and until then the older holds")
    if "stop" not in newer.cues and not (older.denials or newer.denials) and tells_of_part(older, newer):
        return Verdict(Relation.MAY_CONTRADICT, "the newer tells of a part or a while, and the older may hold beside it")
    is_put_away = verdict.relation is Relation.REPLACES
    if is_put_away and is_coming(newer) and not is_coming(older) and not newer.cues & PLANS:
        return Verdict(Relation.CONTRADICTS, f"{verdict.reason}; but the newer tells what is to come")
    return verdict


_WHEN = re.compile(
    r"\b(?:next|from|in|on|after|by|as of|later) (?:the )?(?:\w+ )?(?:week|month|year|spring|summer|autumn|fall|winter|january"
    r"|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d{4}|\d)"
    r"|\btomorrow\b|(?:[明后来]年|下个?(?:周|月|星期|季度|学期|半年)|明天|后天|[\d一二三四五六七八九十]+[年月日号]|年底|月底)[\w]*?",
    re.IGNORECASE,
)


def _tells_when(older: Statement, newer: Statement) -> bool:
    """Tell whether the newer says when it will be so, and the older has no such time."""
    return _WHEN.search(fold(newer.text)) is not None and _WHEN.search(fold(older.text)) is None


@lru_cache(maxsize=4096)
def is_coming(statement: Statement) -> bool:
    """Tell whether a statement tells what is not so yet: "will live", "is moving to", 将住在."""
    return _COMING.search(fold(statement.text).replace("’", "'")) is not None


def tells_of_part(older: Statement, newer: Statement) -> bool:
    """Tell whether the newer limits what it tells by words that the older lacks."""
    awhile = {found.group().lower() for found in _AWHILE.finditer(fold(newer.text))}
    if any(found not in fold(older.text).lower() for found in awhile):
        return True
    if older.is_chinese or newer.is_chinese:
        return False
    groups, others = [*_groups(newer, older)], [*_groups(older, newer)]
    if _counts_more(newer) > _counts_more(older) and not {token.key for token in newer.content} <= {token.key for token in older.content}:
        return True
    if any(_recurs(group, older, newer) for group in groups):
        return True
    if len(groups) <= len(others):
        return False
    values = [group for group in groups if not group.lead] or groups[:1]
    return any(_limits(group, values, newer) for group in groups if group not in values)


def ends_partly(older: Statement, newer: Statement) -> bool:
    """Tell whether a Chinese end is told of a time or a place that the older does not name: 周末不…了, 在家不…了."""
    if not newer.is_chinese:
        return False
    text = fold(newer.text)
    before = text[: found.start()] if (found := _ENDING_HAN.search(text)) is not None else text
    limits = {match.group() for match in LIMITS_HAN.finditer(before)}
    return any(limit not in fold(older.text) for limit in limits)


_ENDING_HAN = re.compile("再也不|不|戒|停|别|没")


class _Group(NamedTuple):
    """Words that stand together and the other statement lacks, and the preposition that leads them."""

    lead: str
    tokens: tuple[Token, ...]


def _groups(statement: Statement, other: Statement) -> Iterator[_Group]:
    known = _known(other)
    lead, found = "", list[Token]()
    for token in statement.tokens:
        is_extra = token.kind in CONTENT and token.base not in known and token.other.rstrip("~") not in known and token.key not in _LEADS
        if is_extra and token.key not in WEAK:
            found.append(token)
            continue
        if token.key not in _ARTICLES and token.text.strip() not in _COMMAS:
            if found:
                yield _Group(lead, tuple(found))
            lead, found = token.key if token.key in _LEADS else "", []
    if found:
        yield _Group(lead, tuple(found))


def _known(statement: Statement) -> frozenset[str]:
    return frozenset({token.base for token in statement.content} | {token.other.rstrip("~") for token in statement.content if token.other})


def _limits(group: _Group, values: list[_Group], newer: Statement) -> bool:
    """Tell whether a group limits the value beside it, and is no nearer account of it: "in Munich in Germany", "on 3 May at noon"."""
    keys = [token.key for token in group.tokens]
    is_home = any(token.key in _AT_HOME for token in newer.tokens)
    is_timed = all(key.startswith(_TIMES) or key in _CLOCK or _YEAR.fullmatch(key) for key in keys)
    if not group.lead:
        return False
    if is_timed and any(key.startswith(_TIMES) for value in values for key in (token.key for token in value.tokens)):
        return False
    if is_home:
        if group.lead in _NESTING and all(token.kind == "name" for token in group.tokens):
            return False
        if "change" in newer.cues:
            return any(map(_YEAR.fullmatch, keys)) or (group.lead == "for" and _SPAN.fullmatch(keys[0]) is not None)
        if group.lead == "for":
            return _SPAN.fullmatch(keys[0]) is not None and "now" not in newer.cues
        return group.lead not in _NESTING or is_timed or bool(_SOMETIMES & {*keys})
    return not ("change" in newer.cues and is_timed)


def _recurs(group: _Group, older: Statement, newer: Statement) -> bool:
    """Tell whether a group tells of certain days or parts of the day, where the older tells of all."""
    if any(token.key.startswith(_RECURRING) for token in older.tokens) or not any(
        token.key in {"@live", "@work"} for token in newer.tokens
    ):
        return False
    return any(token.key.startswith(_RECURRING) or token.key in _SOMETIMES for token in group.tokens)


@lru_cache(maxsize=4096)
def _counts_more(statement: Statement) -> int:
    """Return how many words follow a measured value that ends a statement, beyond its unit: "30 days off-site"."""
    tokens = statement.tokens
    at = next((at for at in range(len(tokens) - 1, -1, -1) if tokens[at].key.startswith("num:")), None)
    if at is None or any(token.kind not in CONTENT for token in tokens[at:]):
        return 0
    return max(0, sum(":" not in token.key for token in tokens[at + 1 :]) - 1)


def denies_part(denying: Statement, saying: Statement) -> bool:
    """Tell whether what one denies is a part of what the other says, or of another time: "raw fish", "well", "before 2010"."""
    if denying.is_chinese or saying.is_chinese:
        return False
    return _narrows(denying, saying) or any(group.lead for group in _groups(saying, denying))


def _narrows(denying: Statement, saying: Statement) -> bool:
    known = _known(saying)
    if any(group.lead and not _is_until_now(group) for group in _groups(denying, saying)):
        return True
    start = next((at for at, token in enumerate(denying.tokens) if token.kind == "deny" or token.key == "stop"), 0)
    after = denying.tokens[start + 1 :]
    for at, token in enumerate(after):
        if token.kind not in CONTENT or token.base in known:
            if token.key == "'s" and at and after[at - 1].base in known and any(one.kind in CONTENT for one in after[at + 1 :]):
                return True
            continue
        if token.base in _HOW | _WHERE_OR_WHEN:
            return True
        is_before_known = at + 1 < len(after) and after[at + 1].kind in CONTENT and after[at + 1].base in known and at > 0
        if is_before_known and after[at - 1].base in known:
            return True
    return False


def _is_until_now(group: _Group) -> bool:
    return group.lead in {"as", "until"} and all(_YEAR.fullmatch(token.key) or token.key.startswith(_TIMES) for token in group.tokens)
