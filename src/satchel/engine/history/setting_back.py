"""Brings a scope's records back to a snapshot (OBS-2), undoably, and never what was forgotten. It must not know how snapshots are kept."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.lineage import lineage
from satchel.engine.forgetting.tombstones import Blocklist, Marks
from satchel.engine.history.differing import same
from satchel.engine.history.snapshots import load, snapshot_before, standpoint
from satchel.engine.history.timetravel import Departures, departures, record_at
from satchel.engine.writing.committing import Vectors, commit, log_entry, note_uses, put, restate, revised
from satchel.engine.writing.doubts import reopened
from satchel.operations.models import RestoreSnapshotRequest, Snapshot, SnapshotRestored
from satchel.ports import Batch, LogEntry, Put, Use
from satchel.protocol.record import MemoryRecord, Status

_BATCH = 100


@dataclass(slots=True)
class _Step:
    """What becomes of one batch of records."""

    written: list[Put] = field(default_factory=list)
    restated: list[Put] = field(default_factory=list)
    restored: int = 0
    archived: int = 0
    left: list[str] = field(default_factory=list)
    back: list[Use] = field(default_factory=list)


def restore_snapshot(core: Core, principal: Principal, request: RestoreSnapshotRequest) -> SnapshotRestored:
    """Set every record that changed since the snapshot back to what it was; archive those that came since.

    A snapshot is made first: restoring it undoes this. Interrupted, it is finished by calling it again.
    """
    (left_state,) = departures(core, request.scope, standpoint(core, request.scope, request.name))
    ids = sorted(record_id for _, record_id in left_state)
    setter = _Setter(core, principal, request, left_state)
    for start in range(0, len(ids), _BATCH):
        setter.set_back(ids[start : start + _BATCH])
    made = load(core, request.scope, request.name)
    asked = reopened(core, request.scope, made.at) if made is not None else []
    if asked:
        core.store.apply(Batch(documents=asked))
    return setter.result()


class _Setter:
    def __init__(self, core: Core, principal: Principal, request: RestoreSnapshotRequest, left_state: Departures) -> None:
        self._core = core
        self._principal = principal
        self._request = request
        self._departures = left_state
        self._told = _told(core, request)
        self._vectors = Vectors(core)
        self._done = _Step()
        self._undo: Snapshot | None = None

    def set_back(self, ids: Collection[str]) -> None:
        """Set one batch back, planned anew where another writer came between."""

        def plan() -> tuple[Batch, _Step]:
            step = _Step()
            log = log_entry(self._core, self._principal, "restore", reason=f"back to {self._told}")
            forgotten = Blocklist(self._core, self._request.scope, Marks(self._core))
            for record in self._core.store.get(self._request.scope, ids).values():
                if not record.is_tombstone:
                    self._plan_one(step, record, log, forgotten.blocks)
            if (step.written or step.restated) and self._undo is None:
                self._undo = snapshot_before(self._core, self._principal, self._request.scope, f"restore of {self._told}")
            puts = [*self._vectors.fill(step.written), *step.restated]
            return Batch(puts, lineage(change.record for change in puts)), step

        step = commit(self._core, plan)
        if step.back:
            # Without a use they would be as faint as when they were archived, and the next pass would undo this.
            note_uses(self._core, step.back)
        self._done.restored += step.restored
        self._done.archived += step.archived
        self._done.left += step.left

    def _plan_one(self, step: _Step, present: MemoryRecord, log: LogEntry, is_forgotten: Callable[[MemoryRecord], bool]) -> None:
        then = record_at(self._core, self._departures, present)
        if then is None:
            if present.status is not Status.ARCHIVED:
                step.restated.append(restate(revised(present, log.at, status=Status.ARCHIVED), log, expect=present.revision))
                step.archived += 1
            return
        if same(then, present):
            return
        says_otherwise = then.content_hash != present.content_hash
        if says_otherwise and (is_forgotten(then) or self._has_forgotten_original(then)):
            step.left.append(present.id)
            return
        back = then.model_copy(
            update={
                "revision": present.revision + 1,
                "updated_at": max(log.at, present.updated_at),
                "stored_at": present.stored_at,
                "usage": present.usage,
            }
        )
        if present.status is Status.ARCHIVED and back.status is Status.ACTIVE:
            step.back.append(Use(back.scope, back.id, log.at))
        if says_otherwise:
            step.written.append(put(back, log, expect=present.revision))
        else:
            step.restated.append(restate(back, log, expect=present.revision))
        step.restored += 1

    def _has_forgotten_original(self, record: MemoryRecord) -> bool:
        originals = record.relations.derived_from
        return bool(originals) and any(one.is_tombstone for one in self._core.store.get(record.scope, originals).values())

    def result(self) -> SnapshotRestored:
        """Tell what was done."""
        done = self._done
        name = self._request.name
        return SnapshotRestored(name=name, restored=done.restored, archived=done.archived, left=tuple(done.left), undo=self._undo)


def _told(core: Core, request: RestoreSnapshotRequest) -> str:
    """Say which state is restored by its time: a name may hold words of a memory, and stays in the log of others when it is forgotten."""
    made = load(core, request.scope, request.name)
    return "the present state" if made is None else f"the snapshot of {made.at:%Y-%m-%d %H:%M:%S} UTC"
