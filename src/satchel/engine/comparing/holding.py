"""Whether two statements that differ may plainly both hold, for what they tell has many values: "has a scar on …", 支持德语 (CNF-3).

It must not know how they were found to differ, or what follows.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from satchel.engine.comparing.pairing import Pair
from satchel.engine.comparing.statements import Statement
from satchel.engine.comparing.words import WEAK, words
from satchel.engine.text.segmenting import fold

_MANY = words(
    """
    @support @speak @book @buy @bought @attend @study own lend lent borrow collect meet met deploy invest invit play read know sell sold
    visit give gave send sent write wrote recommend suppli deliv teach hire interview contain includ offer accept cover
    """
)
"""Verbs, stemmed, that many things can hang on at once."""

_MANY_HAN = re.compile(
    "有(?![效关限时空])|养|支持|部署|认识|收集|收藏|借|买|投资|邀请|推荐|采访|学过|会[说讲弹]|开设|提供|接受|包含|包括|[玩读教卖送]"
)
_COUNTED_HAN = re.compile("一[只个位本条家张台辆套名种份幅间所座件把]")
_HAVING_HAN = re.compile("^(?:[设建开拥都]有|有(?![效关限时空]))")
_VALUES = ("num:", "time:", "weekday:", "date:", "month:")
_PLAIN_COPULAS = words("is am are was were be 's")


def may_both_hold(pair: Pair) -> bool:
    """Tell whether what differs hangs on what may have many values or is one of a kind ("a", 一个), or differs with a number beside it."""
    older, newer = pair.older, pair.newer
    if older.is_chinese != newer.is_chinese:
        return False
    if older.is_chinese:
        begins = _alike(fold(older.text), fold(newer.text))
        ends = _alike(fold(older.text)[::-1], fold(newer.text)[::-1])[::-1]
        return any(pattern.search(part) for pattern, part in ((_MANY_HAN, begins), (_COUNTED_HAN, begins), (_HAVING_HAN, ends)))
    return _is_many(older, newer) or _differ_in_two_places(pair)


def _alike(first: str, second: str) -> str:
    """Return what both texts begin with."""
    ends = next((at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other), min(len(first), len(second)))
    return first[:ends]


def _is_many(older: Statement, newer: Statement) -> bool:
    begins = _common_beginning(older, newer)
    keys = [token.base for token in older.tokens[:begins]]
    if _MANY & {*keys}:
        return True
    articles = [at for at, key in enumerate(keys) if key in {"a", "an"} and older.tokens[at].kind == "drop"]
    return any(at and keys[at - 1] not in _PLAIN_COPULAS and at + 1 < begins for at in articles)


def _common_beginning(older: Statement, newer: Statement) -> int:
    """Return how many tokens both begin with."""
    pairs = zip(older.tokens, newer.tokens, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one.base != other.base), min(len(older.tokens), len(newer.tokens)))


def _differ_in_two_places(pair: Pair) -> bool:
    """Tell whether two places differ, and one of them by a number or a time: "Dr. Weiss on Tuesday at 10", "Basic is $9"."""
    first, second = ([key.rstrip("~") for key in keys if key not in WEAK] for keys in (pair.keys, pair.new_keys))
    if not all(any(key.startswith(_VALUES) for key in only) for only in (pair.only_old, pair.only_new)):
        return False
    return _places(tuple(first), tuple(second)) > 1 or _is_parted(pair)


def _is_parted(pair: Pair) -> bool:
    """Tell whether what only the older has stands on both sides of its copula."""
    extra = [token.at for token in pair.older.content if token.key in pair.only_old]
    return any(token.key in _PLAIN_COPULAS and extra[0] < token.at < extra[-1] for token in pair.older.tokens)


@lru_cache(maxsize=1024)
def _places(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return sum(change[0] != "equal" for change in matcher.get_opcodes())
