"""The JSON-lines store: what a person reads, what a kill leaves, what two processes see."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from satchel import open_memory
from satchel.conformance import MemoryContract, StoreContract
from satchel.errors import Conflict, StoreCorrupt, StoreUnavailable, VersionError
from satchel.operations import Memory
from satchel.ports import Batch, Document, IndexEntry, LogEntry, Put, Use
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import Deletion, MemoryRecord
from satchel.stores.jsonl import JsonLinesStore, journal, open_store

NOW = datetime(2026, 5, 4, 8, 30, tzinfo=UTC)
LOG = LogEntry("remember", "writer", NOW)
SCOPE = "user:alice"


def put(number: int, text: str = "第 {} 条 memory number {}", **options: object) -> Put:
    record = MemoryRecord(id=f"r{number}", content=text.format(number, number), scope=SCOPE, stored_at=NOW, updated_at=NOW)
    return Put(record, LOG, **options)  # type: ignore[arg-type]


def tombstone(number: int) -> Put:
    record = MemoryRecord(
        id=f"r{number}", content="", scope=SCOPE, stored_at=NOW, updated_at=NOW, status="deleted", revision=2, deletion=Deletion(at=NOW)
    )
    return Put(record, LogEntry("forget", "writer", NOW))


def ids(store: JsonLinesStore) -> set[str]:
    return {record.id for record in store.scan([SCOPE], RecordFilter(statuses=()), limit=10_000).records}


class TestMemory(MemoryContract):
    """What an engine over this store must do, as over every other."""

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Iterator[Memory]:
        with open_memory(f"jsonl:///{tmp_path / 'memory.jsonl'}", embedder="none", agent="writer") as opened:
            yield opened


class TestContract(StoreContract):
    """The contract of every store."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[JsonLinesStore]:
        opened = open_store(f"jsonl:///{tmp_path / 'memory.jsonl'}")
        yield opened
        opened.close()


def test_the_file_is_read_by_a_person_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store = open_store(f"jsonl:///{path}")
    store.apply(Batch([put(1, terms=b"terms")], [Document("tokens", "t", {"名": 1})]))
    kinds = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["kind"] for line in kinds] == ["satchel", "put", "document", "commit"]
    assert kinds[1]["record"]["content"] == "第 1 条 memory number 1"
    assert kinds[1]["log"] == {"operation": "remember", "agent": "writer", "at": "2026-05-04T08:30:00Z"}
    assert "terms" not in path.read_text("utf-8")


