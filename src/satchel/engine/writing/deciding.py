"""What one record is to another: the verdict on their texts, weighed by who said it, when, and what hangs on it (CNF-1 to CNF-3).

It must not know what a verdict leads to, or how texts are compared.
"""

from __future__ import annotations

from datetime import datetime

from satchel.engine.comparing import compare, is_said_now, may_be_same
from satchel.engine.core import Core
from satchel.engine.settings import Settings
from satchel.ports import Relation, Verdict
from satchel.protocol.record import MemoryRecord, Origin, Status, core_type

APART = Verdict(Relation.APART, "they are not compared")

_TOGETHER = frozenset({"profile", "preference", "fact"})
"""Types that the same thing is remembered under by one caller or another."""

_EXEMPT = frozenset({"interaction"})
"""Types that trace what was said: two traces are two things, whatever they say."""

_TRUST = {Origin.STATED: 2, Origin.IMPORTED: 1, Origin.INFERRED: 0}


def is_compared(record: MemoryRecord, settings: Settings) -> bool:
    """Tell whether a record is compared with others at all."""
    kind = core_type(record.type)
    return kind not in _EXEMPT and len(record.content) <= settings.compare_max_chars and record.status in {Status.ACTIVE, Status.PENDING}


def decide(core: Core, older: MemoryRecord, newer: MemoryRecord) -> Verdict:
    """Say what the newer record is to the older."""
    if not _may_meet(core.settings, older, newer):
        return APART
    verdict = _judged(core, older.content, newer.content) or compare(older.content, newer.content)
    if verdict.relation is Relation.SAME:
        return verdict if _is_one_thing(older, newer) else Verdict(Relation.APART, "the same words of another time, or otherwise protected")
    if verdict.relation in {Relation.REPLACES, Relation.CONTRADICTS} and _is_of_another_time(older, newer):
        return Verdict(Relation.MAY_CONTRADICT, "one of them holds for a while or from later on, and the other may hold beside it")
    if verdict.relation is Relation.REPLACES:
        return _replacing(verdict, older, newer)
    if verdict.relation is Relation.CONTRADICTS and _TRUST[newer.source.origin] > _TRUST[older.source.origin] and not _is_kept(older):
        return Verdict(Relation.REPLACES, f"{verdict.reason}; the newer was stated, the older was not")
    return verdict


def moment(record: MemoryRecord) -> datetime:
    """Return when a memory arose, as far as it is known; not after it was stored, so that a date ahead lets no later news wait."""
    return min(record.created_at or record.stored_at, record.stored_at)


def _may_meet(settings: Settings, older: MemoryRecord, newer: MemoryRecord) -> bool:
    first, second = core_type(older.type), core_type(newer.type)
    if not (first == second or {first, second} <= _TOGETHER):
        return False
    if not (is_compared(older, settings) and is_compared(newer, settings)):
        return False
    return (
        _may_agree(older.due_at, newer.due_at)
        and _may_agree(older.valid_from, newer.valid_from)
        and _may_agree(older.valid_until, newer.valid_until)
    )


def _may_agree(one: datetime | None, other: datetime | None) -> bool:
    return one is None or other is None or one == other


def _is_of_another_time(older: MemoryRecord, newer: MemoryRecord) -> bool:
    """Tell whether the newer holds for a while and the older without end, or one of them holds only from a day to come."""
    if _ends(newer) and not _ends(older):
        return True
    begins = {older.valid_from, newer.valid_from}
    return len(begins) > 1 and any(begin is not None and begin > moment(newer) for begin in begins)


def _ends(record: MemoryRecord) -> bool:
    return record.valid_until is not None or record.expires_at is not None


def _is_one_thing(older: MemoryRecord, newer: MemoryRecord) -> bool:
    """Tell whether records that say the same may become one: not under other protection, and not "tomorrow" said on two days."""
    if older.access != newer.access:
        return False
    is_dated = is_said_now(older.content) or is_said_now(newer.content)
    return not is_dated or moment(older).date() == moment(newer).date()


def _replacing(verdict: Verdict, older: MemoryRecord, newer: MemoryRecord) -> Verdict:
    if _TRUST[newer.source.origin] < _TRUST[older.source.origin]:
        return Verdict(Relation.CONTRADICTS, f"{verdict.reason}; but the older was stated, and the newer was not")
    if _is_kept(older):
        return Verdict(Relation.CONTRADICTS, f"{verdict.reason}; but the older is kept for ever, and is not put away unasked")
    return verdict


def _is_kept(record: MemoryRecord) -> bool:
    return record.pinned or record.retention == "permanent"


def outweighs(record: MemoryRecord, newer: MemoryRecord) -> bool:
    """Tell whether a record is not put away for a newer one unasked: it is kept for ever, or better vouched for."""
    return _is_kept(record) or _TRUST[newer.source.origin] < _TRUST[record.source.origin]


def _judged(core: Core, older: str, newer: str) -> Verdict | None:
    """Ask the judge, if there is one. What it says counts only where it can be so: bad output changes nothing."""
    if core.judge is None:
        return None
    try:
        said = core.judge.judge(older, newer)
        if said is None:
            return None
        verdict = Verdict(Relation(said.relation), str(said.reason))
    except Exception as error:  # noqa: BLE001 - whatever a model does, the memory must be written
        core.notes.add("judge", f"the judge of memories failed ({error}); rules compare them until it works")
        return None
    if verdict.relation is Relation.SAME and not may_be_same(older, newer):
        return None
    return verdict
