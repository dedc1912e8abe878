"""What goes wrong under a store: a full disk, a lock, an interruption. The caller sees our errors only, and can go on afterwards."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.disks import Disk, disk

from satchel.conformance.samples import make, put, write
from satchel.errors import Conflict, SatchelError, StoreCorrupt, StoreError, StoreUnavailable
from satchel.ports import Batch, Document
from satchel.stores.sqlite import SQLiteStore, connections
from satchel.stores.sqlite.failures import store_error, translated

__all__ = ["disk"]

SCOPE = "user:alice"


@pytest.fixture
def store(tmp_path: Path):
    opened = SQLiteStore(tmp_path / "memory.db")
    yield opened
    opened.close()


def large(name: str):
    return make(name, SCOPE, f"{name} " + "很长的内容 " * 40_000)


def test_a_full_store_says_so_keeps_what_it_has_and_goes_on_when_there_is_room(store):
    write(store, make("before", SCOPE))
    connection = store._writer._connection
    assert connection is not None
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(StoreUnavailable, match="full"):
        write(store, large("too much"))
    assert store.get(SCOPE, ["before", "too much"]).keys() == {"before"}
    write(store, make("small", SCOPE))
    connection.execute("PRAGMA max_page_count = 1000000")
    write(store, large("now"))
    assert store.get(SCOPE, ["before", "small", "now"]).keys() == {"before", "small", "now"}
    assert store.check() == []


def test_a_full_store_harms_only_what_did_not_fit(store):
    """Of the writes that share a transaction with one that does not fit, each ends well or is told, and what is told to be there is."""
    write(store, make("before", SCOPE))
    connection = store._writer._connection
    assert connection is not None
    connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0] + 40}")
    outcomes: dict[str, bool] = {}
    start = threading.Barrier(6)

    def work(name: str) -> None:
        start.wait()
        try:
            write(store, large(name) if name == "large" else make(name, SCOPE))
            outcomes[name] = True
        except StoreUnavailable:
            outcomes[name] = False

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b", "large", "c", "d", "e")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not outcomes["large"]
    assert store.get(SCOPE, outcomes).keys() == {name for name, done in outcomes.items() if done}
    assert store.check() == []


_FULL_DISK = """
import sys
from pathlib import Path
from satchel.conformance.samples import make, write
from satchel.errors import StoreUnavailable
from satchel.stores.sqlite import SQLiteStore
folder = Path(sys.argv[1])
store = SQLiteStore(folder / "memory.db")
kept = 0
filler = folder / "filler"
filler.write_bytes(bytes(600 * 1024))
try:
    while kept < 2000:
        write(store, make(f"r{kept}", "user:a", f"第 {kept} 条 " + "字" * 700))
        kept += 1
except StoreUnavailable as error:
    assert "full" in str(error) or "input/output" in str(error), error
else:
    raise AssertionError("the disk was never full")
assert len(store.get("user:a", [f"r{place}" for place in range(kept)])) == kept
filler.unlink()
write(store, make("after", "user:a"))
store.close()
store = SQLiteStore(folder / "memory.db")
assert len(store.get("user:a", [f"r{place}" for place in range(kept)] + ["after"])) == kept + 1
assert store.check() == []
store.close()
print("ok", kept)
"""


def test_a_full_disk_loses_nothing_and_is_survived(disk: Disk):
    done = subprocess.run([sys.executable, "-c", _FULL_DISK, str(disk.folder)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ok")


def test_a_lock_that_is_never_let_go_is_unavailable_not_a_driver_error(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.05)
    store = SQLiteStore(tmp_path / "memory.db")
    write(store, make("before", SCOPE))
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked"):
        write(store, make("r", SCOPE))
    assert store.get(SCOPE, ["before"])
    other.execute("ROLLBACK")
    other.close()
    write(store, make("r", SCOPE))
    assert store.get(SCOPE, ["r"])
    store.close()


def test_a_writer_waits_for_another_process_and_succeeds(store):
    other = sqlite3.connect(store.location, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.1, lambda: other.execute("ROLLBACK"))
    timer.start()
    write(store, make("r", SCOPE))
    timer.join()
    other.close()
    assert store.get(SCOPE, ["r"])


def test_an_interruption_undoes_the_write_and_frees_those_that_wait(store):
    write(store, make("before", SCOPE))

    def interrupted(connection):
        connection.execute("DELETE FROM memories")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store._writer.run(interrupted)
    write(store, make("after", SCOPE))
    assert store.get(SCOPE, ["before", "after"]).keys() == {"before", "after"}
    assert store.check() == []


def test_an_error_of_one_write_is_its_own_in_a_shared_transaction(store):
    """Two writes in one group: the first fails after it has written, the second stands."""
    from satchel.stores.sqlite.writer import _Job

    def fails(connection):
        connection.execute("DELETE FROM scopes")
        raise Conflict("somebody was faster")

    write(store, make("before", SCOPE))
    bad, good = _Job(fails, True), _Job(lambda connection: connection.execute("SELECT count(*) FROM scopes").fetchone()[0], True)
    store._writer._waiting.extend([bad, good])
    write(store, make("after", SCOPE))
    with pytest.raises(Conflict):
        bad.outcome()
    assert good.outcome() == 1
    assert store.get(SCOPE, ["before", "after"]).keys() == {"before", "after"}


def test_a_statement_that_fails_is_our_error_and_leaves_nothing(store):
    with pytest.raises(StoreError, match=r"memory\.db"):
        store._writer.run(lambda connection: connection.execute("INSERT INTO nowhere VALUES (1)"))
    write(store, make("after", SCOPE))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (sqlite3.ProgrammingError("Cannot operate on a closed database."), StoreUnavailable),
        (sqlite3.OperationalError("Could not decode to UTF-8 column"), StoreCorrupt),
        (sqlite3.IntegrityError("UNIQUE constraint failed"), StoreError),
        (PermissionError(13, "Permission denied"), StoreUnavailable),
    ],
)
def test_every_driver_error_becomes_ours_and_names_the_file(error, expected):
    with pytest.raises(expected, match=r"/x/memory\.db") as caught, translated("/x/memory.db"):
        raise error
    assert isinstance(caught.value, SatchelError)
    assert type(store_error(error, "f")) is expected


def test_text_that_is_not_utf8_is_damage_and_no_crash(store):
    store.apply(Batch([put(make("r", SCOPE))], [Document("c", "k", {})]))
    raw = sqlite3.connect(store.location)
    raw.execute("UPDATE documents SET value = CAST(x'ff80' AS TEXT)")
    raw.commit()
    raw.close()
    with pytest.raises(StoreCorrupt):
        store.document("c", "k")
