"""Records as rows of the table, and rows as what the ports ask for. It must not know how a row is fetched or when it is written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from satchel.ports import Change, IndexRow, LogEntry, Put
from satchel.protocol.record import MemoryRecord, Usage
from satchel.stores.bodies import decode, encode
from satchel.stores.columns import MICROSECONDS, arose, expires, micros, moment_of
from satchel.stores.postgres.vectors import half, received

COLUMNS: dict[str, str] = {
    "scope": "text",
    "id": "text",
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
    "erased": "bool",
}
"""The columns of `log` in the order of `change_of`, with their types."""

INDEX_ROW = """r.id, r.type, r.status, r.origin, r.moment, r.updated, r.stored, u.last, u.count, r.score, r.half_life, r.pinned,
    r.expires, r.tags, r.terms, halfvec_send(r.vector)"""
"""What `index_rows` reads, from records r and usage u."""


def record_row(put: Put) -> tuple[Any, ...]:
    """Return a record's row. A tombstone has no index entry, whatever came with it."""
    record = put.record
    gone = record.is_tombstone
    return (
        record.scope,
        record.id,
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
        b"" if gone else put.terms,
        None if gone else half(put.vector),
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
    """Return what ranking must know."""
    vectors = received([row[15] for row in rows])
    return [
        IndexRow(
            row[0],
            row[1],
            row[2],
            row[3],
            row[4] / MICROSECONDS,
            row[5] / MICROSECONDS,
            row[6] / MICROSECONDS,
            0.0 if row[7] is None else row[7] / MICROSECONDS,
            row[8] or 0,
            row[9],
            row[10],
            row[11],
            math.inf if row[12] is None else row[12] / MICROSECONDS,
            tuple(row[13]),
            row[14],
            vector,
        )
        for row, vector in zip(rows, vectors, strict=True)
    ]
