"""`WorkingStore` over the documents of a `Store`: one document a session. It must not know what a snapshot means."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from satchel.errors import Conflict
from satchel.ports import Batch, Document, Store
from satchel.protocol.working import WorkingSnapshot

WORKING = "working"
"""Documents with working-memory snapshots, keyed by scope and session. Neither part can hold a newline."""

_PAGE = 100


class DocumentWorkingStore:
    """Keeps snapshots beside the records of a store: as durable as they are, seen by every process."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def capabilities(self) -> frozenset[str]:
        """What the store can promise."""
        return self._store.capabilities

    @property
    def location(self) -> str:
        """Where the store is."""
        return self._store.location

    def load(self, scope: str, session: str) -> WorkingSnapshot | None:
        """Return a session's snapshot."""
        value = self._store.document(WORKING, _key(scope, session))
        return None if value is None else WorkingSnapshot.model_validate(value)

    def save(self, snapshot: WorkingSnapshot, *, expect: int, lasting: float | None = None) -> None:
        """Write a snapshot over the one of version `expect`; documents know no time."""
        self._write(snapshot.scope, snapshot.session_id, snapshot.to_json(), expect)

    def drop(self, scope: str, session: str, *, expect: int | None = None) -> None:
        """Remove a session's snapshot."""
        self._write(scope, session, None, expect)

    def snapshots(self, scope: str | None = None, *, after: tuple[str, str] | None = None, limit: int = _PAGE) -> list[WorkingSnapshot]:
        """Return snapshots ordered by scope and session."""
        prefix = "" if scope is None else f"{scope}\n"
        found = self._store.documents(WORKING, prefix=prefix, after=None if after is None else _key(*after), limit=limit)
        return [WorkingSnapshot.model_validate(document.value) for document in found]

    def expired(self, before: datetime, *, ended: bool, scope: str | None = None, limit: int = _PAGE) -> list[WorkingSnapshot]:
        """Return snapshots that were last changed before a moment, the oldest first."""
        idle = (one for one in self._every(scope) if one.updated_at < before and (one.ended_at is not None) is ended)
        return heapq.nsmallest(limit, idle, key=lambda snapshot: (snapshot.updated_at, snapshot.scope, snapshot.session_id))

    def scrub(self) -> bool:
        """Leave it to the store, which scrubs its documents with all else."""
        return True

    def check(self) -> list[str]:
        """Leave it to the store."""
        return []

    def close(self) -> None:
        """Leave it to who opened the store."""

    def _every(self, scope: str | None) -> Iterator[WorkingSnapshot]:
        after: tuple[str, str] | None = None
        while page := self.snapshots(scope, after=after):
            yield from page
            after = (page[-1].scope, page[-1].session_id)

    def _write(self, scope: str, session: str, value: dict[str, Any] | None, expect: int | None) -> None:
        written = Document(WORKING, _key(scope, session), value, scope, expect)
        try:
            self._store.apply(Batch(documents=[written]))
        except Conflict as error:
            details = {name: error.details.get(name) for name in ("expected", "actual")}
            raise Conflict(
                f"the session {session!r} was saved by another in the meantime", scope=scope, session=session, **details
            ) from None


def _key(scope: str, session: str) -> str:
    return f"{scope}\n{session}"
