"""`TenantMemory`: a tenant's memory as the callers of a service see it. It must not know where the memory is.

Each call borrows the engine for as long as it takes, so that between calls the store may be closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from satchel.engine.access import narrow
from satchel.engine.core import Principal
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.memory import Memory
from satchel.ports import Clock
from satchel.protocol.naming import agent_name
from satchel.protocol.package import Readable
from satchel.protocol.scope import parse_scope
from satchel.service.tenant_pool import TenantPool

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")


class TenantMemory(Memory):
    """One tenant's memory, bound to what a caller may do there."""

    def __init__(self, pool: TenantPool, name: str, clock: Clock | None, principal: Principal | None = None) -> None:
        self._pool = pool
        self._name = name
        self._clock = clock
        self._principal = principal or Principal()

    def bind(self, *, agent: str | None = None, read: Iterable[str] | None = None, write: Iterable[str] | None = None) -> Memory:
        """Return a memory that may read and write these scopes only, under this agent's name; it can only be narrowed."""
        canonical = [None if scopes is None else [parse_scope(scope) for scope in scopes] for scopes in (read, write)]
        principal = narrow(self._principal, agent=agent_name(agent), read=canonical[0], write=canonical[1])
        return TenantMemory(self._pool, self._name, self._clock, principal)

    def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation."""
        with self._lent() as memory:
            return memory.call(operation, request)

    def export_chunks(self, request: m.ExportRequest) -> Iterator[bytes]:
        """Yield a package; the engine is borrowed until the last chunk was taken or the iterator closed."""
        with self._lent(stream=True) as memory:
            yield from memory.export_chunks(request)

    def import_stream(self, request: m.ImportRequest, stream: Readable) -> m.ImportReport:
        """Take a package in."""
        with self._lent(stream=True) as memory:
            return memory.import_stream(request, stream)

    @contextmanager
    def _lent(self, *, stream: bool = False) -> Iterator[Memory]:
        with self._pool.lease(self._name, stream=stream) as engine:
            yield engine.bind(agent=self._principal.agent, read=self._principal.read, write=self._principal.write)

    def close(self) -> None:
        """Leave the store to the pool."""
