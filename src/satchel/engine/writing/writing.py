"""`remember`: new memories become records, repetitions raise the score, retries change nothing (ENG-1 to ENG-3, CNF-1).

It must not know how a memory is completed, screened or indexed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.lineage import lineage, originals
from satchel.engine.forgetting.traces import REPETITIONS
from satchel.engine.index.index_cache import IndexCache
from satchel.engine.recall.constraints import must_not_wait
from satchel.engine.writing.committing import Vectors, commit, log_entry, note_uses, put, restate, revised
from satchel.engine.writing.completing import complete
from satchel.engine.writing.deciding import outweighs
from satchel.engine.writing.dividing import Division, divided
from satchel.engine.writing.doubted_parts import AT_ODDS, doubted_parts
from satchel.engine.writing.doubts import Doubt, closed, doubts_of, noted, put_up
from satchel.engine.writing.likeness import Neighbours
from satchel.engine.writing.reconciling import Reconciled, reconcile, repeated, survivor
from satchel.engine.writing.settling import BOTH, left_over, opponents, settled
from satchel.errors import Conflict
from satchel.operations.models import ConflictKind, NewMemory, Outcome, Remembered, RememberedMany, RememberManyRequest, RememberRequest
from satchel.ports import Batch, Document, Put, Use, Verdict
from satchel.protocol.record import MemoryRecord, Status
from satchel.protocol.unchecked import unchecked


class Writer:
    """Handles `remember` and `remember_many`. One per engine; safe under threads."""

    def __init__(self, core: Core, indexes: IndexCache) -> None:
        self._core = core
        self._indexes = indexes

    def remember(self, principal: Principal, request: RememberRequest) -> Remembered:
        """Write one memory."""
        return self._write(principal, [request], complete(self._core, principal, [request]))[0]

    def remember_many(self, principal: Principal, request: RememberManyRequest) -> RememberedMany:
        """Write several memories in one transaction, as if one after another."""
        records = complete(self._core, principal, request.memories, scope=request.scope, many=True)
        return RememberedMany(results=tuple(self._write(principal, request.memories, records)))

    def keep(
        self, principal: Principal, scope: str, memories: Sequence[NewMemory], *, operation: str, reason: str | None
    ) -> list[Remembered]:
        """Write what the engine itself found worth remembering; `operation` and `reason` are what the log says of it."""
        records = complete(self._core, principal, memories, scope=scope, many=True)
        return self._write(principal, memories, records, _Why(operation, reason))

    def _write(
        self, principal: Principal, memories: Sequence[NewMemory], records: Sequence[MemoryRecord], why: _Why | None = None
    ) -> list[Remembered]:
        vectors = Vectors(self._core)
        by_scope: dict[str, list[MemoryRecord]] = {}
        for record in records:
            by_scope.setdefault(record.scope, []).append(record)

        brought: list[list[Use]] = []

        def plan() -> tuple[Batch, list[Remembered]]:
            drafts = {
                scope: _Draft(self._core, scope, given, Neighbours(self._core, self._indexes, scope, given, vectors))
                for scope, given in by_scope.items()
            }
            taken = [drafts[record.scope].take(memory, record) for memory, record in zip(memories, records, strict=True)]
            written, restated, documents = list[Put](), list[Put](), list[Document]()
            for draft in drafts.values():
                draft.add_changes(principal, written, restated, why or _ASKED)
                documents += draft.documents
            documents += lineage(change.record for change in written)
            brought[:] = [draft.back for draft in drafts.values()]
            results = [
                _remembered(_shown(principal, drafts[given.scope].held[one.id], given), one)
                for one, given in zip(taken, records, strict=True)
            ]
            return Batch([*vectors.fill(written), *restated], documents), results

        results = commit(self._core, plan)
        # What is said again is of use again: without this, what had faded would be archived by the next pass.
        again = [use for draft in brought for use in draft]
        again += [Use(one.record.scope, one.record.id, self._core.now(), 0) for one in results if one.outcome in _SAID_AGAIN]
        if again:
            note_uses(self._core, again)
        return results


def repetition_key(scope: str, memory_id: str) -> str:
    """Return the key of the document about a memory that another record took in. Neither part can hold a newline."""
    return f"{scope}\n{memory_id}"


def _remembered(record: MemoryRecord, taken: _Taken) -> Remembered:
    return unchecked(Remembered, {"record": record, "outcome": taken.outcome, "related": taken.related, "reason": taken.reason})


def _shown(principal: Principal, held: MemoryRecord, given: MemoryRecord) -> MemoryRecord:
    # Who may write but not read learns nothing of what was there before.
    if principal.readable((held.scope,)):
        return held
    return given.model_copy(update={"id": held.id, "revision": held.revision})


class _Why(NamedTuple):
    """What the log says of a write."""

    operation: str
    reason: str | None = None


_ASKED = _Why("remember")
_SAID_AGAIN = frozenset({Outcome.REINFORCED, Outcome.MERGED})


class _Taken(NamedTuple):
    id: str
    outcome: Outcome
    related: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(slots=True)
class _Draft:
    """One scope as it will be after the batch: the records held, and why those that differ from the store do."""

    core: Core
    scope: str
    given: Sequence[MemoryRecord]
    neighbours: Neighbours
    held: dict[str, MemoryRecord] = field(init=False)
    documents: list[Document] = field(init=False, default_factory=list)
    _stored: dict[str, MemoryRecord] = field(init=False)
    _twins: dict[str, str] = field(init=False)
    _why: dict[str, tuple[str, str | None]] = field(init=False, default_factory=dict)
    _left_behind: set[str] = field(init=False, default_factory=set)
    _said: set[str] = field(init=False, default_factory=set)
    _are_read: bool = field(init=False, default=False)
    _apart: set[str] = field(init=False, default_factory=set)
    _open: list[Doubt] | None = field(init=False, default=None)
    _within: dict[str, dict[str, Verdict]] = field(init=False, default_factory=dict)
    back: list[Use] = field(init=False, default_factory=list)
    """Uses of what comes back out of a whole: as fresh as that."""

    def __post_init__(self) -> None:
        store = self.core.store
        self.held = store.get(self.scope, {record.id for record in self.given})
        wanted = {record.content_hash for record in self.given if not self._is_same(record)}
        self._twins = store.find(self.scope, wanted) if wanted else {}
        self._stored = dict(self.held)
        self._read(self._twins.values())

    def _read(self, ids: Iterable[str]) -> None:
        unread = set(ids) - set(self.held)
        if unread:
            found = self.core.store.get(self.scope, unread)
            self.held |= found
            self._stored |= found

    def _is_same(self, record: MemoryRecord) -> bool:
        held = self.held.get(record.id)
        return held is not None and held.content_hash == record.content_hash

    def take(self, memory: NewMemory, record: MemoryRecord) -> _Taken:
        """Add one memory to the draft."""
        held = self.held.get(record.id)
        if held is not None and held.is_tombstone:
            raise Conflict(
                f"the memory {record.id!r} was forgotten and its id is spent; remember it without an id, or under a new one",
                id=record.id,
                scope=self.scope,
                actual=held.revision,
            )
        if self._is_same(record):
            return _Taken(record.id, Outcome.UNCHANGED)
        if held is not None:
            return self._replace(memory, held, record)
        twin = self.held.get(self._twins.get(record.content_hash, ""))
        if twin is not None and twin.content_hash == record.content_hash:
            return self._reinforce(twin, memory, record)
        return self._take_up(record)

    def _take_up(self, record: MemoryRecord, *, is_latest: bool = False) -> _Taken:
        """Add a memory whose content no record has, or one that is said again after it had been put away."""
        names = self.neighbours.of(record)
        if not self._are_read and names:
            self._are_read = True
            self._read(self.neighbours.everyone() - {one.id for one in self.given})
        self._read(names)
        beside = [self.held[name] for name in names if name in self.held and name != record.id]
        beside = [one for near in beside for one in (near, *self._freed(near, record))]
        beside = [self.held[one.id] for one in beside]
        found = _with_parts(reconcile(self.core, record, beside, is_latest=is_latest), self._within.pop(record.id, {}))
        for change in found.changes:
            self._hold(change.record, change.operation, change.reason)
            if change.operation == "supersede" and change.record.status is Status.ARCHIVED:
                self.documents += put_up(self.core, change.record, found.id)
        if found.outcome is Outcome.MERGED and not self._confirmed(self.held[found.id], record):
            return _Taken(found.id, Outcome.PENDING, found.related, found.reason)
        if found.outcome is Outcome.CREATED and found.related:
            sides = {found.id, *found.related}
            # One question, not two that overlap, where this one asks about all that an open one does.
            folded = [one.about for one in self._doubts(sides) if {one.about, *one.beside} <= sides]
            self.documents += closed(self.scope, [name for name in folded if name != found.id], (ConflictKind.POSSIBLE,))
            self.documents.append(noted(self.scope, Doubt(ConflictKind.POSSIBLE, found.id, found.related, at_odds=found.at_odds)))
        self._settle_left_over([change.record.id for change in found.changes])
        return _Taken(found.id, found.outcome, found.related, found.reason)

    def _doubts(self, names: set[str]) -> list[Doubt]:
        """Return the open doubts of which one of these memories is a side."""
        if self._open is None:
            self._open = [one for one in doubts_of(self.core, self.scope) if one.kind is ConflictKind.POSSIBLE]
        return [one for one in self._open if not names.isdisjoint((one.about, *one.beside))]

    def _freed(self, near: MemoryRecord, record: MemoryRecord) -> list[MemoryRecord]:
        """Take a near memory apart where this one ends or denies something that was put together in it; return what comes back."""
        if not near.relations.originals or near.status is not Status.ACTIVE or near.pinned or near.id in self._apart:
            return []
        doubted = doubted_parts(self.core, near, record)
        if not any(one.verdict.relation in AT_ODDS for one in doubted):
            if doubted:
                self._within.setdefault(record.id, {})[near.id] = doubted[0].verdict
            return []
        parts = {name: one for name, one in originals(self.core, self.scope, near).items() if not one.relations.originals}
        self._apart.add(near.id)
        self._read(parts)
        reason = f"something that was put together in {near.id} is no longer so: it was taken apart"
        for _, after in divided(Division(near, parts, record), record.updated_at):
            self._hold(after, "restore", reason)
        self.back += [Use(self.scope, name, near.usage.last_access_at or near.stored_at, 0) for name in parts]
        return [self.held[name] for name in parts]

    def _confirmed(self, asked: MemoryRecord, said: MemoryRecord) -> bool:
        """Settle a question about a memory that is said again in its favour; tell whether it holds now.

        What must be obeyed, is kept for ever, or was said by who is trusted more is not put away by a repetition.
        """
        against = opponents(self._look, asked)
        if any(must_not_wait(other) or outweighs(other, said) for other in against):
            return asked.status is not Status.PENDING
        sides = [asked, *against]
        for side in sides if against or asked.status is Status.PENDING else ():
            operation, reason = ("confirm", "it was said again") if side is asked else ("resolve", f"{asked.id} was said again")
            self._hold(settled(side, asked.id, sides, said.updated_at), operation, reason)
        self._settle_left_over([side.id for side in sides])
        return True

    def _look(self, ids: Iterable[str]) -> dict[str, MemoryRecord]:
        wanted = set(ids)
        self._read(wanted)
        return {name: self.held[name] for name in wanted if name in self.held}

    def _settle_left_over(self, ids: Iterable[str]) -> None:
        """Make active what waited only for records that were put away, or are asked about no more."""
        left = [name for name in ids if name in self._stored and _has_left(self._stored[name], self.held[name])]
        after = {name: self.held[name] for name in left}
        for _, record in left_over(self._look, [self._stored[name] for name in left], after, self.core.now()):
            self._hold(record, "resolve", "what it conflicted with is gone")

    def _replace(self, memory: NewMemory, held: MemoryRecord, record: MemoryRecord) -> _Taken:
        self._left_behind.add(held.content_hash)
        changes = {name: getattr(record, name) for name in _given_fields(memory)}
        if held.expires_at is not None and held.expires_at <= self.core.now():
            changes = {"expires_at": None, "ttl": None} | changes
        always = {"content": record.content, "content_hash": record.content_hash, "stored_at": record.stored_at, "status": Status.ACTIVE}
        # Its words are new, so that what was asked about the old ones is asked no more.
        links = held.relations.model_copy(update={"conflicts_with": ()})
        self._hold(revised(held, record.updated_at, **changes, **always, relations=links), "remember")
        self._settle_left_over([held.id])
        return _Taken(record.id, Outcome.UPDATED)

    def _reinforce(self, twin: MemoryRecord, memory: NewMemory, record: MemoryRecord) -> _Taken:
        key = repetition_key(self.scope, record.id)
        if memory.id is not None:
            if key in self._said or self.core.store.document(REPETITIONS, key) == {"id": twin.id}:
                return _Taken(twin.id, Outcome.UNCHANGED, (twin.id,))
            self._said.add(key)
            self.documents.append(Document(REPETITIONS, key, {"id": twin.id}, self.scope))
        twin = self._surviving(twin)
        again = repeated(twin, record)
        taken = _Taken(twin.id, Outcome.CREATED)
        if twin.status is Status.ARCHIVED and twin.relations.superseded_by:
            taken = self._take_up(again, is_latest=True)
            if taken.outcome is not Outcome.CREATED:
                return taken
        self._hold(again, "reinforce")
        self.documents += [
            noted(self.scope, one._replace(answer=BOTH), record.updated_at) for one in self._doubts({twin.id}) if not one.at_odds
        ]
        if not self._confirmed(self.held[twin.id], record):
            return _Taken(twin.id, Outcome.PENDING, (twin.id, *(one.id for one in opponents(self._look, again))))
        return _Taken(twin.id, Outcome.REINFORCED, (twin.id, *taken.related), taken.reason)

    def _surviving(self, twin: MemoryRecord) -> MemoryRecord:
        """Return the record that a twin was taken into because it says the same, or the twin."""
        seen = {twin.id}
        while (name := survivor(twin)) is not None and name not in seen:
            self._read([name])
            found = self.held.get(name)
            if found is None or found.is_tombstone:
                break
            seen.add(name)
            twin = found
        return twin

    def _hold(self, record: MemoryRecord, why: str, reason: str | None = None) -> None:
        stored = self._stored.get(record.id)
        # One batch is one step: however often it touches a record, the revision rises once.
        revision = 1 if stored is None else stored.revision + 1
        self.held[record.id] = record if record.revision == revision else record.model_copy(update={"revision": revision})
        self._twins[record.content_hash] = record.id
        self._why.setdefault(record.id, (why, reason))

    def add_changes(self, principal: Principal, written: list[Put], restated: list[Put], asked: _Why) -> None:
        """Add the changes that make the store hold the draft: those that bring content, and those that leave it as it is."""
        logs = {
            why: log_entry(self.core, principal, asked.operation if why[0] == _ASKED.operation else why[0], reason=why[1] or asked.reason)
            for why in set(self._why.values())
        }
        for record_id, why in self._why.items():
            record, stored = self.held[record_id], self._stored.get(record_id)
            if stored is None:
                # Two processes that remember the same content at once must not make two records of it.
                written.append(put(record, logs[why], expect=0, only_if_new_content=record.content_hash not in self._left_behind))
            elif stored.content_hash != record.content_hash:
                written.append(put(record, logs[why], expect=stored.revision))
            else:
                restated.append(restate(record, logs[why], expect=stored.revision))


def _has_left(before: MemoryRecord, after: MemoryRecord) -> bool:
    links = before.relations.conflicts_with
    return bool(links) and (after.status is Status.ARCHIVED or after.relations.conflicts_with != links)


def _with_parts(found: Reconciled, within: Mapping[str, Verdict]) -> Reconciled:
    """Name the wholes in which something may contradict a memory that stays beside all the others."""
    if found.outcome is not Outcome.CREATED or found.at_odds or not within:
        return found
    reason = found.reason or next(iter(within.values())).reason
    return replace(found, related=tuple(dict.fromkeys((*found.related, *within))), reason=reason)


def _given_fields(memory: NewMemory) -> set[str]:
    """Return the record's fields that the caller named; those left out stay as they are when content is replaced."""
    given = {name for name in memory.model_fields_set if name not in {"content", "scope", "id"} and getattr(memory, name) is not None}
    if "type" in given or "retention" in given:
        given |= {"score", "half_life", "retention"}
    if given & {"ttl", "expires_at"}:
        given |= {"ttl", "expires_at"}
    if "sensitivity" in given:
        given = (given - {"sensitivity"}) | {"access"}
    return given
