"""How a batch is written: looked at under its scopes' locks, then carried out, one change after the other or, where it is large, by COPY.

It must not know how one change is written. Order of locks: rows of `scopes` by name, then whatever belongs to them.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from satchel.ports import Batch, Document, Put, Remove
from satchel.protocol.record import Status
from satchel.stores.expectations import (
    Address,
    address,
    document_keys,
    read_document,
    require_ahead,
    require_documents,
    require_expected,
    write_document,
)
from satchel.stores.postgres.changing import Signs, copy_new, departed, write_change
from satchel.stores.postgres.connections import Connection
from satchel.stores.postgres.positions import FLOOR, go_beyond, last_logged, last_position, take_positions
from satchel.stores.postgres.transactions import Transaction

COPY_FROM = 50
"""Changes of a batch from which on new records are written by COPY."""

_LOCK = "SELECT scope, position FROM scopes WHERE scope = ANY(%s) ORDER BY scope FOR NO KEY UPDATE"
_OPEN_SCOPES = "INSERT INTO scopes (scope) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING"
_STANDING = "SELECT id, revision, status, NULL FROM records WHERE scope = %s AND id = ANY(%b)"
_HOLDERS = "SELECT id, 0, NULL, content_hash FROM records WHERE scope = %s AND content_hash = ANY(%b)"

_MINE = "SELECT max(position) FROM log WHERE scope = %s AND position > %s AND token = %s"

_COUNT = """
UPDATE scopes SET position = (SELECT max(position) FROM log WHERE scope = %s),
    active = active + %s, pending = pending + %s, archived = archived + %s, deleted = deleted + %s
WHERE scope = %s RETURNING position
"""
_DOCUMENT = """
INSERT INTO documents (collection, key, scope, value) VALUES (%s, %s, %s, %s)
ON CONFLICT (collection, key) DO UPDATE SET scope = excluded.scope, value = excluded.value
"""
_LOCK_DOCUMENT = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_STANDING_DOCUMENT = "SELECT value FROM documents WHERE collection = %s AND key = %s FOR UPDATE"
_NO_DOCUMENT = "DELETE FROM documents WHERE collection = %s AND key = %s"


class NewScopes(Exception):
    """Scopes of the batch have no row yet; they must be opened before, apart."""

    def __init__(self, scopes: list[str]) -> None:
        super().__init__(", ".join(scopes))
        self.scopes = scopes


def open_scopes(connection: Connection, scopes: list[str]) -> None:
    """Give scopes their rows, which hold nothing yet. By itself: inside a batch the order of locks would not be kept."""
    connection.execute(_OPEN_SCOPES, [scopes])


class BatchWriting:
    """One batch on its way, over as many attempts as it takes."""

    def __init__(self, batch: Batch, floor_class: int) -> None:
        self._batch = batch
        self._signs = Signs(floor_class, secrets.randbits(63))
        self._before: dict[str, int] = {}
        """Positions of the batch's scopes before it."""

    def write(self, transaction: Transaction) -> int:
        """Write the batch and commit it; return the log position after it.

        Raises:
            NewScopes: the batch must be tried again.
            Conflict, InvalidRequest: as `Store.apply`.
        """
        connection = transaction.connection
        with connection.pipeline():
            transaction.begin()
            made = self._look(transaction)
            if isinstance(made, int):
                return made
            if len(made.steps) < COPY_FROM and not made.is_placed:
                for change, revision in made.steps:
                    write_change(connection, change, revision, self._signs)
                return _finish(transaction, self._batch, made)
        # COPY cannot share a pipeline.
        _write_many(connection, made, self._signs)
        with connection.pipeline():
            return _finish(transaction, self._batch, made)

    def _look(self, transaction: Transaction) -> _Plan | int:
        """Take the locks, look what stands, and plan; where the batch turns out to be written, return the position after it."""
        connection = transaction.connection
        ids, contents = _wanted(self._batch.changes)
        if not ids:
            return _Plan()
        locked = connection.execute(_LOCK, [list(ids)])
        found = {scope: _ask(connection, scope, some, contents.get(scope)) for scope, some in ids.items()}
        before: dict[str, int] = dict(locked)
        if ids.keys() - before.keys():
            raise NewScopes(sorted(ids.keys() - before.keys()))
        if transaction.uncertain and (done := self._find(connection)):
            return done
        self._before = before
        standing: dict[Address, tuple[int, str]] = {}
        holders: dict[tuple[str, str], list[str]] = {}
        for scope, cursor in found.items():
            for record_id, revision, status, content in cursor:
                if content is None:
                    standing[scope, record_id] = (revision, status)
                else:
                    holders.setdefault((scope, content.hex()), []).append(record_id)
        revisions = {where: revision for where, (revision, _) in standing.items()}
        require_expected(self._batch.changes, revisions, lambda scope, content: holders.get((scope, content), ()))
        return _planned(self._batch.changes, standing)

    def _find(self, connection: Connection) -> int:
        """Return the last position of the batch's entries, 0 where there are none. Under the scopes' locks nothing is still under way."""
        asked = [connection.execute(_MINE, [scope, before, self._signs.token]) for scope, before in self._before.items()]
        return max((int(position or 0) for cursor in asked for (position,) in cursor), default=0)


