"""One search through the indexes of some scopes: candidates, ranking, thresholds, and the hits with their records and reasons.

It must not know who asks, or what is cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satchel.engine.core import Core
from satchel.engine.index.nearness import Fetched
from satchel.engine.index.scope_index import ScopeIndex
from satchel.engine.recall.candidates import Pool, Width, gather, strengths_of
from satchel.engine.recall.filtering import holding, ids_by_scope, matching, rows_mask
from satchel.engine.recall.lanes import Measured, Question, measure, strongest_rows
from satchel.engine.recall.ranking import Candidates, Policy
from satchel.engine.recall.relevance import LEXICAL
from satchel.engine.retention.scoring import EXPIRED, at_least, faint_below
from satchel.operations.models import Hit
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

REASONS = ("semantic", "lexical", "fused", "relevance", "match", "recency", "strength", "type")
"""What explains a hit, each 0..1; see `ranking.Candidates`."""

COMPANY = 1 / 3
"""By default something must reach `min_relevance`, or nothing is returned; beside it, this share of it is enough."""

AT_STAKE = 0.6
"""Relevance, at the least, of a danger to the user where food or medicine is asked about: an allergy left out costs more than one named."""

_WIDE = (Status.ACTIVE, Status.ARCHIVED)
_DIGITS = 9
_SHOWN_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Wanted:
    """One question with everything settled: what may be found, how it is ranked, what is too little.

    `strict_relevance`: `min_relevance` is the caller's own and holds for every hit. `min_strength` is None where strength is no
    condition; `strict`: it is the caller's own and holds as it stands. `widen`: look among
    archived and faint records when nothing else answers (RET-4). `strongest`: how many of a scope's strongest are candidates too.
    `guarded`: dangers to the user belong to questions they bear on; `dangers`: those records, by (scope, id), of this question.
    """

    query: str
    scopes: tuple[str, ...]
    where: RecordFilter
    policy: Policy
    limit: int
    min_relevance: float = 0.0
    strict_relevance: bool = True
    min_strength: float | None = None
    strict: bool = False
    widen: bool = False
    strongest: int = 0
    guarded: bool = False
    dangers: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Search:
    """The state of one search. `indexes` stand in the order of the scopes; `questions` are the whole and its sentences."""

    core: Core
    wanted: Wanted
    indexes: Sequence[ScopeIndex]
    questions: Sequence[Question]
    now: float

    def hits(self) -> tuple[Hit, ...]:
        """Return the hits, best first; where nothing answers and the question allows it, those of archived and faint records."""
        fetched: list[Fetched] = [{} for _ in self.indexes]
        seen = list(zip(*(measure(self.indexes, question, fetched) for question in self.questions), strict=True))
        strength = [strengths_of(index, self.now, self.core.settings) for index in self.indexes]
        wanted = self.wanted

        def reachable(record: MemoryRecord) -> bool:
            return record.status in _WIDE and not record.relations.superseded_by

        masks = self._masks(wanted.where)
        for mask, strong, index in zip(masks, strength, self.indexes, strict=True):
            mask &= self._strong_enough(strong, index)
        hits = self._ranked(seen, masks, strength, self._accepted)
        if hits or not wanted.widen:
            return hits
        return self._ranked(seen, self._masks(wanted.where.model_copy(update={"statuses": _WIDE})), strength, reachable)

    def strongest(self, count: int) -> list[tuple[MemoryRecord, float]]:
        """Return the strongest records that are not faint, with their strength; ties by `updated`, then id.

        Where the question has terms, only records that hold one of them.
        """
        asked = count
        while True:
            found = self._strongest(asked)
            accepted = [(record, strength) for record, strength in found if self._accepted(record)]
            if len(accepted) >= count or len(found) < asked:
                return accepted[:count]
            asked *= 2

    def _strongest(self, count: int) -> list[tuple[MemoryRecord, float]]:
        found: list[tuple[float, float, str, str]] = []
        for scope, index, mask in zip(self.wanted.scopes, self.indexes, self._masks(self.wanted.where), strict=True):
            strength = strengths_of(index, self.now, self.core.settings).round(_DIGITS)
            mask &= self._strong_enough(strength, index)
            for question in self.questions:
                mask &= rows_mask(index, index.postings.find(question.hashes).rows)
            rows = strongest_rows(index, mask, strength, count)
            found += [(-strength[row], -index.columns.updated[row], index.ids[row], scope) for row in rows.tolist()]
        best = sorted(found)[:count]
        records = {scope: self.core.store.get(scope, [id for *_, id, of in best if of == scope]) for scope in self.wanted.scopes}
        return [(record, -strength) for strength, _, id, scope in best if (record := records[scope].get(id)) is not None]

    def _accepted(self, record: MemoryRecord) -> bool:
        return record.status in self.wanted.where.statuses and self._holds(record)

    def _holds(self, record: MemoryRecord) -> bool:
        """Tell whether a record holds now: since `valid_from` and before `valid_until`. Who asks for archived ones asks for the past."""
        if Status.ARCHIVED in self.wanted.where.statuses:
            return True
        start, end = record.valid_from, record.valid_until
        return (start is None or start.timestamp() <= self.now) and (end is None or self.now < end.timestamp())

    def _strong_enough(self, strength: Floats, index: ScopeIndex) -> Mask:
        least = self.wanted.min_strength
        if least is None:
            return np.ones(len(strength), bool)
        return at_least(strength, least if self.wanted.strict else faint_below(index.columns.score, least))

    def _masks(self, where: RecordFilter) -> list[Mask]:
        demotes = self.core.settings.on_expiry == "demote"
        masks = [matching(index, where, self.now, expired=demotes) for index in self.indexes]
        if where.where:
            found = ids_by_scope(self.core.store, self.wanted.scopes, where)
            for scope, index, mask in zip(self.wanted.scopes, self.indexes, masks, strict=True):
                mask &= holding(index, found[scope])
        return masks

    def _ranked(
        self, seen: Sequence[Sequence[Measured]], masks: Sequence[Mask], strength: Sequence[Floats], accept: Callable[[MemoryRecord], bool]
    ) -> tuple[Hit, ...]:
        """Rank, and rank again without what does not hold now: no index knows that, and it may neither crowd others out nor bring them."""
        while True:
            refused: list[MemoryRecord] = []
            hits = self._ranked_once(seen, masks, strength, accept, refused)
            if not refused:
                return hits
            for scope, index, mask in zip(self.wanted.scopes, self.indexes, masks, strict=True):
                mask &= ~holding(index, [record.id for record in refused if record.scope == scope])

    def _ranked_once(
        self,
        seen: Sequence[Sequence[Measured]],
        masks: Sequence[Mask],
        strength: Sequence[Floats],
        accept: Callable[[MemoryRecord], bool],
        refused: list[MemoryRecord],
    ) -> tuple[Hit, ...]:
        embedder = self.core.embedder
        pool = gather(
            seen,
            masks,
            strength,
            Width(max(self.core.settings.candidates, self.wanted.limit), self.wanted.strongest),
            [
                index.rows_of(id for of, id in self.wanted.dangers if of == scope)
                for scope, index in zip(self.wanted.scopes, self.indexes, strict=True)
            ],
            calibration=embedder.calibration if embedder is not None else LEXICAL,
            now=self.now,
            settings=self.core.settings,
        )
        if self.wanted.dangers:
            pool = pool.raised(
                [(self.wanted.scopes[at], id) in self.wanted.dangers for at, id in zip(pool.index.tolist(), pool.ids, strict=True)],
                AT_STAKE,
            )
        scores = self._scores(pool)
        enough = np.flatnonzero(pool.relevance >= self._least_relevance(pool))
        scopes = self.wanted.scopes
        keyed = zip(
            (-scores[enough]).tolist(),
            (-pool.updated[enough]).tolist(),
            [pool.ids[at] for at in enough.tolist()],
            [scopes[number] for number in pool.index[enough].tolist()],
            enough.tolist(),
            strict=True,
        )
        return tuple(self._built(pool, scores, [at for *_, at in sorted(keyed)], accept, refused))

    def _least_relevance(self, pool: Pool) -> float:
        """Return what a hit must reach: `min_relevance`, or in the company of one that does, by default, a part of it."""
        least = self.wanted.min_relevance
        if self.wanted.strict_relevance or not (pool.relevance >= least).any():
            return least
        return least * COMPANY

    def _scores(self, pool: Pool) -> Floats:
        def records() -> list[MemoryRecord]:
            return [record for at in range(len(pool)) if (record := self._records(pool, [at]).get(at)) is not None]

        candidates = Candidates(self.wanted.query, **{name: getattr(pool, name) for name in REASONS}, records=records)
        scores = np.asarray(self.wanted.policy(candidates), np.float64)
        rounded: Floats = (scores * self._standing(pool)).round(_DIGITS)
        return rounded

    def _standing(self, pool: Pool) -> Floats:
        """Return what a candidate's score counts: half where its ttl is past and the settings demote such records."""
        standing = np.ones(len(pool))
        if self.core.settings.on_expiry == "demote":
            for at, number in enumerate(pool.index.tolist()):
                index = self.indexes[number]
                past = index.columns.expires[index.rows_of((pool.ids[at],))] <= self.now
                standing[at] = EXPIRED if past.any() else 1.0
        return standing

    def _records(self, pool: Pool, places: Sequence[int]) -> dict[int, MemoryRecord]:
        """Read the records of these candidates; one that vanished meanwhile is left out."""
        by_scope: dict[int, list[int]] = {}
        for at in places:
            by_scope.setdefault(int(pool.index[at]), []).append(at)
        found: dict[int, MemoryRecord] = {}
        for number, some in by_scope.items():
            records = self.core.store.get(self.wanted.scopes[number], [pool.ids[at] for at in some])
            found |= {at: records[pool.ids[at]] for at in some if pool.ids[at] in records}
        return found

    def _built(
        self, pool: Pool, scores: Floats, order: Sequence[int], accept: Callable[[MemoryRecord], bool], refused: list[MemoryRecord]
    ) -> Iterator[Hit]:
        """Yield hits until there are enough, reading records only for them; collect those that do not hold now."""
        left, start = self.wanted.limit, 0
        while left > 0 and start < len(order):
            part = order[start : start + left]
            records = self._records(pool, part)
            for at in part:
                record = records.get(at)
                if record is not None and not self._holds(record):
                    refused.append(record)
                elif record is not None and accept(record):
                    left -= 1
                    yield Hit(record=record, score=float(scores[at]), reasons=self._reasons(pool, at))
            start += len(part)

    @staticmethod
    def _reasons(pool: Pool, at: int) -> dict[str, float]:
        return {name: round(getattr(pool, name).item(at), _SHOWN_DIGITS) for name in REASONS}
