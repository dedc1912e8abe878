"""`verify`: prove that an import arrived, record by record, against its source read anew (MIG-7).

It says what was proved and never more: with the source gone, only that the store still holds what it took (complaint 70b).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from satchel.errors import InvalidRequest, NotFound, StoreCorrupt
from satchel.migrate.plan import Plan, PlannedItem, plan_again
from satchel.migrate.run import held, held_anywhere
from satchel.migrate.verification import Tally, VerificationReport
from satchel.operations import Memory
from satchel.operations.models import ImportSummary, Receipt, ReceiptOutcome
from satchel.protocol.record import MemoryRecord

_WRITTEN = (ReceiptOutcome.ACCEPTED, ReceiptOutcome.TRANSFORMED)


def verify(memory: Memory, import_id: str) -> VerificationReport:
    """Compare what the store holds now with what the source holds, field by field, and account for every item.

    Raises NotFound for an unknown import.
    """
    summary = next((found for found in memory.imports() if found.import_id == import_id), None)
    if summary is None:
        raise NotFound(f"no import {import_id!r}", import_id=import_id)
    tally = Tally()
    ledger = _Ledger(memory.receipts(import_id))
    plan = _opened(summary, tally)
    if plan is None:
        for receipt in ledger.rest():
            _check_receipt(memory, receipt, tally)
    else:
        if summary.origin and plan.origin.digest != summary.origin.digest:
            tally.note("the source has changed since the import; it was compared as it is now")
        for planned in plan.items():
            _check_item(memory, planned, ledger.take(planned.request.item), tally)
        for receipt in ledger.rest():
            tally.fault(receipt.item, "has a receipt, but the source no longer holds it", id=receipt.id)
    if summary.state != "complete":
        tally.fault(import_id, f"the import is {summary.state}, not complete")
    return tally.report(summary, source_read=plan is not None)


def _opened(summary: ImportSummary, tally: Tally) -> Plan | None:
    if summary.origin is None:
        tally.note("the import does not say what it came from")
        return None
    try:
        return plan_again(summary.import_id, summary.origin)
    except InvalidRequest as error:
        tally.note(f"the source cannot be read any more ({error.message})")
        return None


class _Ledger:
    """Receipts in the order of the source, found by item; what is passed over is held, so that an unchanged source costs no memory."""

    def __init__(self, receipts: Iterator[Receipt]) -> None:
        self._receipts = receipts
        self._passed: dict[str, Receipt] = {}

    def take(self, item: str) -> Receipt | None:
        if item in self._passed:
            return self._passed.pop(item)
        for receipt in self._receipts:
            if receipt.item == item:
                return receipt
            self._passed[receipt.item] = receipt
        return None

    def rest(self) -> Iterator[Receipt]:
        yield from self._passed.values()
        yield from self._receipts


# ---------------------------------------------------------------- against the source


def _check_item(memory: Memory, planned: PlannedItem, receipt: Receipt | None, tally: Tally) -> None:
    item = planned.request.item
    if receipt is None:
        tally.fault(item, "stands in the source and has no receipt: it was never imported")
        return
    tally.outcome(receipt.outcome)
    if planned.source.deleted_at_origin:
        _check_deleted(memory, planned, receipt, tally)
    elif planned.record is None or planned.request.outcome not in _WRITTEN:
        if receipt.outcome is not planned.request.outcome:
            tally.fault(item, f"the source says {planned.request.outcome.value}, the receipt {receipt.outcome.value}")
    elif receipt.outcome in _WRITTEN:
        _check_record(memory, planned.record, receipt, tally)
    elif receipt.outcome is ReceiptOutcome.MERGED:
        _check_merged(memory, planned.record, receipt, tally)
    elif receipt.id is None and held_anywhere(memory, planned) is not None:
        tally.note(f"{item} was {receipt.outcome.value}, and the store holds a record under its id")


def _check_deleted(memory: Memory, planned: PlannedItem, receipt: Receipt, tally: Tally) -> None:
    tally.deleted += 1
    found = held_anywhere(memory, planned)
    if receipt.outcome is not ReceiptOutcome.DROPPED:
        tally.fault(receipt.item, f"was deleted at its origin, and the receipt says {receipt.outcome.value}", id=planned.source.id)
    elif found is not None:
        tally.fault(receipt.item, "was deleted at its origin, and the store holds it", id=found.id)


def _check_record(memory: Memory, expected: MemoryRecord, receipt: Receipt, tally: Tally) -> None:
    stored = _stored(memory, receipt, expected, "is not in the store", tally)
    if stored is None:
        return
    proof = stored.proof_hash()
    if proof != expected.proof_hash():
        for field in _differing(expected, stored) or ("state",):
            tally.fault(receipt.item, "differs from the source", id=stored.id, field=field)
    elif receipt.state_hash is not None and proof != receipt.state_hash:
        tally.fault(receipt.item, "differs from its receipt", id=stored.id, field="state_hash")


def _check_merged(memory: Memory, expected: MemoryRecord, receipt: Receipt, tally: Tally) -> None:
    stored = _stored(memory, receipt, expected, "was merged into a record that is not in the store", tally)
    if stored is not None and stored.content_hash != expected.content_hash:
        tally.fault(receipt.item, "differs from the record it was merged into", id=stored.id, field="content")


def _stored(memory: Memory, receipt: Receipt, expected: MemoryRecord | None, missing: str, tally: Tally) -> MemoryRecord | None:
    """Return the record that a receipt is about, counted; what is wrong where there is none is told."""
    identity = receipt.id or (expected.id if expected else None)
    try:
        stored = held(memory, receipt.scope or (expected.scope if expected else None), identity)
    except StoreCorrupt:
        tally.fault(receipt.item, "is damaged in the store and cannot be read", id=identity)
        return None
    if stored is None:
        tally.fault(receipt.item, missing, id=identity)
    else:
        tally.compared(stored)
    return stored


def _differing(expected: MemoryRecord, stored: MemoryRecord) -> list[str]:
    """Return the dotted names of the fields that are not equal, the content first."""
    ours, theirs = expected.state(), stored.state()
    for state in (ours, theirs):
        state.pop("updated_at")
        state["source"].pop("import_id")
    # A content that differs has another hash, which says nothing more.
    names = [name for name in _paths(ours, theirs) if name != "content_hash"]
    return sorted(names, key=lambda name: (name != "content", name))


def _paths(ours: dict[str, Any], theirs: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for name in {**ours, **theirs}:
        one, other = ours.get(name), theirs.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _paths(one, other, f"{prefix}{name}.")
        elif one != other or (name in ours) != (name in theirs):
            yield prefix + name


# ---------------------------------------------------------------- against the receipts


def _check_receipt(memory: Memory, receipt: Receipt, tally: Tally) -> None:
    tally.outcome(receipt.outcome)
    if receipt.outcome not in _WRITTEN and receipt.outcome is not ReceiptOutcome.MERGED:
        return
    stored = _stored(memory, receipt, None, "is not in the store", tally)
    if stored is not None and receipt.outcome in _WRITTEN and receipt.state_hash != stored.proof_hash():
        tally.fault(receipt.item, "differs from its receipt", id=stored.id, field="state_hash")