def test_a_write_only_appends(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store = open_store(f"jsonl:///{path}")
    store.apply(Batch([put(1)]))
    before = path.read_bytes()
    store.apply(Batch([put(2)]))
    store.touch([Use(SCOPE, "r1", NOW)])
    assert path.read_bytes().startswith(before)


def test_cut_at_any_byte_the_file_opens_with_every_whole_batch_and_no_half_one(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store = open_store(f"jsonl:///{path}")
    ends = []
    for batch in (Batch([put(1, "一 {}")]), Batch([put(2, "two {}")], [Document("c", "k", {"a": 1})])):
        store.apply(batch)
        ends.append((path.stat().st_size, ids(store)))
    whole = path.read_bytes()
    torn, kept = tmp_path / "torn.jsonl", tmp_path / "torn.jsonl.torn"
    for cut in range(len(whole) + 1):
        torn.unlink(missing_ok=True)
        kept.unlink(missing_ok=True)
        torn.write_bytes(whole[:cut])
        again = open_store(f"jsonl:///{torn}")
        expected = max((held for end, held in ends if end <= cut), key=len, default=set())
        assert ids(again) == expected, cut
        again.apply(Batch([], [Document("c", "after", {})]))
        again = open_store(f"jsonl:///{torn}")
        assert (ids(again), again.document("c", "after")) == (expected, {})
        lost = whole[max((end for end, _ in ends if end <= cut), default=min(cut, whole.index(b"\n") + 1)) : cut]
        assert (kept.read_bytes() if kept.exists() else b"") in (lost, whole[:cut])


def test_damage_before_the_end_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store = open_store(f"jsonl:///{path}")
    for number in range(3):
        store.apply(Batch([put(number)]))
    whole = path.read_bytes()
    path.write_bytes(whole.replace("第 1 条".encode(), "第 7 条".encode()))
    with pytest.raises(StoreCorrupt, match="damaged"):
        open_store(f"jsonl:///{path}")
    assert store.check() != []


@pytest.mark.parametrize("content", [b'{"name": "somebody else\'s"}\n', b"\x00\x01", "备忘\n".encode()])
def test_another_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt, match="not a Satchel store"):
        open_store(f"jsonl:///{path}")
    assert path.read_bytes() == content


def test_a_later_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_bytes(b'{"kind":"satchel","store":"jsonl","version":2}\n')
    with pytest.raises(VersionError) as caught:
        open_store(f"jsonl:///{path}")
    assert caught.value.details == {"found": "2", "supported": "1"}


def test_erased_content_leaves_the_files_with_scrubbing_and_no_position_moves(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store = open_store(f"jsonl:///{path}")
    store.apply(Batch([put(1, "用户对花生严重过敏 {}", terms=b"peanut"), put(2)]))
    store.apply(Batch([put(1, "用户对花生过敏 {}", terms=b"peanut")]))
    store.apply(Batch([tombstone(1)]))
    history = store.history(SCOPE, "r1")
    before = store.changes(None)
    assert "花生" in path.read_text("utf-8")
    assert store.scrub()
    for file in tmp_path.iterdir():
        assert "花生" not in file.read_text("utf-8")
        assert "cGVhbnV0" not in file.read_text("utf-8")
    again = open_store(f"jsonl:///{path}")
    assert again.history(SCOPE, "r1") == history
    assert again.changes(None) == before


def test_two_handles_see_each_other_also_over_a_compaction(tmp_path: Path) -> None:
    url = f"jsonl:///{tmp_path / 'memory.jsonl'}"
    one, two = open_store(url), open_store(url)
    one.apply(Batch([put(1, terms=b"one")]))
    assert ids(two) == {"r1"}
    two.apply(Batch([put(2, terms=b"two")]))
    one.scrub()
    two.apply(Batch([put(3)]))
    assert ids(one) == {"r1", "r2", "r3"}
    assert {row.id: row.terms for row in one.index_slice(SCOPE).rows} == {"r1": b"one", "r2": b"two", "r3": b""}
    with pytest.raises(Conflict):
        one.apply(Batch([put(3, expect=0)]))


def test_losing_the_index_file_loses_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store = open_store(f"jsonl:///{path}")
    store.apply(Batch([put(1, terms=b"one", vector=b"\x00\x3c")]))
    (tmp_path / "memory.jsonl.index").unlink()
    again = open_store(f"jsonl:///{path}")
    assert ids(again) == {"r1"}
    assert [item.id for item in again.unindexed()] == ["r1"]
    assert "reindex --everything" in again.check()[0]
    again.write_index([IndexEntry(SCOPE, "r1", put(1).record.content_hash, b"one", b"\x00\x3c")])
    (row,) = open_store(f"jsonl:///{path}").index_slice(SCOPE).rows
    assert (row.terms, row.vector) == (b"one", b"\x00\x3c")
    assert again.check() == []


def test_a_compaction_keeps_the_link_and_the_mode_of_the_file(tmp_path: Path) -> None:
    path, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(path)
    store = open_store(f"jsonl:///{link}")
    store.apply(Batch([put(1)]))
    path.chmod(0o664)
    store.scrub()
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o664
    assert ids(open_store(f"jsonl:///{link}")) == {"r1"}


def test_a_writer_that_waits_for_a_compaction_comes_after_it(tmp_path: Path) -> None:
    url = f"jsonl:///{tmp_path / 'memory.jsonl'}"
    store, other = open_store(url), open_store(url)
    store.apply(Batch([put(1)]))
    write_anew = store._index.write_anew

    def meanwhile(entries: Iterable[IndexEntry]) -> None:
        # The new file is in its place already.
        waiting.append(pool.submit(other.apply, Batch([put(2)])))
        wait(waiting, timeout=0.1)
        assert not waiting[0].done()
        write_anew(entries)

    waiting: list[Future[int]] = []
    with ThreadPoolExecutor(1) as pool:
        store._index.write_anew = meanwhile  # type: ignore[method-assign]
        store.scrub()
        store._index.write_anew = write_anew  # type: ignore[method-assign]
        assert waiting[0].result() == 2
    assert ids(store) == {"r1", "r2"}
    store.scrub()
    assert ids(open_store(url)) == {"r1", "r2"}


def test_another_file_with_the_number_of_the_old_one_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store, other = open_store(f"jsonl:///{path}"), open_store(f"jsonl:///{path}")
    store.apply(Batch([put(number) for number in range(5)]))
    assert len(ids(other)) == 5
    # The system gives the number of a removed file out again: here, by writing another into the same one.
    another = open_store(f"jsonl:///{tmp_path / 'another.jsonl'}")
    another.apply(Batch([put(number) for number in range(100, 150)]))
    path.write_bytes((tmp_path / "another.jsonl").read_bytes())
    assert ids(other) == ids(another)


def test_uses_do_not_let_the_file_grow_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store = open_store(f"jsonl:///{path}")
    store.apply(Batch([put(1)]))
    for _ in range(30):
        store.touch([Use(SCOPE, "r1", NOW)] * 100)
    assert len(path.read_bytes().splitlines()) < 1500
    assert open_store(f"jsonl:///{path}").get(SCOPE, ["r1"])["r1"].usage.access_count == 3000


def test_a_file_that_was_taken_away_is_said(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store = open_store(f"jsonl:///{path}")
    path.rename(tmp_path / "elsewhere.jsonl")
    with pytest.raises(StoreUnavailable, match="gone"):
        store.get(SCOPE, ["r1"])
    with pytest.raises(StoreUnavailable):
        store.apply(Batch([put(1)]))
    path.unlink(missing_ok=True)
    (tmp_path / "elsewhere.jsonl").rename(path)
    store.apply(Batch([put(1)]))
    assert ids(open_store(f"jsonl:///{path}")) == {"r1"}


def test_a_full_disk_is_said_and_writing_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    store = open_store(f"jsonl:///{path}")
    store.apply(Batch([put(1)]))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python ignores the signal that comes with it.
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100, limits[1]))
    try:
        with pytest.raises(StoreUnavailable, match="too large"):
            store.apply(Batch([put(2), put(3)]))
        assert ids(store) == {"r1"}
        assert ids(open_store(f"jsonl:///{path}")) == {"r1"}
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    store.apply(Batch([put(2)]))
    assert ids(open_store(f"jsonl:///{path}")) == {"r1", "r2"}
    assert not (tmp_path / "memory.jsonl.torn").exists()


WRITER = """
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from datetime import UTC, datetime
from satchel.ports import Batch, LogEntry, Put
from satchel.protocol.record import MemoryRecord
from satchel.stores.jsonl import open_store
store, name, count = open_store(sys.argv[1]), sys.argv[2], int(sys.argv[3])
now = datetime(2026, 5, 4, tzinfo=UTC)
print("ready", flush=True)
for number in range(count):
    record = MemoryRecord(id=f"{name}-{number}", content=f"记忆 {name} {number}", scope="user:alice", stored_at=now, updated_at=now)
    store.apply(Batch([Put(record, LogEntry("remember", name, now), expect=0)]))
    print(number, flush=True)
    if number % 40 == 39:
        store.scrub()
"""


def test_processes_that_write_and_compact_at_once_lose_nothing(tmp_path: Path) -> None:
    url = f"jsonl:///{tmp_path / 'memory.jsonl'}"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, url, name, "100"], stdout=subprocess.DEVNULL) for name in ("one", "two", "three")
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    store = open_store(url)
    assert len(ids(store)) == 300
    assert [change.position for change in store.changes(None)] == list(range(1, 301))


