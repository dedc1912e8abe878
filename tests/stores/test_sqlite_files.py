"""SQLite files that are not what they should be: each is a clear error that names the file, and nothing is lost (STO-5, STO-6)."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.disks import open_parents

from satchel.conformance.samples import make, write
from satchel.errors import InvalidRequest, StoreCorrupt, StoreUnavailable, VersionError
from satchel.protocol.filters import RecordFilter
from satchel.stores.sqlite import SQLiteStore, open_store

SCOPE = "user:alice"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def filled(path: Path, count: int = 40) -> None:
    store = SQLiteStore(path)
    write(store, *(make(f"r{place}", SCOPE, f"第 {place} 条 note " + "字" * 300) for place in range(count)))
    store.close()


def test_what_is_written_is_there_after_reopening(path):
    filled(path)
    store = SQLiteStore(path)
    assert len(store.scan([SCOPE], RecordFilter(), limit=100).records) == 40
    assert store.check() == []
    store.close()


def test_urls_name_relative_and_absolute_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for url, expected in (
        ("sqlite:///a.db", "a.db"),
        (f"sqlite:///{tmp_path}/b.db", "b.db"),
        ("sqlite:///with space%20é.db", "with space%20é.db"),
    ):
        store = open_store(url)
        assert Path(store.location) == tmp_path / expected
        assert Path(store.location).exists()
        store.close()
    for wrong in ("sqlite:///", "sqlite:a.db", "memory://"):
        with pytest.raises(InvalidRequest, match="sqlite:///"):
            open_store(wrong)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_new_store_is_its_owners_alone(path):
    store = SQLiteStore(path)
    write(store, make("r", SCOPE))
    assert {found.name: found.stat().st_mode & 0o777 for found in path.parent.iterdir()} == {
        "memory.db": 0o600,
        "memory.db-wal": 0o600,
        "memory.db-shm": 0o600,
    }
    store.close()


@pytest.mark.parametrize("content", [b"not a database, but a diary\n" * 100, b"SQLite format 3\0" + b"\xff" * 5000, "日记".encode() * 5000])
def test_a_file_that_is_something_else_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt, match=r"memory\.db"):
        SQLiteStore(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused_and_left_alone(path):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE schema (version INTEGER)")
    other.execute("INSERT INTO schema VALUES (1)")
    other.commit()
    other.close()
    with pytest.raises(StoreCorrupt, match="not a Satchel store"):
        SQLiteStore(path)
    other = sqlite3.connect(path)
    assert other.execute("SELECT name FROM sqlite_schema").fetchall() == [("schema",)]
    other.close()


def test_a_later_schema_is_refused_and_names_both_versions(path):
    filled(path, 1)
    raw = sqlite3.connect(path)
    raw.execute("INSERT INTO schema VALUES (99, 'of the future', '2099-01-01')")
    raw.commit()
    raw.close()
    with pytest.raises(VersionError, match="99") as caught:
        SQLiteStore(path)
    assert caught.value.details == {"found": "99", "supported": "1"}


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_truncated_file_is_refused(path, share):
    filled(path)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(int(size * share) // 4096 * 4096 + 100)
    with pytest.raises(StoreCorrupt, match=r"memory\.db"):
        SQLiteStore(path)


def test_damage_inside_is_told_when_it_is_met_and_by_the_check(path):
    filled(path, 200)
    data = bytearray(path.read_bytes())
    for page in range(10, len(data) // 4096 - 2):
        data[page * 4096 : page * 4096 + 2000] = b"\xa5" * 2000
    path.write_bytes(data)
    store = SQLiteStore(path)
    assert any("damaged" in sentence for sentence in store.check())
    with pytest.raises(StoreCorrupt, match=r"memory\.db"):
        store.scan([SCOPE], RecordFilter(), limit=1000)
    store.close()


@pytest.mark.parametrize("damage", ["{", '{"id":"r0"}', "null"])
def test_a_record_whose_text_is_damaged_is_told_by_name(path, damage):
    filled(path)
    raw = sqlite3.connect(path)
    raw.execute("UPDATE memories SET body = ? WHERE id = 'r7'", (damage,))
    raw.commit()
    raw.close()
    store = SQLiteStore(path)
    with pytest.raises(StoreCorrupt):
        store.get(SCOPE, ["r7"])
    assert store.get(SCOPE, ["r8"])
    assert any("'r7'" in sentence for sentence in store.check())
    store.close()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE memories SET body = replace(body, '第 7 条', '第 8 条') WHERE id = 'r7'", "'r7'"),
        ("UPDATE memories SET status = 'archived' WHERE id = 'r7'", "'r7'"),
        ("UPDATE scopes SET active = 3", "counts"),
        ("DELETE FROM changes WHERE id = 'r7'", "log is lost"),
        ("INSERT INTO vectors VALUES (5, x'00')", "vectors without a record"),
        ("UPDATE memories SET embedded = 1 WHERE id = 'r7'", "vector flag"),
    ],
)
def test_what_does_not_fit_together_is_found(path, change, told):
    filled(path)
    raw = sqlite3.connect(path)
    raw.execute(change)
    raw.commit()
    raw.close()
    store = SQLiteStore(path)
    assert any(told in sentence for sentence in store.check())
    store.close()


def test_a_missing_folder_and_a_folder_in_its_place_are_unavailable(tmp_path):
    for path in (tmp_path / "nowhere" / "memory.db", tmp_path):
        with pytest.raises(StoreUnavailable, match=path.name):
            SQLiteStore(path)


def test_a_file_that_is_taken_away_is_not_replaced_by_an_empty_one(path):
    filled(path)
    store = SQLiteStore(path)
    write(store, make("before", SCOPE))
    for name in ("memory.db", "memory.db-wal", "memory.db-shm"):
        path.with_name(name).rename(path.with_name(f"kept-{name}"))
    with pytest.raises(StoreUnavailable):
        write(store, make("lost", SCOPE))
    with pytest.raises(StoreUnavailable):
        store.get(SCOPE, ["before"])
    assert not path.exists()
    for name in ("memory.db", "memory.db-wal", "memory.db-shm"):
        path.with_name(f"kept-{name}").rename(path.with_name(name))
    write(store, make("after", SCOPE))
    assert store.get(SCOPE, ["before", "after"]).keys() == {"before", "after"}
    store.close()


def test_a_file_that_is_replaced_is_read_and_written_as_it_now_is(path, tmp_path):
    filled(path)
    filled(tmp_path / "other.db", 2)
    store = SQLiteStore(path)
    assert len(store.scan([SCOPE], RecordFilter(), limit=100).records) == 40
    (tmp_path / "other.db").replace(path)
    assert len(store.scan([SCOPE], RecordFilter(), limit=100).records) == 2
    write(store, make("new", SCOPE))
    assert len(store.scan([SCOPE], RecordFilter(), limit=100).records) == 3
    store.close()


_READ_ONLY = """
import os, sys
from pathlib import Path
from satchel.conformance.samples import make, write
from satchel.errors import StoreUnavailable
from satchel.protocol.filters import RecordFilter
from satchel.stores.sqlite import SQLiteStore
SQLiteStore(sys.argv[2]).close()
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
store = SQLiteStore(sys.argv[1])
assert len(store.scan(["user:alice"], RecordFilter(), limit=100).records) == 40
with store.reading():
    assert store.get("user:alice", ["r1"])
