"""What the verbs on working memory and sessions take and give.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from satchel.operations.models.base import MAX_LIMIT, Request, Result
from satchel.operations.models.remembering import Remembered
from satchel.protocol.record import Content, Label, MemoryRecord, ProtocolModel, RecordId, Tags, TypeName
from satchel.protocol.scope import Scope, Scopes
from satchel.protocol.times import Instant
from satchel.protocol.working import Events, Slots, Tasks, WorkingEvent, WorkingSnapshot
from satchel.protocol.working_merge import Difference, Side

Version = Annotated[int, Field(ge=0)]


class WorkingRequest(Request):
    """Read a session's working memory: key facts, last turns, task stack, summary."""

    session: RecordId
    scope: Scope


class WorkingDraft(ProtocolModel):
    """What a writer may say of a snapshot: the members that are its own, and the version that it began from (0: there was none).

    A whole snapshot as it was read is one too: what the engine keeps itself is passed over.
    """

    session_id: RecordId | None = None
    scope: Scope | None = None
    version: Version = 0
    created_at: Instant | None = None
    slots: Slots = Field(default_factory=dict)
    slot_times: dict[str, Instant] = Field(default_factory=dict)
    recent_events: Events = ()
    task_stack: Tasks = ()
    removed_tasks: dict[str, Instant] = Field(default_factory=dict)
    summary: Content = ""
    summary_at: Instant | None = None


class SaveWorkingRequest(WorkingRequest):
    """Save a session's working memory; over a newer version it is merged by rule, never silently overwritten.

    `if_version` is the version that the writer began from, where it is not the snapshot's own. `base` is what that version held: with it
    the service merges, without it a newer version is a Conflict. `keep` decides what cannot be merged.
    """

    snapshot: WorkingDraft
    if_version: Version | None = None
    base: WorkingSnapshot | None = None
    keep: Side | None = None

    @model_validator(mode="after")
    def _one_session(self) -> SaveWorkingRequest:
        for name, given, wanted in (
            ("session_id", self.snapshot.session_id, self.session),
            ("scope", self.snapshot.scope, self.scope),
        ):
            if given not in (None, wanted):
                raise PydanticCustomError("address", "is not the one that the request names", {"field": f"snapshot.{name}"})
        return self

    @property
    def began_from(self) -> int:
        """The version that the writer began from."""
        return self.snapshot.version if self.if_version is None else self.if_version


class WorkingSaved(Result):
    """The snapshot as it now stands.

    `merged`: another writer came between. `replaced`: what gave way to something newer, both sides. `dropped`: turns that left the ring.
    `masked`: paths where a credential was taken out. `promoted`: ids of records that slots or turns became, for they were used again.
    """

    snapshot: WorkingSnapshot
    merged: bool = False
    replaced: tuple[Difference, ...] = ()
    dropped: tuple[WorkingEvent, ...] = ()
    masked: tuple[str, ...] = ()
    promoted: tuple[RecordId, ...] = ()


class PromoteRequest(WorkingRequest):
    """Take a slot, a turn or a task of working memory into long-term memory: it was confirmed.

    Name one of `slot` (key), `event` or `task` (id). `content` says it in full where it does not stand by itself.
    """

    slot: Label | None = None
    event: RecordId | None = None
    task: RecordId | None = None
    content: Content | None = None
    type: TypeName | None = None
    tags: Tags = ()

    @model_validator(mode="after")
    def _one_thing(self) -> PromoteRequest:
        if sum(given is not None for given in (self.slot, self.event, self.task)) != 1:
            raise PydanticCustomError("promote", "name exactly one of slot, event, task", {"field": "slot"})
        return self


class SessionsRequest(Request):
    """List the sessions of these scopes; `ended` picks those that are over, or are not."""

    scope: Scopes
    ended: bool | None = None
    cursor: Label | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 100


class SessionInfo(Result):
    """One session, without what it holds. `released_at`: when it is let go if nobody goes on with it."""

    session_id: RecordId
    scope: Scope
    agent_id: str | None = None
    version: int
    created_at: Instant
    updated_at: Instant
    ended_at: Instant | None = None
    ended_by: str | None = None
    released_at: Instant
    slots: int
    events: int
    open_tasks: int


class Sessions(Result):
    """Sessions, ordered by scope and id; pass `cursor` on for the next, None at the end. `looked_in`: where they are kept, for a person."""

    sessions: tuple[SessionInfo, ...]
    cursor: str | None = None
    looked_in: str = ""


class SessionStartRequest(WorkingRequest):
    """Begin a session, or go on with one from any other process or agent; what is due comes along.

    `due_scopes`: further scopes whose due tasks come along.
    """

    due_scopes: Scopes | None = None


class SessionStarted(Result):
    """The session's snapshot, whole. `due`: open tasks and promises that are overdue or fall due soon, whatever their strength."""

    snapshot: WorkingSnapshot
    resumed: bool
    due: tuple[MemoryRecord, ...] = ()


class SessionEndRequest(WorkingRequest):
    """End a session: what is worth keeping becomes records, by rule, and the snapshot is archived.

    `summary` replaces the snapshot's. Without `condense` nothing is written but what was promoted before.
    """

    summary: Content | None = None
    condense: bool = True


class SessionEnded(Result):
    """What the end wrote; `already`: it was over before, and nothing was written. `records`: ids of every record that it became."""

    snapshot: WorkingSnapshot
    records: tuple[RecordId, ...] = ()
    written: tuple[Remembered, ...] = ()
    already: bool = False