@pytest.mark.parametrize("after", [3, 17, 45])
def test_a_kill_loses_no_acknowledged_write(tmp_path: Path, after: int) -> None:
    url = f"jsonl:///{tmp_path / 'memory.jsonl'}"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, url, "one", "100000"], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    acknowledged = [writer.stdout.readline() for _ in range(after + 1)][1:]
    writer.kill()
    acknowledged += writer.stdout.read().split()
    writer.wait()
    writer.stdout.close()
    held = ids(open_store(url))
    assert {f"one-{int(number)}" for number in acknowledged} <= held
    assert len(held) <= len(acknowledged) + 1


@pytest.mark.parametrize(("mark", "ends"), [(b"", b"\r\n"), (b"\xef\xbb\xbf", b"\n"), (b"\xef\xbb\xbf", b"\r\n")])
def test_what_git_or_an_editor_did_to_a_file_is_named_with_a_repair_that_brings_all_back(tmp_path: Path, mark: bytes, ends: bytes) -> None:
    path = tmp_path / "memory.jsonl"
    with closing(JsonLinesStore(path)) as store:
        store.apply(Batch([put(1, "甲\r\nwith a line end {} {}"), put(2)]))
    before = path.read_bytes()
    altered = mark + before.replace(b"\n", ends)
    path.write_bytes(altered)
    with pytest.raises(StoreCorrupt, match="byte order mark" if mark else "Windows line ends") as refused:
        JsonLinesStore(path)
    assert path.read_bytes() == altered
    repair = str(refused.value).split("`")[1]
    subprocess.run(f"{repair} {path}", shell=True, check=True)
    assert path.read_bytes() == before
    with closing(JsonLinesStore(path)) as store:
        assert set(store.get(SCOPE, {"r1", "r2"})) == {"r1", "r2"}


# ---------------------------------------------------------------- what stands behind the end


