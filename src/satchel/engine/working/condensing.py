"""A session condensed into long-term memories, by rule (WRK-4): decisions, preferences, open tasks, a short summary. Fewer and better.

It must not know how a memory is written, or what the store holds already.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from satchel.engine.text.screening import MASK
from satchel.engine.text.utterances import Utterance, remarks, utterances
from satchel.operations.models import NewMemory
from satchel.protocol.record import Origin, Source
from satchel.protocol.validation import validated
from satchel.protocol.working import WorkingEvent, WorkingItem, WorkingSnapshot, WorkingTask

MAX_RECORDS = 250
"""Records that one session becomes at most, or that are written of it in one go."""

SUMMARY_SCORE = 0.2
_CARRIED = 200
"""What was found in turns that have left, beyond which the oldest is written at once."""

_MOST_CARRIED = 2000
_LONGEST_SUMMARY = 2000
_HAN = re.compile("[\u3400-\u9fff]")
_TRANSIENT_KEY = re.compile(
    r"(?:^|_)(?:id|step|turn|status|state|cursor|page|count|total|index|time|date|at|tmp|temp|last|current|cwd|path|file|url|token|cache"
    r"|retry|attempt|phase|mode|todo|next|progress|pending|error|result|output|input|draft)(?:$|_)",
    re.IGNORECASE,
)
_NO_FACT = re.compile(
    r"https?://|^[\w./\\-]*[/\\][\w./\\-]*$|^\d[\d\s:.,/-]*$|^[0-9a-f-]{16,}$|^(?:true|false|null|none|ok|done|yes|no)$", re.IGNORECASE
)
_LABELS = (
    (re.compile(r"^(?:decision|decided|决定|決定)", re.IGNORECASE), "fact", ("decision",)),
    (re.compile(r"^(?:preference|prefers?|偏好|喜好)", re.IGNORECASE), "preference", ()),
)


def memory_id(scope: str, session: str, *parts: str) -> str:
    """Return the id of what a part of a session becomes: the same for the same part, and telling nothing of its content."""
    return str(uuid.UUID(bytes=hashlib.sha256("\n".join((scope, session, *parts)).encode()).digest()[:16], version=5))


def spoken(event: WorkingEvent) -> str:
    """Return what a turn says: its text, or the text parts of its content."""
    if event.text:
        return event.text
    content = event.said().get("content")
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def found_in(scope: str, session: str, event: WorkingEvent, now: datetime) -> Iterator[WorkingItem]:
    """Yield what a turn says that is worth keeping, each with the id that it will have as a memory."""
    yield from _items(scope, session, event, now, "event", utterances)


def remarked_in(scope: str, session: str, event: WorkingEvent, now: datetime) -> Iterator[WorkingItem]:
    """Yield what a turn says in passing, which is worth keeping once it is said again."""
    yield from _items(scope, session, event, now, "remark", remarks)


def _items(
    scope: str, session: str, event: WorkingEvent, now: datetime, kind: str, say: Callable[[str, str, datetime], Iterator[Utterance]]
) -> Iterator[WorkingItem]:
    said_at = event.at or now
    for place, found in enumerate(say(spoken(event), event.role.lower(), said_at)):
        if MASK in found.content:
            continue
        due = {} if found.due_at is None else {"due_at": found.due_at.isoformat()}
        known_as = memory_id(scope, session, kind, event.id or "", str(place))
        yield WorkingItem.model_validate(
            {
                "id": known_as, "type": found.type, "content": found.content, "tags": list(found.tags), **due,
                **({"asked": True} if found.asked else {}), "event": event.id, "at": said_at.isoformat(), "role": event.role,
            }
        )  # fmt: skip


def trimmed(snapshot: WorkingSnapshot, keep: int, now: datetime) -> tuple[WorkingSnapshot, tuple[WorkingEvent, ...]]:
    """Return the snapshot with the last turns only, and those that left; what they say that is worth keeping is carried along."""
    over = len(snapshot.recent_events) - keep
    if over <= 0:
        return snapshot, ()
    dropped = snapshot.recent_events[:over]
    carried = {item.id: item for item in snapshot.carried}
    carried |= {item.id: item for event in dropped for item in found_in(snapshot.scope, snapshot.session_id, event, now)}
    kept = tuple(carried.values())[-_MOST_CARRIED:]
    return snapshot.model_copy(update={"recent_events": snapshot.recent_events[over:], "carried": kept}), dropped


def relieved(snapshot: WorkingSnapshot, before: datetime) -> tuple[WorkingSnapshot, list[WorkingItem]]:
    """Return the snapshot without what it carries since `before`, or beyond a number, and that: what need not wait for its end."""
    over = max(0, len(snapshot.carried) - _CARRIED)
    due = [item for place, item in enumerate(snapshot.carried) if place < over or _is_before(item, before)][:MAX_RECORDS]
    if not due:
        return snapshot, []
    gone = {item.id for item in due}
    return snapshot.model_copy(update={"carried": tuple(item for item in snapshot.carried if item.id not in gone)}), due


def _is_before(item: WorkingItem, moment: datetime) -> bool:
    at = item.said().get("at")
    try:
        said_at = datetime.fromisoformat(at) if isinstance(at, str) else None
    except ValueError:
        return False
    return said_at is not None and said_at.tzinfo is not None and said_at < moment


def memory_of(item: WorkingItem, session: str) -> NewMemory:
    """Return the memory that something found in a turn becomes."""
    said = item.said()
    origin = Origin.STATED if said.get("role") in {"user", "human"} else Origin.INFERRED
    return _memory(
        id=item.id,
        type=said["type"],
        content=said["content"],
        tags=said.get("tags", ()),
        due_at=said.get("due_at"),
        created_at=said.get("at"),
        source=Source(session=session, message=said.get("event"), origin=origin),
    )


def condense(snapshot: WorkingSnapshot, now: datetime) -> list[NewMemory]:
    """Return what a session becomes, the most useful first; what was promoted before is left out."""
    found: dict[str, NewMemory] = {}
    said = list(_turns(snapshot, now))
    asked = [memory_of(item, snapshot.session_id) for item in said if item.said().get("asked")]
    others = [memory_of(item, snapshot.session_id) for item in said if not item.said().get("asked")]
    # Where there is too much, it is not what was asked for that stays out.
    for memory in (*_tasks(snapshot), *asked, *others, *_labelled(snapshot)):
        if memory.id not in snapshot.promoted and memory.id not in snapshot.promoted.values():
            found.setdefault(memory.content, memory)
    memories = list(found.values())[: MAX_RECORDS - 1]
    return [*memories, *_summary(snapshot, memories, now)]


def _tasks(snapshot: WorkingSnapshot) -> Iterator[NewMemory]:
    for task in snapshot.task_stack:
        if task.is_open and f"task:{task.id}" not in snapshot.promoted and len(task.text) > 1 and MASK not in task.text:
            yield task_memory(snapshot, task)


def task_memory(snapshot: WorkingSnapshot, task: WorkingTask) -> NewMemory:
    """Return the memory that a task becomes."""
    return _memory(
        id=memory_id(snapshot.scope, snapshot.session_id, "task", task.id or ""),
        type="task",
        content=task.text,
        due_at=task.due_at,
        created_at=task.updated_at,
        source=Source(session=snapshot.session_id),
        meta={"working": {"task": task.id}},
    )


def _turns(snapshot: WorkingSnapshot, now: datetime) -> Iterator[WorkingItem]:
    yield from snapshot.carried
    for event in snapshot.recent_events:
        yield from found_in(snapshot.scope, snapshot.session_id, event, now)


# ---------------------------------------------------------------- slots


def _labelled(snapshot: WorkingSnapshot) -> Iterator[NewMemory]:
    """Yield the slots whose name says that they hold a decision or a preference."""
    for key in snapshot.slots:
        for pattern, _, _ in _LABELS:
            if pattern.match(key) and f"slot:{key}" not in snapshot.promoted and (memory := slot_memory(snapshot, key)) is not None:
                yield memory


def slot_memory(snapshot: WorkingSnapshot, key: str, content: str | None = None) -> NewMemory | None:
    """Return the memory that a slot becomes; None where its value is no text that stands by itself, and no content is given."""
    text = content or slot_text(key, snapshot.slots[key])
    if text is None or MASK in text:
        return None
    kind, tags = next(((kind, tags) for pattern, kind, tags in _LABELS if pattern.match(key)), ("fact", ()))
    at = snapshot.slot_times.get(key)
    return _memory(
        id=memory_id(snapshot.scope, snapshot.session_id, "slot", key, "" if at is None else at.isoformat()),
        type=kind,
        content=text,
        tags=tags,
        created_at=at,
        source=Source(session=snapshot.session_id, origin=Origin.INFERRED),
        meta={"working": {"slot": key}},
    )


def slot_text(key: str, value: Any) -> str | None:
    """Return a slot as readable text, `key: value`; None where its value is no text, number or list of them."""
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(one, str | int | float) and not isinstance(one, bool) and str(one).strip() for one in values):
        return None
    is_chinese = _HAN.search(key + str(value)) is not None
    listed = ("、" if is_chinese else ", ").join(str(one).strip() for one in values)
    return f"{key}{'：' if is_chinese else ': '}{listed}"


def is_lasting_slot(key: str, value: Any) -> bool:
    """Tell whether a slot may become a memory unasked: a named piece of text, no counter, place, address or state of the work at hand."""
    if not isinstance(value, str) or _TRANSIENT_KEY.search(key) or MASK in value:
        return False
    text = value.strip()
    return len(text) <= 200 and not _NO_FACT.search(text) and (len(_HAN.findall(text)) >= 2 or sum(map(str.isalpha, text)) >= 4)


# ---------------------------------------------------------------- summary


def _summary(snapshot: WorkingSnapshot, memories: list[NewMemory], now: datetime) -> Iterator[NewMemory]:
    text = snapshot.summary.strip()[:_LONGEST_SUMMARY] or _made_summary(memories)
    if not text or MASK in text:
        return
    is_chinese = _HAN.search(text) is not None
    day = snapshot.updated_at.date().isoformat()
    yield _memory(
        id=memory_id(snapshot.scope, snapshot.session_id, "summary", str(snapshot.version)),
        type="interaction",
        content=f"会话小结（{day}）：{text}" if is_chinese else f"Session of {day}: {text}",
        score=SUMMARY_SCORE,
        created_at=snapshot.updated_at,
        source=Source(session=snapshot.session_id, origin=Origin.INFERRED),
    )


def _made_summary(memories: list[NewMemory]) -> str:
    decided = [memory.content for memory in memories if "decision" in memory.tags]
    waiting = [memory.content for memory in memories if memory.type == "task"]
    if not decided and not waiting:
        return ""
    is_chinese = _HAN.search("".join((*decided, *waiting))) is not None
    mark, open_ = ("；", "未完成：") if is_chinese else ("; ", "Open: ")
    said = [*decided[:3], *([open_ + mark.join(waiting[:3])] if waiting else [])]
    return mark.join(said)


def _memory(**members: Any) -> NewMemory:
    return validated(NewMemory, {name: value for name, value in members.items() if value is not None})
