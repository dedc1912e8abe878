"""Whether a newer statement tells that what somebody does or did is now done by another: "is now handled by Omar", 改由李娜负责 (CNF-2).

It must not know what else two statements can be to each other. Only a passive that says "now" hands something over: who does a thing
besides is told without it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from satchel.engine.comparing.held import has_han
from satchel.engine.comparing.pairing import PLANS, Pair
from satchel.engine.comparing.statements import Statement, read
from satchel.engine.comparing.turn_patterns import PAST, PLANNED, UNTOLD
from satchel.engine.comparing.words import WEAK
from satchel.engine.text.segmenting import fold
from satchel.ports import Relation, Verdict

_NOW = r"now|currently|nowadays|from now on|instead|since"
_DONE = r"\w+(?:ed|en|ne|un|ept|ent|ade|ought|aught|old|uilt|id|ead)"
_BY = re.compile(
    rf"^(?P<what>[^,;]+?) (?:is|are|gets?|(?:has|have) been)(?P<now>(?: (?:{_NOW}))*) (?P<did>{_DONE})(?: (?:out|up))?"
    rf"(?P<later>(?: (?:{_NOW}))*) by (?P<who>[^,;]+?)(?P<last>(?: (?:{_NOW}))*)[.\s]*$",
    re.IGNORECASE,
)
_DOES = re.compile(r"^(?P<who>[A-Z][\w'-]*(?: [A-Z][\w'-]*)?|[Tt]he \w+(?: team)?) (?P<did>[a-z]+s) (?P<what>[^,;]+?)[.\s]*$")
_DID_HAN = re.compile(
    "(?:负责|接听|写|编写|撰写|生产|制作|审批|批准|审核|审查|管理|维护|主持|运营|配送|送|供应|提供|承担|承办|接待|处理|开发|设计|主讲|教|照顾|接送"
    "|打扫|保管|发放|发布|签字|签|组织|带|领导|指导|统计|整理|跟进|对接|代理|执行|监督|检查|测试|部署|支付|付|买单|做|办|翻译|记录|记|播报|报告|值守|看管|出版)$"
)
"""What somebody does as their part; a verb of which nothing else is known stands at the end."""

_DO_SEVERAL = re.compile(r"(?:us|lik|lov|own|visit|support|attend|join|read|watch|play|speak|buy|bought|met)\w*$")


class Handed(NamedTuple):
    """What is done, by whom, and how: keys of the first, and the others as they are written. `is_now`: it says that this is new."""

    what: frozenset[str]
    who: str
    did: str
    is_now: bool
    is_passive: bool


def say_handed(pair: Pair) -> Verdict | None:
    """Say where what one does is now done by another."""
    older, newer = pair.older, pair.newer
    if older.denials or newer.denials or "more" in newer.cues or (older.cues | newer.cues) & PLANS:
        return None
    now = _handed(newer)
    was = _handed(older) if now is not None and now.is_now and now.is_passive else None
    if now is None or was is None or was.is_now or was.who == now.who or was.did != now.did or was.what != now.what:
        return None
    if was.is_passive:
        return Verdict(Relation.REPLACES, "the same is done by one in the older, and now by another")
    return Verdict(Relation.CONTRADICTS, "one does it in the older, and another now; both may do it")


def _handed(statement: Statement) -> Handed | None:
    return _read(statement.text, has_han(statement.text))


@lru_cache(maxsize=4096)
def _read(text: str, is_chinese: bool) -> Handed | None:
    folded = fold(text)
    if ("由" if is_chinese else " ") not in folded or UNTOLD.search(folded) or PAST.search(folded) or PLANNED.search(folded):
        return None
    if is_chinese:
        return _read_han(folded)
    match = _BY.match(folded)
    if match is not None:
        is_now = any(match[name] for name in ("now", "later", "last"))
        return Handed(_keys(match["what"]), match["who"].lower(), _stem(match["did"]), is_now, True)
    match = _DOES.match(folded)
    if match is None or _DO_SEVERAL.match(match["did"]):
        return None
    return Handed(_keys(match["what"]), match["who"].lower(), _stem(match["did"]), False, False)


def _read_han(text: str) -> Handed | None:
    text = re.sub("[。\\s]+$", "", text)
    match = re.match("(?P<before>.+?)由(?P<rest>.+)$", text)
    did = _DID_HAN.search(re.sub("[的了]+$", "", match["rest"])) if match else None
    if match is None or did is None:
        return None
    what = re.sub("是$", "", match["before"])
    now = re.search("(?:现在|目前|如今|已经?|从此|以后|今后|改|转|换|改为|变为|改成)+$", what)
    who = re.sub("来$", "", match["rest"][: did.start()])
    what = re.sub("的$", "", what[: now.start()] if now else what)
    return Handed(frozenset({what}), who, did[0], now is not None, True) if what and who else None


@lru_cache(maxsize=4096)
def _keys(text: str) -> frozenset[str]:
    statement = read(text)
    return frozenset(token.base for token in statement.content if token.base not in WEAK) if statement is not None else frozenset()


def _stem(verb: str) -> str:
    found = read(f"it {verb}")
    return found.content[-1].base if found is not None and found.content else verb
