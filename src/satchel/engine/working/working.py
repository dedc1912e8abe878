"""Working memory: a session's snapshot is read whole, and saved over a newer one by the rule of merging, never silently (WRK-1 to WRK-3).

It must not know when a session begins or ends, or what of it is worth keeping for longer.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.tombstones import Marks, session_forgotten
from satchel.engine.working.condensing import trimmed
from satchel.engine.working.drafts import Completion, check_size
from satchel.engine.working.home import settle_home, unknown_session
from satchel.engine.working.promoting import Promoter
from satchel.engine.working.saving import is_released, retried, same_content, write
from satchel.errors import Conflict
from satchel.operations.models import SaveWorkingRequest, WorkingDraft, WorkingRequest, WorkingSaved
from satchel.protocol.working import WorkingEvent, WorkingSnapshot, same_json
from satchel.protocol.working_merge import Difference, merge_working

_FRESH_SHARE = 10
"""A snapshot that is saved unchanged is written again, so that it counts as in use, once in this part of the idle time."""


def live(core: Core, scope: str, session: str) -> tuple[WorkingSnapshot | None, WorkingSnapshot | None]:
    """Return the snapshot that a session can go on with, and the one that stands in the store, which it replaces."""
    settle_home(core)
    stored = core.working.load(scope, session)
    return (None if stored is None or is_released(core, stored) else stored), stored


def read(core: Core, principal: Principal, request: WorkingRequest) -> WorkingSnapshot:
    """Return a session's snapshot, whoever saved it. Raises NotFound where there is none, or it was idle for too long."""
    snapshot, _ = live(core, request.scope, request.session)
    if snapshot is None:
        raise unknown_session(core, request.session, request.scope)
    return snapshot


class Desk:
    """Handles `save_working`. One per engine; safe under threads."""

    def __init__(self, core: Core, promoter: Promoter, let_go: Callable[[Principal, WorkingSnapshot], None]) -> None:
        """`let_go` condenses a session that was idle for too long, before a new one takes its place."""
        self._core = core
        self._promoter = promoter
        self._let_go = let_go

    def save(self, principal: Principal, request: SaveWorkingRequest) -> WorkingSaved:
        """Save a snapshot; what others have saved meanwhile is merged in. The same save again changes nothing.

        Raises:
            Conflict: `details["conflicts"]` has what cannot be merged, both sides each; or the version is another and no `base` was given
                (`details["mergeable"]`); or the session was forgotten since (`details["forgotten"]`). Nothing was saved.
        """
        return retried(lambda: self._save(principal, request))

    def _save(self, principal: Principal, request: SaveWorkingRequest) -> WorkingSaved:
        now = self._core.now()
        current, stored = live(self._core, request.scope, request.session)
        if current is None and stored is not None and stored.ended_at is None:
            self._let_go(principal, stored)
            stored = self._core.working.load(request.scope, request.session)
        self._refuse_forgotten(request)
        masked: list[str] = []
        ours, dropped = self._completed(principal, request.snapshot, current or _empty(request, now), now, masked)
        merged = current is not None and not _began_from(request, current) and not same_content(ours, current)
        replaced: tuple[Difference, ...] = ()
        if merged and current is not None:
            base = _base(request, current)
            ours, _ = self._completed(principal, request.snapshot, base, now, masked)
            ours, replaced = _merged(ours, current, base, request)
            ours, dropped = trimmed(ours, self._core.settings.recent_events, now)
        elif current is not None and same_content(ours, current) and not _is_stale(self._core, current, now):
            return WorkingSaved(snapshot=current)
        ours, promoted = self._promoter.mentioned(principal, ours, current)
        ours = self._promoter.relieved(principal, ours)
        saved = self._write(ours, stored, now)
        return WorkingSaved(
            snapshot=saved, merged=merged, replaced=replaced, dropped=dropped, masked=tuple(dict.fromkeys(masked)), promoted=promoted
        )

    def _completed(
        self, principal: Principal, draft: WorkingDraft, before: WorkingSnapshot, now: datetime, masked: list[str]
    ) -> tuple[WorkingSnapshot, tuple[WorkingEvent, ...]]:
        marks = Marks(self._core)
        marks.ensure()
        completion = Completion(before, principal.agent, now, marks.key, self._core.settings.screen_secrets, masked)
        return trimmed(completion.complete(draft), self._core.settings.recent_events, now)

    def _write(self, ours: WorkingSnapshot, stored: WorkingSnapshot | None, now: datetime) -> WorkingSnapshot:
        version = max(ours.version + 1, next_version(self._core, ours.scope, ours.session_id, stored))
        saved = ours.model_copy(update={"version": version, "updated_at": max(now, ours.updated_at), "ended_at": None, "ended_by": None})
        check_size(saved)
        write(self._core, saved, expect=0 if stored is None else stored.version)
        return saved

    def _refuse_forgotten(self, request: SaveWorkingRequest) -> None:
        """Refuse what was read before the session was forgotten: it would come back."""
        forgotten = session_forgotten(self._core, request.scope, request.session) if request.began_from else None
        if forgotten is not None and request.began_from <= forgotten.version:
            raise Conflict(
                f"the session {request.session!r} was forgotten since it was read; nothing of it is kept",
                session=request.session,
                scope=request.scope,
                expected=request.began_from,
                forgotten=True,
            )


