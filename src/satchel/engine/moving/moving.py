"""`move_scope`: every record of one scope into another, with its history and what belongs to it (ENG-5). It must not know why."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting import traces
from satchel.engine.forgetting.lineage import DERIVED
from satchel.engine.forgetting.scrubbing import leaving_documents
from satchel.engine.forgetting.tombstones import FORGOTTEN
from satchel.engine.history.arrivals import ARRIVALS, Departing
from satchel.engine.history.snapshots import Beforehand, moved, of_scope
from satchel.engine.moving.quarantine import QUARANTINE
from satchel.engine.moving.receipts import MERGED
from satchel.engine.recall.recall_log import RECALLS
from satchel.engine.working.arrivals import move_sessions
from satchel.engine.working.mentions import MENTIONS
from satchel.engine.writing.committing import commit, log_entry, put
from satchel.engine.writing.doubts import DOUBTS
from satchel.errors import InvalidRequest
from satchel.operations.models import Moved, MoveScopeRequest
from satchel.ports import Batch, Change, Document, LogEntry, Put, Remove
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord

_PAGE = 200
_EVERY = RecordFilter(statuses=())
_COLLECTIONS = (FORGOTTEN, traces.REPETITIONS, DERIVED, MERGED, QUARANTINE, DOUBTS, RECALLS, MENTIONS)


def move_scope(core: Core, principal: Principal, request: MoveScopeRequest) -> Moved:
    """Move a scope, with its snapshots. Interrupted, it goes on where it stopped when it is called again.

    What the target holds under the same id is never overwritten: where it is another memory, the record is left behind and named.
    """
    if request.scope == request.to:
        raise InvalidRequest.of([{"field": "to", "message": "is the scope itself"}])
    move = _Move(core, principal, request)
    left = move.records()
    if not left:
        for documents in _documents(core, request):
            core.store.apply(Batch(documents=documents))
        for one in list(of_scope(core, request.scope)):
            core.store.apply(Batch(documents=moved(core, one, request.to)))
        move_sessions(core, request.scope, request.to)
    return Moved(moved=move.moved, left=tuple(left), before=next(iter(move.before.made), None))


class _Move:
    """One scope on its way."""

    def __init__(self, core: Core, principal: Principal, request: MoveScopeRequest) -> None:
        self._core = core
        self._principal = principal
        self._request = request
        self._vectors = {row.id: row.vector for row in core.store.index_slice(request.scope).rows}
        self._departing = Departing(core, request.scope, [(one.position, one.logs) for one in of_scope(core, request.scope)])
        self.before = Beforehand(core, principal, f"move of {request.scope}")
        self.moved = 0

    def records(self) -> list[str]:
        """Move the records page by page; return the ids of those that stay."""
        left: list[str] = []
        cursor = None
        while True:
            page = self._core.store.scan((self._request.scope,), _EVERY, cursor=cursor, limit=_PAGE)
            ids = [record.id for record in page.records]
            went, stayed = commit(self._core, lambda ids=ids: self._plan(ids))  # type: ignore[misc]
            self.moved += went
            left += stayed
            cursor = page.cursor
            if cursor is None:
                return left

    def _plan(self, ids: Collection[str]) -> tuple[Batch, tuple[int, list[str]]]:
        request, store = self._request, self._core.store
        log = log_entry(self._core, self._principal, "move_scope", reason=f"from {request.scope}")
        records, there = store.get(request.scope, ids), store.get(request.to, ids)
        histories = store.histories(request.scope, records)
        changes: list[Put | Remove] = []
        entries: list[Change] = []
        left = []
        for record_id, record in sorted(records.items()):
            held = there.get(record_id)
            if held is None:
                history = [] if record.is_tombstone else _life(histories[record_id])
                changes += self._arriving(record, history, log)
                entries += history
            elif held.content_hash != record.content_hash or held.is_tombstone is not record.is_tombstone:
                left.append(record_id)
                continue
            changes.append(Remove(request.scope, record_id, replace(log, reason=f"to {request.to}"), expect=record.revision))
        if changes:
            self.before.of((request.to,))
        documents = list(self._departing.documents(request.to, entries))
        documents += leaving_documents(self._core, request.scope) if changes else ()
        return Batch(changes, documents), (len(records) - len(left), left)

    def _arriving(self, record: MemoryRecord, history: Sequence[Change], log: LogEntry) -> Iterator[Put]:
        """Yield the changes that make the record in its new scope: each of its states as the old scope's log has it, then the move."""
        to, expect = self._request.to, 0
        for change, following in zip_longest(history, history[1:]):
            state = record if following is None else following.before
            if state is None:
                continue
            entry = LogEntry(operation=change.operation, agent=change.agent, at=change.at, reason=change.reason)
            yield Put(state.model_copy(update={"scope": to}), entry, expect=expect)
            expect = state.revision
        if record.is_tombstone:
            yield Put(record.model_copy(update={"scope": to}), log, expect=0)
        else:
            arrived = record.model_copy(update={"scope": to, "revision": record.revision + 1})
            yield replace(put(arrived, log, expect=expect), vector=self._vectors.get(record.id))


def _life(history: Sequence[Change]) -> list[Change]:
    """Return the entries of the record that stands, without those of one that had the id before and was taken out."""
    last = max((place for place, change in enumerate(history) if change.erased), default=-1)
    return list(history[last + 1 :])


def _documents(core: Core, request: MoveScopeRequest) -> Iterator[list[Document]]:
    """Yield the changes that bring along what is kept beside the records, page by page."""
    for collection in _COLLECTIONS:
        after: str | None = None
        while page := core.store.documents(collection, prefix=f"{request.scope}\n", after=after):
            yield [change for document in page for change in _moved(document, request)]
            after = page[-1].key
    # Its snapshots look at the log of the new scope, where the move has said what they need.
    while page := core.store.documents(ARRIVALS, prefix=f"{request.scope}\n"):
        yield [Document(document.collection, document.key, None) for document in page]


def _moved(document: Document, request: MoveScopeRequest) -> Iterator[Document]:
    key = request.to + document.key.removeprefix(request.scope)
    value: dict[str, Any] = dict(document.value or {})
    if "scope" in value:
        value["scope"] = request.to
    if isinstance(value.get("record"), dict):
        value["record"] = {**value["record"], "scope": request.to}
    yield Document(document.collection, document.key, None)
    yield Document(document.collection, key, value, request.to)
