"""What of forgotten memories stands in working memory, and how it leaves there (RET-5).

It must not know why a memory goes. Sessions keep what else they hold; a writer that still holds the old snapshot cannot bring it back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from satchel.engine.core import Core
from satchel.engine.forgetting.scrubbing import pending_document
from satchel.engine.forgetting.tombstones import ForgottenSession, session_forgotten, session_mark
from satchel.engine.working.condensing import found_in, remarked_in
from satchel.engine.working.home import must_reach
from satchel.engine.working.mentions import of_slot, unmentioned
from satchel.engine.working.saving import every_snapshot, retried, write
from satchel.ports import Batch
from satchel.protocol.record import MemoryRecord
from satchel.protocol.working import WorkingEvent, WorkingItem, WorkingSnapshot, WorkingTask, same_json

_ENDS = "。.！!；; \n"
_UNKNOWN = 1000
"""The last version of a session that left no snapshot: more than its old holders will have."""
_SHORTEST_BARE = 6
"""Characters of a content that is also looked for without the sign that ends it."""


def forget_in_working(core: Core, scope: str, gone: Collection[MemoryRecord], at: datetime) -> None:
    """Take out of every session of a scope what these records say, and the turns, slots and tasks that they came from."""
    must_reach(core)
    erasure = _Erasure(core, gone, at)
    for found in every_snapshot(core, scope):
        retried(lambda found=found: _forget_in(core, found, erasure))  # type: ignore[misc]


def drop_session(core: Core, scope: str, session: str, at: datetime) -> None:
    """Forget a session's working memory. Whoever still holds it cannot save it again, and no package brings it back."""
    must_reach(core)
    # The mark comes first, so that nobody can save in between what was read before.
    held, before = core.working.load(scope, session), session_forgotten(core, scope, session)
    known = [one.version for one in (held, before) if one is not None]
    mark = session_mark(scope, session, ForgottenSession(at, max(known, default=_UNKNOWN)))
    core.store.apply(Batch(documents=[mark, pending_document(core)]))
    held = core.working.load(scope, session)
    if held is not None:
        core.working.drop(scope, session)
        _unmention(core, held)


def drop_every_session(core: Core, scope: str, at: datetime) -> None:
    """Forget the working memory of every session of a scope."""
    for found in every_snapshot(core, scope):
        drop_session(core, scope, found.session_id, at)


def _unmention(core: Core, held: WorkingSnapshot) -> None:
    documents = [unmentioned(core, held.scope, of_slot(key, value)) for key, value in held.slots.items()]
    if documents:
        core.store.apply(Batch(documents=documents))


def _forget_in(core: Core, found: WorkingSnapshot, erasure: _Erasure) -> None:
    held = core.working.load(found.scope, found.session_id)
    if held is None:
        return
    left = erasure.of(held)
    if left is None:
        return
    gone = [unmentioned(core, held.scope, of_slot(key, value)) for key, value in held.slots.items() if not _holds(left, key, value)]
    core.store.apply(Batch(documents=[pending_document(core), *gone]))
    write(core, left, expect=held.version)


def _holds(snapshot: WorkingSnapshot, key: str, value: Any) -> bool:
    return key in snapshot.slots and same_json(snapshot.slots[key], value)


