"""What the verbs on conflicts take and give: memories of which it must be asked which holds (CNF-3, CNF-4).

It must not know how an operation is carried out.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from satchel.errors import InvalidRequest
from satchel.operations.models.base import MAX_LIMIT, Request, Result
from satchel.protocol.record import Label, MemoryRecord, RecordId
from satchel.protocol.scope import Scopes, parse_scope

_BETWEEN = "//"
"""Stands between the scope and a record's id in the id of a conflict. No canonical scope holds it."""


def conflict_id(scope: str, record_id: str) -> str:
    """Return the id of the conflict that a record is part of."""
    return f"{scope}{_BETWEEN}{record_id}"


class ConflictKind(StrEnum):
    """How much hangs on the answer.

    A contradiction: they cannot both hold, and wait until it is said which does. Possible: they may contradict each other, and both are
    told until somebody says otherwise. A review: what was often used has turned out wrong.
    """

    CONTRADICTION = "contradiction"
    POSSIBLE = "possible"
    REVIEW = "review"


class ConflictsRequest(Request):
    """List what must be asked: what contradicts or may contradict each other, and what was used often before it turned out wrong."""

    scope: Scopes
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 100


class Conflict(Result):
    """Memories of one scope of which it must be asked which holds, the oldest first.

    `question` can be put to a person as it is; `reason` says why it must be asked. The `id` stays good while the memory that it names is
    part of the conflict.
    """

    id: str
    kind: ConflictKind
    scope: str
    question: str
    reason: str
    records: tuple[MemoryRecord, ...]


class Conflicts(Result):
    """What must be asked, the oldest question first; `more` tells that there are more than were asked for."""

    conflicts: tuple[Conflict, ...]
    more: bool = False


class ResolveRequest(Request):
    """Settle a conflict: keep the memory with this id, or `both` (every one holds), or `none`."""

    id: Label
    keep: RecordId

    @field_validator("id")
    @classmethod
    def _names_a_record(cls, value: str) -> str:
        scope, between, record_id = value.partition(_BETWEEN)
        try:
            canonical = parse_scope(scope)
        except InvalidRequest:
            canonical = ""
        if not (canonical and between and record_id):
            raise PydanticCustomError("conflict_id", "is no id of a conflict: it looks like user:alice//<id of a record>")
        return conflict_id(canonical, record_id)

    @property
    def scope(self) -> str:
        """The scope that the conflict lies in."""
        return self.id.partition(_BETWEEN)[0]

    @property
    def record_id(self) -> str:
        """The record that the conflict is named after."""
        return self.id.partition(_BETWEEN)[2]


class Resolved(Result):
    """What holds now, and what was archived. Both are as they stand."""

    kept: tuple[MemoryRecord, ...]
    archived: tuple[MemoryRecord, ...]
