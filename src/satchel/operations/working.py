"""`Working`: one session's working memory in hand, changed as plain data and then saved; and its twin to be awaited.

It must not know who carries a request out, or how two versions are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from satchel.errors import Conflict
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.ports import Clock
from satchel.protocol.record import MemoryRecord, new_id
from satchel.protocol.scope import parse_scope
from satchel.protocol.times import format_instant, to_utc
from satchel.protocol.validation import validated
from satchel.protocol.working import WorkingSnapshot, same_json
from satchel.protocol.working_merge import Side

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class Calls(Protocol):
    """What carries requests out."""

    _clock: Clock | None

    def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation."""
        ...


class AsyncCalls(Protocol):
    """What carries requests out, to be awaited."""

    _clock: Clock | None

    async def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation."""
        ...


class Slots(dict[str, Any]):
    """Key facts by name. It knows when each was last set or removed, so that of two writers the newer wins."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.times: dict[str, datetime] = {}
        self._clock = clock

    def load(self, snapshot: WorkingSnapshot) -> None:
        """Take over a snapshot's slots."""
        super().clear()
        super().update(snapshot.model_copy(deep=True).slots)
        self.times = dict(snapshot.slot_times)

    def _note(self, keys: Iterable[str]) -> None:
        self.times.update(dict.fromkeys(keys, to_utc(self._clock())))

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        self._note((key,))

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        self._note((key,))

    def pop(self, key: str, *default: Any) -> Any:
        """Remove a slot and return its value."""
        if key in self:
            self._note((key,))
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, Any]:
        """Remove the slot set last."""
        key, value = super().popitem()
        self._note((key,))
        return key, value

    def clear(self) -> None:
        """Remove every slot."""
        self._note(self)
        super().clear()

    def update(self, *given: Any, **more: Any) -> None:
        """Set several slots."""
        found = dict(*given, **more)
        super().update(found)
        self._note(found)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Set a slot unless it is there."""
        if key not in self:
            self[key] = default
        return self[key]

    def __ior__(self, other: Any) -> Slots:  # type: ignore[override,misc]
        self.update(other)
        return self


class InHand:
    """What is at hand: `slots`, `recent_events` and `task_stack` (lists of JSON objects), `summary`. Not safe under threads.

    `version` is the one that was read, 0 where there was none. `due` and `resumed` are what the start of a session told.
    """

    def __init__(self, session_id: str, scope: str, snapshot: WorkingSnapshot | None, clock: Clock | None) -> None:
        self.session_id = session_id
        self.scope = parse_scope(scope)
        self._clock = clock or _system_clock
        self.slots = Slots(self._clock)
        self.recent_events: list[dict[str, Any]] = []
        self.task_stack: list[dict[str, Any]] = []
        self.summary = ""
        self.due: tuple[MemoryRecord, ...] = ()
        self.resumed = snapshot is not None
        self.snapshot = snapshot or WorkingSnapshot(session_id=session_id, scope=self.scope, created_at=_NEVER, updated_at=_NEVER)
        self._load(self.snapshot)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.session_id!r}, scope={self.scope!r}, version={self.version})"

    @property
    def version(self) -> int:
        """The version that was read or saved last."""
        return self.snapshot.version

    @property
    def ended(self) -> bool:
        """Whether the session is over; saving goes on with it."""
        return self.snapshot.ended_at is not None

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to save."""
        if self.slots.times != self.snapshot.slot_times:
            return True
        held = self.snapshot.to_json()
        return not all(same_json(getattr(self, name), held[name]) for name in ("slots", "recent_events", "task_stack", "summary"))

    def add_event(self, content: Any, *, role: str = "user", **more: Any) -> dict[str, Any]:
        """Append a turn to `recent_events`; `more` are further JSON members. Only the last turns are kept when it is saved."""
        event = {"id": new_id(), "at": format_instant(self._clock()), "role": role, "content": content, **more}
        self.recent_events.append(event)
        return event

    def add_task(self, content: str, *, due_at: datetime | str | None = None, **more: Any) -> dict[str, Any]:
        """Put a task on top of `task_stack`. Set its `status` to `done` or `dropped`, or take it off, when it is over."""
        due = {} if due_at is None else {"due_at": format_instant(due_at) if isinstance(due_at, datetime) else due_at}
        task = {"id": new_id(), "content": content, "status": "open", **due, **more}
        self.task_stack.append(task)
        return task

    def _load(self, snapshot: WorkingSnapshot) -> None:
        self.snapshot = snapshot
        held = snapshot.to_json()
        self.slots.load(snapshot)
        self.recent_events[:] = held["recent_events"]
        self.task_stack[:] = held["task_stack"]
        self.summary = snapshot.summary

    def _address(self) -> dict[str, Any]:
        return {"session": self.session_id, "scope": self.scope}

    def _request(self, keep: Side | None) -> m.SaveWorkingRequest:
        """Return what is to be saved. Ids are made here, before it is sent, so that a retry is no second turn."""
        draft = {
            **(self.snapshot.__pydantic_extra__ or {}),
            "version": self.version,
            **({"created_at": self.snapshot.created_at} if self.version else {}),
            "slots": dict(self.slots),
            "slot_times": self.slots.times,
            "recent_events": [_named(event) for event in self.recent_events],
            "task_stack": [_named(task) for task in self.task_stack],
            "summary": self.summary,
        }
        snapshot = validated(m.WorkingDraft, draft, subject="working memory")
        return validated(m.SaveWorkingRequest, {**self._address(), "snapshot": snapshot, **({} if keep is None else {"keep": keep})})

    def _with_base(self, request: m.SaveWorkingRequest, error: Conflict) -> m.SaveWorkingRequest:
        """Return the request with what it began from, so that it can be merged; raise the error where that was tried or cannot help."""
        if not error.details.get("mergeable"):
            raise error
        return request.model_copy(update={"base": self.snapshot})

    def _take(self, saved: m.WorkingSaved) -> m.WorkingSaved:
        self._load(saved.snapshot)
        return saved

    def _promotion(self, given: Mapping[str, Any]) -> m.PromoteRequest:
        return validated(m.PromoteRequest, {**self._address(), **{name: value for name, value in given.items() if value is not None}})

    def _ending(self, summary: str | None, condense: bool) -> m.SessionEndRequest:
        told = {} if summary is None else {"summary": summary}
        return validated(m.SessionEndRequest, {**self._address(), **told, "condense": condense})


