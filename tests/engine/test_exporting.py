"""`export`: PRO-10, ACC-4, complaints A4."""

from __future__ import annotations

import io
import threading

import pytest

from satchel.errors import InvalidRequest
from satchel.protocol import MemoryRecord, read_package
from write_stage import ALICE, BOB, exported, lines_of, opened, package, record


def test_a_package_has_tombstones_first_then_records_by_scope_and_id(memory):
    for scope in (BOB, ALICE):
        for record_id in ("z", "m", "a"):
            memory.remember(f"{scope} {record_id}", scope=scope, id=record_id)
    memory.forget("m", scope=BOB)
    found = [(line.status.value, line.scope, line.id) for line in lines_of(exported(memory))]
    assert found == [
        ("deleted", BOB, "m"),
        ("active", ALICE, "a"),
        ("active", ALICE, "m"),
        ("active", ALICE, "z"),
        ("active", BOB, "a"),
        ("active", BOB, "z"),
    ]


def test_pending_and_archived_records_travel_too(memory):
    for status in ("pending", "archived"):
        memory.update(memory.remember(f"状态 {status}", scope=ALICE).record.id, scope=ALICE, status=status)
    assert {line.status.value for line in lines_of(exported(memory))} == {"pending", "archived"}


def test_the_header_says_what_the_package_is(memory):
    memory.remember("x", scope=ALICE)
    with read_package(io.BytesIO(exported(memory))) as whole, read_package(io.BytesIO(exported(memory, scope=ALICE))) as part:
        assert (whole.header.scopes, whole.header.complete, part.header.scopes) == (None, True, (ALICE,))
        assert whole.header.position == memory.changes(scope=ALICE).position
        assert whole.header.producer.startswith("satchel ")


def test_an_export_names_scopes_or_says_everything(memory):
    with pytest.raises(InvalidRequest):
        memory.export(to=io.BytesIO())
    with pytest.raises(InvalidRequest):
        memory.export(to=io.BytesIO(), scope=ALICE, everything=True)


def test_an_incremental_package_holds_what_changed_since(memory):
    memory.remember("old", scope=ALICE, id="old")
    memory.remember("goes", scope=ALICE, id="goes")
    with read_package(io.BytesIO(exported(memory, scope=ALICE))) as first:
        position = first.header.position
    memory.remember("new", scope=ALICE, id="new")
    memory.update("old", scope=ALICE, score=0.1)
    memory.update("old", scope=ALICE, score=0.2)
    memory.forget("goes", scope=ALICE)
    memory.remember("elsewhere", scope=BOB)
    data = exported(memory, scope=ALICE, since=position)
    assert [(line.id, line.is_tombstone) for line in lines_of(data)] == [("goes", True), ("new", False), ("old", False)]
    with read_package(io.BytesIO(data)) as found:
        assert (found.header.complete, found.header.since) == (False, position)


def test_sensitive_records_stay_unless_asked_for_and_are_counted(memory):
    memory.remember("普通", scope=ALICE, id="n")
    memory.remember("身份证在抽屉里", scope=ALICE, id="s", sensitivity="sensitive")
    memory.import_package(package([record("not for others", id="x", access={"exportable": False})]))
    data = exported(memory)
    assert [line.id for line in lines_of(data)] == ["n"]
    with read_package(io.BytesIO(data)) as found:
        assert found.trailer.model_extra == {"left_out": {"sensitive": 1, "not_exportable": 1}}
    assert [line.id for line in lines_of(exported(memory, everything=True, include_sensitive=True))] == ["n", "s"]


def test_an_export_can_be_compressed(memory):
    memory.remember("x", scope=ALICE)
    data = exported(memory, everything=True, compressed=True)
    assert data[:4] == b"\x28\xb5\x2f\xfd"
    assert len(lines_of(data)) == 1


def test_usage_gathered_so_far_travels(memory):
    found = memory.remember("used memory", scope=ALICE).record
    memory.recall("used", scope=ALICE)
    assert [line.usage.access_count for line in lines_of(exported(memory)) if isinstance(line, MemoryRecord)] == [1]
    assert memory.read(found.id, scope=ALICE).usage.access_count == 1


@pytest.mark.parametrize("url", ["memory", "sqlite"])
def test_an_export_shows_one_state_whatever_is_written_meanwhile(url, tmp_path):
    with opened("memory://" if url == "memory" else tmp_path / "agent.db") as memory:
        memory.remember_many([{"content": f"条目 {n} " + "x" * 900, "id": f"{n:05d}"} for n in range(3000)], scope=ALICE)
        chunks = memory.export_chunks(_everything())
        data = next(chunks)
        memory.forget("02999", scope=ALICE)
        memory.remember("late", scope=ALICE, id="99999")
        assert memory.read("99999", scope=ALICE).content == "late"
        found = lines_of(data + b"".join(chunks))
        assert [line.id for line in found] == [f"{n:05d}" for n in range(3000)]


def test_an_export_that_is_broken_off_leaves_no_thread_and_no_reader(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        memory.remember_many([f"条目 {n} " + "x" * 900 for n in range(3000)], scope=ALICE)
        chunks = memory.export_chunks(_everything())
        cut = next(chunks)
        chunks.close()
        assert not [thread for thread in threading.enumerate() if thread.name == "satchel-export"]
        with pytest.raises(InvalidRequest):
            read_package(io.BytesIO(cut))
        memory.remember("going", scope=ALICE, id="x")
        assert memory.forget("x", scope=ALICE).state == "scrubbed"


def _everything():
    from satchel.operations.models import ExportRequest

    return ExportRequest(everything=True)
