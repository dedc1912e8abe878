"""What a store must know of a record in order to filter, order and rank it, and how a page's cursor is spelled.

It must not know where rows are kept. Times are integer microseconds since 1970 (negative before), exact for the years 1 to 9999.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from satchel.errors import InvalidRequest
from satchel.ports import IndexRow, Order
from satchel.protocol.record import MemoryRecord, Usage

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

LARGEST = 2**63 - 1
"""Largest integer a store keeps apart from a record's own text."""

MICROSECONDS = 1_000_000


def micros(moment: datetime) -> int:
    """Return an aware time as microseconds since 1970."""
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * MICROSECONDS + since.microseconds


def moment_of(value: int) -> datetime:
    """Undo `micros`."""
    return _EPOCH + value * _MICROSECOND


def arose(record: MemoryRecord) -> datetime:
    """Return when a record arose, as far as it is known: `created_at`, else `stored_at`."""
    return record.created_at or record.stored_at


def expires(record: MemoryRecord) -> int | None:
    """Return when a record's time runs out, in microseconds: `expires_at`, else `ttl` after it arose; None where it does not."""
    if record.expires_at is not None:
        return micros(record.expires_at)
    if record.ttl is not None:
        return micros(arose(record)) + round(record.ttl * MICROSECONDS)
    return None


def index_row(record: MemoryRecord, usage: Usage, terms: bytes, vector: bytes | None) -> IndexRow:
    """Return what ranking must know of a record."""
    ends = expires(record)
    return IndexRow(
        id=record.id,
        type=record.type,
        status=record.status.value,
        origin=record.source.origin.value,
        moment=micros(arose(record)) / MICROSECONDS,
        updated=micros(record.updated_at) / MICROSECONDS,
        stored=micros(record.stored_at) / MICROSECONDS,
        accessed=micros(usage.last_access_at) / MICROSECONDS if usage.last_access_at else 0.0,
        access_count=usage.access_count,
        score=record.score,
        half_life=record.half_life,
        pinned=record.pinned,
        expires=math.inf if ends is None else ends / MICROSECONDS,
        tags=record.tags,
        terms=terms,
        vector=vector,
    )


class Key(NamedTuple):
    """Where a record stands in a scan; `updated` is 0 where the order does not ask for it."""

    updated: int
    scope: str
    id: str


def write_cursor(order: Order, key: Key) -> str:
    """Spell the place after a record. A scope holds no space, so the parts tell themselves apart."""
    return f"{key.updated} {key.scope} {key.id}" if order == "updated" else f"{key.scope} {key.id}"


def read_cursor(order: Order, cursor: str | None) -> Key | None:
    """Undo `write_cursor`.

    Raises:
        InvalidRequest: it is not a cursor of that order.
    """
    if cursor is None:
        return None
    try:
        if order == "updated":
            updated, scope, record_id = cursor.split(" ", 2)
            return Key(int(updated), scope, record_id)
        scope, record_id = cursor.split(" ", 1)
        return Key(0, scope, record_id)
    except ValueError:
        raise InvalidRequest.of([{"field": "cursor", "message": "is not a cursor that this listing gave out"}]) from None


def check_limit(limit: int) -> int:
    """Refuse a limit that asks for nothing; cut one that no store could count."""
    if limit < 1:
        raise InvalidRequest.of([{"field": "limit", "message": "must be at least 1"}])
    return min(limit, LARGEST - 1)
