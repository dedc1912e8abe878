"""The working-memory snapshot of one session (WRK-1, spec/10-working-memory.md): JSON only. It knows nothing of where it is kept."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from satchel.protocol.record import (
    MAX_META_DEPTH,
    Content,
    Json,
    Label,
    ProtocolModel,
    RecordId,
    canonical_json,
)
from satchel.protocol.scope import Scope
from satchel.protocol.times import Instant

MAX_SNAPSHOT_BYTES = 4 * 1_048_576
"""Bytes of one snapshot as JSON; a package line can hold it."""
MAX_REMOVED = 500
"""Marks of removed slots and tasks that are kept; beyond it the oldest go."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def plain_json(value: Any, path: str = "", depth: int = 0) -> Any:
    """Return a copy of a JSON value that is made of plain Python types, tuples as lists.

    Raises:
        PydanticCustomError: with the dotted path (`field` in its context) of what JSON cannot hold.
    """
    if depth > MAX_META_DEPTH:
        raise _no_json(path, f"is nested deeper than {MAX_META_DEPTH} levels")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _plain_text(value, path)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _no_json(path, "is a number that JSON cannot write (NaN or infinity)")
        return float(value)
    if isinstance(value, Mapping):
        return {_key(key, path): plain_json(inner, _below(path, key), depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(inner, _below(path, place), depth + 1) for place, inner in enumerate(value)]
    raise _no_json(path, f"is a {type(value).__name__}, which JSON cannot write: keep what it says, not the object")


def _plain_text(value: str, path: str) -> str:
    if _UNSTORABLE.search(value):
        raise _no_json(path, "may not hold NUL or lone surrogates")
    return str.__str__(value)


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise _no_json(_below(path, key), "is a key that is not a string")
    return _plain_text(key, path)


def _below(path: str, step: Any) -> str:
    return f"{path}.{step}" if path else str(step)


def _no_json(path: str, problem: str) -> PydanticCustomError:
    return PydanticCustomError("json", "{problem}", {"problem": problem, "field": path})


def same_json(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are the same; unlike Python, JSON tells true from 1."""
    return canonical_json(one) == canonical_json(other)


def _plain_object(value: Any) -> Any:
    return plain_json(value) if isinstance(value, Mapping) else value


Slots = Annotated[Json, BeforeValidator(_plain_object)]


class WorkingItem(ProtocolModel):
    """A JSON object with an id. What the session's agents put beside the members named here is theirs."""

    id: RecordId | None = None
    erased_at: Instant | None = None
    """When something in it was forgotten; its other members are what was left."""

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        return {key: value if key in cls.model_fields else plain_json(value, str(key)) for key, value in data.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the item as JSON values, without members that are null."""
        return self.model_dump(mode="json", exclude_none=True)

    def said(self) -> dict[str, Any]:
        """Return what the agents put there: everything but ids and times."""
        return dict(self.__pydantic_extra__ or {})

    @property
    def text(self) -> str:
        """The item's own words: the first of its members `content`, `text`, `title`, `goal` or `description` that is a string."""
        said = self.said()
        found = (said.get(name) for name in ("content", "text", "title", "goal", "description"))
        return next((value for value in found if isinstance(value, str) and value.strip()), "")


class WorkingEvent(WorkingItem):
    """One turn. By custom `role` (user, assistant, tool) and `content` say who said what."""

    at: Instant | None = None

    @property
    def role(self) -> str:
        """Who speaks; empty where it is not said."""
        role = self.said().get("role")
        return role if isinstance(role, str) else ""


class WorkingTask(WorkingItem):
    """One task at hand. By custom `content` says what is to be done. Open, unless `status` is `done` or `dropped`."""

    status: Label = "open"
    due_at: Instant | None = None
    updated_at: Instant | None = None

    def said(self) -> dict[str, Any]:
        """Return what the agents put there: everything but id and times of change."""
        due = None if self.due_at is None else self.model_dump(mode="json", include={"due_at"})["due_at"]
        return {"status": self.status, **({} if due is None else {"due_at": due}), **super().said()}

    @property
    def is_open(self) -> bool:
        """Whether it is still to be done."""
        return self.status.lower() not in {"done", "dropped", "closed", "cancelled", "canceled", "completed", "failed"}


def _unique(items: tuple[WorkingItem, ...]) -> tuple[WorkingItem, ...]:
    seen: set[str] = set()
    for place, item in enumerate(items):
        if item.id is not None and item.id in seen:
            raise PydanticCustomError("item_id", "is the id of an earlier one", {"field": f"{place}.id"})
        seen.add(item.id or "")
    return items


Events = Annotated[tuple[WorkingEvent, ...], AfterValidator(_unique)]
Tasks = Annotated[tuple[WorkingTask, ...], AfterValidator(_unique)]


class WorkingSnapshot(ProtocolModel):
    """What an agent holds at hand: key facts, the last turns, the task stack and a summary.

    `slot_times` has the time of each slot's last change, and of each slot's removal; `removed_tasks` likewise. `carried` holds what was
    found in turns that have left `recent_events`. `promoted` says which record a slot, turn or finding became. `ended_by` is `end` or
    `idle`; `records` are those that the end wrote. `erased_at` is when something in it was last forgotten.
    """

    session_id: RecordId
    agent_id: Label | None = None
    scope: Scope
    version: Annotated[int, Field(ge=0)] = 0
    created_at: Instant
    updated_at: Instant
    slots: Slots = Field(default_factory=dict)
    slot_times: dict[str, Instant] = Field(default_factory=dict)
    recent_events: Events = ()
    task_stack: Tasks = ()
    removed_tasks: dict[str, Instant] = Field(default_factory=dict)
    summary: Content = ""
    summary_at: Instant | None = None
    carried: tuple[WorkingItem, ...] = ()
    promoted: dict[str, RecordId] = Field(default_factory=dict)
    ended_at: Instant | None = None
    ended_by: Label | None = None
    records: tuple[RecordId, ...] = ()
    erased_at: Instant | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the snapshot as JSON values, without members that are null."""
        return self.model_dump(mode="json", exclude_none=True)
