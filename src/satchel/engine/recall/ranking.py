"""Ranking policies: how relevance, time, type and strength become one score (RCL-2).

It owns the presets and how a policy is named; it must not know where candidates come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from satchel.errors import InvalidRequest
from satchel.protocol.record import MemoryRecord

Floats = NDArray[np.float64]

FIGURES = ("semantic", "lexical", "fused", "relevance", "match", "recency", "strength", "type")
"""What a policy may weigh, each 0..1."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a policy sees, one entry a candidate, each figure 0..1.

    `semantic`: the cosine, negative ones as 0. `lexical`: the share of the question's terms that the record holds, weighted by idf.
    `fused`: both lanes together, which only orders. `relevance`: the calibrated probability that the record answers. `match`: the
    candidates' relevances, dealt out in the order of `fused`. `recency`: 0.5^(age / half-life). `strength`: RET-1, cut at 1. `type`:
    the type's priority. `records` builds the records, for a policy that reads them; it is slow.
    """

    query: str
    semantic: Floats
    lexical: Floats
    fused: Floats
    relevance: Floats
    match: Floats
    recency: Floats
    strength: Floats
    type: Floats
    records: Callable[[], Sequence[MemoryRecord]] = field(repr=False, default=tuple)


Policy = Callable[[Candidates], Floats]
"""Returns a score for each candidate, higher is better. It must be deterministic."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """The weighted sum of figures; the weights are divided by their sum, so that scores stay 0..1."""

    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        unknown = sorted(set(self.weights) - set(FIGURES))
        if unknown or not self.weights or min(self.weights.values()) < 0 or sum(self.weights.values()) <= 0:
            raise ValueError(f"weights are above 0 and of {', '.join(FIGURES)}; found {dict(self.weights)!r}")

    def __call__(self, candidates: Candidates) -> Floats:
        """Score the candidates."""
        total = sum(self.weights.values())
        scores = np.zeros(len(candidates.relevance))
        for name in FIGURES:  # one order of adding, however the weights were written
            if self.weights.get(name):
                scores += self.weights[name] / total * getattr(candidates, name)
        return scores


def similarity_first(candidates: Candidates) -> Floats:
    """Order by match in steps of a hundredth, and within a step by strength."""
    steps: Floats = np.floor(candidates.match * 100.0)
    return (steps + np.minimum(candidates.strength, 0.99)) / 101.0


POLICIES: dict[str, Policy] = {
    "default": Weighted({"match": 0.60, "recency": 0.25, "type": 0.15}),
    "strength": Weighted({"match": 0.6, "strength": 0.4}),
    "similarity": similarity_first,
}
"""Policies by name. A request may also weigh for itself: `relevance=0.5,strength=0.3,recency=0.2`."""

_WEIGHT = re.compile(r"\s*([a-z]+)\s*=\s*(\d+(?:\.\d+)?|\.\d+)\s*\Z")


def register_policy(name: str, policy: Policy) -> None:
    """Add a policy of one's own, such as a cross-encoder, under a name that requests and settings may use."""
    POLICIES[name] = policy


def policy_named(name: str) -> Policy:
    """Return a policy by its name, or one made from weights such as `relevance=0.7,strength=0.3`.

    Raises:
        InvalidRequest: no such policy.
    """
    known = POLICIES.get(name)
    if known is not None:
        return known
    parts = [_WEIGHT.match(part) for part in name.split(",")]
    try:
        return Weighted({part[1]: float(part[2]) for part in parts if part} if all(parts) else {})
    except ValueError:
        listed = ", ".join(sorted(POLICIES))
        message = f"unknown policy {name!r}; there are {listed}, or weights such as relevance=0.7,strength=0.3 of {', '.join(FIGURES)}"
        raise InvalidRequest.of([{"field": "policy", "message": message}]) from None
