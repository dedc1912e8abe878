"""What there is: scopes, counts, the state of the index. It must not know what is wrong with any of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from satchel.engine.access import restricted
from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.scrubbing import is_pending
from satchel.engine.index.embedding import index_embedder
from satchel.engine.recall.recall_log import rates
from satchel.operations.models import ScopeInfo, ScopeList, ScopesRequest, Stats, StatsRequest
from satchel.ports import Position, ScopeCount


def scopes(core: Core, principal: Principal, request: ScopesRequest) -> ScopeList:
    """Return the scopes that the caller may read, in order."""
    return ScopeList(scopes=tuple(ScopeInfo(scope=found.scope, counts=dict(found.counts)) for found in _readable(core, principal)))


def _readable(core: Core, principal: Principal) -> list[ScopeCount]:
    return [found for found in core.store.scopes() if principal.readable((found.scope,))]


@dataclass(frozen=True, slots=True)
class _Tally:
    """What a scope's index rows come to at a position."""

    position: Position
    types: Counter[str]
    unindexed: int


class Overview:
    """Handles `stats`; a scope that has not changed is not counted again. One per engine."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._tallies: dict[str, _Tally] = {}

    def stats(self, principal: Principal, request: StatsRequest) -> Stats:
        """Count the records of these scopes, or of all that the caller may read; tombstones are counted by status only."""
        core = self._core
        wanted = None if request.scope is None else set(request.scope)
        found = [count for count in _readable(core, principal) if wanted is None or count.scope in wanted]
        names = [count.scope for count in found]
        positions = core.store.positions(names) if names else {}
        tallies = [self._tally(name, positions[name]) for name in names]
        by_status: Counter[str] = Counter()
        for count in found:
            by_status.update(count.counts)
        by_type = sum((tally.types for tally in tallies), Counter[str]())
        recalls = [rates(core, name) for name in names]
        recalled, used = sum(one.returned for one in recalls), sum(one.used for one in recalls)
        return Stats(
            scopes=len(found),
            records=by_type.total(),
            by_status=dict(by_status),
            by_type=dict(sorted(by_type.items())),
            unindexed=sum(tally.unindexed for tally in tallies),
            embedder=core.embedder.name if core.embedder else None,
            index_embedder=index_embedder(core),
            store="" if restricted(principal) else core.store.location,
            scrub_pending=is_pending(core),
            position=max((position.change for position in positions.values()), default=0),
            recalled=recalled,
            used=used,
            hit_rate=used / recalled if used else None,
        )

    def _tally(self, scope: str, position: Position) -> _Tally:
        known = self._tallies.get(scope)
        if known is not None and known.position == position:
            return known
        held = self._core.store.index_slice(scope)
        types: Counter[str] = Counter()
        unindexed = 0
        for row in held.rows:
            types[row.type] += 1
            unindexed += row.vector is None
        self._tallies[scope] = _Tally(held.position, types, unindexed)
        return self._tallies[scope]
