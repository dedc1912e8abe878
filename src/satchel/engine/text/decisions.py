"""What is decided, and what holds for a project: its dates, its names and what it is made with, in Chinese and English.

It must not know what becomes of it.
"""

from __future__ import annotations

import re

_DECIDED_ZH = re.compile(r"(?:我们|咱们|大家|我|最终|最后|已经)*(?:决定|決定|敲定|商定|说定)了?(?!权|性|因素|不了|先)\S.{2,}")
_FIXED_ZH = re.compile(
    r"(?:好[，,]?)?那?(?:我们|咱们|大家)?就?(?:这么|这样)?(?:定了|决定了|说定了|说好了|敲定了|定下来了?)[，,：:\s]+(?P<what>\S.+)"
    r"|那?(?:我们|咱们)?就(?:用|选|去|买|订|按|住|坐)(?!你|一|掉|除|这|那|第|它|看|睡|[A-Za-z]吧)(?P<choice>\S{2,}?)(?:吧|了|好了)$"
)
_DECIDED_EN = re.compile(
    r"(?:we|i|the team)(?:'ve| have)?(?: finally| just| all| now)? (?:decided|agreed|settled)(?::| (?:to|on|that|against|not to)) ?\w+"
    r"|let(?:'s| us) (?:go|stick) with \w+|let(?:'s| us) use (?!\w+day\b)(?-i:[A-Z])\w+|we(?:'re| are|'ll| will) (?:going|go) with \w+"
    r"|we(?:'ll| will) use (?-i:[A-Z])\w+|we (?:chose|picked) \w+",
    re.IGNORECASE,
)
_OPEN_ZH = re.compile(r"[没沒未]|不能|尚|是否|怎么|谁|什么")
_OPEN_EN = re.compile(
    r"\b(?:who|whether|can't|cannot|couldn't|won't|the (?:first|second|last) one|wrong|option \w\b|your)\b", re.IGNORECASE
)
_DATE = r"(?:\d{4}\s*年|\d{1,2}\s*月\s*\d{1,2}|\d{4}-\d{1,2}-\d{1,2})"
_DATE_EN = (
    r".*(?:\b(?-i:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b.*\d|\d.*\b(?-i:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct"
    r"|Nov|Dec)[a-z]*\b|\d{4}-\d\d?-\d\d?).*"
)
_EVENT_EN = (
    r"(?:deadline|due date|launch|release|meeting|party|wedding|review|demo|interview|exam|appointment|flight|trip|delivery"
    r"|go-live|ceremony)"
)
_OWN_EN = (
    r"(?:repo|repository|(?:main|default|release) branch|(?:staging|production|test) (?:url"
    r"|server|environment|database))"
)
_SETTLED = re.compile(
    rf"(?:the |our |my )?(?:[\w-]+ ){{0,2}}{_EVENT_EN} (?:is|was|has been|is now|will be)?\s?(?:now )?(?:moved|changed|postponed"
    rf"|pushed|delayed|shifted|rescheduled"
    rf"|set|on)?\s?{_DATE_EN}$"
    rf"|(?:the |our )?{_OWN_EN}(?: name)? is (?:called |named )?(?:(?-i:[A-Z])\w|https?:|[\w-]+/|[\w/.-]+$).*"
    r"|we (?:use|deploy to|deploy on|run on|host on|build with|write in) (?-i:[A-Z])[^?]*|(?:the |our )(?:client|customer"
    r"|sponsor) is (?:called )?(?-i:[A-Z])\w.*|(?:the |our )project is (?:called|named) \w.*"
    r"|we use (?:tabs|spaces) (?:for"
    r"|instead of) \w+.*"
    rf"|[^，,你]{{0,10}}(?:截止(?:日期|时间)?|交付|上线|发布|评审|婚礼|会议|考试|面试|聚会)[^，,你]{{0,8}}?(?:是|在|于|改到|推迟到|提前到|延到|延期到|改成|改为|为"
    rf"|[:：])\s*[^，,你]{{0,4}}{_DATE}.*"
    r"|(?:我们的?)?(?:客户|甲方|项目名?称?|仓库(?:名|地址)?|[主默]认?分支|(?:测试|生产|预发)环境(?:地址)?)(?:是|叫做?|名叫|[:：])\s*(?!什么|这|那|不|很|谁|个)\S{2,}.*"
    r"|我们(?:都|统一)?(?:用|采用|使用)(?=[A-Za-z])\S.+|我们(?:都)?(?:部署在|托管在)\S{2,}",
    re.IGNORECASE,
)


def decided(sentence: str) -> str | None:
    """Return what a sentence says was decided; None where it says no such thing, or that it is open."""
    fixed = _FIXED_ZH.match(sentence)
    if fixed is not None and not _OPEN_ZH.search(sentence):
        return fixed["what"] or sentence
    if _DECIDED_ZH.match(sentence) and not _OPEN_ZH.search(sentence):
        return sentence
    return sentence if _DECIDED_EN.match(sentence) and not _OPEN_EN.search(sentence) else None


def is_settled(sentence: str) -> bool:
    """Tell whether a sentence says what holds for a project."""
    return _SETTLED.match(sentence) is not None and not _OPEN_ZH.search(sentence)