def next_version(core: Core, scope: str, session: str, stored: WorkingSnapshot | None) -> int:
    """Return the version after the one that stands; where the session was forgotten, after any that somebody may still hold."""
    if stored is not None:
        return stored.version + 1
    forgotten = session_forgotten(core, scope, session)
    return 1 if forgotten is None else forgotten.version + 1


def _began_from(request: SaveWorkingRequest, current: WorkingSnapshot) -> bool:
    """Tell whether what stands is what the writer began from: the same version, and of the same run of the session."""
    return current.version == request.began_from and request.snapshot.created_at in (None, current.created_at)


def _base(request: SaveWorkingRequest, current: WorkingSnapshot) -> WorkingSnapshot:
    if request.base is None:
        raise Conflict(
            f"the session {request.session!r} is at version {current.version}, not at {request.began_from}: it was saved in the meantime",
            session=request.session,
            scope=request.scope,
            expected=request.began_from,
            actual=current.version,
            theirs=current.to_json(),
            mergeable=True,
        )
    return request.base


def _empty(request: WorkingRequest, now: datetime) -> WorkingSnapshot:
    return WorkingSnapshot(session_id=request.session, scope=request.scope, created_at=now, updated_at=now)


def _merged(
    ours: WorkingSnapshot, current: WorkingSnapshot, base: WorkingSnapshot, request: SaveWorkingRequest
) -> tuple[WorkingSnapshot, tuple[Difference, ...]]:
    merge = merge_working(ours, current, base, keep=request.keep)
    if merge.conflicts:
        listed = ", ".join(f"{found.kind} {found.key!r}" for found in merge.conflicts[:5])
        raise Conflict(
            f"the session {request.session!r} was saved in the meantime, and both sides changed {listed}",
            session=request.session,
            scope=request.scope,
            expected=request.began_from,
            actual=current.version,
            conflicts=[found.model_dump(mode="json") for found in merge.conflicts],
        )
    snapshot = merge.snapshot
    promoted = {
        name: known_as
        for name, known_as in current.promoted.items()
        if not name.startswith("slot:") or same_json(snapshot.slots.get(name[5:]), current.slots.get(name[5:]))
    }
    # What the engine keeps is as it stands.
    kept = {name: getattr(current, name) for name in ("carried", "records", "created_at", "erased_at")}
    return snapshot.model_copy(update={**kept, "promoted": promoted, "agent_id": ours.agent_id}), merge.replaced


def _is_stale(core: Core, current: WorkingSnapshot, now: datetime) -> bool:
    return (now - current.updated_at).total_seconds() > core.settings.session_idle_seconds / _FRESH_SHARE
