"""kill -9 at any moment: no acknowledged write is lost, no batch is half there, and the store opens (STO-5)."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from time import sleep
from types import ModuleType

import pytest

from satchel.ports import Store
from satchel.protocol.filters import RecordFilter
from soaking import Told

from . import churn, living
from .postgres_server import PostgresServer


@pytest.fixture(params=["sqlite", "jsonl", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Return what names a new store each time."""
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        return server.url
    numbers = itertools.count()
    return lambda: f"{request.param}:///{tmp_path / f'memory{next(numbers)}'}"


def _kind(new_url: Callable[[], str]) -> str:
    return {"sqlite": "SQLite", "jsonl": "JSON lines"}.get(new_url().partition(":")[0], "PostgreSQL")


def _killed(program: ModuleType, url: str, name: str, rng: random.Random, *, writers: int, within: float = 0.2) -> dict[str, set[str]]:
    """Let writers run, kill them at some moment within so many seconds, and return all that they said, by the word that it began with."""
    processes = [
        subprocess.Popen(
            [sys.executable, str(program.__file__), url, f"{name}{place}", str(rng.random())[2:]], stdout=subprocess.PIPE, text=True
        )
        for place in range(writers)
    ]
    begun = []
    for process in processes:
        assert process.stdout is not None
        begun.append(process.stdout.readline())
    sleep(rng.random() * within)
    for process in processes:
        process.kill()
    told: dict[str, set[str]] = defaultdict(set)
    for first, process in zip(begun, processes, strict=True):
        # What follows the last line's end was not said.
        for line in (first + process.communicate()[0]).split("\n")[:-1]:
            word, *named = line.split()
            told[word].update(named)
    return told


def _look_over(url: str, wrote: set[str], forgot: set[str]) -> int:
    store = churn.open_store(url)
    try:
        # In one state: a server may still be at the last commit of a client that is dead.
        with store.reading():
            batches = {document.key: document.value or {} for document in _documents(store)}
            status = {record.id: record.status.value for record in _records(store)}
            rows = list(store.index_slice(churn.SCOPE).rows)
        assert wrote <= batches.keys()
        assert forgot <= {batch for batch, value in batches.items() if value.get("forgotten")}
        expected = {
            name: "deleted" if value.get("forgotten") else "active"
            for batch, value in batches.items()
            for name in churn.names(batch, value["size"])
        }
        assert status == expected
        assert {row.id for row in rows} == {name for name, now in status.items() if now == "active"}
        assert all(row.terms == b"terms" for row in rows)
        assert store.check() == []
        while store.unindexed(limit=1):
            churn.embed(store, limit=5000)
        assert all(row.vector for row in store.index_slice(churn.SCOPE).rows)
        return len(batches)
    finally:
        store.close()


def _documents(store: Store) -> list:  # type: ignore[type-arg]
    found: list = []  # type: ignore[type-arg]
    while page := store.documents(churn.BATCHES, after=found[-1].key if found else None):
        found += page
    return found


def _records(store: Store) -> list:  # type: ignore[type-arg]
    found: list = []  # type: ignore[type-arg]
    cursor = None
    while True:
        page = store.scan([churn.SCOPE], RecordFilter(statuses=()), cursor=cursor, limit=5000)
        found += page.records
        cursor = page.cursor
        if cursor is None:
            return found


def _kill_again_and_again(url: str, times: int, seed: int) -> int:
    rng = random.Random(seed)
    told: dict[str, set[str]] = defaultdict(set)
    batches = 0
    for number in range(times):
        for word, named in _killed(churn, url, f"k{number}.", rng, writers=1 + number % 2).items():
            told[word] |= named
        batches = _look_over(url, told["wrote"], told["forgot"])
    return batches


def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(new_url: Callable[[], str]) -> None:
    assert _kill_again_and_again(new_url(), 3, seed=1) > 3


@pytest.mark.soak
def test_two_hundred_kills_lose_nothing_that_was_acknowledged(new_url: Callable[[], str], soaked: Told) -> None:
    batches = sum(_kill_again_and_again(new_url(), 20, seed=place) for place in range(10))
    soaked(f"{_kind(new_url)}, writers are killed amid writes, forgetting and embedding", kills=200, batches=batches, lost=0)


def _look_over_lives(url: str, told: dict[str, set[str]]) -> None:
    with living.opened(url) as memory:
        there = {record.id for record in memory.every_record(scope=living.SCOPE, status=["active", "archived", "pending"])}
        assert told["wrote"] - told["forgets"] <= there
        assert not told["forgot"] & there
        memory.reindex()
        assert [finding.message for finding in memory.doctor().findings if finding.level == "error"] == []
        active = {record.id for record in memory.every_record(scope=living.SCOPE, status="active")}
        for name in sorted(told["wrote"] & active)[:3]:
            found = memory.recall(living.content(name), scope=living.SCOPE, limit=1000, min_relevance=0.0, min_strength=0.0)
            assert name in {hit.record.id for hit in found}


def _kill_lives(url: str, times: int, seed: int) -> None:
    rng = random.Random(seed)
    told: dict[str, set[str]] = defaultdict(set)
    for number in range(times):
        for word, named in _killed(living, url, f"k{number}.", rng, writers=1 + number % 2, within=0.8).items():
            told[word] |= named
        _look_over_lives(url, told)
    # An import that was cut is finished by the same import again, and one that was not is left as it is.
    with living.opened(url) as memory:
        for _ in range(2):
            memory.import_package(living.package("again"))
        assert len([one for one in memory.every_record(scope=living.SCOPE) if one.id.startswith("again-")]) == living.IMPORTED


@pytest.mark.slow
def test_a_kill_amid_import_maintenance_or_reindexing_loses_nothing_that_was_acknowledged(new_url: Callable[[], str]) -> None:
    _kill_lives(new_url(), 2, seed=2)


@pytest.mark.soak
def test_two_hundred_kills_amid_a_whole_life_lose_nothing_that_was_acknowledged(new_url: Callable[[], str], soaked: Told) -> None:
    for place in range(20):
        _kill_lives(new_url(), 10, seed=100 + place)
    soaked(f"{_kind(new_url)}, killed amid import, maintenance and reindexing", kills=200, lost=0)
