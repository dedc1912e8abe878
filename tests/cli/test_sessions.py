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
