"""Sessions on the command line: list, show, end."""

from __future__ import annotations

import os

import pytest

from satchel import open_memory


@pytest.fixture
def worked(satchel):
    with open_memory(os.environ["SATCHEL_STORE"], agent="writer", embedder="none") as memory:
        working = memory.working("s/1", scope="user:alice")
        working.slots["城市"] = "杭州"
        working.slots["plan"] = {"nights": 2}
        working.add_event("我不吃香菜\n真的")
        working.add_task("订酒店", due_at="2026-03-03T00:00:00Z")
        working.summary = "在订杭州的酒店"
        working.save()


def test_sessions_are_listed_shown_and_ended(satchel, worked):
    listed = satchel("sessions")
    assert (listed.code, "s/1" in listed.out, "writer" in listed.out, "open" in listed.out) == (0, True, True, True)
    shown = satchel("session", "show", "s/1")
    for text in ("城市", "杭州", "订酒店", "在订杭州的酒店", "我不吃香菜 真的"):
        assert text in shown.out
    ended = satchel("session", "end", "s/1")
    assert ended.code == 0 and "用户不吃香菜" in ended.out and "订酒店" in ended.out
    assert "was over already" in satchel("session", "end", "s/1").out
    assert "ended (end)" in satchel("sessions", "--ended").out
    assert satchel("sessions", "--open").code == 1


def test_sessions_as_json(satchel, worked):
    (info,) = satchel("sessions", "--json").json["sessions"]
    assert (info["session_id"], info["open_tasks"]) == ("s/1", 1)
    assert satchel("session", "show", "s/1", "--json").json["slots"] == {"城市": "杭州", "plan": {"nights": 2}}
    ended = satchel("session", "end", "s/1", "--summary", "Nothing booked yet.", "--json").json
    assert [one["record"]["type"] for one in ended["written"]] == ["task", "preference", "interaction"]


def test_an_end_without_records_writes_none(satchel, worked):
    assert satchel("session", "end", "s/1", "--no-records").code == 0
    assert satchel("list").code == 1


def test_an_unknown_session_is_told(satchel):
    for words in (("session", "show", "nobody"), ("session", "end", "nobody")):
        answer = satchel(*words)
        assert answer.code == 1 and "nobody" in answer.err and "Traceback" not in answer.err
    assert satchel("sessions").code == 1


def test_where_nothing_is_found_it_is_said_where_it_was_looked(satchel, redis_server, tmp_path):
    working = redis_server.url()
    missing = (("sessions",), ("session", "show", "s/9"), ("session", "end", "s/9"))
    for words in missing:
        answer = satchel(*words)
        assert (answer.code, "user:alice; looked in " in answer.err, "memory.db" in answer.err) == (1, True, True), answer.err
        answer = satchel(*words, "--working", working)
        assert (answer.code, "looked in redis://" in answer.err) == (1, True), answer.err
    with open_memory(os.environ["SATCHEL_STORE"], embedder="none", working=working) as memory:
        one = memory.working("s/1", scope="user:alice")
        one.slots["城市"] = "杭州"
        one.save()
    assert satchel("sessions", "--working", working).code == 0
    for words in missing:
        answer = satchel(*words)
        assert (answer.code, answer.err.count("\n")) == (1, 1)
        assert "sessions of this store are kept in redis://" in answer.err, answer.err
        assert redis_server.password not in answer.err
    assert "looked_in" in satchel("sessions", "--json").json
