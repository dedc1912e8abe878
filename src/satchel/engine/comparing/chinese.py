"""The Chinese words by which short memories are compared: data, and looking them up. It knows nothing of how they are used.

Keys are those of `english`. A word may end in a condition on what surrounds it, as in a regular expression. What is no entry is compared
character by character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from satchel.engine.comparing.words import words

DROPPED = frozenset("的了着是在对于把将也就都这那其该吗呢吧啊呀嘛哦啦得地之里中内为由个且并而又")
"""Characters without weight."""

_WORDS = r"""
@like: 喜欢 喜爱 热爱 偏爱 偏好 爱好 钟爱 酷爱 爱(?=[吃喝看听玩穿用打做读逛跑骑爬游])
@like!: 讨厌 厌恶 反感 不爱(?=[吃喝看听玩穿用打做读逛])
@work: 工作 上班 就职 任职 供职
@live: 居住 定居 住(?=在)
@study: 学习 学(?=[了着])
@use: 使用 采用 用(?=着|的|[A-Za-z])
@run: 运行 执行 跑(?=的是|着)
@lead: 负责人 负责 领导(?!是|叫|为|[，。,.]|$) 带领 主管
@need: 需要 需
@attend: 参加 参与
@support: 支持 赞成
@support!: 反对
@allow: 允许
@store: 保存 存放 存储 存(?=[在到于放])
@graduate: 毕业
@deadline: 截止日期 截止时间 截止日 截止 期限
@birthday: 生日 出生日期
@must: 必须 务必 一定要 应该 应当
@most: 不超过 最多 至多 不多于
@least: 不少于 至少 最少
@planned: 计划(?![^，。,]{0,8}[去买学换搬找]) 预计 预定
@agree: 约定 商定 决定 说好
@together: 一起 一块儿 一同
@with: 和 跟 与 同(?=[一-鿿]{2,3}(?:去|学|一起))
@already: 已经 已
@still: 仍然 仍 依然
@only: 只(?=[在用吃喝看能会有要]) 仅仅 仅 只有
@book: 预订 预约 订(?=了|的|一|[酒机票座房])
@job: 职业
@kid: 孩子 小孩
@phone: 手机号码 手机号 电话号码 电话 手机
@mail: 邮箱 电子邮件 邮件
@movie: 电影 影片
@cost: 价格 售价 价钱 费用
@under: 下面 底下 下方 之下 下(?=[，。；,;]|$)
@before: 之前 以前(?=[^，。,]) 前(?=[，,开跑去来喝吃])
@after: 之后 以后
@yuan: 人民币 块钱 元钱 元(?<=[\d一二两三四五六七八九十百千万]元) 块(?<=[\d一二两三四五六七八九十百千万]块)
@dollar: 美元 美金
@km: 公里 千米
@kg: 公斤 千克
@hour: 小时 钟头
@minute: 分钟
@share: 共用 合用 共享
@want: 希望
@because: 因为 由于
@always: 总是 总(?=[选在是爱])
用户: 用户 本人 我的 我们 我
.: 请注意 注意 备注 记住 记得 他的 她的 它的 一个 一种 一名 一位 一次(?!性) 一直 最晚 最迟 吃(?=[^，。]{1,6}过敏)
.: 从(?=[^，。]{1,8}(?:寄|来|出发|回|离职|辞职))
"""

_CUES = r"""
stop: 不再 再也不 已经不 已不 戒了 戒掉 戒(?=[烟酒赌]) 停止 放弃了 放弃 不干了
stop+@work: 离职 辞职
change+@use: 改用 换用 转用
change+@live: 搬到 搬去 搬家到 搬至 搬进
change+叫: 改叫 改名叫 改名为
change: 改成 改为 改到 改在 改名 改由 换成 换为 换到 换了 换 搬家 搬 转到 转为 迁移到 迁到 迁移 调到 调整为 调整到 变成 变为 变更为
change: 推迟到 推迟 延期到 延期 延到 提前到 提前 升级到 升级为 升级 跳槽 转岗 新的
change: 提高到 提升到 增加到 涨到 降到 降低到 降至 减少到 缩短到 延长到 放宽到
change: 新(?=[地电手邮公号密版])
now: 现在 目前 如今 当前 今后 从今以后 以后(?=[不别都请])
correct: 更正 纠正 订正 更新 其实 实际上 确切 应为 而是 而不是
plan: 打算 计划(?=[^，。,]{0,8}[去买学换搬找]) 准备 想要 计划要 考虑 将要 即将 快要 马上要 马上 要(?=[换搬去转改迁]) 想(?=[换搬去转改买学])
maybe: 可能 也许 或许 大概 似乎 好像 估计 应该是 说不定
more: 另外 此外 除了 同时 也(?![许不没未])(?<!再也)
past: 曾经 曾 以前 过去 原来 原先 从前 之前(?=[是在住用叫])
"""

_DENIALS = words(
    """
    不是 没有 并非 并不 从不 从来不 从未 无需 不用 不要 不能 无法 没法 不会 不可以 不可 不许 不准 不 没 未(?=[付完能曾发收到])
    别(?=[再给跟把用让去来叫吃买])
    非(?=常)
    """
)

_WHOLE = words(
    """
    参观 路过 经过 拜访 游览
    过敏 通过 不过(?![敏期关度问夜]) 过年 过期 会议 周会 开会 机会 社会 会员 晚会 例会 年会 学会 要求 重要 主要 需求
    差不多 不一样 不断 不仅 不但 不少
    不久 不得不 不管 不论 不止 不妨 没想到 没问题 没事 无论 无限 无数 不错 不同 特别 区别 分别 级别
    性别 个别
    地址 地点 地方 地铁 的士 了解 为了 为什么 因而 中国 中心 中文 其中 里面 内容 由于 自由 理由 得到 觉得 未来 没关系 不客气 对不起
    非常 于是 关于
    由此 一下 并且 而且 是否 都市 首都 这里 那里 就业 就是 也是 一样 同事 同学 同时 共同 同意 和平 温和 与会 参与 跟进 跟踪 用户名 我校
    """
)
"""Words whose characters mean something else, or nothing, by themselves."""


class Entry(NamedTuple):
    """One word: what it is (`word`, `cue`, `deny`, `drop`), and its key."""

    word: str
    kind: str
    key: str


def _entries() -> Iterator[tuple[str, str, str]]:
    yield from ((word, "word", word.split("(?")[0]) for word in _WHOLE)
    yield from ((word, "deny", "not") for word in _DENIALS)
    for kind, lines in (("cue", _CUES), ("word", _WORDS)):
        for line in lines.strip().splitlines():
            key, _, listed = line.partition(": ")
            is_kept = kind == "cue" or key.startswith("@")
            yield from ((word, kind if is_kept else "drop", key if key != "." else word.split("(?")[0]) for word in listed.split())


def _by_first() -> dict[str, list[tuple[re.Pattern[str], Entry]]]:
    """Return the entries by their first character, longest first."""
    found: dict[str, list[tuple[re.Pattern[str], Entry]]] = {}
    for pattern, kind, key in sorted(_entries(), key=lambda entry: (-len(entry[0].split("(?")[0]), entry[0])):
        word = pattern.split("(?")[0]
        found.setdefault(word[0], []).append((re.compile(pattern), Entry(word, kind, key)))
    return found


_ENTRIES = _by_first()


def entries() -> Iterator[Entry]:
    """Yield every entry."""
    return (entry for some in _ENTRIES.values() for _, entry in some)


def entry_at(text: str, at: int) -> Entry | None:
    """Return the longest entry that begins here."""
    for pattern, entry in _ENTRIES.get(text[at], ()):
        if pattern.match(text, at):
            return entry
    return None
