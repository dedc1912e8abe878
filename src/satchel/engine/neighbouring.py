"""Records close in topic to those that were used: their last use moves a part of the way to the present (RET-3).

Close means far above what is usual in the scope, so that no embedder's scale is needed. It must not know what counts as use, or how
usage is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import numpy as np

from satchel.engine.scope_index import STATUS_CODES, ScopeIndex
from satchel.engine.settings import Settings
from satchel.ports import Use

MOST_USED = 16
"""Records of one scope whose neighbours are looked for at a time, the last used first."""

_DEVIATIONS = 2.5
_TO_DEVIATION = 1.4826
"""From the median distance to the median, which a few near records do not move, to the standard deviation of a normal distribution."""

_FEWEST = 8
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
    moved: dict[int, float] = {}
    for name, at in sorted(last.items(), key=lambda entry: -entry[1])[:MOST_USED]:
        for row in _nearest(index, name, among, settings.neighbours):
            since = max(float(columns.accessed[row]), float(columns.stored[row]))
            moved[row] = max(moved.get(row, 0.0), since + settings.neighbour_share * (at - since))
    return [
        Use(scope, index.ids[row], datetime.fromtimestamp(at, UTC), 0)
        for row, at in sorted(moved.items())
        if at - max(float(columns.accessed[row]), float(columns.stored[row])) >= _LEAST_SECONDS
    ]


def _nearest(index: ScopeIndex, name: str, among: np.ndarray, count: int) -> list[int]:
    rows = index.rows_of((name,))
    if not len(rows) or not index.columns.has_vector[rows[0]]:
        return []
    cosines = index.vectors.products(index.vectors.matrix[rows[0]], len(index))
    usual = cosines[among]
    middle = float(np.median(usual))
    bound = middle + _DEVIATIONS * _TO_DEVIATION * float(np.median(np.abs(usual - middle)))
    near = np.flatnonzero(among & (cosines >= bound))
    return [int(row) for row in near[np.argsort(-cosines[near], kind="stable")][:count]]
