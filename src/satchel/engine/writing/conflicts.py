"""`conflicts` and `resolve`: groups of memories of which it must be asked which holds (CNF-3, CNF-4).

A contradiction is read from the records: pending ones that are linked to each other; nothing else says so. What nothing waits for is
read from the documents that note it, and asked while the memories hold and still are what they were doubted for. It must not know how
memories come to contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import nsmallest

from satchel.engine.core import Core, Principal
from satchel.engine.writing.agreeing import agreed, agreement, hold_together
from satchel.engine.writing.committing import commit, log_entry, note_uses, restate
from satchel.engine.writing.deciding import decide, moment
from satchel.engine.writing.doubted_parts import AT_ODDS, DOUBTED, Doubted, doubted_parts, without_doubted
from satchel.engine.writing.doubts import Doubt, closed, doubt_about, doubts_of, noted
from satchel.engine.writing.questions import question_about
from satchel.engine.writing.settling import BOTH, NONE, left_over, opponents, settled
from satchel.errors import InvalidRequest, NotFound
from satchel.operations.models import Conflict, ConflictKind, Conflicts, ConflictsRequest, Resolved, ResolveRequest, conflict_id
from satchel.ports import Batch, Document, LogEntry, Put, Use, Verdict
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status

_PAGE = 500
_PENDING = RecordFilter(statuses=(Status.PENDING,))
_UNKNOWN = "nobody has said which of them holds"
_RESTORED = "one had taken the other's place, and was brought back"

Group = Sequence[MemoryRecord]
"""Records of one conflict, the oldest first."""


def conflicts(core: Core, principal: Principal, request: ConflictsRequest) -> Conflicts:
    """List the open questions of these scopes, the oldest first."""
    found = [entry for scope in request.scope for entry in (*_contradictions(core, scope), *_doubted(core, scope))]
    first = nsmallest(request.limit, found, key=lambda entry: (moment(entry.records[-1]), entry.id))
    return Conflicts(conflicts=tuple(first), more=len(found) > len(first))


def groups_of(core: Core, scope: str, records: Iterable[MemoryRecord]) -> list[Group]:
    """Return the groups that these records are part of, each once."""
    found: dict[str, Group] = {}
    for record in records:
        group = _group(core, scope, record)
        if group:
            found.setdefault(group[0].id, group)
    return list(found.values())


def resolve(core: Core, principal: Principal, request: ResolveRequest) -> Resolved:
    """Settle one conflict: what is kept becomes active, the rest is archived, linked to it, and can be restored.

    The same answer again changes nothing.

    Raises:
        NotFound: there is no such conflict. InvalidRequest: what is to be kept is no part of it.
    """
    back: list[Use] = []

    def plan() -> tuple[Batch, Resolved]:
        members = _members(core, request)
        _check(request, members)
        members = _opposed(core, request, members)
        log = log_entry(core, principal, "resolve", reason=f"keep {request.keep}")
        after = {record.id: settled(record, request.keep, members, log.at) for record in members}
        _check_open(core, request, members, after)
        apart = _apart(core, members, after, log.at)
        puts = [_put(record, after[record.id], log) for record in members if after[record.id] is not record]
        puts += [_put(before, record, log) for before, record in apart]
        back[:] = [Use(request.scope, record.id, log.at, 0) for _, record in apart if record.status is Status.ACTIVE]
        left = left_over(lambda names: core.store.get(request.scope, set(names)), members, after, log.at)
        puts += [restate(record, log, expect=before.revision) for before, record in left]
        documents = _answered(core, request, members, log.at)
        kept = tuple(record for record in after.values() if record.status is Status.ACTIVE)
        archived = tuple(record for record in after.values() if record.status is Status.ARCHIVED)
        return Batch(puts, documents), Resolved(kept=kept, archived=archived)

    done = commit(core, plan)
    if back:
        note_uses(core, back)
    return done


# ---------------------------------------------------------------- what there is


def _contradictions(core: Core, scope: str) -> Iterator[Conflict]:
    pending = {record.id: record for record in _pending(core, scope) if record.relations.conflicts_with}
    seen: set[str] = set()
    for record in pending.values():
        if record.id not in seen:
            group = _group(core, scope, record, known=pending)
            seen.update(member.id for member in group)
            yield Conflict(
                id=conflict_id(scope, group[0].id),
                kind=ConflictKind.CONTRADICTION,
                scope=scope,
                question=question_on(core, group),
                reason=_reason(core, group),
                records=tuple(group),
            )


def _doubted(core: Core, scope: str) -> Iterator[Conflict]:
    doubts = list(doubts_of(core, scope))
    records = core.store.get(scope, {name for doubt in doubts for name in (doubt.about, *doubt.beside)}) if doubts else {}
    for doubt in doubts:
        told = _review(doubt, records) if doubt.kind is ConflictKind.REVIEW else _possible(core, doubt, records)
        if told is not None:
            question, reason, group = told
            name = conflict_id(scope, doubt.about)
            yield Conflict(id=name, kind=doubt.kind, scope=scope, question=question, reason=reason, records=tuple(group))


_Told = tuple[str, str, Group]


def _review(doubt: Doubt, records: Mapping[str, MemoryRecord]) -> _Told | None:
    both = [one for name in (doubt.about, *doubt.beside) if (one := records.get(name)) is not None and not one.is_tombstone]
    if not both or both[0].id != doubt.about:
        return None
    reason = f"it was used {doubt.used} times before something else took its place: what was built on it may be wrong too"
    return question_about(both, used=doubt.used), reason, both


def _possible(core: Core, doubt: Doubt, records: Mapping[str, MemoryRecord]) -> _Told | None:
    """Return what is asked of a memory and those it may contradict: the ones that are active, and whose words still give cause."""
    about = records.get(doubt.about)
    if about is None or about.status is not Status.ACTIVE:
        return None
    now = core.now()
    if _is_over(about, now):
        return None
    seen = [(other, _seen(core, other, about)) for other in _active(records, doubt.beside) if not _is_over(other, now)]
    found = [(other, told) for other, told in seen if doubt.at_odds or told.verdict.relation in DOUBTED]
    group = _in_order(doubt, [*(other for other, _ in found), about])
    if not found:
        return None
    reason = next((told.verdict.reason for _, told in found if told.verdict.relation in DOUBTED), _RESTORED)
    shown = {other.id: told.part for other, told in found}
    return question_on(core, group, shown), reason, group


def _seen(core: Core, other: MemoryRecord, about: MemoryRecord) -> Doubted:
    """Return what another memory is to the one that is asked about, or the one thing of it that was put together in it."""
    verdict = _verdict(core, other, about)
    if verdict.relation not in DOUBTED and (within := doubted_parts(core, other, about)):
        return within[0]
    return Doubted(other, verdict)


def question_on(core: Core, group: Group, shown: Mapping[str, MemoryRecord] | None = None) -> str:
    """Return what is to be asked about a group of one scope: nothing that was answered before a third memory came to it.

    `shown`: what stands for a record in the question, by its id.
    """
    told = [record.model_copy(update={"content": (shown or {}).get(record.id, record).content}) for record in group]
    return question_about(told, agreed=agreed(core, group[0].scope, {record.id for record in group}))


def _is_over(record: MemoryRecord, now: datetime) -> bool:
    return any(end is not None and end <= now for end in (record.expires_at, record.valid_until))


def _in_order(doubt: Doubt, records: Iterable[MemoryRecord]) -> list[MemoryRecord]:
    return sorted(records, key=lambda one: (moment(one), one.id == doubt.about, one.id))


def _active(records: Mapping[str, MemoryRecord], names: Iterable[str]) -> list[MemoryRecord]:
    return [record for name in names if (record := records.get(name)) is not None and record.status is Status.ACTIVE]


def _verdict(core: Core, first: MemoryRecord, second: MemoryRecord) -> Verdict:
    return decide(core, first, second) if moment(second) >= moment(first) else decide(core, second, first)


def _pending(core: Core, scope: str) -> Iterator[MemoryRecord]:
    cursor: str | None = None
    while True:
        page = core.store.scan((scope,), _PENDING, cursor=cursor, limit=_PAGE)
        yield from page.records
        cursor = page.cursor
        if cursor is None:
            return


def _group(core: Core, scope: str, record: MemoryRecord, *, known: Mapping[str, MemoryRecord] | None = None) -> list[MemoryRecord]:
    """Return everything that is linked to a pending record, over however many links, and is neither archived nor forgotten."""
    found = {record.id: record}
    waiting = list(record.relations.conflicts_with)
    while waiting:
        names = [name for name in dict.fromkeys(waiting) if name not in found]
        read = {name: known[name] for name in names if known is not None and name in known}
        unread = [name for name in names if name not in read]
        read |= core.store.get(scope, unread) if unread else {}
        new = {name: one for name, one in read.items() if one.status in {Status.PENDING, Status.ACTIVE}}
        found |= new
        waiting = [name for one in new.values() if one.status is Status.PENDING for name in one.relations.conflicts_with]
    return sorted(found.values(), key=lambda one: (moment(one), one.id))


def _reason(core: Core, group: Group) -> str:
    """Say again why it must be asked: the verdict on the first two that do not go together."""
    for place, newer in enumerate(group):
        for older in group[:place]:
            verdict = decide(core, older, newer)
            if verdict.relation in AT_ODDS:
                return verdict.reason
    return _UNKNOWN


# ---------------------------------------------------------------- settling it


def _apart(core: Core, members: Group, after: dict[str, MemoryRecord], now: datetime) -> list[tuple[MemoryRecord, MemoryRecord]]:
    """Return what comes out of the wholes among the members that are put away; in `after` these are as they will be then."""
    found: list[tuple[MemoryRecord, MemoryRecord]] = []
    for record in members:
        if record.status is Status.ACTIVE and after[record.id].status is Status.ARCHIVED:
            others = [other for other in members if other is not record]
            pairs, after[record.id] = without_doubted(core, record, others, after[record.id], now)
            found += pairs
    return found


def _members(core: Core, request: ResolveRequest) -> list[MemoryRecord]:
    scope, record_id = request.scope, request.record_id
    record = core.store.get(scope, (record_id,)).get(record_id)
    if record is None or record.is_tombstone:
        raise NotFound("no such conflict", id=conflict_id(scope, record_id))
    review = doubt_about(core, scope, record_id, ConflictKind.REVIEW)
    if review is not None:
        return [record, *(one for one in core.store.get(scope, review.beside).values() if not one.is_tombstone)]
    if record.status is Status.PENDING or opponents(lambda names: core.store.get(scope, set(names)), record):
        return _group(core, scope, record)
    sides = _sides(core, request, record)
    if len(sides) > 1:
        return sides
    # Asked again after it was settled: the ones it was settled with, or what is kept was, where both were said to hold.
    if hold_together(core, request.scope, {record.id, request.keep}):
        record = core.store.get(request.scope, (request.keep,)).get(request.keep, record)
    linked = core.store.get(scope, {*record.relations.supersedes, *record.relations.superseded_by})
    return [record, *(one for one in linked.values() if not one.is_tombstone)]


def _opposed(core: Core, request: ResolveRequest, members: Group) -> list[MemoryRecord]:
    """Return the members that an answer decides about: what was said to hold together with the one that is kept goes on to hold."""
    held = agreed(core, request.scope, {record.id for record in members}) if request.keep not in {BOTH, NONE} else frozenset()
    return [record for record in members if record.id == request.keep or not {record.id, request.keep} <= held]


def _possible_of(core: Core, scope: str, record: MemoryRecord) -> Doubt | None:
    """Return the doubt that a record is a side of: its own, or an open one of a newer memory."""
    own = doubt_about(core, scope, record.id, ConflictKind.POSSIBLE)
    if own is not None or record.status is not Status.ACTIVE:
        return own
    return next((doubt for doubt in doubts_of(core, scope) if doubt.kind is ConflictKind.POSSIBLE and record.id in doubt.beside), None)


def _sides(core: Core, request: ResolveRequest, record: MemoryRecord) -> list[MemoryRecord]:
    """Return the memories that may contradict each other, this one among them; those of a question answered so before, as they are now."""
    doubt = _possible_of(core, request.scope, record)
    if doubt is None or doubt.answer not in {None, request.keep}:
        return []
    held = core.store.get(request.scope, {doubt.about, *doubt.beside}).values()
    return _in_order(doubt, (one for one in held if one.status is Status.ACTIVE or (doubt.answer is not None and not one.is_tombstone)))


def _answered(core: Core, request: ResolveRequest, members: Group, now: datetime) -> list[Document]:
    """Return the documents that tell how what was doubted is answered."""
    found: list[Document] = []
    for record in members:
        if _is_reviewed(core, record):
            found += closed(record.scope, (record.id,), (ConflictKind.REVIEW,))
        doubt = doubt_about(core, record.scope, record.id, ConflictKind.POSSIBLE)
        if doubt is not None and doubt.answer is None and _are_sides(doubt, members):
            found.append(noted(record.scope, doubt._replace(answer=request.keep), now))
    if request.keep == BOTH and any(record.status is Status.PENDING for record in members):
        found.append(agreement(core, members))
    return found


def _are_sides(doubt: Doubt, members: Group) -> bool:
    return len({doubt.about, *doubt.beside} & {record.id for record in members}) > 1


def _check(request: ResolveRequest, members: Group) -> None:
    ids = {record.id for record in members}
    if request.keep not in ids | {BOTH, NONE}:
        is_open = any(record.status is Status.PENDING for record in members)
        if not is_open and len(members) == 1:
            raise NotFound("no such conflict", id=request.id)
        raise InvalidRequest.of([{"field": "keep", "message": f"is none of {', '.join(sorted(ids))}, both, none"}])


def _check_open(core: Core, request: ResolveRequest, members: Group, after: Mapping[str, MemoryRecord]) -> None:
    """Refuse to settle what nobody asks: only the same answer again may name what is settled already."""
    if any(record.status is Status.PENDING or _is_reviewed(core, record) for record in members):
        return
    doubts = (doubt_about(core, record.scope, record.id, ConflictKind.POSSIBLE) for record in members)
    asked = [doubt for doubt in doubts if doubt is not None and _are_sides(doubt, members)]
    if any(doubt.answer is None for doubt in asked):
        return
    if any(after[record.id] is not record for record in members) or not (asked or _was_asked(core, request)):
        raise NotFound("no such conflict: nothing is asked about this memory", id=request.id)


def _was_asked(core: Core, request: ResolveRequest) -> bool:
    changes = core.store.history(request.scope, request.record_id)
    return any(change.operation in {"resolve", "confirm", "question", "correct", "supersede"} for change in changes)


def _put(before: MemoryRecord, after: MemoryRecord, log: LogEntry) -> Put:
    return restate(after, log, expect=before.revision)


def _is_reviewed(core: Core, record: MemoryRecord) -> bool:
    return doubt_about(core, record.scope, record.id, ConflictKind.REVIEW) is not None
