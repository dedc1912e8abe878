"""Disks that are full, and stores that may be read but not written: what took place is told as done, and what hinders is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.disks import Disk, disk, open_parents

from satchel.engine import engine
from satchel.errors import StoreUnavailable
from write_stage import ALICE, opened

__all__ = ["disk"]

KINDS = ("sqlite", "jsonl")
ROOM = 30_000
"""Bytes that a forgetting fits in, and the scrubbing of the files does not."""


def _findings(memory, subject):
    return [(found.level, found.message) for found in memory.doctor().findings if found.subject == subject]


def _holding(folder: Path, text: str) -> list[str]:
    return [path.name for path in folder.iterdir() if text.encode() in path.read_bytes()]


@pytest.mark.parametrize("text", ["保险箱的位置在梨树下", "The safe is under the pear tree"])
@pytest.mark.parametrize("how", ["doctor", "the next write", "the next opening"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_forgotten_on_a_full_disk_is_forgotten_and_scrubbed_once_there_is_room(disk: Disk, monkeypatch, kind, how, text):
    monkeypatch.setattr(engine, "_SCRUB_EVERY", 0.0)
    with opened(disk.url(kind)) as memory:
        memory.remember(text, scope=ALICE, id="safe")
        for number in range(30):
            memory.remember(f"第 {number} 条 " + "字" * 400, scope=ALICE, id=f"m{number}")
        disk.fill(ROOM)
        forgotten = memory.forget("safe", scope=ALICE)
        assert (forgotten.state, forgotten.count) == ("scrub_pending", 1)
        assert "the disk is full" in (forgotten.note or "")
        assert _holding(disk.folder, text)
        assert "safe" not in {record.id for record in memory.every_record(scope=ALICE)}
        assert memory.stats().scrub_pending
        assert [level for level, _ in _findings(memory, "erasure")] == ["warning"]
        disk.make_room()
        if how == "doctor":
            assert [level for level, _ in _findings(memory, "erasure")] == ["ok"]
        elif how == "the next write":
            memory.remember("something else", scope=ALICE)
            assert not memory.stats().scrub_pending
    with opened(disk.url(kind)) as memory:
        assert not memory.stats().scrub_pending
        assert memory.doctor().healthy
    assert _holding(disk.folder, text) == []


def test_a_file_that_could_not_be_written_anew_leaves_its_room_to_what_is_forgotten_next(disk: Disk):
    with opened(disk.url("jsonl")) as memory:
        for number in range(30):
            memory.remember(f"第 {number} 条 " + "字" * 400, scope=ALICE, id=f"m{number}")
        disk.fill(ROOM)
        before = {path.name for path in disk.folder.iterdir()}
        for number in range(5):
            assert memory.forget(f"m{number}", scope=ALICE).state == "scrub_pending"
        assert {path.name for path in disk.folder.iterdir()} == before
        disk.make_room()
    with opened(disk.url("jsonl")) as memory:
        assert len(list(memory.every_record(scope=ALICE))) == 25
        assert not memory.stats().scrub_pending


def test_a_write_that_took_place_is_told_though_its_usage_finds_no_room(memory, monkeypatch):
    memory.remember("喜欢龙井茶", scope=ALICE, id="tea")
    memory.remember("The release window is Thursday", scope=ALICE, id="window")
    memory.correct("window", "The release window is Friday", scope=ALICE)

    def full(uses):
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(memory.core.store, "touch", full)
    (again,) = [memory.remember("喜欢龙井茶", scope=ALICE)]
    assert again.record.id == "tea"
    (friday,) = [record.id for record in memory.every_record(scope=ALICE) if "Friday" in record.content]
    assert memory.forget(friday, scope=ALICE).count == 1
    assert friday not in {record.id for record in memory.every_record(scope=ALICE)}


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_fit_on_a_full_disk_is_refused_and_nothing_of_it_is_there(disk: Disk, kind):
    with opened(disk.url(kind)) as memory:
        memory.remember("喜欢龙井茶", scope=ALICE, id="tea")
        disk.fill()
        with pytest.raises(StoreUnavailable, match="the disk is full, so this was not written"):
            memory.remember("长 " * 20_000, scope=ALICE, id="long")
        assert [record.id for record in memory.every_record(scope=ALICE)] == ["tea"]
        disk.make_room()
        memory.remember("长 " * 20_000, scope=ALICE, id="long")
        assert memory.doctor().healthy


@pytest.mark.parametrize("kind", KINDS)
def test_the_doctor_says_that_a_file_system_is_mounted_read_only(disk: Disk, kind):
    with opened(disk.url(kind)) as memory:
        memory.remember("喜欢龙井茶", scope=ALICE, id="tea")
    disk.forbid_writing()
    with opened(disk.url(kind)) as memory:
        assert [record.id for record in memory.every_record(scope=ALICE)] == ["tea"]
        ((level, message),) = _findings(memory, "writing")
        assert level == "error"
        assert "can be read" in message
        assert "mounted read-only" in message
        with pytest.raises(StoreUnavailable, match="mounted read-only"):
            memory.forget("tea", scope=ALICE)
        disk.allow_writing()
        memory.remember("The release window is Thursday", scope=ALICE)
        assert memory.doctor().healthy


_AS_ANOTHER_USER = """
import os, sys
from satchel import open_memory
for warm in sys.argv[2:]:
    with open_memory(warm, embedder="none") as memory:
        memory.remember("warm", scope="user:alice")
        memory.recall("warm", scope="user:alice")
        memory.doctor()
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
with open_memory(sys.argv[1], embedder="none") as memory:
    assert memory.recall("龙井茶", scope="user:alice")
    found = memory.doctor()
    print(found.healthy, *(f.message for f in found.findings if f.level == "error"), flush=True)
    sys.stdin.readline()
    memory.remember("The release window is Thursday", scope="user:alice")
    print(memory.doctor().healthy, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("closed", ["file", "folder"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_doctor_says_what_a_user_may_not_write_and_that_it_is_well_again(tmp_path, kind, closed):
    folder = tmp_path / "closed"
    folder.mkdir()
    name = "memory.db" if kind == "sqlite" else "memory.jsonl"
    with opened(f"{kind}:///{folder / name}") as memory:
        memory.remember("喜欢龙井茶", scope=ALICE)
    open_parents(tmp_path)
    for path in folder.iterdir():
        path.chmod(0o444 if closed == "file" else 0o666)
    folder.chmod(0o777 if closed == "file" else 0o555)
    command = [sys.executable, "-c", _AS_ANOTHER_USER, f"{kind}:///{folder / name}", *(f"{one}:///{tmp_path}/warm.{one}" for one in KINDS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said = child.stdout.readline()
        assert said.startswith("False "), said
        assert f"may not write {'the file' if closed == 'file' else 'in the folder'}" in said
        folder.chmod(0o777)
        for path in folder.iterdir():
            path.chmod(0o666)
        assert child.communicate("\n", timeout=60)[0] == "True\n"
        assert child.returncode == 0
