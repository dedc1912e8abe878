"""The working-memory snapshot of one session (WRK-1): JSON only. It knows nothing of where it is kept."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from satchel.protocol.record import Json, Label, ProtocolModel, RecordId
from satchel.protocol.scope import Scope
from satchel.protocol.times import Instant


class WorkingSnapshot(ProtocolModel):
    """What an agent holds at hand: key facts, the last turns, the task stack and a summary."""

    session_id: RecordId
    agent_id: Label | None = None
    scope: Scope
    version: Annotated[int, Field(ge=0)] = 0
    created_at: Instant
    updated_at: Instant
    slots: Json = Field(default_factory=dict)
    recent_events: tuple[dict[str, Any], ...] = ()
    task_stack: tuple[dict[str, Any], ...] = ()
    summary: str = ""
