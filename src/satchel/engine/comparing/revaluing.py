"""Whether a newer statement gives the value that an older one tells another one: "the timeout is now 60 seconds", 周会改到周二 (CNF-2).

It must not know what else two statements can be to each other. Only figures, times, versions, addresses and paths count as values here:
they are told apart from words by how they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from satchel.engine.comparing.pairing import CHANGES, PLANS, Pair
from satchel.engine.comparing.statements import Statement, Token
from satchel.engine.comparing.words import LIGHT, WEAK, words
from satchel.ports import Relation, Verdict

_STANDS = words("@use run set host store~ @store written built 设 置 定 安 排 跑 存 写 部 署 约 项 目 的 production")
"""What may stand beside a value and says no more of it."""

_NAMED = (
    ("address", re.compile(r"[^@\s]+@[^@\s]+\.\w+")),
    ("version", re.compile(r"v?\d+(?:\.\d+)*", re.IGNORECASE)),
    ("path", re.compile(r"[\w.~-]*/[\w./~-]+")),
)
_TURNS = frozenset({"change", "now", "newly"})


class _Valued(NamedTuple):
    """What a statement tells a value of, the classes of its values, and the values."""

    about: frozenset[str]
    classes: tuple[str, ...]
    values: tuple[str, ...]


def say_revalued(pair: Pair) -> Verdict | None:
    """Say where both tell a value of the same thing, and the newer says that it has changed."""
    older, newer = pair.older, pair.newer
    if older.denials or newer.denials or (older.cues | newer.cues) & PLANS or not newer.cues & CHANGES or older.cues & CHANGES:
        return None
    if "past" in older.cues or {"ended", "stop", "more"} & (older.cues | newer.cues):
        return None
    was, turned = _valued(older), _turned(newer)
    if was is None or turned is None or was.classes != turned.classes or was.values == turned.values or not turned.about:
        return None
    if not turned.about <= was.about or was.about - turned.about - _STANDS:
        return None
    return Verdict(Relation.REPLACES, "both tell the value of the same thing, and the newer says that it has changed")


def _turned(statement: Statement) -> _Valued | None:
    """Read a statement whose change stands before its values; None where it is none."""
    valued = _valued(statement)
    change = next((token.at for token in statement.tokens if token.kind == "cue" and token.key in _TURNS), None)
    first = next((token.at for token, _ in _values(statement)), None)
    return None if valued is None or change is None or first is None or change > first else valued


def _valued(statement: Statement) -> _Valued | None:
    found = list(_values(statement))
    if not found:
        return None
    values = {id(token) for token, _ in found}
    about = {token.base for token in statement.content if id(token) not in values} - LIGHT - WEAK
    return _Valued(frozenset(about), tuple(kind for _, kind in found), tuple(token.key for token, _ in found))


def _values(statement: Statement) -> Iterator[tuple[Token, str]]:
    for token in statement.content:
        kind = _class_of(token)
        if kind is not None:
            yield token, kind


def _class_of(token: Token) -> str | None:
    if token.kind == "value":
        return token.key.partition(":")[0]
    return next((name for name, pattern in _NAMED if pattern.fullmatch(token.text)), None) if token.kind in {"name", "word"} else None
