"""What comes from a caller is checked before anything is written: names, reasons, ids, clocks, streams."""

from __future__ import annotations

import io
import sqlite3
from datetime import datetime

import pytest

from satchel import open_memory
from satchel.errors import InvalidPackage, InvalidRequest, SecretRefused, StoreCorrupt
from satchel.protocol import Header, read_package, write_package
from write_stage import ALICE, BOB, START, opened, record, tombstone

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8z01234567"
BAD_NAMES = ["x" * 3000, "a\0b", "\ud800", "two\nlines", 7, ["a"]]


@pytest.mark.parametrize("agent", BAD_NAMES, ids=["long", "nul", "surrogate", "newline", "number", "list"])
@pytest.mark.parametrize("url", ["memory://", "http://127.0.0.1:1"])
def test_a_name_that_no_record_could_hold_is_refused_at_every_door(agent, url):
    with pytest.raises(InvalidRequest) as opening:
        open_memory(url, agent=agent, embedder=None if url.startswith("http") else "none")
    assert opening.value.details["faults"][0]["field"].startswith("agent")
    with opened() as memory, pytest.raises(InvalidRequest):
        memory.bind(agent=agent)


@pytest.mark.parametrize("url", ["http://[bad", "http://127.0.0.1:abc", "a\ud800.db", "a\0.db", 7])
def test_an_address_that_cannot_be_is_a_fault_of_the_url(url):
    with pytest.raises(InvalidRequest) as refused:
        open_memory(url)
    assert refused.value.details["faults"][0]["field"] == "url"


def test_a_clock_without_a_zone_is_refused():
    with pytest.raises(InvalidRequest) as refused:
        open_memory("memory://", clock=lambda: datetime(2026, 1, 1))
    assert refused.value.details["faults"][0]["field"] == "clock"


def test_a_text_stream_is_refused_for_a_package():
    with opened() as memory:
        for act in (lambda: memory.export(to=io.StringIO(), scope=ALICE), lambda: memory.import_package(io.StringIO())):
            with pytest.raises(InvalidRequest):
                act()


@pytest.mark.parametrize("content", ["\u200b\u200d", " \ufeff\n", "\u2060"])
def test_content_that_shows_nothing_counts_as_empty(content):
    with opened() as memory, pytest.raises(InvalidRequest):
        memory.remember(content, scope=ALICE)


@pytest.mark.parametrize("field", ["agent", "tool", "session", "message", "uri", "imported_from"])
def test_a_credential_in_provenance_is_refused_by_its_field(field):
    with opened() as memory, pytest.raises(SecretRefused) as refused:
        memory.remember("阳台的花", scope=ALICE, source={field: TOKEN})
    assert refused.value.details["faults"][0]["field"] == f"source.{field}"


def test_a_credential_is_refused_in_ids_types_and_reasons():
    with opened() as memory:
        kept = memory.remember("用户的猫叫豆包", scope=ALICE).record.id
        acts = {
            "id": lambda: memory.remember("x y z", scope=ALICE, id=TOKEN),
            "type": lambda: memory.remember("x y z", scope=ALICE, type=TOKEN),
            "new_id": lambda: memory.correct(kept, "right", scope=ALICE, new_id=TOKEN),
            "reason": lambda: memory.correct(kept, "right", scope=ALICE, reason=f"with {TOKEN}"),
        }
        for field, act in acts.items():
            with pytest.raises(SecretRefused) as refused:
                act()
            assert {fault["field"] for fault in refused.value.details["faults"]} == {field}
        for way in ({"id": kept}, {"everything": True}):
            with pytest.raises(SecretRefused):
                memory.forget(scope=ALICE, reason=f"with {TOKEN}", **way)
        with pytest.raises(SecretRefused):
            memory.update(kept, scope=ALICE, type=TOKEN)
        assert memory.read(kept, scope=ALICE).revision == 1


@pytest.mark.parametrize("line", [record("a bee", scope=BOB), tombstone(scope=BOB)])
def test_a_package_holds_no_scope_that_its_header_does_not_name(line):
    data = b"".join(write_package(Header(producer="a test", created_at=START, scopes=(ALICE,)), [line]))
    with pytest.raises(InvalidPackage) as refused:
        read_package(io.BytesIO(data))
    assert refused.value.details["line"] == 2


def test_a_damaged_record_is_named_and_can_be_forgotten(tmp_path):
    path = tmp_path / "agent.db"
    with opened(path) as memory:
        for number in range(3):
            memory.remember(f"memory number {number}", scope=ALICE, id=f"m{number}")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE memories SET body = '{}' WHERE id = 'm1'")
    connection.close()
    with opened(path) as memory:
        for act in (lambda: memory.records(scope=ALICE), lambda: memory.export(to=io.BytesIO(), scope=ALICE)):
            with pytest.raises(StoreCorrupt, match="m1"):
                act()
        assert memory.forget("m1", scope=ALICE).count == 1
        assert {found.id for found in memory.every_record(scope=ALICE)} == {"m0", "m2"}
        assert memory.read_record("m1", scope=ALICE).is_tombstone
