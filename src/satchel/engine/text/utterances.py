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

from satchel.engine.text.decisions import decided, is_settled
from satchel.engine.text.due_dates import due_date
from satchel.engine.text.health import is_health
from satchel.engine.text.persons import is_person
from satchel.engine.text.requests import is_advice, is_of_this_text, opening, request
from satchel.engine.text.sentences import Sentence, bare, clauses, is_fleeting, is_hedged, is_made_up, is_plain, leans, sentences
from satchel.engine.text.standing import is_standing
from satchel.engine.text.tastes import is_changed, is_taste
from satchel.engine.text.third_person import in_third_person, quoted


class Utterance(NamedTuple):
    """One thing worth keeping, in the third person, in the language it was said in."""

    type: str
    content: str
    tags: tuple[str, ...] = ()
    due_at: datetime | None = None
    asked: bool = False
    """The user asked outright that it be remembered."""


def utterances(text: str, role: str, said_at: datetime) -> Iterator[Utterance]:
    """Yield what a turn says that is worth keeping. `role`: `user` speaks for the user; `assistant` may promise; others only mark."""
    is_story = is_made_up(text)
    for sentence in sentences(text):
        if sentence.under is not None and role in _USER:
            yield _item(sentence, said_at)._replace(asked=True)
        elif not is_story or _OWN.match(sentence.text) or request(sentence.text) is not None:
            yield from _said(sentence.text, role, said_at)


def _said(sentence: str, role: str, said_at: datetime) -> Iterator[Utterance]:
    wanted = request(sentence) if role in _USER else None
    if wanted is None:
        found = _by_rule(bare(sentence), role, said_at) if is_plain(sentence) else None
        if found is not None:
            yield found
        elif role in _USER:
            yield from _in_clauses(sentence, said_at)
    elif not is_advice(wanted.body) and opening(sentence) is None:
        found = None if is_hedged(wanted.body) else _by_rule(bare(wanted.body), role, said_at)
        due = due_date(wanted.body, said_at) if wanted.is_duty else None
        if found is None and wanted.is_duty and due is None and is_of_this_text(wanted.body):
            return
        found = found or (_asked(wanted.body, sentence, said_at) if wanted.is_duty else _told(wanted.body))
        yield found._replace(asked=True)


def _in_clauses(sentence: str, said_at: datetime) -> Iterator[Utterance]:
    """What is said of oneself, one's people and one's wishes beside a question, a guess, or a word on something else."""
    end = 0
    for start, place, clause in clauses(sentence):
        if start < end or not is_plain(clause) or _ASKED.search(clause):
            continue
        told = (rule(clause, said_at) for rule in (_decision, _taste, _standing, _profile, _change, _settled))
        found = next((found for found in told if found is not None), None)
        if found is not None:
            yield found
            end = place


def _item(sentence: Sentence, said_at: datetime) -> Utterance:
    """What stands in a list that the user asks to remember."""
    found = None if is_hedged(sentence.text) else _by_rule(sentence.text, "user", said_at)
    if found is None and sentence.under is not None and sentence.under.is_duty:
        return Utterance("task", quoted(sentence.text, "用户要求", "The user asks"), (), due_date(sentence.text, said_at))
    return found or _told(sentence.text)


def remarks(text: str, role: str, said_at: datetime) -> Iterator[Utterance]:
    """Yield what the user says of themselves in passing: too little to keep for being said once."""
    for sentence in sentences(text) if role in _USER else ():
        body = bare(sentence.text)
        if sentence.under is not None or not is_plain(body) or not _is_remark(body):
            continue
        if request(body) is None and next(_said(body, role, said_at), None) is None:
            yield Utterance("fact", in_third_person(body))


# ---------------------------------------------------------------- rules

_OWN = re.compile(r"我|(?:my|I)\b(?! character)", re.IGNORECASE)
_USER = frozenset({"user", "human"})
_UNDECIDED = re.compile(r"[没沒未]|不能|尚|是否|怎么|谁|\b(?:not|n't|never|who|whether)\b", re.IGNORECASE)
_MARKED = re.compile(r"(?P<kind>决定|決定|结论|decision|decided|todo|to-do|待办|待辦)\s*[:：]\s*(?P<what>\S.{2,})", re.IGNORECASE)
_REMIND = re.compile(
    r"(?:请|麻烦)?(?:你)?(?:记得)?提醒(?:我|一下我)\S.+|(?:please )?(?:remind me to|don't let me forget to) \w+", re.IGNORECASE
)
_PROMISE = re.compile(r"我(?:会|将|一定|保证|答应|承诺)\S.{2,}|I(?:'ll| will| promise to) \w+", re.IGNORECASE)
_DEADLINE = re.compile(r"之?前|以前|截止|\b(?:by|before|until|due)\b", re.IGNORECASE)


