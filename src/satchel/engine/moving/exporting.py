"""`export`: one state of the store as a package, streamed in constant memory (PRO-10). It must not know the package's spelling.

Keyed hashes, vectors and index entries never leave. Sensitive records leave only on demand; the trailer says how many stayed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import satchel
from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.traces import PACKAGE_LINES
from satchel.engine.streaming import in_one_thread
from satchel.engine.working.saving import every_snapshot
from satchel.operations.models import ExportRequest
from satchel.ports import Position
from satchel.protocol.filters import RecordFilter
from satchel.protocol.package import Header, PackageLine, UnknownLine, compress, write_package
from satchel.protocol.record import MemoryRecord, Sensitivity, Status
from satchel.protocol.working import WorkingSnapshot

_PAGE = 500
_TOMBSTONES = RecordFilter(statuses=(Status.DELETED,))
_LIVING = RecordFilter(statuses=(Status.ACTIVE, Status.PENDING, Status.ARCHIVED))


def export(core: Core, principal: Principal, request: ExportRequest, *, flush: Callable[[], None]) -> Iterator[bytes]:
    """Yield a package of what the principal may read. `flush` writes the usage gathered so far."""
    flush()

    def produce() -> Iterator[bytes]:
        with core.store.reading():
            yield from _Export(core, principal, request).chunks()

    return in_one_thread(produce)


class _Export:
    """One export, inside one state of the store."""

    def __init__(self, core: Core, principal: Principal, request: ExportRequest) -> None:
        self._core = core
        self._principal = principal
        self._request = request
        held = [found.scope for found in core.store.scopes()]
        self._scopes = principal.readable(held if request.scope is None else request.scope)
        self._whole = request.everything and principal.read is None
        self._remarks: dict[str, Counter[str]] = {}

    def chunks(self) -> Iterator[bytes]:
        positions = self._core.store.positions(self._scopes) if self._scopes else {}
        header = Header(
            producer=f"satchel {satchel.__version__}",
            created_at=self._core.now(),
            scopes=None if self._whole else self._scopes,
            complete=self._request.since is None,
            since=self._request.since,
            position=self._settled(positions),
        )
        written = write_package(header, self._lines(), self._remarks)
        return compress(written) if self._request.compressed else written

    def _settled(self, positions: Mapping[str, Position]) -> int:
        """Return the last position that nothing under way can come before: where the next incremental export goes on."""
        for place in sorted({position.change for position in positions.values()}, reverse=True):
            if not place or self._core.store.changes(self._scopes, after=place - 1, limit=1):
                return place
        return 0

    def _lines(self) -> Iterator[PackageLine]:
        if self._scopes:
            changed = None if self._request.since is None else self._changed(self._request.since)
            yield from self._records(_TOMBSTONES, changed)
            yield from filter(self._may_leave, self._records(_LIVING, changed))
        if self._request.working:
            yield from self._working()
        yield from self._unknown()

    def _records(self, where: RecordFilter, changed: dict[str, set[str]] | None) -> Iterator[MemoryRecord]:
        if changed is None:
            yield from self._scan(where)
            return
        for scope in sorted(changed):
            for ids in _chunks(sorted(changed[scope]), _PAGE):
                found = self._core.store.get(scope, ids)
                yield from (found[record_id] for record_id in ids if record_id in found and where.matches(found[record_id]))

    def _scan(self, where: RecordFilter) -> Iterator[MemoryRecord]:
        cursor: str | None = None
        while True:
            page = self._core.store.scan(self._scopes, where, cursor=cursor, limit=_PAGE)
            yield from page.records
            cursor = page.cursor
            if cursor is None:
                return

    def _changed(self, since: int) -> dict[str, set[str]]:
        """Return the ids by scope that changed after a position."""
        found: dict[str, set[str]] = {}
        while page := self._core.store.changes(self._scopes, after=since, limit=1000):
            for change in page:
                found.setdefault(change.scope, set()).add(change.id)
            since = page[-1].position
        return found

    def _may_leave(self, record: MemoryRecord) -> bool:
        if not record.access.exportable:
            return self._leave_out("not_exportable")
        if record.access.sensitivity is not Sensitivity.NORMAL and not self._request.include_sensitive:
            return self._leave_out(record.access.sensitivity.value)
        return True

    def _leave_out(self, why: str) -> bool:
        self._remarks.setdefault("left_out", Counter())[why] += 1
        return False

    def _working(self) -> Iterator[WorkingSnapshot]:
        # With everything, also of scopes that hold nothing else.
        for scope in (None,) if self._request.scope is None else self._scopes:
            yield from (found for found in every_snapshot(self._core, scope) if self._principal.readable((found.scope,)))

    def _unknown(self) -> Iterator[UnknownLine]:
        """Yield lines of other versions whose package was of these scopes only."""
        allowed = set(self._scopes)
        after: str | None = None
        while page := self._core.store.documents(PACKAGE_LINES, after=after, limit=100):
            for document in page:
                value = document.value or {}
                if self._whole or (value["scopes"] and allowed.issuperset(value["scopes"])):
                    yield UnknownLine(value["kind"], value["value"])
            after = page[-1].key


def _chunks(items: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (items[start : start + size] for start in range(0, len(items), size))
