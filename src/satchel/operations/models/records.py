"""What the verbs on single records and their lists take and give.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from satchel.operations.models.base import MAX_LIMIT, Request, Result, SaidContent
from satchel.operations.models.recalling import Conditions
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import Fraction, Json, Label, MemoryRecord, RecordId, Seconds, Sensitivity, Status, Tags, TypeName
from satchel.protocol.scope import Scope, Scopes
from satchel.protocol.times import Instant


class RecordRequest(Request):
    """Name one record."""

    id: RecordId
    scope: Scope


class RecordsRequest(Conditions):
    """List records, newest change first; no statuses given means all but tombstones."""

    scope: Scopes
    cursor: Label | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 100

    def to_filter(self) -> RecordFilter:
        """Return the record filter; no statuses given means every one but deleted."""
        every = (Status.ACTIVE, Status.PENDING, Status.ARCHIVED)
        return super().to_filter().model_copy(update={"statuses": self.statuses or every})


class Records(Result):
    """One page of records; pass `cursor` on for the next, None at the end."""

    records: tuple[MemoryRecord, ...]
    cursor: str | None = None


class UpdateRequest(RecordRequest):
    """Change what is not content; None leaves a member as it is. `if_revision` makes a concurrent change a Conflict."""

    tags: Tags | None = None
    type: TypeName | None = None
    score: Fraction | None = None
    half_life: Seconds | None = None
    meta: Json | None = None
    pinned: bool | None = None
    due_at: Instant | None = None
    expires_at: Instant | None = None
    status: Status | None = None
    sensitivity: Sensitivity | None = None
    if_revision: Annotated[int, Field(ge=1)] | None = None


class CorrectRequest(RecordRequest):
    """Replace a wrong memory by the right one: the old is archived and linked, the new keeps the provenance."""

    content: SaidContent
    new_id: RecordId | None = None
    reason: Label | None = None
    if_revision: Annotated[int, Field(ge=1)] | None = None


class ConfirmRequest(RecordRequest):
    """Say that a memory is right: pending becomes active, the score rises."""


class RestoreRequest(RecordRequest):
    """Bring an archived record back to active.

    `apart`: take a record that was put together of others apart instead. They come back, and it is archived.
    """

    apart: bool = False


class HistoryEntry(Result):
    """One change of a record. `before` and `after` are None where the record did not exist or erasure has reached them (`erased`)."""

    position: int
    operation: str
    agent: str | None = None
    at: Instant
    reason: str | None = None
    revision: int
    before: MemoryRecord | None = None
    after: MemoryRecord | None = None
    erased: bool = False


class History(Result):
    """A record's changes, oldest first."""

    entries: tuple[HistoryEntry, ...]
