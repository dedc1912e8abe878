"""Who the user and the people of theirs are: names, birth, home, work, how they are reached, in Chinese and English.

It must not know what becomes of it.
"""

from __future__ import annotations

import re

from satchel.engine.text.kin import JOB_EN, JOB_ZH, KIN, MINE_EN, NAMED_EN, NAMED_ZH, OF_MINE_ZH, SURNAMES, THEIRS_EN, THEIRS_ZH
from satchel.engine.text.sentences import leans

_NAMED = re.compile(
    rf"我(?:的名字)?(?:叫|姓)(?![你他她它人车个了不停上来醒一])\S{{1,12}}$|我是(?!高手|王者|陈述|方便|常客|万能|金牌|方案|程序员)[{SURNAMES}][^\s一个人的，,]{{1,2}}$|[你您]?(?:也"
    rf"|就)?(?:可以|请)?叫我[^\s，,]{{1,6}}?(?:就好|就行|吧)?$"
    rf"|{OF_MINE_ZH}(?:的)?(?:名字|姓名|大名|小名)?(?:叫做?|名叫|姓)\S{{1,12}}$|{OF_MINE_ZH}的?(?:名字|姓名|大名|小名)(?:是|为)\S{{1,12}}$"
    rf"|[^\s，,我你他她]{{2,4}}是我们?的?{THEIRS_ZH}(?:[，,].*)?$"
)
_NAMED_EN = re.compile(
    rf"(?:[Mm]y (?:full |last |first |middle |nick ?)?name(?:'s| is)(?! (?:not|no|none|irrelevant|important|unimportant|a secret"
    rf"|too|hard|wrong)\b)|[Mm]y (?:\w+ )?{THEIRS_EN}(?:(?:'s|s'|’s) names? (?:is|are)"
    rf"| (?:is|are) (?:called|named)|'s (?:called|named)))"
    r" [\w' -]{2,40}$"
    r"|(?:(?:[Yy]ou can|[Pp]lease) )?[Cc]all me (?![A-Z]\w+day\b)[A-Z][\w'-]+$"
    r"|I(?:'m| am) (?!Okay|Ok|Fine|Good|Sorry|Done|Ready|Sure|Back|Here|Not|Happy|Glad|Just|So|Very)[A-Z][a-z]+(?: [A-Z][a-z]+)?$"
)
_FACTS_ZH = (
    r"(?:手机(?:号码?)?|电话号?码?|联系电话|邮箱(?:地址)?|邮件地址|微信号?|[阳阴农公]历生日|生日|出生(?:日期|年月|地)|年龄|身高|血型|星座|属相|学历|教育背景"
    r"|文化程度|教育程度|专业|母校|职业|职位|职称|岗位|工作(?:单位|地点?)?|单位(?:名称)?|公司(?:名称)?|老家|家乡|故乡|籍贯|国籍|民族|家庭?住址|家庭地址|地址|预算|工资|月薪|年薪|房租|信仰|时区|工作时间"
    r"|上班时间|性格|爱好|兴趣爱好|母语)"
)
_FACTS_EN = (
    r"(?:(?:home |work |office |mailing |shipping |cell |mobile )*(?:phone|cell|cellphone|mobile|telephone|e-?mail"
    r"|address)(?: number| address)?"
    r"|birthday|birth date|date of birth|birthplace|home ?town|address|job title|occupation|profession|employer|blood type|zip code"
    r"|nationality|native language|mother tongue|first language|time ?zone|age|height|shoe size|pronouns|(?:wedding )?anniversary"
    r"|major|degree|salary|budget|rent|religion|faith|working hours|office hours|insurance)"
)
_HAS = re.compile(
    rf"(?:我|{OF_MINE_ZH})的?(?:一个)?{_FACTS_ZH}(?:现在|目前)?(?:是|为|在|叫|有|[:：])\s*\S+"
    rf"|{OF_MINE_ZH}.{{0,2}}?过?生日(?:是|在)\S+"
    rf"|{OF_MINE_ZH}(?:的工作)?(?:现在|目前)?(?:是|当|做)(?:一?[个名位]的?)?[^，,你]{{0,14}}{JOB_ZH}的?$"
    rf"|{OF_MINE_ZH}(?:现在|目前)?(?:住在?|来自|出生[于在]|毕业于|在[^，,你]{{1,16}}(?:工作|上班|上学|读书|念书))[^，,你]*$"
    rf"|(?:my|my (?:\w+ )?{THEIRS_EN}(?:'s|s'|’s)) {_FACTS_EN}(?:'s| is| are) (?:on |in |at )?\S+"
    rf"|my (?:\w+ )?{THEIRS_EN} (?:(?:is|are) an? (?:[\w-]+ ){{0,3}}?{JOB_EN}\b|(?:is|are) \d{{1,3}}(?: years old)?$|(?:works?"
    rf"|lives?) (?:as|at|in|for|on) \w+"
    r"|(?:was|were) born (?:in|on) \w+|(?:comes?|is|are) (?:originally )?from [A-Z]\w+|(?:just |recently )?moved (?:back )?to \w+)",
    re.IGNORECASE,
)
_BORN_AT_HOME = re.compile(
    r"我的?(?:阳历|阴历|农历|公历|陰曆|農曆)?生日(?:是|在)\S.+|我(?:是|出生[于在])?\S{0,12}(?:年|月|日|号)\S{0,6}(?:出生|生)的?$"
    r"|我的?老?家(?:现在|就)?(?:住在?|在|是|搬到了?)\S{2,30}$|我们?(?:一?家)?(?:现在|目前|就)?住在?\S{2,30}$|我来自\S{2,20}$|我的(?:家庭)?(?:住址|地址)是\S+"
    r"|我是(?!一|个|好|坏|本|主)\S{2,8}人$|我今年\d{1,3}岁"
    r"|my (?:birthday|date of birth) is (?:on )?\w+|I was born (?:in|on) \w+|my (?:home|address|hometown|home town|home address) is \w+"
    r"|I(?:'m| am) (?:originally )?from [A-Z]\w+|I(?:'m| am) \d{1,3} years old|I(?:'ve)? moved to [A-Z]\w+|my home is in \w+",
    re.IGNORECASE,
)
_I_AM = re.compile(
    r"我住在\S.{1,30}$|我(?:是|在)(?:一[名个位])?\S.{0,20}(?:工作|上班)$|我(?:现在|目前)?(?:是|做|当)(?:一?[个名位])?[^，,你]{0,16}"
    + JOB_ZH
    + r"$"
    r"|我(?:毕业于\S{2,20}|是?[^，,你]{0,12}毕业的|[在读学](?:的是)?[^，,你]{2,14}(?:专业|大学|学院|研究生|博士))$"
    r"|我(?:已婚|未婚|单身|离异|离婚了|怀孕了?|退休了|是(?:独生子女|左撇子|单亲妈妈|单亲爸爸))$"
    r"|我(?:家)?(?:有|养了?)(?:[一两二三四五\d]+[个只条位])[^，,你]{0,8}(?:" + KIN + r"|[猫狗鸟鱼]|宠物)$"
    r"|(?:I|we) live in [A-Z][\w', -]{1,40}$|I work (?:at|as|for|in) [\w'&, -]{2,60}$"
    r"|I(?:'m| am) an? [\w -]{2,30} (?:by profession|at [A-Z]\w+)$"
    r"|I(?:'m| am)(?: currently)? an? (?:[\w-]+ ){0,4}?"
    + JOB_EN
    + r"(?:$| (?:at|in|for|with|from|based|working|living|who|specializing|majoring)\b.*)"
    r"|I(?:'ve| have) been (?:working|living|studying|teaching) (?:in|at|as|for) (?!my\b|this\b|a while|\d|several|many|some"
    r"|about)\w+.*|I (?:study|studied|majored|graduated|teach|am majoring) (?:in|at|from|with) \w+.*"
    r"|I (?:(?:just|recently|also|already) )*(?:completed|finished|earned|got|hold|have|received) (?:my"
    r"|an?) (?:[\w'’-]+ ){0,4}?(?:degree|phd|mba|diploma|bachelor'?s|master'?s)\b.*"
    r"|I(?:'m| am) (?:happily |recently |newly )?(?:married|single|divorced|engaged|pregnant|retired|self-employed|left-handed"
    r"|bilingual|widowed)\b(?: to .+| with .+)?$"
    r"|(?:I|we) have (?:an?|one|two|three|four|five|\d) (?:[\w-]+ ){0,3}?" + THEIRS_EN + r"s?(?:$|,| (?:named|called|who)\b.*)",
    re.IGNORECASE,
)
_WORKS = re.compile(
    rf"(?:我|{OF_MINE_ZH}|{NAMED_ZH})(?:现在|目前)?在[^，,你]{{2,16}}?(?:做|当|担任|负责|搞|干)[^，,你了过]{{0,6}}(?:{JOB_ZH}|运营|财务|市场|行政|采购|研发|算法)$"
    rf"|(?:我|{NAMED_ZH})是(?:我们?的?|项目的?|团队的?)?[^，,你我]{{0,8}}?{JOB_ZH}$"
    rf"|我们?的?{THEIRS_ZH}是(?:{NAMED_ZH}|[A-Z]\w+(?: [A-Z]\w+)?)$"
    rf"|{OF_MINE_ZH}?(?:{NAMED_ZH})?(?:今年|已经)?[\d一二两三四五六七八九十]{{1,3}}岁了?$"
    rf"|(?:my|our) {THEIRS_EN} is {NAMED_EN}$"
    rf"|(?:I(?:'m| am)|{NAMED_EN}(?: is|'s)|{MINE_EN}(?: is|'s)) (?:the|an?|my|our) (?:[\w-]+ ){{0,3}}?(?:{JOB_EN}|{THEIRS_EN})$"
    rf"|(?:I|{NAMED_EN}|{MINE_EN}) works? (?:nights|days|(?:from )?home|part[- ]time|full[- ]time|(?:from )?\d|(?:mon|tues|wednes"
    rf"|thurs|fri)day)\b.*"
    rf"|(?:{NAMED_EN}) (?:works (?:at|for|as) \w+|lives in (?-i:[A-Z])).*"
    rf"|(?:{MINE_EN}|{NAMED_EN})(?:,? (?:he|she|who))? (?:turns \d{{1,2}}|turns [a-z]+ on|is \d{{1,3}} years old)\b.*"
    r"|I(?:'m| am) (?:not available|unavailable|off|free only|only free|only available) on (?:\w+days?|weekends)$"
    r"|I (?:don't|do not) work on \w+days?$|I(?:'m| am) (?:in|on) (?:the )?(?:(?-i:[A-Z])[\w+-]* )?(?:(?<!in )time ?zone|time"
    r"|UTC\S*|GMT\S*|CET"
    r"|PST|EST)$"
    rf"|(?:I(?:'m| am)|we(?:'re| are)|{MINE_EN} is) (?:an? )?(?:muslim|jewish|hindu|buddhist|christian|catholic|sikh|orthodox)$"
    r"|(?:I|we) keep (?:kosher|halal)$|我在[东西][一二三四五六七八九十]+区$|我(?:每周|每个周)\S{1,6}(?:没空|休息|不上班)$"
    r"|我周[一二三四五六日]都(?:没空|不上班)$"
    rf"|(?:我们?|{OF_MINE_ZH})(?:信(?:佛|基督教?|天主教|伊斯兰教|道)教?|是(?:穆斯林|回族|佛教徒|基督徒|天主教徒))$|我朝九晚[五六]$",
    re.IGNORECASE,
)
_OTHERS_TASTES = re.compile(
    rf"(?:我们家?|我家|{OF_MINE_ZH}|{NAMED_ZH})(?:都|也|很|最|从来?|一直|比较)*(?:不[吃喝]|不能[吃喝]|只[吃喝]|讨厌|喜欢|爱[吃喝]|害怕)[^，,你了这那]{{1,12}}$"
    rf"|(?:we|{MINE_EN}|{NAMED_EN})(?: (?:really|also|all|always))? (?:don't|doesn't|do not|does not|can't|cannot) (?:eat|drink) \w+.*"
    rf"|{MINE_EN}(?: (?:really|also|all|always))? (?:(?:don't|doesn't) like|only (?:eats?|drinks?)|hates?|loves?|likes?"
    rf"|prefers?) (?!the\b|to\b|when|how|(?:me|you|us|it|him|her)\b)\w+.*"
    rf"|(?:we(?:'re| are)|(?:{MINE_EN}|{NAMED_EN})(?:'s| is| are)) (?:an? )?(?:strict )?(?:vegetarians?|vegans?)$",
    re.IGNORECASE,
)
_FOR_THE_NIGHT = re.compile(
    r"[哪谁几]|什么|怎么|多少|比较|今天|今晚|昨|刚才|酒店|宾馆|旅馆|回家|一样|\b(?:today|tonight|yesterday|hotel)\b",
    re.IGNORECASE,
)


def is_person(sentence: str) -> bool:
    """Tell whether the user says who they or somebody of theirs is, where at home, at work, how reached."""
    said = any(rule.match(sentence) for rule in (_NAMED, _NAMED_EN, _HAS, _BORN_AT_HOME, _I_AM, _WORKS, _OTHERS_TASTES))
    return said and not leans(sentence) and not _FOR_THE_NIGHT.search(sentence)
