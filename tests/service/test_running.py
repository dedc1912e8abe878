"""Where the service listens, and until when (ACC-5, SRV-1)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from door_stage import AT_ONCE
from satchel.client import HttpMemory
from satchel.errors import Denied, InvalidRequest, StoreUnavailable, TransportError
from satchel.service import serve, serving
from write_stage import ALICE

PROGRAM = """
import sys
from satchel import open_memory
from satchel.service import serve
with open_memory(sys.argv[1], embedder="none") as memory:
    serve(memory, port=0, on_ready=lambda url: print(url, flush=True))
print("closed", flush=True)
"""


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_it_refuses_to_listen_elsewhere_without_tokens(engine, tokens, host):
    with pytest.raises(Denied, match="satchel tokens create"):
        serve(engine, host, 0)
    tokens.revoke(tokens.create("a", read=[ALICE]).token.id)
    with pytest.raises(Denied):
        serve(engine, host, 0)


def test_with_a_token_it_listens_elsewhere_and_asks_everybody_for_one(engine, tokens):
    issued = tokens.create("a", read=[ALICE], write=[ALICE])
    with serving(engine, "0.0.0.0") as url:
        local = url.replace("0.0.0.0", "127.0.0.1")
        with HttpMemory(local, token=issued.secret, retry=AT_ONCE) as memory:
            assert memory.remember("在外面", scope=ALICE).outcome == "created"
        assert httpx.get(f"{local}/v1/scopes").status_code == 401


def test_it_listens_on_ipv6_loopback(engine):
    with serving(engine, "::1") as url, HttpMemory(url, retry=AT_ONCE) as memory:
        assert url.startswith("http://[::1]:") and memory.scopes() == []


def test_an_address_that_is_taken_or_none_is_a_clear_error(engine):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(StoreUnavailable, match="cannot listen on"):
        serve(engine, "127.0.0.1", taken.getsockname()[1])
    with pytest.raises(InvalidRequest, match="port"):
        serve(engine, "127.0.0.1", 70_000)


def test_after_it_has_stopped_nobody_answers(engine):
    with serving(engine) as url:
        pass
    with HttpMemory(url, retry=AT_ONCE) as memory, pytest.raises(TransportError, match="cannot reach the service"):
        memory.scopes()


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_closes_the_store_and_loses_nothing(tmp_path, stop):
    store = f"sqlite:///{tmp_path / 'agent.db'}"
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, store], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    with HttpMemory(url, retry=AT_ONCE) as memory:
        memory.remember("停机前写下", scope=ALICE, id="last")
        os.kill(process.pid, stop)
        out, err = process.communicate(timeout=30)
    assert out.strip() == "closed" and "Traceback" not in err, err
    from satchel import open_memory

    with open_memory(store, embedder="none") as again:
        assert again.read("last", scope=ALICE).content == "停机前写下"


def test_the_service_is_imported_without_its_web_framework_and_says_how_to_get_it():
    program = (
        "import sys; sys.modules['starlette'] = None\n"
        "from satchel.errors import Unsupported\nimport satchel.service\n"
        "assert satchel.service.TokenBook\n"
        "try: satchel.service.serve\n"
        "except Unsupported as error: print(error, error.details['install'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'satchel[server]'" in done.stdout
