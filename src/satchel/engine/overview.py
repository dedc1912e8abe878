"""What there is: scopes, counts, the state of the index. It must not know what is wrong with any of it."""

from __future__ import annotations

from collections import Counter

from satchel.engine.access import restricted
from satchel.engine.core import Core, Principal
from satchel.engine.embedding import index_embedder
from satchel.engine.recall_log import rates
from satchel.engine.scrubbing import is_pending
from satchel.operations.models import ScopeInfo, ScopeList, ScopesRequest, Stats, StatsRequest
from satchel.ports import ScopeCount


def scopes(core: Core, principal: Principal, request: ScopesRequest) -> ScopeList:
    """Return the scopes that the caller may read, in order."""
    return ScopeList(scopes=tuple(ScopeInfo(scope=found.scope, counts=dict(found.counts)) for found in _readable(core, principal)))


def _readable(core: Core, principal: Principal) -> list[ScopeCount]:
    return [found for found in core.store.scopes() if principal.readable((found.scope,))]


def stats(core: Core, principal: Principal, request: StatsRequest) -> Stats:
    """Count the records of these scopes, or of all that the caller may read; tombstones are counted by status only."""
    wanted = None if request.scope is None else set(request.scope)
    found = [count for count in _readable(core, principal) if wanted is None or count.scope in wanted]
    by_status: Counter[str] = Counter()
    by_type: Counter[str] = Counter()
    unindexed = 0
    for count in found:
        by_status.update(count.counts)
        for row in core.store.index_slice(count.scope).rows:
            by_type[row.type] += 1
            unindexed += row.vector is None
    names = [count.scope for count in found]
    positions = core.store.positions(names) if names else {}
    recalls = [rates(core, name) for name in names]
    recalled, used = sum(one.returned for one in recalls), sum(one.used for one in recalls)
    return Stats(
        scopes=len(found),
        records=sum(by_type.values()),
        by_status=dict(by_status),
        by_type=dict(sorted(by_type.items())),
        unindexed=unindexed,
        embedder=core.embedder.name if core.embedder else None,
        index_embedder=index_embedder(core),
        store="" if restricted(principal) else core.store.location,
        scrub_pending=is_pending(core),
        position=max((position.change for position in positions.values()), default=0),
        recalled=recalled,
        used=used,
        hit_rate=used / recalled if used else None,
    )