class Working(InHand):
    """One session's working memory: see `Memory.working`."""

    def __init__(self, memory: Calls, session_id: str, scope: str, snapshot: WorkingSnapshot | None) -> None:
        super().__init__(session_id, scope, snapshot, memory._clock)
        self._memory = memory

    def save(self, *, keep: Side | None = None) -> m.WorkingSaved:
        """Save, merged by rule with what another has saved meanwhile; what is in hand is then what was saved.

        Raises:
            Conflict: something cannot be merged (`details["conflicts"]`, both sides each) and nothing was saved: decide it in what is in
                hand after `reload`, or by `keep="ours"` or `"theirs"`. Or the session was forgotten (`details["forgotten"]`).
            InvalidRequest: something is no JSON; the fault names its path.
        """
        request = self._request(keep)
        try:
            saved = self._memory.call(t.SAVE_WORKING, request)
        except Conflict as error:
            saved = self._memory.call(t.SAVE_WORKING, self._with_base(request, error))
        return self._take(saved)

    def reload(self) -> None:
        """Read what stands, in place of what is in hand."""
        self._load(self._memory.call(t.WORKING, m.WorkingRequest(session=self.session_id, scope=self.scope)))

    def promote(
        self,
        *,
        slot: str | None = None,
        event: str | None = None,
        task: str | None = None,
        content: str | None = None,
        type: str | None = None,
        tags: Iterable[str] | None = None,
    ) -> m.Remembered:
        """Take a slot, a turn or a task into long-term memory, for it was confirmed. What is in hand is saved before."""
        request = self._promotion({name: value for name, value in locals().items() if name != "self"})
        if self.is_changed:
            self.save()
        promoted = self._memory.call(t.PROMOTE, request)
        self.reload()
        return promoted

    def end(self, *, summary: str | None = None, condense: bool = True) -> m.SessionEnded:
        """Save what is in hand and end the session: it is condensed into long-term records, and the snapshot archived."""
        request = self._ending(summary, condense)
        if self.is_changed:
            self.save()
        ended = self._memory.call(t.SESSION_END, request)
        self._load(ended.snapshot)
        return ended


class AsyncWorking(InHand):
    """One session's working memory, its verbs to be awaited."""

    def __init__(self, memory: AsyncCalls, session_id: str, scope: str, snapshot: WorkingSnapshot | None) -> None:
        super().__init__(session_id, scope, snapshot, memory._clock)
        self._memory = memory

    async def save(self, *, keep: Side | None = None) -> m.WorkingSaved:
        """Save, as `Working.save` does."""
        request = self._request(keep)
        try:
            saved = await self._memory.call(t.SAVE_WORKING, request)
        except Conflict as error:
            saved = await self._memory.call(t.SAVE_WORKING, self._with_base(request, error))
        return self._take(saved)

    async def reload(self) -> None:
        """Read what stands, in place of what is in hand."""
        self._load(await self._memory.call(t.WORKING, m.WorkingRequest(session=self.session_id, scope=self.scope)))

    async def promote(
        self,
        *,
        slot: str | None = None,
        event: str | None = None,
        task: str | None = None,
        content: str | None = None,
        type: str | None = None,
        tags: Iterable[str] | None = None,
    ) -> m.Remembered:
        """Promote, as `Working.promote` does."""
        request = self._promotion({name: value for name, value in locals().items() if name != "self"})
        if self.is_changed:
            await self.save()
        promoted = await self._memory.call(t.PROMOTE, request)
        await self.reload()
        return promoted

    async def end(self, *, summary: str | None = None, condense: bool = True) -> m.SessionEnded:
        """End the session, as `Working.end` does."""
        request = self._ending(summary, condense)
        if self.is_changed:
            await self.save()
        ended = await self._memory.call(t.SESSION_END, request)
        self._load(ended.snapshot)
        return ended


def _named(item: dict[str, Any]) -> dict[str, Any]:
    """Give an item an id, in place, where it has none. What is no object is left for validation to name."""
    if isinstance(item, dict) and item.get("id") is None:
        item["id"] = new_id()
    return item


def _system_clock() -> datetime:
    return datetime.now(UTC)
