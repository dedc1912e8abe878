"""What `maintain` and `simulate` take and give.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from satchel.operations.models.base import MAX_LIMIT, Request, Result
from satchel.operations.models.seeing import Snapshot
from satchel.protocol.record import Json, RecordId
from satchel.protocol.scope import Scope, Scopes
from satchel.protocol.times import Instant


class MaintainRequest(Request):
    """Merge twins, archive what has faded or expired, mend links, consolidate topics, keep the ceiling, purge, promote (RET-7).

    No scope means every one that the caller may read and write. `dry_run` says what would be done, and does nothing.
    """

    scope: Scopes | None = None
    dry_run: bool = False


class MaintenanceStep(StrEnum):
    """The steps of a pass, in their order."""

    PROMOTE = "promote"
    MERGE = "merge"
    REPAIR = "repair"
    EXPIRE = "expire"
    ARCHIVE = "archive"
    CONSOLIDATE = "consolidate"
    CEILING = "ceiling"
    PURGE = "purge"


class MaintenanceAction(Result):
    """One thing done (or, in a dry run, that would be done) to one record, with the reason that the change log has."""

    step: MaintenanceStep
    scope: Scope
    id: RecordId
    reason: str
    related: tuple[RecordId, ...] = ()


class Maintained(Result):
    """What a pass did. `counts` by step; `actions` has the first 1000; `skipped`: records that others kept changing meanwhile.

    `failures` says what could not be done, such as a model's bad answer; nothing was archived for it. `before`: the snapshots, one for
    each of the scopes that it changed (the first 1000), that restoring brings back.
    """

    dry_run: bool
    scopes: int
    counts: dict[str, int]
    actions: tuple[MaintenanceAction, ...] = ()
    skipped: int = 0
    failures: tuple[str, ...] = ()
    before: tuple[Snapshot, ...] = ()


class SimulateRequest(Request):
    """Show what time will do to what is active now, if nothing is used: strengths by day, and when each record is archived (RET-8).

    `settings` changes the policy for this question only: half-lives by type, thresholds, ceiling, whatever the engine's settings have.
    """

    scope: Scopes | None = None
    days: Annotated[int, Field(ge=1, le=3650)] = 90
    settings: Json | None = None
    limit: Annotated[int, Field(ge=0, le=MAX_LIMIT)] = 100


class SimulatedRecord(Result):
    """One record's future. `curve` has its strength on the simulation's days, 0 from when it is archived."""

    id: RecordId
    scope: Scope
    type: str
    preview: str
    curve: tuple[float, ...]
    faint_at: Instant | None = None
    archived_at: Instant | None = None
    reason: str | None = None


class Simulation(Result):
    """What the coming days bring: an entry in each list for each of `days`, counted from now.

    `active`: records; `faint`: those of them too weak for recall; `mean`, `low` and `high`: their strength, low and high being the
    tenths at either end. `records` has the first that are archived, `count` is of all.
    """

    now: Instant
    days: tuple[int, ...]
    active: tuple[int, ...]
    faint: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    records: tuple[SimulatedRecord, ...]
    count: int
    archived: int
    reasons: dict[str, int] = Field(default_factory=dict)
