"""How an older statement stands to a value that it names: it tells that somebody has, uses or is it, or something else of it.

It must not know what became of the value. "We use Jira", "the build runs on Jenkins", 数据库是MySQL hold it; "I like Jira", "she wrote a
book on Angular", 用户去过厦门 do not, whatever becomes of it.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from satchel.engine.comparing.statements import CONTENT, Statement, Token
from satchel.engine.comparing.words import words
from satchel.engine.text.segmenting import fold


class Held(Enum):
    """How a value is held: surely, perhaps, with others beside it, not at all, or not named."""

    SURELY = "surely"
    PERHAPS = "perhaps"
    AMONG_OTHERS = "among others"
    NOT = "not"
    UNNAMED = "unnamed"


_COPULAS = words("is are am be 's 're 'm : being")
_HOLDING = words(
    "@use @run @live @work @store @need @book @buy drive ride have has own wear take drink eat rent leas hire employ subscrib bank run"
)
"""Verbs, stemmed, of having or using one thing for some purpose."""

_PLACING = words("in on at with by via as under")
"""Prepositions before what something is done with, at, or by: "runs on", "is handled by"."""

_COMING = words("from to through into onto off")
"""Prepositions before what may be held, or be a way's beginning or end: "comes from Lavazza", "leaves from Berlin"."""

_MINDING = words(
    """
    @like @want @study @speak know knew learn taught teach visit prefer miss fear love hate admire think thought talk wrote write read
    recommend suggest compar research interest good bad expert fan skill famous excit maintain develop found invent
    present lectur
    """
)
"""Words of liking, knowing, telling, making: what is said of a value that may be given up all the same."""

_SKIPPED = words("the a an our my your his her its their user 's current old now @still")
_ANDS = frozenset({"and", "or", "&", "plus", "/"})
_SEVERAL = words("@support")
"""Verbs that many things can hang on at once, those given up and those that come."""


def held_in(statement: Statement, keys: frozenset[str]) -> Held:
    """Tell how an English statement holds the value that these keys make."""
    places = [at for at, token in enumerate(statement.tokens) if _names(token) & keys]
    if not places or not keys <= {key for at in places for key in _names(statement.tokens[at])}:
        return Held.UNNAMED
    first, last = _run(places, len(keys))
    if _is_longer(statement, first, last):
        return Held.PERHAPS
    found = _before(statement, first) if first else _as_subject(statement, last)
    return Held.AMONG_OTHERS if found in {Held.SURELY, Held.PERHAPS} and _is_listed(statement) else found


def _names(token: Token) -> frozenset[str]:
    if token.kind not in CONTENT:
        return frozenset()
    return frozenset({token.base, token.other.rstrip("~")} if token.other else {token.base})


def _run(places: list[int], length: int) -> tuple[int, int]:
    """Return the first and last place of the value: the last of its words that stand together."""
    chosen = places[-length:]
    return chosen[0], chosen[-1]


def _is_longer(statement: Statement, first: int, last: int) -> bool:
    """Tell whether a name or a number beside the value makes another of it: "Slack Connect", "Python 3.11"."""
    beside = [statement.tokens[at] for at in (first - 1, last + 1) if 0 <= at < len(statement.tokens)]
    return any(token.kind == "name" or token.key.startswith("num:") for token in beside)


def _before(statement: Statement, first: int) -> Held:
    minded = any(token.base in _MINDING for token in statement.tokens[:first])
    at = first - 1
    while at >= 0 and (statement.tokens[at].text.lower() in _SKIPPED or statement.tokens[at].key in _SKIPPED):
        at -= 1
    if minded or at < 0:
        return Held.NOT
    token = statement.tokens[at]
    if token.kind == "word" and at and statement.tokens[at - 1].text.lower() in _PLACING:
        token = statement.tokens[at - 1]  # "on port 8080", "in room Athena"
    said = token.text.lower()
    if said in _COPULAS or token.base in _HOLDING:
        return Held.SURELY
    if _is_event(statement, first):
        return Held.NOT
    return Held.SURELY if said in _PLACING else Held.PERHAPS


