"""What in a turn of dialogue is worth keeping: preferences, prohibitions, decisions, todos and promises, by rule, Chinese and English.

Precision before recall: a question, a guess, something of today only, or a sentence that does not stand by itself is passed over, unless
the user asks outright that it be remembered. What is said of oneself in passing counts once it is said again (`remarks`).
It must not know sessions or records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from satchel.engine.text.due_dates import due_date
from satchel.engine.text.requests import request

SHORTEST, LONGEST = 4, 200
"""Characters of a sentence that is looked at."""

LONGEST_ASKED = 1000
"""Characters of a sentence that the user asks to remember."""


class Utterance(NamedTuple):
    """One thing worth keeping, in the third person, in the language it was said in."""

    type: str
    content: str
    tags: tuple[str, ...] = ()
    due_at: datetime | None = None


def utterances(text: str, role: str, said_at: datetime) -> Iterator[Utterance]:
    """Yield what a turn says that is worth keeping. `role`: `user` speaks for the user; `assistant` may promise; others only mark."""
    for sentence in _sentences(text):
        wanted = request(sentence) if role in _USER else None
        body = sentence if wanted is None else wanted.body
        if wanted is None and not _is_plain(body):
            continue
        found = _by_rule(_bare(body), role, said_at) if wanted is None or not _HEDGED.search(body) else None
        if found is None and wanted is not None:
            found = _asked(wanted.body, sentence, said_at) if wanted.is_duty else _told(wanted.body)
        if found is not None:
            yield found


def remarks(text: str, role: str, said_at: datetime) -> Iterator[Utterance]:
    """Yield what the user says of themselves in passing: too little to keep for being said once."""
    for sentence in _sentences(text) if role in _USER else ():
        body = _bare(sentence)
        if request(sentence) is None and _is_plain(body) and _by_rule(body, role, said_at) is None and _is_remark(body):
            yield Utterance("fact", in_third_person(body))


# ---------------------------------------------------------------- sentences

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`]*`", re.DOTALL)
_SENTENCE = re.compile(r"[^。！？!?；;\n.]*(?:\.(?=\S)[^。！？!?；;\n.]*)*[。！？!?；;.]?")
_LEAD = re.compile(
    r"(?:(?:对了|另外|还有|顺便说一下|顺便|嗯|哦|好的?|那么?)\s*[，,：:、]?\s*"
    r"|(?:and|also|btw|by the way|oh|well|so|ok(?:ay)?|(?:please )?note that|fyi|for the record)\b\s*[,:]?\s*)+",
    re.IGNORECASE,
)
_QUOTATION = re.compile(r"^\s*>.*$", re.MULTILINE)
_THANKS = re.compile(r"[，,\s]*(?:谢谢你?|多谢|thanks(?: a lot)?|thank you)$", re.IGNORECASE)
_NOT_BY_ITSELF = re.compile(
    r"[这那][个样里些次种]|这么|那么|它|上面|刚才|前面说|第[一二三]个|前者|后者"
    r"|\b(?:it|its|that|this|these|those|them|they|above|former|latter)\b"
    r"|\bthe (?:(?:first|second|third|last|other|same) |(?:idea|plan|approach|way|look|design|sound|feel)\b)",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"[吗呢]|如果|要是|假如|假设|的话|可能|也许|或许|好像|似乎|大概|是不是|还是说|不确定|随便|比如|例如|开玩笑"
    r"|\b(?:if|unless|maybe|perhaps|probably|might|could|would|i'd|suppose|imagine|not sure|e\.g|for example|kidding|hypothetically)\b",
    re.IGNORECASE,
)
_FLEETING = re.compile(
    r"今天|今晚|现在|此刻|这会儿|暂时|刚刚|昨天|昨晚|\b(?:today|tonight|right now|at the moment|for now|this time|yesterday|currently)\b",
    re.IGNORECASE,
)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences, as far as they are the speaker's own words, without what leads into them."""
    for match in _SENTENCE.finditer(_QUOTATION.sub("\n", _CODE.sub("\n", text))):
        sentence = match[0].strip().lstrip("-*•· ").strip()
        if not SHORTEST <= len(sentence) <= LONGEST_ASKED:
            continue
        lead = _LEAD.match(sentence)
        body = _bare(sentence[lead.end() :] if lead else sentence)
        if len(body) >= SHORTEST:
            yield body


