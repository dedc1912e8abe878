"""Whether two statements cannot both hold, and neither clearly takes the other's place (CNF-3).

It must not know what else they can be to each other. It asks only where they tell much the same of the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from satchel.engine.comparing.holding import may_both_hold
from satchel.engine.comparing.pairing import CHANGES, COPULAS, PLANS, Pair, lead, size, told
from satchel.engine.comparing.sameness import are_exchangeable, is_in_order
from satchel.engine.comparing.statements import CONTENT, Statement, Token
from satchel.engine.comparing.words import PREDICATES, WEAK, words
from satchel.ports import Relation, Verdict

LISTED_VERBS = words(
    "@like @speak @attend @buy @bought @allergy know visit see watch eat drink has own interest "
    "allerg 过敏 去 过 参观 路过 经过 拜访 游览 逛 买 读 "
    "play do take practic train learn go @study @kid 踢 打 弹 学 练 玩 看 听 吃 喝"
)
"""Words that several things can hang on at once."""

_NUMBERED = words("第 number no nr step item note chapter page line part section task issu ticket order invoic id messag record entri")
"""Words that what they number follows."""

_VERBS = words("is are am has have had do does will past 是 在 为 叫")
_ADVERBS = words("often once first recent current primarili frequent activ sometim occasion usual regular @only @always")
_EXCLUDING = words("@only primarili mainli main sole first origin 主要")
"""Words by which a statement sets what it tells above everything else of the kind."""

_RECURRING = ("weekday:", "part:", "every:", "month:", "everi")
_YEAR = re.compile(r"num:(?:19|20)\d\d|date:\d{4}")

_STATE = 3
"""Words beyond its subject that a statement of how something stands has at most."""

_SAME = words("both same @share identic jointli 相同 同一 一样 共同")
_DIFFERENT = words("differ separ respect 不同 不一样 各自 分别")


def say_about_to_change(pair: Pair) -> Verdict | None:
    """Say where the newer tells that a change of what the older is about is planned or may come."""
    newer, older = pair.newer.cues, pair.older.cues
    if not (newer & PLANS and newer & {"change", "stop"}) or "change" in older or not pair.is_about_same() or differ_by_label(pair):
        return None
    clause = next((part for part in pair.newer.clauses() if any(token.key in PLANS for token in part)), ())
    changing = {token.base for token in clause if token.kind in CONTENT}
    first = [token.base for token in pair.older.clauses()[0] if token.kind in CONTENT and token.base not in WEAK]
    common = [key for key in first if key in changing]
    is_subject_left_out = bool(first) and first[0] in PREDICATES
    known = first[is_subject_left_out:]
    if (
        not common
        or size(common) < 2 - is_subject_left_out
        or size(common) < 0.5 * size(known)
        or (first[-1] not in changing and first[-2:-1] != common[-1:])
    ):
        return None
    return Verdict(Relation.CONTRADICTS, "the newer says that what the older tells is about to change")


def say_parted(pair: Pair) -> Verdict | None:
    """Say where one tells that something is one and the same for several, and the other that it is not."""
    older, newer = _parting(pair.older), _parting(pair.newer)
    is_parted = older and newer and ((older & _SAME and newer & _DIFFERENT) or (older & _DIFFERENT and newer & _SAME))
    if not is_parted or pair.older.denials or pair.newer.denials or not pair.has_same_subject() or pair.told() < 1:
        return None
    return Verdict(Relation.CONTRADICTS, "one says that it is the same for several, the other that it is not")


@lru_cache(maxsize=4096)
def _parting(statement: Statement) -> frozenset[str]:
    """Return the words of a statement that tell whether things are one and the same."""
    return frozenset(token.base for token in statement.tokens) & (_SAME | _DIFFERENT)


def say_updated(pair: Pair) -> Verdict | None:
    """Say where the older tells how something stands now, and the newer, announced as news, tells of the same thing by its name."""
    older, newer = pair.older, pair.newer
    is_news = "correct" in newer.cues and "now" in older.cues and "now" not in newer.cues
    if not is_news or older.denials or newer.denials or not (pair.only_old or pair.only_new):
        return None
    if not (older.is_chinese or pair.has_same_subject()):
        return None
    names = {token.key for token in older.content if token.kind == "name"} & {token.key for token in newer.content if token.kind == "name"}
    told_of = max(size(key for key in told(*side) if key not in names) for side in ((older, pair.keys), (newer, pair.new_keys)))
    if not names or told_of > _STATE:
        return None
    return Verdict(Relation.CONTRADICTS, "the older tells how something stands now, and the newer is told as news of it")


@lru_cache(maxsize=4096)
def _count_names(statement: Statement) -> int:
    return sum(token.kind == "name" for token in statement.content)


def say_exchanged(pair: Pair) -> Verdict | None:
    """Say where the words are the same, and who does it to whom is exchanged."""
    names = _count_names(pair.older)
    if names < 2 or pair.only_old or pair.only_new or pair.told() < 3 or pair.older.denials != pair.newer.denials:
        return None
    if not are_exchangeable(pair) or is_in_order(pair):
        return None
    return Verdict(Relation.CONTRADICTS, "the same words, with the parts exchanged")


def say_differing(pair: Pair) -> Verdict | None:
    """Say where they tell the same of the same, but for a part that differs."""
    older, newer = pair.older, pair.newer
    if "more" in newer.cues or not pair.has_same_subject() or not (pair.only_old and pair.only_new):
        return None
    if _is_at_another_time(pair):
        return None
    shared = pair.told()
    if _hangs_on_list(pair):
        is_only = "@only" in pair.only_new and shared >= 1 and _is_beside_only(pair)
        return Verdict(Relation.CONTRADICTS, "the newer says that nothing else is so") if is_only else None
    if not is_same_predicate(pair):
        return None
    if _EXCLUDING & {*pair.only_new} and shared >= 1 and _is_named(older):
        return Verdict(Relation.CONTRADICTS, "the newer says that it is something else first or above all")
    return None if bool(older.denials) != bool(newer.denials) else _of_value(pair, shared)  # what one denies is no other value


def _of_value(pair: Pair, shared: float) -> Verdict | None:
    """Say where the same is told with another value."""
    older, newer = pair.older, pair.newer
    # Where they differ is looked for last: it costs more than all the rest.
    if shared >= 2 and (said := _of_change(pair)) is not None and is_one_place(pair):
        return said
    if differ_by_label(pair):
        return None
    least = min(size(told(older, pair.keys)), size(told(newer, pair.new_keys)))
    if shared >= max(2 if _is_sentence(newer) else 3, 0.35 * least) and is_one_place(pair):
        return _asked(pair, "the same but for one place")
    if not older.is_chinese and shared >= max(3, 0.5 * least):
        return _asked(pair, "much the same, but for a part that differs")
    return None


def _asked(pair: Pair, said: str) -> Verdict:
    if may_both_hold(pair) or _of_two_parts(pair):
        return Verdict(Relation.MAY_CONTRADICT, f"{said}, and both may hold")
    return Verdict(Relation.CONTRADICTS, f"{said}, and nothing tells which of them holds")


def _of_two_parts(pair: Pair) -> bool:
    """Tell whether each tells something else, and of another part: "uses A for orders", "uses B for the catalog"."""
    one, other = _part(pair.older), _part(pair.newer)
    if one <= other or other <= one:
        return False
    return {token.base for token in pair.older.content} - one != {token.base for token in pair.newer.content} - other


def _part(statement: Statement) -> frozenset[str]:
    """Return the keys of what an English statement says that it holds of: behind "for", "when" and the like; empty where it does not."""
    start = next((token.at for token in statement.tokens if token.key in _PARTED_BY), None)
    return frozenset() if start is None else frozenset(token.base for token in statement.content if token.at > start)


_PARTED_BY = words("for when dure while if unless")


def _is_beside_only(pair: Pair) -> bool:
    """Tell whether the newer's "only" stands beside a word that both tell: "only likes tea", not "likes to look only ahead"."""
    keys = [key.rstrip("~") for key in pair.new_keys if key not in WEAK]
    at = keys.index("@only")
    return bool({*keys[max(at - 1, 0) : at + 2]} & {key.rstrip("~") for key in pair.shared})