class _Erasure:
    """What is to be forgotten, looked for in one snapshot after the other."""

    def __init__(self, core: Core, gone: Collection[MemoryRecord], at: datetime) -> None:
        self._core = core
        self._at = at
        self._ids = {record.id for record in gone}
        self._contents = {record.content for record in gone}
        self._texts = sorted(_spellings(self._contents), key=len, reverse=True)
        self._sources = [_Source.of(record) for record in gone if record.source.session is not None]

    def of(self, snapshot: WorkingSnapshot) -> WorkingSnapshot | None:
        """Return the snapshot without it; None where it holds nothing of it."""
        source = _Source.together(one for one in self._sources if one.session == snapshot.session_id)
        slots, times = self._slots(snapshot, source.slots)
        summary = self._purged(snapshot.summary)
        events = tuple(self._event(snapshot, event, source.messages) for event in snapshot.recent_events)
        tasks = tuple(task for task in (self._task(task, source.tasks) for task in snapshot.task_stack) if task is not None)
        standing = {task.id for task in tasks}
        marks = {task.id or "": self._at for task in snapshot.task_stack if task.id not in standing}
        extra = self._purged(snapshot.__pydantic_extra__ or {})
        left = snapshot.model_copy(
            update={
                **extra,
                "slots": slots,
                "slot_times": times,
                "recent_events": events,
                "task_stack": tasks,
                "removed_tasks": {**snapshot.removed_tasks, **marks},
                "summary": summary,
                "summary_at": snapshot.summary_at if summary == snapshot.summary else self._after(snapshot.summary_at),
                "carried": tuple(item for item in snapshot.carried if not self._is_carried(item, source.messages)),
                "promoted": {name: known_as for name, known_as in snapshot.promoted.items() if known_as not in self._ids},
            }
        )
        if same_json(left.to_json(), snapshot.to_json()):
            return None
        return WorkingSnapshot.model_validate(left.to_json() | {"version": snapshot.version + 1, "erased_at": self._at})

    def _after(self, time: datetime | None) -> datetime:
        """Return the time of the erasure, later than what is erased, so that it stands wherever the two are merged."""
        return self._at if time is None or time < self._at else time + timedelta(microseconds=1)

    def _slots(self, snapshot: WorkingSnapshot, sources: Collection[str]) -> tuple[dict[str, Any], dict[str, datetime]]:
        slots: dict[str, Any] = {}
        times: dict[str, datetime] = {}
        for key in {**snapshot.slots, **snapshot.slot_times}:
            if self._is_in(key):
                # Its very name tells it, so that no mark of its removal may stay.
                continue
            value = None if key in sources else self._purged(snapshot.slots.get(key))
            changed = key in snapshot.slots and (key in sources or not same_json(value, snapshot.slots[key]))
            if key in snapshot.slots and not (changed and _is_blank(value)):
                slots[key] = value
            if changed or key in snapshot.slot_times:
                times[key] = self._after(snapshot.slot_times.get(key)) if changed else snapshot.slot_times[key]
        return slots, times

    def _event(self, snapshot: WorkingSnapshot, event: WorkingEvent, messages: Collection[str]) -> WorkingEvent:
        said = event.said()
        if event.id in messages or self._says(snapshot, event):
            left: dict[str, Any] = {"role": event.role} if event.role else {}
        else:
            left = self._purged(said)
        if same_json(left, said):
            return event
        return WorkingEvent.model_validate({**left, "id": event.id, "at": event.at, "erased_at": self._at})

    def _says(self, snapshot: WorkingSnapshot, event: WorkingEvent) -> bool:
        """Tell whether the turn says it in the first person, so that the end of the session would write it again."""
        where = (snapshot.scope, snapshot.session_id, event, self._at)
        return any(item.text in self._contents for item in (*found_in(*where), *remarked_in(*where)))

    def _task(self, task: WorkingTask, sources: Collection[str]) -> WorkingTask | None:
        if task.id in sources:
            return None
        said = task.said()
        left = self._purged(said)
        if same_json(left, said):
            return task
        made = WorkingTask.model_validate({**left, "id": task.id, "updated_at": self._after(task.updated_at), "erased_at": self._at})
        return made if made.text else None

    def _is_carried(self, item: WorkingItem, messages: Collection[str]) -> bool:
        return item.id in self._ids or item.said().get("event") in messages or self._is_in(item.text)

    def _is_in(self, text: str) -> bool:
        return any(wanted in text for wanted in self._texts)

    def _purged(self, value: Any) -> Any:
        """Return a JSON value without these texts; a member whose name holds one goes whole."""
        if isinstance(value, str):
            for text in self._texts:
                value = value.replace(text, "")
            return value
        if isinstance(value, Mapping):
            return {key: self._purged(inner) for key, inner in value.items() if not self._is_in(key)}
        if isinstance(value, list | tuple):
            return [self._purged(inner) for inner in value]
        return value


@dataclass(frozen=True, slots=True)
class _Source:
    """Which parts of a session memories came from."""

    session: str
    messages: frozenset[str] = frozenset()
    slots: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()

    @classmethod
    def of(cls, record: MemoryRecord) -> _Source:
        working = record.meta.get("working")
        named = working if isinstance(working, dict) else {}

        def names(value: Any) -> frozenset[str]:
            return frozenset({value}) if isinstance(value, str) else frozenset()

        return cls(record.source.session or "", names(record.source.message), names(named.get("slot")), names(named.get("task")))

    @classmethod
    def together(cls, sources: Iterator[_Source]) -> _Source:
        found = list(sources)
        return cls(
            "",
            frozenset().union(*(one.messages for one in found)),
            frozenset().union(*(one.slots for one in found)),
            frozenset().union(*(one.tasks for one in found)),
        )


def _spellings(contents: Collection[str]) -> Iterator[str]:
    for content in contents:
        for text in (content, content.strip()):
            if text:
                yield text
        bare = content.strip().rstrip(_ENDS)
        if len(bare) >= _SHORTEST_BARE:
            yield bare


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})