def _bare(sentence: str) -> str:
    return _THANKS.sub("", sentence.rstrip("。！!；;. "))


def _is_plain(sentence: str) -> bool:
    """Tell whether it is a statement of ordinary length: no question, no guess."""
    return not sentence.endswith(("?", "？")) and SHORTEST <= len(sentence) <= LONGEST and not _HEDGED.search(sentence)


# ---------------------------------------------------------------- rules

_USER = frozenset({"user", "human"})
_LIKES_ZH = re.compile(
    r"我(?:个人|真的?|还是|一直|从来|平时|平常|通常|一般|比较|更加?|最|特别|非常|很|挺|都|也)*"
    r"(?P<verb>喜欢|喜歡|偏好|偏爱|习惯|習慣|讨厌|討厭|不喜欢|不喜歡|不爱|不吃|不喝|不能吃|不能喝|受不了|不习惯|只用|只吃|只喝|从来?不(?!知道|觉得|认为|明白|懂|以为|想|敢)|吃素|爱吃|爱喝|爱用"
    r"|对.{1,12}过敏|對.{1,12}過敏)"
)
_LIKES_EN = re.compile(
    r"I(?: really| strongly| always| usually| generally| personally| much| just)*"
    r" (?P<verb>prefer|like|love|enjoy|hate|dislike|can't stand|cannot stand|don't like|do not like|don't eat|do not eat|don't drink"
    r"|do not drink|don't use|do not use|(?:never|always|only) (?:use|eat|drink|work|write|read|travel|book|fly|drive|pay|buy"
    r"|wear|smoke|cook|wake|sleep)"
    r"|am allergic to|am (?:a )?vegetarian|am vegan)\b"
    r"|I'm (?P<be>allergic to|(?:a )?vegetarian|vegan)\b",
    re.IGNORECASE,
)
_ALWAYS_ZH = re.compile(
    r"(?:请|麻烦)?(?:你)?(?:(?:以后|今后|从现在起|从今以后|往后)(?:请|都|一律|务必|不要|别|不许|不用|用|给|回答|回复|称呼|叫我|只)"
    r"|不要再|别再|千万别|千万不要|永远不要|绝对不要|一律|务必|(?:始终|总是)(?:请|要|用|使用|保持|先|按))\S.+"
)
_ALWAYS_EN = re.compile(
    r"(?:(?:please )?(?:always|never|don't ever|do not ever) (?:use|write|answer|reply|respond|call|send|ask|push|commit|run|add|include"
    r"|put|show|give|format|keep|start|name|delete|remove|deploy|merge|translate|speak|suggest|recommend|schedule|book|order)"
    r"|please (?:always|never) (?!mind)\w+|(?:from now on|in (?:the )?future|going forward|next time),? \w+) \S+",
    re.IGNORECASE,
)
_DECIDED_ZH = re.compile(r"(?:我们|咱们|大家|我|最终|最后|已经)*(?:决定|決定|敲定|商定|说定)了?(?!权|权|性|因素|不了)\S.{2,}")
_UNDECIDED = re.compile(r"[没沒未]|不能|尚|是否|怎么|谁|\b(?:not|n't|never|who|whether)\b", re.IGNORECASE)
_DECIDED_EN = re.compile(
    r"(?:we|i|the team)(?:'ve| have)?(?: finally| just| all)? (?:decided|agreed|settled) (?:to|on|that|against|not to) \w+"
    r"|let(?:'s| us) go with \w+",
    re.IGNORECASE,
)
_MARKED = re.compile(r"(?P<kind>决定|決定|结论|decision|decided|todo|to-do|待办|待辦)\s*[:：]\s*(?P<what>\S.{2,})", re.IGNORECASE)
_REMIND = re.compile(
    r"(?:请|麻烦)?(?:你)?(?:记得)?提醒(?:我|一下我)\S.+|(?:please )?(?:remind me to|don't let me forget to) \w+", re.IGNORECASE
)
_PROMISE = re.compile(r"我(?:会|将|一定|保证|答应|承诺)\S.{2,}|I(?:'ll| will| promise to) \w+", re.IGNORECASE)
_DEADLINE = re.compile(r"之?前|以前|截止|\b(?:by|before|until|due)\b", re.IGNORECASE)


