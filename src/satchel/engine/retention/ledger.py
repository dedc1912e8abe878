"""One scope as a maintenance pass sees it: what decides over each record, in arrays, and what the pass has changed of it so far.

A dry run and a real one look at the same ledger, so that the one foretells the other. It must not know why anything is changed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satchel.engine.core import Core
from satchel.engine.index.scope_index import ORIGIN_CODES, STATUS_CODES
from satchel.engine.retention.scoring import Life
from satchel.ports import IndexRow, Position
from satchel.protocol.record import MemoryRecord

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

ACTIVE, PENDING, ARCHIVED = (STATUS_CODES[name] for name in ("active", "pending", "archived"))

_CHUNK = 2000


@dataclass(eq=False, slots=True)
class Ledger:
    """Columns with one entry a record; times are Unix seconds. `vectors` are kept only where they were asked for."""

    scope: str
    position: Position
    ids: list[str]
    types: list[str]
    status: NDArray[np.uint8]
    origin: NDArray[np.uint8]
    life: Life
    updated: Floats
    expires: Floats
    prints: NDArray[np.uint32]
    """A checksum of each record's terms: equal contents have equal ones."""

    vectors: list[bytes | None] = field(default_factory=list)
    _rows: dict[str, int] | None = None

    @classmethod
    def load(cls, core: Core, scope: str, *, vectors: bool = False) -> Ledger:
        """Read a scope, a part at a time: rows in the order of ids, so that every store gives the same."""
        part = core.store.index_slice(scope)
        names: list[tuple[str, str]] = []
        columns: list[NDArray[np.float64]] = []
        prints: list[int] = []
        blobs: list[bytes | None] = []
        waiting = iter(part.rows)
        while rows := list(islice(waiting, _CHUNK)):
            columns.append(np.array([_figures(row) for row in rows], np.float64))
            names += [(row.id, row.type) for row in rows]
            prints += [zlib.crc32(row.terms) for row in rows]
            if vectors:
                blobs += [row.vector for row in rows]
        order = sorted(range(len(names)), key=lambda row: names[row][0])
        table = np.concatenate(columns)[order] if columns else np.empty((0, _COLUMNS))
        return cls(
            scope,
            part.position,
            [names[row][0] for row in order],
            [names[row][1] for row in order],
            table[:, 0].astype(np.uint8),
            table[:, 1].astype(np.uint8),
            Life(
                score=table[:, 2].copy(),
                access_count=table[:, 3].astype(np.int64),
                accessed=table[:, 4].copy(),
                stored=table[:, 5].copy(),
                moment=table[:, 6].copy(),
                half_life=table[:, 7].copy(),
                pinned=table[:, 8] != 0,
            ),
            table[:, 9].copy(),
            table[:, 10].copy(),
            np.array(prints, np.uint32)[order] if order else np.empty(0, np.uint32),
            [blobs[row] for row in order] if vectors else [],
        )

    def __len__(self) -> int:
        """Return the number of records, those that are archived included."""
        return len(self.ids)

    def rows(self, mask: Mask) -> Rows:
        """Return the rows of a mask."""
        return np.flatnonzero(mask)

    @property
    def active(self) -> Mask:
        """Return which records are active now."""
        found: Mask = self.status == ACTIVE
        return found

    def row_of(self, record_id: str) -> int | None:
        """Return a record's row."""
        if self._rows is None:
            self._rows = {name: row for row, name in enumerate(self.ids)}
        return self._rows.get(record_id)

    def ids_of(self, rows: Iterable[int]) -> list[str]:
        """Return the ids of rows, in their order."""
        return [self.ids[row] for row in rows]

    # ------------------------------------------------------------ what the pass does

    def changed(self, record: MemoryRecord) -> None:
        """Take note of what a record is to be from now on; one that is new is added."""
        row = self.row_of(record.id)
        if row is None:
            self._add(record)
            return
        self.status[row] = STATUS_CODES[record.status.value]
        self.life.score[row] = record.score
        self.life.half_life[row] = record.half_life
        self.life.pinned[row] = record.pinned
        self.updated[row] = record.updated_at.timestamp()
        self.expires[row] = np.inf if record.expires_at is None else record.expires_at.timestamp()

    def _add(self, record: MemoryRecord) -> None:
        figures = np.array(_record_figures(record))
        self.ids.append(record.id)
        self.types.append(record.type)
        if self._rows is not None:
            self._rows[record.id] = len(self.ids) - 1
        self.status = np.append(self.status, np.uint8(figures[0]))
        self.origin = np.append(self.origin, np.uint8(figures[1]))
        life = self.life
        self.life = Life(
            score=np.append(life.score, figures[2]),
            access_count=np.append(life.access_count, np.int64(figures[3])),
            accessed=np.append(life.accessed, figures[4]),
            stored=np.append(life.stored, figures[5]),
            moment=np.append(life.moment, figures[6]),
            half_life=np.append(life.half_life, figures[7]),
            pinned=np.append(life.pinned, record.pinned),
        )
        self.updated = np.append(self.updated, figures[9])
        self.expires = np.append(self.expires, figures[10])
        self.prints = np.append(self.prints, np.uint32(0))

    def erased(self, record_id: str) -> None:
        """Take note that a record is gone."""
        row = self.row_of(record_id)
        if row is not None:
            self.status[row] = 255

    def used(self, record_id: str, at: float, count: int) -> None:
        """Take note of usage that came to a record."""
        row = self.row_of(record_id)
        if row is not None:
            self.life.accessed[row] = max(self.life.accessed[row], at)
            self.life.access_count[row] += count


_COLUMNS = 11


def _figures(row: IndexRow) -> tuple[Any, ...]:
    return (
        STATUS_CODES[row.status], ORIGIN_CODES[row.origin], row.score, row.access_count, row.accessed, row.stored, row.moment,
        row.half_life, row.pinned, row.updated, row.expires,
    )  # fmt: skip


def _record_figures(record: MemoryRecord) -> tuple[Any, ...]:
    used = record.usage.last_access_at
    moment = record.created_at or record.stored_at
    return (
        STATUS_CODES[record.status.value], ORIGIN_CODES[record.source.origin.value], record.score, record.usage.access_count,
        used.timestamp() if used else 0.0, record.stored_at.timestamp(), moment.timestamp(), record.half_life, record.pinned,
        record.updated_at.timestamp(), np.inf if record.expires_at is None else record.expires_at.timestamp(),
    )  # fmt: skip
