"""What the user asks for always, or never: prohibitions and standing wishes, in Chinese and English. A wish of the moment is none.

It must not know what becomes of it.
"""

from __future__ import annotations

import re

from satchel.engine.text.sentences import is_fleeting, leans

_ALWAYS_ZH = re.compile(
    r"(?:请|麻烦)?(?:你)?(?:(?:以后|今后|从现在起|从今以后|往后)(?:请|都|一律|务必|不要|别|不许|不用|用|给|回答|回复|称呼|叫我|只)"
    r"|不要再|别再|千万别|千万不要|永远不要|绝对不要|一律|务必|(?:始终|总是)(?:请|要(?!求)|用|使用|保持|先|按))\S.+"
)
_ALWAYS_EN = re.compile(
    r"(?:(?:please )?(?:always|never|don't ever|do not ever) (?:use|write|answer|reply|respond|call|send|ask|push|commit|run|add"
    r"|include"
    r"|put|show|give(?! (?:up|in)\b)|format|keep|start|name|delete|remove|deploy|merge|translate|speak|suggest|recommend|mention"
    r"|schedule"
    r"|book|order)"
    r"|please (?:always|never) (?!mind)\w+|(?:from now on|in (?:the )?future|going forward|next time),? \w+) \S+",
    re.IGNORECASE,
)
_NEVER_ZH = re.compile(
    r"(?:请|麻烦|拜托)?(?:你|大家)?(?:[^，,我你]{0,12}?(?:里面?|中|前|后|时候?|以前|以后|之前|之后|晚上|早上|周末|周[一二三四五六日])(?:都|请|就)?)?"
    r"(?:不要|别|不许|不准|不得|禁止|勿)(?:再|随便|直接|在[^，,我你]{1,8}?)*"
    r"(?:(?:给|跟|向|对).{1,6}?)?(?:用|使用|推荐|安排|建议|提(?:起|到)(?!多)|打电话|联系|打扰|叫我|叫醒|提交到?|合并到?|推送到?|部署到?|透露|分享|问我(?!为什么|怎么|了)|约|喂)(?!一下"
    r"|太[多长]|多|了|[，,])\S+"
    r"|(?:请|麻烦|拜托)?(?:你)?(?:[^，,我你]{1,12}?(?:前|后|晚上|早上|周末|周[一二三四五六日])(?:都|请|就)?)?(?:不要|别)(?:再)?(?:在[^，,我你]{1,8}?)?给我(?:打电话|发消息"
    r"|发短信|发邮件)$"
    r"|(?:请|麻烦)?(?:你)?(?:都|只|一律|尽量)?用(?:简体|繁体)?(?:中文|英文|英语|日语|法语|德语|粤语|普通话)(?:来|跟我|给我)?(?:回答|回复|交流|沟通)(?:我|就好|就行|吧)?$"
    r"|(?:你的)?(?:回答|回复)(?:都|要|请|尽量|一律)*(?:用|简短|简洁|简单|详细)\S*$"
)
_NEVER_EN = re.compile(
    r"(?:please )?(?:don't|do not|dont) (?:ever )?(?:use (?:any )?(?!the\b)\w+|(?:call|text|phone|ring|contact|disturb|wake"
    r"|e-?mail|message) (?:me|us|him|her|my \w+"
    r"|the customers?|customers?|clients?)\b(?! (?:back|out|if)\b)|(?:suggest|recommend|mention|bring up|serve|feed"
    r"|assume) (?!the\b|any)\w+"
    r"|(?:commit|push|merge|deploy|release|force-push|rebase)(?: \w+)? (?:to|on|without|before|directly|into) (?!the\b)\w+"
    r"|(?:schedule|book|plan|arrange) .+ (?:before|after|on|in) \w+|(?:share|discuss) (?:my|our) \w+"
    r"|(?:ask|remind) me (?:about|for) (?!the\b)\w+|(?:reply|answer|respond|write)(?: to me)? in (?-i:[A-Z]))"
    r"|(?:please )?no (?:emojis?|calls|meetings|jargon|pork|alcohol|spoilers)\b"
    r"|(?:please )?(?:answer|reply|respond|speak|talk)(?: to me| with me)?(?: only)? in (?-i:[A-Z][a-z]+)$"
    r"|(?:please )?speak (?-i:[A-Z][a-z]+) (?:to|with) me$"
    r"|(?:please )?keep (?:your |the |all )?(?:answers|replies|responses|explanations|messages|commits|commit messages|summaries"
    r"|steps) \w+$"
    r"|(?:please )?use (?:metric|imperial|(?:british|american) (?:spelling|english)|celsius|fahrenheit|kilomet(?:re|er)s|24-hour)\b"
    r"|you (?:can|may) (?:use|call|suggest|recommend|mention) .+ again$",
    re.IGNORECASE,
)
_OF_THE_MOMENT = re.compile(
    r"\b(?:here|for (?:this|the)|in the (?:above|paragraph|text|title|first|last|second)|yet|until)\b|这|那|还没|先别", re.IGNORECASE
)


def is_standing(sentence: str) -> bool:
    """Tell whether the user asks for something always, or never."""
    if leans(sentence) or is_fleeting(sentence):
        return False
    if _ALWAYS_ZH.match(sentence) or _ALWAYS_EN.match(sentence):
        return True
    return bool(_NEVER_ZH.match(sentence) or _NEVER_EN.match(sentence)) and not _OF_THE_MOMENT.search(sentence)
