"""The imports that were made, their receipts, and `undo_import` (MIG-6). It must not know how an import is made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from satchel.engine.access import require_write
from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.scrubbing import leaving_documents
from satchel.engine.forgetting.traces import all_of_import
from satchel.engine.history.snapshots import Beforehand
from satchel.engine.moving import receipts as kept
from satchel.engine.moving.receipts import ImportHead
from satchel.engine.writing.committing import Vectors, commit, log_entry, put
from satchel.errors import NotFound
from satchel.operations.models import (
    ImportIdRequest,
    Imports,
    Receipt,
    Receipts,
    ReceiptsRequest,
    ScopesRequest,
    Undone,
)
from satchel.ports import Batch, Change, Put, Remove
from satchel.protocol.record import MemoryRecord

_PAGE = 500

MAX_SHOWN = 1000
"""Snapshots listed in an answer."""

UNDONE = "undone"
"""Reason in a receipt of an import that was undone."""


def imports(core: Core, principal: Principal, request: ScopesRequest) -> Imports:
    """Return the imports into scopes that the caller may read, newest first."""
    found = [head for head in kept.heads(core) if _may_see(principal, head)]
    return Imports(imports=tuple(sorted((head.summary() for head in found), key=lambda summary: summary.at, reverse=True)))


def receipts(core: Core, principal: Principal, request: ReceiptsRequest) -> Receipts:
    """Return a page of an import's receipts, in the order of the source."""
    head = _head(core, principal, request.import_id)
    after, skip = _read_cursor(request.cursor)
    page: list[Receipt] = []
    for key, group in kept.pages(core, head.import_id, after):
        rest = group[skip:]
        taken = rest[: request.limit - len(page)]
        page += taken
        if len(taken) < len(rest):
            return Receipts(receipts=tuple(page), cursor=f"{after or ''} {skip + len(taken)}")
        after, skip = key, 0
    return Receipts(receipts=tuple(page))


def _read_cursor(cursor: str | None) -> tuple[str | None, int]:
    if cursor is None:
        return None, 0
    after, _, skip = cursor.rpartition(" ")
    return after or None, int(skip) if skip.isdigit() else 0


def _may_see(principal: Principal, head: ImportHead) -> bool:
    return principal.read is None or (bool(head.scopes) and principal.read.issuperset(head.scopes))


def _head(core: Core, principal: Principal, import_id: str) -> ImportHead:
    head = ImportHead.load(core, import_id)
    if head is None or not _may_see(principal, head):
        raise NotFound("no such import", import_id=import_id)
    return head


def undo_import(core: Core, principal: Principal, request: ImportIdRequest) -> Undone:
    """Take out what an import created, and bring back what it replaced; no tombstones stay, so that the import may be run again.

    What was changed since stays; what a later import has replaced is that one's, and is no longer this one's to undo.
    Interrupted, it goes on where it stopped when it is called again.
    """
    head = _head(core, principal, request.import_id)
    require_write(principal, head.scopes)
    if head.state == "undone":
        return Undone(removed=0, kept=0)
    core.store.apply(Batch(documents=[head.changed(state="undoing").document()]))
    undone = frozenset(other.import_id for other in kept.heads(core) if other.state in {"undone", "undoing"})
    before = Beforehand(core, principal, f"undo of import {head.import_id}")
    undo = _Undo(core, principal, head.import_id, undone - {head.import_id}, before)
    for written in _written(core, head):
        undo.take_back(written)
    for scope in head.scopes:
        for documents in all_of_import(core, scope, head.import_id):
            core.store.apply(Batch(documents=documents))
    for document in kept.rewrite(core, head.import_id, lambda receipt: kept.emptied(receipt, UNDONE)):
        core.store.apply(Batch(documents=[document]))
    core.store.apply(Batch(documents=[head.changed(state="undone").document()]))
    return Undone(removed=undo.removed, restored=undo.restored, kept=undo.left, before=before.made[:MAX_SHOWN])


def _written(core: Core, head: ImportHead) -> Iterator[list[Change]]:
    """Yield the changes by which the import made or replaced records, page by page."""
    after = head.position
    while head.scopes and (page := core.store.changes(head.scopes, after=after, limit=_PAGE)):
        yield [change for change in page if change.operation == "import" and change.reason == head.import_id]
        after = page[-1].position


class _Verdict(NamedTuple):
    """What becomes of one record: `earlier` takes its place; without one it goes. `ours` tells whether it is the import's to undo."""

    ours: bool
    changed: bool = False
    earlier: MemoryRecord | None = None


@dataclass(slots=True)
class _Undo:
    """One import on its way out. `undone` names the imports that were taken back before."""

    core: Core
    principal: Principal
    import_id: str
    undone: frozenset[str]
    before: Beforehand
    removed: int = 0
    restored: int = 0
    left: int = 0

    def take_back(self, written: Sequence[Change]) -> None:
        """Remove what the import created and restore what it replaced, where nobody changed it since."""
        vectors = Vectors(self.core)
        for scope in dict.fromkeys(change.scope for change in written):
            first: dict[str, Change] = {}
            for change in written:
                if change.scope == scope:
                    first.setdefault(change.id, change)
            gone, back, stayed = commit(self.core, partial(self._plan, scope, first, vectors))
            self.removed, self.restored, self.left = self.removed + gone, self.restored + back, self.left + stayed

    def _plan(self, scope: str, written: Mapping[str, Change], vectors: Vectors) -> tuple[Batch, tuple[int, int, int]]:
        log = log_entry(self.core, self.principal, "undo_import", reason=self.import_id)
        gone: list[Put | Remove] = []
        back: list[Put] = []
        stayed = 0
        for record in self.core.store.get(scope, written).values():
            if record.is_tombstone:
                continue
            verdict = self._verdict(record, written[record.id])
            if not verdict.ours:
                stayed += verdict.changed
            elif verdict.earlier is None:
                gone.append(Remove(scope, record.id, log, expect=record.revision))
            else:
                restored = verdict.earlier.model_copy(update={"revision": record.revision + 1})
                back.append(put(restored, log, expect=record.revision))
        if gone or back:
            self.before.of((scope,))
        left = leaving_documents(self.core, scope) if gone else ()
        return Batch([*gone, *vectors.fill(back)], left), (len(gone), len(back), stayed)

    def _verdict(self, record: MemoryRecord, change: Change) -> _Verdict:
        if change.before is None and record.revision == change.revision:
            return _Verdict(ours=True)
        # What stands on the record: the imports that wrote it, each with the state that it found.
        stack: list[tuple[str, MemoryRecord | None]] = []
        for entry in self.core.store.history(record.scope, record.id):
            if entry.erased:
                continue
            if entry.operation == "import":
                stack.append((entry.reason or "", entry.before))
            elif entry.operation == "undo_import":
                _unwind(stack, {entry.reason or ""} | self.undone)
            elif entry.position > change.position:
                return _Verdict(ours=False, changed=True)
            else:
                stack.clear()
        if not stack or stack[-1][0] != self.import_id:
            return _Verdict(ours=False)
        return _Verdict(ours=True, earlier=_unwind(stack, {self.import_id} | self.undone))


def _unwind(stack: list[tuple[str, MemoryRecord | None]], imports: Collection[str]) -> MemoryRecord | None:
    """Take the imports off the stack's top; return the state that the last of them found."""
    earlier: MemoryRecord | None = None
    while stack and stack[-1][0] in imports:
        earlier = stack.pop()[1]
    return earlier
