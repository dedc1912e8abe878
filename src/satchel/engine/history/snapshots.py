"""Snapshots of a scope (OBS-2): names for positions in its change log, made by hand and before large changes. Nothing is copied.

It must not know how the records at a position are found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count

from satchel.engine.core import Core, Principal
from satchel.engine.history.timetravel import Standpoint
from satchel.engine.writing.committing import commit
from satchel.errors import Conflict, NotFound
from satchel.operations.models import NOW, DropSnapshotRequest, Snapshot, SnapshotRequest, Snapshots, SnapshotsRequest
from satchel.ports import Batch, Document

SNAPSHOTS = "snapshots"
"""Documents keyed by scope and name."""


def snapshot(core: Core, principal: Principal, request: SnapshotRequest) -> Snapshot:
    """Name the present state. The same name again is the same snapshot while nothing has changed since.

    Raises:
        Conflict: the name is that of an earlier state.
    """

    def plan() -> tuple[Batch, Snapshot]:
        held = None if request.name is None else load(core, request.scope, request.name)
        new = _present(core, principal, request.scope, request.name or _unused(core, request.scope, ""), request.reason)
        if held is None:
            return Batch(documents=[_document(new)]), new
        if held.position != new.position:
            raise Conflict(f"there is a snapshot {held.name!r} of an earlier state", name=held.name, scope=held.scope)
        return Batch(), held

    return commit(core, plan)


def snapshots(core: Core, principal: Principal, request: SnapshotsRequest) -> Snapshots:
    """Return the snapshots of these scopes, the oldest first."""
    found = [one for scope in request.scope for one in of_scope(core, scope)]
    return Snapshots(snapshots=tuple(sorted(found, key=lambda one: (one.at, one.position, one.scope, one.name))))


def drop_snapshot(core: Core, principal: Principal, request: DropSnapshotRequest) -> Snapshot:
    """Take a snapshot's name away; the records and their log stay as they are. Raises NotFound where there is none of that name."""
    found = _named(core, request.scope, request.name)
    core.store.apply(Batch(documents=[_gone(found)]))
    return found


class Beforehand:
    """Names the state of each scope once, before the first of the changes that one call makes to it."""

    def __init__(self, core: Core, principal: Principal, reason: str) -> None:
        self._core = core
        self._principal = principal
        self._reason = reason
        self._made: dict[str, Snapshot | None] = {}

    def of(self, scopes: Collection[str]) -> None:
        """Say that these scopes are about to be changed."""
        for scope in sorted(set(scopes) - self._made.keys()):
            self._made[scope] = snapshot_before(self._core, self._principal, scope, self._reason)

    @property
    def made(self) -> tuple[Snapshot, ...]:
        """The snapshots of the scopes that held something, in order of scope."""
        return tuple(one for _, one in sorted(self._made.items()) if one is not None)


def snapshot_before(core: Core, principal: Principal, scope: str, reason: str) -> Snapshot | None:
    """Name the present state before a large change, so that it can be undone; the oldest of such snapshots beyond the setting go.

    Where the last one is of this very state, it is returned. None: the scope never held anything.
    """

    def plan() -> tuple[Batch, Snapshot | None]:
        before = sorted((one for one in of_scope(core, scope) if one.automatic), key=lambda one: (one.position, one.at, one.name))
        new = _present(core, principal, scope, _unused(core, scope, "before-"), reason, automatic=True)
        if new.position == 0:
            return Batch(), None
        if before and before[-1].position == new.position:
            return Batch(), before[-1]
        surplus = before[: max(0, len(before) + 1 - core.settings.automatic_snapshots)]
        return Batch(documents=[_document(new), *map(_gone, surplus)]), new

    return commit(core, plan)


def load(core: Core, scope: str, name: str) -> Snapshot | None:
    """Return one snapshot."""
    value = core.store.document(SNAPSHOTS, _key(scope, name))
    return None if value is None else Snapshot.model_validate({**value, "scope": scope})


def standpoint(core: Core, scope: str, name: str) -> Standpoint:
    """Return where a name stands in the log. Raises NotFound where the scope has no such snapshot."""
    if name == NOW:
        return Standpoint(core.store.positions((scope,))[scope].change)
    found = _named(core, scope, name)
    return Standpoint(found.position, found.logs)


def moved(core: Core, one: Snapshot, to: str) -> list[Document]:
    """Return the documents that take a snapshot along into another scope; where its name is taken there, it gets a number."""
    free = (one.name if number == 1 else f"{one.name}-{number}" for number in count(1))
    name = next(name for name in free if load(core, to, name) is None)
    return [_gone(one), _document(one.model_copy(update={"scope": to, "name": name, "logs": (*one.logs, one.scope)}))]


def telling(core: Core, scope: str, texts: Collection[str]) -> list[Document]:
    """Return the documents without which no snapshot of a scope has these texts in its reason or, going with it, in its name."""
    found: list[Document] = []
    for one in of_scope(core, scope):
        if any(text in one.name for text in texts):
            found.append(_gone(one))
        elif any(text in (one.reason or "") for text in texts):
            value = one.model_copy(update={"reason": None}).model_dump(mode="json")
            found.append(Document(SNAPSHOTS, _key(scope, one.name), value, scope))
    return found


def _named(core: Core, scope: str, name: str) -> Snapshot:
    found = load(core, scope, name)
    if found is None:
        raise NotFound(f"no snapshot {name!r} in {scope}", name=name, scope=scope)
    return found


def of_scope(core: Core, scope: str) -> Iterator[Snapshot]:
    """Yield the snapshots of a scope, by name."""
    after: str | None = None
    while page := core.store.documents(SNAPSHOTS, prefix=f"{scope}\n", after=after):
        yield from (Snapshot.model_validate({**document.value, "scope": scope}) for document in page if document.value)
        after = page[-1].key


def _present(core: Core, principal: Principal, scope: str, name: str, reason: str | None, *, automatic: bool = False) -> Snapshot:
    position = core.store.positions((scope,))[scope].change
    return Snapshot(name=name, scope=scope, position=position, at=core.now(), by=principal.agent, reason=reason, automatic=automatic)


def _unused(core: Core, scope: str, prefix: str) -> str:
    name = f"{prefix}{core.now():%Y%m%dT%H%M%S}"
    numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(one for one in numbered if load(core, scope, one) is None)


def _key(scope: str, name: str) -> str:
    return f"{scope}\n{name}"


def _document(new: Snapshot) -> Document:
    return Document(SNAPSHOTS, _key(new.scope, new.name), new.model_dump(mode="json"), new.scope, expect=0)


def _gone(one: Snapshot) -> Document:
    return Document(SNAPSHOTS, _key(one.scope, one.name), None)
