"""The sentence patterns by which slots are found, and the words for what can have one value only: data. It knows no statement.

A pattern looks at a canonical text from its beginning and has the groups `role`, `owner` and `value`; not every one has an owner.
"""

from __future__ import annotations

import re

from satchel.engine.comparing.words import words

ROLES = words(
    """
    @address @birthday @cost @deadline @job @mail @phone age blood_typ branch budget capit citizenship color colour currenc databas
    date favorit favourit headquart height job languag limit locat name nation nicknam number password_hint popul port posit prioriti
    religion rent role salari size star_sign statu theme time timezon titl url usernam venu version weight zone
    """
)
"""English nouns, stemmed, for what has one value: "my … is", "the … of"."""

HOLDERS = words("@lead author captain ceo chairperson creator director editor founder owner presid")
"""English nouns for what one person is, who must be told by name: "the director is …"."""

ROLES_HAN = words(
    """
    丈夫 上司 上限 专业 主席 主题 人口 价格 优先级 会场 住址 住处 体重 作者 公司 分支 创始人 办公室 单位 名字 国籍 地址 地点 女朋友
    妻子 姓名 学历 官方语言 家乡 导师
    导演 尺码 密码 岗位 工位 工资 年薪 年龄 总理 总经理 总统 总裁 截止日期 房东 房租 持续时间 教练 日期 时区 时间 星座 昵称 月薪 母校 母语
    民族 版本 状态 班主任 生日
    用户名 电话 男朋友 省会 称呼 端口 籍贯 经理 编剧 老公 老婆 老家 老板 职业 职位 职务 董事长 血型 规模 负责人 货币 身高 邮箱 部门
    队长 预算 颜色 首都 默认值
    """
)
"""The same in Chinese."""

TITLES_HAN = words("组长 班长 店长 校长 院长 处长 科长 市长 省长 馆长 会长 社长 局长 部长 站长 厂长 村长 镇长 主任 主编 队长")
"""Chinese titles, whose holder must be told by name, as for `HOLDERS`."""

PERSONS = words("老板 上司 经理 导师 教练 房东 丈夫 妻子 老公 老婆 男朋友 女朋友 boss manag superior mentor coach host")
"""Roles whose holder may be told by name or by what they do, and may be several."""

LISTED = words(
    """
    @kid advantag all aspect benefit caus child citizen_of colleagu coupl each effect exampl fan featur friend goal hobbi interest kind
    lot member most number one pair part piec pieces problem reason rest result side some sort strength symptom three two weak
    """
)
"""English nouns for what may have many values, and words that show it: "a member of", "one of"."""

LIST_VERBS = words("@like @study @use drink eat follow has know meet met play_with read see speak support try visit watch")
"""Verbs that many things can hang on: "visited the city of …"."""

_PASSIVES = words(
    """
    @lead @planned @store affili~ associ~ base~ born call~ chair~ coach~ compos~ creat~ design~ develop~ direct~ discov~ educ~ found
    found~ headquart~ host~ invent~ locat locat~ marri marri~ name~ own~ painted paint~ perform~ produc~ publish~ run stor~ written
    """
)


_ROLE = "|".join(map(re.escape, sorted(ROLES | HOLDERS | PERSONS)))
_ATTRIBUTE = "|".join(map(re.escape, sorted(ROLES)))
_PASSIVE = "|".join(map(re.escape, sorted(_PASSIVES)))
_IS = (
    r"(?:(?:is|are|past|has|have|been|'s|s)(?: (?:now|@still|@already|correct|change|newly|to|be|at|on|in|by))*"
    r"|(?:past )?change(?: (?:to|at|on|in))*)"
)
_SAID = _IS.replace("|'s|s)", ")")
"""The same where "'s" says whose it is: "the deadline for the report's first draft"."""

_IN = r"(?:in|on|at|by|to|with|of|for|from|as)"
_MY = r"(?:my|our|his|her|their|the user 's|user 's)(?: newly| now| current)?"
_TIME = r"(?:(?:date|time|weekday|month|part):\S+)"
_KINDS = r"(?:citizen|nativ|resid|professor|student|employe|teacher|capit)"

