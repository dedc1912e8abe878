"""Passing failures are retried where a retry cannot write twice (ENG-4, CNF-1)."""

from __future__ import annotations

import io

import anyio
import httpx
import pytest

from door_stage import LOCAL
from satchel import errors as e
from satchel.client import AsyncHttpMemory, HttpMemory, InProcessTransport, RetryPolicy
from satchel.service import create_app
from write_stage import ALICE, Clock, exported, opened

QUICK = RetryPolicy(retries=3, base=0.001)


class Lossy(httpx.BaseTransport):
    """Carries each request to the service, and then, as often as told, loses the answer, or the request before it."""

    def __init__(self, inner: httpx.BaseTransport, *, answers: int = 0, requests: int = 0) -> None:
        self._inner = inner
        self.answers = answers
        self.requests = requests
        self.tries = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.tries += 1
        if self.requests:
            self.requests -= 1
            raise httpx.ConnectError("refused")
        answer = self._inner.handle_request(request)
        if self.answers:
            self.answers -= 1
            answer.read()
            raise httpx.ReadError("the connection was reset")
        return answer

    def close(self) -> None:
        self._inner.close()


@pytest.fixture
def lossy():
    with opened(clock=Clock()) as engine:
        transport = Lossy(InProcessTransport(create_app(engine)))
        with HttpMemory(LOCAL, transport=transport, retry=QUICK) as memory:
            yield engine, transport, memory


def test_an_answer_that_is_lost_does_not_write_twice(lossy):
    engine, transport, memory = lossy
    transport.answers = 2
    done = memory.remember("她对花生过敏", scope=ALICE)
    assert transport.tries == 3
    assert [found.id for found in engine.records(scope=ALICE).records] == [done.record.id]
    assert len(engine.history(done.record.id, scope=ALICE)) == 1


def test_an_answer_to_many_that_is_lost_writes_each_once(lossy):
    engine, transport, memory = lossy
    transport.answers = 1
    memory.remember_many(["一", "two", "三"], scope=ALICE)
    assert len(engine.records(scope=ALICE).records) == 3
    assert all(found.revision == 1 for found in engine.records(scope=ALICE).records)


def test_a_correction_whose_answer_is_lost_is_made_once(lossy):
    engine, transport, memory = lossy
    memory.remember("她住在里昂", scope=ALICE, id="m")
    transport.answers = 1
    done = memory.correct("m", "她住在马赛", scope=ALICE)
    active = engine.records(scope=ALICE, status="active").records
    assert [found.id for found in active] == [done.record.id]


def test_a_repetition_whose_answer_is_lost_counts_once(lossy):
    """A retried call is not a repetition (CNF-1)."""
    engine, transport, memory = lossy
    memory.remember("她有一只狗", scope=ALICE, id="m")
    memory.remember("她有一只狗", scope=ALICE)
    once = engine.read("m", scope=ALICE).score
    memory.remember("She has a cat", scope=ALICE, id="n")
    transport.answers, transport.tries = 1, 0
    memory.remember("She has a cat", scope=ALICE)
    assert transport.tries == 2
    assert engine.read("n", scope=ALICE).score == once


def test_what_may_act_twice_is_not_sent_again_once_it_has_left(lossy):
    _engine, transport, memory = lossy
    memory.remember("x", scope=ALICE, id="m")
    transport.answers, transport.tries = 1, 0
    with pytest.raises(e.TransportError):
        memory.confirm("m", scope=ALICE)
    assert transport.tries == 1


def test_what_never_left_is_sent_again_whatever_it_is(lossy):
    _, transport, memory = lossy
    memory.remember("x", scope=ALICE, id="m")
    transport.requests, transport.tries = 2, 0
    memory.confirm("m", scope=ALICE)
    assert transport.tries == 3


def test_it_gives_up_after_some_tries(lossy):
    _, transport, memory = lossy
    transport.requests = 100
    with pytest.raises(e.TransportError, match="cannot reach"):
        memory.scopes()
    assert transport.tries == 4


def test_a_store_that_is_busy_is_asked_again_and_a_wrong_request_is_not(lossy, monkeypatch):
    engine, transport, _memory = lossy
    whole, failures = type(engine).call, [e.StoreUnavailable("locked")] * 2

    def call(self, operation, request):
        if failures:
            raise failures.pop()
        return whole(self, operation, request)

    monkeypatch.setattr(type(engine), "call", call)
    with HttpMemory(LOCAL, transport=transport, retry=RetryPolicy(base=0.001, longest=1.0, draw=lambda low, high: low)) as patient:
        monkeypatch.setattr("time.sleep", lambda _: None)
        assert patient.scopes() == []
    assert transport.tries == 3


