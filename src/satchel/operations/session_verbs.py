"""The verbs of `Memory` on sessions and their working memory. It must not know who carries the request out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from satchel.errors import NotFound
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.arguments import ScopeArgument, _request
from satchel.operations.working import Working
from satchel.ports import Clock
from satchel.protocol.record import new_id

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")


class SessionVerbs(ABC):
    """What a memory does for sessions: the short-term network beside the long-term one."""

    _clock: Clock | None = None
    """Where the present is read for what is only in hand; None: from this machine."""

    @abstractmethod
    def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation of the table."""

    def working(self, session_id: str, *, scope: str) -> Working:
        """Return a session's working memory in hand: whole, whoever saved it, or empty. Nothing is written before its `save`."""
        try:
            snapshot = self.call(t.WORKING, _request(m.WorkingRequest, {"session": session_id, "scope": scope}))
        except NotFound:
            return Working(self, session_id, scope, None)
        return Working(self, session_id, scope, snapshot)

    def session_start(self, session_id: str | None = None, *, scope: str, due_scopes: ScopeArgument | None = None) -> Working:
        """Begin a session, or go on with one: its working memory in hand, and in `due` what is overdue or falls due soon."""
        session_id = session_id or new_id()
        given = {"session": session_id, "scope": scope, "due_scopes": due_scopes}
        started = self.call(t.SESSION_START, _request(m.SessionStartRequest, given))
        working = Working(self, session_id, scope, started.snapshot)
        working.due, working.resumed = started.due, started.resumed
        return working

    def session_end(self, session_id: str, *, scope: str, summary: str | None = None, condense: bool | None = None) -> m.SessionEnded:
        """End a session: it is condensed into long-term records, and its snapshot archived. The same end again writes nothing."""
        given = {"session": session_id, "scope": scope, "summary": summary, "condense": condense}
        return self.call(t.SESSION_END, _request(m.SessionEndRequest, given))

    def promote(
        self,
        session_id: str,
        *,
        scope: str,
        slot: str | None = None,
        event: str | None = None,
        task: str | None = None,
        content: str | None = None,
        type: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> m.Remembered:
        """Take a slot, a turn or a task of a session into long-term memory, for it was confirmed. Raises NotFound where it is not there."""
        given = {name: value for name, value in locals().items() if name != "session_id"}
        return self.call(t.PROMOTE, _request(m.PromoteRequest, given | {"session": session_id}))

    def sessions(
        self, *, scope: ScopeArgument, ended: bool | None = None, cursor: str | None = None, limit: int | None = None
    ) -> m.Sessions:
        """Return one page of the sessions of these scopes; pass its `cursor` on for the next."""
        return self.call(t.SESSIONS, _request(m.SessionsRequest, locals()))
