"""How probable it is that a record answers a question: from its cosine and the share of the question's terms that it covers.

It owns that model and its constants where there is no embedder; it must not know how either figure came about. Absolute, never
rescaled within the result set (RCL-3): the constants are fitted by benchmarks/calibrate.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satchel.ports import Calibration

Floats = NDArray[np.float64]

LEXICAL = Calibration(bias=-2.71, cosine=0.0, coverage=4.88)
"""For recall without an embedder, and for records without a vector."""


WORDS = Calibration(bias=-6.0, cosine=0.0, coverage=8.0)
"""For records that hold nearly all of a question's terms, whatever their vector says: a name, a code, the end of a long text."""


def lexical_relevance(coverage: Floats) -> Floats:
    """Return the probability, 0..1, that each record answers, from its words alone: none where it holds no term of the question."""
    return np.where(coverage > 0.0, relevance(0.0, coverage, LEXICAL), 0.0)


def best_relevance(cosine: Floats, coverage: Floats, calibration: Calibration, mismatch: Floats) -> Floats:
    """Return the probability, 0..1, that each record with a vector answers: by the embedder's model, or by its words if they say more."""
    return np.maximum(relevance(cosine, coverage, calibration, mismatch), relevance(0.0, coverage, WORDS))


def relevance(cosine: Floats | float, coverage: Floats | float, calibration: Calibration, mismatch: Floats | float = 0.0) -> Floats:
    """Return the probability, 0..1, that each record answers: the logistic model that `Calibration` describes.

    `cosine`: with the question's vector, 0 where there is no vector. `coverage`: the idf-weighted share of the question's terms that the
    record holds, 0..1; a term that no record holds counts in the whole. `mismatch`: how far their languages differ, 0..1.
    """
    c, v = np.asarray(cosine, np.float64), np.asarray(coverage, np.float64)
    raised = calibration.bias + calibration.cosine * c + calibration.coverage * v + calibration.both * c * v
    raised = raised + calibration.mismatch * np.asarray(mismatch, np.float64)
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(raised, -60.0, 60.0))))
