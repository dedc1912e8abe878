"""Whether two statements that may both hold are so much alike that one may contradict the other: asked, and nothing waits for it (CNF-3).

The same of the same with another value; the same event in another year, or told of another; who does it to whom, the other way round. It
must not know what else two statements can be to each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from satchel.engine.comparing.contradicting import LISTED_VERBS, differ_by_label, is_one_place, is_same_predicate
from satchel.engine.comparing.pairing import CHANGES, PLANS, Pair, lead, size, told
from satchel.engine.comparing.professions import are_two_professions
from satchel.engine.comparing.statements import CONTENT, Statement, Token
from satchel.engine.comparing.words import PREDICATES, WEAK
from satchel.ports import Relation, Verdict

_LEAST = 3
"""Words beyond its subject that two statements share at least."""

_SHARE = 0.5
"""Of what the shorter of two tells beyond its subject."""

_MOST = 0.6
"""The same, where they share a word less."""

_SPECIFIC = 4
"""Words that are told of another at least, before it may be meant of the first."""

_TIMED = ("weekday:", "part:", "every:", "month:", "date:", "time:", "everi")
_YEAR = re.compile(r"num:(?:19|20)\d\d|date:\d{4}")
_JOINT = re.compile(r"co(?:found|author|host|own|writ|wrot|direct|organ|creat|produc|chair|develop)|collabor|marri|met$")
"""What several do together, and mostly once: "co-founded", "met", "collaborated on"."""

_JOINT_HAN = re.compile("共 ?同|合 (?:伙|著|写|办|作)|联 合|结 婚|结 识|相 识|相 遇")
_HABITS = LISTED_VERBS | PREDICATES
"""What several people do, or what one does with several things."""

_SEVERAL_VERBS = LISTED_VERBS - {"@like"}

_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严"
)
_EVENT_HAN = frozenset("过了曾")


def say_possible(pair: Pair) -> Verdict | None:
    """Say where one may contradict the other, though both may hold."""
    older, newer = pair.older, pair.newer
    if older.denials or newer.denials or older.is_chinese != newer.is_chinese or not (pair.only_old and pair.only_new):
        return None
    if "more" in newer.cues or (older.cues ^ newer.cues) & (PLANS | CHANGES | {"stop", "ended", "past"}):
        return None
    return _in_chinese(pair) if older.is_chinese else _in_english(pair)


def _in_english(pair: Pair) -> Verdict | None:
    if not pair.has_same_subject():
        return _exchanged(pair) or _of_another(pair)
    if are_two_professions(pair.older, pair.newer):
        return Verdict(Relation.MAY_CONTRADICT, "one is told to be two things by profession")
    first, second = _told(pair.older, pair.keys), _told(pair.newer, pair.new_keys)
    is_joint = len(lead(pair.older)) > 1 and {*lead(pair.older)} == {*lead(pair.newer)}
    if is_joint and not _is_timed(pair) and any(_JOINT.match(key) for key in first & second):
        return _in_another_year() if _is_other_year(pair) else _with_another_value()
    if not is_same_predicate(pair):
        return None
    shared, least = size(first & second), min(size(first), size(second))
    if _SEVERAL_VERBS & {*first & second} and not is_joint:
        return None
    if _is_other_year(pair):
        return _in_another_year() if shared >= _LEAST else None
    if _is_timed(pair) or differ_by_label(pair):
        return None
    if shared >= max(_LEAST, _SHARE * least):
        return _with_another_value()
    if shared >= max(_LEAST - 1, _MOST * least) and not LISTED_VERBS & {*first & second} and lead(pair.older):
        return _with_another_value()
    is_of_both = is_joint and shared >= _LEAST - 1 and _is_of_both(pair.older) and _is_of_both(pair.newer)
    return _with_another_value() if is_of_both else None


def _told(statement: Statement, keys: Sequence[str]) -> Counter[str]:
    """Return what a statement tells beyond whom it is about, and when."""
    return Counter({key: count for key, count in told(statement, keys).items() if not key.startswith(_TIMED)})


def _is_of_both(statement: Statement) -> bool:
    return any(token.text.lower() == "both" for token in statement.tokens)


def _with_another_value() -> Verdict:
    return Verdict(Relation.MAY_CONTRADICT, "the same is told of the same with another value, and both may hold")


def _in_another_year() -> Verdict:
    return Verdict(Relation.MAY_CONTRADICT, "the same event is told of another year, and may have been one")


def _is_other_year(pair: Pair) -> bool:
    return all(_YEAR.fullmatch(key) for key in (*pair.only_old, *pair.only_new))


def _is_timed(pair: Pair) -> bool:
    """Tell whether they differ by times alone on one side: what is done at two times is done twice."""
    return any(all(key.startswith(_TIMED) or _YEAR.fullmatch(key) for key in only) for only in (pair.only_old, pair.only_new))


def _of_another(pair: Pair) -> Verdict | None:
    """Say where something particular, told of one by name, is told of another."""
    leads = [{key for part in lead(side) for key in part} for side in (pair.older, pair.newer)]
    names = {token.key for side in (pair.older, pair.newer) for token in side.content if token.kind == "name"}
    if not all(leads) or leads[0] & leads[1] or not all(keys & names for keys in leads):
        return None
    rest = pair.shared
    if size(rest) < _SPECIFIC or size({*pair.only_old} - leads[0]) + size({*pair.only_new} - leads[1]) > 1:
        return None
    first = next((key.rstrip("~") for key in _after_lead(pair.older) if key not in WEAK), "")
    is_particular = names & {*rest} or "past" in pair.older.cues & pair.newer.cues
    if first in _HABITS or not (is_particular or size(key for key in rest if not key.startswith(_TIMED)) > _SPECIFIC):
        return None
    return _told_of_another()


def _told_of_another() -> Verdict:
    return Verdict(Relation.MAY_CONTRADICT, "the same is told of another, and it may be one of them alone")


def _after_lead(statement: Statement) -> list[str]:
    return [token.key for token in statement.content][sum(map(len, lead(statement))) :]


def _exchanged(pair: Pair) -> Verdict | None:
    """Say where each does to the other what the other does: whom one begins with is named later in the other."""
    first, second = ({key for part in lead(side) for key in part} for side in (pair.older, pair.newer))
    after, newly_after = {*_after_lead(pair.older)}, {*_after_lead(pair.newer)}
    if not (first and second) or first & second or not (second <= after and first <= newly_after):
        return None
    common = {key.rstrip("~") for key in after - second} & {key.rstrip("~") for key in newly_after - first}
    if not is_same_predicate(pair) or size(common - WEAK) < _LEAST - 1:
        return None
    return Verdict(Relation.MAY_CONTRADICT, "who does it to whom is exchanged")


# ---------------------------------------------------------------- Chinese


def _in_chinese(pair: Pair) -> Verdict | None:
    """Compare two whose words are not told apart: what they begin with is the subject, and they may differ in one place."""
    if are_two_professions(pair.older, pair.newer) and pair.has_same_subject():
        return Verdict(Relation.MAY_CONTRADICT, "one is told to be two things by profession")
    if size(pair.shared) < _LEAST:
        return None
    first, second = _plain(pair.older), _plain(pair.newer)
    least = min(len(first), len(second))
    start = next((at for at in range(least) if first[at].base != second[at].base), least)
    left = next((at for at in range(least - start) if first[-1 - at].base != second[-1 - at].base), least - start)
    end, to = len(first) - left, len(second) - left
    if start in {end, to}:
        return None
    before, after = size(token.base for token in first[:start]), size(token.base for token in first[end:])
    if start == 0:
        return _told_of_another() if _are_names(first[:end], second[:to]) and _is_event(pair.older) and after >= _SPECIFIC else None
    if _SEVERAL_VERBS & {token.base for token in (*first[:start], *first[end:])}:
        return None
    if _is_other_year(pair):
        return _in_another_year() if before + after >= _LEAST + 1 and _is_event(pair.older) else None
    if _is_timed(pair) or differ_by_label(pair):
        return None
    changed = max(size(token.base for token in first[start:end]), size(token.base for token in second[start:to]))
    if not is_one_place(pair):
        return None
    if before >= _LEAST and _JOINT_HAN.search(" ".join(token.key for token in first[:start])):
        return _with_another_value()
    is_framed = before >= 1.5 and after >= 1 and before + after >= max(_LEAST, changed)
    return _with_another_value() if is_framed else None


def _plain(statement: Statement) -> list[Token]:
    return [token for token in statement.tokens if token.kind in CONTENT and token.key not in WEAK]


def _are_names(first: Sequence[Token], second: Sequence[Token]) -> bool:
    return all(2 <= len(name) <= 3 and name[0] in _SURNAMES for name in ("".join(token.text for token in side) for side in (first, second)))


def _is_event(statement: Statement) -> bool:
    return "past" in statement.cues or not _EVENT_HAN.isdisjoint(statement.text)