_ENGLISH: tuple[tuple[str, str], ...] = (
    ("of", rf"the (?P<role>[^|]+?) (?:of|where|that) (?P<owner>.+) {_SAID} (?P<value>[^|]+)"),
    ("for", rf"(?:the|my|our) (?P<role>{_ROLE}) (?:of|for|in|at|on) (?P<owner>.+?) {_SAID} (?P<value>[^|]+)"),
    ("my", rf"(?:{_MY}|(?P<owner>.+?) 's) (?P<role>(?:\S+ )?(?:{_ROLE})) {_IS} (?P<value>[^|]+)"),
    ("the", rf"(?:the|my|our) (?P<owner>[^|]+?) (?P<role>{_ATTRIBUTE}) {_IS} (?P<value>[^|]+)"),
    ("live", r"(?P<owner>.*?)(?<!\S)(?P<role>@live)(?: (?:in|at|now))* (?P<value>[^|]+)"),
    ("work", r"(?P<owner>.*?)(?P<role>@work)(?: (?:at|for|by|now))* (?P<value>[^|]+)"),
    ("passive", rf"(?P<owner>.+?) (?:is|are|past|be)(?: now)? (?P<role>(?:{_PASSIVE}) {_IN}(?: the \S+ of)?) (?P<value>[^|]+)"),
    ("wed", r"(?P<owner>.+?) (?:is|are)(?: now)? (?P<role>@wedding) (?P<value>[^|]+)"),
    ("born", r"(?P<owner>.+?) @birthday (?P<role>in|at) (?P<value>[^|]+)"),
    ("moved", r"(?P<owner>.*?)(?:past |has |have |now )*(?P<role>change)(?: from [^|]+? to)? (?P<value>[^|]+)"),
    ("die", rf"(?P<owner>.+?) (?P<role>die~? {_IN}) (?P<value>[^|]+)"),
    ("kind", r"(?P<owner>.+?) (?P<verb>\S+) (?:in )?the (?P<role>\S+) of (?P<value>[^|]+)"),
    ("citizen", rf"(?P<owner>.+?) (?:is|past) (?:a|an|the) (?P<role>{_KINDS} {_IN}) (?P<value>[^|]+)"),
    ("holder", r"(?P<value>[^|]+?) (?:is|past)(?: now)? the (?P<role>[^|]+?) (?:of|on|for|in|at) (?P<owner>[^|]+)"),
    ("heads", r"(?P<value>[^|]+?) (?:is|past)(?: now)? the (?P<role>@lead)(?: (?:of|on|for|in) (?P<owner>[^|]+))?$"),
    ("leads", r"(?P<value>[^|]+?) (?:now )?(?P<role>@lead) (?P<owner>[^|]+)"),
    ("heads", r"(?P<value>[^|]+?) (?:is|past)(?: now)? the (?P<owner>\S+(?: \S+)?) (?P<role>@lead)$"),
    ("age", r"(?P<owner>.*?)(?:is|am|are|i'm|'s)(?: now| @already)* (?P<role>)(?P<value>num:\d+ year(?: old)?)$"),
    ("bare", rf"(?P<owner>[^| ]+(?: [^| ]+)?) (?P<role>{_ATTRIBUTE}) {_IS} (?P<value>num:\S+[^|]*)"),
    ("blood", r"(?P<owner>.*?)(?:'s |my )?(?P<role>blood type?)(?: (?:is|:))* (?P<value>\S+)$"),
    (
        "due",
        r"(?:the |my |our )?(?P<owner>.+?) (?:is |past |has |now )*(?P<role>@deadline)(?: (?:is|on|of|by|past|change|now))* "
        rf"(?P<value>{_TIME}.*)$",
    ),
    ("when", rf"(?P<role>the|my|our) (?P<owner>.+?) {_IS} (?P<value>{_TIME}(?: (?:on|at|in|the|every:\S+|{_TIME}))*)$"),
    ("amount", rf"(?P<role>the|my|our) (?P<owner>.+?) (?:{_IS}|@cost) (?P<value>num:\S+(?: \S+)?(?: every:\S+)?)$"),
)

