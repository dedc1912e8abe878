"""One batch of a package's records, planned against what the store holds (PRO-10): merged by the protocol's rule, refused, or new.

It must not know the order of a package or what is told of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from satchel.engine.core import Core
from satchel.engine.moving.gate import Gate, Refusal
from satchel.engine.moving.quarantine import quarantined
from satchel.operations.models import Receipt, ReceiptOutcome
from satchel.ports import Document, Use
from satchel.protocol.merge import newer
from satchel.protocol.record import MemoryRecord, Usage

Address = tuple[str, str]


class Arrival(NamedTuple):
    """One record of a package: where it stood, the scope it had there, and the record under the scope it goes to."""

    item: str
    origin: str
    record: MemoryRecord


@dataclass(slots=True)
class Merge:
    """What a batch comes to. `changed` has, by address, the record to write and what the store holds there (None: nothing)."""

    core: Core
    gate: Gate
    import_id: str
    now: datetime
    """When this store takes the records: what has just been moved in is as strong as its score (RET-1)."""

    origins: Mapping[Address, str] | None
    """Which scope of the package a record came from, where several go into one; None where none do."""

    changed: dict[Address, tuple[MemoryRecord, MemoryRecord | None]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    receipts: list[Receipt] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    came_from: dict[Address, str] = field(default_factory=dict)
    _held: dict[Address, MemoryRecord] = field(default_factory=dict)

    def take(self, arrivals: Iterable[Arrival], *, unread: frozenset[str]) -> Merge:
        """Judge records in order; scopes in `unread` are taken to be empty, which the store checks."""
        found = list(arrivals)
        for scope in dict.fromkeys(arrival.record.scope for arrival in found):
            if scope not in unread:
                ids = [arrival.record.id for arrival in found if arrival.record.scope == scope]
                self._held |= {(scope, record_id): record for record_id, record in self.core.store.get(scope, ids).items()}
        stored = dict(self._held)
        for arrival in found:
            address = (arrival.record.scope, arrival.record.id)
            after = self._judge(arrival, self._held.get(address))
            if after is not None:
                self._held[address] = after
                self.changed[address] = (after, stored.get(address))
                if self.origins is not None:
                    self.came_from[address] = arrival.origin
        return self

    def _judge(self, arrival: Arrival, held: MemoryRecord | None) -> MemoryRecord | None:
        """Count a record and return what is to be written, None where nothing is."""
        record = arrival.record
        if held is not None and is_same(held, record):
            self._merge_usage(held, record)
            return self._counted("unchanged")
        if record.is_tombstone:
            return self._bury(record, held)
        refusal = self._clash(arrival, held) or self.gate.refusal(record, held)
        if refusal is not None:
            self._refuse(arrival, refusal)
            return None
        if held is None:
            return self._counted("created", record.model_copy(update={"stored_at": self.now}))
        if is_same(newer(held, record), held):
            self._merge_usage(held, record)
            self._tell(arrival, ReceiptOutcome.MERGED, "the version here is newer and was kept")
            return self._counted("kept")
        return self._counted("updated", record.model_copy(update={"stored_at": self.now, "revision": held.revision + 1}))

    def _bury(self, record: MemoryRecord, held: MemoryRecord | None) -> MemoryRecord | None:
        if held is None or not held.is_tombstone:
            return self._counted("deleted", record)
        if newer(held, record) is held:
            return self._counted("kept")
        return self._counted("updated", record.model_copy(update={"revision": held.revision + 1}))

    def _counted(self, name: str, record: MemoryRecord | None = None) -> MemoryRecord | None:
        self.counts[name] += 1
        return record

    def _clash(self, arrival: Arrival, held: MemoryRecord | None) -> Refusal | None:
        if self.origins is None or held is None or held.content_hash == arrival.record.content_hash:
            return None
        address = (arrival.record.scope, arrival.record.id)
        before = self.came_from.get(address, self.origins.get(address, arrival.origin))
        if before == arrival.origin:
            return None
        return Refusal(ReceiptOutcome.QUARANTINED, f"{before} and {arrival.origin} hold different memories under this id")

    def _refuse(self, arrival: Arrival, refusal: Refusal) -> None:
        self._tell(arrival, *refusal)
        if refusal.outcome is ReceiptOutcome.QUARANTINED:
            self.counts["quarantined"] += 1
            self.documents.append(quarantined(arrival.record, import_id=self.import_id, item=arrival.item, reason=refusal.reason))
        else:
            self.counts["blocked"] += 1

    def _tell(self, arrival: Arrival, outcome: ReceiptOutcome, reason: str) -> None:
        record = arrival.record
        self.receipts.append(Receipt(item=arrival.item, outcome=outcome, reason=reason, id=record.id, scope=record.scope))

    def _merge_usage(self, held: MemoryRecord, record: MemoryRecord) -> None:
        use = more_usage(record.scope, record.id, held.usage, record.usage)
        if use is not None:
            self.uses.append(use)


def is_same(ours: MemoryRecord, theirs: MemoryRecord) -> bool:
    """Tell whether two records have the same state: whether they are equal but for usage and what each store has of its own."""
    if ours.content_hash != theirs.content_hash or ours.updated_at != theirs.updated_at:
        return False
    return ours == theirs.model_copy(update={"usage": ours.usage, "stored_at": ours.stored_at, "revision": ours.revision})


def more_usage(scope: str, record_id: str, ours: Usage, theirs: Usage) -> Use | None:
    """Return the use that brings our usage up to the maximum of both; None where it is that already."""
    merged = ours.merged(theirs)
    if merged == ours or merged.last_access_at is None:
        return None
    return Use(scope, record_id, merged.last_access_at, merged.access_count - ours.access_count)


def tombstones_over_living(changed: Mapping[Address, tuple[MemoryRecord, MemoryRecord | None]]) -> Iterator[MemoryRecord]:
    """Yield the tombstones that take the place of a living record."""
    for after, before in changed.values():
        if after.is_tombstone and before is not None and not before.is_tombstone:
            yield after
