"""`Memory`: the one Python interface, embedded or remote. Each verb builds its request here, once, and hands it to `call`.

It must not know who carries the request out.
"""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar

from satchel.errors import InvalidRequest
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.arguments import Given, ScopeArgument, _request
from satchel.operations.seeing_verbs import SeeingVerbs
from satchel.operations.session_verbs import SessionVerbs
from satchel.protocol.package import Readable, Writable
from satchel.protocol.record import MemoryRecord, Source, Status

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")


class Memory(SessionVerbs, SeeingVerbs):
    """What an agent remembers. The same verbs embedded in a process and over HTTP.

    Every verb raises InvalidRequest (all faults at once), Denied, StoreError or TransportError where they apply;
    verbs on one record raise NotFound where the caller sees no such record.
    """

    @abstractmethod
    def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation of the table."""

    @abstractmethod
    def export_chunks(self, request: m.ExportRequest) -> Iterator[bytes]:
        """Yield a package."""

    @abstractmethod
    def import_stream(self, request: m.ImportRequest, stream: Readable) -> m.ImportReport:
        """Take a package in."""

    @abstractmethod
    def close(self) -> None:
        """Release what this memory holds. Everything acknowledged is already safe."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------ write

    def remember(
        self,
        content: str,
        *,
        scope: str,
        id: str | None = None,
        type: str | None = None,
        tags: Sequence[str] | None = None,
        source: Source | Given | None = None,
        score: float | None = None,
        half_life: float | None = None,
        retention: str | None = None,
        ttl: float | None = None,
        expires_at: datetime | str | None = None,
        due_at: datetime | str | None = None,
        valid_from: datetime | str | None = None,
        valid_until: datetime | str | None = None,
        confidence: float | None = None,
        sensitivity: str | None = None,
        created_at: datetime | str | None = None,
        pinned: bool | None = None,
        relations: Given | None = None,
        meta: Given | None = None,
    ) -> m.Remembered:
        """Write one memory.

        The same (scope, id) with the same content again is `unchanged`; the same content under a new id is `reinforced`.
        Raises SecretRefused where the content holds a credential.
        """
        return self.call(t.REMEMBER, _request(m.RememberRequest, locals()))

    def remember_many(self, memories: Iterable[str | Given | m.NewMemory], *, scope: str | None = None) -> list[m.Remembered]:
        """Write several memories in one transaction, texts or mappings of `remember`'s arguments; one fault refuses all."""
        items = [{"content": memory} if isinstance(memory, str) else memory for memory in memories]
        if not items:
            return []
        return list(self.call(t.REMEMBER_MANY, _request(m.RememberManyRequest, {"memories": items, "scope": scope})).results)

    def update(
        self,
        id: str,
        *,
        scope: str,
        tags: Sequence[str] | None = None,
        type: str | None = None,
        score: float | None = None,
        half_life: float | None = None,
        meta: Given | None = None,
        pinned: bool | None = None,
        due_at: datetime | str | None = None,
        expires_at: datetime | str | None = None,
        status: str | None = None,
        sensitivity: str | None = None,
        if_revision: int | None = None,
    ) -> MemoryRecord:
        """Change what is not content. Raises Conflict where `if_revision` is no longer the record's."""
        return self.call(t.UPDATE, _request(m.UpdateRequest, locals()))

    def correct(
        self, id: str, content: str, *, scope: str, new_id: str | None = None, reason: str | None = None, if_revision: int | None = None
    ) -> m.Remembered:
        """Archive a wrong memory and write the right one in its place, linked both ways, provenance kept."""
        return self.call(t.CORRECT, _request(m.CorrectRequest, locals()))

    def confirm(self, id: str, *, scope: str) -> MemoryRecord:
        """Say that a memory is right: pending becomes active, and its score rises half the way to 1."""
        return self.call(t.CONFIRM, _request(m.ConfirmRequest, locals()))

    def forget(
        self,
        id: str | None = None,
        *,
        scope: ScopeArgument | None = None,
        query: str | None = None,
        session: str | None = None,
        import_id: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        everything: bool = False,
        plan: m.Forgotten | str | None = None,
        reason: str | None = None,
    ) -> m.Forgotten:
        """Forget: an id at once; anything else gives a plan first, to be confirmed with `forget(plan=…)`."""
        plan = plan.plan if isinstance(plan, m.Forgotten) else plan
        return self.call(t.FORGET, _request(m.ForgetRequest, locals()))

    # ------------------------------------------------------------ read

    def recall(
        self,
        query: str,
        *,
        scope: ScopeArgument,
        limit: int | None = None,
        types: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        origins: Sequence[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        statuses: Sequence[str] | None = None,
        pinned: bool | None = None,
        where: Given | None = None,
        policy: str | None = None,
        min_strength: float | None = None,
        min_relevance: float | None = None,
        touch: bool | None = None,
        session: str | None = None,
        turn: str | None = None,
    ) -> list[m.Hit]:
        """Find the memories that answer a question, best first; an empty list is an answer. `since` and `until` bound `created_at`.

        With a `session`, what was found enters the recall log.
        """
        return list(self.call(t.RECALL, _request(m.RecallRequest, locals())).hits)

    def context(
        self,
        query: str | None = None,
        *,
        scope: ScopeArgument,
        session: str | None = None,
        turn: str | None = None,
        max_tokens: int | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        heading: str | None = None,
    ) -> str:
        """Return a prompt block of what is remembered, fenced, inside a token budget; empty where there is nothing to say."""
        return self.call(t.CONTEXT, _request(m.ContextRequest, locals())).text

    def read(self, id: str, *, scope: str) -> MemoryRecord:
        """Return one record."""
        return self.call(t.READ, _request(m.RecordRequest, locals()))

    def records(
        self,
        *,
        scope: ScopeArgument,
        status: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        where: Given | None = None,
        pinned: bool | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> m.Records:
        """Return one page of records, the last changed first; pass its `cursor` on for the next."""
        some = {"statuses": _several(status), "types": _several(type)}
        rest = {
            "scope": scope,
            "tags": tags,
            "where": where,
            "pinned": pinned,
            "since": since,
            "until": until,
            "cursor": cursor,
            "limit": limit,
        }
        return self.call(t.RECORDS, _request(m.RecordsRequest, some | rest))

    def every_record(self, *, scope: ScopeArgument, status: str | Sequence[str] | None = None) -> Iterator[MemoryRecord]:
        """Yield every record, page by page."""
        cursor: str | None = None
        while True:
            page = self.records(scope=scope, status=status, cursor=cursor, limit=m.MAX_LIMIT)
            yield from page.records
            cursor = page.cursor
            if cursor is None:
                return

    def scopes(self) -> list[m.ScopeInfo]:
        """Return the scopes that the caller may read, with their counts."""
        return list(self.call(t.SCOPES, m.ScopesRequest()).scopes)

    def stats(self, scope: ScopeArgument | None = None) -> m.Stats:
        """Return counts, and the state of the index."""
        return self.call(t.STATS, _request(m.StatsRequest, locals()))

    def changes(self, *, scope: ScopeArgument, after: int = 0, limit: int | None = None) -> m.Changes:
        """Return changes after a position of the log, oldest first."""
        return self.call(t.CHANGES, _request(m.ChangesRequest, locals()))

    def conflicts(self, *, scope: ScopeArgument, limit: int | None = None) -> list[m.Conflict]:
        """Return what must be asked: memories of which nobody knows which holds, and often used ones that turned out wrong."""
        return list(self.call(t.CONFLICTS, _request(m.ConflictsRequest, locals())).conflicts)

    def resolve(self, conflict_id: str, *, keep: str) -> m.Resolved:
        """Settle a conflict: keep the memory with this id, or `both`, or `none`; the rest is archived and can be restored."""
        return self.call(t.RESOLVE, _request(m.ResolveRequest, {"id": conflict_id, "keep": keep}))

    # ------------------------------------------------------------ packages and imports

    def export(
        self,
        *,
        to: Writable,
        scope: ScopeArgument | None = None,
        everything: bool = False,
        since: int | None = None,
        working: bool = False,
        include_sensitive: bool = False,
        compressed: bool = False,
    ) -> int:
        """Write a package to a binary stream; return its size in bytes. A broken-off export lacks its trailer and is refused on import."""
        arguments = {name: value for name, value in locals().items() if name != "to"}
        _require_binary("to", to)
        size = 0
        for chunk in self.export_chunks(_request(m.ExportRequest, arguments)):
            to.write(chunk)
            size += len(chunk)
        return size

    def import_package(self, stream: Readable, *, scope_map: Given | None = None, dry_run: bool = False) -> m.ImportReport:
        """Take a package in: verified whole before anything is written, ids and times kept, the same package again changes nothing."""
        _require_binary("stream", stream)
        return self.import_stream(_request(m.ImportRequest, {"scope_map": scope_map, "dry_run": dry_run}), stream)

    def ingest(self, request: m.IngestRequest) -> list[m.Receipt]:
        """Write one batch of an import (the migration kit's door); return a receipt for each item."""
        return list(self.call(t.INGEST, request).receipts)

    def imports(self) -> list[m.ImportSummary]:
        """Return the imports that were made, newest first."""
        return list(self.call(t.IMPORTS, m.ScopesRequest()).imports)

    def receipts(self, import_id: str) -> Iterator[m.Receipt]:
        """Yield an import's receipts in the order of its source. Raises NotFound for an unknown import."""
        cursor: str | None = None
        while True:
            page = self.call(t.RECEIPTS, _request(m.ReceiptsRequest, {"import_id": import_id, "cursor": cursor}))
            yield from page.receipts
            cursor = page.cursor
            if cursor is None:
                return

    def undo_import(self, import_id: str) -> m.Undone:
        """Take out what an import created, without tombstones, and bring back what it replaced; records changed since are kept."""
        return self.call(t.UNDO_IMPORT, _request(m.ImportIdRequest, locals()))

    # ------------------------------------------------------------ looking after

    def move_scope(self, scope: str, *, to: str) -> m.Moved:
        """Move every record of a scope into another, history included."""
        return self.call(t.MOVE_SCOPE, _request(m.MoveScopeRequest, locals()))

    def reindex(self, *, everything: bool = False, limit: int | None = None, resume: bool = False) -> m.Reindexed:
        """Embed what has no vector yet, or rebuild the whole index from content; at most `limit` vectors in this call.

        An external index is then brought up to date, for some seconds: where some are `uncopied`, call again with `resume`.
        """
        return self.call(t.REINDEX, _request(m.ReindexRequest, locals()))

    def maintain(self, scope: ScopeArgument | None = None, *, dry_run: bool = False) -> m.Maintained:
        """Carry out a maintenance pass over these scopes, or all that the caller may read and write.

        It merges twins, archives what has faded, mends links, consolidates topics, keeps the ceiling and purges what settings say.
        A second pass changes nothing; what it archives can be restored.
        """
        return self.call(t.MAINTAIN, _request(m.MaintainRequest, locals()))

    def simulate(
        self, scope: ScopeArgument | None = None, *, days: int | None = None, settings: Given | None = None, limit: int | None = None
    ) -> m.Simulation:
        """Show how strengths fall in the coming days, and when each record would be archived; `settings` tries another policy."""
        return self.call(t.SIMULATE, _request(m.SimulateRequest, locals()))

    def doctor(self) -> m.Diagnosis:
        """Look the store and its index over."""
        return self.call(t.DOCTOR, m.DoctorRequest())

    # ------------------------------------------------------------ the raw primitives

    def write_record(self, record: MemoryRecord) -> m.Remembered:
        """Write a record as it stands (upsert by (scope, id)); the same state again is `unchanged`."""
        return self.call(t.WRITE_RECORD, m.WriteRecordRequest(record=record))

    def read_record(self, id: str, *, scope: str) -> MemoryRecord:
        """Return a record or its tombstone."""
        return self.call(t.READ_RECORD, _request(m.RecordRequest, locals()))

    def delete_record(self, id: str, *, scope: str) -> m.Forgotten:
        """Replace a record by its tombstone."""
        return self.call(t.DELETE_RECORD, _request(m.RecordRequest, locals()))

    def search(self, query: str, *, scope: ScopeArgument, limit: int | None = None, types: Sequence[str] | None = None) -> list[m.Hit]:
        """Rank records by relevance alone: no thresholds, no usage."""
        return list(self.call(t.SEARCH, _request(m.SearchRequest, locals())).hits)


def _require_binary(field: str, stream: object) -> None:
    if isinstance(stream, io.TextIOBase):
        raise InvalidRequest.of([{"field": field, "message": "is a text stream; a package is bytes, so open the file in binary mode"}])


def _several(value: str | Sequence[str] | None) -> Sequence[str] | None:
    if isinstance(value, (str, Status)):
        return (value,)
    return value
