"""Consolidation: memories of one topic become one fuller memory, the originals archived and linked (RET-6).

By rule, so that every sentence stays; a model may write the text instead, and where its answer is bad nothing is archived. It must not
know how topics are found.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import permutations

from satchel.engine.comparing import compare
from satchel.engine.comparing.slots import slots
from satchel.engine.comparing.statements import read
from satchel.engine.core import Core
from satchel.engine.index.vectors import unpack_vectors
from satchel.engine.recall.constraints import is_constraint, must_not_wait
from satchel.engine.retention.deduplicating import may_merge
from satchel.engine.retention.fading import PERMANENT
from satchel.engine.retention.passing import Edit, Records, ScopePass
from satchel.engine.retention.rewriting import BadAnswer, fail, rewritten
from satchel.engine.retention.topics import Background, Item, background, topic_words, topics
from satchel.engine.text.joining import join
from satchel.engine.writing.committing import merged_ids
from satchel.engine.writing.doubts import doubts_of
from satchel.operations.models import ConflictKind, MaintenanceStep
from satchel.ports import Relation
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Relations, Source, Status, Usage, content_hash, core_type

MAX_ITEMS = 20_000
"""Memories of one scope whose topics are looked for in one pass; of more, those that stand first by id."""

_LONGEST = 400
_PAGE = 500
_ACTIVE = RecordFilter(statuses=(Status.ACTIVE,))
_LEFT_OUT = frozenset({"task", "interaction"})
_AT_ODDS = frozenset({Relation.REPLACES, Relation.CONTRADICTS})
_RELATIVE = re.compile(
    "今天|今日|昨天|明天|后天|前天|刚才|刚刚|目前|现在|最近|上周|下周|这周|本周|上个月|下个月|这个月|今年|去年|明年"
    r"|\b(?:today|yesterday|tomorrow|tonight|currently|now|recently|(?:last|next|this) (?:week|month|year|night))\b",
    re.IGNORECASE,
)
"""What is true only beside the date it was said on keeps its own record."""


def consolidate(work: ScopePass, *, weekly: bool) -> int:
    """Merge what is clearly about one topic: topics of eight memories, or, once a week, of three. Return how many records changed."""
    settings = work.core.settings
    least = min(settings.consolidate_least, settings.consolidate_at) if weekly else settings.consolidate_at
    items = _items(work)
    ground = _ground(work.core, items, least)
    done, left_alone = 0, set[frozenset[str]]()
    while True:
        found = [_settled(group) for group in topics(list(items.values()), least, ground)]
        groups = [part for group in found if sum(item.fresh for item in group) >= least for part in _parts(work.core, group)]
        waiting = [group for group in groups if frozenset(item.id for item in group) not in left_alone]
        if not waiting:
            return done
        for group in waiting:
            names = [item.id for item in group]
            changed = _put_together(work, names, items)
            done += changed
            if not changed:
                left_alone.add(frozenset(names))


def _ground(core: Core, items: Mapping[str, Item], least: int) -> Background | None:
    if core.embedder is None or len(items) < least:
        return None
    try:
        return background(core.embedder)
    except Exception:  # noqa: BLE001 - an embedder may fail in any way, and words alone tell topics too
        return None


# ---------------------------------------------------------------- what may be put together


def may_consolidate(record: MemoryRecord) -> bool:
    """Tell whether a record may be put together with others: nothing pinned, permanent, due, dated, long, or tied to its day.

    Nor what must be obeyed, nor what fills a place that holds one value: beside others in one text it would be compared no more.
    """
    dated = (record.due_at, record.expires_at, record.valid_from, record.valid_until)
    return (
        may_merge(record)
        and not record.pinned
        and record.retention != PERMANENT
        and not any(dated)
        and core_type(record.type) not in _LEFT_OUT
        and "\n" not in record.content
        and (len(record.content) <= _LONGEST or bool(record.relations.derived_from))
        and not _says_for_itself(record)
    )


def _says_for_itself(record: MemoryRecord) -> bool:
    """Tell whether what a record says keeps it apart: it is true beside its day only, must be obeyed, or fills a place for one value."""
    if _RELATIVE.search(record.content) or must_not_wait(record) or is_constraint(record):
        return True
    return not record.relations.derived_from and _fills_a_slot(record.content)


def keeps_apart(parts: Sequence[MemoryRecord]) -> list[str]:
    """Return the ids of those of the originals of one fuller memory that should have kept their own records."""
    apart = [part.id for part in parts if _says_for_itself(part)]
    return apart or _at_odds([(part.id, part.content) for part in parts])


def _fills_a_slot(content: str) -> bool:
    statement = read(content)
    return statement is not None and any(slot.is_single for slot in slots(statement))


def _items(work: ScopePass) -> dict[str, Item]:
    found: dict[str, Item] = {}
    asked = {
        name for doubt in doubts_of(work.core, work.scope) if doubt.kind is ConflictKind.POSSIBLE for name in (doubt.about, *doubt.beside)
    }
    cursor: str | None = None
    while True:
        page = work.core.store.scan((work.scope,), _ACTIVE, cursor=cursor, limit=_PAGE)
        records = work.seen(page.records)
        found |= {
            name: _item(work, record, _vector(work, name))
            for name, record in records.items()
            if may_consolidate(record) and name not in asked
        }
        cursor = page.cursor
        if cursor is None or len(found) >= MAX_ITEMS:
            return found


def _item(work: ScopePass, record: MemoryRecord, blob: bytes | None) -> Item:
    embedder = work.core.embedder
    vector = None
    if blob is not None and embedder is not None:
        vectors, sound = unpack_vectors([blob], embedder.dimension)
        vector = vectors[0] if sound[0] else None
    kind = (record.type, record.source.origin, record.access)
    return Item(record.id, str(kind), record.content, not record.relations.derived_from, vector, topic_words(record.content))


def _vector(work: ScopePass, name: str) -> bytes | None:
    row = work.ledger.row_of(name)
    return work.ledger.vectors[row] if row is not None and row < len(work.ledger.vectors) else None


def _settled(group: Sequence[Item]) -> list[Item]:
    """Leave out what goes against another of the group, or would take its place: that is to be settled, not put side by side."""
    open_ = _at_odds([(item.id, item.content) for item in group])
    return [item for item in group if item.id not in open_]


def _at_odds(said: Sequence[tuple[str, str]]) -> list[str]:
    """Return the ids of those that go against another of these, or would take its place."""
    found: dict[str, None] = {}
    for (first, one), (second, other) in permutations(said, 2):
        if first not in found and compare(one, other).relation in _AT_ODDS:
            found |= {first: None, second: None}
    return list(found)


def _parts(core: Core, group: Sequence[Item]) -> list[list[Item]]:
    """Cut a group so that no part grows beyond the longest text, and no part is too small to be worth it."""
    parts: list[list[Item]] = [[]]
    size = 0
    for item in sorted(group, key=lambda item: (item.fresh, item.id)):
        if parts[-1] and size + len(item.content) > core.settings.consolidate_max_chars:
            parts.append([])
            size = 0
        parts[-1].append(item)
        size += len(item.content) + 1
    return [part for part in parts if sum(item.fresh for item in part) >= core.settings.consolidate_least]


# ---------------------------------------------------------------- putting together


def _put_together(work: ScopePass, names: Sequence[str], items: dict[str, Item]) -> int:
    planned = {name: record for name, record in work.records(names).items() if may_consolidate(record)}
    originals = _ordered(work, planned.values())
    if len(originals) < len(names):
        return 0
    try:
        content = _text(work.core, originals)
    except BadAnswer as error:
        fail(work, names, str(error))
        return 0
    made = _made(work, originals, content)

    def decide(records: Records) -> list[Edit]:
        # A model may take its time: what was changed or brought back meanwhile is left alone.
        same = all(name in records and records[name].revision == planned[name].revision for name in names)
        if not same or work.core.store.get(work.scope, (made.id,)):
            return []
        new = Edit(None, made, "consolidate", f"made of {len(names)} memories of one topic", tuple(names))
        return [new, *(_archived(work, records[name], made.id) for name in names)]

    changed = work.together(names, MaintenanceStep.CONSOLIDATE, decide)
    if changed:
        for name in names:
            items.pop(name, None)
        items[made.id] = _item(work, made, work.vector_of(made.content))
    return changed


def _ordered(work: ScopePass, records: Collection[MemoryRecord]) -> list[MemoryRecord]:
    """Return records as they arose, and what arose at one time as it was written."""
    logs = work.core.store.histories(work.scope, [record.id for record in records])

    def when(record: MemoryRecord) -> tuple[float, float, str, str]:
        log = logs.get(record.id)
        written = log[0].position if log else float("inf")
        return (record.created_at or record.stored_at).timestamp(), written, record.content, record.id

    return sorted(records, key=when)


def _text(core: Core, originals: Sequence[MemoryRecord]) -> str:
    if core.consolidator is None:
        return join([record.content for record in originals])
    return rewritten(core.consolidator, originals, core.settings)


def _made(work: ScopePass, originals: Sequence[MemoryRecord], content: str) -> MemoryRecord:
    """Return the fuller record: as strong as the strongest of its originals, and no younger in use than they are."""
    last = originals[-1]
    ids = tuple(record.id for record in originals)
    usage = Usage()
    for record in originals:
        usage = usage.merged(record.usage)
    return MemoryRecord(
        id=_id_of(work.scope, originals),
        type=last.type,
        content=content,
        content_hash=content_hash(content),
        scope=work.scope,
        source=_shared_source([record.source for record in originals]),
        created_at=last.created_at,
        stored_at=max(record.stored_at for record in originals),
        updated_at=work.now,
        score=max(record.score for record in originals),
        half_life=max(record.half_life for record in originals),
        retention=max(originals, key=lambda record: record.half_life).retention,
        confidence=min(record.confidence for record in originals),
        tags=tuple(dict.fromkeys(tag for record in originals for tag in record.tags)),
        access=last.access,
        relations=Relations(derived_from=ids, supersedes=ids),
        meta={name: value for name, value in last.meta.items() if all(record.meta.get(name) == value for record in originals)},
        usage=usage,
    )


def _id_of(scope: str, originals: Sequence[MemoryRecord]) -> str:
    """Return the same id for the same originals, so that two passes at once, or a dry run, speak of one record."""
    told = "\n".join([scope, *sorted(f"{record.id} {record.content_hash}" for record in originals)])
    digits = hashlib.sha256(told.encode()).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-a{digits[17:20]}-{digits[20:32]}"


def _shared_source(sources: Sequence[Source]) -> Source:
    """Return what the sources have in common; the rest is found by way of the originals."""
    first = sources[0]
    differing = {name: None for name in Source.model_fields if any(getattr(other, name) != getattr(first, name) for other in sources)}
    return first.model_copy(update=differing)


def _archived(work: ScopePass, record: MemoryRecord, successor: str) -> Edit:
    links = record.relations.model_copy(update={"superseded_by": merged_ids(record.relations.superseded_by, successor)})
    reason = f"put together with others of its topic in {successor}"
    return work.edit(record, "consolidate", reason, related=(successor,), status=Status.ARCHIVED, relations=links)