def _is_at_another_time(pair: Pair) -> bool:
    """Tell whether they differ by days of the week, parts of the day or years alone: what is done on two of these is done twice."""
    return all(key.startswith(_RECURRING) or _YEAR.fullmatch(key) for key in (*pair.only_old, *pair.only_new))


def _is_named(statement: Statement) -> bool:
    """Tell whether a statement begins with a name, so that what follows it is known to be its predicate."""
    names = {token.key for token in statement.content if token.kind == "name"}
    return statement.is_chinese or any(names & {*part} for part in lead(statement))


def is_same_predicate(pair: Pair) -> bool:
    """Tell whether what English statements tell begins alike: the rest may be where and when alone."""
    if pair.older.is_chinese:
        return True
    first, second = (
        next((key.rstrip("~") for key in keys[sum(map(len, lead(side))) :] if key not in WEAK and key not in _ADVERBS), "")
        for side, keys in ((pair.older, pair.keys), (pair.newer, pair.new_keys))
    )
    return first == second


def _is_sentence(statement: Statement) -> bool:
    """Tell whether a statement has a predicate that can be told from other words: "meeting with Bob on Monday" has none."""
    return any(token.key in _VERBS or token.key.startswith("@") or token.key.endswith("~") for token in statement.tokens)


def _of_change(pair: Pair) -> Verdict | None:
    older, newer = pair.older.cues, pair.newer.cues
    if bool(newer & PLANS) != bool(older & PLANS):
        return Verdict(Relation.CONTRADICTS, "the same but for one place, and one of them is a plan or a guess")
    if (newer & CHANGES) - older and not newer & PLANS:
        if "@support" in pair.shared and not newer & {"change", "correct"}:
            return Verdict(Relation.MAY_CONTRADICT, "the newer tells what is supported now, and both may be")
        return Verdict(Relation.REPLACES, "the same but for one place, and the newer says that it has changed")
    return None


