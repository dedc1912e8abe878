"""Records as rows of the table, and rows as what the ports ask for. It must not know how a row is fetched or when it is written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from satchel.ports import Change, IndexRow, LogEntry, Put, StoredRecord
from satchel.protocol.record import MemoryRecord, Usage
from satchel.stores.bodies import decode, encode
from satchel.stores.columns import MICROSECONDS, arose, expires, micros, moment_of
from satchel.stores.postgres.vectors import Half, halves, received

COLUMNS: dict[str, str] = {
    "scope": "text",
    "id": "text",
    "change": "int8",
    "arrived": "int8",
    "revision": "int8",
    "status": "text",
    "type": "text",
    "origin": "text",
    "pinned": "bool",
    "moment": "int8",
    "updated": "int8",
    "stored": "int8",
    "expires": "int8",
    "score": "float8",
    "half_life": "float8",
    "content_hash": "bytea",
    "tags": "text[]",
    "terms": "bytea",
    "vector": "halfvec",
    "body": "text",
}
"""The columns of `records` in the order of `record_row`, with their types."""

LOG_COLUMNS: dict[str, str] = {
    "scope": "text",
    "id": "text",
    "position": "int8",
    "revision": "int8",
    "operation": "text",
    "agent": "text",
    "at": "int8",
    "reason": "text",
    "before": "text",
    "previous": "int8",
    "token": "int8",
    "erased": "bool",
}
"""The columns of `log`, with their types."""

CHANGE = "scope, id, position, revision, operation, agent, at, reason, before, erased"
"""What `change_of` reads, from `log`."""

JOINED = "records r LEFT JOIN usage u ON u.scope = r.scope AND u.id = r.id AND r.status <> 'deleted'"
"""Records with their usage; a tombstone has none, whatever a touch may have written beside its erasure."""

STORED = "r.id, r.body, u.last, u.count, r.change, r.terms, halfvec_send(r.vector)"
"""What `stored_of` reads, from records r and usage u."""

INDEX_ROW = """r.id, r.type, r.status, r.origin, r.moment, r.updated, r.stored, u.last, u.count, r.score, r.half_life, r.pinned,
    r.expires, r.tags, r.terms, halfvec_send(r.vector), r.arrived"""
"""What `index_rows` reads, from records r and usage u."""


def record_rows(puts: Sequence[Put], changes: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of new records with the log positions of their changes. Raises InvalidRequest for a vector that cannot be kept."""
    vectors = halves([None if put.record.is_tombstone else put.vector for put in puts])
    for put, change, vector in zip(puts, changes, vectors, strict=True):
        yield _record_row(put, change, vector)


def _record_row(put: Put, change: int, vector: Half | None) -> tuple[Any, ...]:
    record = put.record
    return (
        record.scope,
        record.id,
        change,
        change,
        record.revision,
        record.status.value,
        record.type,
        record.source.origin.value,
        record.pinned,
        micros(arose(record)),
        micros(record.updated_at),
        micros(record.stored_at),
        expires(record),
        record.score,
        record.half_life,
        bytes.fromhex(record.content_hash) or None,
        list(record.tags),
        b"" if record.is_tombstone else put.terms,
        vector,
        encode(record),
    )


def log_values(log: LogEntry) -> tuple[str, str | None, int, str | None]:
    """Return operation, agent, time and reason as the log's columns have them."""
    return log.operation, log.agent, micros(log.at), log.reason


def usage_of(last: int | None, count: int | None) -> Usage | None:
    """Return a record's usage; None where it has no row."""
    return None if count is None else Usage(last_access_at=None if last is None else moment_of(last), access_count=count)


def record_of(body: str, last: int | None, count: int | None) -> MemoryRecord:
    """Return a record with its usage."""
    return decode(body, usage_of(last, count))


def stored_of(rows: Sequence[Sequence[Any]]) -> dict[str, StoredRecord]:
    """Return records with what is kept beside them, by id."""
    vectors = received([row[-1] for row in rows])
    return {
        record_id: StoredRecord(record_of(body, last, count), change, terms, vector)
        for (record_id, body, last, count, change, terms, _), vector in zip(rows, vectors, strict=True)
    }


def change_of(row: Sequence[Any]) -> Change:
    """Return an entry of the change log."""
    scope, record_id, position, revision, operation, agent, at, reason, before, erased = row
    return Change(
        position=position,
        scope=scope,
        id=record_id,
        revision=revision,
        operation=operation,
        agent=agent,
        at=moment_of(at),
        reason=reason,
        before=None if before is None else decode(before),
        erased=erased,
    )


def index_rows(rows: Sequence[Sequence[Any]]) -> list[IndexRow]:
    """Return what ranking must know, in order of arrival. By columns, for there are many rows."""
    if not rows:
        return []
    # Sorted here: the rows are wide, and the server would sort them on its disk.
    rows = sorted(rows, key=itemgetter(-1))
    ids, types, statuses, origins, moments, updated, stored, last, counts, scores, half_lives, pinned, ends, tags, terms, vectors, _ = zip(
        *rows, strict=True
    )
    columns = (
        ids,
        types,
        statuses,
        origins,
        [moment / MICROSECONDS for moment in moments],
        [moment / MICROSECONDS for moment in updated],
        [moment / MICROSECONDS for moment in stored],
        [0.0 if moment is None else moment / MICROSECONDS for moment in last],
        [count or 0 for count in counts],
        scores,
        half_lives,
        pinned,
        [math.inf if moment is None else moment / MICROSECONDS for moment in ends],
        map(tuple, tags),
        terms,
        received(vectors),
    )
    return list(map(IndexRow._make, zip(*columns, strict=True)))
