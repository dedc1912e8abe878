"""What a person asks outright to be remembered: `请记住…`, `别忘了…`, `remember that …`, `don't forget to …`.

It must not know what is otherwise worth keeping: a request is a request.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Request(NamedTuple):
    """What is to be remembered, without the words of asking. `is_duty`: something is to be done, not known."""

    body: str
    is_duty: bool


class Opening(NamedTuple):
    """A request that a list follows. `is_duty`: its items are to be done; `is_open`: it ends with a colon, so that any line may follow."""

    is_duty: bool
    is_open: bool


_ASKS_ZH = (
    r"(?:请|麻烦|拜托|劳驾|帮我|替我|给我|你|您|一定|务必|千万|要|得|也|能不能|可以|能)*"
    r"(?:(?P<forget>(?:别|不要|勿|莫)忘(?:记|掉|了)*)|记住|记下来?|记一下|记着|记好|牢记|(?P<remember>记得))"
    r"(?!(?:了|过|的|我们|咱们|上次|以前|当时|小时候|那次|那年|那天|你|谁|哪|什么|怎么|多少|几)(?![^，,。：:]*(?:是|在)))"
)
_ASKS_EN = (
    r"(?:(?:please|pls|kindly|also|just|(?:can|could|will|would) you(?: please)?|i (?:want|need|would like|'d like) you to"
    r"|make sure (?:to|you))\s+)*"
    r"(?:(?P<forget_en>(?:don't|do not|dont|never) forget)|remember|(?:take|make) (?:a )?note(?: of)?"
    r"|keep in mind|memori[sz]e|bear in mind)\b"
    r"(?!\s+(?:when|how|the time|last|what|where|who|why|which|if|whether|to be\b|the other|those days))"
    r"\s*,?\s*(?:(?P<to>to)\b|that\b|this\b(?=\s*[:：])|the following\b(?=\s*[:：]))?"
)
_ASKS = re.compile(rf"(?:{_ASKS_ZH}|{_ASKS_EN})\s*(?:一下|下来)?\s*[，,：:、]?\s*", re.IGNORECASE)
_LATER = re.compile(
    r"[，,]\s*(?:所以|那么?|但是?|而且|并且|顺便|so|and|but|then)?\s*(?=(?:请|麻烦|拜托|帮我|你|千万|一定|务必)*(?:记住|记一下|别忘|不要忘)"
    r"|(?:please )?(?:remember (?:that|to)|don't forget|do not forget)\b)",
    re.IGNORECASE,
)
_ANOTHER_SAYS = re.compile(
    r"[说讲问写道]|告诉|叫我|让我|翻译|改写|润色"
    r"|\b(?:translate|rewrite|rephrase|says?|said|told|tells|wrote|writes|quot\w+|asked|reads?)\b|[\"“”「『《]",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"[，,\s]*(?:好吗|好不好|可以吗|行吗|好么|okay|ok|alright|will you|would you|can you|could you|please)?\s*[?？]+$", re.IGNORECASE
)
_ASKED_BACK = re.compile(r"[吗么]\s*[?？]?$|[?？]$")
_NOTHING = re.compile(
    r"(?:(?:[这那](?:个|些|点|一点|件事|句话)?(?:问题|情况|例子|案例|事情?)?|它|我(?:说的(?:话|事)?)?|以上(?:内容)?|上面(?:的|说的)?|就好|就行|吧|哦|啊|呀|啦|了|的|好"
    r"|(?:this|that|these|those)(?: (?:case|one|part|stuff|things?|points?|info|information|conversation))?|this|that|it|these"
    r"|those|them|me|us|everything|all|of|what|i|said|told|you|the|above|please|well|,)\s*)*",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"^我的|^我(?:家|们)?.{0,8}(?:是|叫|在|有|住)"
    r"|[^\s]{1,12}(?:是|叫做?|等于|位于|放在|在\S+[里前后上下边层楼])|\b(?:is|are|was|were)\b"
)


_LIST_TO_COME = re.compile(
    r"(?:以下|下面|如下|下列|[这那几]些?|[一二两三四五六七八九十\d]+|[点条件个项种]|事情?|内容|信息|要求|规则|原则|情况|资料|注意事项|我的?|关于|给我|的|一下"
    r"|the|following|these|those|few|some|all|two|three|four|five|six|things?|facts?|points?|rules?|items?|details?|information"
    r"|preferences?"
    r"|notes?|about|me|my|us|of|for|later|to|please|[,，\s])*(?P<colon>[:：]?)$",
    re.IGNORECASE,
)
_NAMES_LIST = re.compile(r"[以下如这几点条件项:：]|following|things|facts|points|rules|items|these|those", re.IGNORECASE)
_ADVICE = re.compile(
    r"(?:(?:to|just|that|,|，|always|也|要|好好|多|早点?|记得)\s*)*(?:do it\b|believe\b|stay(?:ing)? (?:positive|strong|true|safe|calm"
    r"|motivated|focused)"
    r"|take (?:some |a )?(?:breaks?|care|it easy)\b|keep (?:going|it up|pushing|smiling)|never give up|give up|hang in|pause\b"
    r"|relax|breathe|have fun|enjoy\b"
    r"|照顾好?自己|爱自己|相信自己|注意(?:身体|休息|安全)|好好休息|休息|加油|坚持下去|保持(?:乐观|微笑|积极)|睡|开心)"
    r"|.*\b(?:yourself|you're not alone|you need to|your (?:dreams?|abilities|feelings|worth)|define you|there for you|here for you)\b",
    re.IGNORECASE,
)


_OF_THIS_TEXT = re.compile(
    r"标点|标题|拼写|格式|空格|空行|缩进|注释|分号|换行|字数|引号|参考文献|小标题"
    r"|\b(?:punctuation|spelling|titles?|commas?|indent\w*|comments?|semicolons?|imports?|citations?|headings?|bullets?"
    r"|paragraphs?|word count)\b",
    re.IGNORECASE,
)
_ALWAYS = re.compile(r"以后|每次|总是|始终|一律|永远|\b(?:always|every|from now on|in future)\b", re.IGNORECASE)


def is_of_this_text(body: str) -> bool:
    """Tell whether what is not to be forgotten belongs to the text that is being written now: add the punctuation."""
    return _OF_THIS_TEXT.search(body) is not None and _ALWAYS.search(body) is None


def is_advice(body: str) -> bool:
    """Tell whether what is to be remembered is encouragement, which one says to people: nothing that a memory could be asked to keep."""
    return _ADVICE.match(body) is not None


def opening(sentence: str) -> Opening | None:
    """Return what a sentence asks to remember of a list that follows it; None where it asks nothing, or says itself what."""
    at = _ASKS.match(sentence)
    if at is None:
        later = _LATER.search(sentence)
        if later is None or _ANOTHER_SAYS.search(sentence[: later.end()]):
            return None
        sentence = sentence[later.end() :]
        at = _ASKS.match(sentence)
    body = sentence[at.start() :] if at is not None else ""
    rest = _LIST_TO_COME.match(sentence[at.end() :].rstrip("。.!！ ")) if at is not None else None
    is_open = body.rstrip().endswith((":", "："))
    if at is None or rest is None or not (is_open or _NAMES_LIST.search(sentence[at.end() :])):
        return None
    return Opening(at["to"] is not None or bool(at["forget"] or at["forget_en"]), is_open)


def request(sentence: str) -> Request | None:
    """Return what a sentence asks to remember; None where it asks nothing, asks a question, or another says it."""
    at = _ASKS.match(sentence)
    if at is None:
        later = _LATER.search(sentence)
        if later is None or _ANOTHER_SAYS.search(sentence[: later.end()]):
            return None
        sentence = sentence[later.end() :]
        at = _ASKS.match(sentence)
        if at is None:
            return None
    body = sentence[at.end() :].strip()
    if body.endswith(("?", "？")):
        polite = _POLITE.search(body)
        asks_kindly = re.match(r"(?:can|could|will|would) you", sentence, re.IGNORECASE)
        if polite and (asks_kindly or polite[0].strip("?？，, ")):
            body = body[: polite.start()]
    if _ASKED_BACK.search(body):
        return None
    body = body.rstrip("。！!；;. ").strip()
    if len(body) < 2 or _NOTHING.fullmatch(body):
        return None
    urges = at["forget"] or at["remember"] or (at["forget_en"] and "that" not in at[0].lower())
    return Request(body, at["to"] is not None or bool(urges and not _STATES.search(body) and not re.match(r"my\b", body, re.IGNORECASE)))
