"""What a connection is bound to: a memory, the scope it writes to and the scopes it reads. No argument of a tool can change it.

It must not know MCP.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.errors import Denied, InvalidRequest, NotFound
from satchel.operations.memory import Memory
from satchel.operations.models import Conflict, conflict_id
from satchel.operations.models.base import MAX_LIMIT
from satchel.protocol.record import MemoryRecord
from satchel.protocol.scope import parse_scope


@dataclass(frozen=True, slots=True)
class Binding:
    """One connection's memory. `client` is the name that the agent's tool gave itself: provenance, no credential.

    `tenant` tells memories apart that one server has at the same time.
    """

    memory: Memory
    write: str
    read: tuple[str, ...]
    client: str | None = None
    tenant: str | None = None

    @classmethod
    def of(cls, memory: Memory, scopes: str | Sequence[str], *, client: str | None = None, tenant: str | None = None) -> Binding:
        """Bind to scopes: the first is written to, all are read. Raises InvalidRequest where there is none, or one that is none."""
        named = [scopes] if isinstance(scopes, str) else list(scopes)
        if not named:
            raise InvalidRequest.of([{"field": "scope", "message": "the connection names no scope"}])
        canonical = tuple(dict.fromkeys(parse_scope(scope) for scope in named))
        return cls(memory, canonical[0], canonical, client, tenant)

    def find(self, record_id: str) -> MemoryRecord:
        """Return a record that this connection may change.

        Raises:
            NotFound: the connection sees no such record; Denied: it only reads the scope where the record is.
        """
        try:
            return self.memory.read(record_id, scope=self.write)
        except NotFound:
            if any(self._sees(record_id, scope) for scope in self.read[1:]):
                raise Denied("that memory is in a scope that this connection only reads", id=record_id) from None
            raise

    def look(self, record_id: str) -> MemoryRecord | None:
        """Return a record of the scope that is written to; None where there is none."""
        try:
            return self.memory.read(record_id, scope=self.write)
        except NotFound:
            return None

    def conflict_of(self, record_id: str) -> Conflict:
        """Return the open question that a record is part of; of several, the one that is named after it.

        Raises:
            NotFound: the connection sees no such record, or nothing is asked about it; Denied: it only reads the scope where it is.
        """
        record = self.find(record_id)
        asked = [one for one in self.memory.conflicts(scope=self.write, limit=MAX_LIMIT) if any(r.id == record.id for r in one.records)]
        if not asked:
            raise NotFound("nothing is asked about this memory", id=record_id)
        named = conflict_id(self.write, record.id)
        return next((conflict for conflict in asked if conflict.id == named), asked[0])

    def _sees(self, record_id: str, scope: str) -> bool:
        try:
            self.memory.read(record_id, scope=scope)
        except NotFound:
            return False
        return True
