"""`Engine`: the embedded `Memory`. It authorises each request and hands it to the operation's handler.

It must not know how any operation is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from satchel.engine import correcting, embedding, erasing, history, reading, updating, writing
from satchel.engine.access import authorise, narrow
from satchel.engine.core import Core, Principal
from satchel.engine.recalling import Recaller
from satchel.errors import Unsupported
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.memory import Memory
from satchel.protocol.package import Readable
from satchel.protocol.scope import parse_scope

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")

Handler = Callable[[Core, Principal, Any], Any]

_HANDLERS: dict[str, Handler] = {
    "remember": writing.remember,
    "remember_many": writing.remember_many,
    "read": reading.read,
    "read_record": reading.read_record,
    "records": reading.records,
    "update": updating.update,
    "confirm": updating.confirm,
    "restore": updating.restore,
    "correct": correcting.correct,
    "history": history.history,
    "changes": history.changes,
    "reindex": embedding.reindex,
    "forget_one": erasing.forget_one,
    "delete_record": erasing.delete_record,
}


class Engine(Memory):
    """Memory over a store in this process. Safe under threads."""

    def __init__(self, core: Core, principal: Principal | None = None, *, recaller: Recaller | None = None) -> None:
        """Open an engine; one that is given a recaller shares it, and leaves closing to whoever made it."""
        self._core = core
        self._principal = principal or Principal()
        self._owner = recaller is None
        self._recaller = recaller or Recaller(core)
        self._closed = False
        if self._owner:
            embedding.open_index(core)

    @property
    def core(self) -> Core:
        """What the engine is made of: for whoever serves it or looks after its store."""
        return self._core

    def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation as far as this engine's principal may."""
        permitted = authorise(self._principal, operation, request)
        if operation.name in {"recall", "search", "context"}:
            return getattr(self._recaller, operation.name)(self._principal, permitted)  # type: ignore[no-any-return]
        handler = _HANDLERS.get(operation.name)
        if handler is None:
            raise Unsupported(f"this engine does not offer {operation.name!r}")
        return handler(self._core, self._principal, permitted)  # type: ignore[no-any-return]

    def export_chunks(self, request: m.ExportRequest) -> Iterator[bytes]:
        """Yield a package."""
        raise NotImplementedError

    def import_stream(self, request: m.ImportRequest, stream: Readable) -> m.ImportReport:
        """Take a package in."""
        raise NotImplementedError

    def bind(self, *, agent: str | None = None, read: Iterable[str] | None = None, write: Iterable[str] | None = None) -> Memory:
        """Return a memory that may read and write these scopes only, under this agent's name (ACC-1).

        None leaves a set as it is. Binding what is bound can only narrow it. Closing it leaves this engine open.
        """
        canonical = [None if scopes is None else [parse_scope(scope) for scope in scopes] for scopes in (read, write)]
        principal = narrow(self._principal, agent=agent, read=canonical[0], write=canonical[1])
        return Engine(self._core, principal, recaller=self._recaller)

    def close(self) -> None:
        """Write what is still gathered and release the store."""
        if not self._owner or self._closed:
            return
        self._closed = True
        try:
            self._recaller.close()
        finally:
            self._core.store.close()
