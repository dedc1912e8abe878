"""What each operation takes and gives: pydantic models that are the Python arguments, the wire and the reference page at once.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import (
    Content,
    Fraction,
    Json,
    Label,
    MemoryRecord,
    Origin,
    RecordId,
    Relations,
    Seconds,
    Sensitivity,
    Source,
    Status,
    Tags,
    TypeName,
)
from satchel.protocol.scope import Scope, Scopes
from satchel.protocol.times import Instant

MAX_LIMIT = 1000


class Request(BaseModel):
    """Base of every request: an unknown argument is a fault, not a silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Result(BaseModel):
    """Base of every result; a newer service may add fields."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Empty(Result):
    """Nothing to tell."""


# ---------------------------------------------------------------- remember


class Outcome(StrEnum):
    """What became of a memory that was written."""

    CREATED = "created"
    REINFORCED = "reinforced"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    PENDING = "pending"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


class NewMemory(Request):
    """A memory to write. Only `content` must be given; the engine completes the rest by type and retention class.

    `scope` may be left out in `remember_many`, where the call's scope stands in. `half_life` and `ttl` are seconds.
    """

    content: Content
    scope: Scope | None = None
    id: RecordId | None = None
    type: TypeName | None = None
    tags: Tags = ()
    source: Source = Source()
    score: Fraction | None = None
    half_life: Seconds | None = None
    retention: Label | None = None
    ttl: Seconds | None = None
    expires_at: Instant | None = None
    due_at: Instant | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    confidence: Fraction | None = None
    sensitivity: Sensitivity | None = None
    created_at: Instant | None = None
    pinned: bool = False
    relations: Relations = Relations()
    meta: Json = Field(default_factory=dict)

    @model_validator(mode="after")
    def _coherent(self) -> NewMemory:
        if not self.content.strip():
            raise PydanticCustomError("content_empty", "may not be empty", {"field": "content"})
        if self.ttl is not None and self.expires_at is not None:
            raise PydanticCustomError("expiry", "give ttl or expires_at, not both", {"field": "ttl"})
        if self.valid_from and self.valid_until and self.valid_until < self.valid_from:
            raise PydanticCustomError("validity", "is before valid_from", {"field": "valid_until"})
        return self


class RememberRequest(NewMemory):
    """Write one memory."""

    scope: Scope


class RememberManyRequest(Request):
    """Write several memories in one transaction; a fault in one refuses all."""

    scope: Scope | None = None
    memories: tuple[NewMemory, ...] = Field(max_length=10_000)

    @model_validator(mode="after")
    def _every_scope(self) -> RememberManyRequest:
        if self.scope is None:
            for place, memory in enumerate(self.memories):
                if memory.scope is None:
                    raise PydanticCustomError("scope", "is missing, and the call names none", {"field": f"memories.{place}.scope"})
        return self


class Remembered(Result):
    """The record as it now stands, and what became of the memory.

    `related`: ids of records that it reinforced, superseded or conflicts with.
    """

    record: MemoryRecord
    outcome: Outcome
    related: tuple[RecordId, ...] = ()


class RememberedMany(Result):
    """One entry for each memory given, in order."""

    results: tuple[Remembered, ...]


# ---------------------------------------------------------------- recall


class Conditions(Request):
    """Filters that hold before ranking."""

    types: tuple[TypeName, ...] = ()
    tags: Tags = ()
    origins: tuple[Origin, ...] = ()
    since: Instant | None = None
    until: Instant | None = None
    statuses: tuple[Status, ...] = ()
    pinned: bool | None = None
    where: Json = Field(default_factory=dict)

    def to_filter(self) -> RecordFilter:
        """Return the record filter; no statuses given means active ones."""
        return RecordFilter(
            statuses=self.statuses or (Status.ACTIVE,),
            types=self.types,
            tags=self.tags,
            origins=self.origins,
            since=self.since,
            until=self.until,
            pinned=self.pinned,
            where=self.where,
        )


class RecallRequest(Conditions):
    """Find the memories that answer a question.

    `policy` names a ranking policy; `min_strength` and `min_relevance` (0..1) override the thresholds; `touch=False` leaves usage alone.
    """

    query: Annotated[str, Field(max_length=100_000)]
    scope: Scopes
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 8
    policy: Label | None = None
    min_strength: Fraction | None = None
    min_relevance: Fraction | None = None
    touch: bool = True


class Hit(Result):
    """A record that was found. `score` orders the hits; `reasons` explains it: semantic, lexical, relevance, recency, strength, type."""

    record: MemoryRecord
    score: float
    reasons: dict[str, float]


class Hits(Result):
    """Hits, best first; none is an answer. `notes` says what a person should know, such as a missing embedder."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


