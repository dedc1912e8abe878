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
        r"\b(?:replac|supers|succeed|supplant|displac|swap|trad(?:e|ing)|exchang|switch|mov(?:e|ing)|migrat|convert|transition|shift|chang|upgrad"
        r"|downgrad|port(?:ed|ing)|rewr|relocat|transfer|went|gone|turned|raised|lowered|increas|reduc|cut\b|bumped|extended|shorten|gr[eo]w"
        r"|risen|rose|fell|fallen|promot|reassign|drop|ditch|abandon|g[ai]ve|retir|scrap|phas|took|take[ns]\b|left|got rid|d(?:id|one) away"
        r"|parted|cancel|closed|unsubscr|opted|stepped|stood|resign|sold|uninstall|quit|stopped|decommission|discontin|shut|sunset|deprecat"
        r"|made|makes|now\b)",
        re.IGNORECASE,
    ),
    True: re.compile(
        "换|替|取代|迁|转[到为向用投移至往]|改[用成为到由在至]|切[换到]|升[级到至]|调[到至整动]|变更|变成|提[高升]到|降[低到至]|涨[到至]|增加到|减少到|缩短|延长|上调|下调"
        "|停用|弃用|淘汰|放弃|抛弃|舍弃|退[订出役掉]|取消|注销|卸|辞|离开|[卖停关抛扔戒]掉|告别|下线|停服|作废|关停|报废|停运|不再|再也不|[已经]不|不[^，。；,;]{1,24}了"
        "|(?:现在|目前|如今|已经?)(?:使用|采用|用|是|跑|运行)|搬|重写|跳槽|推迟|提前|过渡|增[至到]|减[至到]|缩[至到]|接手|接管|不干"
    ),
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
