"""A stage for tests of recall: a real store, a clock that can be moved, and an embedder whose notion of likeness is a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from satchel.engine.core import Core, Principal
from satchel.engine.index.embedding import embed_contents
from satchel.engine.recall.recalling import Recaller
from satchel.engine.settings import Settings
from satchel.engine.text.segmenting import pack_terms, segment
from satchel.operations.models import Hit, Hits, RecallRequest
from satchel.ports import Batch, Calibration, LogEntry, Put, Store
from satchel.protocol.record import Deletion, MemoryRecord, Source, Status
from satchel.stores.memory import MemoryStore

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ALICE, BOB = "user:alice", "user:bob"


class TableEmbedder:
    """A text's vector is the mean of its words' vectors; `means` says which word stands for another one."""

    dimension = 48
    calibration = Calibration(bias=-4.0, cosine=7.0, coverage=5.0)

    def __init__(self, name: str = "table", means: dict[str, str] | None = None) -> None:
        self.name = name
        self.means = means or {}
        self.calls: list[str] = []
        self.broken = False

    def _vector(self, text: str) -> np.ndarray:
        for word, other in self.means.items():
            text = text.replace(word, other)
        total = np.full(self.dimension, 1e-3)
        for term in segment(text):
            seed = int.from_bytes(term.encode()[:8].ljust(8, b"\0"), "little") + len(self.name)
            total += np.random.default_rng(seed).standard_normal(self.dimension)
        return total / np.linalg.norm(total)

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        if self.broken:
            raise RuntimeError("out of order")
        self.calls += texts
        return np.array([self._vector(text) for text in texts], np.float32)

    embed_passages = embed_queries


class Stage:
    """One store with a recaller over it."""

    def __init__(
        self, *, store: Store | None = None, embedder: TableEmbedder | None = None, principal: Principal | None = None, **settings: Any
    ) -> None:
        self.now = START
        self.principal = principal or Principal(agent="tester")
        self.core = Core(store or MemoryStore(), embedder, lambda: self.now, Settings(**settings))
        self.recaller = Recaller(self.core)
        self._count = 0

    def another(self, *, embedder: TableEmbedder | None = None, **settings: Any) -> Stage:
        """Return a second engine over the same store, as another process would have."""
        other = Stage(store=self.core.store, embedder=embedder or self.core.embedder, **settings)  # type: ignore[arg-type]
        other.now = self.now
        return other

    def later(self, **delta: float) -> None:
        self.now += timedelta(**delta)

    def record(self, content: str, *, scope: str = ALICE, id: str | None = None, **fields: Any) -> MemoryRecord:
        self._count += 1
        times = {"stored_at": self.now, "updated_at": self.now, "created_at": self.now}
        given = {"id": id or f"m{self._count:03}", "scope": scope, "content": content, "score": 0.8, **times, **fields}
        if "origin" in given:
            given["source"] = Source(origin=given.pop("origin"))
        return MemoryRecord(**given)

    def write(self, *records: MemoryRecord, vectors: bool = True) -> None:
        made = embed_contents(self.core, [record.content for record in records]) if vectors else [None] * len(records)
        log = LogEntry("write", "tester", self.now)
        puts = [Put(record, log, terms=pack_terms(record.content), vector=v) for record, v in zip(records, made, strict=True)]
        self.core.store.apply(Batch(puts))

    def remember(self, content: str, **fields: Any) -> MemoryRecord:
        record = self.record(content, **fields)
        self.write(record)
        return record

    def forget(self, record: MemoryRecord) -> None:
        gone = MemoryRecord(
            id=record.id,
            scope=record.scope,
            content="",
            stored_at=record.stored_at,
            updated_at=self.now,
            status=Status.DELETED,
            revision=record.revision + 1,
            deletion=Deletion(at=self.now),
        )
        self.core.store.apply(Batch([Put(gone, LogEntry("forget", "tester", self.now))]))

    def hits(self, query: str, *, scope: Any = ALICE, **conditions: Any) -> Hits:
        return self.recaller.recall(self.principal, RecallRequest(query=query, scope=scope, **conditions))

    def recall(self, query: str, **conditions: Any) -> list[Hit]:
        return list(self.hits(query, **conditions).hits)

    def found(self, query: str, **conditions: Any) -> list[str]:
        """Return the contents found, best first."""
        return [hit.record.content for hit in self.recall(query, **conditions)]
