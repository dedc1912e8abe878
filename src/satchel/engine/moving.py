"""`move_scope`: every record of one scope into another, with its history and what belongs to it (ENG-5). It must not know why."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from satchel.engine import traces
from satchel.engine.committing import commit, log_entry, put
from satchel.engine.core import Core, Principal
from satchel.engine.lineage import DERIVED
from satchel.engine.mentions import MENTIONS
from satchel.engine.quarantine import QUARANTINE
from satchel.engine.recall_log import RECALLS
from satchel.engine.receipts import MERGED
from satchel.engine.reviews import REVIEWS
from satchel.engine.tombstones import FORGOTTEN
from satchel.engine.working_arrivals import move_sessions
from satchel.errors import InvalidRequest
from satchel.operations.models import Moved, MoveScopeRequest
from satchel.ports import Batch, Change, Document, LogEntry, Put, Remove
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord

_PAGE = 200
_EVERY = RecordFilter(statuses=())
_COLLECTIONS = (FORGOTTEN, traces.REPETITIONS, DERIVED, MERGED, QUARANTINE, REVIEWS, RECALLS, MENTIONS)


def move_scope(core: Core, principal: Principal, request: MoveScopeRequest) -> Moved:
    """Move a scope. Interrupted, it goes on where it stopped when it is called again.

    What the target holds under the same id is never overwritten: where it is another memory, the record is left behind and named.
    """
    if request.scope == request.to:
        raise InvalidRequest.of([{"field": "to", "message": "is the scope itself"}])
    vectors = {row.id: row.vector for row in core.store.index_slice(request.scope).rows}
    moved, left, cursor = 0, list[str](), None
    while True:
        page = core.store.scan((request.scope,), _EVERY, cursor=cursor, limit=_PAGE)
        went, stayed = _move(core, principal, request, [record.id for record in page.records], vectors)
        moved += went
        left += stayed
        cursor = page.cursor
        if cursor is None:
            break
    if not left:
        for documents in _documents(core, request):
            core.store.apply(Batch(documents=documents))
        move_sessions(core, request.scope, request.to)
    return Moved(moved=moved, left=tuple(left))


def _move(
    core: Core, principal: Principal, request: MoveScopeRequest, ids: Collection[str], vectors: Mapping[str, bytes | None]
) -> tuple[int, list[str]]:
    def plan() -> tuple[Batch, tuple[int, list[str]]]:
        log = log_entry(core, principal, "move_scope", reason=f"from {request.scope}")
        records, there = core.store.get(request.scope, ids), core.store.get(request.to, ids)
        changes: list[Put | Remove] = []
        left = []
        for record_id, record in sorted(records.items()):
            held, arriving = there.get(record_id), record.model_copy(update={"scope": request.to})
            if held is None:
                changes += _with_history(core, record, arriving, vectors.get(record_id), log)
            elif held.content_hash != record.content_hash or held.is_tombstone is not record.is_tombstone:
                left.append(record_id)
                continue
            changes.append(Remove(request.scope, record_id, replace(log, reason=f"to {request.to}"), expect=record.revision))
        return Batch(changes), (len(records) - len(left), left)

    return commit(core, plan)


def _with_history(core: Core, record: MemoryRecord, arriving: MemoryRecord, vector: bytes | None, log: LogEntry) -> Iterator[Put]:
    """Yield the changes that make the record in its new scope, its earlier states first, as the log of the old scope has them."""
    expect = 0
    if not record.is_tombstone:
        for state, entry in _earlier_states(core.store.history(record.scope, record.id)):
            yield Put(state.model_copy(update={"scope": arriving.scope}), entry, expect=expect)
            expect = state.revision
    if arriving.is_tombstone:
        yield Put(arriving, log, expect=expect)
    else:
        yield replace(put(arriving, log, expect=expect), vector=vector)


def _earlier_states(history: Sequence[Change]) -> Iterator[tuple[MemoryRecord, LogEntry]]:
    """Yield each earlier state, with the entry of the change that had led to it."""
    for change, following in pairwise(history):
        if following.before is not None:
            yield following.before, LogEntry(operation=change.operation, agent=change.agent, at=change.at, reason=change.reason)


def _documents(core: Core, request: MoveScopeRequest) -> Iterator[list[Document]]:
    """Yield the changes that bring along what is kept beside the records, page by page."""
    for collection in _COLLECTIONS:
        after: str | None = None
        while page := core.store.documents(collection, prefix=f"{request.scope}\n", after=after):
            yield [change for document in page for change in _moved(document, request)]
            after = page[-1].key


def _moved(document: Document, request: MoveScopeRequest) -> Iterator[Document]:
    key = request.to + document.key.removeprefix(request.scope)
    value: dict[str, Any] = dict(document.value or {})
    if "scope" in value:
        value["scope"] = request.to
    if isinstance(value.get("record"), dict):
        value["record"] = {**value["record"], "scope": request.to}
    yield Document(document.collection, document.key, None)
    yield Document(document.collection, key, value, request.to)
