"""Vectors made in the background after a bulk import (STO-4)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence

import httpx
import numpy as np
import pytest

from recall_stage import TableEmbedder
from satchel.engine import activity
from satchel.engine.core import Core
from satchel.engine.engine import Engine
from satchel.engine.index.embedding import embed_missing
from satchel.service import serving
from satchel.service.backlog import Backlog
from satchel.service.health import health_of
from satchel.stores.memory import MemoryStore
from satchel.wiring import system_clock
from write_stage import Clock

ALICE = "user:alice"


class Slow(TableEmbedder):
    """Takes its time, and keeps count."""

    seconds = 0.0
    passages = 0

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        time.sleep(self.seconds * len(texts))
        self.passages += len(texts)
        return self.embed_queries(texts)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "QUIET_SECONDS", 0.02)


def engine_over(store: MemoryStore, clock: Clock, embedder: TableEmbedder | None = None) -> Engine:
    return Engine(Core(store, embedder or Slow(), clock))


@pytest.fixture
def store(clock: Clock) -> Iterator[MemoryStore]:
    """A store after an import: sixty records, none with a vector, and one written before with its own."""
    kept = MemoryStore()
    first = engine_over(kept, clock)
    first.remember("喜欢龙井茶", scope=ALICE)
    without = Engine(Core(kept, None, clock))
    without.remember_many([{"content": f"第 {place} 条，说的是花生 {place}", "scope": ALICE, "id": f"r{place}"} for place in range(60)])
    assert kept.count_unindexed() == 60
    return kept


def test_what_waits_is_embedded_and_found(store: MemoryStore, clock: Clock) -> None:
    engine = engine_over(store, clock, Slow(means={"坚果": "花生"}))
    assert health_of(engine.core)["queue"] == "waiting"
    backlog = Backlog(engine)
    assert backlog.look()
    assert not backlog.look()
    assert (store.count_unindexed(), health_of(engine.core)["queue"]) == (0, "empty")
    assert engine.recall("坚果", scope=ALICE)


def test_calls_go_first(store: MemoryStore, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Slow()
    engine = engine_over(store, clock, embedder)
    busy = threading.Event()
    with engine.core.activity.call():
        worker = threading.Thread(target=lambda: (busy.set(), embed_missing(engine.core, embedder)))
        worker.start()
        busy.wait()
        time.sleep(0.1)
        assert embedder.passages == 0
    worker.join()
    assert (embedder.passages, store.count_unindexed()) == (60, 0)
    # However many calls there are, it comes to its end.
    engine.reindex(everything=True)
    monkeypatch.setattr(activity, "LONGEST_PAUSE", 0.01)
    store.clear_vectors()
    with engine.core.activity.call():
        assert embed_missing(engine.core, embedder) == 61


def test_every_call_counts_while_it_lasts(store: MemoryStore, clock: Clock) -> None:
    seen = []

    class Looking(Slow):
        def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
            seen.append(engine.core.activity.is_quiet)
            return super().embed_queries(texts)

    engine = engine_over(store, clock, Looking())
    engine.recall("花生", scope=ALICE)
    assert seen == [False]
    time.sleep(0.05)
    assert engine.core.activity.is_quiet
    engine.reindex()
    assert seen[-1]


def test_a_restart_goes_on_where_it_was(store: MemoryStore, clock: Clock) -> None:
    embedder = Slow()
    engine = engine_over(store, clock, embedder)
    stopping = threading.Event()

    class Stopping(Slow):
        def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
            stopping.set()
            return super().embed_passages(texts)

    assert embed_missing(engine.core, Stopping(), stop=stopping) == 16
    assert store.count_unindexed() == 44
    assert Backlog(engine_over(store, clock, embedder)).look()
    assert (embedder.passages, store.count_unindexed()) == (44, 0)


def test_a_model_that_fails_is_tried_again(store: MemoryStore, clock: Clock) -> None:
    embedder = Slow()
    backlog = Backlog(engine_over(store, clock, embedder))
    embedder.broken = True
    assert not backlog.look()
    embedder.broken = False
    assert backlog.look()
    assert store.count_unindexed() == 0


def test_of_two_services_on_one_store_one_embeds(store: MemoryStore, clock: Clock) -> None:
    first, second = Backlog(engine_over(store, clock)), Backlog(engine_over(store, clock))
    assert first._note(clock().timestamp(), 0)
    assert not second.look()
    # The first was killed, and is not seen any more.
    clock.pass_(seconds=61)
    assert second.look()


def test_another_models_index_is_left_to_a_person(store: MemoryStore, clock: Clock) -> None:
    assert not Backlog(engine_over(store, clock, Slow("another"))).look()
    assert store.count_unindexed() == 60


def test_doctor_tells_how_far_it_is(store: MemoryStore, clock: Clock) -> None:
    engine = engine_over(store, clock)
    assert "`satchel reindex`" in _index_finding(engine)
    backlog = Backlog(engine)
    since = clock().timestamp()
    clock.pass_(seconds=12)
    backlog._note(since, 256)
    assert _index_finding(engine) == "60 records have no vector yet: 256 were made in the background in the last 12 s"
    backlog.look()
    assert "every record has its vector" in _index_finding(engine)


def _index_finding(engine: Engine) -> str:
    return next(finding.message for finding in engine.doctor().findings if finding.subject == "index")


def test_the_service_does_it_by_itself(store: MemoryStore) -> None:
    with Engine(Core(store, Slow(), system_clock)) as engine, serving(engine) as url:
        deadline = time.monotonic() + 20
        while httpx.get(f"{url}/healthz").json()["queue"] != "empty":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert store.count_unindexed() == 0


def test_reindex_takes_a_limit(store: MemoryStore, clock: Clock) -> None:
    engine = engine_over(store, clock)
    done = engine.reindex(limit=20)
    assert (done.embedded, done.remaining) == (20, 40)
    assert engine.reindex(limit=100).remaining == 0
