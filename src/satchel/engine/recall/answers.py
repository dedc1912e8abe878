"""Two short memories of recall: vectors of questions, and answers that hold until something changes (RCL-7).

An answer is kept with the positions of its scopes and given again only while they are the same, so that it never survives a write, a
delete or a change of scope, whichever process made it. It must not know how answers are found.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satchel.engine.core import Core
from satchel.operations.models import Hit
from satchel.ports import Position

MAX_ANSWERS = 256
MAX_CHARACTERS = 100_000
"""Content of an answer that is kept; a larger one is cheap to find again beside what it costs to hand on."""

MAX_VECTORS = 1024
REST = 20.0
"""An embedder that failed is left alone this many times as long as it took to fail: one that is down must not make every question wait."""

MAX_REST_SECONDS = 60.0

Key = tuple[tuple[str, ...], str]


class _Answer(NamedTuple):
    positions: Mapping[str, Position]
    at: float
    until: float
    hits: tuple[Hit, ...]


class AnswerCache:
    """The last answers, each for `answer_cache_seconds` by the engine's clock, and no longer than the first of its hits holds."""

    def __init__(self, core: Core) -> None:
        self._seconds = core.settings.answer_cache_seconds
        self._lock = threading.Lock()
        self._answers: OrderedDict[Key, _Answer] = OrderedDict()

    def get(self, key: Key, positions: Mapping[str, Position], now: float) -> tuple[Hit, ...] | None:
        """Return the answer if it still holds at these positions, read in the same `store.reading()`."""
        with self._lock:
            answer = self._answers.get(key)
            if answer is None:
                return None
            if answer.positions == positions and answer.at <= now < answer.until:
                return answer.hits
            # What changed may have been forgotten: nothing that was read before stays in memory.
            stale = [other for other, held in self._answers.items() if other == key or _contradicts(held.positions, positions)]
            for other in stale:
                del self._answers[other]
            return None

    def put(self, key: Key, positions: Mapping[str, Position], now: float, hits: tuple[Hit, ...]) -> None:
        """Keep an answer that was found at exactly these positions."""
        if not self._seconds or sum(len(hit.record.content) for hit in hits) > MAX_CHARACTERS:
            return
        ends = [hit.record.valid_until.timestamp() for hit in hits if hit.record.valid_until is not None]
        ends += [hit.record.expires_at.timestamp() for hit in hits if hit.record.expires_at is not None]
        ends += [hit.record.stored_at.timestamp() + hit.record.ttl for hit in hits if hit.record.ttl is not None]
        with self._lock:
            self._answers[key] = _Answer(positions, now, min([now + self._seconds, *ends]), hits)
            self._answers.move_to_end(key)
            if len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)

    def clear(self) -> None:
        """Forget every answer."""
        with self._lock:
            self._answers.clear()


def _contradicts(held: Mapping[str, Position], positions: Mapping[str, Position]) -> bool:
    return any(positions.get(scope, position) != position for scope, position in held.items())


class QueryVectors:
    """Vectors of the last questions. Where embedding fails, recall goes on without, and says so once."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._resting_until = 0.0

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32]] | None:
        """Return the unit vectors of a question and its sentences, or None where there is no embedder or it fails."""
        embedder = self._core.embedder
        if embedder is None:
            return None
        known = self._known(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if not missing:
            return [known[text] for text in texts]
        started = time.monotonic()
        if started < self._resting_until:
            return None
        try:
            made = np.ascontiguousarray(embedder.embed_queries(missing), np.float32)
        except Exception as error:  # noqa: BLE001 - whatever a model or a network does, the lexical lane still answers
            failed = time.monotonic()
            self._resting_until = failed + min(REST * (failed - started), MAX_REST_SECONDS)
            self._core.notes.add("query-embedding", f"the embedder {embedder.name} failed ({error}); recall goes on with words alone")
            return None
        self._core.notes.drop("query-embedding")
        known |= zip(missing, made, strict=True)
        self._keep(known)
        return [known[text] for text in texts]

    def _known(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        with self._lock:
            return {text: self._vectors[text] for text in texts if text in self._vectors}

    def _keep(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        with self._lock:
            for text, vector in vectors.items():
                self._vectors[text] = vector
                self._vectors.move_to_end(text)
            while len(self._vectors) > MAX_VECTORS:
                self._vectors.popitem(last=False)
