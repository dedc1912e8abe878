"""`Engine`: the embedded `Memory`. It authorises each request and hands it to the operation's handler.

It must not know how any operation is done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from satchel.engine import doctor, overview, reading
from satchel.engine.access import authorise, narrow
from satchel.engine.core import Core, Principal
from satchel.engine.forgetting import erasing
from satchel.engine.forgetting.plans import Planner
from satchel.engine.forgetting.scrubbing import is_pending, settle
from satchel.engine.history import differing, history, setting_back, snapshots, timetravel
from satchel.engine.index import embedding
from satchel.engine.moving import exporting, importing, moving, undoing
from satchel.engine.moving.ingesting import Ingester
from satchel.engine.recall.feedback import Feedback
from satchel.engine.recall.recalling import Recaller
from satchel.engine.retention.maintaining import Maintainer
from satchel.engine.retention.simulating import Simulator
from satchel.engine.working.promoting import Promoter
from satchel.engine.working.sessions import SessionBook, session_handlers
from satchel.engine.writing import conflicts, correcting, primitives, updating
from satchel.engine.writing.writing import Writer
from satchel.errors import SatchelError, Unsupported
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.memory import Memory
from satchel.protocol.naming import agent_name
from satchel.protocol.package import Readable
from satchel.protocol.scope import parse_scope

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")

Handler = Callable[[Core, Principal, Any], Any]

_HANDLERS: dict[str, Handler] = {
    "read": reading.read,
    "records": reading.records,
    "update": updating.update,
    "correct": correcting.correct,
    "confirm": updating.confirm,
    "restore": updating.restore,
    "history": history.history,
    "as_of": timetravel.as_of,
    "snapshot": snapshots.snapshot,
    "snapshots": snapshots.snapshots,
    "drop_snapshot": snapshots.drop_snapshot,
    "diff": differing.diff,
    "restore_snapshot": setting_back.restore_snapshot,
    "conflicts": conflicts.conflicts,
    "resolve": conflicts.resolve,
    "forget_one": erasing.forget_one,
    "imports": undoing.imports,
    "receipts": undoing.receipts,
    "undo_import": undoing.undo_import,
    "move_scope": moving.move_scope,
    "scopes": overview.scopes,
    "changes": history.changes,
    "reindex": embedding.reindex,
    "doctor": doctor.doctor,
    "write_record": primitives.write_record,
    "read_record": reading.read_record,
    "delete_record": erasing.delete_record,
}

_TAKING_AWAY = frozenset({"move_scope", "undo_import"})
"""Operations after which an external index has vectors in a scope that no longer holds their records."""

_PATIENT = frozenset({"reindex", "maintain"})
"""Operations that nobody waits for as for an answer: they make way, and others need not make way for them."""

_SCRUB_EVERY = 5.0
"""Seconds between two attempts at a scrubbing that a reader holds up."""


@dataclass(slots=True)
class _Parts:
    """What engines over one core share: the handlers that keep something between calls, and whether scrubbing is due."""

    recaller: Recaller
    handlers: dict[str, Callable[[Principal, Any], Any]]
    scrub_due: bool = False
    scrub_after: float = 0.0
    closed: bool = False

    @classmethod
    def over(cls, core: Core) -> _Parts:
        recaller = Recaller(core)
        writer = Writer(core, recaller.indexes)
        feedback = Feedback(core, recaller.book, recaller.touch, recaller.flush)
        handlers: dict[str, Callable[[Principal, Any], Any]] = {
            "remember": writer.remember,
            "remember_many": writer.remember_many,
            "recall": recaller.recall,
            "search": recaller.search,
            "context": recaller.context,
            "used": feedback.used,
            "recall_log": feedback.recall_log,
            "forget": Planner(core, recaller).forget,
            "ingest": Ingester(core).ingest,
            "stats": overview.Overview(core).stats,
            "maintain": Maintainer(core, recaller.indexes, SessionBook(core, Promoter(core, writer)), recaller.flush).maintain,
            "simulate": Simulator(core, recaller.flush).simulate,
            **session_handlers(core, writer),
        }
        return cls(recaller, handlers, scrub_due=is_pending(core))


class Engine(Memory):
    """Memory over a store in this process. Safe under threads."""

    def __init__(self, core: Core, principal: Principal | None = None) -> None:
        """Open an engine that owns the core's stores: closing it closes them."""
        embedding.open_index(core)
        self._core = core
        self._clock = core.clock
        self._principal = principal or Principal()
        self._parts = _Parts.over(core)
        self._owner = True

    def __repr__(self) -> str:
        return f"Engine({self._core.store.location!r}, agent={self._principal.agent!r})"

    @property
    def core(self) -> Core:
        """What the engine is made of: for whoever serves it or looks after its store."""
        return self._core

    def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation as far as this engine's principal may."""
        permitted = authorise(self._principal, operation, request)
        if operation.name in _PATIENT:
            return self._carry_out(operation, permitted)
        with self._core.activity.call():
            return self._carry_out(operation, permitted)

    def _carry_out(self, operation: t.Operation[Q, R], permitted: Q) -> R:
        if operation.name == "stats":
            self._scrub()
        result = self._handle(operation.name, permitted)
        if self._core.external is not None and operation.name in _TAKING_AWAY:
            self._parts.scrub_due = True
            self._scrub()
        if isinstance(result, m.Forgotten):
            self._parts.scrub_due = self._parts.scrub_due or result.state is m.ForgetState.SCRUB_PENDING
        elif operation.access == "write":
            self._scrub()
        return result  # type: ignore[no-any-return]

    def _handle(self, name: str, request: m.Request) -> Any:
        own = self._parts.handlers.get(name)
        if own is not None:
            return own(self._principal, request)
        handler = _HANDLERS.get(name)
        if handler is None:
            raise Unsupported(f"this engine does not offer {name!r}")
        return handler(self._core, self._principal, request)

    def export_chunks(self, request: m.ExportRequest) -> Iterator[bytes]:
        """Yield a package of what this engine's principal may read; close the iterator to break off."""
        return exporting.export(self._core, self._principal, request, flush=self._parts.recaller.flush)

    def import_stream(self, request: m.ImportRequest, stream: Readable) -> m.ImportReport:
        """Take a package in. Raises Denied, before anything is written, where it holds a scope that may not be written."""
        report = importing.import_package(self._core, self._principal, request, stream)
        self._parts.scrub_due = self._parts.scrub_due or is_pending(self._core)
        return report

    def bind(self, *, agent: str | None = None, read: Iterable[str] | None = None, write: Iterable[str] | None = None) -> Memory:
        """Return a memory that may read and write these scopes only, under this agent's name (ACC-1).

        None leaves a set as it is. Binding what is bound can only narrow it. Closing it leaves this engine open.
        """
        canonical = [None if scopes is None else [parse_scope(scope) for scope in scopes] for scopes in (read, write)]
        bound = object.__new__(Engine)
        bound._core = self._core
        bound._clock = self._core.clock
        bound._principal = narrow(self._principal, agent=agent_name(agent), read=canonical[0], write=canonical[1])
        bound._parts = self._parts
        bound._owner = False
        return bound

    def close(self) -> None:
        """Write what is still gathered, scrub what is still pending, and release the store."""
        if not self._owner or self._parts.closed:
            return
        self._parts.closed = True
        try:
            self._parts.recaller.close()
            self._scrub(at_once=True)
        finally:
            self._core.close()

    def _scrub(self, *, at_once: bool = False) -> None:
        parts, now = self._parts, time.monotonic()
        if not parts.scrub_due or (now < parts.scrub_after and not at_once):
            return
        parts.scrub_after = now + _SCRUB_EVERY
        try:
            parts.scrub_due = settle(self._core) is m.ForgetState.SCRUB_PENDING
        except SatchelError:
            # What was asked for is done; the scrubbing stays due and says so in `stats` and `doctor`.
            return
