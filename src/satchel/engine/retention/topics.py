"""Which memories of a scope are clearly about one topic: a word that all of them hold, and, where there are vectors, that they lie close.

A wrong topic would hide what belongs apart, so that words that name no topic count for nothing. It must not know records or stores.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from satchel.engine.text.segmenting import segment, stem
from satchel.engine.text.stopwords import STOP_WORDS
from satchel.engine.text.topicless import CHINESE, ENGLISH, LOOSE
from satchel.ports import Embedder

Floats = NDArray[np.float64]


class Item(NamedTuple):
    """A memory that may belong to a topic. `kind`: only items of one kind are put together; `fresh`: it was not itself put together."""

    id: str
    kind: object
    content: str
    fresh: bool
    vector: NDArray[np.float32] | None
    words: frozenset[str]
    """See `topic_words`."""


class Background(NamedTuple):
    """How alike unrelated texts are to an embedder: mean and standard deviation of their cosines."""

    mean: float
    deviation: float


_MEAN_DEVIATIONS = 2.0
"""How far above the background the mean cosine of a topic lies at least."""

_MEMBER_DEVIATIONS = 1.25
"""How far above it the mean cosine of each member with the others lies."""

_LEAST_KEPT = 0.5
"""Share of the memories with a word that lie close together, where the word names a topic."""

_SMALL_SCOPE = 32
_LARGEST_SHARE = 4
"""A word that more than a quarter of a scope beyond 32 memories holds names no topic."""

_GENERIC = frozenset(map(stem, ENGLISH))
_PERSON = re.compile("用户|用戶|使用者")
"""Whom a memory is about names no topic, nor do the pairs it makes with its neighbours."""


@lru_cache(maxsize=65_536)
def _names_topic(term: str) -> bool:
    if term.isascii():
        return len(term) > 2 and term not in STOP_WORDS and term not in _GENERIC and not term.isdigit()
    if len(term) != 2:
        return False
    return term not in CHINESE and not (set(term) & LOOSE)


_KINSHIP = "同事|朋友|同学|邻居|老板|领导|客户|妻子|丈夫|太太|先生|儿子|女儿|哥哥|弟弟|姐姐|妹妹|爸爸|妈妈|父亲|母亲|室友"
_BEFORE_NAME = re.compile(
    rf"[\s“\"'「《]*(?:(?:我|你|他|她|咱)们?的?)?(?:{_KINSHIP})?[\s“\"'「]*"
    r"(?:(?:my|our|his|her|their)\s+(?:\w+\s+)?(?:friend|colleague|boss|manager|neighbou?r|wife|husband|son|daughter|brother|sister"
    r"|mother|father|client|classmate|roommate)\s+|(?:mr|mrs|ms|dr|prof)\.?\s+)?",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?:[^\W\d_a-z][\w’'-]*\s*){1,3}")
_COMPOUND = re.compile("欧阳|歐陽|司马|司馬|上官|诸葛|諸葛|夏侯|皇甫|尉迟|公孙|慕容|令狐|司徒|端木")
_NO_NAME = re.compile(r"(?:the|an?|this|that|these|those|every|each|all|some|when|if|in|on|at|for)\b", re.IGNORECASE)
_SUBJECT_SHARE = 3
"""A word that a third of a topic's memories begin with says whom they are about, not what."""


def _subject_words(content: str) -> frozenset[str]:
    """Return the words at the head of a text that may name whom it is about."""
    text = _PERSON.sub(" ", content)
    start = match.end() if (match := _BEFORE_NAME.match(text)) else 0
    if start == len(text) or _NO_NAME.match(text, start):
        return frozenset()
    if text[start].isascii():
        found = _NAME.match(text, start)
        return frozenset(segment(text[: found.end()])) if found else frozenset()
    # A name has two or three characters, four with a compound family name.
    return frozenset(segment(text[: start + (4 if _COMPOUND.match(text, start) else 3)]))


def topic_words(content: str) -> frozenset[str]:
    """Return the words of a text that may name a topic: pairs of characters and stems, without those that say little."""
    return frozenset(term for term in segment(_PERSON.sub(" ", content)) if _names_topic(term))


