"""What the raw primitives (PRO-9) and the change log take and give.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from satchel.operations.models.base import MAX_LIMIT, Request, Result
from satchel.operations.models.recalling import Conditions
from satchel.protocol.record import MemoryRecord, RecordId
from satchel.protocol.scope import Scope, Scopes
from satchel.protocol.times import Instant


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
