"""Records close in topic to those that were used: their last use moves a part of the way to the present (RET-3).

Close means far above what is usual in the scope, so that no embedder's scale is needed. It must not know what counts as use, or how
usage is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import numpy as np

from satchel.engine.index.nearness import Fetched
from satchel.engine.index.reach import IndexLost
from satchel.engine.index.scope_index import STATUS_CODES, ScopeIndex
from satchel.engine.settings import Settings
from satchel.ports import Use

MOST_USED = 16
"""Records of one scope whose neighbours are looked for at a time, the last used first."""

_DEVIATIONS = 2.5
_TO_DEVIATION = 1.4826
"""From the median distance to the median, which a few near records do not move, to the standard deviation of a normal distribution."""

_FEWEST = 8
_MOST_SAMPLED = 1_000
_LEAST_SECONDS = 3600.0
"""A move that is smaller is not worth a write."""

_ACTIVE = STATUS_CODES["active"]


def neighbour_uses(index: ScopeIndex, scope: str, uses: Iterable[Use], settings: Settings) -> list[Use]:
    """Return the uses that refresh the neighbours of used records, with a count of 0; none where there are no vectors."""
    last = {use.id: use.at.timestamp() for use in uses}
    if not (index.dimension and settings.neighbours and settings.neighbour_share):
        return []
    columns = index.columns
    among = index.alive & columns.has_vector & (columns.status == _ACTIVE) & ~columns.pinned
    among[index.rows_of(last)] = False
    if np.count_nonzero(among) < _FEWEST:
        return []
    try:
        moved = _moved(index, last, among, settings)
    except IndexLost:
        return []
    columns = index.columns
    return [
        Use(scope, index.ids[row], datetime.fromtimestamp(at, UTC), 0)
        for row, at in sorted(moved.items())
        if at - max(float(columns.accessed[row]), float(columns.stored[row])) >= _LEAST_SECONDS
    ]


def _moved(index: ScopeIndex, last: Mapping[str, float], among: np.ndarray, settings: Settings) -> dict[int, float]:
    """Return the neighbours of used records, with the moment that their last use moves to."""
    columns = index.columns
    fetched: Fetched = {}
    moved: dict[int, float] = {}
    for name, at in sorted(last.items(), key=lambda entry: -entry[1])[:MOST_USED]:
        for row in _nearest(index, name, among, settings.neighbours, fetched):
            since = max(float(columns.accessed[row]), float(columns.stored[row]))
            moved[row] = max(moved.get(row, 0.0), since + settings.neighbour_share * (at - since))
    return moved


def _nearest(index: ScopeIndex, name: str, among: np.ndarray, count: int, fetched: Fetched) -> list[int]:
    rows = index.rows_of((name,))
    if not len(rows) or not index.columns.has_vector[rows[0]]:
        return []
    vector = index.vectors.row(index, int(rows[0]), fetched)
    nearness = None if vector is None else index.nearness(vector, fetched)
    if nearness is None:
        return []
    usual = nearness.of(_sample(among))
    middle = float(np.median(usual))
    bound = middle + _DEVIATIONS * _TO_DEVIATION * float(np.median(np.abs(usual - middle)))
    near = nearness.nearest(among, count)
    cosines = nearness.of(near)
    near, cosines = near[cosines >= bound], cosines[cosines >= bound]
    return [int(row) for row in near[np.lexsort((near, -cosines))][:count]]


def _sample(among: np.ndarray) -> np.ndarray:
    """Return the rows of a mask, of many an even sample: what is usual needs no more."""
    rows = np.flatnonzero(among)
    return rows if len(rows) <= _MOST_SAMPLED else rows[np.linspace(0, len(rows) - 1, _MOST_SAMPLED).astype(np.intp)]
