"""`correct`: the wrong record is archived, the right one written in its place, linked both ways (CNF-4, first form).

It must not know who said that the record was wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.lineage import lineage
from satchel.engine.reading import fetch
from satchel.engine.recall.constraints import must_not_wait
from satchel.engine.writing.committing import Vectors, commit, log_entry, merged_ids, note_uses, put, restate, revised
from satchel.engine.writing.completing import check_content, refuse_secrets
from satchel.engine.writing.deciding import decide
from satchel.engine.writing.dividing import Division, divided, division
from satchel.engine.writing.doubts import put_up
from satchel.engine.writing.settling import left_over, opponents, set_free
from satchel.engine.writing.updating import check_revision
from satchel.errors import Conflict
from satchel.operations.models import CorrectRequest, Outcome, Remembered
from satchel.ports import Batch, Put, Relation, Use
from satchel.protocol.record import MemoryRecord, Origin, Relations, Status, Usage, content_hash, new_id

_AT_ODDS = frozenset({Relation.REPLACES, Relation.CONTRADICTS})


def correct(core: Core, principal: Principal, request: CorrectRequest) -> Remembered:
    """Replace a wrong memory by the right one; the same correction again is `unchanged`.

    Where the scope already holds the right content, that record takes the wrong one's place. What was put together of others is taken
    apart, and the one that is wrong replaced.

    Raises:
        Conflict: the record is no longer at `if_revision`, something else holds in its place, `new_id` is taken, or the record was put
            together of others and it does not show which of them is wrong.
    """
    check_content(core, request.content)
    refuse_secrets(core, {"reason": request.reason, "new_id": request.new_id})
    wanted = request if request.new_id is not None else request.model_copy(update={"new_id": new_id()})
    vectors = Vectors(core)

    def plan() -> tuple[Batch, tuple[Remembered, list[Use]]]:
        restated, written, remembered = _plan(core, principal, wanted)
        documents = lineage(change.record for change in written)
        for change in restated:
            if change.record.id == remembered.related[0]:
                documents += put_up(core, change.record, remembered.record.id)
        back = [Use(change.record.scope, change.record.id, core.now()) for change in restated if change.record.status is Status.ACTIVE]
        return Batch([*restated, *vectors.fill(written)], documents), (remembered, back)

    remembered, back = commit(core, plan)
    if back:
        # What was put together long ago would be as faint as it was then, and a pass might archive it at once.
        note_uses(core, back)
    return remembered


def _plan(core: Core, principal: Principal, request: CorrectRequest) -> tuple[list[Put], list[Put], Remembered]:
    """Return the changes that leave content alone, those that bring content, and the answer."""
    named = fetch(core, request.scope, request.id)
    right_hash = content_hash(request.content)
    if named.content_hash == right_hash:
        return [], [], Remembered(record=named, outcome=Outcome.UNCHANGED)
    held = _held(core, named, request, right_hash)
    twin = _twin(held, named, right_hash)
    if twin is not None and twin.id in named.relations.superseded_by:
        return [], [], Remembered(record=twin, outcome=Outcome.UNCHANGED, related=(named.id,))
    check_revision(named, request.if_revision)
    taken = held.get(request.new_id or "")
    if twin is None and taken is not None:
        raise Conflict(
            f"the id {taken.id!r} is taken by another memory of this scope", id=taken.id, scope=taken.scope, actual=taken.revision
        )
    log = log_entry(core, principal, "correct", reason=request.reason)
    found = _division(core, named, request.content)
    wrong = found.wrong if found is not None else named
    gone = [wrong.id] if found is None else [wrong.id, found.whole.id]
    if twin is not None:
        gone = [name for name in gone if name != twin.id]
        right = _promoted(twin, gone, log.at)
    else:
        right = _replacement(wrong, gone, request, log.at, principal.agent)
    pairs = divided(found, log.at) if found is not None else [(wrong, revised(wrong, log.at, status=Status.ARCHIVED))]
    pairs = [(old, _superseded(new, right.id) if old.id in gone else new) for old, new in pairs if twin is None or old.id != twin.id]
    sides = [old for old, _ in pairs] + ([twin] if twin is not None else [])
    pairs += _settled(core, sides, {new.id: new for _, new in pairs} | {right.id: right}, right, log.at)
    kept = {old.id for old, _ in pairs} | {right.id}
    free = [] if found is not None else list(set_free(core, [named], log.at))
    # What the wrong one had replaced comes back, unless the right one goes against it too.
    pairs += [(old, new) for old, new in free if old.id not in kept and decide(core, new, right).relation is Relation.APART]
    restated = [restate(new, log, expect=old.revision) for old, new in pairs]
    remembered = Remembered(record=right, outcome=Outcome.SUPERSEDED, related=tuple(gone))
    if twin is not None:
        return [*restated, restate(right, log, expect=twin.revision)], [], remembered
    return restated, [put(right, log, expect=0, only_if_new_content=True)], remembered


def _division(core: Core, named: MemoryRecord, content: str) -> Division | None:
    """Return how a whole is taken apart to correct this record: the whole itself, or one that it was put together in.

    Raises:
        Conflict: something else holds in this record's place, which is named, or it does not show what in a whole is wrong.
    """
    present = _present(core, named)
    if present is None:
        return division(core, named, content)
    found = division(core, present, content, wrong=named.id) if present.relations.originals else None
    if found is None:
        raise Conflict(
            f"this memory was replaced by {present.id!r}: correct that one", id=named.id, scope=named.scope, successor=present.id
        )
    return found


def _present(core: Core, record: MemoryRecord) -> MemoryRecord | None:
    """Return what holds in the place of an archived record, over however many steps; None where nothing does."""
    if record.status is not Status.ARCHIVED:
        return None
    seen, waiting = {record.id}, list(record.relations.superseded_by)
    while waiting:
        found = core.store.get(record.scope, set(waiting) - seen).values()
        seen.update(waiting)
        for one in found:
            if one.status in {Status.ACTIVE, Status.PENDING}:
                return one
        waiting = [name for one in found for name in one.relations.superseded_by if name not in seen]
    return None


def _settled(
    core: Core, sides: list[MemoryRecord], after: dict[str, MemoryRecord], right: MemoryRecord, now: datetime
) -> list[tuple[MemoryRecord, MemoryRecord]]:
    """Answer what was asked about the records that are corrected: what goes against the right one is put away, what is left holds."""

    def read(names: Iterable[str]) -> Mapping[str, MemoryRecord]:
        return core.store.get(right.scope, set(names))

    others = {one.id: one for side in sides for one in opponents(read, side) if one.id not in after}.values()
    refuted = [
        (other, _superseded(revised(other, now, status=Status.ARCHIVED), right.id))
        for other in others
        if not must_not_wait(other) and decide(core, other, right).relation in _AT_ODDS
    ]
    after = {**after, **{new.id: new for _, new in refuted}}
    return [*refuted, *left_over(read, [*sides, *(old for old, _ in refuted)], after, now)]


def _superseded(record: MemoryRecord, by: str) -> MemoryRecord:
    links = record.relations.model_copy(update={"superseded_by": merged_ids(record.relations.superseded_by, by)})
    return record.model_copy(update={"relations": links})


def _held(core: Core, wrong: MemoryRecord, request: CorrectRequest, right_hash: str) -> dict[str, MemoryRecord]:
    """Return the records that may already be the right one."""
    same = core.store.find(request.scope, (right_hash,)).get(right_hash)
    ids = {*wrong.relations.superseded_by, request.new_id or "", same or ""} - {""}
    return core.store.get(request.scope, ids)


def _twin(held: dict[str, MemoryRecord], wrong: MemoryRecord, right_hash: str) -> MemoryRecord | None:
    same = [record for record in held.values() if record.content_hash == right_hash]
    return min(same, key=lambda record: (record.id not in wrong.relations.superseded_by, record.id), default=None)


def _replacement(wrong: MemoryRecord, gone: Sequence[str], request: CorrectRequest, now: datetime, agent: str | None) -> MemoryRecord:
    changes = {
        "id": request.new_id,
        "content": request.content,
        "content_hash": content_hash(request.content),
        "created_at": now,
        "stored_at": now,
        "updated_at": now,
        "status": Status.ACTIVE,
        "revision": 1,
        "usage": Usage(),
        # A correction is the user's own word, whoever had written down the wrong one.
        "source": wrong.source.model_copy(update={"origin": Origin.STATED, "agent": agent or wrong.source.agent}),
        "relations": _inherited(wrong, gone),
    }
    return wrong.model_copy(update=changes)


def _inherited(wrong: MemoryRecord, gone: Sequence[str]) -> Relations:
    # Where a whole is written anew, it stands in the place of the same originals.
    return Relations(supersedes=merged_ids(gone, *wrong.relations.originals), derived_from=wrong.relations.derived_from)


def _promoted(twin: MemoryRecord, gone: Sequence[str], now: datetime) -> MemoryRecord:
    changes = {
        "supersedes": merged_ids(twin.relations.supersedes, *gone),
        "superseded_by": tuple(name for name in twin.relations.superseded_by if name not in gone),
        "conflicts_with": (),
    }
    return revised(twin, now, status=Status.ACTIVE, relations=twin.relations.model_copy(update=changes))