_UNRELATED = (
    "The ferry to the island leaves at noon",
    "She repaired the old piano herself",
    "Quarterly figures are due on Friday",
    "他小时候住在海边",
    "电梯坏了三天才修好",
    "这本词典收录了五万个词条",
    "Wheat prices fell after the harvest",
    "猫在窗台上晒太阳",
    "The password policy was changed",
    "下届运动会在南方举行",
    "A comet was seen in the northern sky",
    "饭后吃一片药",
    "The museum is closed for renovation",
    "他把票忘在出租车上了",
    "Teams agreed on a shared code style",
    "北方的冬天来得早",
)


_backgrounds: WeakKeyDictionary[Embedder, Background] = WeakKeyDictionary()


def background(embedder: Embedder) -> Background:
    """Return how alike unrelated texts are to this embedder; measured once for each."""
    found = _backgrounds.get(embedder)
    if found is None:
        found = _backgrounds[embedder] = _measured(embedder)
    return found


def _measured(embedder: Embedder) -> Background:
    vectors = np.asarray(embedder.embed_passages(_UNRELATED), np.float64)
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    return Background(float(cosines.mean()), float(cosines.std()))


def topics(items: Sequence[Item], least: int, ground: Background | None) -> list[list[Item]]:
    """Return disjoint groups of items that are about one topic, each with at least `least` fresh ones, the largest group first.

    The same items give the same groups, in whatever order they come. `ground` is None where vectors are not to be used.
    """
    ordered = sorted(items, key=lambda item: item.id)
    most = max(_SMALL_SCOPE, len(ordered) // _LARGEST_SHARE)
    proposed = []
    for word, members in _holders(ordered).items():
        if len(members) > most or not _enough([ordered[at] for at in members], least):
            continue
        if _is_subject(word[1], [ordered[at] for at in members]):
            continue
        found = _close([ordered[at] for at in members], ground)
        if found is not None and _enough(found[1], least):
            proposed.append((-len(found[1]), -found[0], word, found[1]))
    taken: set[str] = set()
    groups = []
    for *_, group in sorted(proposed, key=lambda entry: entry[:3]):
        left = [item for item in group if item.id not in taken]
        if _enough(left, least):
            groups.append(left)
            taken.update(item.id for item in left)
    return groups


def _holders(items: Sequence[Item]) -> dict[tuple[object, str], list[int]]:
    found: dict[tuple[object, str], list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        for word in item.words:
            found[item.kind, word].append(at)
    return found


def _is_subject(word: str, items: Sequence[Item]) -> bool:
    """Tell whether memories share a word because one person, or one thing with a name, is their subject: that alone is no topic."""
    return sum(item.fresh and word in _subject_words(item.content) for item in items) * _SUBJECT_SHARE > sum(item.fresh for item in items)


def _enough(items: Collection[Item], least: int) -> bool:
    return sum(item.fresh for item in items) >= least


def _close(items: list[Item], ground: Background | None) -> tuple[float, list[Item]] | None:
    """Return how close the items lie, and those of them that lie close to the others; None where they do not hang together."""
    if ground is None or any(item.vector is None for item in items):
        return 0.0, items
    vectors = np.array([item.vector for item in items], np.float64)
    bound = ground.mean + _MEMBER_DEVIATIONS * ground.deviation
    fewest = max(2.0, _LEAST_KEPT * len(items))
    while len(items) >= fewest:
        others = _mean_cosines(vectors)
        near = others >= bound
        if near.all():
            mean = float(others.mean())
            return (mean, items) if mean >= ground.mean + _MEAN_DEVIATIONS * ground.deviation else None
        worst = int(others.argmin())
        items = items[:worst] + items[worst + 1 :]
        vectors = np.delete(vectors, worst, axis=0)
    return None


def _mean_cosines(vectors: Floats) -> Floats:
    """Return each vector's mean cosine with the others."""
    found: Floats = (vectors @ vectors.sum(axis=0) - 1.0) / (len(vectors) - 1)
    return found
