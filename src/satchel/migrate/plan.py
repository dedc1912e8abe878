"""What a migration is going to do: the opened source, the rules, and each item as the store will be asked to take it.

Running, dry-running and verifying all begin here, so that they cannot disagree. It must not know the store.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from satchel.migrate.catalogue import source_for
from satchel.migrate.drafting import Stamp, finish
from satchel.migrate.items import Options, Reading, SourceItem
from satchel.migrate.scoping import NO_SCOPE, ScopeMap
from satchel.migrate.times import zone_named
from satchel.operations.models import ImportItem, ImportOrigin, ReceiptOutcome
from satchel.protocol.record import MemoryRecord, canonical_json

_MAX_LABEL = 2048


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """One item: as the source gave it, and as the store is asked to take it.

    `scopes`: where it goes, or, deleted by an origin that does not say whose it was, everywhere it could have gone.
    """

    source: SourceItem
    request: ImportItem
    scopes: tuple[str, ...] = ()

    @property
    def record(self) -> MemoryRecord | None:
        """The record to be written."""
        return self.request.record


@dataclass(slots=True)
class Plan:
    """An import that has not begun. `items` may be iterated once."""

    import_id: str
    origin: ImportOrigin
    reading: Reading
    scopes: ScopeMap
    stamp: Stamp
    _ids: dict[int, int] = field(default_factory=dict)
    _labels: set[int] = field(default_factory=set)

    def items(self) -> Iterator[PlannedItem]:
        """Yield every item of the source in its order."""
        for item in self.reading.items:
            yield self._planned(item)

    def notes(self) -> list[str]:
        """Say what was detected and where things go; complete after the last item."""
        return [*self.reading.notes, *self.scopes.notes()]

    def _planned(self, item: SourceItem) -> PlannedItem:
        label = self._label(item.item)
        owner = item.draft.owner if item.draft else item.owner
        scope = self.scopes.resolve(owner, count=item.draft is not None) if item.draft or item.deleted_at_origin else None
        scopes = (scope,) if scope else ()
        if item.draft is None:
            return PlannedItem(
                item, ImportItem(item=label, outcome=item.outcome, reason=_said(item.reason)), scopes or self.scopes.targets()
            )
        if scope is None:
            whose = ", ".join(f"{kind} {name}" for kind, name in owner.items())
            return self._refused(item, label, f"no rule says where what belongs to {whose} goes" if whose else f"the item {NO_SCOPE}")
        drafted = finish(label, item.draft, scope, self.stamp)
        if drafted.record is None:
            empty = drafted.problem == "has no content"
            outcome = ReceiptOutcome.DROPPED if empty else ReceiptOutcome.QUARANTINED
            return PlannedItem(item, ImportItem(item=label, outcome=outcome, reason=_said(drafted.problem)), scopes)
        twin = self._twin(drafted.record)
        if twin:
            request = ImportItem(item=label, record=drafted.record, outcome=ReceiptOutcome.QUARANTINED, reason=_said(twin))
            return PlannedItem(item, request, scopes)
        outcome = ReceiptOutcome.TRANSFORMED if drafted.altered else ReceiptOutcome.ACCEPTED
        return PlannedItem(
            item, ImportItem(item=label, record=drafted.record, outcome=outcome, changes=tuple(map(_storable, drafted.changes))), scopes
        )

    def _refused(self, item: SourceItem, label: str, reason: str) -> PlannedItem:
        return PlannedItem(item, ImportItem(item=label, outcome=ReceiptOutcome.QUARANTINED, reason=_said(reason)))

    def _twin(self, record: MemoryRecord) -> str | None:
        """Say what is wrong where the source gave the id before. Hashes are kept, not ids, for a source may have millions."""
        key, content = hash((record.scope, record.id)), hash(record.content_hash)
        if self._ids.setdefault(key, content) != content:
            return f"the id {record.id[:200]} stands twice in the source, with different contents"
        return None

    def _label(self, label: str) -> str:
        """Make labels unique, for receipts are found by them."""
        label = _storable(label)[: _MAX_LABEL - 16]
        unique, number = label, 1
        while hash(unique) in self._labels:
            number += 1
            unique = f"{label} ({number})"
        self._labels.add(hash(unique))
        return unique


def make_plan(
    kind: str,
    path: str | Path,
    *,
    scope: str | None = None,
    tz: str | None = None,
    mapping: Mapping[str, str] | None = None,
    scope_map: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> Plan:
    """Open a source and settle the rules. Nothing is written.

    The import's id follows from the kind, the place, the bytes and the rules: the same move again is the same import.
    Raises InvalidRequest where the source cannot be read, or nobody says whose the memories are.
    """
    place = Path(path).expanduser().absolute()
    source = source_for(kind)
    scopes = ScopeMap(kind, scope, dict(scope_map or {}))
    options = Options(zone_named(tz) if tz else None, dict(mapping or {}))
    reading = source.read(place, options)
    scopes.require(reading.names_owners)
    said: dict[str, Any] = {"tz": tz, "mapping": dict(mapping or {}), "scope_map": dict(scopes.rules)}
    said = {name: value for name, value in said.items() if value}
    origin = ImportOrigin(kind=kind, path=_storable(str(place)), scope=scopes.scope, digest=reading.digest(), options=said)
    import_id = f"{kind}-{hashlib.sha256(canonical_json(origin.model_dump(mode='json'))).hexdigest()[:16]}"
    return Plan(import_id, origin, reading, scopes, Stamp(kind, import_id, now or datetime.now(UTC)))


def plan_again(import_id: str, origin: ImportOrigin, *, now: datetime | None = None) -> Plan:
    """Open the source of an import as it was opened then. Raises InvalidRequest where it is no longer there or no longer readable."""
    said = origin.options
    plan = make_plan(
        origin.kind,
        origin.path,
        scope=origin.scope,
        tz=said.get("tz"),
        mapping=said.get("mapping"),
        scope_map=said.get("scope_map"),
        now=now,
    )
    plan.stamp = Stamp(origin.kind, import_id, plan.stamp.now)
    return plan


def _storable(text: str) -> str:
    """Take out what a receipt could not keep: what is wrong with a source is often just that."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


def _said(reason: str | None) -> str | None:
    return None if reason is None else _storable(reason)[:_MAX_LABEL]
