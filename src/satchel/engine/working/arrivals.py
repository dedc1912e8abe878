"""Snapshots that arrive from elsewhere: a package, another scope. They are merged by rule, and bring nothing forgotten back (PRO-10).

It must not know where they come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from satchel.engine.core import Core
from satchel.engine.forgetting.tombstones import Marks, session_forgotten
from satchel.engine.working.condensing import found_in, trimmed
from satchel.engine.working.drafts import Completion
from satchel.engine.working.saving import every_snapshot, retried, same_content, write
from satchel.errors import Conflict, InvalidRequest
from satchel.operations.models import WorkingDraft
from satchel.ports import WorkingStore
from satchel.protocol.record import MAX_CONTENT_BYTES
from satchel.protocol.working import WorkingEvent, WorkingSnapshot
from satchel.protocol.working_merge import merge_working

_SENTENCE = re.compile(r"[^。！？!?；;\n]+[。！？!?；;]?")
_ENDS = "。.！!；;?？ "
_KEPT = ("carried", "promoted", "records", "ended_at", "ended_by", "erased_at", "agent_id", "version", "created_at", "updated_at")

Forbids = Callable[[str], bool]
"""Tells whether a text is a content that was forgotten here."""

FORGOTTEN = "this session was forgotten here"


def arrive(core: Core, snapshot: WorkingSnapshot, forbids: Forbids, *, dry_run: bool = False) -> str | None:
    """Take a snapshot in; return why it was left out, None where it stands now. The same snapshot again changes nothing."""
    forgotten = session_forgotten(core, snapshot.scope, snapshot.session_id)
    if forgotten is not None and snapshot.created_at <= forgotten.at:
        return FORGOTTEN
    try:
        arriving = _completed(core, _without_forgotten(snapshot, forbids))
    except InvalidRequest as error:
        return error.message
    if not dry_run:
        retried(lambda: _merge_in(core, arriving))
    return None


def move_sessions(core: Core, scope: str, to: str) -> None:
    """Move the working memory of every session of a scope into another; where both have a session of that name, they are merged."""
    for found in every_snapshot(core, scope):
        _merge_in(core, found.model_copy(update={"scope": to}))
        core.working.drop(scope, found.session_id)


def bring_in(core: Core, source: WorkingStore) -> None:
    """Move every session from another place to where sessions are kept now; merged where it is there already."""
    while page := source.snapshots():
        for found in page:
            retried(lambda found=found: _merge_in(core, found))  # type: ignore[misc]
            with suppress(Conflict):  # saved there meanwhile: the next page has it again
                source.drop(found.scope, found.session_id, expect=found.version)


def _merge_in(core: Core, arriving: WorkingSnapshot) -> None:
    held = core.working.load(arriving.scope, arriving.session_id)
    if held is None:
        write(core, arriving.model_copy(update={"version": max(1, arriving.version)}), expect=0)
        return
    merged, _ = trimmed(merge_working(arriving, held).snapshot, core.settings.recent_events, core.now())
    if not same_content(merged, held):
        write(core, merged.model_copy(update={"version": max(held.version, arriving.version) + 1}), expect=held.version)


def _completed(core: Core, snapshot: WorkingSnapshot) -> WorkingSnapshot:
    """Return the snapshot with ids and times where it has none, made from itself, so that they are the same each time."""
    marks = Marks(core)
    marks.ensure()
    empty = WorkingSnapshot(
        session_id=snapshot.session_id, scope=snapshot.scope, created_at=snapshot.created_at, updated_at=snapshot.updated_at
    )
    completion = Completion(empty, snapshot.agent_id, snapshot.updated_at, marks.key, core.settings.screen_secrets)
    completed = completion.complete(WorkingDraft.model_validate(snapshot.to_json()))
    removed = {"removed_tasks": snapshot.removed_tasks, "slot_times": {**snapshot.slot_times, **completed.slot_times}}
    kept = completed.model_copy(update=removed | {name: getattr(snapshot, name) for name in _KEPT})
    return trimmed(kept, core.settings.recent_events, snapshot.updated_at)[0]


def _without_forgotten(snapshot: WorkingSnapshot, forbids: Forbids) -> WorkingSnapshot:
    events = tuple(_event(snapshot, event, forbids) for event in snapshot.recent_events)
    named = {"slots", "task_stack", "summary", "carried"}
    told = snapshot.model_dump(mode="json", include=named, exclude_none=True)
    left = {name: _cleared(value, forbids) for name, value in told.items()}
    left["carried"] = [item for item in left["carried"] if item.get("content")]
    return WorkingSnapshot.model_validate({**snapshot.to_json(), **left, "recent_events": [event.to_json() for event in events]})


def _event(snapshot: WorkingSnapshot, event: WorkingEvent, forbids: Forbids) -> WorkingEvent:
    at = event.at or snapshot.updated_at
    if any(forbids(item.text) for item in found_in(snapshot.scope, snapshot.session_id, event, at)):
        return WorkingEvent.model_validate({"id": event.id, "at": event.at, "role": event.role, "erased_at": at})
    return WorkingEvent.model_validate(_cleared(event.to_json(), forbids))


def _cleared(value: Any, forbids: Forbids) -> Any:
    """Return a JSON value without the texts and sentences that were forgotten."""
    if isinstance(value, str):
        return value if len(value) > MAX_CONTENT_BYTES else _cleared_text(value, forbids)
    if isinstance(value, Mapping):
        return {key: _cleared(inner, forbids) for key, inner in value.items() if not forbids(key)}
    if isinstance(value, list | tuple):
        return [_cleared(inner, forbids) for inner in value]
    return value


def _cleared_text(text: str, forbids: Forbids) -> str:
    def says(part: str) -> bool:
        return any(forbids(spelled) for spelled in {part, part.strip(), part.strip().rstrip(_ENDS)} if spelled)

    if says(text):
        return ""
    return _SENTENCE.sub(lambda found: "" if says(found[0]) else found[0], text)
