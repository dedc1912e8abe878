"""Reads in a statement that something was given up, took another's place, or both: who changed, the old value, the new one.

It must not know any other statement. What is supposed, advised, denied or heard of is no turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from satchel.engine.comparing.held import has_han
from satchel.engine.comparing.statements import Statement
from satchel.engine.comparing.turn_patterns import (
    ADVERBS,
    ADVERBS_HAN,
    CHINESE,
    ENGLISH,
    FACET,
    HOLDERS_HAN,
    PAST,
    PLANNED,
    TIMES,
    UNTOLD,
)


class Turn(NamedTuple):
    """One change. `gone` and `come`: the old and the new value, either may be empty; `about`: whom or what it is told of.

    `facets`: the parts, purposes and places it is limited to. `is_subject`: what is given up or comes is what the clause begins with.
    `is_planned`: it is to come. `is_past`: it is told of some time in the past.
    """

    about: str
    gone: str
    come: str
    facets: str
    is_subject: bool = False
    is_planned: bool = False
    is_past: bool = False


def turn(statement: Statement) -> Turn | None:
    """Return the change that a statement tells of; None where it tells of none."""
    return _turn(statement.text)


_STARTS = re.compile(r"(?:[,;:]|\.(?=\s|$))\s*(?:and |but |so )?|\s(?:and|but)\s")
_STARTS_HAN = re.compile("[，。；,;：:]\\s*(?:而且|但是?|所以|于是)?")


@lru_cache(maxsize=4096)
def _turn(text: str) -> Turn | None:
    is_chinese = has_han(text)
    if not _SIGNS[is_chinese].search(text) or UNTOLD.search(text):
        return None
    found = next(_found(text, is_chinese), None)
    if found is None:
        return None
    planned, past = PLANNED.search(text) is not None, PAST.search(text) is not None
    return found._replace(is_planned=planned, is_past=past)


_SIGNS = {
    False: re.compile(
        r"\b(?:from|off|out|away|with|by|for|to|onto|into|way|over|off|now|left|dropp|ditch|abandon|scrap|retir|phas|rid|down|closed|cancel"
        r"|unsubscr|resign|sold|gave|given|quit|stopped|replac|supers|succeed|supplant|displac|decommission|discontin|shut|turned|switch)",
        re.IGNORECASE,
    ),
    True: re.compile("[换替迁移转改升降涨调停弃汰放抛退取消卸辞离卖关载不戒别被由从把将过增减缩延变搬切跳推提重现目如已]"),
}
"""What a text holds at least where it tells of a change; most hold none of it, and are passed by."""


def _found(text: str, is_chinese: bool) -> Iterator[Turn]:
    starts = (_STARTS_HAN if is_chinese else _STARTS).finditer(text)
    clauses = [0, *(match.end() for match in starts if match.end() < len(text))]
    for start in clauses:
        for pattern in CHINESE if is_chinese else ENGLISH:
            match = pattern.match(text, start)
            if match is not None and not _NO_VERB_AFTER.search(match.groupdict().get("about") or ""):
                groups = {name: (value or "").strip() for name, value in match.groupdict().items()}
                yield _read_han(groups, text[:start]) if is_chinese else _read(groups, text[match.end() :])
                break


_NO_VERB_AFTER = re.compile(
    r"(?:^|\s)(?:the|a|an|my|our|his|her|their|your|its|of|in|on|at|for|by|with|very|too|user's|\w+'s)$", re.IGNORECASE
)
"""What a verb does not follow: "on the left knee", "the closed account"."""


def _read(groups: dict[str, str], after: str) -> Turn:
    about = f"{_without(ADVERBS, groups.get('about', ''))} {groups.get('object', '')}".strip()
    facets: list[str] = []
    values = {}
    for name in ("gone", "come"):
        value = _without(ADVERBS, groups.get(name, ""))
        facet = FACET.search(f"{value} ")
        facets.append(value[facet.start() :] if facet else "")
        values[name] = value[: facet.start()] if facet else value
    limits = re.sub(r"^\s*(?:and|but|because|so|,|\.|;).*", "", after)
    told = " ".join(TIMES.sub(" ", part) for part in (*facets, limits))
    return Turn(about, values["gone"], values["come"], told.strip(), is_subject="about" not in groups)


def _without(pattern: re.Pattern[str], text: str) -> str:
    """Return a span without the adverbs it ends with."""
    while (shorter := pattern.sub("", text).strip()) != text:
        text = shorter
    return text


_HELD = re.compile("把|将")
_ENDS_HAN = re.compile("^[了掉的]+|(?:了|啦|的)+$")


def _read_han(groups: dict[str, str], before: str) -> Turn:
    about = _HELD.sub(" ", _without(ADVERBS_HAN, groups.get("about", "")))
    if not about.strip() and before:
        about = f"{before}…"  # what the clauses before begin with
    told = " ".join(part for part in about.split() if not HOLDERS_HAN.match(part))
    gone, come = (_ENDS_HAN.sub("", _without(ADVERBS_HAN, groups.get(name, ""))) for name in ("gone", "come"))
    return Turn(told, gone, come, "", is_subject="about" not in groups)
