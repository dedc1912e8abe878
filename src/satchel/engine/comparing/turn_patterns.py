"""Verbs of change in classes, and the patterns by which what is given up and what takes its place are found: data, in both languages.

It knows no statement. A pattern looks at a clause from its beginning and has some of the groups `about` (whom or what the change is told
of, with what stands before the verb), `object` (what is moved), `gone` (the old value) and `come` (the new one).
"""

from __future__ import annotations

import re

from satchel.engine.comparing.words import words
from satchel.engine.text.kin import KIN, THEIRS_EN, THEIRS_ZH

# ---------------------------------------------------------------- English

_GOING = (
    "switched|moved|migrated|converted|transitioned|shifted|changed|upgraded|downgraded|ported|rewritten|rewrote|relocated|transferred"
    "|went|gone|turned|raised|lowered|increased|reduced|cut|bumped|extended|shortened|grown|grew|risen|rose|fallen|fell|promoted|reassigned"
)
"""Going from one thing to another, done: "switched from … to …"."""

_TO_GO = "switch|switching|move|moving|migrate|migrating|convert|converting|transition|transitioning|change|changing|upgrade|upgrading"
"""The same, to be done."""

_GIVING = "replaced|swapped(?: out)?|traded(?: in)?|exchanged|dropped|ditched|abandoned|gave up|given up|retired|scrapped|phased out"
"""Giving one thing up for another: "replaced … with …"."""

_TO_GIVE = "replace|replacing|swap|swapping|trade|trading|exchange|exchanging|drop|dropping|retire|retiring"

_TAKING = (
    "(?:has |have )?(?:since )?(?:replaced|superseded|succeeded|supplanted|displaced|took over from|taken over from|took the place of"
    "|taken the place of|takes the place of|replaces|supersedes)"
)
"""Taking another thing's place: "… replaced …"."""

_TAKEN = "replaced|superseded|succeeded|supplanted|displaced|swapped(?: out)?|exchanged|dropped|retired|abandoned|phased out|deprecated"
"""The same, told of what is given up: "… was replaced by …"."""

_ENDING = (
    "left|dropped|ditched|abandoned|scrapped|retired|phased out|got rid of|done away with|did away with|parted with|moved away from"
    "|moved off(?: of)?|moved out of|migrated off(?: of)?|migrated away from|went off|cancell?ed|closed|unsubscribed from|opted out of"
    "|stepped down as|stepped down from(?: being)?|stood down as|resigned as|resigned from|retired as|retired from|sold|gave away"
    "|uninstalled|gave up|given up|quit|stopped (?:being|using|working as|working for|working at|going to|taking)"
)
"""Ending something, with nothing in its place: "left …", "stepped down as …"."""

_ENDED = "retired|decommissioned|discontinued|shut down|phased out|scrapped|dropped|abandoned|cancell?ed|turned off|switched off|sunset"
"""The same, told of what ends: "… has been retired"."""

_BE = r"(?:(?:has|have) (?:since |now |recently |finally |just )?been|was|were|is|are|got|gets|being|be|to be)"
_NOW = r"(?: (?:now|since|recently|finally|just|already|fully|completely|entirely))*"
_SPAN = r"(?:[^,;.:()]|\.(?=\S)){1,60}?"
_OUT_OF = r"(?:from|off of|off|out of|away from)"
_INTO = r"(?:over to|back to|to|onto|into|in favou?r of)"
_UNTIL = r"(?=$|[,;:()]|\.(?:\s|$)|\s(?:and|but|because|so|which|who|that|instead|after|when)\b)"