# ---------------------------------------------------------------- looking


@dataclass(slots=True)
class _Plan:
    """What a batch does, decided under the locks."""

    steps: list[tuple[Put | Remove, int]] = field(default_factory=list)
    """Each change with the revision that stood before it."""
    fresh: set[int] = field(default_factory=set)
    """Places, among the steps, of the first and only change of a record that stands nowhere."""
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def is_placed(self) -> bool:
        """Whether the changes bring their positions with them."""
        return bool(self.steps) and self.steps[0][0].log.position is not None


def _wanted(changes: Sequence[Put | Remove]) -> tuple[dict[str, set[str]], dict[str, list[bytes]]]:
    """Return the ids, and the content hashes that must be new, by scope."""
    ids: dict[str, set[str]] = {}
    contents: dict[str, list[bytes]] = {}
    for change in changes:
        scope, record_id = address(change)
        ids.setdefault(scope, set()).add(record_id)
        if isinstance(change, Put) and change.only_if_new_content:
            contents.setdefault(scope, []).append(bytes.fromhex(change.record.content_hash))
    return ids, contents


def _ask(connection: Connection, scope: str, ids: Collection[str], contents: list[bytes] | None) -> Any:
    if contents is None:
        return connection.execute(_STANDING, [scope, list(ids)])
    return connection.execute(f"{_STANDING} UNION ALL {_HOLDERS}", [scope, list(ids), scope, contents])


def _planned(changes: Sequence[Put | Remove], standing: dict[Address, tuple[int, str]]) -> _Plan:
    """Leave out removals of what is absent, and count; `standing` gives revision and status."""
    made = _Plan()
    now = dict(standing)
    times = Counter(map(address, changes))
    for change in changes:
        where = address(change)
        revision, status = now.get(where, (0, ""))
        if isinstance(change, Remove) and not revision:
            continue
        counts = made.counts.setdefault(where[0], Counter())
        if revision:
            counts[status] -= 1
        if isinstance(change, Put):
            now[where] = (change.record.revision, change.record.status.value)
            counts[now[where][1]] += 1
            if not revision and times[where] == 1:
                made.fresh.add(len(made.steps))
        else:
            now[where] = (0, "")
        made.steps.append((change, revision))
    return made


# ---------------------------------------------------------------- carrying out


def _write_many(connection: Connection, made: _Plan, signs: Signs) -> None:
    connection.execute(FLOOR, [signs.floor_class])
    positions = _place(connection, [change for change, _ in made.steps])
    returning = departed(connection, (address(made.steps[place][0]) for place in made.fresh))
    puts: list[Put] = []
    places: list[int] = []
    with connection.pipeline():
        for place, ((change, revision), position) in enumerate(zip(made.steps, positions, strict=True)):
            if place in made.fresh and isinstance(change, Put) and address(change) not in returning:
                puts.append(change)
                places.append(position)
            else:
                write_change(connection, change, revision, signs, position)
    copy_new(connection, puts, places, signs.token)


def _place(connection: Connection, changes: Sequence[Put | Remove]) -> list[int]:
    """Return the changes' positions: those that they bring, else the next."""
    given = [change.log.position for change in changes if change.log.position is not None]
    if not given:
        return take_positions(connection, len(changes))
    require_ahead(changes, last_logged(connection))
    go_beyond(connection, given[-1])
    return given


def _finish(transaction: Transaction, batch: Batch, made: _Plan) -> int:
    connection = transaction.connection
    counted = [
        connection.execute(_COUNT, (scope, *(counts[status.value] for status in Status), scope)) for scope, counts in made.counts.items()
    ]
    _require_documents(connection, batch.documents)
    for document in batch.documents:
        _write_document(connection, document)
    last = 0 if counted else last_position(connection)
    transaction.commit()
    return max((int(position) for cursor in counted for (position,) in cursor), default=last)


def _require_documents(connection: Connection, documents: Sequence[Document]) -> None:
    keys = sorted(document_keys(documents))
    if not keys:
        return
    for collection, key in keys:
        # One that is absent has no row to lock.
        connection.execute(_LOCK_DOCUMENT, [f"{collection}\n{key}"])
    found = {key: connection.execute(_STANDING_DOCUMENT, list(key)) for key in keys}
    values = {key: read_document(row[0]) for key, cursor in found.items() for row in cursor}
    require_documents(documents, lambda collection, key: values.get((collection, key)))


def _write_document(connection: Connection, document: Document) -> None:
    if document.value is None:
        connection.execute(_NO_DOCUMENT, (document.collection, document.key))
    else:
        connection.execute(_DOCUMENT, (document.collection, document.key, document.scope, write_document(document)))
