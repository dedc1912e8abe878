"""One batch of an import's items, judged against what the store holds (MIG-6): accepted, merged, quarantined or dropped, with the reason.

It must not know which items had a receipt before, or what is done with the verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from satchel.engine.core import Core
from satchel.engine.moving.gate import Gate
from satchel.engine.moving.merging import Address
from satchel.engine.moving.quarantine import quarantined
from satchel.engine.moving.receipts import merged_document
from satchel.operations.models import ImportItem, Receipt, ReceiptOutcome
from satchel.ports import Document
from satchel.protocol.record import MemoryRecord

Imagined = dict[Address, str]
"""What a dry run would have written by now: the id by scope and content hash."""


@dataclass(slots=True)
class Judgement:
    """The verdict on a batch: `changed` has, by address, the record to write and what the store holds there (None: nothing)."""

    core: Core
    gate: Gate
    import_id: str
    now: datetime
    imagined: Imagined
    changed: dict[Address, tuple[MemoryRecord, MemoryRecord | None]] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    _held: dict[Address, MemoryRecord] = field(default_factory=dict)
    _twins: dict[Address, str] = field(default_factory=dict)

    def take(self, items: Iterable[ImportItem]) -> Judgement:
        """Judge items in order, one receipt each."""
        found = list(items)
        records = [item.record for item in found if item.record is not None]
        for scope in dict.fromkeys(record.scope for record in records):
            here = [record for record in records if record.scope == scope]
            held = self.core.store.get(scope, {record.id for record in here})
            self._held |= {(scope, record_id): record for record_id, record in held.items()}
            twins = self.core.store.find(scope, {record.content_hash for record in here if record.content_hash})
            self._twins |= {(scope, content): twin for content, twin in twins.items()}
        self._twins |= self.imagined
        stored = dict(self._held)
        for item in found:
            self.receipts.append(self._receipt(item, stored))
        return self

    def _receipt(self, item: ImportItem, stored: dict[Address, MemoryRecord]) -> Receipt:
        if item.record is None:
            return Receipt(item=item.item, outcome=item.outcome, reason=item.reason, changes=item.changes)
        if item.outcome in {ReceiptOutcome.QUARANTINED, ReceiptOutcome.DROPPED}:
            return self._refuse(item, item.record, item.outcome, item.reason or item.outcome.value)
        address = (item.record.scope, item.record.id)
        held = self._held.get(address)
        if item.record.is_tombstone:
            return self._bury(item, item.record, held, stored.get(address))
        refusal = self.gate.refusal(item.record, held)
        if refusal is not None:
            return self._refuse(item, item.record, *refusal)
        if held is not None:
            return self._meet(item, item.record, held, stored.get(address))
        twin = self._twins.get((item.record.scope, item.record.content_hash))
        if twin is not None:
            return self._merge(item, item.record, twin, "the same content is already here")
        return self._write(item, item.record, None, None)

    def _meet(self, item: ImportItem, record: MemoryRecord, held: MemoryRecord, stored: MemoryRecord | None) -> Receipt:
        """Judge an item whose id is taken."""
        if held.proof_hash() == record.proof_hash():
            if held.source.import_id == self.import_id:
                return self._merge(item, record, held.id, "the source holds this item more than once")
            return self._accepted(item, held, "already here, unchanged")
        if self._is_as_imported(held, record):
            if held.content_hash == record.content_hash and record.updated_at <= held.updated_at:
                # Two views of one foreign memory (an export and a history file): the later one to be read need not know as much.
                return self._merge(item, record, held.id, "the same memory came with an earlier import; its fields are kept as they are")
            return self._write(item, record, stored, "takes the place of what an earlier import brought")
        if held.content_hash == record.content_hash:
            return self._merge(item, record, held.id, "already here and changed since; it is kept as it is")
        return self._refuse(item, record, ReceiptOutcome.QUARANTINED, "another memory has this id here")

    def _is_as_imported(self, held: MemoryRecord, record: MemoryRecord) -> bool:
        source = held.source
        if source.imported_from is None or source.imported_from != record.source.imported_from or source.import_id == self.import_id:
            return False
        history = self.core.store.history(held.scope, held.id)
        return bool(history) and history[-1].operation in {"import", "undo_import"}

    def _write(self, item: ImportItem, record: MemoryRecord, stored: MemoryRecord | None, reason: str | None) -> Receipt:
        source = record.source.model_copy(update={"import_id": self.import_id})
        revision = 1 if stored is None else stored.revision + 1
        # What has just been moved in is as strong as its score, for the store takes it now (RET-1).
        written = record.model_copy(update={"source": source, "stored_at": self.now, "revision": revision})
        self._hold(written, stored)
        return self._accepted(item, written, reason)

    def _hold(self, record: MemoryRecord, stored: MemoryRecord | None) -> None:
        address = (record.scope, record.id)
        self._held[address] = record
        self.changed[address] = (record, stored)
        if record.content_hash:
            self._twins[record.scope, record.content_hash] = record.id

    def _accepted(self, item: ImportItem, record: MemoryRecord, reason: str | None) -> Receipt:
        return Receipt(
            item=item.item,
            outcome=item.outcome,
            reason=item.reason or reason,
            id=record.id,
            scope=record.scope,
            state_hash=record.proof_hash(),
            changes=item.changes,
        )

    def _merge(self, item: ImportItem, record: MemoryRecord, into: str, reason: str) -> Receipt:
        self.documents.append(merged_document(record.scope, into, self.import_id))
        return Receipt(item=item.item, outcome=ReceiptOutcome.MERGED, reason=reason, id=into, scope=record.scope, changes=item.changes)

    def _refuse(self, item: ImportItem, record: MemoryRecord, outcome: ReceiptOutcome, reason: str) -> Receipt:
        if outcome is ReceiptOutcome.QUARANTINED:
            self.documents.append(quarantined(record, import_id=self.import_id, item=item.item, reason=reason))
        return Receipt(item=item.item, outcome=outcome, reason=reason, id=record.id, scope=record.scope, changes=item.changes)

    def _bury(self, item: ImportItem, record: MemoryRecord, held: MemoryRecord | None, stored: MemoryRecord | None) -> Receipt:
        """Take in that the origin had forgotten something: it is forgotten here as well."""
        if held is None or not held.is_tombstone:
            self._hold(record.model_copy(update={"revision": 1 if stored is None else stored.revision + 1}), stored)
        return Receipt(
            item=item.item,
            outcome=item.outcome,
            reason=item.reason or "was forgotten in its source, and stays so",
            id=record.id,
            scope=record.scope,
            changes=item.changes,
        )