class ContextRequest(Conditions):
    """Render what is remembered as a prompt block of at most `max_tokens` (estimated) tokens. Without a query: the digest."""

    scope: Scopes
    query: Annotated[str, Field(max_length=100_000)] | None = None
    session: Label | None = None
    max_tokens: Annotated[int, Field(ge=50, le=100_000)] = 800
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 20
    heading: Label | None = None


class Context(Result):
    """The block (empty where nothing is worth saying) and the ids it shows, in order."""

    text: str
    ids: tuple[RecordId, ...]
    tokens: int


# ---------------------------------------------------------------- one record


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

    content: Content
    new_id: RecordId | None = None
    reason: Label | None = None
    if_revision: Annotated[int, Field(ge=1)] | None = None


class ConfirmRequest(RecordRequest):
    """Say that a memory is right: pending becomes active, the score rises."""


class RestoreRequest(RecordRequest):
    """Bring an archived record back to active."""


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


# ---------------------------------------------------------------- forget


class ForgetRequest(Request):
    """Forget one record (`id`) at once, or ask for a plan, or carry a plan out (`plan`).

    A plan comes from one of: query, session, import_id, since/until, everything.
    """

    scope: Scopes | None = None
    id: RecordId | None = None
    query: Annotated[str, Field(max_length=100_000)] | None = None
    session: Label | None = None
    import_id: Label | None = None
    since: Instant | None = None
    until: Instant | None = None
    everything: bool = False
    plan: Label | None = None
    reason: Label | None = None

    @model_validator(mode="after")
    def _one_way(self) -> ForgetRequest:
        ways = [
            name
            for name, given in {
                "id": self.id is not None,
                "query": self.query is not None,
                "session": self.session is not None,
                "import_id": self.import_id is not None,
                "since/until": self.since is not None or self.until is not None,
                "everything": self.everything,
                "plan": self.plan is not None,
            }.items()
            if given
        ]
        if len(ways) != 1:
            what = "nothing" if not ways else " and ".join(ways)
            raise PydanticCustomError(
                "forget", f"name exactly one of id, query, session, import_id, since/until, everything, plan; found {what}", {"field": "id"}
            )
        if self.plan is None and self.scope is None:
            raise PydanticCustomError("scope", "is missing", {"field": "scope"})
        if self.id is not None and self.scope is not None and len(self.scope) != 1:
            raise PydanticCustomError("scope", "an id is forgotten in exactly one scope", {"field": "scope"})
        return self


class ForgetItem(Result):
    """One record that would go, or went; `preview` is the start of its content and only stands in a plan."""

    id: RecordId
    scope: Scope
    preview: str | None = None


class ForgetState(StrEnum):
    """How far forgetting has come: only planned; gone from every answer but still in the files; gone from the files too."""

    PLANNED = "planned"
    SCRUB_PENDING = "scrub_pending"
    SCRUBBED = "scrubbed"


class Forgotten(Result):
    """What went, or would go. A plan is carried out by `forget(plan=…)`. Packages exported earlier are out of reach."""

    state: ForgetState
    count: int
    items: tuple[ForgetItem, ...] = ()
    plan: str | None = None
    note: str | None = None


# ---------------------------------------------------------------- packages and imports


class ExportRequest(Request):
    """Stream a package of these scopes, or with `everything` of all that the caller may read; `since`: after that log position only."""

    scope: Scopes | None = None
    everything: bool = False
    since: Annotated[int, Field(ge=0)] | None = None
    working: bool = False
    include_sensitive: bool = False
    compressed: bool = False

    @model_validator(mode="after")
    def _explicit(self) -> ExportRequest:
        if (self.scope is None) is not self.everything:
            raise PydanticCustomError("scope", "name the scopes, or say everything=true, and not both", {"field": "scope"})
        return self


