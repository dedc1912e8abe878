"""What the command line says where the disk is full or writing is forbidden: one line, what was done and what was not, an exit code."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from tests.disks import Disk, disk

from satchel.conformance.samples import make, write
from satchel.wiring import open_memory, open_store

__all__ = ["disk"]

KINDS = ("sqlite", "jsonl")
SCOPE = "user:alice"
TEXTS = ("很长的内容 ", "a long text ")


def _line(answer) -> str:
    """Return the only line of an error."""
    assert answer.out == ""
    (line,) = answer.err.splitlines()
    assert line.startswith("error: ")
    return line


def _ids(satchel) -> list[str]:
    return sorted(record["id"] for record in satchel("list", "--limit", "1000", "--json").json["records"])


@pytest.fixture(params=KINDS)
def filled(request: pytest.FixtureRequest, disk: Disk, satchel, monkeypatch) -> Disk:
    monkeypatch.setenv("SATCHEL_STORE", disk.url(request.param))
    with open_memory(disk.url(request.param), embedder="none") as memory:
        for number in range(30):
            memory.remember(f"第 {number} 条 {number * 7919} " + "字" * 400, scope=SCOPE, id=f"m{number}")
    return disk


@pytest.mark.parametrize("text", TEXTS)
def test_a_full_disk_is_one_line_that_says_that_nothing_was_remembered(satchel, filled: Disk, text) -> None:
    filled.fill()
    answer = satchel("remember", text * 5000)
    assert answer.code == 3
    assert "the disk is full, so this was not written" in _line(answer)
    assert len(_ids(satchel)) == 30
    told = satchel("remember", text * 5000, "--json")
    assert (told.code, told.error["code"]) == (3, "store_unavailable")


@pytest.mark.parametrize("kind", KINDS)
def test_forgetting_on_a_full_disk_ends_well_where_it_took_place_and_says_what_is_left_to_do(satchel, disk: Disk, kind) -> None:
    with open_memory(disk.url(kind), embedder="none") as memory:
        for number in range(30):
            memory.remember(f"第 {number} 条 {number * 7919} " + "字" * 400, scope=SCOPE, id=f"m{number}")
        disk.fill(30_000)
        answer = satchel("forget", "m7", "--store", disk.url(kind))
        assert answer.code == 0, answer.err
        assert answer.out == "forgot 1: gone from every answer; the files are scrubbed as soon as they can be\n"
        assert "the disk is full" in answer.err
        disk.make_room()
        answer = satchel("doctor", "--store", disk.url(kind))
        assert answer.code == 0, answer.out
        assert "nothing forgotten is left in the files" in answer.out


def test_an_import_that_finds_no_room_says_how_much_was_taken_in_and_goes_on_later(satchel, filled: Disk, tmp_path) -> None:
    package = tmp_path / "package.jsonl"
    with open_memory(f"sqlite:///{tmp_path / 'source.db'}", embedder="none") as source:
        for number in range(40):
            source.remember(f"note {number} {number * 7919} " + "x" * 900, scope=SCOPE, id=f"n{number}")
    assert satchel("export", "--store", str(tmp_path / "source.db"), "-o", str(package)).code == 0
    filled.fill()
    answer = satchel("import", str(package))
    assert answer.code == 3
    assert "the disk is full" in _line(answer)
    assert answer.err.rstrip().endswith("nothing was taken in")
    filled.make_room()
    assert satchel("import", str(package)).code == 0
    assert len(_ids(satchel)) == 70


@pytest.mark.parametrize("kind", KINDS)
def test_an_import_that_breaks_off_on_a_full_disk_keeps_and_counts_what_it_took_in(satchel, disk: Disk, tmp_path, kind) -> None:
    package, target = tmp_path / "package.jsonl", ("--store", disk.url(kind))
    with closing(open_store(f"sqlite:///{tmp_path / 'source.db'}")) as source:
        for start in range(0, 2500, 500):
            write(source, *(make(f"n{number}", SCOPE, f"记 note {number} {number * 7919}") for number in range(start, start + 500)))
    assert satchel("export", "--store", str(tmp_path / "source.db"), "-o", str(package)).code == 0
    satchel.remember("喜欢龙井茶", *target)
    disk.fill(1_000_000)
    answer = satchel("import", str(package), *target)
    assert answer.code == 3
    told = re.search(
        r"the disk is full, so this was not written; (\d+) lines were taken in before; importing the package again", _line(answer)
    )
    assert told is not None, answer.err
    held = satchel("stats", *target, "--json").json["records"]
    assert held == int(told[1]) + 1


def test_a_store_that_may_not_be_written_is_one_line_that_says_why(satchel, filled: Disk, tmp_path) -> None:
    package = tmp_path / "package.jsonl"
    assert satchel("export", "-o", str(package)).code == 0
    filled.forbid_writing()
    for words in (("remember", "喜欢龙井茶"), ("forget", "m7"), ("import", str(package))):
        answer = satchel(*words)
        assert answer.code == 3, words
        assert "is read-only: the file system of" in _line(answer), words
    assert len(_ids(satchel)) == 30
    answer = satchel("doctor")
    assert answer.code == 1
    assert "mounted read-only" in answer.out