_IS_HAN = (
    r"(?:是|为|于|定|到|change|now|correct|@already|@planned|则|:)"
    r"(?: (?:是|为|在|于|定|到|change|now|correct|@already|@planned|成|了))*"
)
_AT_HAN = r"(?:是|在|定|于|到|change|now|安 排|@planned|:)(?: (?:是|在|定|于|到|change|now|了))*"
_UNIT_HAN = r"(?:@yuan|@dollar|@euro|@pound|@km|@kg|@hour|@minute|@percent|岁|斤|米|度|年|天|个 月|平 米|平 方 米|厘 米|c m)"
_PLACES = "地点|地址|老 家|家 乡|@deadline|@birthday|时 间|日 期|办 公 室|会 场"

_LATELY_HAN = "(?:(?:上|这|本) (?:个 )?(?:月|周|星 期) |去 年 |昨 天 |前 天 |刚 刚 |刚 |最 近 )?"

_CHINESE: tuple[tuple[str, str], ...] = (
    ("role", rf"(?P<owner>.*?)(?:的 )?(?P<role>ROLES) {_IS_HAN} (?P<value>[^|]+)"),
    ("place", rf"(?P<owner>.*?)(?:的 )?(?P<role>{_PLACES}) (?:定 )?在 (?P<value>[^|]+)"),
    ("liveat", r"(?P<owner>.*?)(?:now )?在 (?P<value>\S+ [^|]+?) (?P<role>@live)(?= \||$)"),
    ("live", r"(?P<owner>.*?)(?P<role>@live|家)(?: (?:在|于|now))+ (?P<value>[^|]+)"),
    ("moved", rf"(?P<owner>.*?){_LATELY_HAN}(?:now |@already )*(?P<role>change) @live(?: (?:到|了))* (?P<value>[^|]+)"),
    ("work", r"(?P<owner>.*?)(?:now )?在 (?P<value>.+?)(?: 的)? (?P<role>@work)(?: .{0,3})?(?= \||$)"),
    ("worksat", r"(?P<owner>.*?)(?P<role>@work) (?:于|在) (?P<value>[^|]+)"),
    ("born", r"(?P<owner>.*?)(?P<role>出 生(?: 于| 在)|生 于|来 自|位 于|嫁 给(?: 了)?)(?: 了)? (?P<value>[^|]+)"),
    ("age", r"(?P<owner>.*?)(?:今 年 |now |@already |满 )*(?P<role>)(?P<value>num:\d+ 岁)$"),
    ("blood", r"(?P<owner>.*?)(?:是 )?(?P<value>[a-z]+) (?P<role>型 血|型)$"),
    ("called", r"(?P<owner>.+?)(?:的 名 字 )?(?P<role>叫)(?: 做)? (?P<value>[^|]+)"),
    ("holder", r"(?P<value>[^|]+?) (?:now )?是 (?P<owner>[^|]+?)(?: 的)? (?P<role>ROLES)(?= \||$)"),
    ("lead", r"(?P<owner>.+?) 由 (?P<value>.+?) (?P<role>@lead)(?= \||$)"),
    ("leads", r"(?P<value>.+?) (?P<role>@lead) (?P<owner>[^|]+)"),
    ("when", rf"(?P<owner>.+?) (?P<role>){_AT_HAN} (?P<value>{_TIME}(?: {_TIME})*)(?: 开(?: 始)?)?$"),
    ("when", r"(?P<owner>.+?) (?P<role>)(?P<value>time:\S+) 开(?: 始)?$"),
    ("amount", rf"(?P<owner>.+?) (?P<role>)(?:(?:是|为|change|now|涨|降|到|了|成|只) )*(?P<value>(?:every:\S+ )?num:\S+ {_UNIT_HAN})$"),
)

LOOSE = words("called when leads moved blood")
"""Patterns that fit what may hold several values as well; in Chinese, `work` (which tells a place as well) and `amount` are among them."""

ENGLISH = tuple((name, re.compile(pattern)) for name, pattern in _ENGLISH)


def chinese_patterns(roles: list[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the Chinese patterns, with the roles as they stand in a canonical text."""
    either = "|".join(sorted(set(roles), key=lambda role: (-len(role), role)))
    return tuple((name, re.compile(pattern.replace("ROLES", either))) for name, pattern in _CHINESE)
