"""Which part of the engine carries out which operation. It must not know what any of them does, nor who may ask.

Parts are imported and made when they are first asked for, so that a simple command waits for none that it does not need.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.scrubbing import is_pending

if TYPE_CHECKING:
    from satchel.engine.recall.recalling import Recaller
    from satchel.engine.writing.writing import Writer

Handler = Callable[[Principal, Any], Any]

_FUNCTIONS = {
    "read": "reading:read",
    "records": "reading:records",
    "update": "writing.updating:update",
    "correct": "writing.correcting:correct",
    "confirm": "writing.updating:confirm",
    "restore": "retention.apart:restore",
    "history": "history.history:history",
    "as_of": "history.timetravel:as_of",
    "snapshot": "history.snapshots:snapshot",
    "snapshots": "history.snapshots:snapshots",
    "drop_snapshot": "history.snapshots:drop_snapshot",
    "diff": "history.differing:diff",
    "restore_snapshot": "history.setting_back:restore_snapshot",
    "conflicts": "writing.conflicts:conflicts",
    "resolve": "writing.conflicts:resolve",
    "forget_one": "forgetting.erasing:forget_one",
    "imports": "moving.undoing:imports",
    "receipts": "moving.undoing:receipts",
    "undo_import": "moving.undoing:undo_import",
    "move_scope": "moving.moving:move_scope",
    "scopes": "overview:scopes",
    "changes": "history.history:changes",
    "reindex": "index.embedding:reindex",
    "doctor": "doctor:doctor",
    "write_record": "writing.primitives:write_record",
    "read_record": "reading:read_record",
    "delete_record": "forgetting.erasing:delete_record",
}
"""Operations that take the core, the principal and the request, and keep nothing: module and function."""


def _function(place: str) -> Callable[[Core, Principal, Any], Any]:
    module, _, name = place.partition(":")
    found: Callable[[Core, Principal, Any], Any] = getattr(import_module(f"satchel.engine.{module}"), name)
    return found


class Parts:
    """What engines over one core share: the parts that keep something between calls, and whether scrubbing is due."""

    def __init__(self, core: Core) -> None:
        """Begin with no part made."""
        self._core = core
        self._lock = threading.RLock()
        self._recaller: Recaller | None = None
        self._writer: Writer | None = None
        self._handlers: dict[str, Handler] = {}
        self.scrub_due = is_pending(core)
        self.scrub_after = 0.0
        self.closed = False

    def handler(self, name: str) -> Handler | None:
        """Return what carries an operation out; None where nothing does."""
        with self._lock:
            if name not in self._handlers:
                self._handlers |= self._made(name)
            return self._handlers.get(name)

    @property
    def recaller(self) -> Recaller:
        """What answers questions, and gathers use."""
        with self._lock:
            if self._recaller is None:
                from satchel.engine.recall.recalling import Recaller

                self._recaller = Recaller(self._core)
            return self._recaller

    @property
    def writer(self) -> Writer:
        """What takes new memories up."""
        with self._lock:
            if self._writer is None:
                from satchel.engine.writing.writing import Writer

                self._writer = Writer(self._core, self.recaller.indexes)
            return self._writer

    def flush(self) -> None:
        """Write the use that was gathered."""
        if self._recaller is not None:
            self._recaller.flush()

    def close(self) -> None:
        """Write what was gathered, and end what runs beside calls."""
        if self._recaller is not None:
            self._recaller.close()

    def _made(self, name: str) -> dict[str, Handler]:
        core = self._core
        if name in _FUNCTIONS:
            function = _function(_FUNCTIONS[name])
            return {name: lambda principal, request: function(core, principal, request)}
        kept = _KEEPING.get(name)
        return kept(self) if kept is not None else {}

    def answering(self) -> dict[str, Handler]:
        """Make what answers questions."""
        recaller = self.recaller
        return {"recall": recaller.recall, "search": recaller.search, "context": recaller.context}

    def taking_up(self) -> dict[str, Handler]:
        """Make what takes new memories up."""
        return {"remember": self.writer.remember, "remember_many": self.writer.remember_many}

    def hearing(self) -> dict[str, Handler]:
        """Make what hears of use."""
        from satchel.engine.recall.feedback import Feedback

        feedback = Feedback(self._core, self.recaller.book, self.recaller.touch, self.recaller.flush)
        return {"used": feedback.used, "recall_log": feedback.recall_log}

    def forgetting(self) -> dict[str, Handler]:
        """Make what forgets by a plan."""
        from satchel.engine.forgetting.plans import Planner

        return {"forget": Planner(self._core, self.recaller).forget}

    def ingesting(self) -> dict[str, Handler]:
        """Make what takes imports in."""
        from satchel.engine.moving.ingesting import Ingester

        return {"ingest": Ingester(self._core).ingest}

    def counting(self) -> dict[str, Handler]:
        """Make what counts."""
        from satchel.engine.overview import Overview

        return {"stats": Overview(self._core).stats}

    def maintaining(self) -> dict[str, Handler]:
        """Make what looks after scopes."""
        from satchel.engine.retention.maintaining import Maintainer
        from satchel.engine.working.promoting import Promoter
        from satchel.engine.working.sessions import SessionBook

        sessions = SessionBook(self._core, Promoter(self._core, self.writer))
        return {"maintain": Maintainer(self._core, self.recaller.indexes, sessions, self.recaller.flush).maintain}

    def simulating(self) -> dict[str, Handler]:
        """Make what looks ahead."""
        from satchel.engine.retention.simulating import Simulator

        return {"simulate": Simulator(self._core, self.flush).simulate}

    def attending(self) -> dict[str, Handler]:
        """Make what keeps sessions."""
        from satchel.engine.working.sessions import session_handlers

        return session_handlers(self._core, self.writer)


_KEEPING: dict[str, Callable[[Parts], dict[str, Handler]]] = {
    **dict.fromkeys(("remember", "remember_many"), Parts.taking_up),
    **dict.fromkeys(("recall", "search", "context"), Parts.answering),
    **dict.fromkeys(("used", "recall_log"), Parts.hearing),
    "forget": Parts.forgetting,
    "ingest": Parts.ingesting,
    "stats": Parts.counting,
    "maintain": Parts.maintaining,
    "simulate": Parts.simulating,
    **dict.fromkeys(("working", "save_working", "promote", "sessions", "session_start", "session_end"), Parts.attending),
}
"""Operations whose parts keep something between calls: what makes the part, and with it the handlers of its operations."""