class ImportRequest(Request):
    """Take a package in. `scope_map` rewrites scopes on the way (exact scope to exact scope); `dry_run` only says what would happen."""

    scope_map: dict[Scope, Scope] = Field(default_factory=dict)
    dry_run: bool = False


class ReceiptOutcome(StrEnum):
    """What became of one source item (MIG-6)."""

    ACCEPTED = "accepted"
    MERGED = "merged"
    TRANSFORMED = "transformed"
    QUARANTINED = "quarantined"
    DROPPED = "dropped"


class Receipt(Result):
    """One item of an import. `item` says where it stood in its source (`file:line`, a key); `state_hash` proves what was written.

    `changes` names, for a transformed item, what was altered and why.
    """

    item: str
    outcome: ReceiptOutcome
    reason: str | None = None
    id: RecordId | None = None
    scope: Scope | None = None
    state_hash: str | None = None
    changes: tuple[str, ...] = ()


class ImportItem(Request):
    """A record on its way in, with what its reader already knows of it.

    `outcome` is accepted or transformed for a record to write; quarantined or dropped items carry no record.
    """

    item: Label
    record: MemoryRecord | None = None
    outcome: ReceiptOutcome = ReceiptOutcome.ACCEPTED
    reason: Label | None = None
    changes: tuple[str, ...] = ()


class ImportOrigin(Request):
    """What an import came from: enough to read the source again and verify. `options` are the reader's own."""

    kind: Label
    path: Label
    scope: Scope | None = None
    digest: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)


class IngestRequest(Request):
    """Write one batch of an import (made by the migration kit). The same batch again changes nothing; `final` closes the import."""

    import_id: Label
    origin: ImportOrigin
    items: tuple[ImportItem, ...] = Field(max_length=10_000)
    final: bool = False
    dry_run: bool = False


class Receipts(Result):
    """Receipts of an import, in the order of the source; `cursor` continues."""

    receipts: tuple[Receipt, ...]
    cursor: str | None = None


class ImportSummary(Result):
    """One import: where it came from and how many items met which outcome."""

    import_id: str
    origin: ImportOrigin | None = None
    at: Instant
    state: str
    counts: dict[str, int]


class Imports(Result):
    """Imports, newest first."""

    imports: tuple[ImportSummary, ...]


class ImportReport(Result):
    """What an import of a package did: counts by outcome (created, updated, unchanged, blocked, …).

    `receipts` has one entry for each line that did not simply arrive.
    """

    import_id: str
    counts: dict[str, int]
    receipts: tuple[Receipt, ...] = ()


class ImportIdRequest(Request):
    """Name one import."""

    import_id: Label


class ReceiptsRequest(ImportIdRequest):
    """List an import's receipts."""

    cursor: Label | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = MAX_LIMIT


class Undone(Result):
    """How many records an undo took out, and how many it left because they were changed since."""

    removed: int
    kept: int


# ---------------------------------------------------------------- the whole


class MoveScopeRequest(Request):
    """Move every record of one scope into another (ENG-5)."""

    scope: Scope
    to: Scope


class Moved(Result):
    """How many records moved, and the ids left behind because the target already holds other content under the same id."""

    moved: int
    left: tuple[RecordId, ...] = ()


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
    """Counts by status and type, and the state of the index."""

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


class ReindexRequest(Request):
    """Rebuild index entries from content. Missing vectors only, or everything."""

    everything: bool = False


class Reindexed(Result):
    """How many records were embedded, and how many are still to do."""

    embedded: int
    remaining: int
    embedder: str | None


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


# ---------------------------------------------------------------- raw primitives (PRO-9)


class WriteRecordRequest(Request):
    """Write a record as it stands (upsert by (scope, id)); the same content and state again is `unchanged`."""

    record: MemoryRecord


class SearchRequest(Conditions):
    """Rank the records of these scopes by relevance alone; no thresholds, no usage."""

    scope: Scopes
    query: Annotated[str, Field(max_length=100_000)]
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 10


class ChangesRequest(Request):
    """Follow the change log of these scopes after a position."""

    scope: Scopes
    after: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = MAX_LIMIT


class ChangeInfo(Result):
    """One change, without content."""

    position: int
    scope: Scope
    id: RecordId
    operation: str
    agent: str | None = None
    at: Instant
    revision: int


class Changes(Result):
    """Changes, oldest first; go on after `position`."""

    changes: tuple[ChangeInfo, ...]
    position: int
