"""What of a session becomes long-term memory before its end: what was confirmed, and what is mentioned again (WRK-4).

It must not know how a session begins, ends or is merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple, TypeVar

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.tombstones import forgotten_at
from satchel.engine.text.screening import screen
from satchel.engine.working.condensing import (
    MAX_RECORDS,
    found_in,
    is_lasting_slot,
    memory_id,
    memory_of,
    relieved,
    remarked_in,
    slot_memory,
    spoken,
    task_memory,
)
from satchel.engine.working.mentions import mention, of_slot, of_statement
from satchel.engine.writing.writing import Writer
from satchel.errors import InvalidRequest
from satchel.operations.models import NewMemory, Outcome, Remembered
from satchel.protocol.record import Origin, Source, content_hash
from satchel.protocol.validation import validated
from satchel.protocol.working import WorkingEvent, WorkingSnapshot

_HAN = re.compile("[\u3400-\u9fff]")
_LONGEST = 1000


T = TypeVar("T")


class _Candidate(NamedTuple):
    """Something that becomes a memory once it was mentioned often enough. `name` stands in `promoted`."""

    name: str
    told: str
    memory: NewMemory
    place: str


class Promoter:
    """Writes what of a session is worth keeping. One per engine; safe under threads."""

    def __init__(self, core: Core, writer: Writer) -> None:
        self._core = core
        self._writer = writer

    # ------------------------------------------------------------ mentioned again

    def mentioned(
        self, principal: Principal, snapshot: WorkingSnapshot, before: WorkingSnapshot | None
    ) -> tuple[WorkingSnapshot, tuple[str, ...]]:
        """Write what was mentioned often enough by now; return the snapshot that says so, and the ids of the memories."""
        needed = self._core.settings.promote_after
        if not needed:
            return snapshot, ()
        candidates = [*self._slots(snapshot, before), *self._turns(snapshot, before)]
        ready = [one for one in candidates if mention(self._core, snapshot.scope, one.told, one.place, needed=needed) >= needed]
        return self._promote(principal, snapshot, ready, f"mentioned {needed} times, last in session {snapshot.session_id}")

    def _slots(self, snapshot: WorkingSnapshot, before: WorkingSnapshot | None) -> Iterable[_Candidate]:
        """Yield the slots that were set in this save, and those that a new turn of the user names again."""
        heard = [event for event in _new_events(snapshot, before) if event.role.lower() in {"user", "human"}]
        for key, value in snapshot.slots.items():
            place = _place(snapshot, before, key, heard)
            if place is None or f"slot:{key}" in snapshot.promoted or not is_lasting_slot(key, value):
                continue
            memory = slot_memory(snapshot, key)
            if memory is not None:
                yield _Candidate(f"slot:{key}", of_slot(key, value), memory, f"{snapshot.session_id} {place}")

    def _turns(self, snapshot: WorkingSnapshot, before: WorkingSnapshot | None) -> Iterable[_Candidate]:
        for event in _new_events(snapshot, before):
            where = (snapshot.scope, snapshot.session_id, event, self._core.now())
            for item in (*found_in(*where), *remarked_in(*where)):
                memory = memory_of(item, snapshot.session_id)
                yield _Candidate(item.id or "", of_statement(memory.content), memory, f"{snapshot.session_id} {event.id}")

    def _promote(
        self, principal: Principal, snapshot: WorkingSnapshot, ready: Sequence[_Candidate], reason: str
    ) -> tuple[WorkingSnapshot, tuple[str, ...]]:
        done = self.keep(principal, snapshot, [one.memory for one in ready], operation="promote", reason=reason)
        names = {one.memory.id: one.name for one in ready}
        marks = {names[asked]: remembered.record.id for asked, remembered in done.items()}
        if not marks:
            return snapshot, ()
        new = tuple(remembered.record.id for remembered in done.values() if remembered.outcome is not Outcome.UNCHANGED)
        return snapshot.model_copy(update={"promoted": {**snapshot.promoted, **marks}}), new

    # ------------------------------------------------------------ left its turns long ago

    def relieved(self, principal: Principal, snapshot: WorkingSnapshot) -> WorkingSnapshot:
        """Write what a session that goes on and on carries for too long, or too much of; return the snapshot without it."""
        before = self._core.now() - timedelta(seconds=self._core.settings.session_idle_seconds)
        left, due = relieved(snapshot, before)
        if due:
            reason = f"said in session {snapshot.session_id}, which goes on"
            memories = [memory_of(item, snapshot.session_id) for item in due]
            self.keep(principal, snapshot, memories, operation="promote", reason=reason)
        return left

    # ------------------------------------------------------------ writing

    def keep(
        self,
        principal: Principal,
        snapshot: WorkingSnapshot,
        memories: Sequence[NewMemory],
        *,
        operation: str,
        reason: str,
        asked: bool = False,
    ) -> dict[str, Remembered]:
        """Write memories of a session, by the id each was to have. Unless they were asked for, those that may not be written are left out.

        One that is written already, or whose content this session itself had remembered, is `unchanged`.
        """
        scope = snapshot.scope
        wanted = {memory.id or "": memory for memory in memories[:MAX_RECORDS]}
        held = self._core.store.get(scope, wanted)
        twins = self._core.store.find(scope, {content_hash(memory.content) for memory in wanted.values()})
        beside = self._core.store.get(scope, set(twins.values()))
        done: dict[str, Remembered] = {}
        new: list[NewMemory] = []
        for name, memory in wanted.items():
            known = held.get(name)
            twin = beside.get(twins.get(content_hash(memory.content), ""))
            if known is None and twin is not None and twin.source.session == snapshot.session_id:
                known = twin
            if known is not None:
                if not known.is_tombstone:
                    done[name] = Remembered(record=known, outcome=Outcome.UNCHANGED)
            elif asked or not self._is_barred(scope, memory):
                new.append(memory)
        if new:
            written = self._writer.keep(_in_the_name_of(principal, snapshot), scope, new, operation=operation, reason=reason)
            done |= {memory.id or "": remembered for memory, remembered in zip(new, written, strict=True)}
        return done

    def _is_barred(self, scope: str, memory: NewMemory) -> bool:
        """Tell whether this may not be written unasked: it was forgotten after it was said, holds a credential, or is too large."""
        settings = self._core.settings
        if len(memory.content.encode()) > settings.max_content_bytes or (settings.screen_secrets and screen(memory.content)):
            return True
        forgotten = forgotten_at(self._core, scope, memory.content)
        return forgotten is not None and (memory.created_at is None or memory.created_at <= forgotten)

    # ------------------------------------------------------------ confirmed

    def confirmed(
        self, snapshot: WorkingSnapshot, *, slot: str | None, event: str | None, task: str | None, content: str | None
    ) -> NewMemory | None:
        """Return the memory that a slot, a turn or a task becomes; None where there is no such.

        Raises:
            InvalidRequest: it is no text that stands by itself, and no content says it in full.
        """
        if slot is not None:
            return _in_full(slot_memory(snapshot, slot, content), "slot") if slot in snapshot.slots else None
        if task is not None:
            found = next((one for one in snapshot.task_stack if one.id == task), None)
            if found is None:
                return None
            _in_full(found.text or content, "task")
            return task_memory(snapshot, found if content is None else found.model_copy(update={"content": content}))
        turn = next((one for one in snapshot.recent_events if one.id == event), None)
        return None if turn is None else self._turn(snapshot, turn, content)

    def _turn(self, snapshot: WorkingSnapshot, turn: WorkingEvent, content: str | None) -> NewMemory:
        found = list(found_in(snapshot.scope, snapshot.session_id, turn, self._core.now()))
        if content is None and len(found) == 1:
            return memory_of(found[0], snapshot.session_id)
        text = _in_full(content or spoken(turn).strip(), "event")
        is_user = turn.role.lower() in {"user", "human"}
        members = {
            "id": memory_id(snapshot.scope, snapshot.session_id, "turn", turn.id or ""),
            "content": text if content is not None else _attributed(text[:_LONGEST], is_user=is_user),
            "created_at": turn.at,
            "source": Source(session=snapshot.session_id, message=turn.id, origin=Origin.STATED if is_user else Origin.INFERRED),
        }
        return validated(NewMemory, members)


def _in_full(found: T | None, field: str) -> T:
    if not found:
        raise InvalidRequest.of([{"field": "content", "message": f"is needed: the {field} is no text that stands by itself"}])
    return found


def _attributed(text: str, *, is_user: bool) -> str:
    if _HAN.search(text):
        return f"{'用户' if is_user else '助手'}说：{text}"
    return f"The {'user' if is_user else 'assistant'} said: {text}"


def _new_events(snapshot: WorkingSnapshot, before: WorkingSnapshot | None) -> list[WorkingEvent]:
    known = set() if before is None else {event.id for event in before.recent_events}
    return [event for event in snapshot.recent_events if event.id not in known]


def _place(snapshot: WorkingSnapshot, before: WorkingSnapshot | None, key: str, heard: Sequence[WorkingEvent]) -> str | None:
    """Return where a save mentions a slot's value: the time at which it was set, or the new turn of the user that names it."""
    set_at = snapshot.slot_times.get(key)
    if before is None or key not in before.slots or before.slot_times.get(key) != set_at:
        return str(set_at)
    value = snapshot.slots[key]
    return next((event.id for event in heard if isinstance(value, str) and _names(value, spoken(event))), None)


def _names(value: str, text: str) -> bool:
    """Tell whether a text names a slot's value: as it stands, and where it is Latin as whole words."""
    wanted = value.strip().lower()
    if _HAN.search(wanted):
        return wanted in text.lower()
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text.lower()) is not None


def _in_the_name_of(principal: Principal, snapshot: WorkingSnapshot) -> Principal:
    """Return who the memories are written by: the agent that acts, else the one that the session was with."""
    return principal if principal.agent else Principal(snapshot.agent_id, principal.read, principal.write)
