"""How a batch becomes rows: looked at under its scopes' locks, then written, one by one or, where it is large, by COPY.

It must not know connections or faults. Order of locks: rows of `scopes` by name, then records. A scope's positions are handed out while
its row is locked, so that within a scope they appear in order; across scopes see `horizon`.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from satchel.ports import Batch, Document, Put, Remove
from satchel.protocol.record import Status
from satchel.stores.columns import LARGEST, micros
from satchel.stores.expectations import Address, address, require_expected, write_document
from satchel.stores.postgres.connections import Connection
from satchel.stores.postgres.rows import COLUMNS, LOG_COLUMNS, log_values, record_row
from satchel.stores.postgres.transactions import Transaction

COPY_FROM = 50
"""Changes of a batch from which on new records are written by COPY."""

_LOCK = "SELECT scope FROM scopes WHERE scope = ANY(%s) ORDER BY scope FOR NO KEY UPDATE"
_OPEN_SCOPES = "INSERT INTO scopes (scope) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING"
_STANDING = "SELECT id, revision, status FROM records WHERE scope = %s AND id = ANY(%s)"
_HOLDERS = "SELECT content_hash, id FROM records WHERE scope = %s AND content_hash = ANY(%s)"

_LOG = f"INSERT INTO log ({', '.join(LOG_COLUMNS)})"
_POSITION = "coalesce(%s, nextval('positions'))"
_BEFORE = "SELECT body FROM records WHERE scope = %s AND id = %s"

_PUT = f"""
WITH logged AS ({_LOG} VALUES (%s, %s, {_POSITION}, %s, %s, %s, %s, %s, ({_BEFORE}), false))
INSERT INTO records AS r ({", ".join(COLUMNS)}) VALUES ({", ".join(["%s"] * len(COLUMNS))})
ON CONFLICT (scope, id) DO UPDATE SET ({", ".join(name for name in COLUMNS if name not in ("scope", "id", "terms", "vector"))}) =
    ({", ".join(f"excluded.{name}" for name in COLUMNS if name not in ("scope", "id", "terms", "vector"))}),
    terms = CASE WHEN r.content_hash = excluded.content_hash AND excluded.terms = '' THEN r.terms ELSE excluded.terms END,
    vector = CASE WHEN r.content_hash = excluded.content_hash THEN coalesce(excluded.vector, r.vector) ELSE excluded.vector END
"""
_ERASE = """UPDATE log SET before = NULL, reason = NULL, erased = true WHERE scope = %s AND id = %s AND NOT erased"""
_ERASED = f"{_LOG} VALUES (%s, %s, {_POSITION}, %s, %s, %s, %s, %s, NULL, true)"
_REMOVE = "DELETE FROM records WHERE scope = %s AND id = %s"
_UNUSED = "DELETE FROM usage WHERE scope = %s AND id = %s"
_USED = """
INSERT INTO usage AS u (scope, id, last, count) VALUES (%s, %s, %s, %s)
ON CONFLICT (scope, id) DO UPDATE SET last = greatest(u.last, excluded.last), count = greatest(u.count, excluded.count)
"""
_COUNT = """
UPDATE scopes SET position = (SELECT max(position) FROM log WHERE scope = %s),
    active = active + %s, pending = pending + %s, archived = archived + %s, deleted = deleted + %s
WHERE scope = %s RETURNING position
"""
_DOCUMENT = """
INSERT INTO documents (collection, key, scope, value) VALUES (%s, %s, %s, %s)
ON CONFLICT (collection, key) DO UPDATE SET scope = excluded.scope, value = excluded.value
"""
_NO_DOCUMENT = "DELETE FROM documents WHERE collection = %s AND key = %s"

# ---------------------------------------------------------------- positions across scopes

_FLOOR_BITS = 2**31 - 1
_LAST = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM positions"
_FLOOR = f"SELECT pg_advisory_xact_lock_shared(%s::int, (({_LAST}) & {_FLOOR_BITS})::int)"
_FLOORS = """
SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = %s::oid AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def lock_class(schema: str) -> int:
    """Return the class of a schema's advisory locks."""
    return zlib.crc32(b"satchel positions " + schema.encode()) & _FLOOR_BITS


