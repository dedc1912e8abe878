"""The imports that were made, their receipts, and `undo_import` (MIG-6). It must not know how an import is made."""

from __future__ import annotations

from collections.abc import Iterator

from satchel.engine import receipts as kept
from satchel.engine.access import require_write
from satchel.engine.committing import commit, log_entry
from satchel.engine.core import Core, Principal
from satchel.engine.receipts import ImportHead
from satchel.engine.traces import all_of_import
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
from satchel.ports import Batch, Change, Remove

_PAGE = 500
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
    """Take out what an import created and nobody changed since; no tombstones stay, so that the import may be run again.

    Interrupted, it goes on where it stopped when it is called again.
    """
    head = _head(core, principal, request.import_id)
    require_write(principal, head.scopes)
    if head.state == "undone":
        return Undone(removed=0, kept=0)
    core.store.apply(Batch(documents=[head.changed(state="undoing").document()]))
    removed = left = 0
    for created in _created(core, head):
        gone, stayed = _take_out(core, principal, head.import_id, created)
        removed += gone
        left += stayed
    for scope in head.scopes:
        for documents in all_of_import(core, scope, head.import_id):
            core.store.apply(Batch(documents=documents))
    for document in kept.rewrite(core, head.import_id, lambda receipt: kept.emptied(receipt, UNDONE)):
        core.store.apply(Batch(documents=[document]))
    core.store.apply(Batch(documents=[head.changed(state="undone").document()]))
    return Undone(removed=removed, kept=left)


def _created(core: Core, head: ImportHead) -> Iterator[list[Change]]:
    """Yield the changes by which the import made records, page by page."""
    after = head.position
    while head.scopes and (page := core.store.changes(head.scopes, after=after, limit=_PAGE)):
        yield [change for change in page if change.operation == "import" and change.reason == head.import_id and change.before is None]
        after = page[-1].position


def _take_out(core: Core, principal: Principal, import_id: str, created: list[Change]) -> tuple[int, int]:
    """Remove what is still as it was created; return how many went and how many stayed."""
    removed = left = 0
    for scope in dict.fromkeys(change.scope for change in created):
        revisions = {change.id: change.revision for change in created if change.scope == scope}

        def plan(scope: str = scope, revisions: dict[str, int] = revisions) -> tuple[Batch, tuple[int, int]]:
            log = log_entry(core, principal, "undo_import", reason=import_id)
            living = [record for record in core.store.get(scope, revisions).values() if not record.is_tombstone]
            same = [record.id for record in living if record.revision == revisions[record.id]]
            changes = [Remove(scope, record_id, log, expect=revisions[record_id]) for record_id in same]
            return Batch(changes), (len(same), len(living) - len(same))

        gone, stayed = commit(core, plan)
        removed, left = removed + gone, left + stayed
    return removed, left
