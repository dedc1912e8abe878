"""Writes one batch inside a transaction: reads what stands, checks the expectations, plans the rows, writes them in order of row id.

It must not know transactions, threads or files.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from satchel.ports import Put, Remove
from satchel.protocol.record import Usage
from satchel.stores.columns import micros
from satchel.stores.expectations import Address, address, document_keys, require_ahead, require_documents, require_expected
from satchel.stores.sqlite.preparing import Prepared, PreparedPut
from satchel.stores.sqlite.reading import document, holders
from satchel.stores.sqlite.scopes import ScopeRow, find_scopes, save_scopes
from satchel.stores.sqlite.usage import write_usage

_NO_USAGE = Usage()

_COLUMNS = (
    "hash", "change", "revision", "status", "type", "origin", "moment", "updated", "stored", "expires",
    "score", "half_life", "pinned", "tags", "embedded", "terms", "body",
)  # fmt: skip
_INSERT = f"INSERT INTO memories (rid, scope, id, {', '.join(_COLUMNS)}) VALUES ({', '.join('?' * (len(_COLUMNS) + 3))})"
_UPDATE = f"UPDATE memories SET {', '.join(f'{name} = ?' for name in _COLUMNS)} WHERE rid = ?"
_LOG = "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ERASE_CHAIN = """
    WITH RECURSIVE chain (position, previous) AS (
        SELECT position, previous FROM changes WHERE position = ?
        UNION ALL
        SELECT changes.position, changes.previous FROM changes JOIN chain ON changes.position = chain.previous
    )
    UPDATE changes SET before = NULL, reason = NULL, erased = 1
    WHERE position IN (SELECT position FROM chain) AND NOT erased
"""


@dataclass(slots=True)
class _Head:
    """One record: as it is stored, or as the batch has made it so far."""

    rid: int
    change: int
    """Log position of its last change, 0 for none."""
    hash: bytes | None = None
    revision: int = 0
    status: str = ""
    embedded: bool = False
    terms: bytes = b""
    body: str | None = None
    stored: bool = False
    columns: tuple[Any, ...] = ()
    """Set where the batch has changed it."""


@dataclass(slots=True)
class _Writes:
    """What is to be written beside the records' rows."""

    log: list[tuple[Any, ...]] = field(default_factory=list)
    chains: list[int] = field(default_factory=list)
    dropped: set[int] = field(default_factory=set)
    unembedded: set[int] = field(default_factory=set)
    vectors: dict[int, bytes] = field(default_factory=dict)
    unused: set[int] = field(default_factory=set)
    usage: dict[int, Usage] = field(default_factory=dict)
    removed: dict[tuple[int, str], int] = field(default_factory=dict)
    returned: list[tuple[int, str]] = field(default_factory=list)


def apply(connection: sqlite3.Connection, prepared: Prepared) -> int:
    """Write a prepared batch; return the log position after it. Raises Conflict, sqlite3.Error."""
    position: int = connection.execute("SELECT coalesce(max(position), 0) FROM changes").fetchone()[0]
    require_ahead(prepared.batch.changes, position)
    application = _Application(connection, prepared) if prepared.changes else None
    if document_keys(prepared.batch.documents):
        require_documents(prepared.batch.documents, lambda collection, key: document(connection, collection, key))
    if application is not None:
        position = application.write(position)
    if prepared.documents:
        _write_documents(connection, prepared.documents)
    return position


