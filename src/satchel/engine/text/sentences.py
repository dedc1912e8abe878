"""A turn's sentences: the speaker's own words, without quotations, code and what leads into them; and what stands by itself.

A list that the user asks to remember counts item by item. It must not know what is worth keeping.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from satchel.engine.text.requests import Opening, opening

SHORTEST, LONGEST = 3, 200
"""Characters of a sentence that is looked at."""

LONGEST_ASKED = 1000
"""Characters of a sentence that the user asks to remember."""


class Sentence(NamedTuple):
    """One sentence. `under`: the request to remember a list that this is an item of."""

    text: str
    under: Opening | None = None


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`]*`", re.DOTALL)
_SENTENCE = re.compile(r"[^。！？!?；;\n.]*(?:\.(?=\S)[^。！？!?；;\n.]*)*[。！？!?；;.]?")
_LEAD = re.compile(
    r"(?:(?:对了|另外|还有|顺便说一下|顺便|嗯|哦|好的?|那么?|其实|实际上|说实话|老实说)\s*[，,：:、]?\s*"
    r"|(?:是[的啊]|不对|不是|错了|更正|对[的啊]?|没错|当然|哈哈+|[你您]好[啊呀]?|嗨|嘿|大家好|朋友|谢谢你?(?:的(?:建议|推荐|帮助))?|(?:非常|真|很)?有(?:趣|意思)|太[好棒]了|好[啊呀]|[嗯恩]+"
    r"|当然[啦了]|确实"
    r"|的确|除了[^，,我]{1,10}|同时|而且|不过|但是?|就我而言|对我来说)\s*[，,！!~～]\s*"
    r"|(?:and|also|btw|by the way|oh|well|so|but|plus|ok(?:ay)?|(?:please )?note that|fyi|for the record|actually|honestly|personally"
    r"|to be honest|in fact)\b\s*[,:]?\s*"
    r"|(?:no,? )?i mean(?:t)?\b\s*[,:]?\s*|我(?:是说|的意思是)[，,：:]?\s*|it(?:'s| is) (?:all |mainly )?for (?=my )"
    r"|(?:correction|yeah|yep|yes|no|nope|sure|of course|wow|haha|h+m+|u+m+|anyway|besides|for me|thanks(?: \w+)?|thank you"
    r"|(?:hey|hi|hello)(?: there| [A-Z]\w+)?)\s*[,:!—–-]+\s*)+",
    re.IGNORECASE,
)
_QUOTATION = re.compile(r"^\s*>.*$", re.MULTILINE)
_THANKS = re.compile(r"[，,\s]*(?:谢谢你?|多谢|很高兴认识[你您]|请多关照|thanks(?: a lot)?|thank you|nice to meet you)$", re.IGNORECASE)
_SLIP = re.compile(
    r"[，,]\s*(?:我?(?:之前|刚才|上次)?(?:搞|说|弄|记|看)错了?|(?:but |so )?(?:i was (?:wrong|mistaken)|sorry|my mistake|by the way|btw))$",
    re.IGNORECASE,
)
"""What a speaker says of a word taken back, after the word that holds."""

_NOT_BY_ITSELF = re.compile(
    r"[这那][个样里些次种]|这么|那么|它|上面|刚才|前面说|第[一二三]个|前者|后者"
    r"|\b(?:it|its|(?<!\w\ws )that|this|these|those|them|they|above|former|latter)\b"
    r"|\bthe (?:(?:first|second|third|last|other|same) |(?:idea|plan|approach|way|look|design|sound|feel)\b)",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"[吗呢]|如果|要是|假如|假设|的话|可能|也许|或许|好像|似乎|大概|是不是|还是说|不确定|随便|比如|例如|开玩笑|逗你的|骗你的"
    r"|\b(?:if|unless|maybe|perhaps|probably|might|could|would|i'd|suppose|imagine|not sure|e\.g|for example|kidding|joking|joke"
    r"|hypothetically)\b",
    re.IGNORECASE,
)
_FLEETING = re.compile(
    r"今天|今晚|现在|此刻|这会儿|暂时|刚刚|昨天|昨晚|\b(?:today|tonight|right now|at the moment|for now|this time|yesterday|currently)\b",
    re.IGNORECASE,
)
_MADE_UP = re.compile(
    r"(?:写|编|讲|续写|起草|拟).{0,10}(?:故事|小说|合同|剧本|作文|对话|文章)|扮演|应用题|翻译(?:[:：，,]|一下|下|成|这)"
    r"|\b(?:write|tell|continue|draft|invent)\b.{0,30}\b(?:story|poem|scene|dialogue|novel|contract|tale)\b"
    r"|\bin (?:my|the|a|this) (?:story|novel|game|book|scene)\b|\bmy character\b|\brole-?play|\bpretend\b|\btranslate\b",
    re.IGNORECASE,
)
_MOST_CLAUSES = 6
_COMMA = re.compile(r"[，,]| [—–-] |(?= (?:so|but|which) )")
_TAKES_BACK = re.compile(
    r"[，,\s—–-]*(?:(?:but )?(?:only )?(?:if|unless|when|as long as|provided|until)\b"
    r"|如果|要是|除非|只要|假如|前提|[^，,]{1,12}(?:时候?|的话)"
    r"|(?:对|是|好|行|可以|没错)[吗吧么不]|是不是|right\s*\?|correct\s*\?"
    r"|(?:is|are|do|does|did|am|have|has)(?:n't|n’t)? (?:i|it|he|she|they|that)\s*\?"
    r"|.*\b(?:joking|kidding)\b|.*(?:逗你的|骗你的)|(?:i|we) (?:think|guess|suppose)\b|我猜|just kidding|开玩笑)",
    re.IGNORECASE,
)
_AFTER_COMMA = re.compile(r"[，,\s—–-]*(?:(?:and|but|so|also|plus|because|as|因为|所以|而且|但是?|不过|另外)\b\s*)?", re.IGNORECASE)
_REPORTS = re.compile(
    r"[说问讲]|以为|觉得|告诉|当(?!然)|虽然|除了|小时候|以前|\b(?:when|while|although|though|back then"
    r"|as a kid|sa(?:ys|id)|told|tells?|asks?|asked|thinks?"
    r"|thought|you)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[-*•·–—]|[(（]?\d{1,2}(?:[)）、]|\.(?!\d))|[①-⑳]|[一二三四五六七八九十]{1,2}、)\s*")
_INLINE = re.compile(r"(?<![\w.])[(（]?\d{1,2}(?:[)）、]|\.(?=\s|[^\W\d]))|[①-⑳]|(?<=[：:；;，,。\s])[一二三四五六七八九十]、")


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences, as far as they are the speaker's own words, without what leads into them."""
    under: Opening | None = None
    marked: bool | None = None
    for line in _QUOTATION.sub("\n", _CODE.sub("\n", text)).split("\n"):
        if not line.strip():
            # A blank line ends a list without marks.
            under = under if marked is not False else None
            continue
        head, *listed = _pieces(line)
        is_item = _ITEM.match(head) is not None
        goes_on = is_item or under is None or under.is_open if marked is None else is_item is marked
        if under is not None and goes_on:
            yield from _item(head, under)
            marked = is_item
            continue
        yield from map(Sentence, _split(head))
        under, marked = opening(_last(head)), None
        if under is not None and listed:
            yield from (item for piece in listed for item in _item(piece, under))
            marked = True


