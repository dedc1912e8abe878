"""The source's change log as changes for the target: each entry with its position, and the record as the entry left it.

It must not know what has been copied. An entry's record is what the record's next entry found before it; the last entry's is the record
that stands, with its usage and index entries. Where content was erased, a bare tombstone takes its place: it is logged as what is left of
an erased entry, and the tombstone that did the erasing, or the removal, follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from satchel.ports import Change, LogEntry, Put, Remove, Store, StoredRecord
from satchel.protocol.record import Deletion, MemoryRecord, Status

_Address = tuple[str, str]


def replay(source: Store, entries: Sequence[Change]) -> list[Put | Remove]:
    """Return the changes that make these entries, read in the same `source.reading()`, happen in another store."""
    following: dict[_Address, Change] = {}
    nexts: list[Change | None] = []
    for entry in reversed(entries):
        nexts.append(following.get((entry.scope, entry.id)))
        following[entry.scope, entry.id] = entry
    nexts.reverse()
    ends = [entry for entry, after in zip(entries, nexts, strict=True) if after is None]
    standing = _standing(source, ends)
    beyond = _beyond(source, [entry for entry in ends if not _is_last(entry, standing)])
    return [_change(entry, after or beyond.get((entry.scope, entry.id)), standing) for entry, after in zip(entries, nexts, strict=True)]


def _is_last(entry: Change, standing: Mapping[_Address, StoredRecord]) -> bool:
    found = standing.get((entry.scope, entry.id))
    return found is not None and found.change == entry.position


def _beyond(source: Store, entries: Sequence[Change]) -> dict[_Address, Change]:
    """Return the entry that follows each of these, where there is one."""
    ids: dict[str, list[str]] = {}
    for entry in entries:
        ids.setdefault(entry.scope, []).append(entry.id)
    histories = {scope: source.histories(scope, some) for scope, some in ids.items()}
    found = {}
    for entry in entries:
        later = (one for one in histories[entry.scope].get(entry.id, ()) if one.position > entry.position)
        if (after := next(later, None)) is not None:
            found[entry.scope, entry.id] = after
    return found


def _standing(source: Store, entries: Sequence[Change]) -> dict[_Address, StoredRecord]:
    ids: dict[str, list[str]] = {}
    for entry in entries:
        ids.setdefault(entry.scope, []).append(entry.id)
    return {(scope, name): found for scope, some in ids.items() for name, found in source.stored(scope, some).items()}


def _change(entry: Change, after: Change | None, standing: Mapping[_Address, StoredRecord]) -> Put | Remove:
    log = LogEntry(entry.operation, entry.agent, entry.at, entry.reason, entry.position)
    if _is_last(entry, standing):
        found = standing[entry.scope, entry.id]
        return Put(found.record, log, terms=found.terms, vector=found.vector)
    if after is not None and after.erased:
        return Put(_remains(entry), log)
    if after is None or after.before is None:
        return Remove(entry.scope, entry.id, log)
    return Put(after.before, log)


def _remains(entry: Change) -> MemoryRecord:
    return MemoryRecord(
        id=entry.id,
        scope=entry.scope,
        content="",
        status=Status.DELETED,
        revision=entry.revision,
        stored_at=entry.at,
        updated_at=entry.at,
        deletion=Deletion(at=entry.at),
    )
