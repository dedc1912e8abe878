"""`AsyncSeeingVerbs`: `SeeingVerbs` to be awaited. Made by scripts/make_async.py from operations/seeing_verbs.py: change that.

It must not know who carries the request out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TypeVar, overload

from satchel.errors import InvalidRequest
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.arguments import ScopeArgument, _request
from satchel.protocol.record import MemoryRecord, Status

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")


class AsyncSeeingVerbs(ABC):
    """What a memory shows of its own past."""

    @abstractmethod
    async def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation of the table."""

    async def history(self, id: str, *, scope: str) -> list[m.HistoryEntry]:
        """Return a record's changes, oldest first."""
        return list((await self.call(t.HISTORY, _request(m.RecordRequest, locals()))).entries)

    async def as_of(
        self, when: datetime | str, *, scope: ScopeArgument, status: str | Sequence[str] | None = None
    ) -> AsyncIterator[MemoryRecord]:
        """Yield the records as they were known at a moment. What was forgotten is absent at every moment."""
        cursor: str | None = None
        statuses = (status,) if isinstance(status, (str, Status)) else status
        given = {"when": when, "scope": scope, "statuses": statuses, "limit": m.MAX_LIMIT}
        while True:
            page = await self.call(t.AS_OF, _request(m.AsOfRequest, given | {"cursor": cursor}))
            for item in page.records:
                yield item
            cursor = page.cursor
            if cursor is None:
                return

    async def snapshot(self, *, scope: str, name: str | None = None, reason: str | None = None) -> m.Snapshot:
        """Name the present state of a scope. Raises Conflict where the name is that of an earlier state."""
        return await self.call(t.SNAPSHOT, _request(m.SnapshotRequest, locals()))

    async def snapshots(self, *, scope: ScopeArgument) -> list[m.Snapshot]:
        """Return the snapshots of these scopes, the oldest first."""
        return list((await self.call(t.SNAPSHOTS, _request(m.SnapshotsRequest, locals()))).snapshots)

    async def drop_snapshot(self, name: str | m.Snapshot, *, scope: str | None = None) -> m.Snapshot:
        """Take a snapshot's name away, and return what it stood for; the records and their log stay as they are. Raises NotFound."""
        given = {"name": name.name, "scope": name.scope} if isinstance(name, m.Snapshot) else {"name": name, "scope": scope}
        return await self.call(t.DROP_SNAPSHOT, _request(m.DropSnapshotRequest, given))

    async def diff(self, a: str | m.Snapshot, b: str | m.Snapshot = m.NOW, *, scope: str | None = None) -> m.Diff:
        """Return what was added, removed and changed from one snapshot to another, or to `now`. The scope is that of a snapshot given."""
        scope = scope or next((one.scope for one in (a, b) if isinstance(one, m.Snapshot)), None)
        names = [one.name if isinstance(one, m.Snapshot) else one for one in (a, b)]
        given = {"scope": scope, "a": names[0], "b": names[1], "limit": m.MAX_LIMIT}
        found = await self.call(t.DIFF, _request(m.DiffRequest, given))
        added, removed, changed = ([*found.added], [*found.removed], [*found.changed])
        while found.cursor is not None:
            found = await self.call(t.DIFF, _request(m.DiffRequest, given | {"cursor": found.cursor}))
            added += found.added
            removed += found.removed
            changed += found.changed
        return m.Diff(added=tuple(added), removed=tuple(removed), changed=tuple(changed))

    @overload
    async def restore(self, id: str, *, scope: str, apart: bool = False) -> MemoryRecord: ...

    @overload
    async def restore(self, id: m.Snapshot) -> m.SnapshotRestored: ...

    @overload
    async def restore(self, *, snapshot: str, scope: str) -> m.SnapshotRestored: ...

    async def restore(
        self, id: str | m.Snapshot | None = None, *, snapshot: str | None = None, scope: str | None = None, apart: bool = False
    ) -> MemoryRecord | m.SnapshotRestored:
        """Bring an archived record back to active, by its id; or a whole scope back to a snapshot, given itself or by its name.

        With `apart`, a record that was put together of others is taken apart: they come back, and it is archived.
        What was forgotten stays so, and what came after the snapshot is archived. Its `undo` is the snapshot to restore to undo it.
        """
        if (id is None) is (snapshot is None):
            raise InvalidRequest.of([{"field": "id", "message": "name either a record or a snapshot"}])
        if isinstance(id, m.Snapshot):
            snapshot, scope = (id.name, id.scope)
        if snapshot is None:
            return await self.call(t.RESTORE, _request(m.RestoreRequest, {"id": id, "scope": scope, "apart": apart}))
        return await self.call(t.RESTORE_SNAPSHOT, _request(m.RestoreSnapshotRequest, {"name": snapshot, "scope": scope}))

    async def recall_log(self, *, scope: str, session: str | None = None) -> AsyncIterator[m.RecallEntry]:
        """Yield which memories entered which session and turn, the oldest first, and which of them were used."""
        cursor: str | None = None
        while True:
            given = {"scope": scope, "session": session, "cursor": cursor, "limit": m.MAX_LIMIT}
            page = await self.call(t.RECALL_LOG, _request(m.RecallLogRequest, given))
            for item in page.entries:
                yield item
            cursor = page.cursor
            if cursor is None:
                return

    async def used(self, ids: Sequence[str], *, scope: str, session: str) -> m.Used:
        """Report which of the memories that it recalled a session used; each counts once a session."""
        return await self.call(t.USED, _request(m.UsedRequest, locals()))