def bare(sentence: str) -> str:
    """Return a sentence without the signs and the thanks at its end."""
    said = _SLIP.sub("", sentence.rstrip("。！!；;. "))
    return _THANKS.sub("", said).rstrip("，, ")


def is_plain(sentence: str) -> bool:
    """Tell whether it is a statement of ordinary length: no question, no guess."""
    return not sentence.endswith(("?", "？")) and SHORTEST <= len(sentence) <= LONGEST and not is_hedged(sentence)


def is_hedged(sentence: str) -> bool:
    """Tell whether it is said with an if or a perhaps."""
    return _HEDGED.search(sentence) is not None


def clauses(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Yield what stands between commas, with its start and end: from each start the longest first.

    "I am allergic to nuts" of what goes on with ", what can I eat?", "my wife is pregnant" of what follows "We live in Rome,". None where
    what follows takes it back, or asks whether it is so; none after words that report, or suppose.
    """
    commas = [match.start() for match in _COMMA.finditer(sentence)][:_MOST_CLAUSES]
    starts, ends = [0, *commas], [*commas, len(sentence)]
    for first, start in enumerate(starts):
        if first and (is_hedged(sentence[:start]) or sentence[:start].endswith(("?", "？")) or _REPORTS.search(sentence[:start])):
            return
        lead = _AFTER_COMMA.match(sentence, start) if first else None
        begin = lead.end() if lead is not None else start
        for end in reversed(ends[first:]):
            if (first, end) != (0, len(sentence)) and _TAKES_BACK.match(sentence[end:]) is None:
                yield start, end, bare(sentence[begin:end])


def leans(sentence: str) -> bool:
    """Tell whether it speaks of something that only the talk around it names."""
    return _NOT_BY_ITSELF.search(sentence) is not None


def is_made_up(text: str) -> bool:
    """Tell whether a turn is about a story, a part to play or a text to translate, in which people are not the user's."""
    return _MADE_UP.search(text) is not None


def is_fleeting(sentence: str) -> bool:
    """Tell whether it is said of today only."""
    return _FLEETING.search(sentence) is not None


def _split(line: str) -> Iterator[str]:
    for match in _SENTENCE.finditer(line):
        sentence = match[0].strip().lstrip("-*•· ").strip()
        if not SHORTEST <= len(sentence) <= LONGEST_ASKED:
            continue
        lead = _LEAD.match(sentence)
        body = bare(sentence[lead.end() :] if lead else sentence)
        if len(body) >= SHORTEST:
            yield body


def _pieces(line: str) -> list[str]:
    """Cut a line that asks to remember numbered things; any other stays whole."""
    places = [match.start() for match in _INLINE.finditer(line)]
    if not places or opening(_last(line[: places[0]])) is None:
        return [line]
    return [line[start:end] for start, end in zip([0, *places], [*places, len(line)], strict=True)]


def _last(line: str) -> str:
    return next((body for body in reversed([match[0].strip() for match in _SENTENCE.finditer(line)]) if body), "")


def _item(line: str, under: Opening) -> Iterator[Sentence]:
    mark = _ITEM.match(line)
    text = bare(line[mark.end() :] if mark else line).strip("，,；; ")
    if 2 <= len(text) <= LONGEST_ASKED and not text.endswith(("?", "？")):
        yield Sentence(text, under)
