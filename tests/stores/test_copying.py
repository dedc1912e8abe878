"""A whole store moved to another: everything comes over, a kill costs nothing, and what differs is told (STO-7)."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from time import sleep

import pytest

from recall_stage import ALICE, Stage, TableEmbedder
from satchel.conformance.samples import log, make, put, tombstone, write
from satchel.engine.copying import copier, copy_store
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.ports import Batch, Document, IndexEntry, Remove, Store, Use
from satchel.protocol.filters import RecordFilter
from satchel.stores.memory import MemoryStore
from satchel.wiring import open_store
from soaking import Told

from . import copying
from .copying import FORGOTTEN, populate
from .postgres_server import PostgresServer

Open = Callable[[str], Store]


@pytest.fixture
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Return what names a new store of a kind."""
    numbers = itertools.count()

    def name(kind: str) -> str:
        if kind == "postgresql":
            server: PostgresServer = request.getfixturevalue("postgres")
            return server.url()
        return f"{kind}:///{tmp_path / f'memory{next(numbers)}'}"

    return name


@pytest.fixture
def opened(new_url: Callable[[str], str]) -> Iterator[Open]:
    """Return what opens a store of a kind, or at a URL."""
    stores: list[Store] = []

    def open_one(kind: str) -> Store:
        stores.append(MemoryStore() if kind == "memory" else open_store(kind if ":" in kind else new_url(kind)))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


def _told(store: Store) -> tuple[object, ...]:
    """Return everything that a store tells of itself."""
    scopes = store.scopes()
    rows = [list(store.index_slice(found.scope).rows) for found in scopes]
    records = [store.scan([found.scope], RecordFilter(statuses=()), limit=10**6).records for found in scopes]
    documents = [store.documents(name) for name in store.collections() if name != "copying"]
    return scopes, rows, records, store.changes(None, limit=10**6), documents, store.unindexed(limit=10**6)


PAIRS = [("sqlite", "postgresql"), ("postgresql", "jsonl"), ("jsonl", "sqlite"), ("postgresql", "sqlite"), ("sqlite", "memory")]


@pytest.mark.parametrize(("from_", "to"), PAIRS)
def test_everything_comes_over_as_it_was(opened: Open, from_: str, to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copier, "PAGE", 37)
    source, target = opened(from_), opened(to)
    populate(source, 250, seed=3, gaps=True)
    done = copy_store(source, target)
    assert (done.verified, done.differences, done.resumed) == (True, (), False)
    assert _told(target) == _told(source)
    assert (done.entries, done.copied, done.documents) == (len(source.changes(None, limit=10**6)), done.entries, 702)
    assert done.tombstones
    assert done.erased > done.tombstones
    assert target.check() == []
    # Positions are the source's, so that whoever has noted one goes on from it; the next is the target's own.
    assert write(target, make("next", ALICE)) > done.position


@pytest.mark.parametrize("seed", range(6))
def test_any_life_comes_over(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copier, "PAGE", 1 + seed * 4)
    source, target = MemoryStore(), MemoryStore()
    populate(source, 150, seed=100 + seed)
    assert copy_store(source, target).differences == ()
    assert _told(target) == _told(source)


@pytest.mark.parametrize("to", ["jsonl", "postgresql"])
def test_recall_finds_the_same_in_the_same_order_and_nothing_is_embedded_again(opened: Open, to: str) -> None:
    stage = Stage(store=opened("sqlite"), embedder=TableEmbedder(means={"餐厅": "花生"}))
    for text in ("对花生严重过敏", "喜欢龙井茶", "每周三去游泳", "keys are in the drawer", "drinks tea in the afternoon"):
        stage.remember(text)
    target = opened(to)
    assert copy_store(stage.core.store, target).vectors == 5
    embedder = TableEmbedder(means={"餐厅": "花生"})
    other = Stage(store=target, embedder=embedder)
    for query in ("餐厅", "龙井", "tea", "drawer", "周三"):
        assert [(hit.record, hit.score) for hit in other.recall(query)] == [(hit.record, hit.score) for hit in stage.recall(query)]
    assert embedder.calls == ["餐厅", "龙井", "tea", "drawer", "周三"]
    stage.recaller.close()
    other.recaller.close()


