"""The candidates for a question, out of every lane and every scope searched, with all figures that rank and explain them.

It must not know policies or thresholds, and builds no record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satchel.engine.fusion import fuse
from satchel.engine.lanes import Measured, lexical_lane, semantic_lane, strongest_rows
from satchel.engine.relevance import LEXICAL, relevance
from satchel.engine.scope_index import ScopeIndex
from satchel.engine.scoring import Life, demoted, recencies, strengths, type_priority
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

    Figures are 0..1 but for `updated` (Unix seconds), `score` (BM25) and `cosine`.
    """

    index: NDArray[np.intp]
    ids: list[str]
    updated: Floats
    score: Floats
    cosine: Floats
    has_vector: Mask
    semantic: Floats
    lexical: Floats
    relevance: Floats
    recency: Floats
    strength: Floats
    type: Floats
    fusion_k: int

    def fused(self) -> Floats:
        """Return the candidates' order by reciprocal rank, first in both lanes 1."""
        return fuse(self.score, self.cosine if self.has_vector.any() else None, self.has_vector, k=self.fusion_k).round(_DIGITS)

    def __len__(self) -> int:
        """Return the number of candidates."""
        return len(self.ids)


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


def choose(measured: Measured, mask: Mask, strength: Floats, width: Width) -> Rows:
    """Return the rows of one index that any lane proposes."""
    lanes = (
        lexical_lane(measured, mask, width.nearest),
        semantic_lane(measured, mask, width.nearest),
        strongest_rows(measured.index, mask, strength, width.strongest),
    )
    return np.unique(np.concatenate(lanes))


def gather(
    measured: Sequence[Measured],
    masks: Sequence[Mask],
    strength: Sequence[Floats],
    width: Width,
    *,
    calibration: Calibration,
    now: float,
    settings: Settings,
) -> Pool:
    """Return the candidates of all lanes and scopes. Masks say which rows may be found, strengths are those of every row."""
    rows = [choose(one, mask, strong, width) for one, mask, strong in zip(measured, masks, strength, strict=True)]
    index = np.repeat(np.arange(len(rows)), [len(some) for some in rows])

    def column(name: str) -> NDArray[np.generic]:
        return np.concatenate([getattr(one.index.columns, name)[some] for one, some in zip(measured, rows, strict=True)])

    has_vector = np.concatenate(
        [one.index.columns.has_vector[some] & (one.cosine is not None) for one, some in zip(measured, rows, strict=True)]
    )
    cosine = np.concatenate([_cosines(one, some) for one, some in zip(measured, rows, strict=True)])
    lexical = np.concatenate([one.lexical[some] for one, some in zip(measured, rows, strict=True)]).round(_DIGITS)
    coverage = np.concatenate([one.coverage[some] for one, some in zip(measured, rows, strict=True)]).round(_DIGITS)
    probable = relevance(cosine, coverage, calibration)
    if not has_vector.all():
        probable = np.where(has_vector, probable, relevance(0.0, coverage, LEXICAL))
    return Pool(
        index=index,
        ids=[one.index.ids[row] for one, some in zip(measured, rows, strict=True) for row in some.tolist()],
        updated=column("updated").astype(np.float64),
        score=lexical,
        cosine=cosine,
        has_vector=has_vector,
        semantic=np.clip(cosine, 0.0, 1.0),
        lexical=np.clip(coverage, 0.0, 1.0),
        relevance=probable.round(_DIGITS),
        recency=recencies(column("moment").astype(np.float64), now, settings.recency_half_life),
        strength=np.minimum(np.concatenate([strong[some] for strong, some in zip(strength, rows, strict=True)]), 1.0).round(_DIGITS),
        type=np.concatenate([_priorities(one.index, some) for one, some in zip(measured, rows, strict=True)]),
        fusion_k=settings.fusion_k,
    )


def _cosines(measured: Measured, rows: Rows) -> Floats:
    if measured.cosine is None:
        return np.zeros(len(rows))
    return measured.cosine[rows].astype(np.float64).round(_COSINE_DIGITS)


def _priorities(index: ScopeIndex, rows: Rows) -> Floats:
    by_code = np.array([type_priority(name) for name in index.types] or [0.0])
    return by_code[index.columns.type[rows]]
