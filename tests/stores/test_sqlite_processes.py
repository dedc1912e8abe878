"""Several processes on one file, and processes that are killed (STO-5). The long runs are marked `soak`."""

from __future__ import annotations

import os
import random
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from satchel.conformance.samples import make, put, revise, write
from satchel.ports import Batch
from satchel.protocol.filters import RecordFilter
from satchel.stores.sqlite import SQLiteStore
from soaking import Told
from store_stage import processes, write_many, write_until_killed

EVERY = RecordFilter(statuses=())


def held(store: SQLiteStore) -> set[str]:
    scopes = [found.scope for found in store.scopes()]
    names: set[str] = set()
    cursor = None
    while True:
        page = store.scan(scopes, EVERY, cursor=cursor, limit=1000)
        names |= {record.id for record in page.records}
        cursor = page.cursor
        if cursor is None:
            return names


def kill_one(path: Path, run: int, chance: random.Random) -> list[list[str]]:
    """Let a process write, kill it at some moment, and return what it had acknowledged."""
    context = processes()
    ours, theirs = context.Pipe(duplex=False)
    writer = context.Process(target=write_until_killed, args=(str(path), run, theirs))
    writer.start()
    theirs.close()
    acknowledged = [ours.recv()]
    time.sleep(chance.uniform(0, 0.06))
    writer.kill()
    acknowledged += _rest(ours)
    writer.join()
    ours.close()
    return acknowledged


def _rest(pipe: Connection) -> list[list[str]]:
    rest = []
    try:
        while True:
            rest.append(pipe.recv())
    except (EOFError, OSError):
        return rest


def outlive(path: Path, kills: int) -> int:
    """Kill writers again and again: nothing acknowledged is lost, no batch is there in part, the store is sound.

    Return how many writes were acknowledged.
    """
    chance = random.Random(kills)
    expected: set[str] = set()
    for run in range(kills):
        for names in kill_one(path, run, chance):
            expected |= set(names)
        if run % 10 == 0 or run == kills - 1:
            store = SQLiteStore(path)
            found = held(store)
            assert expected <= found
            batches = {name.rpartition("-")[0] for name in found if not name.endswith("-0")}
            assert all(f"{batch}-{place}" in found for batch in batches for place in range(17))
            assert store.check() == []
            store.close()
    return len(expected)


@pytest.mark.slow
def test_twenty_kills_lose_no_acknowledged_write(tmp_path):
    outlive(tmp_path / "memory.db", 20)


@pytest.mark.soak
def test_two_hundred_kills_lose_no_acknowledged_write(tmp_path, soaked: Told):
    kept = outlive(tmp_path / "memory.db", 200)
    soaked("SQLite, a writer is killed", kills=200, acknowledged_writes=kept, lost=0)


def together(path: Path, writers: int, count: int) -> float:
    """Let processes write one file at once: nothing is lost, and nobody sees a lock. Return the longest wait in seconds."""
    context = processes()
    pipes, started = [], []
    for writer in range(writers):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=write_many, args=(str(path), writer, count, theirs))
        process.start()
        theirs.close()
        pipes.append(ours)
        started.append(process)
    told = [pipe.recv() for pipe in pipes]
    assert [failure for failure, _ in told] == [""] * writers
    for process, pipe in zip(started, pipes, strict=True):
        process.join()
        pipe.close()
    store = SQLiteStore(path)
    assert held(store) == {f"{writer}-{place}" for writer in range(writers) for place in range(count)}
    positions = []
    while page := store.changes(None, after=positions[-1] if positions else 0):
        positions += [change.position for change in page]
    assert positions == list(range(1, writers * count + 1))
    assert store.check() == []
    store.close()
    return max(longest for _, longest in told)


@pytest.mark.slow
def test_four_processes_that_write_at_once_lose_nothing(tmp_path):
    together(tmp_path / "memory.db", 4, 100)


@pytest.mark.soak
def test_eight_processes_that_write_a_thousand_each_lose_nothing(tmp_path, soaked: Told):
    longest = together(tmp_path / "memory.db", 8, 1000)
    soaked("SQLite, 8 processes write 1,000 records each", records=8000, lost=0, longest_wait_seconds=longest)


def test_a_second_store_on_the_same_file_sees_what_the_first_wrote(tmp_path):
    first, second = SQLiteStore(tmp_path / "memory.db"), SQLiteStore(tmp_path / "memory.db")
    record = make("r", "user:a")
    write(first, record)
    assert second.get("user:a", ["r"]) == {"r": record}
    second.apply(Batch([put(revise(record, content="第二个写的"), 1)]))
    assert first.get("user:a", ["r"])["r"].content == "第二个写的"
    assert first.positions(["user:a"]) == second.positions(["user:a"])
    first.close()
    write(second, make("s", "user:a"))
    second.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_store_that_was_open_before_a_fork_serves_both_sides(tmp_path):
    store = SQLiteStore(tmp_path / "memory.db")
    write(store, make("before", "user:a"))
    child = os.fork()
    if not child:
        status = 1
        try:
            write(store, make("child", "user:a"))
            status = 0 if len(store.get("user:a", ["before", "child"])) == 2 else 2
        finally:
            os._exit(status)
    write(store, make("parent", "user:a"))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert held(store) == {"before", "child", "parent"}
    assert store.check() == []
    store.close()


def test_writes_of_many_threads_share_a_flush_and_lose_nothing(tmp_path):
    store = SQLiteStore(tmp_path / "memory.db")
    groups: list[int] = []
    commit = store._writer._commit

    def counted(connection, jobs):
        groups.append(len(jobs))
        commit(connection, jobs)

    store._writer._commit = counted
    start = threading.Barrier(12)

    def work(writer: int) -> None:
        start.wait()
        for place in range(15):
            write(store, make(f"{writer}-{place}", f"user:u{writer % 3}"))

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(held(store)) == sum(groups) == 180
    assert max(groups) > 1
    store.close()
