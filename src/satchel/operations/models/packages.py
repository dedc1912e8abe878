"""What packages, imports and their receipts take and give.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from satchel.operations.models.base import MAX_LIMIT, Request, Result
from satchel.operations.models.seeing import Snapshot
from satchel.protocol.record import Label, MemoryRecord, RecordId
from satchel.protocol.scope import Scope, Scopes
from satchel.protocol.times import Instant


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

    `receipts` has one entry for each line that did not simply arrive. `undo_import` takes it back; `before` has the snapshots of the
    scopes that held something and were changed.
    """

    import_id: str
    counts: dict[str, int]
    receipts: tuple[Receipt, ...] = ()
    before: tuple[Snapshot, ...] = ()


class ImportIdRequest(Request):
    """Name one import."""

    import_id: Label


class ReceiptsRequest(ImportIdRequest):
    """List an import's receipts."""

    cursor: Label | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = MAX_LIMIT


class Undone(Result):
    """How many records an undo took out, how many it brought back to what stood before, and how many it left as changed since.

    Importing again takes the undo back. `before`: the snapshots of the scopes that it changed.
    """

    removed: int
    restored: int = 0
    kept: int
    before: tuple[Snapshot, ...] = ()