ENGLISH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<gone>{_SPAN}) {_BE}{_NOW} (?:{_TAKEN}) (?:by|with|for|in favou?r of) (?P<come>{_SPAN}){_UNTIL}",
        rf"(?P<gone>{_SPAN}) (?:gave|has given|made|has made) way to (?P<come>{_SPAN}){_UNTIL}",
        rf"(?P<about>{_SPAN}) (?:{_GOING}|{_TO_GO})(?: over| back)?(?P<object> {_SPAN})?? {_OUT_OF} (?P<gone>{_SPAN}) {_INTO} "
        rf"(?P<come>{_SPAN}){_UNTIL}",
        rf"(?P<about>{_SPAN}) (?:{_GOING}|{_TO_GO})(?: over| back)?(?P<object> {_SPAN})?? {_INTO} (?P<come>{_SPAN}) {_OUT_OF} "
        rf"(?P<gone>{_SPAN}){_UNTIL}",
        rf"(?P<about>{_SPAN}) (?:{_GIVING}|{_TO_GIVE}) (?P<gone>{_SPAN}) (?:with|by|for|in favou?r of) (?P<come>{_SPAN}){_UNTIL}",
        rf"(?P<come>{_SPAN}) {_TAKING} (?P<gone>{_SPAN}){_UNTIL}",
        rf"(?P<gone>{_SPAN}) {_BE}{_NOW} (?:{_ENDED}){_UNTIL}",
        rf"(?P<about>{_SPAN}) (?:{_ENDING}) (?P<gone>{_SPAN}){_UNTIL}",
        rf"(?P<about>{_SPAN}) (?:{_GOING})(?: over| back)?(?P<object> {_SPAN})?? {_INTO} (?P<come>{_SPAN}){_UNTIL}",
        rf"(?P<about>{_SPAN}) (?:is|are|am|'s|'re|'m)(?P<object> {_SPAN})?? now (?:on|at|in|with|using|running) (?P<come>{_SPAN}){_UNTIL}",
        rf"(?P<about>{_SPAN}) now(?: uses| use| runs| run| drives| drive| takes| take)(?: on)? (?P<come>{_SPAN}){_UNTIL}",
    )
)

FACET = re.compile(
    r"\s(?:for|as|in|on|at|during|within|under|among)\s.*|\s(?:last|this|since|by|now|instead|already|entirely|everywhere|completely"
    r"|with|where|while)\b.*",
    re.IGNORECASE,
)
"""What follows a value and tells of a part, a purpose or a time: "to RabbitMQ for queues"."""

TIMES = re.compile(
    r"\s?\b(?:last|this|since|by|now|instead|already|entirely|everywhere|completely|in|on|at|during|with|where|while)\b(?: the)?"
    r"(?: (?:last|past|early|late|spring|summer|autumn|fall|winter|week|month|year|quarter|weekend|january|february|march|april|may|june"
    r"|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d[\d:/-]*\w{0,2}))*(?=\s|$)",
    re.IGNORECASE,
)

ADVERBS = re.compile(
    r"(?:\s|^)(?:has|have|had|'ve|'s|was|were|is|are|am|been|got|just|recently|finally|already|now|since|fully|completely|also|all|be"
    r"|to|will|'ll|going|about|plans?|planning|intends?|wants?|hopes?|last (?:week|month|year)|this (?:week|month|year)|yesterday|today)$",
    re.IGNORECASE,
)
"""What may stand between whom a change is told of and its verb."""

# ---------------------------------------------------------------- Chinese

_GOING_HAN = (
    "切换|切|迁移|迁|转移|转投|转换|转|搬家|搬|换|更换|替换|改|升级|升|调整|调动|调|过渡|变更|变|重写|提高|提升|降低|降|涨|增加|增|减少"
    "|减|缩短|缩|延长|上调|下调|跳槽|推迟|提前"
)
_INTO_HAN = "(?:成|到|至|为|往|去|用|向|回|给|作)"
_TAKING_HAN = "(?:取代|替换|替代|代替|接替|顶替|淘汰|换掉|换下|接手|接管)"
_ADVERB_HAN = (
    "(?:已经|已|现在|目前|都|早就|全部|后来|最近|刚刚|刚|正式|终于|全面|上周|上个月|去年|今年|昨天|今天|彻底|完全|从此|如今|一律|逐步)"
)
_N = "[^，。；,;：:（）()]{1,24}?"
_END = "(?=了?(?:$|[，。；,;：:（）()]))"
_ENDING_HAN = (
    "停用|弃用|淘汰|放弃|抛弃|舍弃|退订|取消|注销|卸任|辞去|辞掉|辞了|退出|离开|卖掉|停掉|关掉|卸载|抛掉|扔掉|卸下|不干|戒掉|告别|退掉"
)
_USING_HAN = "使用|采用|用|担任|当|做|是|开|坐|在|订阅|订|乘|骑|喝|吃|穿|住|租|养|叫|由|归"

