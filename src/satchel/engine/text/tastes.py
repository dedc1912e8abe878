"""What the user likes, avoids, and has given up or changed, in Chinese and English.

It must not know what becomes of it.
"""

from __future__ import annotations

import re

from satchel.engine.text.kin import NAMED_EN
from satchel.engine.text.sentences import is_fleeting, leans
from satchel.engine.text.third_person import LIKES_EN

_VERY_ZH = r"(?:个人|真的?|真心|还是?|一直|一向|从来|从小|平时|平常|通常|一般|比较|更加?|最|特别|尤其|非常|十分|很|挺|都|也|就|自己)*"
_LIKES_ZH = re.compile(
    rf"我{_VERY_ZH}"
    r"(?:喜欢|喜歡|喜爱|偏好|偏爱|热爱|酷爱|钟爱|习惯|習慣|讨厌|討厭|不(?:太|怎么|是很)?(?:喜欢|喜歡|爱|吃|喝|习惯)|不能[吃喝碰]|[吃喝]不了|受不了"
    r"|不[坐穿戴抽]|只用|只吃|只喝|从来?不(?!知道|觉得|认为|明白|懂|以为|想|敢)|吃素|爱[吃喝用看听玩读打跑逛穿]"
    r"|[对對].{1,12}[过過]敏|对.{1,16}感兴趣)"
    r"|我(?:都|主要|平时|一般)*用[A-Za-z][A-Za-z0-9 .+#_-]+$"
    r"|我的?(?:业余)?(?:兴趣)?爱好(?:主要)?(?:是|有|包括)\S.|我的口味(?:是|偏)\S"
    r"|我是(?:一?[个名位])?(?:素食|纯素|.{1,12}(?:粉丝|迷|爱好者)$)"
)
_LIKES_MORE_EN = re.compile(
    r"I (?:mostly |mainly |only )?use (?-i:[A-Z])[\w .+#-]+$"
    r"|I(?:'m| am)(?: really| such| also| still| very| super| quite| not| always| just| more| an?| big| huge| bit| of)*"
    r" (?:fan of|fond of|passionate about|crazy about|obsessed with|keen on|partial to|into) (?!the\b)\w+"
    r"|I(?:'ve| have) (?:always|long|never)(?: really)? (?:loved|liked|hated|enjoyed|preferred) \w+"
    r"|(?:one of )?my (?:all-time |absolute |personal |current )?favou?rite(?! (?:parts?|one|ones|bit|moments?|scenes?|memory"
    r"|memories|line|things?)\b)"
    r"(?: [\w'-]+){1,5}? (?:is|are|has always been|have always been|includes?) \w+",
    re.IGNORECASE,
)
_GAVE_UP = re.compile(
    r"我(?:们)?(?:上个?[月周]|去年|前年|今年|最近|刚刚?|已经|现在|早就|[\d一二三四五六七八九十]+月(?:份)?)*(?:不再(?!说|问|讨论)\S{2,}|戒(?:[了掉]\S+|[烟酒糖]了?)|改(?:用|吃|喝|学"
    r"|成)了?\S{2,}|换(?:成|到|用)了?\S{2,}|[搬迁](?:到|去)了?\S{2,}"
    r"|(?:离职|辞职|跳槽|退休|离婚|结婚|订婚|搬家)(?!照|证|报告|协议|的|怎|好|申|手续|前|后|时)\S*|换(?:了)?(?:新|了|一?[份个])*(?:工作|手机号|公司|岗位)(?!的|怎|好|前|后|时)\S*"
    r"|不(?:用|喝|吃|抽|学|养|练|住)(?!饭|早餐|晚饭|午饭|东西"
    r"|了)[^，,你]{1,12}了(?:[，,].*)?$)"
    r"|(?:I|we)(?:'ve| have)?(?: just| recently| finally| now| already)* (?:(?:switched|moved|changed|converted"
    r"|migrated)(?: from [^,]+?)?(?: over)? to \w+"
    r"|(?:quit|given up|gave up|stopped) (?:smoking|drinking|eating|using|buying|taking|coffee|alcohol|meat|sugar|dairy|gluten"
    r"|my job|working)\b"
    r"|no longer (?!see|get|understand|know|care|think|remember|wish|feel|hear|believe)\w+)"
    r"|I(?:'ve| have)?(?: just| recently)* (?:start(?:ed)? a new job|got a new job(?! (?:interview|offer))|joined (?-i:[A-Z])\w+"
    r"|have a new job\b|changed jobs|(?:got|gotten) (?:divorced"
    r"|married|engaged|promoted|laid off)"
    rf"|lost my job|retired(?! to\b)|became an? (?!bit|little)\w+)\b.*|{NAMED_EN} (?:changed jobs|moved to [A-Z]|got (?:married"
    rf"|divorced|engaged)|retired)\b.*"
    r"|I(?:'m| am) no longer an? \w+.*|I(?:'m| am) not (?:an? )?\w+ (?:any ?more|any longer)$"
    r"|I(?:'m| am) not (?:an? )?(?:vegetarian|vegan|married|religious)$"
    r"|(?:I|we) (?:don't|do not) \w+ .*\b(?:any ?more|any longer)$",
    re.IGNORECASE,
)
_OF_THE_TALK = re.compile(
    r"\byou(?:r|rs)?\b|[你您]|\b(?:like|love|enjoy|hate) (?:the|to (?:hear|say|admit|ask|bother|interrupt|break)|hearing|what)\b",
    re.IGNORECASE,
)
"""A liking that is about the talk itself: what the other said, or the thing just shown."""

_NOTHING_SAID = re.compile(
    r"(?:\b(?:love|like|prefer|enjoy|hate)|喜欢的?|讨厌的?|习惯)(?: to| too| both| so)?$"
    r"|\bprefer not to (?:say|answer|talk|discuss|comment|disclose|share)\b|allergic to (?:work|mornings?|mondays?|nonsense)\b"
    r"|我(?:也|都|就)?不(?:吃|喝|坐|穿|戴|抽)(?:了|这.*|那.*)?$",
    re.IGNORECASE,
)
_OF_THE_WORK = re.compile(
    r"代码|方案|另一|报错|错误|问题|文件|脚本|分支|版本|一下|话题|思路|方法|\b(?:code|file|script|branch|tab|page|version|commit|chapter|topic|subject|step|folder"
    r"|window|question|mode|view|errors?|bugs?|warnings?|issues?|problems?)\b",
    re.IGNORECASE,
)


def is_taste(sentence: str) -> bool:
    """Tell whether the user says what they like, avoid, or always do."""
    said = _LIKES_ZH.match(sentence) or LIKES_EN.match(sentence) or _LIKES_MORE_EN.match(sentence)
    if said is None or _NOTHING_SAID.search(sentence):
        return False
    return not leans(sentence) and not is_fleeting(sentence) and not _OF_THE_TALK.search(sentence)


def is_changed(sentence: str) -> bool:
    """Tell whether the user says that something of theirs is no longer as it was."""
    if _GAVE_UP.match(sentence) is None or leans(sentence) or _OF_THE_TALK.search(sentence) or _OF_THE_WORK.search(sentence):
        return False
    return re.search(r"今天|今晚|暂时|昨|\b(?:today|tonight|for now|yesterday)\b", sentence, re.IGNORECASE) is None
