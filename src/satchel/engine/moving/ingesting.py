"""`ingest`: the migration kit's door (MIG-6). Batches of a foreign source's items become records, each item with its receipt.

It owns resuming and idempotency by (import, item); it must not know any foreign format or how an item is judged.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from satchel.engine.access import require_write
from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.erasing import erase
from satchel.engine.forgetting.lineage import lineage
from satchel.engine.forgetting.scrubbing import settle
from satchel.engine.forgetting.tombstones import Marks
from satchel.engine.history.snapshots import Beforehand
from satchel.engine.moving.gate import Gate
from satchel.engine.moving.judging import Imagined, Judgement
from satchel.engine.moving.merging import tombstones_over_living
from satchel.engine.moving.receipt_book import ReceiptBook
from satchel.engine.moving.receipts import ImportHead, drop
from satchel.engine.writing.committing import Vectors, commit, log_entry, put
from satchel.errors import Conflict, Fault, InvalidRequest
from satchel.operations.models import ImportItem, IngestRequest, Receipt, ReceiptOutcome, Receipts
from satchel.ports import Batch, LogEntry, Put

_BATCH = 500
_OPEN_IMPORTS = 8
"""Imports whose state is kept in memory at once."""


class Ingester:
    """Handles `ingest`. One per engine; one batch at a time."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lock = threading.Lock()
        self._open: dict[str, _Ingestion] = {}

    def ingest(self, principal: Principal, request: IngestRequest) -> Receipts:
        """Write one batch. An item that has a receipt gets the same again and nothing is written for it.

        Raises:
            InvalidRequest: an accepted item without a record. Conflict: the import is just being undone.
        """
        _check(request)
        with self._lock:
            ingestion = self._open.pop(request.import_id, None)
            if ingestion is None or not ingestion.is_current():
                ingestion = _Ingestion(self._core, request)
            if len(self._open) >= _OPEN_IMPORTS:
                self._open.pop(next(iter(self._open)))
            self._open[request.import_id] = ingestion
            try:
                return Receipts(receipts=tuple(ingestion.take(principal, request)))
            except BaseException:
                self._open.pop(request.import_id)
                raise
            finally:
                if request.final:
                    self._open.pop(request.import_id, None)


def _check(request: IngestRequest) -> None:
    writable = {ReceiptOutcome.ACCEPTED, ReceiptOutcome.TRANSFORMED}
    faults = [
        Fault(field=f"items.{place}.record", message="is missing, though the item is to be written")
        for place, item in enumerate(request.items)
        if item.record is None and item.outcome in writable
    ]
    if faults:
        raise InvalidRequest.of(faults, subject="import")


class _Ingestion:
    """One import as it goes on."""

    def __init__(self, core: Core, request: IngestRequest) -> None:
        self._core = core
        self._gate = Gate(core)
        self._to_embed = core.settings.embed_inline
        self._imagined: Imagined = {}
        self._head = self._begin(request)
        self._book = ReceiptBook(core, request.import_id)

    def _begin(self, request: IngestRequest) -> ImportHead:
        head = ImportHead.load(self._core, request.import_id)
        if head is not None and head.state == "undoing":
            raise Conflict("this import is being undone; finish that first", import_id=request.import_id)
        if head is None or head.state == "undone":
            if head is not None and not request.dry_run:
                drop(self._core, request.import_id)
            scopes = {item.record.scope for item in request.items if item.record is not None}
            positions = self._core.store.positions(scopes) if scopes else {}
            position = max((found.change for found in positions.values()), default=0)
            head = ImportHead.new(request.import_id, origin=request.origin, at=self._core.now(), position=position)
        return head

    def is_current(self) -> bool:
        """Tell whether the store has the import as it was left here: nobody else went on with it or undid it."""
        held = ImportHead.load(self._core, self._head.import_id)
        return held is None if self._head.is_new else held is not None and held.value == self._head.value

    def take(self, principal: Principal, request: IngestRequest) -> list[Receipt]:
        require_write(principal, self._head.scopes)
        found = self._book.receipts_of([item.item for item in request.items])
        new = list({item.item: item for item in request.items if item.item not in found}.values())
        for start in range(0, len(new), _BATCH):
            for receipt in self._write(principal, request, new[start : start + _BATCH]):
                found[receipt.item] = receipt
        if request.final and not request.dry_run:
            self._head = self._head.changed(state="complete")
            self._core.store.apply(Batch(documents=[self._head.document()]))
            settle(self._core)
        return [found[item.item] for item in request.items]

    def _write(self, principal: Principal, request: IngestRequest, items: Sequence[ImportItem]) -> list[Receipt]:
        vectors = Vectors(self._core)
        log = log_entry(self._core, principal, "import", reason=request.import_id)

        def plan() -> tuple[Batch, tuple[Judgement, ImportHead]]:
            judgement = Judgement(self._core, self._gate, request.import_id, log.at, dict(self._imagined)).take(items)
            scopes = [item.record.scope for item in items if item.record is not None]
            head = self._head.grown(judgement.receipts, scopes)
            if request.dry_run:
                return Batch(), (judgement, head)
            return self._batch(principal, judgement, head, vectors, log), (judgement, head)

        judgement, head = commit(self._core, plan)
        if request.dry_run:
            written = (after for after, _ in judgement.changed.values())
            self._imagined |= {(record.scope, record.content_hash): record.id for record in written if record.content_hash}
        else:
            self._head = head
            self._book.add(receipt.item for receipt in judgement.receipts)
        return judgement.receipts

    def _batch(self, principal: Principal, judgement: Judgement, head: ImportHead, vectors: Vectors, log: LogEntry) -> Batch:
        marks = Marks(self._core)
        # What this import wrote to before has its snapshot, also where the import was broken off and is resumed.
        new = {scope for scope, _ in judgement.changed} - self._head.scopes
        Beforehand(self._core, principal, f"import {head.import_id}").of(new)
        self._erase(principal, judgement)
        replaces = any(before is not None for _, before in judgement.changed.values())
        documents = [*judgement.documents, *self._head.receipt_documents(judgement.receipts), head.document()]
        written: list[Put] = []
        buried: list[Put] = []
        for after, before in judgement.changed.values():
            expect = 0 if before is None else before.revision
            if not after.is_tombstone:
                # Two imports at once must not write the same content twice.
                written.append(put(after, log, expect=expect, only_if_new_content=not replaces))
            elif before is None:
                buried.append(Put(after, log, expect=expect))
                documents += marks.documents(after, after)
        embedded = vectors.fill(written[: self._to_embed])
        self._to_embed -= len(embedded)
        documents += lineage(change.record for change in written)
        return Batch([*embedded, *written[len(embedded) :], *buried], documents)

    def _erase(self, principal: Principal, judgement: Judgement) -> None:
        tombstones = list(tombstones_over_living(judgement.changed))
        for scope in dict.fromkeys(record.scope for record in tombstones):
            remains = {record.id: record for record in tombstones if record.scope == scope}
            erase(self._core, principal, scope, set(remains), reason=None, remains=remains)
