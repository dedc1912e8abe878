"""What differs between two states of a scope, or between two packages (OBS-2). It must not know how a difference is undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack

from satchel.engine.core import Core, Principal
from satchel.engine.history.snapshots import standpoint
from satchel.engine.history.timetravel import Departures, Standpoint, departures, record_at
from satchel.errors import InvalidRequest
from satchel.operations.models import Changed, Diff, DiffRequest
from satchel.protocol.package import Package, Readable, read_package
from satchel.protocol.record import MemoryRecord

_OWN = {"usage", "stored_at", "revision", "updated_at"}
"""What differs between two stores that hold the same, or after a change that was undone."""

_BATCH = 200

Pair = tuple[MemoryRecord | None, MemoryRecord | None]


def same(a: MemoryRecord, b: MemoryRecord) -> bool:
    """Tell whether two records say the same of the same memory."""
    return a.model_dump(exclude=_OWN) == b.model_dump(exclude=_OWN)


def diff(core: Core, principal: Principal, request: DiffRequest) -> Diff:
    """Return one page of what differs, ordered by id. A page looks at what changed between the two positions only."""
    with core.store.reading():
        a, b, after = _place(core, request)
        left_a, left_b = departures(core, request.scope, a, b)
        ids = sorted(record_id for _, record_id in left_a.keys() | left_b.keys() if record_id > after)
        pairs: list[Pair] = []
        for start in range(0, len(ids), _BATCH):
            batch = ids[start : start + _BATCH]
            present = core.store.get(request.scope, batch)
            for record_id in batch:
                pair = _sides(core, left_a, left_b, present.get(record_id))
                if pair is None:
                    continue
                if len(pairs) == request.limit:
                    return _told(pairs, cursor=_cursor(a, b, _id(pairs[-1])))
                pairs.append(pair)
    return _told(pairs)


def diff_packages(a: Readable, b: Readable) -> Diff:
    """Compare two packages whole, whatever scopes they hold; tombstones count as absent. Keeps a key and a hash for each record of `a`.

    Raises:
        InvalidPackage: one of them is damaged.
    """
    with ExitStack() as stack:
        first, second = stack.enter_context(read_package(a)), stack.enter_context(read_package(b))
        hashes = {(record.scope, record.id): record.proof_hash() for record in _living(first)}
        after: dict[tuple[str, str], MemoryRecord] = {}
        kept = set()
        added = []
        for record in _living(second):
            key = (record.scope, record.id)
            known = hashes.get(key)
            if known is None:
                added.append(record)
            elif known == record.proof_hash():
                kept.add(key)
            else:
                after[key] = record
        differing = [record for record in _living(first) if (record.scope, record.id) not in kept]
    pairs = [(record, after.get((record.scope, record.id))) for record in differing]
    return _told([*((None, record) for record in added), *(pair for pair in pairs if pair[1] is None or not same(pair[0], pair[1]))])


def _living(package: Package) -> Iterator[MemoryRecord]:
    return (line for line in package.lines() if isinstance(line, MemoryRecord) and not line.is_tombstone)


def _place(core: Core, request: DiffRequest) -> tuple[Standpoint, Standpoint, str]:
    """Return both standpoints and the id to go on after. The cursor holds them, so that every page is of the same two states."""
    if request.cursor is None:
        return standpoint(core, request.scope, request.a), standpoint(core, request.scope, request.b), ""
    try:
        (a, *logs_a), (b, *logs_b), after = json.loads(request.cursor)
        return Standpoint(int(a), tuple(map(str, logs_a))), Standpoint(int(b), tuple(map(str, logs_b))), str(after)
    except (ValueError, TypeError, RecursionError):
        raise InvalidRequest.of([{"field": "cursor", "message": "is not one that an answer gave"}]) from None


def _cursor(a: Standpoint, b: Standpoint, after: str) -> str:
    return json.dumps([[a.position, *a.logs], [b.position, *b.logs], after], ensure_ascii=False)


def _sides(core: Core, left_a: Departures, left_b: Departures, present: MemoryRecord | None) -> Pair | None:
    if present is None:
        return None
    key = (present.scope, present.id)
    if left_a.get(key) == left_b.get(key):
        return None
    before, after = record_at(core, left_a, present), record_at(core, left_b, present)
    if before is None or after is None:
        return None if before is after else (before, after)
    return None if same(before, after) else (before, after)


def _id(pair: Pair) -> str:
    record = pair[0] or pair[1]
    return record.id if record else ""


def _told(pairs: list[Pair], cursor: str | None = None) -> Diff:
    return Diff(
        added=tuple(after for before, after in pairs if before is None and after is not None),
        removed=tuple(before for before, after in pairs if after is None and before is not None),
        changed=tuple(Changed(before=before, after=after) for before, after in pairs if before is not None and after is not None),
        cursor=cursor,
    )
