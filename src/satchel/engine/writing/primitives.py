"""The raw primitive `write`: a record as it stands (PRO-9, spec/04-primitives.md). It must not know defaults or repetitions."""

from __future__ import annotations

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.lineage import lineage
from satchel.engine.moving.merging import is_same
from satchel.engine.writing.committing import Vectors, commit, log_entry, put, restate
from satchel.engine.writing.completing import check_record
from satchel.errors import Conflict, InvalidRequest
from satchel.operations.models import Outcome, Remembered, WriteRecordRequest
from satchel.ports import Batch, Document, Put
from satchel.protocol.record import MemoryRecord
from satchel.protocol.validation import validated


def write_record(core: Core, principal: Principal, request: WriteRecordRequest) -> Remembered:
    """Write a record; the same state again is `unchanged`. What is stored gets the next revision.

    Raises:
        InvalidRequest: the record is a tombstone, which `delete` makes. SecretRefused: it holds a credential.
        Conflict: the id is that of a forgotten record.
    """
    # A copy that was changed in Python was never checked, its hash least of all.
    record = validated(MemoryRecord, request.record.model_dump(warnings="none"), subject="record")
    if record.is_tombstone:
        raise InvalidRequest.of([{"field": "record.status", "message": "a tombstone is made by delete, not written"}])
    check_record(core, record)
    vectors = Vectors(core)

    def plan() -> tuple[Batch, Remembered]:
        held = core.store.get(record.scope, (record.id,)).get(record.id)
        if held is not None and held.is_tombstone:
            raise Conflict("this id is that of a forgotten memory and is spent", id=held.id, scope=held.scope, actual=held.revision)
        if held is not None and is_same(held, record):
            return Batch(), Remembered(record=held, outcome=Outcome.UNCHANGED)
        changes, documents, written = _changes(core, principal, vectors, record, held)
        shown = written if held is None or principal.readable((held.scope,)) else record
        return Batch(changes, documents), Remembered(record=shown, outcome=Outcome.CREATED if held is None else Outcome.UPDATED)

    return commit(core, plan)


def _changes(
    core: Core, principal: Principal, vectors: Vectors, record: MemoryRecord, held: MemoryRecord | None
) -> tuple[list[Put], list[Document], MemoryRecord]:
    log = log_entry(core, principal, "write_record")
    if held is None:
        return vectors.fill([put(record, log, expect=0)]), lineage([record]), record
    revision = max(record.revision, held.revision + 1)
    written = record.model_copy(update={"revision": revision, "usage": record.usage.merged(held.usage)})
    if written.content_hash == held.content_hash:
        return [restate(written, log, expect=held.revision)], lineage([written]), written
    return vectors.fill([put(written, log, expect=held.revision)]), lineage([written]), written
