"""Words that are interchangeable in a short memory, by the one that stands for them: data, and putting it in the others' place.

It must not know grammar: that is `wordings`. Only what holds in nearly every short memory stands here. Words of which one is a kind of the
other (dog, pet), or that differ in strength or direction, are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from satchel.engine.comparing.statements import read

_ENGLISH = """
start: commence, kick off, started, beginning
finish: complete, wrap up, conclude, finished, ended
expire: lapse, run out
ask: request
delete: remove, erase
change: modify, alter, amend
fix: repair
postpone: delay, put off, defer
cancel: call off
submit: hand in, turn in
attend: take part in, participate in
visit: go to see, come to see, go see
depart: set off, set out
manage: supervise, oversee
help: assist
collect: pick up, fetch
choose: pick, select, opt for
answer: reply to, respond to
explain: clarify
discuss: talk about
gather: assemble
build: construct
own: possess
employ: hire
hurt: injure
forbid: prohibit, ban, disallow
check: verify
enable: turn on, switch on, activate
disable: turn off, switch off, deactivate
install: set up
rest: relax
jog: go jogging
exercise: work out
avoid: stay away from, steer clear of
suffer: suffer from
doctor: physician
lawyer: attorney, solicitor
teacher: schoolteacher, instructor
boss: line manager, supervisor, superior
colleague: coworker, co-worker, workmate
roommate: flatmate, housemate
company: firm, business
apartment: flat
mother: mum, mom, mommy, mama
father: dad, daddy, papa
grandmother: grandma, granny
grandfather: grandpa, granddad
bike: bicycle
motorbike: motorcycle
sofa: couch
cinema: movie theater, movie theatre
subway: underground, metro
vacation: holiday, holidays
trip: journey
medicine: medication
dinner: supper
photo: picture, photograph
tv: television
fridge: refrigerator
ill: sick, unwell
quick: fast, rapid
often: frequently, regularly
main: primary
staff: employees, personnel
show: display
native language: mother tongue, first language, native tongue
salary: wage, pay packet
hometown: home town
surname: last name, family name
birthplace: place of birth
folder: directory
repository: repo
documentation: docs
configuration: config
database: db
production: prod
application: app
deploy: roll out
website: site, web site
laptop: notebook computer
garbage: trash, rubbish
glasses: spectacles
glad: happy
whole: entire
gym: fitness center, fitness centre
soccer: football
pupil: schoolchild
owner: proprietor
goal: aim
email: email address
phone: phone number, telephone number
postcode: zip code, postal code
timetable: schedule
car park: parking lot
pharmacy: drugstore, chemist
cooker: stove
biscuit: cookie
truck: lorry
luggage: baggage
diary: journal
restaurant: eatery
kindergarten: preschool
retire: go into retirement
graduate: get a degree
marry: get married to, wed
subscribe to: have a subscription to, has a subscription to, be subscribed to, is subscribed to
"""

_IRREGULAR = """
start: began, begun
write: wrote, written
send: sent
sell: sold
teach: taught
meet: met
choose: chose, chosen
give: gave, given
take: took, taken
win: won
drive: drove, driven
eat: ate, eaten
drink: drank, drunk
speak: spoke, spoken
see: saw, seen
know: knew, known
grow: grew, grown
bring: brought
catch: caught
break: broke, broken
ride: rode, ridden
sing: sang, sung
sleep: slept
spend: spent
steal: stole, stolen
swim: swam
wear: wore, worn
fly: flew, flown
forget: forgot, forgotten
understand: understood
lend: lent
"""

_CHINESE = """
买: 购买 购入 采购 买入 购置 入手
提交: 上交 递交 呈交
修: 修理 维修 修复 修好
删除: 删掉 清除 移除 去掉 清掉 清理
改: 修改 更改 改动
检查: 核对 查验 核查
回答: 回复 答复
寄: 寄出 邮寄 寄送
到: 抵达 到达 送达 送到 降落 落地 到站
养: 领养 收养 饲养
报名: 注册 登记
选: 选择 挑选 选用
写: 撰写 编写 书写
讨论: 商讨 商量 探讨
取消: 撤销
开启: 启用 打开 开通
关闭: 停用 禁用
禁止: 严禁 不得
帮: 帮忙 协助 帮助
睡: 就寝 入睡 睡觉 上床睡觉
起床: 起身
吃: 服用 口服 食用
坐: 乘坐 搭乘 乘
开车: 驾车 自驾
旅行: 旅游 出游 游玩
聊: 聊天 谈话 交谈
休息: 歇息
感兴趣: 有兴趣
评审: 审查 审阅 审核
展示: 呈现 显示
怕: 害怕 惧怕
有: 患有 罹患
会面: 见面 碰面
妈妈: 母亲 老妈
爸爸: 父亲 老爸
妻子: 太太 老婆
丈夫: 老公 先生
奶奶: 祖母
爷爷: 祖父
外婆: 姥姥 外祖母
外公: 姥爷 外祖父
孩子: 小孩 小朋友
医生: 大夫 医师
老师: 教师
领导: 上司 上级
同事: 同僚
室友: 舍友 合租人
公司: 企业
自行车: 单车
出租车: 的士 计程车
公交: 公交车 公共汽车 巴士
酒店: 宾馆 旅馆
餐厅: 饭店 餐馆 饭馆
超市: 超级市场
目录: 文件夹
仓库: 代码库 代码仓
文档: 说明文档
生产环境: 正式环境 线上环境
漏洞: 缺陷
电脑: 计算机
照片: 相片
电视: 电视机
早饭: 早餐
午饭: 午餐 中饭
晚饭: 晚餐
药: 药物 药品
番茄: 西红柿
土豆: 马铃薯
咖喱: 加喱
薪水: 工资 薪资 薪酬
生日: 诞辰
老家: 故乡 家乡
母语: 第一语言
汉语: 中文
特别: 尤其
快递: 包裹
价格: 价钱 售价
目标: 目的
深色模式: 暗色模式 暗黑模式 夜间模式
简短: 简洁 简明 精简
周: 星期 礼拜
默认: 缺省
账号: 帐号 账户 帐户
端口: 端口号
邮箱: 邮箱地址 邮件地址
网址: 链接
负责: 分管 牵头 主抓
药店: 药房
幼儿园: 幼稚园
日程: 行程 日程表
程序员: 码农
宠物: 爱宠
"""


@cache
def _heads(*, is_chinese: bool) -> Mapping[str, str]:
    """Return what stands for each word and phrase, as they are in canonical texts; heads stand for themselves."""
    heads: dict[str, str] = {}
    for line in (_CHINESE if is_chinese else _ENGLISH).strip().splitlines():
        head, _, others = line.partition(": ")
        put = _canonical(head)
        heads |= {_canonical(word).rstrip("~"): put for word in others.split(" " if is_chinese else ", ")}
        if is_chinese:
            heads[put] = put
    return heads


def _canonical(word: str) -> str:
    found = read(f"it {word}")  # it begins with something else, so that nothing is taken for a name
    return found.canonical.removeprefix("it ") if found is not None else word


@cache
def _pattern(*, is_chinese: bool) -> re.Pattern[str]:
    """Return a pattern of all of them, the longest first; an English one may be in the past, and keeps the mark of it."""
    found = sorted(_heads(is_chinese=is_chinese), key=len, reverse=True)
    words = (word.replace(" ", "~? ", 1) if not is_chinese and " " in word else re.escape(word) for word in found)
    return re.compile(rf"(?<!\S)(?:{'|'.join(words)})~?(?!\S)")


@cache
def _regular() -> Mapping[str, str]:
    """Return irregular forms, and what they would be were they regular."""
    lines = (line.partition(": ") for line in _IRREGULAR.strip().splitlines())
    past = {_canonical(form): f"{_canonical(verb)}~" for verb, _, forms in lines for form in forms.split(", ")}
    return past | {"goe": "go"}


def unified(canonical: str, *, is_chinese: bool) -> str:
    """Put one word for all that say the same into a canonical text, and regular forms of the past for irregular ones."""
    heads = _heads(is_chinese=is_chinese)

    def head(match: re.Match[str]) -> str:
        return heads[match[0].replace("~", "")] + ("~" if "~" in match[0] else "")

    if not is_chinese:
        regular = _regular()
        canonical = " ".join(regular.get(key, key) for key in canonical.split(" "))
    return _pattern(is_chinese=is_chinese).sub(head, canonical)
