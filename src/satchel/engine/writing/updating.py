"""Changes a record in place: `update`, `confirm`, `restore` (ENG-5). It must not know how content is replaced or erased."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from satchel.engine.core import Core, Principal
from satchel.engine.reading import fetch
from satchel.engine.writing.committing import commit, log_entry, note_uses, restate, revised
from satchel.engine.writing.completing import refuse_secrets
from satchel.engine.writing.doubts import Doubt, closed, noted, possible_of
from satchel.engine.writing.settling import BOTH, left_over, opponents, put_away_by, set_free, settled
from satchel.errors import Conflict, InvalidRequest
from satchel.operations.models import ConfirmRequest, ConflictKind, RestoreRequest, UpdateRequest
from satchel.ports import Batch, Document, Use
from satchel.protocol.record import MemoryRecord, Status

Change = Callable[[MemoryRecord, datetime], Mapping[str, Any]]
"""What is to be different: the fields and their new values."""


def update(core: Core, principal: Principal, request: UpdateRequest) -> MemoryRecord:
    """Change what is not content. A retry finds its change made and changes nothing, whatever revision it names.

    To make one side of a question active answers it with that side.

    Raises:
        Conflict: the record is no longer at `if_revision`.
    """
    if request.status is Status.DELETED:
        raise InvalidRequest.of([{"field": "status", "message": "a memory is deleted by forget, which erases it"}])
    refuse_secrets(core, {"tags": request.tags, "meta": request.meta, "type": request.type})

    def changes(record: MemoryRecord, now: datetime) -> Mapping[str, Any]:
        wanted = {name: getattr(request, name) for name in _PLAIN if getattr(request, name) is not None}
        if request.expires_at is not None:
            wanted["ttl"] = None
        if request.sensitivity is not None:
            wanted["access"] = record.access.model_copy(update={"sensitivity": request.sensitivity})
        return wanted

    return _change(
        core,
        principal,
        request.scope,
        request.id,
        "update",
        changes,
        if_revision=request.if_revision,
        decides=request.status is Status.ACTIVE,
    )


_PLAIN = ("tags", "type", "score", "half_life", "meta", "pinned", "due_at", "expires_at", "status")


def confirm(core: Core, principal: Principal, request: ConfirmRequest) -> MemoryRecord:
    """Take a memory as right: active again, and its score half the way to 1.

    Where a question sets others against it, they are archived, as if the question had been answered with this one.
    """

    def changes(record: MemoryRecord, now: datetime) -> Mapping[str, Any]:
        return {"status": Status.ACTIVE, "score": record.score + (1.0 - record.score) / 2}

    return _change(core, principal, request.scope, request.id, "confirm", changes, decides=True)


def restore(core: Core, principal: Principal, request: RestoreRequest) -> MemoryRecord:
    """Bring an archived record back to active, in its full strength; one that is not archived stays as it is."""

    def changes(record: MemoryRecord, now: datetime) -> Mapping[str, Any]:
        if record.status is not Status.ARCHIVED:
            return {}
        expired = record.expires_at is not None and record.expires_at <= now
        return {"status": Status.ACTIVE} | ({"expires_at": None, "ttl": None} if expired else {})

    return _change(core, principal, request.scope, request.id, "restore", changes)


def check_revision(record: MemoryRecord, wanted: int | None) -> None:
    """Raise Conflict, naming both revisions, where the record is no longer at the wanted one."""
    if wanted is not None and record.revision != wanted:
        raise Conflict(
            f"the memory is at revision {record.revision}, not at {wanted}: it was changed in the meantime",
            expected=wanted,
            actual=record.revision,
            id=record.id,
            scope=record.scope,
        )


def _change(
    core: Core,
    principal: Principal,
    scope: str,
    record_id: str,
    operation: str,
    change: Change,
    *,
    if_revision: int | None = None,
    decides: bool = False,
) -> MemoryRecord:
    """Change one record, and what a question sets against it where that `decides` the question or leaves nobody to ask about.

    What waited and is made active decides it, too.
    """

    def read(names: Iterable[str]) -> Mapping[str, MemoryRecord]:
        return core.store.get(scope, set(names))

    def plan() -> tuple[Batch, tuple[MemoryRecord, list[str]]]:
        record, log = fetch(core, scope, record_id), log_entry(core, principal, operation)
        wanted = {name: value for name, value in change(record, log.at).items() if getattr(record, name) != value}
        if not wanted:
            return Batch(), (record, [])
        check_revision(record, if_revision)
        changed = revised(record, log.at, **wanted)
        is_answer = decides or wanted.get("status") is Status.ACTIVE
        sides = [record, *(opponents(read, record) if is_answer else ())]
        documents: list[Document] = []
        for doubt in possible_of(core, scope, [record_id]) if operation == "confirm" else ():
            # What cannot hold beside what is confirmed is put away; what can is asked about no more.
            others = read({doubt.about, *doubt.beside} - {one.id for one in sides}).values() if doubt.at_odds else ()
            sides += [one for one in others if one.status is Status.ACTIVE]
            documents.append(noted(scope, doubt._replace(answer=record_id if doubt.at_odds else BOTH), log.at))
        after = {record.id: changed}
        if len(sides) > 1:
            links = settled(record, record.id, sides, log.at).relations
            after = {one.id: settled(one, record.id, sides, log.at) for one in sides[1:]}
            after[record.id] = changed = changed.model_copy(update={"relations": links})
        is_back = record.status is Status.ARCHIVED and changed.status is Status.ACTIVE
        documents += _asked_again(core, read, record) if is_back else []
        pairs = [(one, after[one.id]) for one in sides]
        if changed.status is Status.ARCHIVED or len(sides) > 1:
            pairs += left_over(read, sides, after, log.at)
        free = list(set_free(core, [record], log.at)) if changed.status is Status.ARCHIVED else []
        puts = [restate(new, log, expect=old.revision) for old, new in (*pairs, *free)]
        return Batch(puts, documents), (changed, [*([record_id] if is_back else ()), *(new.id for _, new in free)])

    after, back = commit(core, plan)
    if back:
        # Without a use it would be as faint as when it was archived: no recall would bring it, and the next pass would archive it.
        note_uses(core, [Use(scope, name, core.now()) for name in back])
    return after


def _asked_again(core: Core, read: Callable[[Iterable[str]], Mapping[str, MemoryRecord]], record: MemoryRecord) -> list[Document]:
    """Return the documents that ask about a record that comes back, and what had taken its place, over however many steps."""
    facing: dict[str, MemoryRecord] = {}
    seen, waiting = {record.id}, {*record.relations.superseded_by} - {*record.relations.derived_from}
    while waiting:
        found = [one for one in read(waiting).values() if record.id not in one.relations.originals]
        seen |= waiting
        facing |= {one.id: one for one in found if one.status is Status.ACTIVE}
        waiting = {name for one in found if one.status is Status.ARCHIVED for name in one.relations.superseded_by} - seen
    if not facing or put_away_by(core, record) == "resolve":
        # Who takes an answer back has been asked.
        return []
    doubt = Doubt(ConflictKind.POSSIBLE, record.id, tuple(facing), at_odds=True)
    return [*closed(record.scope, (record.id,), (ConflictKind.REVIEW,)), noted(record.scope, doubt)]
