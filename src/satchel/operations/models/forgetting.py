"""What `forget` takes and gives.

It must not know how an operation is carried out.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from satchel.operations.models.base import Request, Result
from satchel.protocol.record import Label, RecordId
from satchel.protocol.scope import Scope, Scopes
from satchel.protocol.times import Instant


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
    """What went, or would go: `count` memories, and beside them `sessions` and `snapshots`, where they are meant.

    A plan is carried out by `forget(plan=…)`. Packages exported earlier are out of reach.
    """

    state: ForgetState
    count: int
    sessions: int = 0
    snapshots: int = 0
    items: tuple[ForgetItem, ...] = ()
    plan: str | None = None
    note: str | None = None