def horizon(connection: Connection, floor_class: int) -> int:
    """Return a position up to which every change is committed or never will be: what a reader of several scopes may go up to.

    A writer holds, from before it takes its positions until after its commit, an advisory lock that names the last position taken by then.
    Both looks are at the present, not at a snapshot; the snapshot read afterwards has everything up to the result.
    """
    last = _one(connection.execute(_LAST))
    floors = [int(floor) for (floor,) in connection.execute(_FLOORS, [floor_class])]
    behind = [(last - floor) & _FLOOR_BITS for floor in floors]
    return int(last - max((gap for gap in behind if gap <= _FLOOR_BITS // 2), default=0))


def position_after(connection: Connection, scopes: Collection[str]) -> int:
    """Return the log position after a batch on these scopes that is known to be committed."""
    if not scopes:
        return int(_one(connection.execute(_LAST)))
    return int(_one(connection.execute("SELECT coalesce(max(position), 0) FROM scopes WHERE scope = ANY(%s)", [list(scopes)])))


def _one(cursor: Any) -> Any:
    return cursor.fetchone()[0]


# ---------------------------------------------------------------- one batch


@dataclass(slots=True)
class Plan:
    """What a batch does, decided under the locks: the steps in order, those that are new rows, and how counts change."""

    steps: list[tuple[Put | Remove, int]] = field(default_factory=list)
    """Each change with the revision that stood before it."""
    fresh: set[int] = field(default_factory=set)
    """Places, among the steps, of the first and only change of a record that stood nowhere."""
    counts: dict[str, Counter[str]] = field(default_factory=dict)


def plan(changes: Sequence[Put | Remove], standing: dict[Address, tuple[int, str]]) -> Plan:
    """Leave out removals of what is absent, and count; `standing` gives revision and status."""
    made = Plan()
    now = dict(standing)
    times = Counter(address(change) for change in changes)
    for change in changes:
        where = address(change)
        revision, status = now.get(where, (0, ""))
        if isinstance(change, Remove) and not revision:
            continue
        counts = made.counts.setdefault(where[0], Counter())
        if revision:
            counts[status] -= 1
        if isinstance(change, Put):
            counts[change.record.status.value] += 1
            now[where] = (change.record.revision, change.record.status.value)
            if not revision and times[where] == 1:
                made.fresh.add(len(made.steps))
        else:
            now[where] = (0, "")
        made.steps.append((change, revision))
    return made


class NewScopes(Exception):
    """Scopes of the batch have no row yet; they must be opened before, apart."""

    def __init__(self, scopes: list[str]) -> None:
        super().__init__(", ".join(scopes))
        self.scopes = scopes


def open_scopes(connection: Connection, scopes: list[str]) -> None:
    """Give scopes their rows, which hold nothing yet. By itself: inside a batch the order of locks would not be kept."""
    connection.execute(_OPEN_SCOPES, [scopes])


def write(transaction: Transaction, batch: Batch, floor_class: int) -> int:
    """Write a batch and commit it; return the log position after it.

    Raises:
        NewScopes: the batch must be tried again.
        Conflict, InvalidRequest: as `Store.apply`.
    """
    connection = transaction.connection
    with connection.pipeline():
        transaction.begin()
        made = _look(connection, batch)
        if len(made.steps) < COPY_FROM:
            connection.execute(_FLOOR, [floor_class])
            for change, revision in made.steps:
                _write_one(connection, change, revision, None)
            return _finish(transaction, batch, made)
    # COPY cannot share a pipeline.
    connection.execute(_FLOOR, [floor_class])
    _write_many(connection, made)
    with connection.pipeline():
        return _finish(transaction, batch, made)


def _look(connection: Connection, batch: Batch) -> Plan:
    ids: dict[str, list[str]] = {}
    contents: dict[str, list[bytes]] = {}
    for change in batch.changes:
        scope, record_id = address(change)
        ids.setdefault(scope, []).append(record_id)
        if isinstance(change, Put) and change.only_if_new_content:
            contents.setdefault(scope, []).append(bytes.fromhex(change.record.content_hash))
    locked = connection.execute(_LOCK, [list(ids)]) if ids else ()
    found = {scope: connection.execute(_STANDING, [scope, list(set(some))]) for scope, some in ids.items()}
    held = {scope: connection.execute(_HOLDERS, [scope, some]) for scope, some in contents.items()}
    missing = set(ids) - {scope for (scope,) in locked}
    if missing:
        raise NewScopes(sorted(missing))
    rows = {(scope, row[0]): row for scope, cursor in found.items() for row in cursor}
    holders: dict[tuple[str, str], list[str]] = {}
    for scope, cursor in held.items():
        for content, record_id in cursor:
            holders.setdefault((scope, content.hex()), []).append(record_id)
    revisions = {where: row[1] for where, row in rows.items()}
    require_expected(batch.changes, revisions, lambda scope, content: holders.get((scope, content), ()))
    return plan(batch.changes, {where: (row[1], row[2]) for where, row in rows.items()})


def _write_one(connection: Connection, change: Put | Remove, revision: int, position: int | None) -> None:
    where = address(change)
    if isinstance(change, Remove):
        _erase(connection, where)
        connection.execute(_REMOVE, where)
        connection.execute(_ERASED, (*where, position, revision, *log_values(change.log)))
        return
    record = change.record
    if record.is_tombstone:
        _erase(connection, where)
        connection.execute(_REMOVE, where)
        connection.execute(_ERASED, (*where, position, record.revision, *log_values(change.log)))
        _insert(connection, change)
        return
    logged = (*where, position, record.revision, *log_values(change.log), *where)
    connection.execute(_PUT, logged + record_row(change))
    _use(connection, [change])


def _insert(connection: Connection, change: Put) -> None:
    names, places = ", ".join(COLUMNS), ", ".join(["%s"] * len(COLUMNS))
    connection.execute(f"INSERT INTO records ({names}) VALUES ({places})", record_row(change))


def _erase(connection: Connection, where: Address) -> None:
    connection.execute(_ERASE, where)
    connection.execute(_UNUSED, where)


def _use(connection: Connection, puts: Iterable[Put]) -> None:
    for put in puts:
        usage = put.record.usage
        if usage.access_count or usage.last_access_at:
            last = micros(usage.last_access_at) if usage.last_access_at else None
            connection.execute(_USED, (put.record.scope, put.record.id, last, min(usage.access_count, LARGEST)))


def _write_many(connection: Connection, made: Plan) -> None:
    drawn = connection.execute("SELECT nextval('positions') FROM generate_series(1, %s)", [len(made.steps)])
    positions = [position for (position,) in drawn]
    fresh: list[tuple[Put, int]] = []
    with connection.pipeline():
        for place, ((change, revision), position) in enumerate(zip(made.steps, positions, strict=True)):
            if place in made.fresh and isinstance(change, Put):
                fresh.append((change, position))
            else:
                _write_one(connection, change, revision, position)
    _copy(connection, "records", COLUMNS, (record_row(put) for put, _ in fresh))
    _copy(connection, "log", LOG_COLUMNS, (_fresh_entry(put, position) for put, position in fresh))
    with connection.pipeline():
        _use(connection, (put for put, _ in fresh if not put.record.is_tombstone))


def _fresh_entry(put: Put, position: int) -> tuple[Any, ...]:
    record = put.record
    return (record.scope, record.id, position, record.revision, *log_values(put.log), None, record.is_tombstone)


def _copy(connection: Connection, table: str, columns: dict[str, str], rows: Iterable[tuple[Any, ...]]) -> None:
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)


def _finish(transaction: Transaction, batch: Batch, made: Plan) -> int:
    connection = transaction.connection
    counted = [
        connection.execute(_COUNT, (scope, *(counts[status.value] for status in Status), scope)) for scope, counts in made.counts.items()
    ]
    for document in batch.documents:
        _write_document(connection, document)
    last = None if counted else connection.execute(_LAST)
    transaction.commit()
    return int(max(_one(cursor) for cursor in counted) if last is None else _one(last))


def _write_document(connection: Connection, document: Document) -> None:
    if document.value is None:
        connection.execute(_NO_DOCUMENT, (document.collection, document.key))
    else:
        connection.execute(_DOCUMENT, (document.collection, document.key, document.scope, write_document(document)))
