"""Every class of error makes the round trip over HTTP to the same class (style.md)."""

from __future__ import annotations

import anyio
import httpx
import pytest

from door_stage import AT_ONCE, LOCAL, client_of
from satchel import errors as e
from satchel.client import AsyncHttpMemory, HttpMemory, InProcessTransport
from satchel.service import create_app
from write_stage import ALICE, opened

KINDS = [kind for kind in vars(e).values() if isinstance(kind, type) and issubclass(kind, e.SatchelError)]


def raised(kind: type[e.SatchelError]) -> e.SatchelError:
    return kind("说明 why", faults=[{"field": "内容", "message": "错"}], number=3, text='a"b\\c\n')


@pytest.fixture
def failing(monkeypatch):
    with opened() as engine:

        def fail_with(error: BaseException) -> None:
            def call(*_: object) -> None:
                raise error

            monkeypatch.setattr(type(engine), "call", call)

        yield engine, fail_with


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_arrives_as_the_class_it_was(failing, kind):
    engine, fail_with = failing
    sent = raised(kind)
    fail_with(sent)
    with client_of(engine) as memory, pytest.raises(e.SatchelError) as caught:
        memory.scopes()
    found = caught.value
    assert type(found) is kind and found.message == sent.message
    found.details.pop("retry_after", None)
    assert found.details == sent.details


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_arrives_as_the_class_it_was_when_awaited(failing, kind):
    engine, fail_with = failing
    fail_with(raised(kind))

    async def ask() -> None:
        async with AsyncHttpMemory(LOCAL, transport=httpx.ASGITransport(create_app(engine)), retry=AT_ONCE) as memory:
            await memory.scopes()

    with pytest.raises(e.SatchelError) as caught:
        anyio.run(ask)
    assert type(caught.value) is kind


def test_an_unexpected_failure_is_the_base_class_with_a_reference(failing):
    engine, fail_with = failing
    fail_with(ZeroDivisionError("private"))
    with client_of(engine) as memory, pytest.raises(e.SatchelError) as caught:
        memory.scopes()
    assert type(caught.value) is e.SatchelError and "private" not in str(caught.value)


def test_what_is_wrong_in_the_arguments_is_found_before_anything_is_sent():
    with HttpMemory("http://localhost:1", retry=AT_ONCE) as memory, pytest.raises(e.InvalidRequest) as caught:
        memory.remember("", scope="*", score=7)
    assert {fault["field"] for fault in caught.value.details["faults"]} >= {"scope", "score"}


@pytest.mark.parametrize("text", ["\ud800 alone", "nul \x00", "\udfff"])
def test_a_lone_surrogate_never_leaves(text):
    with HttpMemory("http://localhost:1", retry=AT_ONCE) as memory:
        for call in (
            lambda: memory.remember(text, scope=ALICE),
            lambda: memory.remember("x", scope=ALICE, meta={"k": text}),
            lambda: memory.read(text, scope=ALICE),
            lambda: memory.records(scope=ALICE, where={"k": text}),
        ):
            with pytest.raises(e.InvalidRequest):
                call()


@pytest.mark.parametrize("url", ["", "localhost:7377", "ftp://x", "http://", "http://x?y=1", "sqlite:///a.db"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(e.InvalidRequest):
        HttpMemory(url)


@pytest.mark.parametrize("token", ["", "a b", "记号", "a\nb"])
def test_a_token_that_is_none_is_refused_before_it_is_sent(token):
    with pytest.raises(e.InvalidRequest) as caught:
        HttpMemory(LOCAL, token=token)
    assert token == "" or token not in str(caught.value)


def test_a_service_below_a_path_is_reached():
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return httpx.Response(200, json={"scopes": []})

    with HttpMemory("http://localhost:1/satchel/", transport=httpx.MockTransport(answer)) as memory:
        assert memory.scopes() == []
    assert seen == ["http://localhost:1/satchel/v1/scopes"]


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>a portal</html>"),
        httpx.Response(200, json={"other": 1}),
        httpx.Response(404, text="nothing here"),
        httpx.Response(404, json={"error": "not found"}),
        httpx.Response(302, headers={"Location": "http://elsewhere/"}),
        httpx.Response(502, content=b"\xff"),
    ],
)
def test_something_that_is_no_satchel_service_is_a_transport_error(answer):
    with HttpMemory(LOCAL, transport=httpx.MockTransport(lambda _: answer), retry=AT_ONCE) as memory, pytest.raises(e.TransportError):
        memory.scopes()


def test_nobody_there_is_a_transport_error_that_names_the_address_and_no_token():
    with HttpMemory("http://127.0.0.1:9", token="satchel_a_b", retry=AT_ONCE) as memory, pytest.raises(e.TransportError) as caught:
        memory.scopes()
    assert "http://127.0.0.1:9" in str(caught.value) and "satchel_a_b" not in str(caught.value)


def test_a_memory_tells_where_it_is_without_its_token():
    assert repr(HttpMemory("http://localhost:7377", token="satchel_a_b")) == "HttpMemory('http://localhost:7377')"


def test_the_transport_in_this_process_is_closed_with_its_memory():
    with opened() as engine:
        memory = HttpMemory(LOCAL, transport=InProcessTransport(create_app(engine)))
        assert memory.scopes() == []
        memory.close()
