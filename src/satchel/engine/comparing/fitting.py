"""Whether a change is told of what an older statement is about: of the same, of a part of it, or of somebody or something else.

It must not know how the older statement stands to what changes, or what follows. A change that names nobody is one of the user, or of
those the user works with; it is none of a customer, a wife, or of anybody who is told of by name.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from satchel.engine.comparing.held import USED_HAN, has_han, lowered
from satchel.engine.comparing.statements import CONTENT, Statement, read
from satchel.engine.comparing.tools import tools_in
from satchel.engine.comparing.turn_patterns import (
    HOLDERS,
    HOLDERS_HAN,
    LIMITS_HAN,
    NOUNS,
    NOUNS_HAN,
    PARTIES,
    PARTIES_HAN,
    PRONOUNS,
    SOME,
)
from satchel.engine.comparing.turns import Turn
from satchel.engine.comparing.words import LIGHT, WEAK, words
from satchel.engine.text.kin import NAMED_ZH
from satchel.engine.text.segmenting import fold


class Fit(Enum):
    """Of the same, of what the older tells more nearly, of one's own or another's, of a part, or of something else."""

    SAME = "same"
    NARROWER = "narrower"
    UNSURE = "unsure"
    PART = "part"
    OTHER = "other"


_ORDER = (Fit.SAME, Fit.NARROWER, Fit.UNSURE, Fit.PART, Fit.OTHER)


class Value(NamedTuple):
    """What is given up: the keys of its names and numbers, or of all its words where it has none; the rest; and as it is written."""

    keys: frozenset[str]
    rest: frozenset[str]
    text: str


@lru_cache(maxsize=1024)
def value_of(text: str) -> Value:
    """Read a span that names a value."""
    statement = read(text)
    if statement is None:
        return Value(frozenset(), frozenset(), "")
    content = [token for token in statement.content if token.base not in WEAK]
    plain = [token for token in content if token.text.lower() not in NOUNS] or content
    names = [token for token in plain if token.kind in {"name", "value"} or token.other]
    keys = frozenset(token.base for token in names or plain)
    written = NOUNS_HAN.sub("", lowered(text)).strip().removesuffix("的")
    return Value(keys, frozenset(token.base for token in plain) - keys, re.sub(r"^[一这那原][个名位款台辆]", "", written))


def fit_of(older: Statement, newer: Statement, found: Turn, value: Value) -> Fit:
    """Tell whether a change is told of what the older is about."""
    if SOME.search(found.about):
        return Fit.OTHER
    if has_han(older.text) != has_han(newer.text):
        return Fit.UNSURE if telling_words(found.about) else _of_nobody(older, newer, value)
    return _fit_han(older, newer, found, value) if has_han(older.text) else _fit(older, newer, found, value)


def _of_nobody(older: Statement, newer: Statement, value: Value) -> Fit:
    """Tell of whom a change is that names nobody: what we give up is given up for all that is ours, by a user for the user."""
    first, second = _group(older.text), _group(newer.text)
    own = _subject_han(older, value) if has_han(older.text) else " ".join(subject(older) - value.keys)
    if (PARTIES_HAN if has_han(older.text) else PARTIES).search(own):
        return Fit.OTHER
    if (first and second and first != second) or _begins_with_name(older):
        return Fit.UNSURE
    if second != "user" or not own:
        return Fit.SAME
    return Fit.NARROWER if first == "user" else Fit.UNSURE


@lru_cache(maxsize=4096)
def _group(text: str) -> str:
    found = [(match.start(), group) for group, pattern in PRONOUNS.items() if (match := pattern.search(fold(text))) is not None]
    return min(found)[1] if found else ""


def _begins_with_name(statement: Statement) -> bool:
    return _is_named_han(statement.text) if has_han(statement.text) else _is_named(statement)


# ---------------------------------------------------------------- English


@lru_cache(maxsize=4096)
def keys_of(statement: Statement) -> frozenset[str]:
    """Return the keys of what a statement tells, both where a capital leaves one open."""
    return frozenset(key for token in statement.content for key in (token.base, token.other.rstrip("~")) if key)


@lru_cache(maxsize=4096)
def telling_words(text: str) -> frozenset[str]:
    """Return the words of a span that tell of whom or what it is."""
    statement = read(text) if text.strip() else None
    found = statement.content if statement is not None else ()
    return frozenset(token.base for token in found if not (token.base in HOLDERS or token.base in WEAK or token.base in LIGHT))


@lru_cache(maxsize=4096)
def subject(statement: Statement) -> frozenset[str]:
    """Return the telling words that an English statement begins with, up to its predicate."""
    found: list[str] = []
    before = ""
    for token in statement.tokens:
        said = token.text.lower()
        is_after = bool(found) or before == "user"
        is_verb = token.key.startswith("@") or said in _VERBS or (is_after and said.endswith(("s", "ed")) and token.kind == "word")
        if token.kind in {"stop", "cue", "deny"} or is_verb or before in _BEFORE_VERB:
            break
        if token.kind in CONTENT:
            found.append(token.base)
        before = said
    return frozenset(found) - HOLDERS


_BEFORE_VERB = words("i we you they everyone everybody")
_VERBS = words("is are am was were has have had 're 'm does do")


def _fit(older: Statement, newer: Statement, found: Turn, value: Value) -> Fit:
    known = keys_of(older)
    about = telling_words(found.about) | value.rest
    own = subject(older) - value.keys
    missing = about - known
    if missing:
        return Fit.PART if missing != about and not own - about else Fit.OTHER
    fit = Fit.SAME if about else _of_nobody(older, newer, value)
    if fit is Fit.SAME and telling_words(found.facets) - known:
        return Fit.PART
    is_number = all(key.startswith("num:") for key in value.keys)
    return Fit.NARROWER if about and (own - about or (is_number and not own & about and not about & known)) else fit


_MASS = re.compile(r"(?:ing|tion|ment|ance|ence|ware|age|ity|s)$", re.IGNORECASE)
_SINGULAR = re.compile(r"(?:s|is|was|has)$")
_OURS = re.compile("(?:our|my)$", re.IGNORECASE)


def _is_named(statement: Statement) -> bool:
    """Tell whether an English statement begins with the name of somebody: "Kenji uses", not "Billing runs", "Tests run"."""
    one, after = statement.tokens[0], statement.tokens[1] if len(statement.tokens) > 1 else None
    is_capital = one.kind in CONTENT and one.text[:1].isupper() and not tools_in(one.text)
    is_one = after is not None and (after.kind == "name" or _SINGULAR.search(after.text) is not None)
    return is_capital and is_one and not _MASS.search(one.text) and not any(_OURS.match(token.text) for token in statement.tokens[1:4])


# ---------------------------------------------------------------- Chinese


def _fit_han(older: Statement, newer: Statement, found: Turn, value: Value) -> Fit:
    """Tell whether a Chinese change is told of what the older is about: by what stands in it, as it is written."""
    text = lowered(older.text)
    told = LIMITS_HAN.sub("", found.about)
    if told != found.about and not LIMITS_HAN.search(older.text):
        return Fit.PART if not told or told in older.text or HOLDERS_HAN.match(told) else Fit.OTHER
    parts = lowered(found.about).replace("的", "").split()
    if not parts:
        return _of_nobody(older, newer, value)
    if parts[0].endswith("…"):
        return _fit_inherited(text, parts[0][:-1], older, newer, value)
    return max((_fit_part(part, text.replace("的", "")) for part in parts), key=_ORDER.index)


def _fit_part(part: str, text: str) -> Fit:
    at = text.find(part)
    if at >= 0:
        return Fit.SAME if HOLDERS_HAN.match(text[:at]) else Fit.NARROWER
    common = _common(part, without_holder(text))
    if common < 2 or common * 2 <= len(part):
        return Fit.OTHER
    return Fit.NARROWER if part[common - 1] in _DOING else Fit.PART  # "图片存储" beside "图片存在…", "数据库备份" beside "数据库是…"


_DOING = frozenset("存用写放跑住学买卖订")


def _common(first: str, second: str) -> int:
    """Return how many characters both begin with."""
    return next((at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other), min(len(first), len(second)))


def _fit_inherited(text: str, before: str, older: Statement, newer: Statement, value: Value) -> Fit:
    """Tell whether a clause without a subject is about what the older is about: the clauses before it begin as that does."""
    first, second = without_holder(text), without_holder(before)
    if _common(first, second) >= 2:
        return Fit.SAME
    is_nobody = first != text and second != before
    return max(Fit.UNSURE, _of_nobody(older, newer, value), key=_ORDER.index) if is_nobody else Fit.OTHER


_HOLDER_HAN = re.compile("^(?:我们|咱们|我|用户|本人|团队|公司|项目组|项目|部门|大家)的?")
_BETWEEN_HAN = re.compile("(?:每天|每周|每月|平时|一直|现在|目前|常常|经常|常|都|主要|统一|已经|已)+$")


def without_holder(text: str) -> str:
    """Return a Chinese text without whom it is about anyway: "我们的", "公司"."""
    return _HOLDER_HAN.sub("", text)


def _subject_han(older: Statement, value: Value) -> str:
    """Return what stands before the verb that holds a value, without whom it is about anyway."""
    text = lowered(older.text)
    at = text.find(value.text)
    before = text[: max(at, 0)].rstrip(" 的")
    return without_holder(_BETWEEN_HAN.sub("", USED_HAN.sub("", before)))


_NAMED_HAN = re.compile(rf"{NAMED_ZH}(?:平时|现在|一直)?[用在是开骑坐住养订喝吃]")


def _is_named_han(text: str) -> bool:
    return _NAMED_HAN.match(fold(text)) is not None