@pytest.mark.parametrize("later", [None, e.StoreUnavailable("away"), httpx.ConnectError("refused")])
def test_an_unknown_outcome_is_told_whatever_the_later_tries_say(lossy, monkeypatch, later):
    engine, transport, memory = lossy
    failures = [e.StoreUnavailable("went away during a commit", outcome="unknown")]

    def call(self, operation, request):
        if failures:
            if isinstance(later, httpx.ConnectError):
                transport.requests = 100
            raise failures.pop()
        raise later or e.StoreUnavailable("still unknown", outcome="unknown")

    monkeypatch.setattr(type(engine), "call", call)
    monkeypatch.setattr("time.sleep", lambda _: None)
    with pytest.raises((e.StoreUnavailable, e.TransportError)) as caught:
        memory.remember("只写一次", scope=ALICE)
    assert transport.tries > 1
    assert caught.value.details["outcome"] == "unknown"


@pytest.mark.parametrize("broken", [httpx.ReadError, httpx.ReadTimeout, httpx.WriteError, httpx.RemoteProtocolError, httpx.CloseError])
def test_a_write_whose_connection_broke_on_the_way_may_have_taken_place(lossy, monkeypatch, broken):
    engine, transport, memory = lossy

    def lost(request):
        transport._inner.handle_request(request).read()
        raise broken("the connection was reset")

    monkeypatch.setattr(transport, "handle_request", lost)
    for write in (lambda: memory.remember("只写一次", scope=ALICE, id="once"), lambda: memory.confirm("once", scope=ALICE)):
        with pytest.raises(e.TransportError) as caught:
            write()
        assert caught.value.details["outcome"] == "unknown"
    assert [found.id for found in engine.records(scope=ALICE).records] == ["once"]
    with pytest.raises(e.TransportError) as caught:
        memory.recall("什么", scope=ALICE)
    assert "outcome" not in caught.value.details


@pytest.mark.parametrize("never", [httpx.ConnectError, httpx.ConnectTimeout])
def test_a_write_that_never_left_did_not_take_place(lossy, monkeypatch, never):
    _, transport, memory = lossy

    def refused(request):
        raise never("refused")

    monkeypatch.setattr(transport, "handle_request", refused)
    with pytest.raises(e.TransportError) as caught:
        memory.remember("从未写过", scope=ALICE)
    assert "outcome" not in caught.value.details


@pytest.mark.parametrize("status", [502, 504])
def test_a_write_whose_answer_a_proxy_did_not_hear_may_have_taken_place(lossy, monkeypatch, status):
    _, transport, memory = lossy
    monkeypatch.setattr(transport, "handle_request", lambda request: httpx.Response(status, text="<html>bad gateway</html>"))
    with pytest.raises(e.TransportError) as caught:
        memory.remember("也许写过", scope=ALICE)
    assert caught.value.details["outcome"] == "unknown"


def test_a_package_that_was_read_from_is_not_sent_again(lossy):
    engine, transport, memory = lossy
    engine.remember("x", scope=ALICE)
    data = exported(engine)
    transport.answers = 1
    transport.tries = 0
    with pytest.raises(e.TransportError):
        memory.import_package(io.BytesIO(data))
    assert transport.tries == 1
    transport.requests = 1
    assert memory.import_package(io.BytesIO(data)).counts.get("created", 0) == 0


def test_pauses_grow_are_drawn_and_are_bounded():
    retry = RetryPolicy(retries=9, base=1.0, longest=5.0, draw=lambda low, high: (low, high)).start(idempotent=True)
    assert [retry.pause_after(httpx.ReadError("x")) for _ in range(4)] == [(0.5, 1.0), (1.0, 2.0), (2.0, 4.0), (2.5, 5.0)]


def test_a_service_that_says_when_to_come_again_is_obeyed_within_reason():
    policy = RetryPolicy(base=0.1, longest=5.0, draw=lambda low, high: high)
    assert policy.start(idempotent=False).pause_after(e.RateLimited("slow", retry_after=3)) == 3.0
    assert policy.start(idempotent=True).pause_after(e.StoreUnavailable("busy", retry_after=3600)) is None


def test_the_async_client_retries_alike():
    tries = []

    class Shaky(httpx.AsyncBaseTransport):
        def __init__(self, inner: httpx.ASGITransport) -> None:
            self._inner = inner

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            tries.append(1)
            answer = await self._inner.handle_async_request(request)
            if len(tries) == 1:
                raise httpx.ReadTimeout("slow")
            return answer

    async def tour() -> None:
        with opened() as engine:
            async with AsyncHttpMemory(LOCAL, transport=Shaky(httpx.ASGITransport(create_app(engine))), retry=QUICK) as memory:
                done = await memory.remember("只写一次", scope=ALICE)
                assert len(tries) == 2
                assert [found.id for found in engine.records(scope=ALICE).records] == [done.record.id]

    anyio.run(tour)
