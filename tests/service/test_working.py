"""Working memory over HTTP: entity tags, plain bodies, conflicts with both sides (WRK-3, SRV-1)."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from door_stage import client_of
from satchel.client import to_async
from satchel.errors import Conflict
from satchel.operations.paths import encode_id
from write_stage import ALICE, BOB

HERE = {"scope": ALICE}


def put(http, body: dict[str, Any], session: str = "s1", **headers: str):
    return http.put(f"/v1/working/{encode_id(session)}", params=HERE, json=body, headers=headers)


def get(http, session: str = "s1", **headers: str):
    return http.get(f"/v1/working/{encode_id(session)}", params=HERE, headers=headers)


def test_what_was_put_is_got_with_its_version_as_entity_tag(http):
    assert get(http).status_code == 404
    answer = put(http, {"slots": {"城市": "杭州"}, "recent_events": [{"role": "user", "content": "你好"}]})
    assert (answer.status_code, answer.headers["ETag"]) == (200, '"1"')
    got = get(http)
    assert (got.headers["ETag"], got.json()) == ('"1"', answer.json()["snapshot"])
    assert got.json()["slots"] == {"城市": "杭州"} and got.json()["recent_events"][0]["id"]
    assert get(http, **{"If-None-Match": '"1"'}).status_code == 304


def test_what_was_got_can_be_changed_and_put_back_whole(http):
    put(http, {"slots": {"a": 1}, "task_stack": [{"content": "写周报", "due_at": "2026-03-05T00:00:00Z"}]})
    body = get(http).json()
    body["slots"]["b"] = "二"
    body["task_stack"][0]["status"] = "done"
    answer = put(http, body, **{"If-Match": '"1"'})
    assert answer.status_code == 200, answer.text
    assert get(http).json()["slots"] == {"a": 1, "b": "二"}
    assert put(http, body, **{"If-Match": '"1"'}).headers["ETag"] == '"2"'


def test_an_entity_tag_that_no_longer_holds_is_refused_with_what_stands(http):
    put(http, {"slots": {"a": 1}})
    put(http, {"slots": {"a": 1, "b": 2}}, **{"If-Match": '"1"'})
    answer = put(http, {"slots": {"a": 3}}, **{"If-Match": '"1"'})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (412, "conflict")
    assert (error["details"]["expected"], error["details"]["actual"]) == (1, 2)
    assert error["details"]["theirs"]["slots"] == {"a": 1, "b": 2}
    assert put(http, {"slots": {"c": 1}}).status_code == 409


def test_with_what_it_began_from_the_service_merges(http):
    put(http, {"slots": {"a": 1}})
    base = get(http).json()
    put(http, base | {"slots": {"a": 1, "b": 2}}, **{"If-Match": '"1"'})
    answer = put(http, {"slots": {"a": 3}, "base": base, "version": 1})
    assert answer.status_code == 200, answer.text
    assert answer.json()["merged"] is True and answer.json()["snapshot"]["slots"] == {"a": 3, "b": 2}


def test_a_body_of_another_session_or_scope_is_refused(http):
    put(http, {"slots": {"a": 1}})
    body = get(http).json()
    answer = put(http, body, session="s2")
    assert answer.status_code == 422
    assert [fault["field"] for fault in answer.json()["error"]["details"]["faults"]] == ["snapshot.session_id"]
    answer = http.put("/v1/working/s1", params={"scope": BOB}, json=body)
    assert [fault["field"] for fault in answer.json()["error"]["details"]["faults"]] == ["snapshot.scope"]


def test_sessions_begin_end_and_are_listed(http):
    started = http.post(f"/v1/sessions/{encode_id('会话/1')}/start", json=HERE).json()
    assert (started["resumed"], started["snapshot"]["session_id"]) == (False, "会话/1")
    put(http, {"version": 1, "recent_events": [{"role": "user", "content": "I never eat meat."}]}, session="会话/1")
    ended = http.post(f"/v1/sessions/{encode_id('会话/1')}/end", json=HERE)
    assert [one["record"]["content"] for one in ended.json()["written"]] == ["The user says: I never eat meat"]
    (info,) = http.get("/v1/sessions", params={**HERE, "ended": "true"}).json()["sessions"]
    assert (info["session_id"], info["ended_by"]) == ("会话/1", "end")


@pytest.mark.parametrize("body", [[], "x", {"slots": []}, {"recent_events": {}}, {"version": -1}, {"base": {}}, {"keep": "both"}])
def test_a_bad_body_names_the_fault(http, body):
    answer = put(http, body)
    assert answer.status_code == 422 and answer.json()["error"]["code"] == "invalid_request"


def test_a_handle_over_http_merges_as_an_embedded_one_does(engine):
    with client_of(engine, agent="remote") as memory:
        far, near = memory.working("s1", scope=ALICE), engine.working("s1", scope=ALICE)
        far.slots["a"] = "远"
        far.add_task("写周报")
        far.save()
        near.slots["b"] = "near"
        assert near.save().merged
        near.task_stack[0]["content"] = "写月报"
        near.save()
        far.task_stack[0]["content"] = "write the yearly report"
        with pytest.raises(Conflict) as caught:
            far.save()
        (told,) = caught.value.details["conflicts"]
        assert (told["ours"]["content"], told["theirs"]["content"]) == ("write the yearly report", "写月报")
        far.save(keep="ours")
        assert far.slots == {"a": "远", "b": "near"} and far.task_stack[0]["content"] == "write the yearly report"
        assert far.end().records and memory.sessions(scope=ALICE, ended=True).sessions[0].session_id == "s1"


def test_the_twin_to_be_awaited_does_the_same(engine):
    async def script() -> None:
        memory = to_async(engine)
        working = await memory.session_start("s1", scope=ALICE)
        working.slots["决定"] = "住西湖边"
        other = await memory.working("s1", scope=ALICE)
        other.add_event("我不吃香菜")
        await other.save()
        saved = await working.save()
        assert saved.merged and working.recent_events[0]["content"] == "我不吃香菜"
        promoted = await working.promote(slot="决定")
        assert promoted.record.content == "决定：住西湖边"
        ended = await working.end()
        assert [done.record.content for done in ended.written if done.record.type == "preference"] == ["用户不吃香菜"]
        assert (await memory.session_end("s1", scope=ALICE)).already

    anyio.run(script)
