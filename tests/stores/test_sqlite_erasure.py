"""What was forgotten is gone from the files: database, free pages, unused parts of pages, write-ahead log (RET-5)."""

from __future__ import annotations

import random
import re
import sqlite3
import threading
from pathlib import Path

import pytest

from satchel.conformance.samples import log, make, put, remove, revise, tombstone
from satchel.ports import Batch, Document
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord
from satchel.stores.sqlite import SQLiteStore, scrubbing
from satchel.stores.sqlite.scrubbing import unused_part
from store_stage import found_in_files, left_in_files

EVERY = RecordFilter(statuses=())


@pytest.fixture
def store(tmp_path: Path):
    opened = SQLiteStore(tmp_path / "memory.db")
    yield opened
    opened.close()


def lived(store: SQLiteStore, seed: int = 3, count: int = 1500) -> dict[str, MemoryRecord]:
    """Write, revise and move records of many scopes, so that rows wander between pages."""
    chance = random.Random(seed)
    records: dict[str, MemoryRecord] = {}
    for start in range(0, count, 10):
        changes = []
        for place in range(start, start + 10):
            text = f"秘密{place}号 secret-{place}-end " + "字a" * chance.randrange(5, 400)
            record = records[f"r{place}"] = make(f"r{place}", f"user:u{chance.randrange(12)}", text, meta={"m": f"meta秘密{place}号"})
            vector = f"vector-{place}-".encode() * 40 if chance.random() < 0.5 else None
            changes.append(put(record, terms=f"terms-{place}-".encode() * chance.randrange(1, 20), vector=vector))
        for name in chance.sample(sorted(records), min(4, len(records))):
            records[name] = revise(records[name], content=records[name].content + "b" * chance.randrange(200))
            changes.append(put(records[name], terms=b"again" * 9, log=log("correct", reason=f"reason秘密{name[1:]}号")))
        store.apply(Batch(changes))
    return records


_NUMBERED = b"(?:%s|%s|secret-|terms-|vector-)(\\d+)" % ("秘密".encode(), re.escape("秘密".encode("ascii", "backslashreplace")))


def remaining(store: SQLiteStore, places: list[int]) -> set[int]:
    """Return which of the numbered records have left something in the files: content, meta, reasons, terms or vectors."""
    return {int(number) for number in found_in_files(Path(store.location), _NUMBERED)} & set(places)


def test_the_content_is_in_the_files_while_it_is_remembered(store):
    lived(store, count=100)
    assert remaining(store, list(range(100))) == set(range(100))


@pytest.mark.parametrize("seed", [3, 4])
def test_scrubbing_leaves_nothing_of_what_was_forgotten(store, seed):
    records = lived(store, seed)
    victims = random.Random(seed).sample(range(1500), 500)
    changes = [put(tombstone(records[f"r{place}"])) if place % 2 else remove(records[f"r{place}"]) for place in victims]
    store.apply(Batch(changes))
    assert store.scrub()
    assert remaining(store, victims) == set()
    assert store.check() == []
    for name, record in records.items():
        if int(name[1:]) not in victims:
            assert store.get(record.scope, [name])[name].state() == record.state()


def test_rows_that_wander_leave_copies_that_only_the_sweep_removes(store, monkeypatch):
    """Why the sweep is there: with secure_delete and an empty log alone, something stays."""
    records = lived(store)
    victims = random.Random(1).sample(range(1500), 500)
    store.apply(Batch([put(tombstone(records[f"r{place}"])) for place in victims]))
    with monkeypatch.context() as patched:
        patched.setattr(scrubbing, "unused_part", lambda block, place, page_size, head: (place, place))
        assert store.scrub()
    assert remaining(store, victims)
    assert store.scrub()
    assert remaining(store, victims) == set()


def test_old_versions_and_documents_go_as_well(store):
    record = make("r", "user:a", "第一版秘密0号")
    store.apply(Batch([put(record)], [Document("plans", "p", {"text": "计划里的秘密0号"})]))
    store.apply(Batch([put(revise(record, content="the second version"), log=log("correct", reason="因为秘密0号"))]))
    store.apply(Batch([put(tombstone(revise(record, content="x")))], [Document("plans", "p", None)]))
    assert store.scrub()
    assert left_in_files(Path(store.location), "秘密0号", "second version") == set()