def _stands(sentence: str) -> bool:
    return not _NOT_BY_ITSELF.search(sentence) and not _FLEETING.search(sentence)


def _preference(sentence: str, said_at: datetime) -> Utterance | None:
    if not _stands(sentence):
        return None
    if (_LIKES_ZH.match(sentence) or _LIKES_EN.match(sentence)) and not _is_of_the_moment(sentence):
        kind = "profile" if re.search(r"过敏|過敏|allergic", sentence, re.IGNORECASE) else "preference"
        return Utterance(kind, in_third_person(sentence))
    if _ALWAYS_ZH.match(sentence) or _ALWAYS_EN.match(sentence):
        return Utterance("preference", _quoted(sentence, "用户要求", "The user asks"))
    return None


def _is_of_the_moment(sentence: str) -> bool:
    """Tell whether a liking is about the talk itself: what the other said, or the thing just shown."""
    return bool(re.search(r"\byou(?:r|rs)?\b|你|\b(?:like|love|enjoy|hate) the\b", sentence, re.IGNORECASE))


_KIN = (
    r"(?:孩子|宝宝|儿子|女儿|老婆|太太|妻子|先生|丈夫|老公|对象|男朋友|女朋友|妈妈?|爸爸?|母亲|父亲|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥|姐姐|弟弟|妹妹"
    r"|家人|侄子|侄女|外甥|孙子|孙女)"
)
_ALLERGIC = re.compile(
    rf"(?:我.{{0,10}}?|{_KIN}.{{0,6}}?)(?:[对對].{{1,16}}[过過]敏|有.{{1,12}}[过過]敏史?)"
    r"|my [\w' -]{2,30}?(?:'s| is| are|'re)(?: also| very| severely| highly| deathly| badly)* allergic to \w+"
    r"|(?:I|my [\w' -]{2,30}?) (?:have|has|suffers? from) (?:an? )?(?:\w+ ){1,3}(?:allergy|allergies|intolerance)",
    re.IGNORECASE,
)


def _allergy(sentence: str, said_at: datetime) -> Utterance | None:
    """What somebody of the user's family must not come near; whose, the sentence must say."""
    if _ALLERGIC.match(sentence) is None or _NOT_BY_ITSELF.search(sentence):
        return None
    return Utterance(
        "profile",
        in_third_person(sentence) if re.match("我|my ", sentence, re.IGNORECASE) else _quoted(sentence, "用户说", "The user says"),
    )


_BORN_AT_HOME = re.compile(
    r"我的?(?:阳历|阴历|农历|公历|陰曆|農曆)?生日(?:是|在)\S.+|我(?:是|出生[于在])?\S{0,12}(?:年|月|日|号)\S{0,6}(?:出生|生)的?$"
    r"|我的?老?家(?:现在|就)?(?:住在?|在|是|搬到了?)\S{2,30}$|我(?:现在|目前|就)?住在?\S{2,30}$|我来自\S{2,20}$|我的(?:家庭)?(?:住址|地址)是\S+"
    r"|我是(?!一|个|好|坏|本|主)\S{2,8}人$|我今年\d{1,3}岁"
    r"|my (?:birthday|date of birth) is (?:on )?\w+|I was born (?:in|on) \w+|my (?:home|address|hometown|home town|home address) is \w+"
    r"|I(?:'m| am) (?:originally )?from [A-Z]\w+|I(?:'m| am) \d{1,3} years old|I(?:'ve)? moved to [A-Z]\w+|my home is in \w+",
    re.IGNORECASE,
)
_FOR_THE_NIGHT = re.compile(
    r"[哪谁]|什么|怎么|多少|比较|今天|今晚|昨|酒店|宾馆|旅馆|回家"
    r"|\b(?:today|tonight|yesterday|hotel)\b",
    re.IGNORECASE,
)


def _birth_or_home(sentence: str, said_at: datetime) -> Utterance | None:
    if _BORN_AT_HOME.match(sentence) is None or _NOT_BY_ITSELF.search(sentence) or _FOR_THE_NIGHT.search(sentence):
        return None
    return Utterance("profile", in_third_person(sentence))


