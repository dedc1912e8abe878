"""Which rows of a scope's index a request may find: its conditions as a mask, before anything is ranked (RCL-1).

It must not know scores. Conditions on `meta` are the store's to answer, for `meta` is in no index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from satchel.engine.index.scope_index import ORIGIN_CODES, STATUS_CODES, ScopeIndex
from satchel.ports import Store
from satchel.protocol.filters import RecordFilter

Mask = NDArray[np.bool_]

_PAGE = 1000


def matching(index: ScopeIndex, where: RecordFilter, now: float, *, expired: bool = False) -> Mask:
    """Return the rows that meet the filter's conditions, `where`, `ids`, `sessions` and `import_ids` apart.

    Those whose ttl is past are left out unless `expired`.
    """
    columns = index.columns
    mask = index.alive.copy() if expired else index.alive & (columns.expires > now)
    if where.statuses:
        mask &= _among(columns.status, (STATUS_CODES.get(status.value) for status in where.statuses))
    if where.types:
        mask &= _among(columns.type, (index.types.get(name) for name in where.types))
    if where.origins:
        mask &= _among(columns.origin, (ORIGIN_CODES.get(origin.value) for origin in where.origins))
    if where.since is not None:
        mask &= columns.moment >= where.since.timestamp()
    if where.until is not None:
        mask &= columns.moment < where.until.timestamp()
    if where.pinned is not None:
        mask &= columns.pinned == where.pinned
    for tag in where.tags:
        mask &= rows_mask(index, index.tagged(tag))
    return mask


def _among(column: NDArray[np.integer], codes: Iterable[int | None]) -> Mask:
    known = [code for code in codes if code is not None]
    mask: Mask = column == known[0] if len(known) == 1 else np.isin(column, known)
    return mask


def rows_mask(index: ScopeIndex, rows: NDArray[np.integer]) -> Mask:
    """Return a mask of these rows."""
    mask = np.zeros(len(index), bool)
    mask[rows] = True
    return mask


def holding(index: ScopeIndex, ids: Collection[str]) -> Mask:
    """Return the rows of these records."""
    return rows_mask(index, index.rows_of(ids))


def ids_by_scope(store: Store, scopes: Collection[str], where: RecordFilter) -> dict[str, set[str]]:
    """Return the ids of the records that match, by scope, as the store finds them."""
    found: dict[str, set[str]] = {scope: set() for scope in scopes}
    cursor: str | None = None
    while True:
        page = store.scan(scopes, where, cursor=cursor, limit=_PAGE)
        for record in page.records:
            found[record.scope].add(record.id)
        cursor = page.cursor
        if cursor is None:
            return found
