"""Routes, statuses and the one error envelope (SRV-1, surface.md)."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from door_stage import client_of
from satchel.engine.engine import Engine
from satchel.operations.paths import encode_id
from write_stage import ALICE, BOB, record


def error(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error"} and set(body["error"]) == {"code", "message", "details"}
    assert body["error"]["code"] == code
    return body["error"]


def fields(answer: httpx.Response) -> list[str]:
    return [fault["field"] for fault in answer.json()["error"]["details"]["faults"]]


def remember(http: httpx.Client, content: str = "用户对花生严重过敏", **more: Any) -> dict[str, Any]:
    answer = http.post("/v1/memories", json={"content": content, "scope": ALICE, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()["record"]


def test_one_memory_is_written_and_read(http):
    written = remember(http, tags=["diet"])
    read = http.get(f"/v1/memories/{written['id']}", params={"scope": ALICE})
    assert read.json() == written
    assert read.json()["content"] == "用户对花生严重过敏"


def test_a_plain_list_is_written_with_the_scope_of_the_address(http):
    answer = http.post("/v1/memories", params={"scope": ALICE}, json=["she lives in Lyon", {"content": "他住在大阪", "scope": BOB}])
    assert [done["record"]["scope"] for done in answer.json()["results"]] == [ALICE, BOB]


def test_a_list_inside_an_object_is_written(http):
    answer = http.post("/v1/memories", json={"scope": ALICE, "memories": [{"content": "一"}, {"content": "two"}]})
    assert [done["outcome"] for done in answer.json()["results"]] == ["created", "created"]


def test_a_list_without_any_scope_names_each_place(http):
    answer = http.post("/v1/memories", json=["a", "b"])
    error(answer, 422, "invalid_request")
    assert fields(answer) == ["memories.0.scope"]


@pytest.mark.parametrize("record_id", ["a/b", "..", "记忆 1", "~tilde", "x" * 300, "per%cent", "a?b#c"])
def test_any_id_stands_in_a_path(http, record_id):
    remember(http, id=record_id)
    assert http.get(f"/v1/memories/{encode_id(record_id)}", params={"scope": ALICE}).json()["id"] == record_id


def test_an_id_that_is_not_encoded_is_a_fault_of_the_id(http):
    answer = http.get("/v1/memories/记忆", params={"scope": ALICE})
    error(answer, 422, "invalid_request")
    assert fields(answer) == ["id"]


def test_lists_repeat_their_parameter_and_objects_are_json(http, engine):
    remember(http, type="fact", meta={"lang": "fr"})
    remember(http, "她讨厌开会", type="preference", meta={"lang": "zh"})
    remember(http, "Renew the passport", type="task")
    both = http.get("/v1/memories", params=[("scope", ALICE), ("types", "fact"), ("types", "preference")]).json()["records"]
    one = http.get("/v1/memories", params={"scope": ALICE, "where": json.dumps({"lang": "zh"}), "pinned": "false"}).json()["records"]
    assert {found["type"] for found in both} == {"fact", "preference"}
    assert [found["content"] for found in one] == ["她讨厌开会"]


def test_every_fault_is_told_at_once(http):
    answer = http.post("/v1/recall", json={"limit": 0, "since": "yesterday", "colour": "red"})
    error(answer, 422, "invalid_request")
    assert sorted(fields(answer)) == ["colour", "limit", "query", "scope", "since"]


def test_a_read_without_a_scope_is_an_error_never_all(http):
    remember(http)
    assert fields(http.get("/v1/memories")) == ["scope"]


@pytest.mark.parametrize("scope", ["", "*", "user:..", "user:", "nobody:x"])
def test_a_scope_that_is_none_is_refused(http, scope):
    error(http.get("/v1/memories", params={"scope": scope}), 422, "invalid_request")


def test_what_is_given_twice_and_is_no_list_is_a_fault(http):
    answer = http.get("/v1/memories/x", params=[("scope", ALICE), ("scope", BOB)])
    assert fields(answer) == ["scope"]


@pytest.mark.parametrize(
    "body", [b"{", b"nonsense", b"\xff\xfe{}", b'{"query": NaN}', b'{"a": 1} trailing', b"[" * 100_000, b'{"n": ' + b"9" * 5000 + b"}"]
)
def test_what_is_not_json_is_400(http, body):
    answer = http.post("/v1/recall", content=body)
    error(answer, 400, "invalid_request")
    assert fields(answer) == ["body"]


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"17", b"null", b""])
def test_json_that_is_no_object_is_a_fault(http, body):
    error(http.post("/v1/recall", content=body), 422, "invalid_request")


def test_a_byte_order_mark_before_json_is_tolerated(http):
    body = b"\xef\xbb\xbf" + json.dumps({"content": "带 BOM 的正文", "scope": ALICE}).encode()
    assert http.post("/v1/memories", content=body).status_code == 200


@pytest.mark.parametrize(
    ("member", "value"),
    [("content", r'"\ud83d alone"'), ("content", r'"nul \u0000"'), ("id", r'"\udc00"'), ("type", r'"\ud800"'), ("tags", r'["\ud800"]')],
)
def test_a_lone_surrogate_or_nul_is_a_fault_of_its_field(http, member, value):
    given = {"content": '"fine"', "scope": f'"{ALICE}"', member: value}
    answer = http.post("/v1/memories", content="{" + ",".join(f'"{name}": {text}' for name, text in given.items()) + "}")
    error(answer, 422, "invalid_request")
    assert fields(answer)[0].startswith(member)


def test_a_lone_surrogate_in_a_field_name_is_answered(http):
    answer = http.post("/v1/memories", content=r'{"content": "x", "scope": "user:alice", "\ud800": 1}')
    error(answer, 422, "invalid_request")


def test_an_unknown_route_is_told_in_the_envelope(http):
    error(http.get("/v1/nothing"), 404, "unsupported")
    error(http.get("/elsewhere"), 404, "unsupported")


def test_a_method_that_a_route_lacks_is_405_with_what_it_takes(http):
    answer = http.put("/v1/recall", json={})
    error(answer, 405, "unsupported")
    assert answer.headers["Allow"] == "POST"


def test_an_unknown_record_is_404(http):
    error(http.get("/v1/memories/nothing", params={"scope": ALICE}), 404, "not_found")


def test_a_credential_is_refused(http):
    answer = http.post("/v1/memories", json={"content": "the key is AKIA" + "QWERTYUIOPASDFGH", "scope": ALICE})
    assert error(answer, 422, "secret_refused")["details"]["detectors"]


def test_a_newer_major_version_is_400(http):
    raw = record("from the future").model_dump(mode="json") | {"v": "2.0"}
    error(http.put("/v1/records/r1", json=raw), 400, "version")


def test_a_raw_record_is_put_as_it_stands_and_read_back(http):
    raw = record("原样写入", meta={"k": None}).model_dump(mode="json")
    assert http.put("/v1/records/r1", json=raw).json()["outcome"] == "created"
    assert http.put("/v1/records/r1", json={"record": raw}).json()["outcome"] == "unchanged"
    assert http.get("/v1/records/r1", params={"scope": ALICE}).json()["content"] == "原样写入"


def test_a_raw_record_under_another_address_is_a_fault(http):
    answer = http.put("/v1/records/r2", params={"scope": BOB}, json=record("一").model_dump(mode="json"))
    error(answer, 422, "invalid_request")
    assert sorted(fields(answer)) == ["record.id", "record.scope"]


def test_an_etag_is_the_revision_and_guards_a_change(http):
    written = remember(http)
    address, scope = f"/v1/memories/{written['id']}", {"scope": ALICE}
    etag = http.get(address, params=scope).headers["ETag"]
    assert http.get(address, params=scope, headers={"If-None-Match": etag}).status_code == 304
    changed = http.patch(address, json={**scope, "tags": ["diet"]}, headers={"If-Match": etag})
    assert changed.json()["tags"] == ["diet"] and changed.headers["ETag"] != etag
    late = http.patch(address, json={**scope, "tags": ["late"]}, headers={"If-Match": etag})
    assert error(late, 412, "conflict")["details"]["actual"] == changed.json()["revision"]


def test_a_stale_revision_in_the_body_is_409(http):
    written = remember(http)
    body = {"scope": ALICE, "pinned": True, "if_revision": 7}
    error(http.patch(f"/v1/memories/{written['id']}", json=body), 409, "conflict")


def test_an_if_match_that_is_no_revision_is_a_fault(http):
    written = remember(http)
    answer = http.patch(f"/v1/memories/{written['id']}", json={"scope": ALICE, "pinned": True}, headers={"If-Match": '"abc"'})
    assert fields(answer) == ["If-Match"]


def test_correct_confirm_restore_history_and_forget_have_their_routes(http):
    first = remember(http, "她住在里昂")
    address = f"/v1/memories/{first['id']}"
    fixed = http.post(f"{address}/correct", json={"scope": ALICE, "content": "她住在马赛"}).json()["record"]
    assert http.post(f"/v1/memories/{fixed['id']}/confirm", params={"scope": ALICE}).json()["score"] > fixed["score"]
    assert http.post(f"{address}/restore", json={"scope": ALICE}).json()["status"] == "active"
    assert len(http.get(f"{address}/history", params={"scope": ALICE}).json()["entries"]) >= 3
    gone = http.delete(address, params={"scope": ALICE, "reason": "wrong"}).json()
    assert gone["count"] == 1
    error(http.get(address, params={"scope": ALICE}), 404, "not_found")


def test_forgetting_by_question_gives_a_plan_that_a_second_call_carries_out(http):
    remember(http, "a note about whales")
    plan = http.post("/v1/forget", json={"everything": True, "scope": ALICE}).json()
    assert plan["state"] == "planned" and http.get("/v1/memories", params={"scope": ALICE}).json()["records"]
    assert http.post("/v1/forget", json={"plan": plan["plan"]}).json()["count"] == 1
    assert http.get("/v1/memories", params={"scope": ALICE}).json()["records"] == []


def test_what_is_recalled_explains_itself(http):
    remember(http, "The user is allergic to peanuts")
    hit = http.post("/v1/recall", json={"query": "peanuts allergy", "scope": [ALICE]}).json()["hits"][0]
    assert hit["record"]["content"] == "The user is allergic to peanuts" and "lexical" in hit["reasons"]


def test_a_fault_never_echoes_what_was_sent(http):
    answer = http.post("/v1/memories", json={"content": "x", "scope": "user:alice", "score": "very private words"})
    assert "very private words" not in answer.text


def test_health_tells_store_index_and_queue_apart_and_nothing_else(http):
    assert http.get("/healthz").json() == {"status": "ok", "store": "ok", "index": "lexical", "queue": "empty"}


def test_health_is_degraded_while_something_that_was_wanted_is_missing(http, engine: Engine):
    engine.core.notes.add("embedder", "no embedding model is installed")
    assert http.get("/healthz").json()["status"] == "degraded"
    engine.core.notes.drop("embedder")
    assert http.get("/healthz").json()["status"] == "ok"


def test_health_is_503_where_the_store_fails(http, engine: Engine, monkeypatch):
    from satchel.errors import StoreUnavailable

    def gone(*_: object) -> None:
        raise StoreUnavailable("the disk is gone")

    monkeypatch.setattr(engine.core.store, "document", gone)
    answer = http.get("/healthz")
    assert answer.status_code == 503 and answer.json()["store"] == "failing" and "disk" not in answer.text


def test_metrics_count_by_operation_without_content(http):
    remember(http, "一段很私人的话")
    http.get("/v1/memories/nothing", params={"scope": ALICE})
    text = http.get("/metrics").text
    assert 'satchel_requests_total{operation="remember",status="200"} 1.0' in text
    assert 'satchel_requests_total{operation="read",status="404"} 1.0' in text
    assert "alice" not in text and "私人" not in text


def test_answers_are_not_kept_by_caches(http):
    written = remember(http)
    assert http.get(f"/v1/memories/{written['id']}", params={"scope": ALICE}).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("bad", ["%ff", "%e4%bd", "%ed%a0%80", "a%c0%af"])
def test_a_query_that_is_not_utf_8_is_refused_and_never_read_with_replacements(http, bad):
    remember(http, "不动", id="m")
    kept = http.get("/v1/memories/m", params={"scope": ALICE}).json()
    for verb, path in [
        ("GET", f"/v1/memories?scope=user:{bad}"),
        ("GET", f"/v1/memories/m?scope=user:{bad}"),
        ("PATCH", f"/v1/memories/m?scope=user:{bad}"),
        ("PATCH", f"/v1/memories/m?scope=user:alice&{bad}=1"),
        ("DELETE", f"/v1/memories/m?scope=user:{bad}"),
        ("GET", f"/v1/export?scope=user:{bad}"),
        ("POST", f"/v1/import?scope_map={bad}"),
    ]:
        answer = http.request(verb, path, content=b'{"pinned": true}' if verb == "PATCH" else None)
        assert answer.status_code == 422 and answer.json()["error"]["code"] == "invalid_request", (verb, path)
    assert http.get("/v1/memories/m", params={"scope": ALICE}).json() == kept


def test_a_listing_takes_the_names_that_the_method_has(http):
    remember(http, "她拉大提琴", type="profile")
    remember(http, "Weekly report on Thursday", type="task")
    for name in ("type", "types"):
        found = http.get("/v1/memories", params={"scope": ALICE, name: "task", "status": "active"}).json()["records"]
        assert [record["type"] for record in found] == ["task"]
    assert http.get("/v1/memories", params={"scope": ALICE, "status": "archived"}).json()["records"] == []
    assert http.get("/v1/memories", params={"scope": ALICE, "status": "nonsense"}).status_code == 422


def test_who_gives_no_name_never_writes_under_the_services_own(engine: Engine):
    named = engine.bind(agent="cli")
    with client_of(named) as remote:
        assert remote.remember("没有名字的人写的", scope=ALICE).record.source.agent == "anonymous"
    with client_of(named, agent="desk") as remote:
        assert remote.remember("Written at the desk", scope=ALICE).record.source.agent == "desk"
