"""How much a record's words say about a question (BM25), and how the lexical and the semantic order become one.

It owns those formulas over arrays; it must not know records, thresholds or policies. Scores order candidates; only relevance is absolute.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

K1 = 0.9
"""How soon a term's repetition in one memory stops counting."""

B = 0.5
"""How much a memory's length counts against it, 0 to 1."""

FUSION_K = 5
"""Constant of the reciprocal ranks: the smaller, the more the first places of each lane count."""


def inverse_frequency(holders: NDArray[np.integer], documents: int) -> Floats:
    """Return BM25's idf of terms that so many of the documents hold; above 0 for every term."""
    return np.log1p((documents - holders + 0.5) / (holders + 0.5))


def bm25(
    frequencies: NDArray[np.integer], lengths: NDArray[np.integer], weights: Floats, mean_length: float, *, k1: float = K1, b: float = B
) -> Floats:
    """Return each posting's contribution to its record's score (Robertson and Zaragoza 2009, 3.15); sum them by record.

    One entry a posting: how often the term occurs in the record, the record's length, and the term's weight (idf, times that of the query).
    """
    damping = k1 * (1.0 - b + b / max(mean_length, 1e-9) * lengths)
    return weights * (k1 + 1.0) * frequencies / (frequencies + damping)


def ranks(scores: Floats, present: NDArray[np.bool_]) -> Floats:
    """Return each candidate's place in descending order of score, from 1; equal scores share the better place; inf where absent."""
    places = np.full(len(scores), np.inf)
    held = scores[present]
    if len(held):
        ordered = np.sort(-held)
        places[present] = np.searchsorted(ordered, -held, side="left") + 1.0
    return places


def fuse(lexical: Floats, semantic: Floats | None, has_vector: NDArray[np.bool_] | None = None, *, k: float = FUSION_K) -> Floats:
    """Return one score a candidate, higher is better, from its BM25 score (0: no term found) and its cosine (None: no embedder).

    Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), scaled so that first in both lanes is 1.
    """
    fused = 1.0 / (k + ranks(lexical, lexical > 0.0))
    if semantic is None:
        return fused * (k + 1.0)
    fused += 1.0 / (k + ranks(semantic, np.ones(len(semantic), bool) if has_vector is None else has_vector))
    return fused * (k + 1.0) / 2.0