class _Application:
    """The records' side of one batch."""

    def __init__(self, connection: sqlite3.Connection, prepared: Prepared) -> None:
        self._connection = connection
        self._changes = prepared.changes
        self._addresses = [address(change) for change in prepared.batch.changes]
        self._scopes = find_scopes(connection, {scope for scope, _ in self._addresses})
        self._heads = self._read_heads()
        revisions = {where: head.revision for where, head in self._heads.items()}
        held = self._read_holders(prepared.batch.changes)
        require_expected(prepared.batch.changes, revisions, lambda scope, content: held.get((scope, content), ()))
        self._departed = self._read_departed()
        self._writes = _Writes()

    # ------------------------------------------------------------ what stands

    def _read_heads(self) -> dict[Address, _Head]:
        found: dict[Address, _Head] = {}
        for name, ids in self._ids_by_scope().items():
            scope = self._scopes[name]
            if not scope.stored:
                continue
            rows = self._connection.execute(
                "SELECT id, rid, change, hash, revision, status, embedded, terms, body FROM memories"
                " WHERE scope = ? AND id IN (SELECT value FROM json_each(?))",
                (scope.number, json.dumps(ids)),
            )
            for record_id, rid, change, hashed, revision, status, embedded, terms, body in rows:
                found[name, record_id] = _Head(rid, change, hashed, revision, status, bool(embedded), terms, body, stored=True)
        return found

    def _ids_by_scope(self) -> dict[str, list[str]]:
        grouped: dict[str, list[str]] = {}
        for scope, record_id in dict.fromkeys(self._addresses):
            grouped.setdefault(scope, []).append(record_id)
        return grouped

    def _read_holders(self, changes: Sequence[Put | Remove]) -> dict[tuple[str, str], list[str]]:
        """Return who holds the contents that must be new, by scope and content hash."""
        wanted: dict[str, list[str]] = {}
        for change in changes:
            if isinstance(change, Put) and change.only_if_new_content and self._scopes[change.record.scope].stored:
                wanted.setdefault(change.record.scope, []).append(change.record.content_hash)
        found = {}
        for name, hashes in wanted.items():
            for content_hash, rows in holders(self._connection, self._scopes[name].number, hashes).items():
                found[name, content_hash] = [record_id for _, record_id in rows]
        return found

    def _read_departed(self) -> dict[Address, int]:
        """Return where the log of each record ends that was once taken out."""
        if not self._connection.execute("SELECT EXISTS (SELECT 1 FROM removed)").fetchone()[0]:
            return {}
        found = {}
        for name, record_id in set(self._addresses) - self._heads.keys():
            where = (self._scopes[name].number, record_id)
            row = self._connection.execute("SELECT change FROM removed WHERE scope = ? AND id = ?", where).fetchone()
            if row is not None:
                found[name, record_id] = row[0]
        return found

    # ------------------------------------------------------------ what is to be written

    def write(self, position: int) -> int:
        """Plan and write every row; return the log position after the batch."""
        for change, where in zip(self._changes, self._addresses, strict=True):
            scope = self._scopes[where[0]]
            head = self._heads.get(where)
            if isinstance(change, PreparedPut):
                position = change.put.log.position or position + 1
                self._put(change, scope, head or self._create(where, scope), position)
            elif head is not None:
                position = change.log.position or position + 1
                self._remove(change, where, scope, head, position)
        self._flush()
        return position

    def _create(self, where: Address, scope: ScopeRow) -> _Head:
        last = self._departed.pop(where, 0)
        if last:
            self._writes.returned.append((scope.number, where[1]))
            self._writes.removed.pop((scope.number, where[1]), None)
        head = self._heads[where] = _Head(scope.next_rid(), last)
        return head

    def _put(self, prepared: PreparedPut, scope: ScopeRow, head: _Head, position: int) -> None:
        record = prepared.put.record
        if head.status:
            scope.count(head.status, head.embedded, -1)
        self._log(prepared.put, scope, record.id, record.revision, position, head)
        self._settle_index(prepared, head)
        head.hash, head.revision, head.status, head.body = prepared.hash, record.revision, record.status.value, prepared.body
        head.columns = prepared.columns
        scope.count(head.status, head.embedded, 1)

    def _settle_index(self, prepared: PreparedPut, head: _Head) -> None:
        """Settle terms, vector and usage: what is not given stays as long as the content does."""
        put, writes = prepared.put, self._writes
        if put.record.is_tombstone:
            self._drop_apart(head)
            head.terms, head.embedded = b"", False
            return
        same = head.hash == prepared.hash
        if put.terms or not same:
            head.terms = put.terms
        if put.vector is not None:
            writes.vectors[head.rid] = put.vector
            head.embedded = True
        elif head.embedded and not same:
            writes.vectors.pop(head.rid, None)
            writes.unembedded.add(head.rid)
            head.embedded = False
        usage = put.record.usage
        if usage.access_count or usage.last_access_at is not None:
            writes.usage[head.rid] = usage.merged(writes.usage.get(head.rid, _NO_USAGE))

    def _remove(self, remove: Remove, where: Address, scope: ScopeRow, head: _Head, position: int) -> None:
        scope.count(head.status, head.embedded, -1)
        self._log(remove, scope, remove.id, head.revision, position, head)
        self._drop_apart(head)
        self._writes.dropped.add(head.rid)
        self._writes.removed[scope.number, remove.id] = self._departed[where] = position
        del self._heads[where]

    def _drop_apart(self, head: _Head) -> None:
        self._writes.vectors.pop(head.rid, None)
        self._writes.usage.pop(head.rid, None)
        if head.stored:
            self._writes.unembedded.add(head.rid)
            self._writes.unused.add(head.rid)

    def _log(self, change: Put | Remove, scope: ScopeRow, record_id: str, revision: int, position: int, head: _Head) -> None:
        log = change.log
        erases = isinstance(change, Remove) or change.record.is_tombstone
        who = (log.operation, log.agent, micros(log.at), log.reason)
        before = None if erases else head.body
        self._writes.log.append((position, scope.number, record_id, revision, *who, head.change, int(erases), before))
        if erases and head.change:
            self._writes.chains.append(head.change)
        scope.change = head.change = position

    # ------------------------------------------------------------ writing

    def _flush(self) -> None:
        connection, writes = self._connection, self._writes
        save_scopes(connection, self._scopes.values())
        _many(connection, "DELETE FROM memories WHERE rid = ?", [(rid,) for rid in sorted(writes.dropped)])
        self._write_rows()
        _many(connection, _LOG, writes.log)
        _many(connection, _ERASE_CHAIN, [(position,) for position in writes.chains])
        _many(connection, "DELETE FROM vectors WHERE rid = ?", [(rid,) for rid in sorted(writes.unembedded)])
        _many(connection, "INSERT OR REPLACE INTO vectors VALUES (?, ?)", sorted(writes.vectors.items()))
        _many(connection, "DELETE FROM usage WHERE rid = ?", [(rid,) for rid in sorted(writes.unused)])
        write_usage(connection, writes.usage)
        _many(connection, "DELETE FROM removed WHERE scope = ? AND id = ?", writes.returned)
        _many(connection, "INSERT OR REPLACE INTO removed VALUES (?, ?, ?)", [(*key, last) for key, last in writes.removed.items()])

    def _write_rows(self) -> None:
        new, old = [], []
        for (name, record_id), head in self._heads.items():
            if not head.columns:
                continue
            row = (head.hash, head.change, *head.columns, int(head.embedded), head.terms, head.body)
            if head.stored:
                old.append((*row, head.rid))
            else:
                new.append((head.rid, self._scopes[name].number, record_id, *row))
        new.sort(key=_rid)
        _many(self._connection, _INSERT, new)
        _many(self._connection, _UPDATE, old)


def _rid(row: tuple[Any, ...]) -> int:
    rid: int = row[0]
    return rid


def _many(connection: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        connection.executemany(statement, rows)


def _write_documents(connection: sqlite3.Connection, documents: Iterable[tuple[str, str, str | None, str | None]]) -> None:
    last = {(collection, key): (scope, value) for collection, key, scope, value in documents}
    gone = [key for key, (_, value) in last.items() if value is None]
    kept = [(*key, *rest) for key, rest in sorted(last.items(), key=lambda item: item[0]) if rest[1] is not None]
    _many(connection, "DELETE FROM documents WHERE collection = ? AND key = ?", gone)
    _many(connection, "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?)", kept)