CHINESE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<about>.*?)(?:把|将)?(?:从|由|自)(?P<gone>{_N}){_ADVERB_HAN}*(?:全部|整体)?(?:{_GOING_HAN})了?{_INTO_HAN}了?(?P<come>{_N}){_END}",
        rf"(?P<about>.*?)(?:把|将)(?P<gone>{_N})(?:全部|全)?(?:{_GOING_HAN}){_INTO_HAN}了?(?P<come>{_N}){_END}",
        rf"(?P<gone>{_N}){_ADVERB_HAN}*被(?P<come>{_N}){_TAKING_HAN}[了掉]*{_END}",
        rf"(?P<gone>{_N}){_ADVERB_HAN}*由(?P<come>{_N})(?:取代|替代|代替|接替|顶替){_END}",
        rf"(?P<about>.*?)用(?P<come>{_N})(?:取代|替换|替代|代替|换掉)[了掉]*(?P<gone>{_N}){_END}",
        rf"(?P<come>{_N}){_ADVERB_HAN}*(?:取代|替换|替代|代替|接替|顶替)[了掉]*(?P<gone>{_N}){_END}",
        rf"(?P<gone>{_N}){_ADVERB_HAN}*被?(?:停用|弃用|下线|淘汰|退役|停服|作废|关停|报废|停运){_END}",
        rf"(?P<about>.*?)(?:再也不|不再|已经不|已不)(?:{_USING_HAN})?(?P<gone>{_N}){_END}",
        rf"(?P<about>.*?)不(?:{_USING_HAN})(?P<gone>{_N})了(?=$|[，。；,;])",
        rf"(?P<about>.*?)(?:{_ENDING_HAN})[了掉]*(?P<gone>{_N}){_END}",
        rf"(?P<about>.*?){_ADVERB_HAN}*(?:(?:{_GOING_HAN})了?{_INTO_HAN}|改用|换用|转用|改在)了?(?P<come>{_N}){_END}",
        rf"(?P<about>.*?)(?:现在|目前|如今|已经|已)(?:使用|采用|用的?是?|是|跑的?是?|运行)(?P<come>{_N}){_END}",
    )
)

ADVERBS_HAN = re.compile(f"{_ADVERB_HAN}|^(?:因此|所以|于是|后来)|(?:将要|即将|打算|计划|准备|考虑|马上|快要|将会|想要|将|要|想|会)$")
"""What may stand between whom a change is told of and its verb."""

# ---------------------------------------------------------------- both

UNTOLD = re.compile(
    r"\b(?:if|unless|whether|would|could|should|might|must|suppose|imagine|wish|suggest\w*|propos\w*|recommend\w*|consider\w*|almost|nearly"
    r"|instead of (?:moving|switching)|when|once|never|not|n't|without|that|who|which|says?|said|heard|asked"
    r"|thinks?|thinking|thought|tried|trying"
    r"|failed|refus\w*|decided against)\b|n't\b"
    "|如果|要是|假如|假设|万一|一旦|的话|建议|提议|听说|据说|有人|差点|几乎|是否|要不要|没有?把|没有?从|没有?将|并未|并没|从未|拒绝|尝试|试图"
    "|希望|最好|应该|可以|能不能|觉得|认为|说过?要|以为|不能|不会|不想|不打算|不愿",
    re.IGNORECASE,
)
"""What makes of a change something that is supposed, advised, heard of, tried or denied; nothing follows from it."""

