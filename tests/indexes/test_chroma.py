"""Chroma, in this process and as a server, holds the contract of indexes, and a memory over it what that of memories says of recall."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from index_stage import ALICE, RecallsAndForgets, StandsWhatHappens, answers, fill, findings, held, indexed, semantic
from satchel.conformance import VectorIndexContract
from satchel.indexes.chroma import ChromaIndex, open_index


class TestChromaIndex(VectorIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[ChromaIndex]:
        index = open_index(f"chroma:///{tmp_path}/index")
        yield index
        index.close()


class TestMemoryOnChroma(RecallsAndForgets):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"chroma:///{tmp_path}/index"


class TestChromaStandsWhatHappens(StandsWhatHappens):
    @pytest.fixture
    def url(self, folder: Path) -> str:
        return f"chroma:///{folder}"


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def _server(folder: Path, port: int) -> Iterator[None]:
    """Run Chroma's own server over a folder."""
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(folder), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert process.poll() is None
                assert monotonic() < end
                sleep(0.1)
        yield
    finally:
        process.kill()
        process.wait()


# Chroma's client opens a connection more than it closes.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_server_that_is_killed_and_comes_back(tmp_path):
    """ENG-1: words answer while it is down; what was forgotten and written meanwhile reaches it when it is back."""
    port = _free_port()
    url = f"chroma://127.0.0.1:{port}?collection=agents"
    with indexed(tmp_path / "a.db", url, settings={"answer_cache_seconds": 0}) as memory:
        fill(memory, 12)
        assert not semantic(memory)
        with _server(tmp_path / "server", port):
            _wait(memory)
            before = answers(memory)
            assert semantic(memory)
        assert memory.recall("花生", scope=ALICE)
        assert not semantic(memory)
        memory.remember("在此期间 meanwhile", scope=ALICE, id="meanwhile")
        assert memory.forget("m001", scope=ALICE).state == "scrub_pending"
        with _server(tmp_path / "server", port):
            _wait(memory)
            assert semantic(memory)
            assert answers(memory) != before
            assert {"meanwhile"} == held(memory).keys() - {f"m{at:03}" for at in range(12)}
            assert "m001" not in held(memory)
            assert findings(memory, "erasure")[0][0] == "ok"
            assert findings(memory)[0][0] == "ok"
            assert not memory.stats().scrub_pending
    gc.collect()  # the sockets that the client leaves open are told of here, where that is expected, and not in the next test


def _wait(memory):
    end = monotonic() + 60
    while memory.core.external.resting or not semantic(memory):
        assert monotonic() < end
        sleep(0.1)
