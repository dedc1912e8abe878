"""`Engine`: the embedded `Memory`. It authorises each request and hands it to the operation's handler.

It must not know how any operation is done.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from satchel.engine.access import authorise, narrow
from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.scrubbing import is_pending, settle
from satchel.engine.handlers import Parts
from satchel.engine.index.embedding import open_index
from satchel.errors import SatchelError, Unsupported
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.memory import Memory
from satchel.protocol.naming import agent_name
from satchel.protocol.package import Readable
from satchel.protocol.scope import parse_scope

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")

_TAKING_AWAY = frozenset({"move_scope", "undo_import"})
"""Operations after which an external index has vectors in a scope that no longer holds their records."""

_PATIENT = frozenset({"reindex", "maintain"})
"""Operations that nobody waits for as for an answer: they make way, and others need not make way for them."""

_SCRUB_EVERY = 5.0
"""Seconds between two attempts at a scrubbing that a reader holds up."""


class Engine(Memory):
    """Memory over a store in this process. Safe under threads."""

    def __init__(self, core: Core, principal: Principal | None = None) -> None:
        """Open an engine that owns the core's stores: closing it closes them."""
        open_index(core)
        self._core = core
        self._clock = core.clock
        self._principal = principal or Principal()
        self._parts = Parts(core)
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
        handler = self._parts.handler(name)
        if handler is None:
            raise Unsupported(f"this engine does not offer {name!r}")
        return handler(self._principal, request)

    def export_chunks(self, request: m.ExportRequest) -> Iterator[bytes]:
        """Yield a package of what this engine's principal may read; close the iterator to break off."""
        from satchel.engine.moving.exporting import export

        return export(self._core, self._principal, request, flush=self._parts.flush)

    def import_stream(self, request: m.ImportRequest, stream: Readable) -> m.ImportReport:
        """Take a package in. Raises Denied, before anything is written, where it holds a scope that may not be written."""
        from satchel.engine.moving.importing import import_package

        report = import_package(self._core, self._principal, request, stream)
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
            self._parts.close()
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
