"""`migrate`: carry a plan out through any Memory, in batches; the same move again changes nothing and goes on where it broke off.

It must not know any foreign format, nor whether the memory is here or behind a service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from satchel.errors import NotFound
from satchel.migrate.items import DELETED_AT_ORIGIN
from satchel.migrate.plan import Plan, PlannedItem, make_plan
from satchel.migrate.report import MigrationReport
from satchel.operations import Memory
from satchel.operations.models import ImportItem, IngestRequest, Receipt, ReceiptOutcome
from satchel.protocol.record import MemoryRecord

BATCH_ITEMS = 500
BATCH_CHARS = 3 * 1_048_576
"""Characters of content and meta in one batch, so that a batch of Chinese stays below a service's limit of 20 MB."""

STILL_HELD = f"{DELETED_AT_ORIGIN}, but the store holds it from {{}}: forget it if that is right"

FORGOTTEN = "forgotten"
"""The reason that forgetting leaves on a receipt."""

_UNCHANGED = "already here"
"""How the reason of a receipt begins where the store held the item before."""


def migrate(
    memory: Memory,
    kind: str,
    path: str | Path,
    *,
    scope: str | None = None,
    tz: str | None = None,
    mapping: Mapping[str, str] | None = None,
    scope_map: Mapping[str, str] | None = None,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> MigrationReport:
    """Move a foreign tool's memories in; every item gets a receipt.

    `scope` takes everything; it may be left out where the source names users, who then get `user:NAME`, or where `scope_map` (owner to
    scope) says it. `tz` is the zone of times that have none. `mapping` is for plain tables (see mapping.py). `dry_run` only tells.
    `progress` is called with the number of items done so far. Running it again is safe, after a crash too.
    Raises InvalidRequest where the source cannot be read or a scope is missing; nothing is written then.
    """
    plan = make_plan(kind, path, scope=scope, tz=tz, mapping=mapping, scope_map=scope_map)
    before = _receipted(memory, plan.import_id)
    new = forgotten = 0
    counts: Counter[str] = Counter()
    told: list[Receipt] = []
    for batch, final in _batches(plan.items()):
        items = tuple(_asked(memory, planned) for planned in batch)
        request = IngestRequest(import_id=plan.import_id, origin=plan.origin, items=items, final=final, dry_run=dry_run)
        receipts = memory.ingest(request)
        counts.update(receipt.outcome.value for receipt in receipts)
        forgotten += sum(receipt.reason == FORGOTTEN for receipt in receipts)
        new += sum(_is_new(receipt) and hash(receipt.item) not in before for receipt in receipts)
        if dry_run:
            told += receipts
        if progress:
            progress(sum(counts.values()))
    return _report(memory, plan, counts, new, told, dry_run, forgotten)


def _receipted(memory: Memory, import_id: str) -> set[int]:
    """Return which items an earlier run of the same move took. Hashes are kept, not names, for a source may have millions."""
    states = {found.import_id: found.state for found in memory.imports()}
    if states.get(import_id, "undone") == "undone":
        return set()
    return {hash(receipt.item) for receipt in memory.receipts(import_id)}


def _is_new(receipt: Receipt) -> bool:
    written = receipt.outcome in (ReceiptOutcome.ACCEPTED, ReceiptOutcome.TRANSFORMED)
    return written and receipt.reason != FORGOTTEN and not (receipt.reason or "").startswith(_UNCHANGED)


def _report(
    memory: Memory, plan: Plan, counts: Counter[str], new: int, told: list[Receipt], dry_run: bool, forgotten: int
) -> MigrationReport:
    def receipts() -> Iterable[Receipt]:
        return told if dry_run else memory.receipts(plan.import_id)

    return MigrationReport(
        plan.import_id, plan.origin.kind, plan.origin.path, counts, tuple(plan.notes()), new, receipts, dry_run, forgotten
    )


def _batches(items: Iterator[PlannedItem]) -> Iterator[tuple[list[PlannedItem], bool]]:
    """Yield (batch, whether it is the last); an empty source gives one empty batch, so that the import is closed."""
    batch: list[PlannedItem] = []
    size = 0
    for planned in items:
        length = len(planned.record.content) + len(str(planned.record.meta)) if planned.record else 0
        if batch and (len(batch) >= BATCH_ITEMS or size + length > BATCH_CHARS):
            yield batch, False
            batch, size = [], 0
        batch.append(planned)
        size += length
    yield batch, True


def _asked(memory: Memory, planned: PlannedItem) -> ImportItem:
    """Return what to ask of the store; a deleted item that it holds all the same is left and reported."""
    found = held_anywhere(memory, planned) if planned.source.deleted_at_origin else None
    if found is None:
        return planned.request
    whence = "elsewhere" if found.source.import_id is None else "an earlier import"
    return planned.request.model_copy(update={"reason": STILL_HELD.format(whence)})


def held_anywhere(memory: Memory, planned: PlannedItem) -> MemoryRecord | None:
    """Return what the store holds of an item that is not to be there."""
    identity = planned.record.id if planned.record else planned.source.id
    found = (held(memory, scope, identity) for scope in planned.scopes)
    return next((record for record in found if record is not None), None)


def held(memory: Memory, scope: str | None, id: str | None) -> MemoryRecord | None:
    """Return what the store holds of a record, None for nothing or a tombstone."""
    if scope is None or not id:
        return None
    try:
        record = memory.read_record(id, scope=scope)
    except NotFound:
        return None
    return None if record.is_tombstone else record
