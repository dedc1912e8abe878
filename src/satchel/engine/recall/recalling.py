"""Recall and search: from a request to the records that answer it (RCL-1 to RCL-4, RCL-7).

It owns what is settled before a search and what is kept after it; it must not know formulas or how a store keeps records.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from satchel.engine.core import Core, Principal
from satchel.engine.index.embedding import usable_dimension
from satchel.engine.index.index_cache import IndexCache
from satchel.engine.index.reach import IndexLost
from satchel.engine.index.scope_index import STATUS_CODES, ScopeIndex
from satchel.engine.recall.answers import AnswerCache, QueryVectors
from satchel.engine.recall.asking import ask, sentences
from satchel.engine.recall.constraints import DANGER_WORDS, STANDING_TYPES, at_stake, is_constraint, is_danger
from satchel.engine.recall.finding import Search, Wanted
from satchel.engine.recall.lanes import Question
from satchel.engine.recall.neighbouring import neighbour_uses
from satchel.engine.recall.prompting import Remembered, render
from satchel.engine.recall.ranking import Policy, Weighted, policy_named
from satchel.engine.recall.recall_log import RecallBook
from satchel.engine.recall.usage import UsageLog
from satchel.engine.retention.reviving import revive
from satchel.engine.text.segmenting import hash_query, hash_term, segment_query
from satchel.engine.writing.conflicts import groups_of, question_on
from satchel.errors import InvalidRequest
from satchel.operations.models import Context, ContextRequest, Hit, Hits, RecallRequest, SearchRequest
from satchel.ports import Position, Use
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status

_UNREADABLE = re.compile("[\x00\ud800-\udfff]+")
_DIGEST_TYPES = ("preference", "profile", "task")
_STANDING = 16
_QUESTIONS = 3
_PENDING = STATUS_CODES["pending"]
_NO_TERMS = np.empty(0, np.uint32)
_BY_RELEVANCE: Policy = Weighted({"match": 1.0})


def _hashes(query: str) -> NDArray[np.uint32]:
    return np.array([hash_term(term) for term in segment_query(query)], np.uint32)


_DANGERS = _hashes(DANGER_WORDS)


class Recaller:
    """The reading half of an engine, with its caches. One per engine; safe under threads.

    `recall`, `search` and `context` are operation handlers without their first argument: `(principal, request) -> result`.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._book = RecallBook(core)
        self._usage = UsageLog(core, self._after_use, self._book)
        self._found_again: dict[tuple[str, str], Principal] = {}
        self._indexes = IndexCache(core, dimension=lambda: usable_dimension(core), pending=self._usage.pending)
        self._vectors = QueryVectors(core)
        self._answers = AnswerCache(core)

    @property
    def indexes(self) -> IndexCache:
        """The scopes' indexes in memory, for whoever must find what is like a memory."""
        return self._indexes

    @property
    def book(self) -> RecallBook:
        """What was recalled, as far as it is not in the store yet."""
        return self._book

    # ------------------------------------------------------------ operations

    def recall(self, principal: Principal, request: RecallRequest) -> Hits:
        """Find the records that answer a question, best first; none is an answer.

        A record must reach `min_relevance`: the request's as it stands; by default the setting's decides whether there is an answer, and
        its company needs a part of it. It must also reach the strength threshold: the request's as it stands, or by default the setting's
        or half the record's score where that is lower. Where nothing does, and the request left statuses and strength open, archived and
        faint records are searched too, superseded ones apart (RET-4). A question without a word or sign in it
        finds nothing. To a question about food or medicine the user's allergies belong, whatever its words (`finding.AT_STAKE`).

        Raises:
            InvalidRequest: the query is blank, or the policy unknown.
        """
        settings = self._core.settings
        wanted = Wanted(
            query=readable(request.query),
            scopes=principal.readable(request.scope),
            where=request.to_filter(),
            policy=policy_named(request.policy or settings.policy),
            limit=request.limit if "limit" in request.model_fields_set else settings.limit,
            min_relevance=settings.min_relevance if request.min_relevance is None else request.min_relevance,
            strict_relevance=request.min_relevance is not None,
            min_strength=settings.min_strength if request.min_strength is None else request.min_strength,
            strict=request.min_strength is not None,
            widen=request.min_strength is None and not request.statuses,
            strongest=settings.strongest,
            guarded=True,
        )
        asked = request.model_dump_json(exclude={"touch", "scope", "limit", "session", "turn"})
        hits = self._answer(wanted, f"recall {wanted.limit} {asked}")
        counted = request.touch if "touch" in request.model_fields_set else self._counts_returned
        self._returned(principal, [hit.record for hit in hits], request.session, request.turn, counted=counted)
        return Hits(hits=hits, notes=self._core.notes.all())

    def search(self, principal: Principal, request: SearchRequest) -> Hits:
        """Rank records by relevance alone: no thresholds, no usage."""
        wanted = Wanted(
            query=readable(request.query),
            scopes=principal.readable(request.scope),
            where=request.to_filter(),
            policy=_BY_RELEVANCE,
            limit=request.limit,
        )
        return Hits(hits=self._answer(wanted, "search" + request.model_dump_json(exclude={"scope"})), notes=self._core.notes.all())

    def context(self, principal: Principal, request: ContextRequest) -> Context:
        """Render what is remembered as a prompt block (RCL-6): what `recall` finds, and the scope's standing constraints with it.

        Without a question (a blank one counts as none) the digest: the strongest profile, preference, task and pinned records.
        """
        scopes = principal.readable(request.scope)
        if not scopes:
            return Context(text="", ids=(), tokens=0)
        where = request.to_filter()
        is_digest = request.query is None or not _UNREADABLE.sub("", request.query).strip()
        if is_digest:
            memories = self._digest(scopes, where, request.limit)
        else:
            asked = request.model_dump(exclude={"session", "turn", "max_tokens", "heading"}, exclude_unset=True)
            hits = self.recall(principal, RecallRequest.model_validate(asked | {"limit": request.limit, "touch": False})).hits
            memories = [Remembered(hit.record, hit.reasons["strength"]) for hit in hits]
        memories += self._constraints(scopes, where)
        questions = self._questions(scopes, where, None if is_digest else request.query)
        block = render(_distinct(memories), max_tokens=request.max_tokens, heading=request.heading, questions=questions)
        self._returned(principal, block.shown, request.session, request.turn, counted=self._counts_returned)
        return Context(text=block.text, ids=tuple(record.id for record in block.shown), tokens=block.tokens)

    def flush(self) -> None:
        """Write the usage gathered so far into the store: before an export, for exact counts."""
        self._usage.flush()

    def close(self) -> None:
        """Write the usage gathered so far and stop. The caller closes the store afterwards."""
        self._usage.close()
        self._indexes.clear()
        self._answers.clear()

    # ------------------------------------------------------------ steps

    def _answer(self, wanted: Wanted, question: str) -> tuple[Hit, ...]:
        """Return the hits, or the answer that was given before where nothing has changed since; all reads see one state of the store."""
        texts = [wanted.query, *sentences(wanted.query)]
        if not wanted.scopes or not len(hash_query(wanted.query).hashes):
            return ()
        vectors = self._vectors.of(texts)
        key = (wanted.scopes, question if vectors is not None else "lexical " + question)
        now = self._core.now().timestamp()
        with self._core.store.reading():
            positions = self._core.store.positions(wanted.scopes)
            hits = self._answers.get(key, positions, now)
            if hits is not None:
                return hits
            indexes = self._current(wanted.scopes, positions)
            if wanted.guarded and at_stake(wanted.query):
                wanted = replace(wanted, dangers=self._dangers(wanted, indexes, now))
            hits, whole = self._searched(wanted, indexes, texts, vectors, now)
        if whole and all(index.position == positions[scope] for scope, index in zip(wanted.scopes, indexes, strict=True)):
            self._answers.put(key, positions, now, hits)
        return hits

    def _searched(
        self,
        wanted: Wanted,
        indexes: Sequence[ScopeIndex],
        texts: Sequence[str],
        vectors: Sequence[NDArray[np.float32]] | None,
        now: float,
    ) -> tuple[tuple[Hit, ...], bool]:
        """Return the hits, and whether every lane was there: where an external index is not, words answer alone."""
        if all(index.ready for index in indexes):
            try:
                return self._hits(wanted, indexes, ask(texts, vectors), now), True
            except IndexLost:
                pass
        return self._hits(wanted, indexes, ask(texts, None), now), vectors is None

    def _hits(self, wanted: Wanted, indexes: Sequence[ScopeIndex], questions: Sequence[Question], now: float) -> tuple[Hit, ...]:
        return Search(self._core, wanted, indexes, questions, now).hits() if questions else ()

    def _dangers(self, wanted: Wanted, indexes: Sequence[ScopeIndex], now: float) -> frozenset[tuple[str, str]]:
        found = Search(self._core, wanted, indexes, [Question(_DANGERS, None)], now).strongest(_STANDING)
        return frozenset((record.scope, record.id) for record, _ in found if is_danger(record))

    def _digest(self, scopes: tuple[str, ...], where: RecordFilter, limit: int) -> list[Remembered]:
        """Return what an agent should know before anything is asked, each type's strongest in turn so that none crowds out the others."""
        wheres = [_among(where, {name}) for name in _DIGEST_TYPES] + [where.model_copy(update={"pinned": True})]
        columns = [self._strongest(scopes, one, limit) for one in wheres]
        taken = [memory for row in zip_longest(*columns) for memory in row if memory is not None]
        return _distinct(taken)[:limit]

    def _constraints(self, scopes: tuple[str, ...], where: RecordFilter) -> list[Remembered]:
        """Return the standing constraints: prohibitions among the strongest preferences and profiles, and dangers found by their words."""
        found = self._strongest(scopes, _among(where, STANDING_TYPES), _STANDING) + self._strongest(scopes, where, _STANDING, _DANGERS)
        return [memory for memory in found if is_constraint(memory.record)]

    def _questions(self, scopes: tuple[str, ...], where: RecordFilter, query: str | None) -> list[str]:
        """Return what must be asked before it counts, as far as it has to do with the query; without one the strongest."""
        with self._core.store.reading():
            indexes = self._current(scopes, self._core.store.positions(scopes))
        if not any((index.alive & (index.columns.status == _PENDING)).any() for index in indexes):
            return []
        pending = where.model_copy(update={"statuses": (Status.PENDING,)})
        if query is None:
            found = [memory.record for memory in self._strongest(scopes, pending, _QUESTIONS)]
        else:
            least = self._core.settings.min_relevance
            wanted = Wanted(readable(query), scopes, pending, _BY_RELEVANCE, _QUESTIONS, min_relevance=least)
            found = [hit.record for hit in self._answer(wanted, "questions" + pending.model_dump_json())]
        asked = [record for record in found if record.relations.conflicts_with]
        groups = [group for scope in scopes for group in groups_of(self._core, scope, [one for one in asked if one.scope == scope])]
        return [question_on(self._core, group) for group in groups]

    def _strongest(
        self, scopes: tuple[str, ...], where: RecordFilter | None, count: int, terms: NDArray[np.uint32] = _NO_TERMS
    ) -> list[Remembered]:
        if not scopes or where is None:
            return []
        wanted = Wanted("", scopes, where, _BY_RELEVANCE, count, min_strength=self._core.settings.min_strength)
        with self._core.store.reading():
            indexes = self._current(scopes, self._core.store.positions(scopes))
            asked = [Question(terms, None)] if len(terms) else []
            found = Search(self._core, wanted, indexes, asked, self._core.now().timestamp()).strongest(count)
        return [Remembered(record, strength) for record, strength in found]

    def _current(self, scopes: tuple[str, ...], positions: Mapping[str, Position]) -> list[ScopeIndex]:
        return [self._indexes.get(scope, positions[scope]) for scope in scopes]

    @property
    def _counts_returned(self) -> bool:
        return self._core.settings.touch_on_recall and self._core.settings.refresh_on == "returned"

    def _returned(
        self, principal: Principal, records: Sequence[MemoryRecord], session: str | None, turn: str | None, *, counted: bool
    ) -> None:
        if counted:
            self.touch(principal, records)
        if session is not None:
            self._book.add(records, session=session, turn=turn, agent=principal.agent, at=self._core.now(), counted=counted)
            self._usage.wake()

    def touch(self, principal: Principal, records: Sequence[MemoryRecord]) -> None:
        """Count one use of each of these records."""
        self._found_again |= {(record.scope, record.id): principal for record in records if record.status is Status.ARCHIVED}
        uses = self._usage.add([(record.scope, record.id) for record in records], self._core.now())
        self._indexes.used(uses)

    def _after_use(self, uses: Sequence[Use]) -> None:
        """Refresh what lies close to records that were used, and bring the archived among them back."""
        for scope in dict.fromkeys(use.scope for use in uses):
            index = self._indexes.held(scope)
            if index is not None:
                more = neighbour_uses(index, scope, [use for use in uses if use.scope == scope], self._core.settings)
                self._core.store.touch(more)
                self._indexes.used(more)
        for use in uses:
            principal = self._found_again.pop((use.scope, use.id), None)
            if principal is not None:
                revive(self._core, principal, use.scope, (use.id,))


def readable(query: str) -> str:
    """Return a question without what no text may hold (NUL, lone surrogates).

    Raises:
        InvalidRequest: nothing is left of it.
    """
    text = _UNREADABLE.sub(" ", query).strip()
    if not text:
        raise InvalidRequest.of([{"field": "query", "message": "may not be empty"}])
    return text


def _among(where: RecordFilter, types: Collection[str]) -> RecordFilter | None:
    """Return the filter narrowed to these types; None where it names only others."""
    kept = tuple(sorted(set(types) & set(where.types) if where.types else types))
    return where.model_copy(update={"types": kept}) if kept else None


def _distinct(memories: Iterable[Remembered]) -> list[Remembered]:
    return list({(memory.record.scope, memory.record.id): memory for memory in reversed(list(memories))}.values())[::-1]
