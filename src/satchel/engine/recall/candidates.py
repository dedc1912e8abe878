"""The candidates for a question, out of every lane and every scope searched, with all figures that rank and explain them.

It must not know policies or thresholds, and builds no record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from satchel.engine.index.scope_index import ScopeIndex
from satchel.engine.recall.fusion import deal, fuse
from satchel.engine.recall.lanes import Measured, lexical_lane, semantic_lane, strongest_rows
from satchel.engine.recall.relevance import best_relevance, lexical_relevance
from satchel.engine.retention.scoring import Life, demoted, recencies, strengths, type_priority
from satchel.engine.settings import Settings
from satchel.ports import Calibration

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

_DIGITS = 9
_COSINE_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Pool:
    """One entry a candidate, in no order that means anything.

    Figures are 0..1 but for `updated` (Unix seconds). `match` is `relevance` dealt out in the order of `fused`.
    """

    index: NDArray[np.intp]
    ids: list[str]
    updated: Floats
    semantic: Floats
    lexical: Floats
    relevance: Floats
    recency: Floats
    strength: Floats
    type: Floats
    fused: Floats
    match: Floats

    def __len__(self) -> int:
        """Return the number of candidates."""
        return len(self.ids)

    def raised(self, which: Sequence[bool], least: float) -> Pool:
        """Return the pool with the relevance of some candidates raised to at least this."""
        floor = np.where(which, least, 0.0)
        return replace(self, relevance=np.maximum(self.relevance, floor), match=np.maximum(self.match, floor))


def strengths_of(index: ScopeIndex, now: float, settings: Settings) -> Floats:
    """Return the strength of every row."""
    columns = index.columns
    life = Life(
        score=columns.score,
        access_count=columns.access_count,
        accessed=columns.accessed,
        stored=columns.stored,
        moment=columns.moment,
        half_life=columns.half_life,
        pinned=columns.pinned,
    )
    return demoted(strengths(life, now, settings), columns.expires, now, settings)


@dataclass(frozen=True, slots=True)
class Width:
    """How many rows each lane proposes in each scope; 0 turns the lane of the strongest off."""

    nearest: int
    strongest: int


def choose(seen: Sequence[Measured], mask: Mask, strength: Floats, width: Width, certain: Rows) -> Rows:
    """Return the rows of one index, as the question and its sentences see it, that any lane proposes, and the certain ones."""
    lanes = [strongest_rows(seen[0].index, mask, strength, width.strongest), certain[mask[certain]]]
    for measured in seen:
        lanes += [lexical_lane(measured, mask, width.nearest), semantic_lane(measured, mask, width.nearest)]
    return np.unique(np.concatenate(lanes))


@dataclass(frozen=True, slots=True)
class _Figures:
    """What the lanes say of the candidates: a row for the question and each of its sentences, a column a candidate."""

    lexical: Floats
    coverage: Floats
    cosine: Floats
    mismatch: Floats

    @classmethod
    def of(cls, seen: Sequence[Sequence[Measured]], rows: Sequence[Rows]) -> _Figures:
        pairs = [list(zip(measured, rows, strict=True)) for measured in zip(*seen, strict=True)]
        return cls(
            np.array([np.concatenate([one.lexical[some] for one, some in row]) for row in pairs]).round(_DIGITS),
            np.array([np.concatenate([one.coverage[some] for one, some in row]) for row in pairs]).round(_DIGITS),
            np.array([np.concatenate([_cosines(one, some) for one, some in row]) for row in pairs]),
            np.array([np.concatenate([one.mismatch(some) for one, some in row]) for row in pairs]).round(_DIGITS),
        )

    def relevance(self, has_vector: Mask, calibration: Calibration) -> Floats:
        """Return the best probability that any of the rows gives."""
        if not has_vector.any():
            probable = lexical_relevance(self.coverage)
        else:
            probable = best_relevance(self.cosine, self.coverage, calibration, self.mismatch)
            if not has_vector.all():
                probable = np.where(has_vector, probable, lexical_relevance(self.coverage))
        return np.asarray(probable.max(axis=0).round(_DIGITS))


def gather(
    seen: Sequence[Sequence[Measured]],
    masks: Sequence[Mask],
    strength: Sequence[Floats],
    width: Width,
    certain: Sequence[Rows],
    *,
    calibration: Calibration,
    now: float,
    settings: Settings,
) -> Pool:
    """Return the candidates of all lanes and scopes.

    `seen`: each index as the whole question sees it, and then each of its sentences. Masks say which rows may be found, strengths are
    those of every row. `certain`: rows of each index that are candidates whatever the lanes say.
    """
    rows = [choose(views, mask, strong, width, sure) for views, mask, strong, sure in zip(seen, masks, strength, certain, strict=True)]
    indexes = [views[0].index for views in seen]

    def column(name: str) -> NDArray[np.generic]:
        return np.concatenate([getattr(index.columns, name)[some] for index, some in zip(indexes, rows, strict=True)])

    has_vector = np.concatenate(
        [views[0].index.columns.has_vector[some] & (views[0].nearness is not None) for views, some in zip(seen, rows, strict=True)]
    )
    figures = _Figures.of(seen, rows)
    probable = figures.relevance(has_vector, calibration)
    fused = fuse(figures.lexical, figures.cosine if has_vector.any() else None, has_vector, lexical_share=settings.lexical_share).round(
        _DIGITS
    )
    return Pool(
        index=np.repeat(np.arange(len(rows)), [len(some) for some in rows]),
        ids=[index.ids[row] for index, some in zip(indexes, rows, strict=True) for row in some.tolist()],
        updated=column("updated").astype(np.float64),
        semantic=np.clip(figures.cosine.max(axis=0), 0.0, 1.0),
        lexical=np.clip(figures.coverage.max(axis=0), 0.0, 1.0),
        relevance=probable,
        recency=recencies(column("moment").astype(np.float64), now, settings.recency_half_life),
        strength=np.minimum(np.concatenate([strong[some] for strong, some in zip(strength, rows, strict=True)]), 1.0).round(_DIGITS),
        type=np.concatenate([_priorities(index, some) for index, some in zip(indexes, rows, strict=True)]),
        fused=fused,
        match=deal(probable, fused),
    )


def _cosines(measured: Measured, rows: Rows) -> Floats:
    if measured.nearness is None:
        return np.zeros(len(rows))
    return measured.nearness.of(rows).astype(np.float64).round(_COSINE_DIGITS)


def _priorities(index: ScopeIndex, rows: Rows) -> Floats:
    by_code = np.array([type_priority(name) for name in index.types] or [0.0])
    return by_code[index.columns.type[rows]]