@pytest.mark.parametrize("to", ["sqlite", "jsonl"])
def test_what_was_forgotten_never_reaches_the_targets_files(opened: Open, tmp_path: Path, to: str) -> None:
    source, target = opened("memory"), opened(to)
    record = make("r", ALICE, FORGOTTEN)
    write(source, record, make("s", ALICE))
    source.apply(Batch([put(tombstone(record))]))
    copy_store(source, target)
    assert [change.erased for change in target.history(ALICE, "r")] == [True, True]
    target.close()
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert files
    assert not [data for data in files if b"swordfish" in data]


# ---------------------------------------------------------------- the source goes on


class _Interrupted(Exception):
    pass


def test_a_copy_goes_on_after_an_interruption_at_any_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copier, "PAGE", 25)
    source, target = MemoryStore(), MemoryStore()
    populate(source, 120, seed=5)

    def interrupt(stage: str, at: int, total: int) -> None:
        raise _Interrupted

    for pages in range(1, 5):
        with pytest.raises(_Interrupted):
            copy_store(source, target, progress=interrupt)
        assert len(target.changes(None, limit=10**6)) == 25 * pages
    at_the_end = iter([None] * 36)
    with pytest.raises(StopIteration):
        copy_store(source, target, progress=lambda stage, at, total: next(at_the_end))
    done = copy_store(source, target)
    assert (done.verified, done.resumed) == (True, True)
    assert _told(target) == _told(source)


def test_what_changes_in_the_source_meanwhile_comes_over_too(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copier, "PAGE", 10)
    source, target = opened("sqlite"), opened("sqlite")
    records = [make(f"r{place:02}", ALICE, f"{FORGOTTEN} {place}") for place in range(40)]
    source.apply(Batch([put(record, vector=b"\0\x3c" * 4) for record in records]))
    happened = iter(
        [
            lambda: source.apply(
                Batch([put(tombstone(records[0])), Remove(ALICE, "r01", log("undo_import")), put(tombstone(records[35]))])
            ),
            lambda: source.touch([Use(ALICE, "r02", records[2].updated_at, 4)]),
            lambda: source.write_index([IndexEntry(ALICE, "r03", records[3].content_hash, b"other terms", b"\0\x40" * 4)]),
            lambda: source.apply(Batch(documents=[Document("tokens", "t", {"version": 1})])),
        ]
    )
    done = copy_store(source, target, progress=lambda stage, at, total: next(happened, lambda: None)())
    assert (done.verified, done.scrubbed, done.tombstones, done.records) == (True, True, 2, 37)
    assert _told(target) == _told(source)
    target.close()
    data = b"".join(path.read_bytes() for path in tmp_path.glob("memory1*"))
    for gone in (0, 1, 35):
        assert f'{FORGOTTEN} {gone}"'.encode() not in data
    assert f'{FORGOTTEN} 2"'.encode() in data


def test_vectors_that_were_taken_away_meanwhile_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copier, "PAGE", 10)
    source, target = MemoryStore(), MemoryStore()
    source.apply(Batch([put(make(f"r{place}", ALICE), vector=b"vv") for place in range(20)]))
    happened = iter([lambda: None, source.clear_vectors])
    assert copy_store(source, target, progress=lambda stage, at, total: next(happened, lambda: None)()).verified
    assert target.count_unindexed() == 20