def _is_event(statement: Statement, end: int) -> bool:
    """Tell whether what comes before tells what once happened: "visited Rome", not "is written in Rust"."""
    before = statement.tokens[:end]
    is_past = any(token.key.endswith("~") for token in before)
    return "past" in statement.cues or (is_past and not any(token.text.lower() in _COPULAS | {"has", "have", "been"} for token in before))


def _as_subject(statement: Statement, last: int) -> Held:
    """Tell whether what the statement begins with is told to be what somebody has: "Slack is our chat tool", "Jira is used"."""
    after = [token.text.lower() for token in statement.tokens[last + 1 : last + 4]]
    is_ours = len(after) > 1 and after[0] in _COPULAS and (after[1] in {"our", "my", "used"} or after[1:3] == ["the", "user"])
    return Held.SURELY if is_ours else Held.NOT


def _is_listed(statement: Statement) -> bool:
    """Tell whether the value may be one of several: "Redis and Kafka", "supports iOS 15"."""
    return any(token.text.lower() in _ANDS or token.text.strip() == "," or token.key in _SEVERAL for token in statement.tokens[1:])


# ---------------------------------------------------------------- Chinese

_USING_HAN = "使用|采用|选用|用|是|在|于|由|归|叫|为|坐|开|骑|乘|订阅|订|当过?|做|担任|养|住|租|买|喝|吃|穿|上|基于|通过|靠|跑|存|写|放|搭"
_AFTER_HAN = "(?:了|着|的?是|的)*(?:在|到|一[个名位款台辆])?(?:了)?$"
USED_HAN = re.compile(f"(?:{_USING_HAN}){_AFTER_HAN}")
"""A Chinese verb of having, using or being at what follows, at the end of what stands before it."""

_HOLDING_HAN = re.compile(f"(?:{_USING_HAN}|换成|迁到|换到|[:：]){_AFTER_HAN}")
_MINDING_HAN = re.compile(
    "喜欢|讨厌|爱好|热爱|恨|学[过习了]|擅长|参观|去过|介绍|研究|知道|听说|怀疑|推荐|了解|熟悉|精通|会[用说写]|不[用是在]|写过|讲过|过敏|维护|开发|比较|测试过|想"
)
_ONCE_HAN = re.compile("过(?![渡程期敏年节夜去滤])")
_LIST_HAN = re.compile("[、和与及跟]|，")
_MORE_HAN = re.compile("^(?:文档|会议|表格|日历|云盘|网盘|邮箱|项目|支付|小程序|公众号)|^ ?\\d")


def held_in_han(text: str, value: str) -> Held:
    """Tell how a Chinese statement, folded and in lower case, holds a value written in it."""
    at = _place(text, value)
    if at is None:
        return Held.UNNAMED
    before, after = text[:at].rstrip("的 "), text[at + len(value) :]
    if _MINDING_HAN.search(before):
        return Held.NOT
    if _MORE_HAN.match(after) or re.search(r"[a-z0-9]$", text[:at].rstrip()):
        return Held.PERHAPS
    if not before:
        return Held.SURELY if re.match("是(?:我们|团队|公司|项目|用户|我)", after) else Held.NOT
    held = Held.SURELY if _HOLDING_HAN.search(before) else Held.NOT if _ONCE_HAN.search(before) else Held.PERHAPS
    return Held.AMONG_OTHERS if _LIST_HAN.search(text.rstrip("，。")) else held


def _place(text: str, value: str) -> int | None:
    edges = (r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", value) else "", r"(?![a-z0-9]|\.\d)" if re.search(r"[a-z0-9]$", value) else "")
    found = re.search(f"{edges[0]}{re.escape(value)}{edges[1]}", text) if value else None
    return None if found is None else found.start()


@lru_cache(maxsize=4096)
def lowered(text: str) -> str:
    """Return a text as Chinese values are looked for in it."""
    return fold(text).lower()


@lru_cache(maxsize=4096)
def has_han(text: str) -> bool:
    """Tell whether a text is told in Chinese, however many Latin names it has."""
    return not text.isascii() and any("一" <= char <= "鿿" for char in text)
