"""Host, Origin, size, rate, and what never gets into a log (ACC-5)."""

from __future__ import annotations

import logging

import httpx
import pytest

from door_stage import client_of
from satchel.errors import Conflict, RateLimited
from satchel.service import ServiceSettings
from satchel.service.guards import RateLimiter, host_of, is_loopback
from write_stage import ALICE


@pytest.mark.parametrize("host", ["localhost", "localhost:7377", "127.0.0.1:80", "[::1]:7377", "LOCALHOST"])
def test_the_loopback_names_are_taken(http, host):
    assert http.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "evil.example:7377", "", "[::1", "127.0.0.1.nip.example"])
def test_another_hosts_name_is_refused(http, host):
    answer = http.get("/v1/scopes", headers={"Host": host})
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "denied"


def test_named_hosts_are_taken_instead(http_for):
    http = http_for(settings=ServiceSettings(hosts=("memory.example",)))
    assert http.get("/healthz", headers={"Host": "memory.example:7377"}).status_code == 200
    assert http.get("/healthz", headers={"Host": "localhost"}).status_code == 403


def test_a_service_that_always_needs_tokens_takes_any_name(http_for, tokens):
    http = http_for(exposed=True)
    assert http.get("/healthz", headers={"Host": "anything.example"}).status_code == 200
    assert http.get("/v1/scopes", headers={"Host": "anything.example"}).status_code == 401


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:3000", "https://localhost.evil.example"])
def test_a_foreign_page_is_refused(http, origin):
    answer = http.post("/v1/memories", json={"content": "x", "scope": ALICE}, headers={"Origin": origin, "Host": "localhost:7377"})
    assert answer.status_code == 403


def test_the_services_own_page_and_named_ones_are_taken(http_for):
    http = http_for(settings=ServiceSettings(origins=("https://console.example",)))
    for origin in ("http://localhost:7377", "https://console.example"):
        assert http.get("/v1/scopes", headers={"Origin": origin, "Host": "localhost:7377"}).status_code == 200


def test_pages_of_a_named_origin_may_read_the_answers_and_no_others(http_for):
    http = http_for(settings=ServiceSettings(origins=("https://console.example",)))
    ask = {
        "Origin": "https://console.example",
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization,if-match",
    }
    allowed = http.options("/v1/memories/x", headers=ask)
    assert allowed.status_code == 200 and allowed.headers["Access-Control-Allow-Origin"] == "https://console.example"
    answer = http.get("/v1/scopes", headers={"Origin": "https://console.example"})
    assert answer.headers["Access-Control-Allow-Origin"] == "https://console.example"
    assert http.options("/v1/memories/x", headers=ask | {"Origin": "https://evil.example"}).status_code == 403
    assert "Access-Control-Allow-Origin" not in http_for().get("/v1/scopes").headers


def test_a_body_that_is_too_large_is_413_and_not_read_to_its_end(http_for, engine):
    http = http_for(settings=ServiceSettings(max_body=2000))
    taken = []

    def body():
        for _ in range(100):
            taken.append(1)
            yield b" " * 1000

    for content in (b" " * 2001, body()):
        answer = http.post("/v1/memories", content=content)
        assert answer.status_code == 413 and answer.json()["error"]["code"] == "invalid_request"
        assert answer.json()["error"]["details"]["limit"] == 2000
    assert engine.scopes() == []


def test_a_memory_of_a_megabyte_passes_and_a_larger_one_is_a_fault(engine):
    from satchel.errors import InvalidRequest

    largest = "记" * (1_048_576 // 3)
    with client_of(engine) as memory:
        assert memory.remember(largest, scope=ALICE).record.content == largest
        with pytest.raises(InvalidRequest, match="larger than"):
            memory.remember(largest + "忆忆", scope=ALICE)


def test_a_caller_that_is_too_fast_is_told_when_to_come_again(engine, tokens):
    first, second = tokens.create("a", read=[ALICE]), tokens.create("b", read=[ALICE])
    settings = ServiceSettings(rate=0.001, burst=2)
    from satchel.client import HttpMemory, InProcessTransport, RetryPolicy
    from satchel.service import create_app

    transport = InProcessTransport(create_app(engine, settings=settings))
    fast = HttpMemory("http://localhost", token=first.secret, transport=transport, retry=RetryPolicy(retries=0))
    other = HttpMemory("http://localhost", token=second.secret, transport=transport, retry=RetryPolicy(retries=0))
    fast.scopes()
    fast.scopes()
    with pytest.raises(RateLimited) as caught:
        fast.scopes()
    assert caught.value.details["retry_after"] >= 1
    other.scopes()
    transport.close()


def test_the_bucket_fills_with_time():
    now = [0.0]
    limiter = RateLimiter(2.0, 1, clock=lambda: now[0])
    limiter.take("a")
    with pytest.raises(RateLimited):
        limiter.take("a")
    now[0] = 0.5
    limiter.take("a")


def test_an_internal_error_tells_neither_the_caller_nor_the_log_what_was_sent(http, engine, monkeypatch, caplog):
    def broken(*_: object) -> None:
        raise RuntimeError("花生 peanuts secret")

    monkeypatch.setattr(type(engine), "call", broken)
    with caplog.at_level(logging.DEBUG):
        answer = http.post("/v1/recall", json={"query": "花生", "scope": ALICE})
    assert answer.status_code == 500
    body = answer.json()["error"]
    assert body["code"] == "error" and set(body["details"]) == {"reference"}
    assert "peanuts" not in answer.text and "Traceback" not in answer.text
    assert body["details"]["reference"] in caplog.text
    assert "peanuts" not in caplog.text and "花生" not in caplog.text


def test_nothing_that_is_remembered_or_asked_is_logged(http, engine, caplog):
    with caplog.at_level(logging.DEBUG):
        http.post("/v1/memories", json={"content": "她对花生过敏", "scope": ALICE, "id": "m-1"})
        http.post("/v1/recall", json={"query": "花生可以吃吗", "scope": ALICE})
        http.post("/v1/memories", json={"content": "她对花生过敏", "scope": "*"})
        http.delete("/v1/memories/m-1", params={"scope": ALICE, "reason": "花生"})
    ours = [entry.getMessage() for entry in caplog.records if not entry.name.startswith(("httpx", "httpcore", "asyncio"))]
    assert not [line for line in ours if "花生" in line or "alice" in line]


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False), ("memory.example", False)],
)
def test_what_is_reached_from_this_machine_only_is_known(host, expected):
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("header", "expected"), [("Localhost:1", "localhost"), ("[::1]:7", "::1"), ("[::1", ""), ("a@localhost", ""), ("", "")]
)
def test_the_host_is_read_without_its_port(header, expected):
    assert host_of(header) == expected


def test_a_conflict_of_two_writers_is_told_with_both_revisions(engine):
    with client_of(engine) as memory:
        done = memory.remember("一", scope=ALICE)
        memory.update(done.record.id, scope=ALICE, pinned=True, if_revision=1)
        with pytest.raises(Conflict) as caught:
            memory.update(done.record.id, scope=ALICE, pinned=False, if_revision=1)
    assert (caught.value.details["expected"], caught.value.details["actual"]) == (1, 2)


def test_an_agents_name_that_is_none_is_a_fault(http: httpx.Client):
    for name in ("%ff", "%00", "x" * 3000):
        assert http.get("/v1/scopes", headers={"X-Satchel-Agent": name}).status_code == 422
