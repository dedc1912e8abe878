"""What `remember` takes and gives.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from satchel.operations.models.base import Request, Result, SaidContent
from satchel.protocol.record import (
    Fraction,
    Json,
    Label,
    MemoryRecord,
    RecordId,
    Relations,
    Seconds,
    Sensitivity,
    Source,
    Tags,
    TypeName,
)
from satchel.protocol.scope import Scope
from satchel.protocol.times import Instant


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

    content: SaidContent
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

    # Checks of one field beside those before it, so that they are told together with every other fault.

    @field_validator("expires_at")
    @classmethod
    def _one_end(cls, value: datetime | None, info: ValidationInfo) -> datetime | None:
        if value is not None and info.data.get("ttl") is not None:
            raise PydanticCustomError("expiry", "give ttl or expires_at, not both")
        return value

    @field_validator("valid_until")
    @classmethod
    def _after_its_start(cls, value: datetime | None, info: ValidationInfo) -> datetime | None:
        start = info.data.get("valid_from")
        if value is not None and start is not None and value < start:
            raise PydanticCustomError("validity", "is before valid_from")
        return value


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

    `related`: ids of records that it reinforced, superseded or conflicts with; where it was `created`, of those that it may contradict.
    `reason`: why it stands so to them, where they were compared.
    """

    record: MemoryRecord
    outcome: Outcome
    related: tuple[RecordId, ...] = ()
    reason: str | None = None


class RememberedMany(Result):
    """One entry for each memory given, in order."""

    results: tuple[Remembered, ...]