SOME = re.compile(
    r"^(?:some|other|others|many|several|most|few|a few|another|both|each|every|one of|part of|parts of|half|they|he|she)\b"
    "|有些|有的|部分|一些|别的|其他|其它|另|^他|^她|^它|^别人|^对方|隔壁",
    re.IGNORECASE,
)
"""What makes of whom a change is told of others, or a part of them."""

LIMITS_HAN = re.compile(
    "(?:每|逢|到了?)?(?:周末|工作日|平日|节假日|周[一二三四五六日天]|星期[一二三四五六日天]|[早中晚]上|下午|上午|夜里|白天|[春夏秋冬]天|下雨天|雨天"
    "|[月年]底|[月年]初|假期|期间)|在[^，。；,;不]{1,8}(?=再|已|$)|的时候|对[^，。]{1,6}$"
)
"""What limits a Chinese change to a time or a place, before its verb: 周末, 在家."""

PAST = re.compile(
    r"\b(?:before|used to|formerly|previously|back (?:in|then)|years? ago|as a (?:child|student|teenager)|in (?:19|20)\d\d|until)\b"
    "|以前|曾经?|从前|过去|当年|小时候|年前|那时|当时|原先|早年|[12][09]\\d\\d年",
    re.IGNORECASE,
)
"""What puts a change into the past: whether it came before what is told elsewhere is not known."""

PLANNED = re.compile(
    rf"\b(?:will|'ll|going to|about to|plans? to|planning to|intends? to|wants? to|hopes? to)\b|\b(?:is|are|am|'s|'re|'m) (?:{_TO_GO})\b"
    "|将要|即将|打算|计划|准备|考虑|马上|快要|将会|想要|[想将要会](?=从|把|换|改|迁|切|升)"
)
"""What makes a plan of a change."""

HOLDERS = words(
    """
    i we us the our my user team company project group department organisation organization office house household family everyone
    everybody people app application product system it they he she all
    """
)
"""English words for whom a memory is about anyway; a change told of them is told of what they have."""

PARTIES = re.compile(
    rf"\b(?:{THEIRS_EN}|clients?|customers?|custom|vendors?|suppliers?|agenc(?:y|ies)|agenc|competitors?|competitor|contractors?|partners?"
    r"|sponsors?|investors?|rivals?|parents?|famil(?:y|ies)|guests?|tenants?|pupils?|students?)\b",
    re.IGNORECASE,
)
"""People and parties that are others than the user and those the user works with, as written and as stemmed."""

PARTIES_HAN = re.compile(rf"{THEIRS_ZH}|{KIN}|客户|甲方|乙方|外包|供应商|对手|竞品|合作方|投资人|代理|学生|家长|租客")

PRONOUNS = {
    "user": re.compile(r"\b(?:i|my|me|user)\b|用户|我(?!们)|本人", re.IGNORECASE),
    "we": re.compile(
        r"\b(?:we|our|us|team|company|project|group|department|office|organi[sz]ation|app|product|system)\b|我们|咱们|团队|公司|项目|部门|单位|系统",
        re.IGNORECASE,
    ),
}
"""Whom a statement is about where it names nobody: one person, or several together."""

HOLDERS_HAN = re.compile(
    "^(?:我们|咱们|我|用户|本人|团队|公司|项目组|项目|部门|单位|大家|小组|全组|全员|系统|应用)?(?:的|里|内部|都|这边|现在)*$"
)
"""The same in Chinese, as all that stands before a change."""

NOUNS = words("account accounts subscription membership licence license plan contract card app tool server service platform system")
"""English nouns that may stand beside a name and tell no more of it: "the HSBC account"."""

NOUNS_HAN = re.compile(
    "(?:账号|账户|帐号|会员|订阅|套餐|合同|软件|平台|系统|服务|工具|公司|职务|一职|职位|的工作|的职务|这个|这款|那个|老|旧|原来的|原有的)"
)
