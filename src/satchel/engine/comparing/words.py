"""What the lexicons share: how their data is written, and the words of either language that weigh little. It knows no statement."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Read words with white space between."""
    return frozenset(text.split())


def table(text: str) -> dict[str, str]:
    """Read lines of `key: phrase, phrase`; return the keys by phrase."""
    lines = (line.partition(": ") for line in text.strip().splitlines())
    return {phrase: key for key, _, phrases in lines for phrase in phrases.split(", ")}


WEAK = words("@again @together @now @already @still @allow") | frozenset("上下个会候做再到去叫子家已所时来次正要边过还间")
"""What one of two memories may lack while they say the same."""

FILLERS = frozenset("时间定会")
"""Weak words that may stand where the other memory has other weak words."""

LIGHT = words(
    "drink eat do play watch go take consum smok want love read wear have visit be @like @use @live @work @study @buy @need"
) | frozenset("喝吃用看听玩穿想做去打抽养买推荐")
"""Predicates that an end of liking or using something is told with: "likes coffee", "no longer drinks coffee"."""

UNITS = {
    "%": "@percent", "$": "@dollar", "dollar": "@dollar", "€": "@euro", "euro": "@euro", "£": "@pound", "pound": "@pound", "元": "@yuan",
    "¥": "@yuan", "°": "@degree",
}  # fmt: skip
"""Signs, by the words they stand for."""

PREDICATES = words(
    "@like @work @live @use @run @lead @need @allow @store @graduate @planned @agree @study @want @must @share @attend @support @book @buy"
)
"""Keys of the lexicon that are verbs, or stand where a verb would."""

SEVERAL = words(
    """
    acquaint aunt brother child classmat client colleagu contractor cousin cowork custom daughter employe flatmat friend grandchild
    grandson granddaughter housemat intern kid nephew neighbor neighbour niec pal patient pupil relat roommat sibl sister son stepbroth
    stepsist student subordin supervisor supplier teammat tenant uncl boss manag superior @kid
    """
)
"""English nouns, stemmed, for people of whom one may know several: "my cousin" of one day need not be that of another."""

SEVERAL_HAN = words(
    """
    同事 下属 上司 领导 朋友 同学 室友 舍友 邻居 队友 战友 网友 好友 闺蜜 客户 学生 徒弟 员工 实习生 病人 租客 亲戚
    表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹 哥哥 姐姐 弟弟 妹妹 叔叔 伯伯 舅舅 姑姑 姨妈 阿姨 舅妈 婶婶 姑父 姨父 姑妈 大伯 侄子 侄女
    外甥 外甥女 儿子 女儿 孩子 小孩 孙子 孙女 老师
    """
)
"""The same in Chinese."""
