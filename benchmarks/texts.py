"""Made-up memories and questions, three quarters Chinese, for figures that do not depend on anybody's data. Deterministic by seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

_ZH_WHO = ["用户", "同事小林", "项目组", "妈妈", "客户", "房东", "教练", "医生", "设计师", "值班的人", "新来的实习生", "隔壁邻居"]
_ZH_WHAT = [
    "喜欢在早上喝龙井茶",
    "不吃香菜和芹菜",
    "每周三晚上去游泳",
    "把数据库迁到了新机器",
    "对青霉素过敏",
    "计划秋天去敦煌旅行",
    "正在学大提琴",
    "习惯用四个空格缩进",
    "觉得会议太多",
    "想把接口改成流式返回",
    "养了一只橘猫",
    "住在运河边的老房子",
    "打算换一份离家近的工作",
    "喜欢简短的回答",
    "周末要修好厨房的水龙头",
    "不喜欢被人打断",
    "记得每月十五号交房租",
    "最近在读侦探小说",
    "需要把报表改成按季度汇总",
    "已经把发布时间推迟",
]
_ZH_WHERE = ["在杭州", "在成都", "在办公室", "在家里", "在线上", "在图书馆", "在医院", "在南京路", "在机场", "在西湖边"]
_ZH_TAIL = [
    "并且希望大家记住",
    "但还没有最后决定",
    "因为上次出过问题",
    "这件事已经确认过",
    "以后都按这个来",
    "等下个月再看",
    "和预算有关",
    "和健康有关",
]
_EN_WHO = ["The user", "A teammate", "The landlord", "The reviewer", "The on-call engineer", "Their sister", "The new intern", "The client"]
_EN_WHAT = [
    "prefers short answers with an example",
    "is allergic to penicillin",
    "moved the build to a nightly schedule",
    "wants the report grouped by quarter",
    "keeps two cats and a lemon tree",
    "plays the cello on weekends",
    "renamed the payment module",
    "dislikes surprise meetings",
    "books window seats for long flights",
    "runs the test suite before every commit",
    "asked for metric units",
    "is learning to bake rye bread",
]
_EN_TAIL = [
    "since last spring",
    "until the audit is over",
    "because the old way broke twice",
    "as agreed with the team",
    "when travelling",
    "after lunch",
]


def memories(count: int, seed: int = 1) -> Iterator[str]:
    """Yield distinct memories of about 40 characters."""
    rng = random.Random(seed)
    for number in range(count):
        if rng.random() < 0.75:
            yield f"{rng.choice(_ZH_WHO)}{rng.choice(_ZH_WHERE)}{rng.choice(_ZH_WHAT)}，{rng.choice(_ZH_TAIL)}，编号{seed}x{number}"
        else:
            yield f"{rng.choice(_EN_WHO)} {rng.choice(_EN_WHAT)} {rng.choice(_EN_TAIL)}, item {seed}x{number}"


def questions(count: int, seed: int = 2) -> Iterator[str]:
    """Yield questions about such memories, of two to a dozen words."""
    rng = random.Random(seed)
    for _ in range(count):
        if rng.random() < 0.75:
            what = rng.choice(_ZH_WHAT)
            yield rng.choice(
                [f"{rng.choice(_ZH_WHO)}{rng.choice(_ZH_WHERE)}做什么", f"谁{what}", what[:4], f"{what[-4:]}是怎么回事", f"关于{what[2:6]}"]
            )
        else:
            what = rng.choice(_EN_WHAT)
            yield rng.choice(
                [f"who {what}?", " ".join(what.split()[:3]), f"what do we know about {what.split()[-1]}", rng.choice(_EN_TAIL)]
            )
