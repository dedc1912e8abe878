"""What is written to a store: records with their log entries, documents, usage, index entries. It must not know how a store keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from satchel.protocol.record import MemoryRecord


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What the change log says of one change: who did what, when and why. The store adds the record before the change, without usage.

    `position`: the place in the log that it is to have, beyond the last there is, as in the store that it is copied from; None, the next.
    """

    operation: str
    agent: str | None
    at: datetime
    reason: str | None = None
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """Write the whole new state of one record.

    `expect`: the revision the store must hold now; 0, the id must be absent; None, either.
    `terms`: the packed lexical entry, `vector`: little-endian float16 of the embedder's dimension, or None until it is known.
    Where neither is given and the content is what it was, the entry that is there stays. The record's usage is merged by maximum.
    `only_if_new_content`: refuse when another record of the scope has the same `content_hash`.
    A tombstone erases: index entries and usage go, and so do the record's earlier payloads and reasons in the change log.
    """

    record: MemoryRecord
    log: LogEntry
    expect: int | None = None
    terms: bytes = b""
    vector: bytes | None = None
    only_if_new_content: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """Take a record out without a tombstone, its payloads in the log included (undoing an import, moving a scope)."""

    scope: str
    id: str
    log: LogEntry
    expect: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """Something small that is not a memory: a receipt, a token, a plan. `value=None` deletes it.

    `expect`: the integer member `version` that the value must have now; 0, the document must be absent; None, either. A value without
    one meets no expectation.
    """

    collection: str
    key: str
    value: Mapping[str, Any] | None
    scope: str | None = None
    expect: int | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Changes that happen together or not at all. Each is judged, and logged, after those before it."""

    changes: Sequence[Put | Remove] = ()
    documents: Sequence[Document] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """One record was used `count` times, last at `at`."""

    scope: str
    id: str
    at: datetime
    count: int = 1


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """Index data of one record, written only while its content still has this hash. None leaves a part as it is."""

    scope: str
    id: str
    content_hash: str
    terms: bytes | None = None
    vector: bytes | None = None
