"""MCP over streamable HTTP, inside the service, with its tokens (SRV-2, ACC-1)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from door_stage import AT_ONCE
from satchel.client import HttpMemory
from satchel.mcp import http_door
from satchel.mcp.server import error_from_result
from satchel.service import TokenBook, serving
from write_stage import ALICE, BOB, opened

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.fixture
def engine():
    with opened() as found:
        yield found


@pytest.fixture
def url(engine):
    with serving(engine, mounts={"/mcp": http_door()}) as address:
        yield address


def session(address: str, script: Callable[[Client], Awaitable[None]], *, mode: str = "auto", **headers: str) -> None:
    async def run() -> None:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with httpx2.AsyncClient(headers=sent) as http, Client(streamable_http_client(address, http_client=http), mode=mode) as client:
            await script(client)

    anyio.run(run)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_two_agents_share_a_memory_over_two_doors(engine, url, mode):
    with HttpMemory(url, agent="甲", retry=AT_ONCE) as first:
        first.remember("用户对花生严重过敏", scope=ALICE, id="m")

    async def second(client: Client) -> None:
        found = await client.call_tool("memory_search", {"query": "花生"})
        assert found.structured_content["memories"][0]["id"] == "m"
        await client.call_tool("memory_write", {"content": "She plays the cello"})
        await client.call_tool("memory_forget", {"id": "m"})
        gone = await client.call_tool("memory_forget", {"id": "m", "confirm": True})
        assert not gone.is_error and gone.structured_content["state"] != "needs_confirmation"

    session(f"{url}/mcp?scope=user:alice", second, mode=mode, X_Satchel_Agent="%E4%B9%99")
    record = engine.recall("cello", scope=ALICE)[0].record
    assert record.source.agent == "乙" and record.source.tool


def test_the_scope_comes_from_the_address_the_header_or_the_token(engine, url):
    async def writes(client: Client) -> None:
        assert not (await client.call_tool("memory_write", {"content": "x"})).is_error

    session(f"{url}/mcp?scope=user%3A%E7%88%B1%E4%B8%BD%E4%B8%9D&scope=public", writes)
    session(f"{url}/mcp", writes, X_Satchel_Scope="user:bob, public")
    issued = TokenBook(engine.core.store).create("agent", read=[ALICE], write=[ALICE])
    session(f"{url}/mcp", writes, Authorization=f"Bearer {issued.secret}")
    assert [found.scope for found in engine.scopes()] == [ALICE, BOB, "user:爱丽丝"]


def test_a_connection_without_a_scope_is_told_what_to_add(url):
    async def script(client: Client) -> None:
        error = error_from_result(await client.call_tool("memory_context", {}))
        assert error.code == "invalid_request" and "?scope=" in str(error)

    session(f"{url}/mcp", script)


def test_a_token_holds_whatever_scope_the_address_names(engine, url):
    engine.remember("bob's plan", scope=BOB, id="b")
    issued = TokenBook(engine.core.store).create("agent", read=[ALICE], write=[ALICE])

    async def script(client: Client) -> None:
        found = await client.call_tool("memory_search", {"query": "bob's plan"})
        assert found.structured_content == {"memories": []}
        denied = await client.call_tool("memory_write", {"content": "into bob"})
        assert error_from_result(denied).code == "denied"
        absent = await client.call_tool("memory_forget", {"id": "b"})
        assert error_from_result(absent).code == "not_found"

    session(f"{url}/mcp?scope=user:bob", script, Authorization=f"Bearer {issued.secret}")


def test_without_a_valid_token_the_door_is_shut(engine, url):
    book = TokenBook(engine.core.store)
    issued = book.create("agent", read=[ALICE], write=[ALICE])
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {issued.secret}"}
    assert httpx.post(f"{url}/mcp", json=HELLO, headers=headers).status_code != 401
    book.revoke(issued.token.id)
    answer = httpx.post(f"{url}/mcp", json=HELLO, headers=headers)
    assert answer.status_code == 401 and answer.json()["error"]["code"] == "denied"


def test_foreign_pages_and_hosts_are_refused_here_too(url):
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        assert httpx.post(f"{url}/mcp", json=HELLO, headers=headers).status_code == 403


@pytest.mark.parametrize("place", ["address", "header"])
def test_a_scope_that_is_not_utf_8_is_refused(engine, url, place):
    async def script(client: Client) -> None:
        error = error_from_result(await client.call_tool("memory_write", {"content": "x"}))
        assert error.code == "invalid_request"

    if place == "address":
        session(f"{url}/mcp?scope=user:%ff", script)
    else:
        session(f"{url}/mcp", script, X_Satchel_Scope="user:%ff")
    assert not engine.scopes()


LONE = rb'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\ud800"}}'


@pytest.mark.parametrize("body", [b"nonsense", LONE, b"\xff", LONE.replace(rb"\ud800", b"\xff")])
def test_a_body_that_is_no_message_is_answered_and_the_service_lives(url, body):
    headers: dict[str, Any] = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    answer = httpx.post(f"{url}/mcp", content=body, headers=headers)
    assert 400 <= answer.status_code < 500 and "error" in answer.json()
    assert httpx.get(f"{url}/healthz").status_code == 200


def test_mcp_calls_are_counted(url):
    httpx.post(f"{url}/mcp", json=HELLO, headers={"Accept": "application/json, text/event-stream"})
    assert 'satchel_requests_total{operation="mcp"' in httpx.get(f"{url}/metrics").text


def test_connections_at_the_same_time_never_share_a_scope(engine, url):
    """Where a call goes is the connection's own, never what another wrote last."""

    async def write(name: str) -> None:
        async with Client(f"{url}/mcp?scope=user:{name}") as client:
            for number in range(5):
                await client.call_tool("memory_write", {"content": f"{name} 的第 {number} 件事"})

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            for name in ("alice", "bob", "carol"):
                tasks.start_soon(write, name)

    anyio.run(run)
    for name in ("alice", "bob", "carol"):
        contents = [found.content for found in engine.every_record(scope=f"user:{name}")]
        assert len(contents) == 5 and all(content.startswith(name) for content in contents)
