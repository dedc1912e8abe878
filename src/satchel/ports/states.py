"""What is read from a store: pages, positions, index rows, log entries. It must not know who asks, or why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from satchel.protocol.record import MemoryRecord

Order = Literal["id", "updated"]
"""Order of a scan: by (scope, id), or by `updated_at` descending, then scope, then id. Text compares by code point."""


class Position(NamedTuple):
    """How far a scope has come: `change`, the log position of its last change; `indexed`, bumped when index entries are written apart."""

    change: int
    indexed: int


class IndexRow(NamedTuple):
    """What ranking must know of one record that is not a tombstone.

    Times are Unix seconds (float); `moment` is created_at, else stored_at; `expires` is inf where there is none;
    `accessed` is 0 where the record never was used.
    """

    id: str
    type: str
    status: str
    origin: str
    moment: float
    updated: float
    stored: float
    accessed: float
    access_count: int
    score: float
    half_life: float
    pinned: bool
    expires: float
    tags: tuple[str, ...]
    terms: bytes
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class IndexSlice:
    """Index rows of one scope: all of them (`complete`), or those that changed after a position, with the ids that are gone."""

    position: Position
    rows: Iterable[IndexRow]
    complete: bool
    gone: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as it stands, usage included, with all that is kept beside it; `change` is the log position of its last change."""

    record: MemoryRecord
    change: int
    terms: bytes
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the change log. `before` is None for a creation, and where erasure has reached it (`erased`)."""

    position: int
    scope: str
    id: str
    revision: int
    operation: str
    agent: str | None
    at: datetime
    reason: str | None
    before: MemoryRecord | None
    erased: bool = False


@dataclass(frozen=True, slots=True)
class RecordPage:
    """Records in the order asked for; `cursor` continues after the last one, None at the end."""

    records: Sequence[MemoryRecord]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ScopeCount:
    """A scope and its number of records by status."""

    scope: str
    counts: Mapping[str, int]


class Unindexed(NamedTuple):
    """A record whose content has no vector yet."""

    scope: str
    id: str
    content_hash: str
    content: str