@pytest.mark.parametrize("from_", ["sqlite", "postgresql"])
def test_a_writer_is_followed_and_a_last_run_brings_the_rest(opened: Open, from_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copier, "PAGE", 20)
    source, target = opened(from_), opened("sqlite")
    populate(source, 60, seed=8)
    stop = threading.Event()

    def go_on() -> None:
        life = copying.Life(source, random.Random(9))
        for number in itertools.count(1000):
            if stop.is_set():
                return
            life.step(number)

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        first = copy_store(source, target)
        sleep(0.05)
    finally:
        stop.set()
        writer.join()
    assert first.differences == ()
    last = copy_store(source, target)
    assert (last.verified, last.resumed) == (True, True)
    assert _told(target) == _told(source)


# ---------------------------------------------------------------- kills


def _killed_copy(from_: str, to: str, rng: random.Random) -> bool:
    """Run a copy and kill it at some moment; tell whether it had come to its end."""
    command = [sys.executable, "-m", "tests.stores.copying", from_, to]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert process.stdout is not None
    process.stdout.readline()
    sleep(rng.random() * 0.15)
    process.kill()
    return "verified" in process.communicate()[0]


def _copy_under_kills(new_url: Callable[[str], str], from_: str, to: str, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    source_url, target_url = new_url(from_), new_url(to)
    source = open_store(source_url)
    populate(source, 200, seed=seed)
    for _ in range(kills):
        _killed_copy(source_url, target_url, rng)
    target = open_store(target_url)
    done = copy_store(source, target)
    assert done.differences == ()
    assert _told(target) == _told(source)
    assert target.check() == []
    source.close()
    target.close()


KILLED = [("jsonl", "sqlite"), ("sqlite", "jsonl"), ("sqlite", "postgresql")]


@pytest.mark.parametrize(("from_", "to"), KILLED)
def test_a_copy_that_is_killed_goes_on_and_ends_the_same(new_url: Callable[[str], str], from_: str, to: str) -> None:
    _copy_under_kills(new_url, from_, to, 2, seed=11)


@pytest.mark.soak
@pytest.mark.parametrize(("from_", "to"), KILLED)
def test_copies_that_are_killed_again_and_again_end_the_same(new_url: Callable[[str], str], from_: str, to: str, soaked: Told) -> None:
    for seed in range(10):
        _copy_under_kills(new_url, from_, to, 7, seed=seed)
    soaked(f"a copy {from_} → {to} is killed", copies=10, kills=70, differences=0)


# ---------------------------------------------------------------- what is refused, and what is told


def test_an_empty_source_is_told() -> None:
    with pytest.raises(NotFound, match="nothing to copy"):
        copy_store(MemoryStore(), MemoryStore())


def test_a_target_that_holds_something_is_left_alone() -> None:
    source, target = MemoryStore(), MemoryStore()
    write(source, make("r", ALICE))
    target.apply(Batch(documents=[Document("tokens", "t", {})]))
    with pytest.raises(Conflict, match="not empty"):
        copy_store(source, target)
    write(target, make("s", ALICE))
    with pytest.raises(Conflict, match="not empty"):
        copy_store(source, target)
    assert target.changes(None)[0].id == "s"


def test_the_copy_of_another_store_is_left_alone() -> None:
    first, second, target = MemoryStore(), MemoryStore(), MemoryStore()
    write(first, make("r", ALICE))
    write(second, make("s", ALICE))
    copy_store(first, target)
    with pytest.raises(Conflict, match="another store"):
        copy_store(second, target)


def test_a_copy_that_is_in_use_is_left_alone() -> None:
    source, target = MemoryStore(), MemoryStore()
    write(source, make("r", ALICE))
    copy_store(source, target)
    assert copy_store(source, target).copied == 0
    target.apply(Batch(documents=[Document("tokens", "t", {})]))
    write(source, make("s", ALICE))
    with pytest.raises(Conflict, match="written to"):
        copy_store(source, target)
    assert target.document("tokens", "t") == {}
    target.apply(Batch(documents=[Document("tokens", "t", None)]))
    write(target, make("mine", ALICE))
    with pytest.raises(Conflict, match="written to"):
        copy_store(source, target)


def test_an_unfinished_copy_is_no_source() -> None:
    source, target = MemoryStore(), MemoryStore()
    write(source, make("r", ALICE))

    def interrupt(stage: str, at: int, total: int) -> None:
        raise _Interrupted

    with pytest.raises(_Interrupted):
        copy_store(source, target, progress=interrupt)
    with pytest.raises(InvalidRequest, match="unfinished"):
        copy_store(target, MemoryStore())
    copy_store(source, target)
    assert copy_store(target, MemoryStore()).verified


def test_two_copies_into_one_target_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copier, "PAGE", 1)
    source, target = MemoryStore(), MemoryStore()
    write(source, make("r", ALICE), make("s", ALICE), make("t", ALICE))
    once = iter([lambda: copy_store(source, target)])
    with pytest.raises(Conflict, match="under way"):
        copy_store(source, target, progress=lambda stage, at, total: next(once, lambda: None)())
    assert copy_store(source, target).verified


