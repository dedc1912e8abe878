"""The service from the terminal: started, talked to, guarded by tokens, stopped without loss (SRV-1, ACC-1, ACC-5)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from satchel import open_memory


@contextmanager
def service(tmp_path: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "satchel", "serve", "--port", "0", "--json", "--store", f"sqlite:///{tmp_path / 'memory.db'}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SATCHEL_")}
    process = subprocess.Popen(
        [*command, "--embedder", "none", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert process.stdout and process.stderr
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield process, json.loads(line)["url"]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_service_stops_when_told_with_exit_code_0_and_nothing_lost(tmp_path: Path, how: signal.Signals) -> None:
    with service(tmp_path) as (process, url):
        with open_memory(url, agent="a") as memory:
            memory.remember("雨伞在门后", scope="user:alice", id="umbrella")
        process.send_signal(how)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 0, err
        assert err == ""
    with open_memory(f"sqlite:///{tmp_path / 'memory.db'}", embedder="none") as memory:
        assert memory.read("umbrella", scope="user:alice").source.agent == "a"


def test_every_command_works_on_a_service_as_on_a_store(satchel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_EMBEDDER")
    with service(tmp_path) as (_, url):
        monkeypatch.setenv("SATCHEL_STORE", url)
        record_id = satchel.remember("抽屉里有备用电池", "--id", "日记/3")
        assert satchel("recall", "电池").code == 0
        assert satchel("show", record_id, "--json").json["source"]["agent"] == "cli"
        assert satchel("update", record_id, "--tag", "home", "--json").json["tags"] == ["home"]
        assert satchel("correct", record_id, "抽屉里有两节电池").code == 0
        assert satchel("history", record_id).code == 0
        assert satchel("context", "电池").code == 0
        package = tmp_path / "x.satchel"
        assert satchel("export", "-o", str(package)).code == 0
        assert satchel("import", str(package)).code == 0
        for words in (["stats"], ["scopes"], ["doctor"], ["changes"], ["list"]):
            assert satchel(*words).code == 0, words
        assert satchel("forget", "--everything", "--yes").code == 0
        assert satchel("list", "--status", "active").code == 1


def test_a_service_that_is_not_there_is_exit_code_3(satchel) -> None:
    answer = satchel("list", "--store", "http://127.0.0.1:9", "--json")
    assert answer.code == 3
    assert answer.error["code"] == "transport"


def test_tokens_are_shown_once_and_open_the_door_until_revoked(satchel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    created = satchel("tokens", "create", "--agent", "helper", "--read", "user:alice", "--write", "user:alice", "--expires", "1d", "--json")
    assert created.code == 0, created.err
    secret, token_id = created.json["token"], created.json["id"]
    listed = satchel("tokens", "list")
    assert "helper" in listed.out
    assert secret not in listed.out
    monkeypatch.delenv("SATCHEL_EMBEDDER")
    with service(tmp_path) as (_, url):
        assert satchel("list", "--store", url).code == 3
        monkeypatch.setenv("SATCHEL_TOKEN", secret)
        assert satchel("remember", "钥匙在鞋柜上", "--store", url).code == 0
        assert satchel("recall", "钥匙", "--store", url, "--json").json["hits"][0]["record"]["source"]["agent"] == "helper"
        assert satchel("list", "--store", url, "--scope", "user:bob").code == 1
        assert satchel("remember", "x", "--store", url, "--scope", "user:bob").code == 3
        assert satchel("tokens", "revoke", token_id).code == 0
        assert satchel("list", "--store", url).code == 3


def test_another_address_than_loopback_needs_a_token_first(satchel) -> None:
    answer = satchel("serve", "--host", "0.0.0.0", "--port", "0", "--json")
    assert answer.code == 3
    assert answer.error["code"] == "denied"
    assert "tokens create" in answer.error["message"]


def test_serving_and_tokens_need_the_store_itself(satchel) -> None:
    for words in (["serve"], ["tokens", "list"]):
        answer = satchel(*words, "--store", "http://127.0.0.1:9")
        assert answer.code == 2
        assert "--store" in answer.err


def test_a_port_in_use_is_an_error_that_names_it(satchel, tmp_path: Path) -> None:
    with service(tmp_path) as (_, url):
        answer = satchel("serve", "--port", url.rpartition(":")[2])
        assert answer.code == 3
        assert url.rpartition(":")[2] in answer.err


TALK = """
import sys, anyio, mcp

async def talk():
    server = mcp.StdioServerParameters(command=sys.executable, args=["-m", "satchel", "mcp", *sys.argv[1:]])
    async with mcp.Client(server) as client:
        await client.call_tool("memory_write", {"content": "会议室改到三楼"})
        print(*[tool.name for tool in (await client.list_tools()).tools])

anyio.run(talk)
"""


def test_an_mcp_client_starts_the_server_and_its_scope_is_its_own(satchel, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    bound = ["--store", f"sqlite:///{tmp_path / 'memory.db'}", "--scope", "user:alice", "--agent", "desk", "--embedder", "none"]
    done = subprocess.run([sys.executable, "-c", TALK, *bound], capture_output=True, text=True)
    assert "memory_forget" in done.stdout.split(), done.stderr
    record = satchel("list", "--json").json["records"][0]
    assert (record["content"], record["source"]["agent"]) == ("会议室改到三楼", "desk")
