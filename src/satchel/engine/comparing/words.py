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