_I_AM = re.compile(
    r"我(?:的名字)?叫\S{2,12}$|我住在\S.{1,30}$|我(?:是|在)(?:一[名个位])?\S.{0,20}"
    r"(?:工作|上班|医生|老师|教师|工程师|律师|设计师|学生|护士|经理|程序员|记者)$"
    r"|my name is [\w' -]{2,40}$|I live in [A-Z][\w', -]{1,40}$|I work (?:at|as|for) [\w'&, -]{2,60}$"
    r"|I(?:'m| am) an? [\w -]{2,30} (?:by profession|at [A-Z]\w+)$",
    re.IGNORECASE,
)


def _introduction(sentence: str, said_at: datetime) -> Utterance | None:
    if not _I_AM.match(sentence) or not _stands(sentence):
        return None
    if sentence.startswith("我"):
        return Utterance("profile", in_third_person(sentence))
    return Utterance("profile", _quoted(sentence, "", "The user says"))


def _decision(sentence: str, said_at: datetime) -> Utterance | None:
    if not _stands(sentence) or _UNDECIDED.search(sentence):
        return None
    if _DECIDED_ZH.match(sentence) or _DECIDED_EN.match(sentence):
        return Utterance("fact", _quoted(sentence, "决定", "Decided"), ("decision",))
    return None


def _marked(sentence: str, said_at: datetime) -> Utterance | None:
    found = _MARKED.match(sentence)
    if found is None or _NOT_BY_ITSELF.search(found["what"]):
        return None
    if found["kind"].lower() in {"todo", "to-do", "待办", "待辦"}:
        return Utterance("task", found["what"].strip(), (), due_date(sentence, said_at))
    return Utterance("fact", _quoted(found["what"].strip(), "决定", "Decided"), ("decision",))


def _todo(sentence: str, said_at: datetime) -> Utterance | None:
    if _REMIND.match(sentence) is None or _NOT_BY_ITSELF.search(sentence):
        return None
    return Utterance("task", _quoted(sentence, "用户要求", "The user asks"), (), due_date(sentence, said_at))


def _promise(sentence: str, said_at: datetime) -> Utterance | None:
    """What the agent says it will do by a day."""
    if _PROMISE.match(sentence) is None or not _DEADLINE.search(sentence) or _NOT_BY_ITSELF.search(sentence):
        return None
    due = due_date(sentence, said_at)
    return None if due is None else Utterance("task", _quoted(sentence, "助手承诺", "The assistant promised"), ("promise",), due)


_DUTY = re.compile(
    r"我(?!.*(?:要不要|用不用|需不需要|每)).{0,10}?(?:必须|一定要|得|需要|要)(?:去|给|跟|和|向|把|交|付|还|买|打|寄|发|参加|开会|体检|复查|办|取|接|送|见|面试|考|出差)\S*"
    r"|I(?:'ve)? (?:must|have to|need to|got to|'ve got to) (?!know|say|admit|ask|see|understand|think|confess)(?!.*\bevery\b)\w+ .+",
    re.IGNORECASE,
)


def _own_duty(sentence: str, said_at: datetime) -> Utterance | None:
    """What the user must do by a day other than today."""
    if _DUTY.match(sentence) is None or not _stands(sentence) or _UNDECIDED.search(sentence):
        return None
    due = due_date(sentence, said_at)
    return None if due is None else Utterance("task", in_third_person(sentence), (), due)


def _asked(body: str, sentence: str, said_at: datetime) -> Utterance:
    """What the user asks not to forget to do."""
    return Utterance("task", _quoted(_bare(sentence), "用户要求", "The user asks"), (), due_date(body, said_at))


def _told(body: str) -> Utterance:
    """What the user asks to remember."""
    if re.match(r"我|my\b", body, re.IGNORECASE):
        return Utterance("fact", in_third_person(body))
    if re.search(r"[我你您咱]|\b(?:I|me|my|we|us|our|you|your)\b", body, re.IGNORECASE) or _NOT_BY_ITSELF.search(body):
        return Utterance("fact", _quoted(body, "用户要求记住", "The user asks to remember"))
    return Utterance("fact", body)


