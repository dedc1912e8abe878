"""What the verbs that look back take and give: moments, snapshots, differences, what was recalled and used (OBS-1 to OBS-5).

They must not know how an operation is carried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from satchel.operations.models.base import MAX_LIMIT, Request, Result
from satchel.protocol.record import Label, MemoryRecord, RecordId, Status
from satchel.protocol.scope import Scope, Scopes
from satchel.protocol.times import Instant

NOW = "now"
"""Stands for the present where the name of a snapshot is asked for."""

Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT)]


def _is_free(name: str) -> str:
    if name == NOW:
        raise PydanticCustomError("snapshot_name", "means the present; no snapshot can be named so")
    return name


SnapshotName = Annotated[RecordId, AfterValidator(_is_free)]


class AsOfRequest(Request):
    """Show the records as they were known at a moment, in the order of their scopes and ids; what was forgotten since is not among them."""

    when: Instant
    scope: Scopes
    statuses: tuple[Status, ...] = (Status.ACTIVE, Status.PENDING, Status.ARCHIVED)
    cursor: Label | None = None
    limit: Limit = 100


class SnapshotRequest(Request):
    """Name the present state of a scope. Without a name it gets one from the time."""

    scope: Scope
    name: SnapshotName | None = None
    reason: Label | None = None


class Snapshot(Result):
    """A named position in the change log of a scope, not a copy. `automatic`: the engine made it before a large change.

    `logs`: the scopes in whose logs the position was taken, where they have moved into this one since.
    """

    name: str
    scope: Scope
    position: int
    at: Instant
    by: str | None = None
    reason: str | None = None
    automatic: bool = False
    logs: tuple[Scope, ...] = ()


class SnapshotsRequest(Request):
    """List the snapshots of these scopes."""

    scope: Scopes


class Snapshots(Result):
    """Snapshots, the oldest first."""

    snapshots: tuple[Snapshot, ...]


class DiffRequest(Request):
    """Compare a scope at two snapshots; `now` stands for the present."""

    scope: Scope
    a: RecordId
    b: RecordId = NOW
    cursor: Label | None = None
    limit: Limit = 100


class Changed(Result):
    """A record that both sides have, differently. Times of change, revisions and usage are no difference."""

    before: MemoryRecord
    after: MemoryRecord


class Diff(Result):
    """What must be done to the first to get the second; pass `cursor` on for the next page, None at the end."""

    added: tuple[MemoryRecord, ...] = ()
    removed: tuple[MemoryRecord, ...] = ()
    changed: tuple[Changed, ...] = ()
    cursor: str | None = None

    def applied_to(self, records: Mapping[tuple[str, str], MemoryRecord]) -> dict[tuple[str, str], MemoryRecord]:
        """Return the second side, made of the first; both by (scope, id)."""
        gone = {(record.scope, record.id) for record in self.removed}
        written = (*self.added, *(change.after for change in self.changed))
        return {key: record for key, record in records.items() if key not in gone} | {(one.scope, one.id): one for one in written}


class DropSnapshotRequest(Request):
    """Take a snapshot's name away. The records and their log stay as they are; this state can no longer be gone back to by its name."""

    name: SnapshotName
    scope: Scope


class RestoreSnapshotRequest(Request):
    """Bring a scope's records back to a snapshot; what was forgotten stays forgotten, what came since is archived."""

    name: SnapshotName
    scope: Scope


class SnapshotRestored(Result):
    """How many records were set back and how many archived, for they came since.

    `undo` is the snapshot made just before: restoring it undoes this; None where nothing had to be done. `left`: the ids of records that
    would have brought back something forgotten.
    """

    name: str
    restored: int
    archived: int
    left: tuple[RecordId, ...] = ()
    undo: Snapshot | None = None


class RecallLogRequest(Request):
    """Show which memories entered which session and turn."""

    scope: Scope
    session: Label | None = None
    cursor: Label | None = None
    limit: Limit = 100


class RecalledItem(Result):
    """One memory as it was recalled, without its content. `used`: the session has reported that it used it."""

    id: RecordId
    revision: int
    used: bool = False


class RecallEntry(Result):
    """What one recall brought into a session."""

    scope: Scope
    session: str
    turn: str | None = None
    at: Instant
    agent: str | None = None
    items: tuple[RecalledItem, ...]


class RecallLog(Result):
    """Recalls, the oldest first; pass `cursor` on for the next page, None at the end."""

    entries: tuple[RecallEntry, ...]
    cursor: str | None = None


class UsedRequest(Request):
    """Report which recalled memories a session used. The same memory counts once in a session."""

    ids: Annotated[tuple[RecordId, ...], Field(min_length=1, max_length=MAX_LIMIT)]
    scope: Scope
    session: Label


class Used(Result):
    """How many memories count as used by this report, and the ids that the scope does not hold."""

    counted: int
    unknown: tuple[RecordId, ...] = ()
