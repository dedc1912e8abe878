"""One maintenance pass over one scope: carries decisions out in small batches, or only tells them, and keeps the ledger up to date.

Each batch is planned from records just read and written with expectations, so that writers never wait and nothing of theirs is lost.
It must not know what is decided, or why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.lineage import lineage
from satchel.engine.history.snapshots import Beforehand
from satchel.engine.retention.ledger import Ledger
from satchel.engine.writing.committing import Vectors, commit, log_entry, put, restate, revised
from satchel.errors import Conflict
from satchel.operations.models import MaintenanceAction, MaintenanceStep
from satchel.ports import Batch, Put, Use
from satchel.protocol.record import MemoryRecord, RecordId, Status

BATCH = 100
"""Records of one transaction."""

_LONGEST_PAUSE = 0.05
"""Seconds."""


class Edit(NamedTuple):
    """What is to become of one record (`before` None: it is new), and what the change log says of it."""

    before: MemoryRecord | None
    after: MemoryRecord
    operation: str
    reason: str
    related: tuple[RecordId, ...] = ()


Records = Mapping[str, MemoryRecord]
Decide = Callable[[Records], Sequence[Edit]]
"""From records as they are now to what is to become of them; called again where a writer came between."""


@dataclass(slots=True)
class ScopePass:
    """The pass over one scope: who makes it, when, and what it has done."""

    core: Core
    principal: Principal
    ledger: Ledger
    now: datetime
    dry_run: bool
    actions: list[MaintenanceAction] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    skipped: int = 0
    _imagined: dict[str, MemoryRecord] = field(default_factory=dict)
    """What a dry run would have made of records that stay active."""

    _put_away: set[str] = field(default_factory=set)
    """What a dry run would have archived."""

    _vectors: Vectors = field(init=False)
    before: Beforehand = field(init=False)
    """Names the state before the pass."""

    def __post_init__(self) -> None:
        self._vectors = Vectors(self.core)
        self.before = Beforehand(self.core, self.principal, "maintenance")

    @property
    def scope(self) -> str:
        """The scope."""
        return self.ledger.scope

    @property
    def moment(self) -> float:
        """The present in Unix seconds."""
        return self.now.timestamp()

    def records(self, ids: Iterable[str]) -> dict[str, MemoryRecord]:
        """Read records as they are, or, in a dry run, as they would be; tombstones, and what a dry run put away, are left out."""
        wanted = set(ids)
        made = {name: self._imagined[name] for name in wanted & self._imagined.keys()}
        return self.seen((self.core.store.get(self.scope, wanted) | made).values())

    def seen(self, records: Iterable[MemoryRecord]) -> dict[str, MemoryRecord]:
        """Return records that were just read as the pass sees them; see `records`."""
        found = (self._imagined.get(record.id, record) for record in records if record.id not in self._put_away)
        return {record.id: record for record in found if not record.is_tombstone}

    def each(self, ids: Sequence[str], step: MaintenanceStep, decide: Callable[[MemoryRecord], Edit | None]) -> int:
        """Decide over records one by one, a batch at a time; return how many were changed."""

        def every(records: Records) -> list[Edit]:
            found = (decide(records[name]) for name in batch if name in records)
            return [edit for edit in found if edit is not None]

        done = 0
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            done += self.together(batch, step, every)
        return done

    def together(
        self, ids: Sequence[str], step: MaintenanceStep, decide: Decide, *, uses: Callable[[Records], Iterable[Use]] = lambda _: ()
    ) -> int:
        """Decide over records that belong together, in one transaction; return how many were changed.

        `uses`: usage to write once that is done.
        """

        def plan() -> tuple[Batch, tuple[Sequence[Edit], Records]]:
            records = self.records(ids)
            edits = decide(records)
            return (Batch() if self.dry_run else self._batch(edits)), (edits, records)

        begun = time.perf_counter()
        try:
            edits, records = commit(self.core, plan)
        except Conflict:
            self.skipped += len(ids)
            return 0
        if edits and not self.dry_run:
            # A store with one writer at a time belongs to the others for as long as it was the pass's.
            time.sleep(min(_LONGEST_PAUSE, time.perf_counter() - begun))
        self._note(step, edits)
        self._use(list(uses(records)) if edits else [])
        return len(edits)

    def _batch(self, edits: Sequence[Edit]) -> Batch:
        if edits:
            self.before.of((self.scope,))
        written, restated = list[Put](), list[Put]()
        for edit in edits:
            log = log_entry(self.core, self.principal, edit.operation, reason=edit.reason, at=self.now)
            if edit.before is None:
                written.append(put(edit.after, log, expect=0))
            else:
                restated.append(restate(edit.after, log, expect=edit.before.revision))
        return Batch([*self._vectors.fill(written), *restated], lineage(edit.after for edit in edits if _derives_anew(edit)))

    def _note(self, step: MaintenanceStep, edits: Sequence[Edit]) -> None:
        for edit in edits:
            self.ledger.changed(edit.after)
            self.actions.append(MaintenanceAction(step=step, scope=self.scope, id=edit.after.id, reason=edit.reason, related=edit.related))
            if self.dry_run:
                self._imagine(edit.after)

    def _imagine(self, record: MemoryRecord) -> None:
        # No later step looks at what was just archived, so that a dry run keeps few records.
        if record.status is Status.ARCHIVED:
            self._imagined.pop(record.id, None)
            self._put_away.add(record.id)
        else:
            self._imagined[record.id] = record

    def _use(self, uses: Sequence[Use]) -> None:
        for use in uses:
            self.ledger.used(use.id, use.at.timestamp(), use.count)
        if uses and not self.dry_run:
            self.core.store.touch(uses)

    def vector_of(self, content: str) -> bytes | None:
        """Return the stored form of a content's vector, made once; None where there is none."""
        return self._vectors.of(content)

    def edit(self, record: MemoryRecord, operation: str, reason: str, *, related: tuple[RecordId, ...] = (), **changes: object) -> Edit:
        """Return the edit that changes these fields of a record."""
        return Edit(record, revised(record, self.now, **changes), operation, reason, related)


def _derives_anew(edit: Edit) -> bool:
    return edit.before is None or edit.before.relations.derived_from != edit.after.relations.derived_from