def cut_in_the_middle(path: Path) -> tuple[bytes, set[str]]:
    """Write a file anew, as a forgetting does, and cut it; return its bytes and the ids it held."""
    with closing(JsonLinesStore(path)) as store:
        for number in range(5):
            store.apply(Batch([put(number)]))
        store.scrub()
        held = ids(store)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    return path.read_bytes(), held


def test_whole_lines_behind_the_end_are_told_on_opening_and_by_looking_and_nothing_is_touched(tmp_path: Path, caplog: Any) -> None:
    path = tmp_path / "memory.jsonl"
    cut, held = cut_in_the_middle(path)
    with closing(JsonLinesStore(path)) as store:
        assert ids(store) < held
        (told,) = [record.getMessage() for record in caplog.records]
        lines = len(cut.splitlines()) - 2  # the header, and a line that is not whole
        assert f"{lines} whole lines" in told and "put a copy back" in told and "memory.jsonl.torn" in told
        assert store.notices() == [told] and store.check() == []
    assert path.read_bytes() == cut and not (tmp_path / "memory.jsonl.torn").exists()


def test_doctor_names_what_is_not_read_and_leaves_it_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    cut, _ = cut_in_the_middle(path)
    with open_memory(f"jsonl:///{path}", embedder="none") as memory:
        findings = [finding for finding in memory.doctor().findings if "whole lines" in finding.message]
        assert [finding.level for finding in findings] == ["warning"]
    assert path.read_bytes() == cut


def test_a_write_says_that_it_moved_what_was_not_read_and_a_copy_can_be_put_together_of_both(tmp_path: Path, caplog: Any) -> None:
    path, torn = tmp_path / "memory.jsonl", tmp_path / "memory.jsonl.torn"
    cut, _ = cut_in_the_middle(path)
    with closing(JsonLinesStore(path)) as store:
        caplog.clear()
        store.apply(Batch([put(9)]))
        assert [record.getMessage() for record in caplog.records if str(torn) in record.getMessage()]
        assert store.notices() == [] and torn.read_bytes() == cut[cut.index(b"\n") + 1 :]
        caplog.clear()
        store.apply(Batch([put(10)]))
        assert not caplog.records


def test_one_line_that_a_killed_writer_left_unfinished_is_nothing_to_tell(tmp_path: Path, caplog: Any) -> None:
    path = tmp_path / "memory.jsonl"
    with closing(JsonLinesStore(path)) as store:
        store.apply(Batch([put(1)]))
    with path.open("ab") as file:
        file.write(b'{"kind":"put","log":{"oper')
    with closing(JsonLinesStore(path)) as store:
        assert store.notices() == []
        store.apply(Batch([put(2)]))
    assert not caplog.records


def test_a_write_under_way_is_not_taken_for_one_that_was_broken_off(tmp_path: Path, caplog: Any) -> None:
    url = f"jsonl:///{tmp_path}/memory.jsonl"
    with closing(open_store(url)) as writer, closing(open_store(url)) as reader:
        stop = threading.Event()
        job = threading.Thread(target=lambda: [writer.apply(Batch([put(n) for n in range(50)])) for _ in iter(stop.is_set, True)])
        job.start()
        try:
            assert not any(reader.notices() for _ in range(200))
        finally:
            stop.set()
            job.join()
    assert not caplog.records


def test_a_cut_in_a_large_file_that_was_written_anew_hides_a_hundred_lines_at_most(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    with closing(JsonLinesStore(path)) as store:
        store.apply(Batch([put(number) for number in range(1000)]))
        store.scrub()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with closing(JsonLinesStore(path)) as store:
        assert len(ids(store)) >= whole[: len(whole) // 2].count(b'"kind":"put"') - 100


@pytest.mark.parametrize("altered", [(b"memory number 1", b"memory number 7"), (b"\n", b"\r\n")])
def test_damage_is_told_by_the_number_of_its_line(tmp_path: Path, altered: tuple[bytes, bytes]) -> None:
    path = tmp_path / "memory.jsonl"
    with closing(JsonLinesStore(path)) as store:
        for number in range(4):
            store.apply(Batch([put(number, "第 {0} 条 memory number {0}")]))
    lines = path.read_bytes().splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if b"memory number 1" in line)
    lines[place] = lines[place].replace(*altered)
    path.write_bytes(b"".join(lines))
    with pytest.raises(StoreCorrupt, match=f"lines {place + 1} to {place + 1}"):
        JsonLinesStore(path)


def test_a_line_that_says_nothing_is_told_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    with closing(JsonLinesStore(path)) as store:
        store.apply(Batch([put(1)]))
    number = path.read_bytes().count(b"\n") + 1
    with path.open("ab") as file:
        file.write(journal.sealed([b'{"kind":"of a later day"}\n']))
    with pytest.raises(StoreCorrupt, match=f"line {number}: "):
        JsonLinesStore(path)