_REMARK = re.compile(
    r"我(?:的|家|们家?|俩)?[^\s，,我你]{1,8}?(?:叫做?|是|在|有|属|姓|喜欢|住)\S.*"
    r"|我(?:(?:每|平时|通常|一般|一直|从小|周[一二三四五六日末]|星期|属|姓|有[一两三几]|养|毕业|学过?|在学|骑|开的?)\S.*)"
    r"|my [\w' -]{2,30}?(?: (?:is|are|was|were|has|have|lives?|works?|goes|likes?|loves?|hates?)|'s) \S.*"
    r"|I (?:\w+ )?(?:usually|own|drive|play|study|speak|swim|run|commute|volunteer|teach|go|take|have (?:a|an|two|three|four)) \S.*"
    r"|I .+ (?:every|each|on) (?:day|week|month|year|morning|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b.*",
    re.IGNORECASE,
)
_NO_REMARK = re.compile(
    r"我(?:觉得|想|认为|知道|明白|看|说|懂|同意|以为|猜|感觉|试|希望|先|再)|[哪谁]|什么|怎么|多少|问题|疑问|意思|想法|建议|看法|你|您|代码|报错|错误|文件|脚本"
    r"|\b(?:you|your|question|problem|idea|point|issue|guess|bad|mistake|god|feeling|look|error|bug|code|build|tests?|script|file|turn"
    r"|head|go ahead|understanding|apologies|pleasure)\b",
    re.IGNORECASE,
)


def _is_remark(sentence: str) -> bool:
    return len(sentence) >= 5 and _stands(sentence) and _REMARK.match(sentence) is not None and not _NO_REMARK.search(sentence)


def _by_rule(sentence: str, role: str, said_at: datetime) -> Utterance | None:
    return next((found for rule, roles in _RULES if role in roles and (found := rule(sentence, said_at)) is not None), None)


Rule = Callable[[str, datetime], Utterance | None]

_RULES: tuple[tuple[Rule, frozenset[str]], ...] = (
    (_marked, frozenset({"user", "assistant", "human", "ai", ""})),
    (_todo, _USER),
    (_decision, _USER),
    (_preference, _USER),
    (_allergy, _USER),
    (_introduction, _USER),
    (_birth_or_home, _USER),
    (_own_duty, _USER),
    (_promise, frozenset({"assistant", "ai"})),
)


# ---------------------------------------------------------------- the third person

_VERBS = {
    "prefer": "prefers", "like": "likes", "love": "loves", "enjoy": "enjoys", "hate": "hates", "dislike": "dislikes",
    "can't stand": "cannot stand", "cannot stand": "cannot stand", "don't like": "does not like", "do not like": "does not like",
    "don't eat": "does not eat", "do not eat": "does not eat", "don't drink": "does not drink", "do not drink": "does not drink",
    "don't use": "does not use", "do not use": "does not use",
}  # fmt: skip


def in_third_person(sentence: str) -> str:
    """Return a sentence of the user about themselves as one about the user; quoted where that would need more than a change of words."""
    if sentence.startswith("我"):
        rest = sentence[1:].replace("我的", "用户的")
        return _quoted(sentence, "用户说", "") if re.search("[我你您咱]", rest) else f"用户{rest}"
    own = re.match(r"my\b", sentence, re.IGNORECASE)
    if own is not None and not re.search(r"\b(?:I|me|my|we|us|our|you|your|myself)\b", sentence[own.end() :], re.IGNORECASE):
        return f"The user's{sentence[own.end() :]}"
    found = _LIKES_EN.match(sentence)
    verb = (found["verb"] or "").lower() if found else ""
    rest = re.sub(r"\bmy\b", "their", sentence[found.end() :]) if found else ""
    if found is None or re.search(r"\b(?:I|me|we|us|our|you|your|myself)\b", rest, re.IGNORECASE):
        return _quoted(sentence, "", "The user says")
    if found["be"] or verb.startswith("am "):
        return f"The user is {found['be'] or verb[3:]}{rest}"
    if verb not in _VERBS or " always" in found[0].lower():
        return _quoted(sentence, "", "The user says")
    return f"The user {_VERBS[verb]}{rest}"


def _quoted(sentence: str, chinese: str, english: str) -> str:
    is_chinese = re.search(r"[\u3400-\u9fff]", sentence) is not None
    return f"{chinese}：{sentence}" if is_chinese else f"{english}: {sentence}"
