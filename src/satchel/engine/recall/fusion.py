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

LEXICAL_FLOOR = 0.25
"""Where even the best record holds less than this share of a question's terms, words are noise and do not reach their full vote."""

PRIOR = 20
"""Documents without the term that a scope is taken to hold beside its own, so that in one of a few memories a word that one of them holds
does not count for next to nothing beside a word that none holds."""

WHOLE_SHARE = 0.3
"""What a question of several sentences counts as a whole; the sentence that a record answers best counts the rest."""


def inverse_frequency(holders: NDArray[np.integer], documents: int) -> Floats:
    """Return BM25's idf of terms that so many of the documents hold; above 0 for every term."""
    return np.log1p((documents + PRIOR - holders + 0.5) / (holders + 0.5))


def bm25(
    frequencies: NDArray[np.integer], lengths: NDArray[np.integer], weights: Floats, mean_length: float, *, k1: float = K1, b: float = B
) -> Floats:
    """Return each posting's contribution to its record's score (Robertson and Zaragoza 2009, 3.15); sum them by record.

    One entry a posting: how often the term occurs in the record, the record's length, and the term's weight (idf, times that of the query).
    """
    damping = k1 * (1.0 - b + b / max(mean_length, 1e-9) * lengths)
    return weights * (k1 + 1.0) * frequencies / (frequencies + damping)


def fuse(lexical: Floats, cosine: Floats | None, has_vector: NDArray[np.bool_] | None = None, *, lexical_share: float = 0.3) -> Floats:
    """Return one score a candidate, 0..1, that orders them; it says nothing about one question's candidates beside another's.

    `lexical` and `cosine` have a row for the whole question and one for each of its sentences where there are several, and a column a
    candidate: its BM25 score as a share of the question's weight, and its cosine (None: no embedder). `has_vector` tells which have one.

    Within a row each lane is divided by its best (the least is 0 for both) and the lanes are added, words with `lexical_share`: a convex
    combination after theoretical-minimum, maximum scaling (Bruch, Gai and Ingber 2023), which ranked better than reciprocal ranks in both
    languages.
    """
    scores = np.maximum(lexical, 0.0) / np.maximum(_best(lexical), LEXICAL_FLOOR)
    if cosine is not None:
        near = np.maximum(cosine, 0.0) / _best(cosine)
        mixed = lexical_share * scores + (1.0 - lexical_share) * near
        scores = mixed if has_vector is None else np.where(has_vector, mixed, scores)
    if len(scores) == 1:
        return np.asarray(scores[0])
    return np.asarray(WHOLE_SHARE * scores[0] + (1.0 - WHOLE_SHARE) * scores[1:].max(axis=0))


def _best(scores: Floats) -> Floats:
    return np.asarray(np.maximum(scores.max(axis=1, keepdims=True, initial=0.0), 1e-9))


def deal(values: Floats, order: Floats) -> Floats:
    """Return the values dealt out anew in an order: the greatest to whatever stands first in it, and so on; what ties there gets the same.

    So fusion decides who comes first, and the values stay absolute. A hundredth of the order is mixed in, so that it shows among values
    that are the same; all are 0..1.
    """
    places = np.searchsorted(np.sort(-order), -order, side="left")
    return np.asarray(0.99 * -np.sort(-values)[places] + 0.01 * order)
