"""Which records of a scope are meant: one filter for listing, searching and exporting. It knows records only."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from satchel.protocol.record import Json, Label, MemoryRecord, Origin, RecordId, Status, Tags, TypeName
from satchel.protocol.times import Instant

_ABSENT = object()


class RecordFilter(BaseModel):
    """Conditions that must all hold; an empty one holds always.

    `tags`: the record has every tag. `since` / `until`: `created_at`, or `stored_at` where that is null, lies in [since, until).
    `where`: each dotted path into `meta` equals the value, or is among the values where a list is given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    types: tuple[TypeName, ...] = ()
    tags: Tags = ()
    origins: tuple[Origin, ...] = ()
    sessions: tuple[Label, ...] = ()
    import_ids: tuple[Label, ...] = ()
    ids: tuple[RecordId, ...] = ()
    since: Instant | None = None
    until: Instant | None = None
    pinned: bool | None = None
    where: Json = Field(default_factory=dict)

    def matches(self, record: MemoryRecord) -> bool:
        """Tell whether the record meets every condition."""
        moment = record.created_at or record.stored_at
        return (
            (not self.statuses or record.status in self.statuses)
            and (not self.types or record.type in self.types)
            and (not self.tags or set(self.tags) <= set(record.tags))
            and (not self.origins or record.source.origin in self.origins)
            and (not self.sessions or record.source.session in self.sessions)
            and (not self.import_ids or record.source.import_id in self.import_ids)
            and (not self.ids or record.id in self.ids)
            and (self.since is None or moment >= self.since)
            and (self.until is None or moment < self.until)
            and (self.pinned is None or record.pinned is self.pinned)
            and all(_meets(record.meta, path, wanted) for path, wanted in self.where.items())
        )


def _meets(meta: dict[str, Any], path: str, wanted: Any) -> bool:
    found: Any = meta.get(path, _ABSENT)
    if found is _ABSENT:
        found = meta
        for part in path.split("."):
            found = found.get(part, _ABSENT) if isinstance(found, dict) else _ABSENT
    return (
        any(_same(found, value) for value in wanted) if isinstance(wanted, list) and not isinstance(found, list) else _same(found, wanted)
    )


def _same(found: Any, wanted: Any) -> bool:
    # JSON tells true from 1, Python does not.
    return bool(found == wanted) and isinstance(found, bool) == isinstance(wanted, bool)
