"""Sessions: begun in one process, gone on with in another, ended once; what they leave is condensed into records (WRK-2, WRK-4, RET-10).

It must not know how a snapshot is merged, or by which rules it is condensed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from satchel.engine.core import Core, Principal
from satchel.engine.retention.duties import is_open_duty
from satchel.engine.text.screening import mask
from satchel.engine.working.condensing import condense, memory_id
from satchel.engine.working.home import looked_in, settle_home, unknown_session
from satchel.engine.working.promoting import Promoter
from satchel.engine.working.saving import Overtaken, is_released, release_time, retried, write
from satchel.engine.working.working import Desk, live, next_version, read
from satchel.engine.writing.committing import commit, log_entry, restate, revised
from satchel.engine.writing.writing import Writer
from satchel.errors import Conflict, NotFound
from satchel.operations.models import (
    NewMemory,
    Outcome,
    PromoteRequest,
    Remembered,
    SessionEnded,
    SessionEndRequest,
    SessionInfo,
    Sessions,
    SessionsRequest,
    SessionStarted,
    SessionStartRequest,
)
from satchel.ports import Batch
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status
from satchel.protocol.working import WorkingSnapshot

MAX_DUE = 100
"""Due records that come with the start of a session: the most overdue first."""

_DUE_TYPES = ("task", "promise", "commitment", "todo", "reminder")
_LAZILY = 20
_TOLD = ("session_id", "scope", "agent_id", "version", "created_at", "updated_at", "ended_at", "ended_by")
_PAGE = 200


class SessionBook:
    """Handles `session_start`, `session_end`, `sessions` and `promote`. One per engine; safe under threads."""

    def __init__(self, core: Core, promoter: Promoter) -> None:
        self._core = core
        self._promoter = promoter

    # ------------------------------------------------------------ start

    def start(self, principal: Principal, request: SessionStartRequest) -> SessionStarted:
        """Begin a session, or go on with one, whole. Sessions of the scope that were idle for too long are let go on the way."""
        self.release(principal, request.scope, limit=_LAZILY)
        snapshot, resumed = retried(lambda: self._begin(principal, request))
        scopes = principal.readable(dict.fromkeys((request.scope, *(request.due_scopes or ()))))
        return SessionStarted(snapshot=snapshot, resumed=resumed, due=tuple(self._due(scopes)))

    def _begin(self, principal: Principal, request: SessionStartRequest) -> tuple[WorkingSnapshot, bool]:
        now = self._core.now()
        current, stored = live(self._core, request.scope, request.session)
        if stored is not None and current is None and stored.ended_at is None:
            self.let_go(principal, stored)
            stored = self._core.working.load(request.scope, request.session)
        agent = principal.agent
        version = next_version(self._core, request.scope, request.session, stored)
        if current is None:
            begun = WorkingSnapshot(
                session_id=request.session, agent_id=agent, scope=request.scope, version=version, created_at=now, updated_at=now
            )
        else:
            members = {"agent_id": agent or current.agent_id, "ended_at": None, "ended_by": None}
            begun = current.model_copy(update={**members, "version": version, "updated_at": max(now, current.updated_at)})
        write(self._core, begun, expect=0 if stored is None else stored.version)
        return begun, current is not None

    def _due(self, scopes: Sequence[str]) -> list[MemoryRecord]:
        """Return the open duties that are overdue or fall due soon, whatever their strength (RET-10), the earliest first."""
        if not scopes:
            return []
        now = self._core.now()
        until = now + timedelta(seconds=self._core.settings.due_within_seconds)
        where = RecordFilter(statuses=(Status.ACTIVE, Status.PENDING), types=_DUE_TYPES)
        found = [
            record
            for record in _scan(self._core, scopes, where)
            if is_open_duty(record) and record.due_at is not None and record.due_at <= until and not _is_expired(record, now)
        ]
        return sorted(found, key=lambda record: (record.due_at or until, record.scope, record.id))[:MAX_DUE]

    # ------------------------------------------------------------ end

    def end(self, principal: Principal, request: SessionEndRequest) -> SessionEnded:
        """End a session. The same end again writes nothing. Raises NotFound where there is no such session."""
        return retried(lambda: self._end(principal, request))

    def _end(self, principal: Principal, request: SessionEndRequest) -> SessionEnded:
        stored = self._core.working.load(request.scope, request.session)
        if stored is None:
            raise unknown_session(self._core, request.session, request.scope)
        if stored.ended_at is not None:
            return SessionEnded(snapshot=stored, records=stored.records, already=True)
        if request.summary is not None:
            summary = mask(request.summary) if self._core.settings.screen_secrets else request.summary
            stored = stored.model_copy(update={"summary": summary, "summary_at": self._core.now()})
        return self._condensed(principal, stored, by="end", condensing=request.condense)

    def _condensed(self, principal: Principal, snapshot: WorkingSnapshot, *, by: str, condensing: bool) -> SessionEnded:
        now = self._core.now()
        reason = f"condensed {'when the session was let go' if by == 'idle' else 'at the end of the session'}: {snapshot.session_id}"
        memories = condense(snapshot, now) if condensing else []
        done = self._promoter.keep(principal, snapshot, memories, operation="session_end", reason=reason)
        if condensing:
            self._close_done_tasks(principal, snapshot)
        ids = dict.fromkeys((*snapshot.records, *snapshot.promoted.values(), *(one.record.id for one in done.values())))
        ended = snapshot.model_copy(
            update={
                "version": snapshot.version + 1,
                # An idle session was last used when it was last used.
                "updated_at": max(now, snapshot.updated_at) if by == "end" else snapshot.updated_at,
                "ended_at": now,
                "ended_by": by,
                "records": tuple(ids),
            }
        )
        write(self._core, ended, expect=snapshot.version)
        written = tuple(one for one in done.values() if one.outcome is not Outcome.UNCHANGED)
        return SessionEnded(snapshot=ended, records=ended.records, written=written)

    def _close_done_tasks(self, principal: Principal, snapshot: WorkingSnapshot) -> None:
        """Archive the records of tasks that are over by now: they were written when the session ended before, or were promoted."""
        ids = {}
        for task in snapshot.task_stack:
            if not task.is_open:
                made = memory_id(snapshot.scope, snapshot.session_id, "task", task.id or "")
                ids[snapshot.promoted.get(f"task:{task.id}", made)] = task.status
        if not ids:
            return

        def plan() -> tuple[Batch, None]:
            held = self._core.store.get(snapshot.scope, ids)
            puts = []
            for name, record in held.items():
                if record.status in {Status.ACTIVE, Status.PENDING}:
                    log = log_entry(self._core, principal, "archive", reason=f"the task is {ids[name]} in session {snapshot.session_id}")
                    meta = {**record.meta, "status": ids[name]}
                    puts.append(restate(revised(record, log.at, status=Status.ARCHIVED, meta=meta), log, expect=record.revision))
            return Batch(puts), None

        commit(self._core, plan)

    # ------------------------------------------------------------ release

    def release(self, principal: Principal, scope: str | None = None, *, limit: int = _PAGE, dry_run: bool = False) -> list[str]:
        """Let go of sessions that were idle for too long, condensing each first, and drop the snapshots of those that are over for long.

        Returns the ids of the sessions let go. A session that somebody saves meanwhile is kept.
        """
        core, now = self._core, self._core.now()
        idle = core.working.expired(now - timedelta(seconds=core.settings.session_idle_seconds), ended=False, scope=scope, limit=limit)
        gone = core.working.expired(now - timedelta(seconds=core.settings.session_archive_seconds), ended=True, scope=scope, limit=limit)
        mine = [snapshot for snapshot in idle if self._may_write(principal, snapshot)]
        if not dry_run:
            for snapshot in mine:
                self.let_go(principal, snapshot)
            for snapshot in gone:
                if self._may_write(principal, snapshot):
                    self._drop(snapshot)
        return [snapshot.session_id for snapshot in mine]

    def _may_write(self, principal: Principal, snapshot: WorkingSnapshot) -> bool:
        return bool(principal.readable((snapshot.scope,))) and (principal.write is None or snapshot.scope in principal.write)

    def let_go(self, principal: Principal, snapshot: WorkingSnapshot) -> None:
        """Condense a session that was idle for too long; one that somebody saves meanwhile is kept."""
        with suppress(Overtaken):
            self._condensed(principal, snapshot, by="idle", condensing=True)

    def _drop(self, snapshot: WorkingSnapshot) -> None:
        with suppress(Conflict):
            self._core.working.drop(snapshot.scope, snapshot.session_id, expect=snapshot.version)

    # ------------------------------------------------------------ list and promote

    def sessions(self, principal: Principal, request: SessionsRequest) -> Sessions:
        """Return a page of the sessions of these scopes, without what they hold."""
        after = _read_cursor(request.cursor)
        settle_home(self._core)
        found: list[SessionInfo] = []
        for scope in sorted(principal.readable(request.scope)):
            for snapshot in _from(self._core, scope, after):
                info = self._info(snapshot)
                if request.ended is None or request.ended is (info.ended_at is not None):
                    found.append(info)
                if len(found) > request.limit:
                    last = found[-2]
                    return Sessions(sessions=tuple(found[:-1]), cursor=f"{last.scope}\n{last.session_id}", looked_in=looked_in(self._core))
        return Sessions(sessions=tuple(found), looked_in=looked_in(self._core))

    def _info(self, snapshot: WorkingSnapshot) -> SessionInfo:
        released = snapshot.ended_at is None and is_released(self._core, snapshot)
        members = {name: getattr(snapshot, name) for name in _TOLD}
        if released:
            members |= {"ended_at": release_time(self._core, snapshot), "ended_by": "idle"}
        open_tasks = sum(task.is_open for task in snapshot.task_stack)
        return SessionInfo(
            **members,
            released_at=release_time(self._core, snapshot),
            slots=len(snapshot.slots),
            events=len(snapshot.recent_events),
            open_tasks=open_tasks,
        )

    def promote(self, principal: Principal, request: PromoteRequest) -> Remembered:
        """Take a slot, a turn or a task into long-term memory: it was confirmed. The same again is `unchanged`."""
        return retried(lambda: self._promote(principal, request))

    def _promote(self, principal: Principal, request: PromoteRequest) -> Remembered:
        snapshot, _ = live(self._core, request.scope, request.session)
        if snapshot is None:
            raise unknown_session(self._core, request.session, request.scope)
        memory = self._promoter.confirmed(snapshot, slot=request.slot, event=request.event, task=request.task, content=request.content)
        if memory is None:
            what = request.slot or request.event or request.task
            raise NotFound(f"there is no {what!r} in the working memory of session {request.session!r}", session=request.session)
        given = {name: value for name, value in (("type", request.type), ("tags", request.tags)) if value}
        wanted = memory.model_copy(update=given) if given else memory
        return self._kept(principal, snapshot, wanted, request)

    def _kept(self, principal: Principal, snapshot: WorkingSnapshot, memory: NewMemory, request: PromoteRequest) -> Remembered:
        reason = f"confirmed in session {snapshot.session_id}"
        done = self._promoter.keep(principal, snapshot, [memory], operation="promote", reason=reason, asked=True).get(memory.id or "")
        if done is None:
            raise NotFound("this was forgotten, and does not come back from a session; remember it anew", session=snapshot.session_id)
        name = (
            f"slot:{request.slot}" if request.slot is not None else f"task:{request.task}" if request.task is not None else memory.id or ""
        )
        if snapshot.promoted.get(name) != done.record.id:
            marked = {"promoted": {**snapshot.promoted, name: done.record.id}, "version": snapshot.version + 1}
            write(self._core, snapshot.model_copy(update=marked), expect=snapshot.version)
        return done


def session_handlers(core: Core, writer: Writer) -> dict[str, Callable[[Principal, Any], Any]]:
    """Return the handlers of every operation on sessions and working memory, by name."""
    promoter = Promoter(core, writer)
    book = SessionBook(core, promoter)
    return {
        "working": partial(read, core),
        "save_working": Desk(core, promoter, book.let_go).save,
        "promote": book.promote,
        "sessions": book.sessions,
        "session_start": book.start,
        "session_end": book.end,
    }


def _is_expired(record: MemoryRecord, now: datetime) -> bool:
    return record.expires_at is not None and record.expires_at <= now


def _scan(core: Core, scopes: Sequence[str], where: RecordFilter) -> Iterator[MemoryRecord]:
    cursor: str | None = None
    while True:
        page = core.store.scan(scopes, where, cursor=cursor, limit=_PAGE)
        yield from page.records
        cursor = page.cursor
        if cursor is None:
            return


def _from(core: Core, scope: str, after: tuple[str, str] | None) -> Iterator[WorkingSnapshot]:
    if after is not None and scope < after[0]:
        return
    place = after if after is not None and scope == after[0] else None
    while page := core.working.snapshots(scope, after=place, limit=_PAGE):
        yield from page
        place = (page[-1].scope, page[-1].session_id)


def _read_cursor(cursor: str | None) -> tuple[str, str] | None:
    if cursor is None:
        return None
    scope, _, session = cursor.partition("\n")
    return scope, session
