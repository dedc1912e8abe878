"""`forget`: real, in two stages (RET-5). At once gone from every answer; then scrubbed from the files, and only then said to be.

It must not know how a store removes bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.lineage import descendants, originals
from satchel.engine.forgetting.scrubbing import finish, pending_document
from satchel.engine.forgetting.tombstones import Marks, tombstone
from satchel.engine.forgetting.traces import imports_of, receipt_traces, traces
from satchel.engine.reading import fetch
from satchel.engine.working.traces import forget_in_working
from satchel.engine.writing.committing import commit, log_entry, note_uses, restate, revised
from satchel.engine.writing.settling import left_over, set_free
from satchel.errors import StoreCorrupt
from satchel.operations.models import ForgetItem, ForgetRequest, Forgotten, RecordRequest
from satchel.ports import Batch, LogEntry, Put, Use
from satchel.protocol.record import Deletion, MemoryRecord, Status

NOTE = "packages that were exported earlier are out of reach"


def forget_one(core: Core, principal: Principal, request: ForgetRequest) -> Forgotten:
    """Forget one record at once, what was derived from it, and what was put together in it. One that is forgotten already stays so."""
    scope = (request.scope or ("",))[0]
    return _forget(core, principal, scope, request.id or "", request.reason)


def delete_record(core: Core, principal: Principal, request: RecordRequest) -> Forgotten:
    """Replace a record by its tombstone."""
    return _forget(core, principal, request.scope, request.id, None)


def _forget(core: Core, principal: Principal, scope: str, record_id: str, reason: str | None) -> Forgotten:
    parts: dict[str, MemoryRecord] = {}
    try:
        parts = originals(core, scope, fetch(core, scope, record_id, tombstones=True))
    except StoreCorrupt as error:
        if error.details.get("id") != record_id:
            raise
        _bury_damaged(core, principal, scope, record_id, reason)
    gone = erase(core, principal, scope, {record_id, *parts}, reason=reason) or [record_id]
    items = tuple(ForgetItem(id=entry, scope=scope) for entry in sorted(gone, key=lambda entry: (entry != record_id, entry)))
    # Who was shown the whole has read what is in the parts, and asked for that to go.
    told = f"{len(parts)} of them had been put together in it; {NOTE}" if parts else NOTE
    state, note = finish(core, told)
    return Forgotten(state=state, count=len(items), items=items, note=note)


def _bury_damaged(core: Core, principal: Principal, scope: str, record_id: str, reason: str | None) -> None:
    """Put a tombstone in the place of a record that cannot be read, so that the rest of its scope can be."""
    log = log_entry(core, principal, "forget", reason=reason)
    # Every change raises a revision by one, so that the log's position is above it.
    revision = core.store.positions((scope,))[scope].change + 1
    remains = MemoryRecord(
        id=record_id,
        content="",
        scope=scope,
        stored_at=log.at,
        updated_at=log.at,
        status=Status.DELETED,
        revision=revision,
        deletion=Deletion(at=log.at, by=log.agent, reason=reason),
    )
    core.store.apply(Batch([Put(remains, log)], [pending_document(core, scope)]))


def erase(
    core: Core,
    principal: Principal,
    scope: str,
    ids: Collection[str],
    *,
    reason: str | None,
    with_receipts: bool = True,
    remains: Mapping[str, MemoryRecord] | None = None,
    only: Callable[[MemoryRecord], bool] | None = None,
) -> list[str]:
    """Replace records by tombstones, with everything derived from them and every other trace; return the ids that went.

    `remains` has, by id, tombstones that were made elsewhere; the others are made here.
    `only` is asked of each record as it is when it goes, and then nothing but these records goes or comes back: a purge erases what is
    old, not what was made of it. The files still hold them until `scrubbing.settle`. Without `with_receipts` the caller has seen to
    those of the ids themselves.
    """
    marks = Marks(core)
    marks.ensure()

    def plan() -> tuple[Batch, tuple[list[str], list[Use]]]:
        log = log_entry(core, principal, "forget", reason=reason)
        erasure = _Erasure(core, scope, marks, log, frozenset(ids), remains or {}, only)
        return erasure.batch(with_receipts)

    gone, back = commit(core, plan)
    if back:
        note_uses(core, back)
    return gone


@dataclass(frozen=True, slots=True)
class _Erasure:
    """One erasure in one scope, planned."""

    core: Core
    scope: str
    marks: Marks
    log: LogEntry
    ids: frozenset[str]
    remains: Mapping[str, MemoryRecord]
    only: Callable[[MemoryRecord], bool] | None = None

    def batch(self, with_receipts: bool) -> tuple[Batch, tuple[list[str], list[Use]]]:
        """Return what to write, the ids that go, and the uses of what comes back in their place."""
        wanted = self.ids if self.only else self.ids | descendants(self.core, self.scope, self.ids)
        held = [record for record in self.core.store.get(self.scope, wanted).values() if not record.is_tombstone]
        gone = [record for record in held if self.only is None or self.only(record)]
        if not gone:
            return Batch(), ([], [])
        pairs = [(record, self._tombstone(record)) for record in gone]
        puts = [Put(remains, self.log, expect=record.revision) for record, remains in pairs]
        documents = [document for record, remains in pairs for document in self.marks.documents(record, remains)]
        # Before they go: were it broken off, the records would still be there to be forgotten again.
        forget_in_working(self.core, self.scope, gone, self.log.at)
        documents += traces(self.core, self.scope, gone)
        told = [record for record in gone if with_receipts or record.id not in self.ids]
        documents += [document for group in receipt_traces(self.core, imports_of(self.core, told)) for document in group]
        back = () if self.only else tuple(self._originals(gone))
        free = () if self.only else tuple(self._set_free(gone, {one.record.id for one in back}))
        returning = () if self.only else (*back, *free, *self._left_over(gone, pairs))
        batch = Batch([*puts, *returning], [*documents, pending_document(self.core, self.scope)])
        # As fresh as what they were recalled in: by their own last use the next pass might archive them.
        last = max((record.usage.last_access_at or record.stored_at for record in gone), default=self.log.at)
        return batch, ([record.id for record in gone], [Use(self.scope, one.record.id, last) for one in (*back, *free)])

    def _tombstone(self, record: MemoryRecord) -> MemoryRecord:
        made_elsewhere = self.remains.get(record.id)
        return made_elsewhere or tombstone(record, at=self.log.at, by=self.log.agent, reason=self.log.reason)

    def _left_over(self, gone: Collection[MemoryRecord], pairs: Collection[tuple[MemoryRecord, MemoryRecord]]) -> Iterator[Put]:
        """Bring back what was asked about only because of a record that goes."""
        after = {record.id: remains for record, remains in pairs}
        for before, record in left_over(lambda names: self.core.store.get(self.scope, set(names)), gone, after, self.log.at):
            yield restate(record, self.log, expect=before.revision)

    def _set_free(self, gone: Collection[MemoryRecord], back: Collection[str]) -> Iterator[Put]:
        """Bring back what a record that goes had replaced."""
        for before, record in set_free(self.core, gone, self.log.at):
            if before.id not in back:
                yield restate(record, self.log, expect=before.revision)

    def _originals(self, gone: Collection[MemoryRecord]) -> Iterator[Put]:
        """Bring back what is left of the originals of a derived record that goes: they say again what it said."""
        names = {record.id for record in gone}
        left = {original: record.id for record in gone for original in record.relations.derived_from if original not in names}
        for record in self.core.store.get(self.scope, left).values() if left else ():
            if record.status is Status.ARCHIVED and left[record.id] in record.relations.superseded_by:
                yield restate(revised(record, self.log.at, status=Status.ACTIVE), self.log, expect=record.revision)