def _hangs_on_list(pair: Pair) -> bool:
    """Tell whether what differs hangs on a word that several things can hang on, with little after it: "likes tea", "visited Rome"."""
    if not LISTED_VERBS & {key.rstrip("~") for key in pair.shared}:
        return False
    after = _common_end(pair.keys, pair.new_keys)
    return size(key for key in after if key not in WEAK) < 3 and not LISTED_VERBS & {*after}


def _common_end(first: Sequence[str], second: Sequence[str]) -> Sequence[str]:
    length = 0
    while length < min(len(first), len(second)) and first[-1 - length] == second[-1 - length]:
        length += 1
    return first[len(first) - length :]


def differ_by_label(pair: Pair) -> bool:
    """Tell whether something numbers or names each of them as one of a kind: "step 3", "server web-01", "第 5 条"."""
    return not (_labels(pair.older).isdisjoint(pair.only_old) or _labels(pair.newer).isdisjoint(pair.only_new))


@lru_cache(maxsize=4096)
def _labels(statement: Statement) -> frozenset[str]:
    return frozenset(token.key for token in statement.content if _is_label(statement, token))


def _is_label(statement: Statement, token: Token) -> bool:
    is_letter = token.kind == "name" and (len(token.key) == 1 or any(map(str.isdigit, token.key)))
    if not is_letter and not (token.kind == "value" and token.key.startswith("num:")):
        return False
    at = statement.tokens.index(token)
    before = statement.tokens[at - 1] if at else None
    after = statement.tokens[at + 1] if at + 1 < len(statement.tokens) else None
    if len(token.key) == 1 and token.kind == "name" and after is None:
        return False  # "uses module A": what it uses
    if before is None or before.base in _NUMBERED:
        return True
    if statement.is_chinese and _is_glued(before, after):
        return True
    return before.kind in {"word", "name"} and (after is None or after.kind not in CONTENT)


def _is_glued(before: Token, after: Token | None) -> bool:
    """Tell whether digits or letters number what a Chinese word before or after them names: "订单1001", "A组", "3号机"."""
    if after is not None and (after.key in _MEASURES_HAN or (after.key.startswith("@") and after.key not in PREDICATES | WEAK)):
        return False
    is_noun = before.kind == "word" and before.key > "㐀" and before.key not in COPULAS | _COUNTED_HAN
    return is_noun or (after is not None and after.key in {"号", "组", "队", "班"})


_MEASURES_HAN = frozenset(
    "个只条位名件次句行杯瓶碗份间套台辆部本册张所层座颗棵匹双天周岁点分秒角毛斤克吨米升寸尺度人种项页章年月日元块倍折万亿"
)
_COUNTED_HAN = frozenset("有共花约超到满每剩近达改成降涨过加减买")
"""What a number after it counts or measures."""


def is_one_place(pair: Pair) -> bool:
    """Tell whether they differ in one place, not at the beginning, and tell the same attribute."""
    first = [(key.rstrip("~"), token) for key, token in zip(pair.keys, pair.older.content, strict=True) if key not in WEAK]
    second = [key.rstrip("~") for key in pair.new_keys if key not in WEAK]
    matcher = SequenceMatcher(None, [key for key, _ in first], second, autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    if len(changes) != 1 or changes[0][0] != "replace" or changes[0][1] == 0:
        return False
    start, end = first[changes[0][1]][1].at, first[changes[0][2] - 1][1].end
    after = next((token for token in pair.older.tokens if token.at > end and (token.kind in CONTENT or token.key in COPULAS)), None)
    if after is not None and after.key in COPULAS:
        return False  # "… works in Rome", "… comes from Rome": what differs is what is told, not its value
    return not any(start < token.at < end and token.key in COPULAS for token in pair.older.tokens)
