"""What the verbs about the whole store take and give.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from satchel.operations.models.base import Request, Result
from satchel.operations.models.seeing import Snapshot
from satchel.protocol.record import RecordId
from satchel.protocol.scope import Scope, Scopes


class MoveScopeRequest(Request):
    """Move every record of one scope into another (ENG-5)."""

    scope: Scope
    to: Scope


class Moved(Result):
    """How many records moved, and the ids left behind because the target already holds other content under the same id.

    `before`: the snapshot of the target made before, where it held something; restoring it archives what came.
    """

    moved: int
    left: tuple[RecordId, ...] = ()
    before: Snapshot | None = None


class ScopesRequest(Request):
    """List the scopes that the caller may read."""


class ScopeInfo(Result):
    """A scope and its records by status."""

    scope: Scope
    counts: dict[str, int]


class ScopeList(Result):
    """Scopes in order."""

    scopes: tuple[ScopeInfo, ...]


class StatsRequest(Request):
    """Count, for these scopes or for all that the caller may read."""

    scope: Scopes | None = None


class Stats(Result):
    """Counts by status and type, and the state of the index.

    `recalled`: memories that entered sessions, as far as the recall log goes back; `used`: those of them that were reported as used;
    `hit_rate`: their share, None where nothing was reported yet.
    """

    scopes: int
    records: int
    by_status: dict[str, int]
    by_type: dict[str, int]
    unindexed: int
    embedder: str | None
    index_embedder: str | None
    store: str
    scrub_pending: bool
    position: int
    recalled: int = 0
    used: int = 0
    hit_rate: float | None = None


class ReindexRequest(Request):
    """Rebuild index entries from content. Missing vectors only, or everything; at most `limit` vectors in this call.

    `resume` only goes on with copying to an external index.
    """

    everything: bool = False
    limit: Annotated[int, Field(ge=1)] | None = None
    resume: bool = False


class Reindexed(Result):
    """How many records were embedded, and how many are still to do; `uncopied` ones have yet to reach the external index."""

    embedded: int
    remaining: int
    embedder: str | None
    uncopied: int = 0


class DoctorRequest(Request):
    """Look the store over."""


class Finding(Result):
    """One thing a person should know; `level` is ok, warning or error."""

    level: str
    subject: str
    message: str


class Diagnosis(Result):
    """Everything found; `healthy` when nothing is an error."""

    healthy: bool
    findings: tuple[Finding, ...]
