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
_PLAIN_COPULAS = words("is am are was were be 's")


def may_both_hold(pair: Pair) -> bool:
    """Tell whether what differs hangs on what may have many values, is one of a kind ("a", 一个), or stands in two places."""
    older, newer = pair.older, pair.newer
    if older.is_chinese != newer.is_chinese:
        return False
    if older.is_chinese:
        begins = _alike(fold(older.text), fold(newer.text))
        return _MANY_HAN.search(begins) is not None or _COUNTED_HAN.search(begins) is not None
    return _is_many(older, newer) or _count_places(pair) > 1


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


def _count_places(pair: Pair) -> int:
    first, second = ([key.rstrip("~") for key in keys if key not in WEAK] for keys in (pair.keys, pair.new_keys))
    return _places(tuple(first), tuple(second))


@lru_cache(maxsize=1024)
def _places(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return sum(change[0] != "equal" for change in matcher.get_opcodes())
