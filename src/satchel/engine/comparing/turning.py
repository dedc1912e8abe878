"""Whether a newer statement tells of a change by which what the older tells holds no more: "switched from Slack to Teams" (CNF-2, CNF-3).

It must not know how changes are worded. An older memory gives way only where it holds the very value that is given up, or another of the
same kind as what comes, and the change is told of the same; where that is not certain it is asked, and where a part changes, doubted.
"""

from __future__ import annotations

import re

from satchel.engine.comparing.fitting import Fit, Value, fit_of, keys_of, subject, telling_words, value_of, without_holder
from satchel.engine.comparing.held import Held, has_han, held_in, held_in_han, lowered
from satchel.engine.comparing.pairing import CHANGES, PLANS, Pair
from satchel.engine.comparing.replacing import say_ended
from satchel.engine.comparing.statements import Statement
from satchel.engine.comparing.tools import tools_in
from satchel.engine.comparing.turns import Turn, turn
from satchel.engine.text.segmenting import fold
from satchel.ports import Relation, Verdict


def say_turned(pair: Pair) -> Verdict | None:
    """Say where the newer tells of a change that ends what the older tells."""
    older, newer = pair.older, pair.newer
    found = turn(newer)
    if found is None or older.denials or older.cues & (PLANS | {"stop", "ended"}) or "more" in newer.cues:
        return None
    if has_han(older.text) != has_han(newer.text) and not found.gone.isascii():
        return None
    return _of_old(pair, found) if found.gone else _of_new(older, newer, found)


def _of_old(pair: Pair, found: Turn) -> Verdict | None:
    older, newer = pair.older, pair.newer
    value = value_of(found.gone)
    held, fit = _weigh(older, newer, found, value)
    if held in {Held.UNNAMED, Held.NOT} or _tells_new(older, found):
        return None
    if fit is Fit.OTHER:
        return Verdict(Relation.APART, "the newer says that something else than what the older tells has changed")
    if _gave_up(older, value):
        return None
    if found.is_planned:
        return Verdict(Relation.CONTRADICTS, "the newer says that what the older tells is about to change") if fit is Fit.SAME else None
    if fit in {Fit.PART, Fit.UNSURE} or held is Held.AMONG_OTHERS or found.is_past:
        return Verdict(Relation.MAY_CONTRADICT, "the newer names what the older tells as given up, perhaps in part or at another time")
    ended = say_ended(pair) if held is Held.PERHAPS and fit is Fit.SAME else None
    if ended is not None and ended.relation is Relation.REPLACES:
        return ended  # "plays tennis", "no longer plays tennis": whatever the verb is, it is the same
    if fit is Fit.NARROWER or held is Held.PERHAPS:
        return Verdict(Relation.CONTRADICTS, "the newer names what the older tells as given up, and may mean something else by it")
    return Verdict(Relation.REPLACES, "the newer names what the older tells as given up, or replaced by something else")


def _weigh(older: Statement, newer: Statement, found: Turn, value: Value) -> tuple[Held, Fit]:
    held = held_in_han(lowered(older.text), value.text) if has_han(older.text) else held_in(older, value.keys)
    return held, fit_of(older, newer, found, value)


def _tells_new(older: Statement, found: Turn) -> bool:
    """Tell whether the older tells already what comes."""
    if not found.come:
        return False
    come = value_of(found.come)
    if has_han(older.text):
        return bool(come.text) and come.text in lowered(older.text)
    return bool(come.keys) and come.keys <= keys_of(older)


def _gave_up(older: Statement, value: Value) -> bool:
    """Tell whether the older itself tells that the value was given up."""
    before = turn(older)
    return before is not None and bool(before.gone) and bool(value.keys & value_of(before.gone).keys)


# ---------------------------------------------------------------- what only names the new value


def _of_new(older: Statement, newer: Statement, found: Turn) -> Verdict | None:
    """Say where what comes is another tool of the same kind, or another version of the same thing."""
    if found.is_planned or found.is_past or not (newer.cues & CHANGES or has_han(newer.text)) or _tells_new(older, found):
        return None
    was = _version(older, found.come)
    if was is None:
        was = _tool(older, found.come)
    if not was:
        return None
    value = value_of(was)
    held, fit = _weigh(older, newer, found, value)
    if held not in {Held.SURELY, Held.PERHAPS} or fit is not Fit.SAME or _gave_up(older, value):
        return None
    if held is Held.PERHAPS or not _is_all_of(older, found, value):
        return Verdict(Relation.MAY_CONTRADICT, "the newer tells of a change to another of the same kind, and the older may hold beside it")
    return Verdict(Relation.REPLACES, "the newer tells of a change to another of the same kind")


def _is_all_of(older: Statement, found: Turn, value: Value) -> bool:
    """Tell whether the older is about nothing that the change is not told of, as far as its beginning tells."""
    if has_han(older.text):
        begins = without_holder(lowered(older.text).replace("的", ""))
        about = lowered(found.about).replace("的", "").split()
        return not about or begins.startswith(about[0])
    return subject(older) - value.keys <= telling_words(found.about)


_VERSION = re.compile(r"(?:(?P<product>[A-Za-z][\w.+#-]*[A-Za-z+#]|[A-Za-z]|[一-鿿]{2,8}) ?)?v?(?P<number>\d+(?:\.\d+)*)$")


def _version(older: Statement, come: str) -> str | None:
    """Return the other version of a product that the older names; empty where it names that version; None where nothing is a version."""
    told = _VERSION.match(come.strip())
    if told is None:
        return None
    product = re.escape(told["product"]) if told["product"] else r"[a-z][\w.+#-]*[a-z+#]|[a-z]"
    found = re.findall(rf"(?<![a-z0-9.])((?:{product}) ?v?\d+(?:\.\d+)*)(?![\d.]*\d)", fold(older.text), re.IGNORECASE)
    numbers = {re.findall(r"\d+(?:\.\d+)*$", one)[0] for one in found}
    return str(found[0]) if len(numbers) == 1 and told["number"] not in numbers else None if not told["product"] else ""


def _tool(older: Statement, come: str) -> str | None:
    """Return the tool that the older names and that is of a kind with what comes; None where there is none, or more than one."""
    new = tools_in(come)
    if not new:
        return None
    kinds = frozenset().union(*new.values())
    same = [name for name, own in tools_in(older.text).items() if own & kinds and name not in new]
    written = re.search(re.escape(same[0]), fold(older.text), re.IGNORECASE) if len(same) == 1 else None
    return written[0] if written is not None else None