def _stands(sentence: str) -> bool:
    return not leans(sentence) and not is_fleeting(sentence)


_ASKED = re.compile(r"[哪谁]|什么|怎么|多少|\b(?:what|which|who|how|why)\b", re.IGNORECASE)


def _taste(sentence: str, said_at: datetime) -> Utterance | None:
    if not is_taste(sentence):
        return None
    kind = "profile" if re.search(r"过敏|過敏|allergic", sentence, re.IGNORECASE) else "preference"
    return Utterance(kind, in_third_person(sentence))


def _standing(sentence: str, said_at: datetime) -> Utterance | None:
    return Utterance("preference", quoted(sentence, "用户要求", "The user asks")) if is_standing(sentence) else None


def _profile(sentence: str, said_at: datetime) -> Utterance | None:
    if not is_health(sentence) and not is_person(sentence):
        return None
    is_own = re.match(r"我|(?:my|I)\b", sentence, re.IGNORECASE)
    return Utterance("profile", in_third_person(sentence) if is_own else quoted(sentence, "用户说", "The user says"))


def _change(sentence: str, said_at: datetime) -> Utterance | None:
    return Utterance("fact", in_third_person(sentence)) if is_changed(sentence) else None


def _decision(sentence: str, said_at: datetime) -> Utterance | None:
    what = decided(sentence)
    return None if what is None or not _stands(what) else Utterance("fact", quoted(what, "决定", "Decided"), ("decision",))


def _settled(sentence: str, said_at: datetime) -> Utterance | None:
    """What holds for a project: its dates, its names, what it is made with."""
    if not is_settled(sentence) or leans(sentence):
        return None
    is_ours = re.match(r"我|we\b|our\b", sentence, re.IGNORECASE)
    return Utterance("fact", quoted(sentence, "用户说", "The user says") if is_ours else sentence)


def _marked(sentence: str, said_at: datetime) -> Utterance | None:
    found = _MARKED.match(sentence)
    if found is None or leans(found["what"]):
        return None
    if found["kind"].lower() in {"todo", "to-do", "待办", "待辦"}:
        return Utterance("task", found["what"].strip(), (), due_date(sentence, said_at))
    return Utterance("fact", quoted(found["what"].strip(), "决定", "Decided"), ("decision",))


def _todo(sentence: str, said_at: datetime) -> Utterance | None:
    if _REMIND.match(sentence) is None or leans(sentence):
        return None
    return Utterance("task", quoted(sentence, "用户要求", "The user asks"), (), due_date(sentence, said_at))


def _promise(sentence: str, said_at: datetime) -> Utterance | None:
    """What the agent says it will do by a day."""
    if _PROMISE.match(sentence) is None or not _DEADLINE.search(sentence) or leans(sentence):
        return None
    due = due_date(sentence, said_at)
    return None if due is None else Utterance("task", quoted(sentence, "助手承诺", "The assistant promised"), ("promise",), due)


_DUTY = re.compile(
    r"我(?!.*(?:要不要|用不用|需不需要|每)).{0,10}?(?:必须|一定要|得|需要|要)(?:在?[^，,你]{2,8}前)?(?:去|给|跟|和|向|把|交|付|还|买|打|寄|发|参加|开会|体检|复查|办|取|接|送|见|面试"
    r"|考|出差)\S*"
    r"|(?:the|my|our) [\w ]{2,30} (?:is|are) due .+|[^，,你我]{2,12}?前要?(?:必须|得|要)?(?:交|提交|完成)\S*"
    r"|(?:I|we)(?:'ve)? (?:must|have to|need to|got to|'ve got to) (?!know|say|admit|ask|see|understand|think"
    r"|confess)(?!.*\bevery\b)\w+ .+",
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
    return Utterance("task", quoted(bare(sentence), "用户要求", "The user asks"), (), due_date(body, said_at))


def _told(body: str) -> Utterance:
    """What the user asks to remember."""
    if re.match(r"我|my\b", body, re.IGNORECASE):
        return Utterance("fact", in_third_person(body))
    if re.search(r"[我你您咱]|\b(?:I|me|my|we|us|our|you|your)\b", body, re.IGNORECASE) or leans(body):
        return Utterance("fact", quoted(body, "用户要求记住", "The user asks to remember"))
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
    (_taste, _USER),
    (_standing, _USER),
    (_profile, _USER),
    (_change, _USER),
    (_settled, _USER),
    (_own_duty, _USER),
    (_promise, frozenset({"assistant", "ai"})),
)
