"""What `recall` and `context` take and give.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from satchel.operations.models.base import MAX_LIMIT, Request, Result
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import Fraction, Json, Label, MemoryRecord, Origin, RecordId, Status, Tags, TypeName
from satchel.protocol.scope import Scopes
from satchel.protocol.times import Instant


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
    With a `session`, what is found enters the recall log, under its `turn`.
    """

    query: Annotated[str, Field(max_length=100_000)]
    scope: Scopes
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 8
    policy: Label | None = None
    min_strength: Fraction | None = None
    min_relevance: Fraction | None = None
    touch: bool = True
    session: Label | None = None
    turn: Label | None = None


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
    turn: Label | None = None
    max_tokens: Annotated[int, Field(ge=50, le=100_000)] = 800
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 20
    heading: Label | None = None


class Context(Result):
    """The block (empty where nothing is worth saying) and the ids it shows, in order."""

    text: str
    ids: tuple[RecordId, ...]
    tokens: int
