"""What a record is worth apart from any question: strength, recency, and the priority of its type (RET-1, RCL-2).

It owns these formulas, scalar and vectorised; it must not know where the numbers come from or what is done with them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satchel.engine.settings import Settings
from satchel.protocol.record import MemoryRecord, core_type

Floats = NDArray[np.float64]

TYPE_PRIORITIES = {"profile": 1.0, "preference": 1.0, "task": 0.9, "skill": 0.7, "fact": 0.6, "interaction": 0.3}
"""What stands when records are otherwise equal: preferences and the state of tasks outrank traces of interaction."""

_DIGITS = 9
"""Formulas are rounded here, so that records that are equal on paper are equal in every order of arithmetic."""


def type_priority(name: str) -> float:
    """Return the priority of a type, 0..1; an unknown type has that of `fact`."""
    return TYPE_PRIORITIES[core_type(name)]


EXPIRED = 0.5
"""What is left of the strength and of a hit's score once a ttl is past, where the settings demote instead of leaving out."""


@dataclass(frozen=True, slots=True)
class Life:
    """What strength depends on, one entry a record. Times are Unix seconds; `accessed` is 0 where it never was used."""

    score: Floats
    access_count: NDArray[np.int64]
    accessed: Floats
    stored: Floats
    moment: Floats
    half_life: Floats
    pinned: NDArray[np.bool_]


def strengths(life: Life, now: float, settings: Settings) -> Floats:
    """Return each record's strength at `now` (Unix seconds), 0..1.3 with the default cap, not rounded.

    RET-1: strength(t) = (score + bonus) · 0.5^((t − max(last_access_at, stored_at)) / half_life), bonus = min(cap, step · access_count).
    What is pinned does not fade; a time in the future counts as the present. Settings: the decay base, the cap and the step, a bonus
    that does not decay, and decay counted from `created_at`.
    """
    exponent = now - (life.moment if settings.decay_from == "created" else np.maximum(life.accessed, life.stored))
    np.maximum(exponent, 0.0, out=exponent)
    exponent /= life.half_life
    exponent *= np.log(settings.decay_base)
    decay = np.exp(exponent, out=exponent)
    decay[life.pinned] = 1.0
    bonus = np.minimum(settings.access_bonus_cap, settings.access_bonus_step * life.access_count)
    found: Floats = (life.score + bonus) * decay if settings.decay_bonus else life.score * decay + bonus
    return found


def demoted(found: Floats, expires: Floats, now: float, settings: Settings) -> Floats:
    """Return strengths, those of records whose ttl is past halved where the settings say so."""
    return np.where(expires <= now, found * EXPIRED, found) if settings.on_expiry == "demote" else found


def strength(record: MemoryRecord, now: float, settings: Settings) -> float:
    """Return one record's strength at `now` (Unix seconds), rounded to nine digits; see `strengths`."""
    used = record.usage.last_access_at
    moment = record.created_at or record.stored_at
    life = Life(
        score=np.array([record.score]),
        access_count=np.array([record.usage.access_count]),
        accessed=np.array([used.timestamp() if used else 0.0]),
        stored=np.array([record.stored_at.timestamp()]),
        moment=np.array([moment.timestamp()]),
        half_life=np.array([record.half_life]),
        pinned=np.array([record.pinned]),
    )
    return round(float(strengths(life, now, settings)[0]), _DIGITS)


def faint_below(score: Floats, min_strength: float) -> Floats:
    """Return the strength below which a record is faint: `min_strength`, or half the initial score where that is lower (RET-4)."""
    return np.minimum(min_strength, score / 2)


def at_least(strength: Floats, bound: Floats | float) -> NDArray[np.bool_]:
    """Tell which strengths reach a bound; one that is equal on paper does."""
    return strength >= bound - 10.0**-_DIGITS


def recencies(moment: Floats, now: float, half_life: float) -> Floats:
    """Return 0.5^(age / half_life) for each moment, 0..1: 1 now and in the future."""
    found: Floats = np.exp2(-np.maximum(now - moment, 0.0) / half_life)
    return found.round(_DIGITS)
