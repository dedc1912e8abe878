"""MCP over stdin and stdout of a process of its own (SRV-2, complaint 40)."""

from __future__ import annotations

import json
import subprocess
import sys

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from satchel.mcp.server import error_from_result
from write_stage import ALICE, opened

PROGRAM = """
import sys
from satchel import open_memory
from satchel.mcp import serve_stdio
with open_memory(sys.argv[1], embedder="none") as memory:
    serve_stdio(memory, scope=["user:alice", "public"], agent="桌面")
print("closed", file=sys.stderr)
"""


@pytest.fixture
def store(tmp_path):
    return f"sqlite:///{tmp_path / 'agent.db'}"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_starts_the_server_writes_and_finds(store, mode):
    async def run() -> None:
        parameters = StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, store])
        async with Client(stdio_client(parameters), mode=mode) as client:
            await client.call_tool("memory_write", {"content": "用户对花生严重过敏"})
            found = await client.call_tool("memory_search", {"query": "花生"})
            assert found.structured_content["memories"][0]["content"] == "用户对花生严重过敏"
            result = await client.call_tool("memory_forget", {"id": "nothing"})
            assert error_from_result(result).code == "not_found"

    anyio.run(run)
    with opened(store) as memory:
        record = memory.records(scope=ALICE).records[0]
    assert record.source.agent == "桌面" and record.source.tool


class Wire:
    """The protocol by hand, for lines that no honest client writes."""

    def __init__(self, store: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, store],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}
        assert "result" in self.ask(1, "initialize", hello)
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def receive(self):
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def ask(self, number: int, method: str, params: dict):
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        return self.receive()

    def write(self, number: int, content: str):
        return self.ask(number, "tools/call", {"name": "memory_write", "arguments": {"content": content}})

    def stop(self) -> str:
        _, err = self._process.communicate(timeout=30)
        assert self._process.returncode == 0, err
        return err.decode()


@pytest.fixture
def by_hand(store):
    wire = Wire(store)
    yield wire
    assert "Traceback" not in wire.stop()


def test_a_lone_surrogate_is_a_tool_error_naming_its_field_and_the_server_lives(by_hand):
    answer = by_hand.write(2, "lone \ud83d surrogate")
    assert answer["id"] == 2 and answer["result"]["isError"]
    error = answer["result"]["structuredContent"]["error"]
    assert error["code"] == "invalid_request" and error["details"]["faults"][0]["field"] == "content"
    assert not by_hand.write(3, "一对完整的 😀 surrogates").get("result").get("isError")


def test_a_lone_surrogate_in_any_place_is_answered(by_hand):
    by_hand.send(rb'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "\udfff", "arguments": {"\ud800": 1}}}')
    assert by_hand.receive()["result"]["isError"]
    by_hand.send(rb'{"jsonrpc": "2.0", "id": 3, "method": "\ud800", "params": {}}')
    assert by_hand.receive()["error"]["code"]
    assert "result" in by_hand.write(4, "还活着")


LINES = [b"nonsense", b"{", b"[]", b"17", b'{"jsonrpc": "2.0"}', b"\xff\xfe\x00", b'"' + b"x" * 2_000_000, b"[" * 100_000]


def test_a_line_that_is_no_message_is_answered_with_an_error(by_hand):
    for line in LINES:
        by_hand.send(line)
        answer = by_hand.receive()
        assert answer["error"]["code"] in {-32700, -32600} and answer["id"] is None, line[:20]
    assert "result" in by_hand.write(2, "still alive")


def test_a_huge_memory_is_a_tool_error(by_hand):
    assert by_hand.write(2, "忆" * 2_000_000)["result"]["isError"]
    assert not by_hand.write(3, "x" * 900_000)["result"].get("isError")


def test_when_the_client_leaves_the_store_is_closed(store):
    wire = Wire(store)
    wire.write(2, "走之前写下")
    assert "closed" in wire.stop()
    with opened(store) as memory:
        assert memory.records(scope=ALICE).records[0].content == "走之前写下"


def test_it_says_how_to_get_the_sdk_where_it_is_missing():
    program = (
        "import sys; sys.modules['mcp'] = None; sys.modules['mcp_types'] = None\n"
        "from satchel.errors import Unsupported\nfrom satchel.mcp import http_door, serve_stdio\n"
        "for start in (http_door, lambda: serve_stdio(None, scope='public')):\n"
        "    try: start()\n"
        "    except Unsupported as error: print(error.details['install'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "pip install 'satchel[mcp]'\n" * 2


CALL = b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_write", "arguments": %s}}'


@pytest.mark.parametrize("bad", [b"\xff", b"\xe5\xbf", b"\xed\xa0\xbd"])
def test_bytes_that_are_not_utf_8_are_refused_and_nothing_is_stored(by_hand, store, bad):
    for form in (b'{"content": "a%sb"}', b'{"content": "x", "tags": ["%s"]}', b'{"content": "x", "%s": 1}'):
        by_hand.send(CALL % (form % bad))
        answer = by_hand.receive()
        assert answer["id"] == 2 and answer["result"]["structuredContent"]["error"]["code"] == "invalid_request"
    assert "result" in by_hand.write(3, "还活着")
    with opened(store) as memory:
        assert [record.content for record in memory.records(scope=ALICE).records] == ["还活着"]
