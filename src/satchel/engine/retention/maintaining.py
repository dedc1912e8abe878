"""`maintain`: one pass over one or all scopes (RET-7), scope by scope, so that memory is bounded by the largest.

It owns the order of the steps and what is remembered between passes; it must not know what any step does.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from satchel.engine.access import require_read, require_write
from satchel.engine.core import Core, Principal
from satchel.engine.index.index_cache import IndexCache
from satchel.engine.retention.apart import undo_wrong_wholes
from satchel.engine.retention.archiving import archive_expired, archive_faded, keep_ceiling
from satchel.engine.retention.consolidating import consolidate
from satchel.engine.retention.deduplicating import merge_alike, merge_twins
from satchel.engine.retention.ledger import Ledger
from satchel.engine.retention.passing import ScopePass
from satchel.engine.retention.purging import purge
from satchel.engine.retention.repairing import mend_links
from satchel.engine.working.sessions import SessionBook
from satchel.errors import StoreUnavailable
from satchel.operations.models import Maintained, MaintainRequest, MaintenanceAction, MaintenanceStep, Snapshot
from satchel.ports import Batch, Document

PASSES = "maintenance"
"""Documents keyed by scope: how far the last pass had seen it, and when its topics were last gone through."""

_IDLE = "the session was idle for too long: what it held that lasts was kept"
_MOST_SESSIONS = 1000

MAX_SHOWN = 1000
"""Actions listed in an answer; the counts are of all."""


class Maintainer:
    """Handles `maintain`. One per engine; passes of one engine take turns."""

    def __init__(self, core: Core, indexes: IndexCache, sessions: SessionBook, flush: Callable[[], None]) -> None:
        """`flush` writes the usage gathered so far, so that nothing is archived that was just used."""
        self._core = core
        self._sessions = sessions
        self._indexes = indexes
        self._flush = flush
        self._lock = threading.Lock()

    def maintain(self, principal: Principal, request: MaintainRequest) -> Maintained:
        """Carry out a pass, or tell what it would do. A second pass changes nothing."""
        with self._lock:
            self._flush()
            scopes = self._writable(principal) if request.scope is None else sorted(set(request.scope))
            require_write(principal, scopes)
            require_read(principal, scopes)
            told = _Told(request.dry_run)
            for scope in scopes:
                told.add(self._pass(principal, scope, dry_run=request.dry_run))
            return told.result(len(scopes))

    def _writable(self, principal: Principal) -> list[str]:
        """Return the scopes that hold a record or an idle session, and that the caller may read and write, in order."""
        core = self._core
        idle = core.now() - timedelta(seconds=core.settings.session_idle_seconds)
        try:
            sessions = core.working.expired(idle, ended=False, limit=_MOST_SESSIONS)
        except StoreUnavailable:
            # It may be away by itself; the pass over each scope says so.
            sessions = []
        found = {count.scope for count in core.store.scopes()} | {session.scope for session in sessions}
        return [scope for scope in principal.readable(sorted(found)) if principal.write is None or scope in principal.write]

    def _pass(self, principal: Principal, scope: str, *, dry_run: bool) -> ScopePass:
        was_held = self._indexes.held(scope) is not None
        try:
            return self._steps(principal, scope, dry_run=dry_run)
        finally:
            # A pass over many scopes neither fills the memory with their indexes nor drives out those that recall needs.
            if not was_held:
                self._indexes.drop(scope)

    def _steps(self, principal: Principal, scope: str, *, dry_run: bool) -> ScopePass:
        core = self._core
        released, failures = self._released(principal, scope, dry_run=dry_run)
        before = core.store.document(PASSES, scope) or {}
        change = core.store.positions((scope,))[scope].change
        changed = before.get("change") != change
        now = core.now()
        due = _is_due(core, before.get("consolidated"), now.timestamp())
        ledger = Ledger.load(core, scope, vectors=core.settings.consolidate and (changed or due))
        since = before.get("consolidated", float(ledger.life.stored.min(initial=now.timestamp())))
        weekly = due or _is_due(core, since, now.timestamp())
        work = ScopePass(core, principal, ledger, now, dry_run)
        work.failures += failures
        work.actions += [MaintenanceAction(step=MaintenanceStep.PROMOTE, scope=scope, id=session, reason=_IDLE) for session in released]
        if changed:
            merge_twins(work)
            merge_alike(work, self._indexes, int(before.get("change", 0)))
            mend_links(work)
            undo_wrong_wholes(work)
        archive_expired(work)
        archive_faded(work)
        if core.settings.consolidate and (changed or weekly):
            consolidate(work, weekly=weekly)
        keep_ceiling(work)
        purge(work)
        if not dry_run and (changed or weekly):
            value = {"change": change, "consolidated": now.timestamp() if weekly else since}
            core.store.apply(Batch(documents=[Document(PASSES, scope, value, scope)]))
        return work

    def _released(self, principal: Principal, scope: str, *, dry_run: bool) -> tuple[list[str], list[str]]:
        try:
            return self._sessions.release(principal, scope, limit=_MOST_SESSIONS, dry_run=dry_run), []
        except StoreUnavailable as error:
            return [], [f"sessions of {scope} were not looked after: {error.message}"]


@dataclass(slots=True)
class _Told:
    """What the passes over the scopes did, as the answer tells it."""

    dry_run: bool
    actions: list[MaintenanceAction] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    skipped: int = 0
    before: list[Snapshot] = field(default_factory=list)

    def add(self, work: ScopePass) -> None:
        self.counts.update(action.step.value for action in work.actions)
        self.actions += work.actions[: MAX_SHOWN - len(self.actions)]
        self.failures += work.failures
        self.skipped += work.skipped
        self.before += work.before.made[: MAX_SHOWN - len(self.before)]

    def result(self, scopes: int) -> Maintained:
        return Maintained(
            dry_run=self.dry_run,
            scopes=scopes,
            counts=dict(self.counts),
            actions=tuple(self.actions),
            skipped=self.skipped,
            failures=tuple(self.failures),
            before=tuple(self.before),
        )


def _is_due(core: Core, since: float | None, now: float) -> bool:
    return since is not None and now - since >= core.settings.consolidate_every_seconds
