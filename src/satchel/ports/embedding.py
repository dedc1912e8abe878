"""`Embedder`: from texts to vectors, and what their likeness says. It must not know records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Vectors: TypeAlias = "NDArray[np.float32]"
"""Shape (texts, dimension), rows of length 1."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic model of relevance: p = 1 / (1 + exp(-(bias + cosine·c + coverage·v + both·c·v + mismatch·m))).

    c is the best cosine of the query with the record, v the idf-weighted share of query terms the record covers, m how far their
    languages differ (0..1): across languages cosines are lower, and terms are not shared.
    """

    bias: float
    cosine: float
    coverage: float
    both: float = 0.0
    mismatch: float = 0.0


@runtime_checkable
class Embedder(Protocol):
    """Turns text into vectors. Deterministic; safe under threads; takes any text a record may hold, empty text included."""

    name: str
    """Recorded with the index; changes whenever the vectors would."""

    dimension: int

    calibration: Calibration

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed memories."""
        ...
