"""The merge of two versions of one session's snapshot (WRK-3, spec/10-working-memory.md). It knows nothing of stores or clocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeVar

from satchel.protocol.record import ProtocolModel, canonical_json
from satchel.protocol.working import MAX_REMOVED, WorkingEvent, WorkingItem, WorkingSnapshot, WorkingTask, same_json

Kind = Literal["slot", "event", "task", "summary"]
Side = Literal["ours", "theirs"]
Item = TypeVar("Item", bound=WorkingItem)


class Difference(ProtocolModel):
    """Something that both sides changed, with what each has; null: it has nothing there.

    `kept` says which one stands; null: neither, for they cannot be merged, and `members` are the members of the task that differ.
    """

    kind: Kind
    key: str
    ours: Any = None
    theirs: Any = None
    kept: Side | None = None
    members: tuple[str, ...] = ()


class WorkingMerge(NamedTuple):
    """The merged snapshot; what gave way to something newer; and what cannot be merged and stands in it as theirs."""

    snapshot: WorkingSnapshot
    replaced: tuple[Difference, ...]
    conflicts: tuple[Difference, ...]


def merge_working(
    ours: WorkingSnapshot, theirs: WorkingSnapshot, base: WorkingSnapshot | None = None, *, keep: Side | None = None
) -> WorkingMerge:
    """Merge two versions of one session. `base` is the version that both began from, where it is known: then what only one changed stands.

    Without it nothing conflicts: the newer stands. `keep` decides what cannot be merged. The rule is symmetric but for the names of the
    sides, and idempotent; `version` is the greater of both, and the caller's to raise.
    """
    merge = _Merge(ours, theirs, base, keep)
    older, later = merge.by_age
    members = {
        **(older.__pydantic_extra__ or {}),
        **(later.__pydantic_extra__ or {}),
        "session_id": later.session_id,
        "scope": later.scope,
        "agent_id": later.agent_id,
        "version": max(ours.version, theirs.version),
        "created_at": min(ours.created_at, theirs.created_at),
        "updated_at": later.updated_at,
        **merge.slots(),
        "recent_events": merge.events(),
        **merge.tasks(),
        **merge.summary(),
        "carried": merge.carried(),
        "promoted": {**older.promoted, **later.promoted},
        "ended_at": later.ended_at,
        "ended_by": later.ended_by,
        "records": tuple(dict.fromkeys((*older.records, *later.records))),
        "erased_at": _latest(ours.erased_at, theirs.erased_at),
    }
    return WorkingMerge(WorkingSnapshot.model_validate(members), tuple(merge.replaced), tuple(merge.conflicts))


def newest_marks(marks: Mapping[str, datetime]) -> dict[str, datetime]:
    """Return the marks of removal that are kept: the newest."""
    if len(marks) <= MAX_REMOVED:
        return dict(marks)
    return dict(sorted(marks.items(), key=lambda mark: (mark[1], mark[0]), reverse=True)[:MAX_REMOVED])


class _Slot(NamedTuple):
    """What one side has of a slot. `known` is false where it never had it, so that its absence says nothing."""

    known: bool
    at: datetime
    value: tuple[Any, ...]
    """The value, or nothing where it was removed."""

    def same(self, other: _Slot) -> bool:
        return same_json(self.value, other.value)

    @property
    def rank(self) -> tuple[bool, datetime, bytes]:
        return self.known, self.at, canonical_json(self.value)

    @property
    def shown(self) -> Any:
        return self.value[0] if self.value else None


class _Merge:
    """One merge on its way."""

    def __init__(self, ours: WorkingSnapshot, theirs: WorkingSnapshot, base: WorkingSnapshot | None, keep: Side | None) -> None:
        self._ours, self._theirs, self._base, self._keep = ours, theirs, base, keep
        self.replaced: list[Difference] = []
        self.conflicts: list[Difference] = []
        pair = sorted((ours, theirs), key=lambda side: (side.updated_at, side.version, canonical_json(side.to_json())))
        self.by_age = (pair[0], pair[1])

    def _note(self, kind: Kind, key: str, ours: Any, theirs: Any, kept: Side) -> None:
        self.replaced.append(Difference(kind=kind, key=key, ours=ours, theirs=theirs, kept=kept))

    # ------------------------------------------------------------ slots

    def slots(self) -> dict[str, Any]:
        """Return `slots` and `slot_times`: by key, what only one side changed, else the newer."""
        sides = (self._theirs, self._ours, self._base or self._ours)
        found = {key: self._slot(key) for key in dict.fromkeys(key for side in sides for key in (*side.slots, *side.slot_times))}
        marks = newest_marks({key: slot.at for key, slot in found.items() if slot.known and not slot.value})
        times = {key: slot.at for key, slot in found.items() if slot.value} | marks
        return {"slots": {key: slot.value[0] for key, slot in found.items() if slot.value}, "slot_times": times}

    def _slot(self, key: str) -> _Slot:
        ours, theirs = _slot_of(self._ours, key, self._base), _slot_of(self._theirs, key, self._base)
        if ours.same(theirs):
            return max(ours, theirs, key=lambda slot: (slot.known, slot.at))
        if self._base is not None:
            base = _slot_of(self._base, key, None)
            if theirs.same(base):
                return ours if ours.known else theirs
            if ours.same(base):
                return theirs if theirs.known else ours
        kept: Side = "ours" if ours.rank > theirs.rank else "theirs"
        if ours.known and theirs.known:
            self._note("slot", key, ours.shown, theirs.shown, kept)
        return ours if kept == "ours" else theirs

    # ------------------------------------------------------------ events

    def events(self) -> tuple[WorkingEvent, ...]:
        """Return the union of both sides' turns, each once, in order of time."""
        ours, theirs = _by_id(self._ours.recent_events), _by_id(self._theirs.recent_events)
        base = _by_id(self._base.recent_events) if self._base is not None else {}
        merged = [self._either("event", key, ours.get(key), theirs.get(key), base.get(key)) for key in {**theirs, **ours}]
        start = self.by_age[0].created_at
        return tuple(sorted(merged, key=lambda event: (event.at or start, event.id or "")))

    def carried(self) -> tuple[WorkingItem, ...]:
        """Return the union of what both sides carry."""
        ours, theirs = _by_id(self._ours.carried), _by_id(self._theirs.carried)
        merged = [self._either("event", key, ours.get(key), theirs.get(key), None) for key in {**theirs, **ours}]
        return tuple(sorted(merged, key=lambda item: item.id or ""))

    def _either(self, kind: Kind, key: str, ours: Item | None, theirs: Item | None, base: Item | None) -> Item:
        """Return one of two versions of an item: what was erased, else what only one side changed, else the newer."""
        if ours is None or theirs is None:
            found = ours or theirs
            assert found is not None
            return found
        if _same(ours, theirs):
            return max(ours, theirs, key=_age)
        if (ours.erased_at is None) is not (theirs.erased_at is None):
            return theirs if ours.erased_at is None else ours
        if base is not None and _same(theirs, base):
            return ours
        if base is not None and _same(ours, base):
            return theirs
        kept: Side = "ours" if _age(ours) > _age(theirs) else "theirs"
        self._note(kind, key, ours.to_json(), theirs.to_json(), kept)
        return ours if kept == "ours" else theirs

    # ------------------------------------------------------------ tasks

    def tasks(self) -> dict[str, Any]:
        """Return `task_stack` and `removed_tasks`. The later snapshot's order comes first."""
        ours, theirs = _by_id(self._ours.task_stack), _by_id(self._theirs.task_stack)
        later, older = (ours, theirs) if self.by_age[1] is self._ours else (theirs, ours)
        found = {key: self._task(key, ours.get(key), theirs.get(key)) for key in {**later, **older}}
        kept = {key: task for key, task in found.items() if task is not None}
        marks = dict(self._theirs.removed_tasks)
        for key, at in self._ours.removed_tasks.items():
            marks[key] = max(at, marks.get(key, at))
        left = newest_marks({key: at for key, at in marks.items() if key not in kept})
        return {"task_stack": tuple(kept.values()), "removed_tasks": left}

    def _task(self, key: str, ours: WorkingTask | None, theirs: WorkingTask | None) -> WorkingTask | None:
        base = _by_id(self._base.task_stack).get(key) if self._base is not None else None
        if ours is None or theirs is None:
            here, there = (ours, self._theirs) if theirs is None else (theirs, self._ours)
            assert here is not None
            return self._removed_or_not(key, here, there, base)
        if self._base is None or _same(ours, theirs) or ours.erased_at or theirs.erased_at:
            return self._either("task", key, ours, theirs, base)
        return self._by_member(key, ours, theirs, base)

    def _removed_or_not(self, key: str, here: WorkingTask, there: WorkingSnapshot, base: WorkingTask | None) -> WorkingTask | None:
        """Return a task that the other side does not have: None where it took it off and nothing has changed since."""
        taken_off = there.removed_tasks.get(key) or (there.updated_at if base is not None else None)
        if taken_off is None:
            return here
        if base is not None and _same(here, base):
            return None
        if base is None and taken_off >= (here.updated_at or taken_off):
            return None
        mine = there is self._theirs
        self._note("task", key, here.to_json() if mine else None, None if mine else here.to_json(), "ours" if mine else "theirs")
        return here

    def _by_member(self, key: str, ours: WorkingTask, theirs: WorkingTask, base: WorkingTask | None) -> WorkingTask:
        """Merge a task that both sides may have changed, member by member."""
        mine, other, old = ours.said(), theirs.said(), {} if base is None else base.said()
        merged: dict[str, Any] = {}
        differing = []
        for name in {**other, **mine}:
            one, two, before = mine.get(name), other.get(name), old.get(name)
            if same_json(one, two) or same_json(one, before):
                merged[name] = two
            elif same_json(two, before):
                merged[name] = one
            else:
                differing.append(name)
                merged[name] = one if self._keep == "ours" else two
        if differing:
            found = Difference(
                kind="task", key=key, ours=ours.to_json(), theirs=theirs.to_json(), kept=self._keep, members=tuple(differing)
            )
            (self.conflicts if self._keep is None else self.replaced).append(found)
        return WorkingTask.model_validate({**merged, "id": theirs.id, "updated_at": _latest(ours.updated_at, theirs.updated_at)})

    # ------------------------------------------------------------ summary

    def summary(self) -> dict[str, Any]:
        """Return `summary` and `summary_at`: what only one side changed, else the newer; the other is noted."""
        ours, theirs, base = self._ours, self._theirs, self._base
        if ours.summary == theirs.summary:
            return {"summary": ours.summary, "summary_at": _latest(ours.summary_at, theirs.summary_at)}
        if base is not None and theirs.summary == base.summary:
            chosen = ours
        elif base is not None and ours.summary == base.summary:
            chosen = theirs
        else:
            chosen = max(ours, theirs, key=lambda side: (bool(side.summary), side.summary_at or side.updated_at, side.summary))
            if ours.summary and theirs.summary:
                self._note("summary", "summary", ours.summary, theirs.summary, "ours" if chosen is ours else "theirs")
        return {"summary": chosen.summary, "summary_at": chosen.summary_at}


def _slot_of(side: WorkingSnapshot, key: str, base: WorkingSnapshot | None) -> _Slot:
    if key in side.slots:
        return _Slot(True, side.slot_times.get(key, side.updated_at), (side.slots[key],))
    removed = side.slot_times.get(key) or (side.updated_at if base is not None and key in base.slots else None)
    return _Slot(removed is not None, removed or side.created_at, ())


def _by_id(items: Iterable[Item]) -> dict[str, Item]:
    return {item.id or canonical_json(item.to_json()).decode(): item for item in items}


def _same(one: WorkingItem, other: WorkingItem) -> bool:
    return same_json(one.said(), other.said()) and one.erased_at == other.erased_at


def _age(item: WorkingItem) -> tuple[float, bytes]:
    at = item.at if isinstance(item, WorkingEvent) else item.updated_at if isinstance(item, WorkingTask) else None
    return 0.0 if at is None else at.timestamp(), canonical_json(item.said())


def _latest(*times: datetime | None) -> datetime | None:
    return max((time for time in times if time is not None), default=None)
