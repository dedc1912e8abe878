"""`correct`: the wrong record is archived, the right one written in its place, linked both ways (CNF-4, first form).

It must not know who said that the record was wrong.
"""

from __future__ import annotations

from datetime import datetime

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.lineage import lineage
from satchel.engine.reading import fetch
from satchel.engine.writing.committing import Vectors, commit, log_entry, merged_ids, put, restate, revised
from satchel.engine.writing.completing import check_content, refuse_secrets
from satchel.engine.writing.reviews import put_up
from satchel.engine.writing.updating import check_revision
from satchel.errors import Conflict
from satchel.operations.models import CorrectRequest, Outcome, Remembered
from satchel.ports import Batch, Put
from satchel.protocol.record import MemoryRecord, Origin, Relations, Status, Usage, content_hash, new_id


def correct(core: Core, principal: Principal, request: CorrectRequest) -> Remembered:
    """Replace a wrong memory by the right one; the same correction again is `unchanged`.

    Where the scope already holds the right content, that record takes the wrong one's place.

    Raises:
        Conflict: the record is no longer at `if_revision`, or `new_id` is taken.
    """
    check_content(core, request.content)
    refuse_secrets(core, {"reason": request.reason, "new_id": request.new_id})
    wanted = request if request.new_id is not None else request.model_copy(update={"new_id": new_id()})
    vectors = Vectors(core)

    def plan() -> tuple[Batch, Remembered]:
        restated, written, remembered = _plan(core, principal, wanted)
        documents = lineage(change.record for change in written)
        for change in restated:
            if change.record.status is Status.ARCHIVED:
                documents += put_up(core, change.record, remembered.record.id)
        return Batch([*restated, *vectors.fill(written)], documents), remembered

    return commit(core, plan)


def _plan(core: Core, principal: Principal, request: CorrectRequest) -> tuple[list[Put], list[Put], Remembered]:
    """Return the changes that leave content alone, those that bring content, and the answer."""
    wrong = fetch(core, request.scope, request.id)
    right_hash = content_hash(request.content)
    if wrong.content_hash == right_hash:
        return [], [], Remembered(record=wrong, outcome=Outcome.UNCHANGED)
    held = _held(core, wrong, request, right_hash)
    twin = _twin(held, wrong, right_hash)
    if twin is not None and twin.id in wrong.relations.superseded_by:
        return [], [], Remembered(record=twin, outcome=Outcome.UNCHANGED, related=(wrong.id,))
    check_revision(wrong, request.if_revision)
    taken = held.get(request.new_id or "")
    if twin is None and taken is not None:
        raise Conflict(
            f"the id {taken.id!r} is taken by another memory of this scope", id=taken.id, scope=taken.scope, actual=taken.revision
        )
    log = log_entry(core, principal, "correct", reason=request.reason)
    right = _replacement(wrong, request, log.at, principal.agent) if twin is None else _promoted(twin, wrong, log.at)
    links = wrong.relations.model_copy(update={"superseded_by": merged_ids(wrong.relations.superseded_by, right.id)})
    restated = [restate(revised(wrong, log.at, status=Status.ARCHIVED, relations=links), log, expect=wrong.revision)]
    remembered = Remembered(record=right, outcome=Outcome.SUPERSEDED, related=(wrong.id,))
    if twin is not None:
        return [*restated, restate(right, log, expect=twin.revision)], [], remembered
    return restated, [put(right, log, expect=0, only_if_new_content=True)], remembered


def _held(core: Core, wrong: MemoryRecord, request: CorrectRequest, right_hash: str) -> dict[str, MemoryRecord]:
    """Return the records that may already be the right one."""
    same = core.store.find(request.scope, (right_hash,)).get(right_hash)
    ids = {*wrong.relations.superseded_by, request.new_id or "", same or ""} - {""}
    return core.store.get(request.scope, ids)


def _twin(held: dict[str, MemoryRecord], wrong: MemoryRecord, right_hash: str) -> MemoryRecord | None:
    same = [record for record in held.values() if record.content_hash == right_hash]
    return min(same, key=lambda record: (record.id not in wrong.relations.superseded_by, record.id), default=None)


def _replacement(wrong: MemoryRecord, request: CorrectRequest, now: datetime, agent: str | None) -> MemoryRecord:
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
        "relations": Relations(supersedes=(wrong.id,), derived_from=wrong.relations.derived_from),
    }
    return wrong.model_copy(update=changes)


def _promoted(twin: MemoryRecord, wrong: MemoryRecord, now: datetime) -> MemoryRecord:
    links = twin.relations.model_copy(update={"supersedes": merged_ids(twin.relations.supersedes, wrong.id)})
    return revised(twin, now, status=Status.ACTIVE, relations=links)
