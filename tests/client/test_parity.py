"""The same call gives the same result embedded, over HTTP, and awaited (ENG-1, SRV-5)."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import anyio
import httpx
import pytest

from door_stage import LOCAL, client_of
from satchel.client import AsyncHttpMemory, to_async
from satchel.operations import OPERATIONS, Memory
from satchel.operations import models as m
from satchel.operations import table as t
from write_stage import ALICE, BOB, Clock, exported, opened, record

Step = Callable[[Memory], Any]

TOURS: dict[str, list[Step]] = {
    "remember": [
        lambda s: s.remember(
            "用户对花生严重过敏", scope=ALICE, id="m", type="profile", tags=["diet"], source={"session": "s1"}, meta={"a": None}
        )
    ],
    "remember_many": [lambda s: s.remember_many([{"content": "一", "id": "a"}, {"content": "two", "id": "b", "scope": BOB}], scope=ALICE)],
    "recall": [
        lambda s: s.remember("The user plays the cello", scope=ALICE, id="m"),
        lambda s: s.recall("who plays cello?", scope=[ALICE, BOB], types=["fact"]),
    ],
    "context": [
        lambda s: s.remember("她住在里昂", scope=ALICE, id="m"),
        lambda s: s.context("她住在哪里", scope=ALICE),
        lambda s: s.context(scope=ALICE),
    ],
    "read": [lambda s: s.remember("x", scope=ALICE, id="路/径"), lambda s: s.read("路/径", scope=ALICE)],
    "records": [
        lambda s: s.remember_many(
            [{"content": f"第 {n} 条", "id": f"m{n}", "meta": {"n": n, "even": n % 2 == 0}} for n in range(7)], scope=ALICE
        ),
        lambda s: s.records(scope=ALICE, limit=3),
        lambda s: s.records(scope=ALICE, where={"even": True}, pinned=False, since="2020-01-01T00:00:00Z"),
        lambda s: [found.id for found in s.every_record(scope=ALICE, status=["active"])],
    ],
    "update": [
        lambda s: s.remember("x", scope=ALICE, id="m"),
        lambda s: s.update("m", scope=ALICE, tags=["a", "b"], pinned=True, if_revision=1),
    ],
    "correct": [
        lambda s: s.remember("她住在里昂", scope=ALICE, id="m"),
        lambda s: s.correct("m", "她住在马赛", scope=ALICE, new_id="n", reason="moved"),
    ],
    "confirm": [lambda s: s.remember("x", scope=ALICE, id="m"), lambda s: s.confirm("m", scope=ALICE)],
    "restore": [
        lambda s: s.remember("x", scope=ALICE, id="m"),
        lambda s: s.correct("m", "y", scope=ALICE, new_id="n"),
        lambda s: s.restore("m", scope=ALICE),
    ],
    "conflicts": [
        lambda s: s.remember("项目用 A 模块", scope=ALICE, id="m"),
        lambda s: s.remember("项目准备换到 C 模块", scope=ALICE, id="n"),
        lambda s: s.conflicts(scope=[ALICE, BOB], limit=5),
    ],
    "resolve": [
        lambda s: s.remember("The project uses module A", scope=ALICE, id="a/1"),
        lambda s: s.remember("The project is about to move to module C", scope=ALICE, id="n"),
        lambda s: s.resolve(m.conflict_id(ALICE, "a/1"), keep="n"),
    ],
    "history": [
        lambda s: s.remember("x", scope=ALICE, id="m"),
        lambda s: s.update("m", scope=ALICE, pinned=True),
        lambda s: s.history("m", scope=ALICE),
    ],
    "as_of": [
        lambda s: s.remember("x", scope=ALICE, id="m"),
        lambda s: list(s.as_of("2026-06-01T00:00:00Z", scope=[ALICE, BOB], status="active")),
        lambda s: list(s.as_of("2020-01-01T00:00:00Z", scope=ALICE)),
    ],
    "snapshot": [lambda s: s.snapshot(scope=ALICE, name="第一/次", reason="why"), lambda s: s.snapshot(scope=ALICE)],
    "snapshots": [lambda s: s.snapshot(scope=ALICE, name="s"), lambda s: s.snapshots(scope=[ALICE, BOB])],
    "diff": [
        lambda s: s.remember("x", scope=ALICE, id="m"),
        lambda s: s.snapshot(scope=ALICE, name="第一/次"),
        lambda s: s.update("m", scope=ALICE, tags=["t"]),
        lambda s: s.diff("第一/次", scope=ALICE),
    ],
    "drop_snapshot": [
        lambda s: s.remember("x", scope=ALICE, id="m"),
        lambda s: s.snapshot(scope=ALICE, name="第一/次"),
        lambda s: s.drop_snapshot("第一/次", scope=ALICE),
        lambda s: s.snapshots(scope=ALICE),
    ],
    "restore_snapshot": [
        lambda s: s.remember("x", scope=ALICE, id="m"),
        lambda s: s.snapshot(scope=ALICE, name="第一/次"),
        lambda s: s.remember("y", scope=ALICE, id="m"),
        lambda s: s.restore(snapshot="第一/次", scope=ALICE),
        lambda s: s.restore(s.snapshots(scope=ALICE)[-1]),
    ],
    "recall_log": [
        lambda s: s.remember("The user plays the cello", scope=ALICE, id="m"),
        lambda s: s.recall("cello", scope=ALICE, session="s", turn="1"),
        lambda s: s.context("cello", scope=ALICE, session="s", turn="2"),
        lambda s: list(s.recall_log(scope=ALICE, session="s")),
    ],
    "used": [
        lambda s: s.remember("The user plays the cello", scope=ALICE, id="m"),
        lambda s: s.recall("cello", scope=ALICE, session="s"),
        lambda s: s.used(["m", "n"], scope=ALICE, session="s"),
        lambda s: list(s.recall_log(scope=ALICE)),
    ],
    "maintain": [
        lambda s: s.remember("The user plays the cello", scope=ALICE, id="m"),
        lambda s: s.maintain(scope=[ALICE], dry_run=True),
        lambda s: s.maintain(),
    ],
    "simulate": [
        lambda s: s.remember("她住在里昂", scope=ALICE, id="m"),
        lambda s: s.simulate(scope=ALICE, days=30),
    ],
    "working": [
        lambda s: s.call(t.SAVE_WORKING, _saved()),
        lambda s: s.call(t.WORKING, m.WorkingRequest(session="会话/1", scope=ALICE)),
    ],
    "save_working": [lambda s: s.call(t.SAVE_WORKING, _saved()), lambda s: s.call(t.SAVE_WORKING, _saved(version=1))],
    "promote": [
        lambda s: s.call(t.SAVE_WORKING, _saved()),
        lambda s: s.call(t.PROMOTE, m.PromoteRequest(session="会话/1", scope=ALICE, slot="城市", content="她住在苏州")).outcome,
    ],
    "sessions": [
        lambda s: s.call(t.SAVE_WORKING, _saved()),
        lambda s: s.call(t.SESSIONS, m.SessionsRequest(scope=(ALICE, BOB), ended=False)),
    ],
    "session_start": [lambda s: s.call(t.SESSION_START, m.SessionStartRequest(session="会话/1", scope=ALICE))],
    "session_end": [
        lambda s: s.call(t.SAVE_WORKING, _saved()),
        lambda s: s.call(t.SESSION_END, m.SessionEndRequest(session="会话/1", scope=ALICE)).already,
        lambda s: s.call(t.SESSION_END, m.SessionEndRequest(session="会话/1", scope=ALICE)).already,
    ],
    "forget": [
        lambda s: s.remember("a whale", scope=ALICE, id="m"),
        lambda s: s.forget("m", scope=ALICE, reason="asked"),
        lambda s: s.read_record("m", scope=ALICE),
    ],
    "forget_one": [
        lambda s: s.remember("x", scope=ALICE, id="m"),
        lambda s: s.call(t.FORGET_ONE, m.ForgetRequest(id="m", scope=(ALICE,), reason="理由")),
    ],
    "ingest": [
        lambda s: s.ingest(_batch()),
        lambda s: s.ingest(_batch()),
    ],
    "imports": [lambda s: s.ingest(_batch()), lambda s: s.imports()],
    "receipts": [lambda s: s.ingest(_batch()), lambda s: list(s.receipts("imp/1"))],
    "undo_import": [lambda s: s.ingest(_batch()), lambda s: s.undo_import("imp/1")],
    "move_scope": [lambda s: s.remember("x", scope=ALICE, id="m"), lambda s: s.move_scope(ALICE, to=BOB)],
    "scopes": [lambda s: s.remember("x", scope="user:爱丽丝/project:a%2Fb", id="m"), lambda s: s.scopes()],
    "stats": [lambda s: s.remember("x", scope=ALICE, id="m"), lambda s: s.stats(), lambda s: s.stats([ALICE, BOB])],
    "changes": [lambda s: s.remember("x", scope=ALICE, id="m"), lambda s: s.changes(scope=ALICE, after=0, limit=5)],
    "reindex": [lambda s: s.reindex(everything=True)],
    "doctor": [lambda s: s.doctor()],
    "write_record": [lambda s: s.write_record(record("原样", id="r/1", meta={"n": None, "deep": [1, {"x": 0.5}]}, score=0.25))],
    "read_record": [lambda s: s.write_record(record("x")), lambda s: s.read_record("r1", scope=ALICE)],
    "delete_record": [lambda s: s.write_record(record("x")), lambda s: s.delete_record("r1", scope=ALICE)],
    "search": [lambda s: s.remember("The user plays the cello", scope=ALICE, id="m"), lambda s: s.search("cello", scope=ALICE, limit=2)],
    "export": [lambda s: s.remember("x", scope=ALICE, id="m"), lambda s: exported(s, scope=ALICE), lambda s: exported(s)],
}


def _saved(version: int = 0) -> m.SaveWorkingRequest:
    draft = m.WorkingDraft(version=version, slots={"城市": "苏州", "answers": "short"}, summary="asked for a hotel")
    return m.SaveWorkingRequest(session="会话/1", scope=ALICE, snapshot=draft)


def _batch() -> m.IngestRequest:
    item = m.ImportItem(item="file:1", record=record("从旧工具来", id="old-1", source={"origin": "imported", "import_id": "imp/1"}))
    return m.IngestRequest(import_id="imp/1", origin=m.ImportOrigin(kind="jsonl", path="old.jsonl", scope=ALICE), items=(item,), final=True)


def results(memory: Memory, steps: list[Step]) -> list[Any]:
    return [step(memory) for step in steps]


def test_every_operation_has_a_tour():
    assert set(TOURS) == {operation.name for operation in OPERATIONS} | {"export"}


@pytest.mark.parametrize("name", TOURS)
def test_an_operation_gives_the_same_embedded_and_over_http(name):
    with opened(clock=Clock()) as embedded, opened(clock=Clock()) as served, client_of(served, agent="writer") as remote:
        ours, theirs = results(embedded, TOURS[name]), results(remote, TOURS[name])
    assert _without_chance(ours) == _without_chance(theirs)


def _without_chance(values: list[Any]) -> list[Any]:
    """Leave the names of plans and the like out, which are drawn."""
    return [value.model_copy(update={"plan": None}) if isinstance(value, m.Forgotten) else value for value in values]


def test_a_package_is_imported_the_same_embedded_and_over_http():
    with opened(clock=Clock()) as origin:
        origin.remember_many([{"content": "甲", "id": "a"}, {"content": "b", "id": "b"}], scope=ALICE)
        data = exported(origin)
    counts = []
    with opened(clock=Clock()) as embedded, opened(clock=Clock()) as served, client_of(served) as remote:
        for memory in (embedded, remote):
            counts.append(memory.import_package(io.BytesIO(data), dry_run=True).counts)
            counts.append(memory.import_package(io.BytesIO(data), scope_map={ALICE: "user:爱丽丝"}).counts)
        assert embedded.scopes() == remote.scopes()
    assert counts[:2] == counts[2:]


def test_the_async_faces_give_what_the_sync_ones_give():
    async def tour(memory: Any) -> list[Any]:
        async with memory:
            found = [
                await memory.remember_many([{"content": "她住在里昂", "id": "a"}, {"content": "She has a cat", "id": "b"}], scope=ALICE)
            ]
            found.append(await memory.recall("cat", scope=ALICE))
            found.append([entry async for entry in memory.every_record(scope=ALICE)])
            target = io.BytesIO()
            assert await memory.export(to=target, scope=ALICE) == len(target.getvalue())
            report = await memory.import_package(io.BytesIO(target.getvalue()))
            found.append(report.counts)
            found.append(await memory.forget("a", scope=ALICE))
            return found

    async def both() -> tuple[list[Any], list[Any]]:
        with opened(clock=Clock()) as served:
            transport = httpx.ASGITransport(_app(served))
            over_http = await tour(AsyncHttpMemory(LOCAL, agent="writer", transport=transport))
        return await tour(to_async(opened(clock=Clock()))), over_http

    in_threads, over_http = anyio.run(both)
    assert in_threads == over_http


def _app(engine):
    from satchel.service import create_app

    return create_app(engine)
