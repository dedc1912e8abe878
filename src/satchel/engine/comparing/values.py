"""Of what kind a value is that fills a slot: a day, a time of day, a number, a name, or other words.

It must not know which slots there are beyond their roles, or what follows. Two values of different kinds answer different questions: "works
at Google" and "works at night", "the deadline is 3 May" and "… is noon".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from satchel.engine.comparing.statements import CONTENT, Token
from satchel.engine.comparing.tools import TOOLS
from satchel.engine.comparing.words import words

_TIMES = (("day", ("date:", "month:")), ("weekday", ("weekday:",)), ("clock", ("time:", "part:")))
_PREPOSITIONS = words("in on at for with from near by to of since until as about under over between who where which that")
_GROUPS = words("team squad depart divis branch project floor room build offic desk channel tier plan group shift night flat hous apart")
"""English nouns, stemmed, after which a name names no place: "the Platform team"."""

_PLACES = words("@live @work born")
_NAMES = words("name nickname 名 字 姓 名 昵 称 叫") | {"名 字", "姓 名", "昵 称"}
_ADJECTIVE = re.compile(
    "(?:ing|ful|ous|ive|able|ible|less|ish|ed|some)$|(?:great|good|bad|hard|easy|tough|nice|fun|fine|dull|new|safe|busy|important|difficult"
    "|different|terrible|awful|perfect|temporary|permanent|remote|part-time|full-time|far|near|close|okay|intense|complex|simple|secure)$"
)
"""What tells how a job is, not which it is."""

_COLOURS = words("颜 色")
_REACHED = words("@phone @mail")

_NO_PLACE_HAN = re.compile(
    r"(?:附近|旁边?|边上?|隔壁|对面|周围|楼|层|公寓|宿舍|房|房子|房间|屋子?|别墅|小区|室|酒店|宾馆|民宿|家|远程|那儿|一起|[里内外上下])"
    r"(?:里|里面|中)?了?$|[一这那][个套间栋座处]"
)
_NO_HOME_HAN = re.compile(
    "(?:公司|学校|单位|校园|部门?|组|队|班|排|岗|群|线|系统|平台|频道|座位|工位|会议室|服务器|云|团队|项目|[前后左右]面|这边|那边)了?$"
)
_SPELLED_AS_TOOL = re.compile(r"[a-z][A-Z]|\d|[A-Z]{2}|[+#/_.]")
_SHORT_PLACES = words("uk us usa uae nyc la sf dc uk. eu")
_HOW_NAMED_HAN = re.compile("[取起念读写].*|的$")


def kinds(role: str, tokens: Sequence[Token], *, is_chinese: bool) -> frozenset[str]:
    """Return the kinds of a value: `day`, `weekday`, `clock`, `number`, `name`, `words`, `told`; or none."""
    found = {kind for kind, starts in _TIMES if any(token.key.startswith(starts) for token in tokens)}
    text = "".join(token.text for token in tokens)
    if role in _REACHED:
        return frozenset({"number"} if re.search(r"[\d@]", text) else ())
    if role in _PLACES:
        return _of_place(role, tokens, text, found, is_chinese=is_chinese)
    if role in _NAMES:
        is_name = _HOW_NAMED_HAN.search(text) is None if is_chinese else any(map(_may_name, [*_head(tokens)][:1]))
        return frozenset({"name"} if is_name else ())
    if not found and any(token.key.startswith("num:") for token in tokens):
        found = {"number"}
    if role == "@job" and not is_chinese and any(_ADJECTIVE.search(token.text.lower()) for token in [*_head(tokens)][-1:]):
        return frozenset()
    if is_chinese and text.endswith("的") and role not in _COLOURS:
        return frozenset({"told"})  # "是父母选的": how it came about
    return frozenset(found or {"words"})


def _of_place(role: str, tokens: Sequence[Token], text: str, found: set[str], *, is_chinese: bool) -> frozenset[str]:
    head = tokens if is_chinese else [*_head(tokens)]
    numbers = [token for token in head if token.key.startswith("num:")]
    if role == "@live" and _is_tool(head, text):
        return frozenset()
    if is_chinese:
        is_vague = _NO_PLACE_HAN.search(text) or (role == "@live" and _NO_HOME_HAN.search(text))
        is_named = not (is_vague or numbers or found) and (len(text) > 1)
        return frozenset({"name"} if is_named else found if found or is_vague else {"number"} if numbers else ())
    if any(_may_name(token) for token in head) and not any(token.key in _GROUPS for token in head):
        return frozenset({"name"})
    return frozenset(found or ({"number"} if numbers else ()))


def _is_tool(head: Sequence[Token], text: str) -> bool:
    """Tell whether what somebody moved to is no place but a tool, by its name or its spelling: "Kubernetes", "PostgreSQL"."""
    if text in TOOLS:
        return True
    names = [token for token in head if _may_name(token)][:1]
    return any(
        token.text.lower() in TOOLS or (_SPELLED_AS_TOOL.search(token.text) and token.text.lower() not in _SHORT_PLACES) for token in names
    )


def _head(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield what a value begins with, up to a preposition: "night" of "night in Berlin"."""
    is_begun = False
    for token in tokens:
        if is_begun and (token.kind == "stop" or token.key in _PREPOSITIONS):
            return
        if token.kind in CONTENT:
            is_begun = True
            yield token


def _may_name(token: Token) -> bool:
    return token.kind == "name" or bool(token.other)
