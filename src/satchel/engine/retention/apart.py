"""A memory that was put together of others, taken apart: because a person asks for it, or because today's rules would not have made it.

What it was made of comes back, it is archived. It must not know how memories are put together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.lineage import originals
from satchel.engine.reading import fetch
from satchel.engine.retention.consolidating import keeps_apart
from satchel.engine.retention.passing import Edit, Records, ScopePass
from satchel.engine.writing.committing import commit, log_entry, note_uses, restate, revised
from satchel.engine.writing.updating import restore as restore_one
from satchel.errors import InvalidRequest
from satchel.operations.models import MaintenanceStep, RestoreRequest
from satchel.ports import Batch, Use
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status

_PAGE = 500
_ACTIVE = RecordFilter(statuses=(Status.ACTIVE,))


def restore(core: Core, principal: Principal, request: RestoreRequest) -> MemoryRecord:
    """Bring an archived record back to active; or, with `apart`, what was put together in a record, which is archived and returned.

    Raises:
        InvalidRequest: it is to be taken apart, and was not put together of others.
    """
    if not request.apart:
        return restore_one(core, principal, request)

    def plan() -> tuple[Batch, tuple[MemoryRecord, Sequence[str]]]:
        whole = fetch(core, request.scope, request.id)
        if not whole.relations.originals:
            raise InvalidRequest.of([{"field": "apart", "message": "this memory was not put together of others"}])
        log = log_entry(core, principal, "restore", reason=f"{request.id} was taken apart")
        # However many times it grew, the person sees one whole, and gets back what was said.
        parts = {name: part for name, part in originals(core, request.scope, whole).items() if not part.relations.originals}
        if not parts and whole.status is Status.ARCHIVED:
            return Batch(), (whole, ())
        # They still name it as what they were put together in, so that no later pass puts them together again.
        changed = [(part, revised(part, log.at, status=Status.ACTIVE)) for part in parts.values()]
        after = revised(whole, log.at, status=Status.ARCHIVED) if whole.status is not Status.ARCHIVED else whole
        puts = [restate(new, log, expect=old.revision) for old, new in changed]
        if after is not whole:
            puts.append(restate(after, log, expect=whole.revision))
        return Batch(puts), (after, tuple(parts))

    whole, parts = commit(core, plan)
    if parts:
        # Without a use they would be as faint as they were, and a pass might archive them again at once.
        note_uses(core, [Use(request.scope, name, core.now()) for name in parts])
    return whole


def undo_wrong_wholes(work: ScopePass) -> int:
    """Take apart what an earlier version put together of memories that keep their own records today; return how many changed."""
    done, changed = 0, -1
    while changed:
        # What comes back may itself have been put together wrongly.
        changed = sum(_judged(work, whole) for whole in _wholes(work))
        done += changed
    return done


def _judged(work: ScopePass, whole: MemoryRecord) -> int:
    places = {whole.id, *whole.relations.supersedes}
    held = work.records(whole.relations.originals)
    parts = {name: one for name, one in held.items() if one.status is Status.ARCHIVED and places & {*one.relations.superseded_by}}
    wrong = keeps_apart(list(parts.values()))
    return _taken_apart(work, whole, parts, wrong) if wrong else 0


def _wholes(work: ScopePass) -> Iterator[MemoryRecord]:
    cursor: str | None = None
    while True:
        page = work.core.store.scan((work.scope,), _ACTIVE, cursor=cursor, limit=_PAGE)
        yield from [record for record in work.seen(page.records).values() if record.relations.originals and not record.pinned]
        cursor = page.cursor
        if cursor is None:
            return


def _taken_apart(work: ScopePass, whole: MemoryRecord, parts: Mapping[str, MemoryRecord], wrong: Sequence[str]) -> int:
    names = (whole.id, *parts)

    def decide(records: Records) -> list[Edit]:
        if any(records[name].revision != one.revision if name in records else True for name, one in {**parts, whole.id: whole}.items()):
            return []
        reason = f"taken apart: {len(wrong)} of the {len(parts)} it was put together of keep their own records"
        return [
            work.edit(whole, "repair", reason, related=tuple(parts), status=Status.ARCHIVED),
            *(_freed(work, part, whole) for part in parts.values()),
        ]

    def uses(records: Records) -> list[Use]:
        # They are as fresh as the whole in which they were recalled; by their own last use they might be archived in this very pass.
        at = whole.usage.last_access_at or whole.stored_at
        return [Use(work.scope, name, at) for name in parts]

    return work.together(names, MaintenanceStep.REPAIR, decide, uses=uses)


def _freed(work: ScopePass, part: MemoryRecord, whole: MemoryRecord) -> Edit:
    places = {whole.id, *whole.relations.supersedes}
    left = tuple(name for name in part.relations.superseded_by if name not in places)
    links = part.relations.model_copy(update={"superseded_by": left})
    reason = f"{whole.id}, in which it was put together with others, was taken apart"
    return work.edit(part, "repair", reason, related=(whole.id,), status=Status.ACTIVE, relations=links)