def test_a_reader_holds_the_scrubbing_up_and_its_leaving_lets_it_go_on(store, monkeypatch):
    monkeypatch.setattr(scrubbing, "_PATIENCE_MS", 20)
    record = make("r", "user:a", "读者还在看的秘密0号")
    store.apply(Batch([put(record)]))
    reading, leave = threading.Event(), threading.Event()

    def read() -> None:
        with store.reading():
            assert store.get("user:a", ["r"])
            reading.set()
            leave.wait(30)
            assert store.get("user:a", ["r"])["r"].content == record.content

    reader = threading.Thread(target=read)
    reader.start()
    assert reading.wait(30)
    store.apply(Batch([put(tombstone(record))]))
    assert not store.scrub()
    assert left_in_files(Path(store.location), "秘密0号")
    leave.set()
    reader.join()
    assert store.scrub()
    assert left_in_files(Path(store.location), "秘密0号") == set()


def test_another_connection_does_not_bring_back_what_it_remembers(store):
    """A page that another connection has in memory, swept in the file meanwhile, is read anew before it is written again."""
    records = lived(store, count=600)
    other = SQLiteStore(Path(store.location))
    for record in records.values():
        other.apply(Batch([put(revise(record, tags=("seen",)))]))
        if record.id == "r300":
            break
    victims = [place for place in range(600) if place % 3 == 0]
    store.apply(Batch([put(tombstone(store.get(records[f"r{p}"].scope, [f"r{p}"])[f"r{p}"])) for p in victims]))
    assert store.scrub()
    others = [records[f"r{place}"] for place in range(600) if place % 3]
    for record in others[:200]:
        held = other.get(record.scope, [record.id])[record.id]
        other.apply(Batch([put(revise(held, content=held.content[:20] + "grown" * 60))]))
    other.close()
    assert remaining(store, victims) == set()
    assert store.check() == []


def test_writers_go_on_while_a_large_store_is_scrubbed(store, monkeypatch):
    monkeypatch.setattr(scrubbing, "_CHUNK_BYTES", 64 * 1024)
    monkeypatch.setattr(scrubbing, "_BLOCK_BYTES", 16 * 1024)
    records = lived(store, count=800)
    victims = list(range(0, 800, 3))
    store.apply(Batch([put(tombstone(records[f"r{place}"])) for place in victims]))
    stop = threading.Event()
    written: list[str] = []

    def write() -> None:
        while not stop.is_set():
            name = f"new{len(written)}"
            store.apply(Batch([put(make(name, f"user:u{len(written) % 12}"))]))
            written.append(name)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        done = any(store.scrub() for _ in range(20))
    finally:
        stop.set()
        writer.join()
    assert done
    assert store.scrub()
    assert remaining(store, victims) == set()
    assert store.check() == []
    found = {record.id for record in store.scan([f"user:u{place}" for place in range(12)], RecordFilter(), limit=10_000).records}
    assert set(written) <= found


def test_the_sweep_touches_only_space_that_nothing_uses(tmp_path):
    """Every page kind of a file with tables, indexes, overflow and free pages: after the sweep the content is the same."""
    path = tmp_path / "any.db"
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c BLOB)")
    raw.execute("CREATE TABLE w (a TEXT PRIMARY KEY, b TEXT) WITHOUT ROWID")
    raw.execute("CREATE INDEX tb ON t (b, c)")
    raw.execute("CREATE TABLE scrubs (number INTEGER)")
    chance = random.Random(5)
    raw.execute("BEGIN")
    for place in range(3000):
        key = chance.randrange(10_000)
        raw.execute("INSERT OR REPLACE INTO t VALUES (?, ?, ?)", (key, "x" * chance.randrange(3000), bytes(chance.randrange(6000))))
        raw.execute("INSERT OR REPLACE INTO w VALUES (?, ?)", (f"{key}" * chance.randrange(1, 60), "y" * chance.randrange(500)))
        if place % 3 == 0:
            raw.execute("DELETE FROM t WHERE a % 7 = ?", (place % 7,))
    raw.execute("COMMIT")
    before = [raw.execute(f"SELECT * FROM {table}").fetchall() for table in ("t", "w")]
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    with path.open("r+b", buffering=0) as file:
        assert scrubbing.scrub(path, file.fileno())
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert [raw.execute(f"SELECT * FROM {table}").fetchall() for table in ("t", "w")] == before
    raw.close()


@pytest.mark.parametrize("page", [bytes(4096), b"\x0d" + b"\xff" * 4095, b"\x0d\0\0\xff\xff\0\x01" + bytes(4089), b"\x01" * 4096])
def test_a_page_that_makes_no_sense_is_left_alone(page):
    assert unused_part(page + page, 4096, 4096) == (4096, 4096)
