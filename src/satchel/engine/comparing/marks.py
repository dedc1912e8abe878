"""What short words and signs change in a statement that its other words leave alone: operators, directions, time, and that it is asked.

It must not know what else two statements tell. The words by which memories are compared leave these out, for they seldom matter; where two
memories set one against its opposite, they do.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from satchel.engine.comparing.modes import stand_otherwise
from satchel.engine.comparing.statements import Statement
from satchel.engine.comparing.words import words
from satchel.engine.text.segmenting import fold

_SIGNS = {"≥": ">=", "≤": "<=", "≠": "!=", "<>": "!="}
_SIGN = re.compile(r"[<>=!]=+|<>|[<>=≥≤≠±]|(?<=\s)[*/+&|^](?=\s)|(?<![\w)\]])[-−](?=\d)")

_PLACES = """
in into inside within|on onto|under below beneath|by|with|for|without|from since|until till through|to|before|after|over above|against
outside|behind|beside near
"""
_GROUP = {word: group.split()[0] for group in _PLACES.replace("\n", "|").split("|") for word in group.split()}
_OPPOSED_PLACES = """
from on|in on|in under|on under|by on|by from|by after|with for|with without|with against|for against|for from|for to|from to
from until|to until|in by
before after|before from|before on|after on|after until|over under|in outside|behind under|in behind|on behind|in beside|on beside
"""
_OPPOSED = frozenset(frozenset(pair.split()) for pair in _OPPOSED_PLACES.replace("\n", "|").split("|") if pair)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_TURNED = (
    (words("wife wives"), words("husband husbands")),
    (words("buy buys bought"), words("sell sells sold")),
    (words("postponed postpone postpones delayed delay later back"), words("forward earlier sooner advanced")),
    (words("but except unless without"), words("and if with")),
)
_AUXILIARIES = words("is are was were am do does did can could should shall will would may might must has have had")

_OPPOSED_HAN = words(
    """
    里上 里下 里外 内外 上下 前后 早晚 来去 从到 自到 自至 起前 起止 给跟 给和 给向 跟向 替跟 从往 从向
    左右 东西 南北 旁里 旁上 妻夫 买卖 进出 迟提 延提
    """
)

_COMING = re.compile(r"\b(?:will|shall|'ll|won't)\b(?! be\b)")
_GONE = re.compile(r"\b(?:did|used to|has had|have had|'ve had|had)\b")
_COMING_HAN = words("要 将 会")
_GONE_HAN = words("过 曾")
_TIMES = ("date:", "weekday:", "time:", "month:")


@lru_cache(maxsize=4096)
def operators(text: str) -> tuple[str, ...]:
    """Return the signs between values, in order: ">=", "!="."""
    signs = (re.sub("=+", "=", found[0]) for found in _SIGN.finditer(fold(text)))
    return tuple(_SIGNS.get(sign, sign) for sign in signs)


def are_opposed(older: Statement, newer: Statement) -> bool:
    """Tell whether something small sets two statements against each other: an operator, "before" for "after", "will", a question."""
    if operators(older.text) != operators(newer.text) or older.is_asked != newer.is_asked:
        return True
    if _stands_in_time(older) != _stands_in_time(newer) or stand_otherwise(older.text, newer.text):
        return True
    return _is_turned_han(older, newer) if older.is_chinese and newer.is_chinese else _is_turned(older, newer)


def _is_turned(older: Statement, newer: Statement) -> bool:
    (begins, first), (other_begins, second) = _spoken(older.text), _spoken(newer.text)
    if begins != other_begins and not _AUXILIARIES.isdisjoint((begins, other_begins)):
        return True  # "is the server up"
    if first == second:
        return False
    gone, come = first - second, second - first
    if any((gone.keys() & one and come.keys() & other) or (gone.keys() & other and come.keys() & one) for one, other in _TURNED):
        return True
    is_due = all("@deadline" in {token.key for token in side.tokens} for side in (older, newer))
    away, here = ({_GROUP[word] for word in side if word in _GROUP} for side in (gone, come))
    opposed = (frozenset({one, other}) for one in away - here for other in here - away)
    return any(pair in _OPPOSED and not (is_due and "by" in pair) for pair in opposed)


@lru_cache(maxsize=4096)
def _spoken(text: str) -> tuple[str, Counter[str]]:
    """Return the first English word of a text, and those that may be set against others, counted."""
    spoken = _WORD.findall(fold(text).lower())
    return (spoken[0] if spoken else ""), Counter(word for word in spoken if word in _MAY_TURN)


_MAY_TURN = frozenset(_GROUP).union(*(side for sides in _TURNED for side in sides))
_MAY_TURN_HAN = frozenset("".join(_OPPOSED_HAN))


@lru_cache(maxsize=4096)
def _spoken_han(text: str) -> Counter[str]:
    """Return the characters of a text that may be set against others, counted."""
    return Counter(char for char in fold(text) if char in _MAY_TURN_HAN)


def _is_turned_han(older: Statement, newer: Statement) -> bool:
    first, second = _spoken_han(older.text), _spoken_han(newer.text)
    if first == second:
        return False
    gone, come = first - second, second - first
    return any((one in gone and other in come) or (other in gone and one in come) for one, other in map(tuple, _OPPOSED_HAN))


@lru_cache(maxsize=4096)
def _stands_in_time(statement: Statement) -> str:
    """Return whether what a statement tells is over or to come, where no date tells it: "will have", "养过"."""
    if any(token.key.startswith(_TIMES) for token in statement.tokens):
        return ""
    if statement.is_chinese:
        return _said_han(statement)
    text = fold(statement.text).lower()
    return "coming" if _COMING.search(text) else "gone" if _GONE.search(text) else ""


def _said_han(statement: Statement) -> str:
    """Read the particles of time, but where they stand at an end and mean something else: "来过" counts, "会议" is another word."""
    keys = [token.key for token in statement.tokens if token.kind == "word"]
    if _GONE_HAN & {*keys}:
        return "gone"
    text = fold(statement.text)
    return "coming" if _COMING_HAN & {*keys} and re.search("要(?!是|么|不)|将(?!就)|会(?!过敏|[说讲唱弹游用做写打开员长场])", text) else ""
