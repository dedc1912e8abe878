"""Which rows hold much of what each of many new memories says: by the words that few hold, for all of them at once.

It owns the arithmetic over arrays; it must not know records, scopes or how memories are compared.

Words that many hold say little and cost most to look up. So each memory is looked up by its rarest words only, as many as are needed for
no row that holds enough of it to be missed by more than `_LEFT`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satchel.engine.index.postings import Postings
from satchel.engine.recall.fusion import inverse_frequency

MOST = 6
"""Rows proposed for each memory."""

_LEAST = 0.3
"""Share of a memory's words, weighted by rarity, that a row must hold to be proposed, where there are many others."""

_LEFT = 0.15
"""Share of its words, the commonest ones, that are not looked up there."""

_MOST_OF = 0.8
"""Share that a row must hold of the words that are looked up, where these are few."""

_MANY = 200

_MOST_COMMON = 0.25
_ALWAYS_RARE = 64
"""Words that more rows hold than these (a share, a number) propose nothing."""

_BUDGET = 512
"""Rows that a memory's words lead to, the rarest first, beyond which its other words are not looked up; so a large scope costs no more."""

_AT_ONCE = 2_000_000
"""Pairs of a memory and a row that are counted at a time."""

Floats = NDArray[np.float64]
Hashes = NDArray[np.uint32]
Places = NDArray[np.int64]


class Terms(NamedTuple):
    """The terms of a memory, its own first; the others are those of words that mean what it says."""

    hashes: Hashes
    own: int


class _Asked(NamedTuple):
    """Terms of several memories, flat: which memory each is of, which distinct term it is, what it weighs."""

    memories: Places
    terms: Places
    weights: Floats


def propose(postings: Postings, memories: Sequence[Terms], size: int, may: NDArray[np.bool_], *, earlier: bool = False) -> list[list[int]]:
    """Return for each memory the rows that share most with it, the likest first, of those that `may` be proposed.

    `size`: rows in all. `earlier`: memory i is itself row i, and only rows before it are proposed.
    """
    found: list[list[int]] = [[] for _ in memories]
    if not memories or not size:
        return found
    flat = np.concatenate([terms.hashes for terms in memories])
    distinct, which = np.unique(flat, return_inverse=True)
    holders = postings.holders(distinct)
    weights = inverse_frequency(holders, size)
    least = np.zeros(len(memories))
    asked = _looked_up(memories, which, weights, holders, size, least)
    if not len(asked.terms):
        return found
    wanted = np.unique(asked.terms)
    hits = postings.find(distinct[wanted])
    kept = may[hits.rows]
    rows, terms = hits.rows[kept], wanted[hits.terms[kept]]
    order = np.argsort(terms, kind="stable")
    rows, counts = rows[order], np.bincount(terms, minlength=len(distinct))
    starts = np.concatenate(([0], np.cumsum(counts)))
    pairs = counts[asked.terms]
    ends = np.cumsum(pairs)
    at = 0
    while at < len(pairs):
        # Whole memories at a time, so that each is counted in one piece.
        done = ends[at - 1] if at else 0
        until = int(np.searchsorted(ends, done + _AT_ONCE, side="right"))
        until = max(until, at + 1)
        until = int(np.searchsorted(asked.memories, asked.memories[until - 1], side="right"))
        part = _Asked(asked.memories[at:until], asked.terms[at:until], asked.weights[at:until])
        _count(part, pairs[at:until], starts, rows, least, earlier, found)
        at = until
    return found


def _looked_up(memories: Sequence[Terms], which: Places, weights: Floats, holders: Places, size: int, least: Floats) -> _Asked:
    """Return the terms to look each memory up by, in the order of the memories; fill in what a row must reach for each."""
    counts = np.array([len(terms.hashes) for terms in memories])
    owner = np.repeat(np.arange(len(memories)), counts)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    weight = weights[which]
    own = within < np.repeat([terms.own for terms in memories], counts)
    whole = np.bincount(owner, weights=np.where(own, weight, 0.0), minlength=len(memories))
    is_used = (holders[which] <= max(_ALWAYS_RARE, _MOST_COMMON * size)) & (holders[which] > 0)
    if size > _MANY:
        # What is left out, the commonest words, may be what a row holds: what must be reached is less by as much.
        order = np.lexsort((-weight, owner))
        rarer = _running(np.where(is_used[order], holders[which][order], 0), owner[order]) - holders[which][order] * is_used[order]
        commoner = whole[owner[order]] - _running(np.where(own[order], weight[order], 0.0), owner[order])
        is_left = np.zeros(len(owner), bool)
        is_left[order] = (rarer >= _BUDGET) | (commoner + weight[order] <= _LEFT * whole[owner[order]])
        is_used &= ~(is_left & own)
        left = np.bincount(owner, weights=np.where(is_left & own, weight, 0.0), minlength=len(memories))
        used = np.bincount(owner, weights=np.where(is_used & own, weight, 0.0), minlength=len(memories))
        least += np.maximum(_LEAST * whole - left, np.minimum((_LEAST - _LEFT) * whole, _MOST_OF * used))
    return _Asked(owner[is_used], which[is_used], weight[is_used])


def _running(values: NDArray[np.generic], owner: Places) -> Floats:
    """Return the running sums of values, begun anew with each owner; those of one stand together."""
    summed = np.cumsum(values, dtype=np.float64)
    first = np.searchsorted(owner, owner, side="left")
    return np.asarray(summed - np.where(first > 0, summed[first - 1], 0.0))


def _count(
    asked: _Asked, pairs: Places, starts: Places, rows: NDArray[np.int32], least: Floats, earlier: bool, found: list[list[int]]
) -> None:
    """Add the best rows of these memories."""
    total = int(pairs.sum())
    if not total:
        return
    offsets = np.repeat(np.cumsum(pairs) - pairs, pairs)
    hit = rows[np.repeat(starts[asked.terms], pairs) + np.arange(total) - offsets].astype(np.int64)
    memory = np.repeat(asked.memories, pairs)
    weight = np.repeat(asked.weights, pairs)
    if earlier:
        before = hit < memory
        hit, memory, weight = hit[before], memory[before], weight[before]
    keys = memory << 32 | hit
    order = np.argsort(keys, kind="stable")
    keys, weight = keys[order], weight[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.empty(0, np.intp)
    if not len(first):
        return
    scores = np.add.reduceat(weight, first)
    memory, hit = keys[first] >> 32, keys[first] & 0xFFFFFFFF
    enough = (scores > 0.0) & (scores >= least[memory])
    scores, memory, hit = scores[enough], memory[enough], hit[enough]
    # Later rows first among equals: the last told is the likeliest to be meant.
    order = np.lexsort((-hit, -scores, memory))
    for place in order.tolist():
        best = found[memory[place]]
        if len(best) < MOST:
            best.append(int(hit[place]))