class _Forgetful(MemoryStore):
    """Loses what it is not asked for by name."""

    def stored(self, scope, ids):  # type: ignore[no-untyped-def]
        found = super().stored(scope, ids)
        return {name: row for name, row in found.items() if name != "lost"}

    def stored_page(self, scope, **where):  # type: ignore[no-untyped-def]
        return {name: row for name, row in super().stored_page(scope, **where).items() if name != "lost"}


class _Rewriting(MemoryStore):
    """Keeps other meta than it was given."""

    def apply(self, batch):  # type: ignore[no-untyped-def]
        for change in batch.changes:
            change.record.meta.pop("n", None)
        return super().apply(batch)


def test_what_differs_is_told_record_by_record() -> None:
    source = MemoryStore()
    write(source, make("a", ALICE, meta={"n": 1}), make("lost", ALICE))
    done = copy_store(source, _Forgetful())
    assert (done.verified, done.differing) == (False, 1)
    assert done.differences == ("user:alice lost: is missing",)
    target = _Rewriting()
    done = copy_store(source, target)
    assert (done.differing, done.differences) == (1, ("user:alice a: differs in record",))
    # It is not called finished.
    with pytest.raises(InvalidRequest, match="unfinished"):
        copy_store(target, MemoryStore())


@pytest.mark.parametrize("kind", ["memory", "sqlite", "jsonl"])
@pytest.mark.parametrize(("ours", "theirs"), [((), (3,)), ((5,), (3, 4)), ((3, 4), (5,)), ((3,), (3,))])
def test_usage_of_a_copy_that_was_read_is_the_maximum_of_both(
    opened: Open, kind: str, ours: tuple[int, ...], theirs: tuple[int, ...]
) -> None:
    source, target = opened("memory"), opened(kind)
    write(source, make("a", ALICE))
    assert copy_store(source, target).verified
    at = source.changes(None)[0].at
    for store, days in ((source, ours), (target, theirs)):
        for day in days:
            store.touch([Use(ALICE, "a", at + timedelta(days=day))])
    usages = [store.stored(ALICE, ["a"])["a"].record.usage for store in (source, target)]
    write(source, make("b", ALICE))
    assert copy_store(source, target).verified
    assert target.stored(ALICE, ["a"])["a"].record.usage == usages[0].merged(usages[1])
    assert source.stored(ALICE, ["a"])["a"].record.usage == usages[0]
    assert copy_store(source, target).verified


def test_whose_the_source_is_is_not_said_of_the_copy() -> None:
    source, target = MemoryStore(), MemoryStore()
    write(source, make("r", ALICE))
    source.apply(Batch(documents=[Document("tenant", "owner", {"name": "acme", "version": 1})]))
    assert copy_store(source, target).differing == 0
    assert target.document("tenant", "owner") is None
