"""What a writer says of a snapshot, completed: ids, times of change, marks of removal; credentials are taken out (WRK-1, WRT-6).

It must not know what is stored, or how two versions are merged.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from satchel.engine.text.screening import mask, mask_json, screen, texts_of
from satchel.errors import InvalidRequest
from satchel.operations.models import WorkingDraft
from satchel.protocol.record import canonical_json
from satchel.protocol.working import MAX_SNAPSHOT_BYTES, WorkingEvent, WorkingSnapshot, WorkingTask, same_json
from satchel.protocol.working_merge import newest_marks

_INSTANT = timedelta(microseconds=1)
_OWN = frozenset(WorkingSnapshot.model_fields)


@dataclass(slots=True)
class Completion:
    """Completes drafts of one session against the snapshot that they began from.

    `key` makes the ids of items that came without one: the same item gets the same id again, and the id tells nothing of its content.
    """

    before: WorkingSnapshot
    agent: str | None
    now: datetime
    key: bytes
    screens: bool = True
    masked: list[str] = field(default_factory=list)

    def complete(self, draft: WorkingDraft) -> WorkingSnapshot:
        """Return the draft as a snapshot of the version that it began from.

        Raises:
            InvalidRequest: it is too large.
        """
        slots, slot_times = self._slots(draft)
        tasks = self._tasks(draft)
        summary = self._screened("summary", draft.summary, self.before.summary)
        extra = {name: value for name, value in (draft.__pydantic_extra__ or {}).items() if name not in _OWN}
        before = {name: getattr(self.before, name) for name in _OWN} | (self.before.__pydantic_extra__ or {})
        members = before | extra | {
            "agent_id": self.agent or self.before.agent_id,
            "slots": slots,
            "slot_times": slot_times,
            "recent_events": self._events(draft),
            "task_stack": tasks,
            "removed_tasks": self._removed(draft, {task.id or "" for task in tasks}),
            "summary": summary,
            "summary_at": self._changed_at(summary, self.before.summary, draft.summary_at, self.before.summary_at),
            "promoted": self._still_promoted(slots),
        }  # fmt: skip
        snapshot = WorkingSnapshot.model_validate(members)
        check_size(snapshot)
        return snapshot

    # ------------------------------------------------------------ slots and summary

    def _slots(self, draft: WorkingDraft) -> tuple[dict[str, Any], dict[str, datetime]]:
        before = self.before
        slots = {key: self._screened(f"slots.{key}", value, before.slots.get(key), name=key) for key, value in draft.slots.items()}
        times = {
            key: self._changed_at(value, before.slots.get(key), draft.slot_times.get(key), before.slot_times.get(key), key in before.slots)
            for key, value in slots.items()
        }
        marks = {key: at for key, at in before.slot_times.items() if key not in before.slots}
        marks |= {key: self._time(draft.slot_times.get(key), before.slot_times.get(key)) for key in before.slots}
        marks = newest_marks({key: at for key, at in marks.items() if key not in slots})
        return slots, {key: at for key, at in (times | marks).items() if at is not None}

    def _changed_at(self, value: Any, old: Any, given: datetime | None, at: datetime | None, was_there: bool = True) -> datetime | None:
        """Return when a value was last set: as the writer says, never in the future nor before the time that is known."""
        if was_there and same_json(value, old):
            # Set again to the same value: a second mention.
            return at if given is None or at is None or given <= at else self._time(given, at)
        return self._time(given, at)

    def _time(self, given: datetime | None, at: datetime | None) -> datetime:
        if given is None or (at is not None and given <= at):
            return self.now
        return min(given, self.now)

    def _still_promoted(self, slots: Mapping[str, Any]) -> dict[str, str]:
        changed = {f"slot:{key}" for key, value in self.before.slots.items() if key not in slots or not same_json(slots[key], value)}
        return {name: record_id for name, record_id in self.before.promoted.items() if name not in changed}

    # ------------------------------------------------------------ turns and tasks

    def _events(self, draft: WorkingDraft) -> tuple[WorkingEvent, ...]:
        known = {event.id: event for event in self.before.recent_events}
        events: list[WorkingEvent] = []
        for place, (event, name) in enumerate(zip(draft.recent_events, self._ids(draft.recent_events), strict=True)):
            old = known.get(name)
            at = min(event.at or (old.at if old is not None and old.at else self.now), self.now)
            if events and events[-1].at is not None and at <= events[-1].at:
                # Turns stand in the order they were given, also where a clock says otherwise.
                at = events[-1].at + _INSTANT
            said = self._screened(f"recent_events.{place}", event.said(), None if old is None else old.said())
            events.append(WorkingEvent.model_validate({**said, "id": name, "at": at, "erased_at": None if old is None else old.erased_at}))
        return tuple(events)

    def _tasks(self, draft: WorkingDraft) -> tuple[WorkingTask, ...]:
        known = {task.id: task for task in self.before.task_stack}
        tasks = []
        for place, (task, name) in enumerate(zip(draft.task_stack, self._ids(draft.task_stack), strict=True)):
            old = known.get(name)
            said = self._screened(f"task_stack.{place}", task.said(), None if old is None else old.said())
            before = (None, None) if old is None else (old.said(), old.updated_at)
            at = self._changed_at(said, before[0], task.updated_at, before[1], old is not None)
            erased = None if old is None else old.erased_at
            tasks.append(WorkingTask.model_validate({**said, "id": name, "updated_at": at, "erased_at": erased}))
        return tuple(tasks)

    def _removed(self, draft: WorkingDraft, standing: set[str]) -> dict[str, datetime]:
        marks = dict(self.before.removed_tasks)
        marks |= {task.id or "": self._time(draft.removed_tasks.get(task.id or ""), task.updated_at) for task in self.before.task_stack}
        return newest_marks({name: at for name, at in marks.items() if name not in standing})

    def _ids(self, items: Iterable[WorkingEvent | WorkingTask]) -> list[str]:
        seen: Counter[str] = Counter()
        names = []
        for item in items:
            name = item.id
            if name is None:
                made = hmac.digest(self.key, canonical_json(item.to_json()), hashlib.sha256).hex()[:24]
                seen[made] += 1
                name = f"{made}-{seen[made]}"
            names.append(name)
        return names

    # ------------------------------------------------------------ credentials

    def _screened(self, path: str, value: Any, old: Any, *, name: str = "") -> Any:
        """Return a value without credentials; what was there before was looked at then."""
        if not self.screens or same_json(value, old) or not screen(*texts_of({name: value} if name else value)):
            return value
        self.masked.append(path)
        return mask_json({name: value})[name] if name else mask(value) if isinstance(value, str) else mask_json(value)


def check_size(snapshot: WorkingSnapshot) -> None:
    """Raise InvalidRequest where a snapshot is larger than a package line may be."""
    size = len(json.dumps(snapshot.to_json(), ensure_ascii=False).encode())
    if size > MAX_SNAPSHOT_BYTES:
        message = f"is {size} bytes of JSON; the limit is {MAX_SNAPSHOT_BYTES}: keep a summary instead"
        raise InvalidRequest.of([{"field": "snapshot", "message": message}])
