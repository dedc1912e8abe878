"""`import`: a verified package goes through the write path in batches, ids and times kept, no encoder run (PRO-10).

It owns order, counts and receipts; it must not know how one record is judged or what a package looks like.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, islice

from satchel.engine.access import require_write
from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.erasing import erase
from satchel.engine.forgetting.lineage import lineage
from satchel.engine.forgetting.scrubbing import settle
from satchel.engine.forgetting.tombstones import Marks
from satchel.engine.forgetting.traces import PACKAGE_LINES
from satchel.engine.history.snapshots import Beforehand
from satchel.engine.moving.gate import Gate
from satchel.engine.moving.merging import Address, Arrival, Merge, tombstones_over_living
from satchel.engine.moving.receipts import ImportHead
from satchel.engine.working.arrivals import arrive
from satchel.engine.writing.committing import Vectors, commit, log_entry, put, restate
from satchel.engine.writing.completing import expiry
from satchel.errors import InvalidRequest, StoreUnavailable
from satchel.operations.models import ImportOrigin, ImportReport, ImportRequest, Receipt, ReceiptOutcome
from satchel.ports import Batch, Document, LogEntry, Position, Put
from satchel.protocol.package import Package, PackageLine, Readable, UnknownLine, read_package
from satchel.protocol.record import MemoryRecord, canonical_json, new_id
from satchel.protocol.scope import parse_scope
from satchel.protocol.working import WorkingSnapshot

_BATCH = 1000

MAX_RECEIPTS = 1000
"""Receipts given with the report; `receipts` pages through all of them."""


def import_package(core: Core, principal: Principal, request: ImportRequest, stream: Readable) -> ImportReport:
    """Take a package in.

    Raises:
        InvalidPackage, VersionError: nothing was written.
        Denied: it holds records of a scope (after `scope_map`) that may not be written; nothing was written.
    """
    with read_package(stream) as package:
        require_write(principal, {request.scope_map.get(scope, scope) for scope in package.scopes})
        return _Import(core, principal, request, package).run()


class _Import:
    """One package on its way in."""

    def __init__(self, core: Core, principal: Principal, request: ImportRequest, package: Package) -> None:
        self._core = core
        self._principal = principal
        self._request = request
        self._package = package
        self._targets = {scope: request.scope_map.get(scope, scope) for scope in package.scopes}
        positions = core.store.positions(set(self._targets.values())) if self._targets else {}
        # A scope that never was written needs no reading; the store refuses the batch where this is no longer so.
        self._unread = frozenset(scope for scope, position in positions.items() if position == Position(0, 0))
        several = len(set(self._targets.values())) < len(self._targets)
        self._origins: dict[Address, str] | None = {} if several else None
        self._gate = Gate(core)
        self._to_embed = core.settings.embed_inline
        self._counts: Counter[str] = Counter()
        self._receipts: list[Receipt] = []
        self._erased = False
        origin = ImportOrigin(kind="package", path=package.header.producer)
        position = max((position.change for position in positions.values()), default=0)
        self._head = ImportHead.new(new_id(), origin=origin, at=core.now(), position=position)
        self._head = self._head.grown((), sorted(positions))
        self._before = Beforehand(core, principal, f"import {self._head.import_id}")
        self._standing = frozenset(scope for scope, found in positions.items() if found.change)

    def run(self) -> ImportReport:
        try:
            return self._run()
        except StoreUnavailable as error:
            taken = sum(self._counts.values())
            before = f"{taken} lines were taken in before; importing the package again adds the rest" if taken else "nothing was taken in"
            raise error.adding(before) from error

    def _run(self) -> ImportReport:
        self._save(self._head)
        for kind, lines in groupby(self._lines(), key=lambda line: _kind(line[1])):
            while batch := list(islice(lines, _BATCH)):
                self._take(kind, batch)
        self._save(self._head.changed(state="complete", counts=dict(self._counts)))
        if self._erased:
            settle(self._core)
        return ImportReport(
            import_id=self._head.import_id,
            counts=dict(self._counts),
            receipts=tuple(self._receipts),
            before=self._before.made[:MAX_RECEIPTS],
        )

    def _lines(self) -> Iterator[tuple[str, PackageLine]]:
        for number, line in enumerate(self._package.lines(), start=2):
            yield f"line {number}", line

    def _save(self, head: ImportHead) -> None:
        self._head = head
        if not self._request.dry_run:
            self._core.store.apply(Batch(documents=[head.document()]))

    def _take(self, kind: str, batch: Sequence[tuple[str, PackageLine]]) -> None:
        if kind in {"tombstones", "records"}:
            self._take_records([self._arrival(item, line) for item, line in batch if isinstance(line, MemoryRecord)])
            return
        self._counts[kind] += len(batch)
        if kind == "working":
            self._take_working([(item, line) for item, line in batch if isinstance(line, WorkingSnapshot)])
            return
        documents = [document for _, line in batch for document in self._document(line)]
        if not self._request.dry_run and documents:
            self._core.store.apply(Batch(documents=documents))

    # ------------------------------------------------------------ records and tombstones

    def _arrival(self, item: str, record: MemoryRecord) -> Arrival:
        changes: dict[str, object] = {}
        if self._targets[record.scope] != record.scope:
            changes["scope"] = self._targets[record.scope]
        if record.ttl is not None and record.expires_at is None and record.created_at is None:
            # It counts from when the other store took it; this one takes it anew, and it shall not live longer for that.
            changes["expires_at"] = expiry(record.stored_at, record.ttl)
        return Arrival(item, record.scope, record.model_copy(update=changes) if changes else record)

    def _take_records(self, arrivals: Sequence[Arrival]) -> None:
        vectors = Vectors(self._core)
        log = log_entry(self._core, self._principal, "import", reason=self._head.import_id)
        tried = False

        def plan() -> tuple[Batch, tuple[Merge, ImportHead]]:
            nonlocal tried
            if tried:
                self._unread = frozenset()
            tried = True
            merge = Merge(self._core, self._gate, self._head.import_id, log.at, self._origins).take(arrivals, unread=self._unread)
            head = self._head.grown(merge.receipts, ())
            documents = [*merge.documents, *self._head.receipt_documents(merge.receipts)]
            if merge.receipts:
                documents.append(head.document())
            if self._request.dry_run:
                return Batch(), (merge, head)
            return self._batch(merge, vectors, log, documents), (merge, head)

        merge, self._head = commit(self._core, plan)
        self._done(merge)

    def _batch(self, merge: Merge, vectors: Vectors, log: LogEntry, documents: list[Document]) -> Batch:
        self._before.of(self._standing.intersection(scope for scope, _ in merge.changed))
        self._erase(list(tombstones_over_living(merge.changed)))
        marks = Marks(self._core)
        written: list[Put] = []
        rest: list[Put] = []
        for after, before in merge.changed.values():
            expect = 0 if before is None else before.revision
            if after.is_tombstone:
                documents += marks.documents(after, after)
                if before is None or before.is_tombstone:
                    rest.append(Put(after, log, expect=expect))
            elif before is not None and before.content_hash == after.content_hash:
                rest.append(restate(after, log, expect=expect))
            else:
                written.append(put(after, log, expect=expect))
        embedded = vectors.fill(written[: self._to_embed])
        self._to_embed -= len(embedded)
        documents += lineage(change.record for change in written)
        return Batch([*embedded, *written[len(embedded) :], *rest], documents)

    def _erase(self, tombstones: Sequence[MemoryRecord]) -> None:
        """Forget what was forgotten elsewhere, with everything that forgetting here takes along."""
        for scope in dict.fromkeys(record.scope for record in tombstones):
            remains = {record.id: record for record in tombstones if record.scope == scope}
            erase(self._core, self._principal, scope, set(remains), reason=None, remains=remains)
            self._erased = True

    def _done(self, merge: Merge) -> None:
        self._counts += merge.counts
        self._receipts += merge.receipts[: MAX_RECEIPTS - len(self._receipts)]
        if self._origins is not None:
            self._origins.update(merge.came_from)
        if merge.uses and not self._request.dry_run:
            self._core.store.touch(merge.uses)

    # ------------------------------------------------------------ what is no record

    def _take_working(self, batch: Sequence[tuple[str, WorkingSnapshot]]) -> None:
        refused = []
        for item, line in batch:
            scope = self._targets[line.scope]
            arriving = line.model_copy(update={"scope": scope})
            why = arrive(self._core, arriving, partial(self._gate.forbids, scope), dry_run=self._request.dry_run)
            if why is not None:
                refused.append(Receipt(item=item, outcome=ReceiptOutcome.DROPPED, reason=why, scope=scope))
        self._receipts += refused[: MAX_RECEIPTS - len(self._receipts)]
        if refused and not self._request.dry_run:
            documents = self._head.receipt_documents(refused)
            self._head = self._head.grown(refused, ())
            self._core.store.apply(Batch(documents=[*documents, self._head.document()]))

    def _document(self, line: PackageLine) -> Iterator[Document]:
        if isinstance(line, UnknownLine):
            scope = _scope_of(line)
            value = {"kind": line.kind, "value": line.value, "scopes": sorted(self._targets.values()) if scope is None else [scope]}
            yield Document(PACKAGE_LINES, hashlib.sha256(canonical_json(value)).hexdigest(), value, scope)


def _kind(line: PackageLine) -> str:
    if isinstance(line, MemoryRecord):
        return "tombstones" if line.is_tombstone else "records"
    return "working" if isinstance(line, WorkingSnapshot) else "unknown"


def _scope_of(line: UnknownLine) -> str | None:
    scope = line.value.get("scope")
    try:
        return parse_scope(scope) if isinstance(scope, str) else None
    except InvalidRequest:
        return None
