"""Words for kinds of things, and words for what is of the kind: who eats no seafood eats no shrimp. Data, and looking it up.

It knows nothing of what follows: that a kind is denied denies each of it; that one of it is denied says nothing of the kind.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

_ENGLISH = """
outdoor, outdoors: hike, hikes, hiking, hiker, camp, camps, camping, trekking, backpacking, birdwatching, kayaking, canoeing, climbing,
    mountaineering, skiing, surfing, sailing, fishing, picnics
sport, sports: football, soccer, tennis, basketball, volleyball, badminton, hockey, golf, rugby, baseball, cricket, swimming, running
alcohol, alcoholic: wine, beer, beers, whisky, whiskey, vodka, gin, rum, cocktails, champagne, cider
meat: beef, pork, lamb, mutton, veal, chicken, turkey, bacon, ham, steak, steaks, sausage, sausages
seafood: shrimp, shrimps, prawns, crab, crabs, lobster, oysters, mussels, clams, squid, salmon, tuna
dairy: milk, cheese, yogurt, yoghurt, butter
pet, pets: dog, dogs, cat, cats, hamster, rabbit, parrot
instrument, instruments: piano, guitar, violin, cello, flute, drums, trumpet, saxophone
fruit, fruits: apples, bananas, oranges, mangoes, grapes, strawberries, peaches
nuts: peanuts, almonds, cashews, walnuts, hazelnuts
sweets: cake, cakes, candy, chocolate, cookies
"""

_CHINESE = """
户外活动 户外运动 户外: 徒步 露营 爬山 登山 攀岩 骑行 滑雪 野餐 钓鱼 观鸟 远足 皮划艇
运动 体育: 足球 篮球 网球 排球 羽毛球 乒乓球 高尔夫 游泳 跑步
酒: 啤酒 红酒 白酒 葡萄酒 威士忌 伏特加 香槟 鸡尾酒
肉: 牛排 排骨 培根 火腿 香肠 烤鸭 牛肉 猪肉 羊肉 鸡肉
海鲜: 虾 螃蟹 龙虾 鱿鱼 生蚝 扇贝 三文鱼
奶制品 乳制品: 牛奶 奶酪 酸奶 黄油 芝士
宠物: 猫 狗 仓鼠 兔子 鹦鹉
乐器: 钢琴 吉他 小提琴 大提琴 二胡 古筝 长笛
水果: 苹果 香蕉 橙子 芒果 葡萄 草莓 桃子
坚果: 花生 杏仁 腰果 核桃 榛子
甜食: 蛋糕 巧克力 糖果 饼干 冰淇淋
"""


class Kind(NamedTuple):
    """Words for a kind, and words for what is of it."""

    names: tuple[str, ...]
    members: tuple[str, ...]


@cache
def _kinds() -> tuple[Kind, ...]:
    english = [line.partition(": ") for line in _ENGLISH.strip().replace(",\n    ", ", ").splitlines()]
    chinese = [line.partition(": ") for line in _CHINESE.strip().splitlines()]
    found = [Kind(tuple(names.split(", ")), tuple(members.split(", "))) for names, _, members in english]
    return (*found, *(Kind(tuple(names.split()), tuple(members.split())) for names, _, members in chinese))


_LATIN = re.compile("[a-z]+")


@cache
def _words() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the English words, and a pattern for the Chinese ones, longest first."""
    every = {word for kind in _kinds() for word in (*kind.names, *kind.members)}
    han = sorted((word for word in every if not word.isascii()), key=lambda word: (-len(word), word))
    return frozenset(filter(str.isascii, every)), re.compile("|".join(han))


@lru_cache(maxsize=4096)
def _named(text: str) -> frozenset[str]:
    latin, han = _words()
    found = latin.intersection(_LATIN.findall(text.lower()))
    return found if text.isascii() else found.union(han.findall(text))


def of_a_kind(denied: str, said: str) -> list[tuple[str, str]]:
    """Return the words for kinds that a text which denies names, each with a word for one of it that another text names."""
    names, members = _named(denied), _named(said)
    if not names or not members:
        return []
    return [(name, member) for kind in _kinds() for name in kind.names for member in kind.members if name in names and member in members]


def kindred_of(text: str) -> str:
    """Return the words for what is of the kinds that a text names, and for the kinds of what it names; empty where there are none."""
    named = _named(text)
    if not named:
        return ""
    more = [kind.members if named & {*kind.names} else kind.names for kind in _kinds() if named & {*kind.names, *kind.members}]
    return " ".join(word for some in more for word in some)