try:
    write(store, make("new", "user:alice"))
except StoreUnavailable as error:
    assert "memory.db" in str(error), error
else:
    raise AssertionError("written")
print("read, and could not write")
sys.stdout.flush()
sys.stdin.readline()
write(store, make("new", "user:alice"))
assert len(store.scan(["user:alice"], RecordFilter(), limit=100).records) == 41
store.close()
print("written at last")
"""


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("logged", [False, True])
@pytest.mark.parametrize("closed", ["file", "folder and file"])
def test_a_read_only_store_is_read_and_written_once_it_can_be(tmp_path, closed, logged):
    folder = tmp_path / "closed"
    folder.mkdir()
    path = folder / "memory.db"
    filled(path)
    other = SQLiteStore(path) if logged else None
    if other is not None:
        # There is a log then, and its readers share memory that they may not write.
        write(other, make("r1", SCOPE, "written last"))
    open_parents(tmp_path)
    for one in folder.iterdir():
        one.chmod(0o444)
    folder.chmod(0o555 if "folder" in closed else 0o777)
    command = [sys.executable, "-c", _READ_ONLY, str(path), str(tmp_path / "warm.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "read, and could not write\n"
        folder.chmod(0o777)
        for one in folder.iterdir():
            one.chmod(0o666)
        assert child.communicate("\n", timeout=60)[0] == "written at last\n"
        assert child.returncode == 0
    if other is not None:
        other.close()


def test_twelve_thousand_records_keep_their_count(path):
    store = SQLiteStore(path)
    for start in range(0, 12_000, 3000):
        write(store, *(make(f"r{place}", f"user:u{place % 7}", f"note {place}") for place in range(start, start + 3000)))
    assert sum(found.counts["active"] for found in store.scopes()) == 12_000
    found = 0
    cursor = None
    while True:
        page = store.scan([f"user:u{place}" for place in range(7)], RecordFilter(), cursor=cursor, limit=997)
        found += len(page.records)
        cursor = page.cursor
        if cursor is None:
            break
    assert found == 12_000
    store.close()
