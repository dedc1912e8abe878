"""The file written anew: the same positions, records, history and documents, without erased content and without what was overtaken.

It must not know locks. Erased changes stay as a line each, so that no position moves; uses are summed up; of a document the last is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from satchel.ports import IndexEntry
from satchel.stores.jsonl.journal import header, sealed
from satchel.stores.jsonl.lines import document_line, erased_line, put_line, usage_line
from satchel.stores.memory.state import Logged, State

_BATCH = 100
"""Lines that stand or fall together: where the file is cut, so many are lost at most beyond what was cut off."""


def compacted(state: State, generation: bytes) -> Iterator[bytes]:
    """Yield the parts of a file that replays to this state."""
    yield header(generation)
    lines = _lines(state)
    while held := list(islice(lines, _BATCH)):
        yield sealed(held)


def _lines(state: State) -> Iterator[bytes]:
    yield from _changes(state)
    for collection, documents in sorted(state.documents.items()):
        for key, (scope, text) in sorted(documents.items()):
            yield document_line(collection, key, scope, text)
    for name, scope_state in sorted(state.scopes.items()):
        for record_id, row in scope_state.rows.items():
            if row.usage.access_count or row.usage.last_access_at:
                yield usage_line(name, record_id, row.usage)


def _changes(state: State) -> Iterator[bytes]:
    """Yield a line for each entry of the log: what a record became by it is what the record's next entry found."""
    following: dict[tuple[str, str], Logged] = {}
    after: list[str | None] = []
    for position in reversed(state.positions):
        entry = state.log[position]
        where = (entry.scope, entry.id)
        if where in following:
            after.append(following[where].before)
        else:
            row = state.scope(entry.scope).rows.get(entry.id)
            after.append(None if row is None else row.body)
        following[where] = entry
    for entry, body in zip(state.log.values(), reversed(after), strict=True):
        if body is None:
            yield erased_line(entry.scope, entry.id, entry.revision, entry.log)
        else:
            yield put_line(entry.log, body)


def index_entries(state: State) -> Iterator[IndexEntry]:
    """Yield the index entries that still mean something."""
    for name, scope in state.scopes.items():
        for record_id, row in scope.rows.items():
            if row.terms or row.vector is not None:
                yield IndexEntry(name, record_id, row.record.content_hash, row.terms, row.vector)
