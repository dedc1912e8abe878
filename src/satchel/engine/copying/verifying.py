"""Two stores compared: every record with what is kept beside it, and every entry of the change log. It must not know how a copy is made.

Usage and index entries leave no trace in the log: what has moved since a record was copied is brought up to date here, and compared again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest

from satchel.engine.copying.report import Differences
from satchel.ports import Change, IndexEntry, Store, StoredRecord, Use
from satchel.protocol.record import MemoryRecord

_PAGE = 2000

Rows = Mapping[str, StoredRecord]


class RecordComparison:
    """Goes over every scope of both stores. The target is only given usage and index entries."""

    def __init__(self, source: Store, target: Store, advance: Callable[[int], None]) -> None:
        self._source = source
        self._target = target
        self._advance = advance
        self.differences = Differences()
        self.scopes: dict[str, Mapping[str, int]] = {}
        self.records = self.tombstones = self.vectors = 0
        self._digest = hashlib.sha256()

    @property
    def fingerprint(self) -> str:
        """The sha-256 of the source's records."""
        return self._digest.hexdigest()

    def run(self) -> None:
        """Compare counts, then records."""
        self.scopes = {found.scope: dict(found.counts) for found in self._source.scopes()}
        theirs = {found.scope: dict(found.counts) for found in self._target.scopes()}
        for scope in sorted(self.scopes.keys() | theirs.keys()):
            if self.scopes.get(scope) != theirs.get(scope):
                self.differences.add(f"{scope}: counts are {theirs.get(scope, {})}, not {self.scopes.get(scope, {})}")
        for scope in self.scopes:
            after = ""
            while ours := self._source.stored_page(scope, after=after, limit=_PAGE):
                self._compare(scope, ours, self._target.stored_page(scope, after=after, limit=_PAGE))
                after = next(reversed(ours))
                self._advance(self.records + self.tombstones)

    def _compare(self, scope: str, ours: Rows, theirs: Rows) -> None:
        if ours.keys() != theirs.keys():
            # Where one is missing or too many, a page of the target ends elsewhere.
            theirs = self._target.stored(scope, ours.keys())
        if self._bring_up_to_date(scope, ours, theirs):
            theirs = self._target.stored(scope, ours.keys())
        for name, row in ours.items():
            digest = digest_of(row)
            self._digest.update(digest)
            self._count(row)
            if (problem := _problem(row, digest, theirs.get(name))) is not None:
                self.differences.add(f"{scope} {name}: {problem}")

    def _count(self, row: StoredRecord) -> None:
        if row.record.is_tombstone:
            self.tombstones += 1
        else:
            self.records += 1
        self.vectors += row.vector is not None

    def _bring_up_to_date(self, scope: str, ours: Rows, theirs: Rows) -> bool:
        pairs = [(row, theirs[name]) for name, row in ours.items() if name in theirs]
        uses = [use for row, other in pairs if (use := _missing_use(scope, row, other)) is not None]
        entries = [
            IndexEntry(scope, row.record.id, row.record.content_hash, row.terms, row.vector)
            for row, other in pairs
            if (row.terms, row.vector) != (other.terms, other.vector) and not row.record.is_tombstone
        ]
        if uses:
            self._target.touch(uses)
        if entries:
            self._target.write_index(entries)
        return bool(uses or entries)


def _missing_use(scope: str, row: StoredRecord, other: StoredRecord) -> Use | None:
    """Return the use that brings the target's usage to the maximum of both: the target may have been read since, and is ahead then."""
    ours = row.record.usage
    if ours.last_access_at is None or _has_usage_of(row, other):
        return None
    return Use(scope, row.record.id, ours.last_access_at, max(0, ours.access_count - other.record.usage.access_count))


def _has_usage_of(row: StoredRecord, other: StoredRecord) -> bool:
    """Tell whether the target has seen every use of the source."""
    theirs = other.record.usage
    return theirs.merged(row.record.usage) == theirs


def digest_of(row: StoredRecord) -> bytes:
    """Return the sha-256 of a record as it stands, without its usage."""
    return hashlib.sha256(row.record.model_dump_json(exclude={"usage"}).encode()).digest()


def _problem(row: StoredRecord, digest: bytes, other: StoredRecord | None) -> str | None:
    if other is None:
        return "is missing"
    looked_at = (
        ("content", row.record.content_hash == other.record.content_hash),
        ("record", _is_same(row, digest, other)),
        ("usage", _has_usage_of(row, other)),
        ("position", row.change == other.change),
        ("index entry", (row.terms, row.vector) == (other.terms, other.vector)),
    )
    wrong = [name for name, same in looked_at if not same]
    return f"differs in {', '.join(wrong)}" if wrong else None


def _is_same(row: StoredRecord, digest: bytes, other: StoredRecord) -> bool:
    ours, theirs = row.record, other.record
    # Free JSON can be equal and yet be written otherwise (1, 1.0, true): only there the text must tell. Usage is looked at apart.
    if not (ours.meta or theirs.meta or _is_extended(ours) or _is_extended(theirs)) and ours.usage == theirs.usage:
        return ours == theirs
    return digest == digest_of(other)


def _is_extended(record: MemoryRecord) -> bool:
    """Tell whether any part of a record has members that this version does not know."""
    parts = (record, record.source, record.access, record.relations, record.deletion)
    return any(part is not None and part.__pydantic_extra__ for part in parts)


# ---------------------------------------------------------------- the log


class LogComparison:
    """Goes over both change logs."""

    def __init__(self, source: Store, target: Store, advance: Callable[[int], None]) -> None:
        self._source = source
        self._target = target
        self._advance = advance
        self.differences = Differences()
        self.entries = self.erased = 0

    def run(self) -> None:
        """Compare them entry by entry."""
        for ours, theirs in zip_longest(entries_of(self._source), entries_of(self._target)):
            if ours is not None:
                self.entries += 1
                self.erased += ours.erased
                if self.entries % _PAGE == 0:
                    self._advance(self.entries)
            if ours != theirs:
                self._tell(ours, theirs)

    def _tell(self, ours: Change | None, theirs: Change | None) -> None:
        either = ours or theirs
        assert either is not None
        how = "is missing" if theirs is None else "is not in the source" if ours is None else "differs"
        self.differences.add(f"log entry {either.position} ({either.scope} {either.id}): {how}")


def entries_of(store: Store) -> Iterator[Change]:
    """Yield a store's change log."""
    after = 0
    while page := store.changes(None, after=after, limit=_PAGE):
        yield from page
        after = page[-1].position
