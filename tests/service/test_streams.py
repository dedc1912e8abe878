"""Packages over a real connection: streaming, broken off, standing still, vanishing (SRV-1, PRO-10)."""

from __future__ import annotations

import io
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import urlsplit

import httpx
import pytest

from door_stage import AT_ONCE
from satchel.client import HttpMemory
from satchel.engine.engine import Engine
from satchel.errors import InvalidPackage, InvalidRequest, StoreUnavailable, TransportError
from satchel.ports import Batch, LogEntry, Put
from satchel.protocol import read_package
from satchel.service import ServiceSettings, serving
from write_stage import ALICE, BOB, Clock, exported, opened, record

LARGE = 600
"""Records of 20 kB: more than the buffers of a loopback connection hold."""

EXPORT = "GET /v1/export?scope=user:alice HTTP/1.1\nHost: localhost\n\n"


@pytest.fixture
def large(engine: Engine, clock: Clock) -> Engine:
    """Written past the engine, whose screening of so much text is not what is tested here."""
    records = [record(f"{number} " + "长期记忆 long memory " * 900, id=f"r{number}") for number in range(LARGE)]
    engine.core.store.apply(Batch([Put(one, LogEntry("import", "a test", clock())) for one in records]))
    return engine


def lines_of(data: bytes) -> int:
    with read_package(io.BytesIO(data), check_lines=False) as found:
        return sum(found.trailer.counts.values())


@pytest.fixture
def url(engine: Engine) -> Iterator[str]:
    with serving(engine) as address:
        yield address


def client(url: str) -> HttpMemory:
    return HttpMemory(url, retry=AT_ONCE)


def connected(url: str, request: str) -> socket.socket:
    parts = urlsplit(url)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=10)
    connection.sendall(request.replace("\n", "\r\n").encode())
    return connection


def eventually(holds: Callable[[], bool]) -> bool:
    for _ in range(100):
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_a_package_goes_out_and_comes_in_again_unchanged(engine, url):
    engine.remember_many(["她对花生过敏", "She plays the cello"], scope=ALICE)
    with client(url) as memory, opened() as other, serving(other) as elsewhere, client(elsewhere) as target:
        data = exported(memory, scope=ALICE)
        report = target.import_package(io.BytesIO(data))
        assert report.counts["created"] == 2
        # When this store took it, and nothing else, is the other store's own.
        ours, theirs = (
            [found.model_dump(exclude={"stored_at"}) for found in side.records(scope=ALICE).records] for side in (memory, target)
        )
        assert ours == theirs
        assert target.import_package(io.BytesIO(data)).counts.get("created", 0) == 0


def test_a_compressed_package_says_so(engine, url):
    engine.remember("压缩", scope=ALICE)
    with httpx.stream("GET", f"{url}/v1/export", params={"everything": True, "compressed": True}) as answer:
        assert answer.headers["content-type"] == "application/zstd"
        data = b"".join(answer.iter_raw())
    assert lines_of(data) == 1


def test_an_export_that_names_no_scope_is_an_error_before_the_first_byte(url):
    answer = httpx.get(f"{url}/v1/export")
    assert answer.status_code == 422 and answer.json()["error"]["code"] == "invalid_request"


def test_a_package_is_sent_in_pieces_while_it_is_made(large, url):
    with httpx.stream("GET", f"{url}/v1/export", params={"scope": ALICE}) as answer:
        assert "content-length" not in answer.headers
        sizes = [len(piece) for piece in answer.iter_raw()]
    assert len(sizes) > 10


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-40], lambda data: data[: len(data) // 2], lambda data: data.replace(b"cello", b"viola"), lambda data: b""]
)
def test_a_truncated_or_altered_package_is_refused_and_nothing_is_written(engine, url, spoil):
    engine.remember_many(["甲", "She plays the cello"], scope=ALICE)
    data = spoil(exported(engine, scope=ALICE))
    with opened() as other, serving(other) as elsewhere, client(elsewhere) as target:
        with pytest.raises(InvalidPackage):
            target.import_package(io.BytesIO(data))
        assert other.scopes() == []


@pytest.mark.parametrize("framing", ["Content-Length: 100000", "Transfer-Encoding: chunked"])
def test_a_body_that_stops_half_way_writes_nothing_and_harms_nobody(engine, url, framing):
    line = b'{"kind":"header","protocol":"1.0","producer":"t","created_at":"2026-03-01T08:00:00Z"}\n'
    body = line if "Length" in framing else f"{len(line):x}\r\n".encode() + line + b"\r\n"
    for path in ("/v1/import", "/v1/memories"):
        connection = connected(url, f"POST {path} HTTP/1.1\nHost: localhost\nContent-Type: application/json\n{framing}\n\n")
        connection.sendall(body)
        connection.close()
    with client(url) as memory:
        assert memory.remember("还在", scope=BOB).outcome == "created"
    assert [found.scope for found in engine.scopes()] == [BOB]


@pytest.mark.parametrize("path", ["/v1/import", "/v1/memories"])
def test_a_body_that_stands_still_is_given_up(engine, path):
    with serving(engine, settings=ServiceSettings(stall=0.2, streams=1)) as url:
        head = f"POST {path} HTTP/1.1\nHost: localhost\nConnection: close\nContent-Length: 1000\n\n"
        with closing(connected(url, head)) as connection:
            answer = "".join(iter(lambda: connection.recv(65536).decode(), ""))
        assert answer.startswith("HTTP/1.1 408") and "stood still" in answer
        assert httpx.get(f"{url}/v1/scopes").json() == {"scopes": []}


def test_many_clients_at_once_lose_nothing(tmp_path):
    with opened(tmp_path / "agent.db") as engine, serving(engine) as url, client(url) as memory:

        def work(name: int) -> None:
            for number in range(20):
                memory.remember(f"第 {name} 个写者的第 {number} 条", scope=f"agent:w{name}", id=f"m{number}")

        with ThreadPoolExecutor(12) as pool:
            list(pool.map(work, range(12)))
        assert [found.counts["active"] for found in memory.scopes()] == [20] * 12


def test_a_client_that_vanishes_during_an_export_frees_its_place(large):
    with serving(large, settings=ServiceSettings(streams=1)) as url, client(url) as memory:
        for _ in range(3):
            connection = connected(url, EXPORT)
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
            connection.close()
            assert eventually(lambda: _exports(memory))


def _exports(memory: HttpMemory) -> bool:
    try:
        return lines_of(exported(memory, scope=ALICE)) == LARGE
    except (StoreUnavailable, TransportError):
        # No place is free yet; or a busy machine made this reader, too, seem to stand still.
        return False


def test_exports_that_stand_still_hold_up_nobody_else(large):
    with serving(large, settings=ServiceSettings(threads=2)) as url, client(url) as memory:
        idle = [connected(url, EXPORT) for _ in range(8)]
        assert all(connection.recv(100) for connection in idle)
        assert memory.remember("照样能写", scope=BOB).outcome == "created"
        assert memory.read("r1", scope=ALICE).id == "r1"
        assert _exports(memory)
        for connection in idle:
            connection.close()


def test_an_export_whose_reader_stands_still_is_given_up(large, caplog):
    settings = ServiceSettings(stall=0.2, streams=1)
    with serving(large, settings=settings) as url, client(url) as memory, closing(connected(url, EXPORT)) as connection:
        assert connection.recv(100)
        assert eventually(lambda: _exports(memory))
    assert "stood still" in caplog.text


def test_more_streams_than_there_are_places_are_told_to_come_again(large):
    settings = ServiceSettings(streams=1)
    with serving(large, settings=settings) as url, client(url) as memory, closing(connected(url, EXPORT)) as connection:
        assert connection.recv(100)
        with pytest.raises(StoreUnavailable) as caught:
            exported(memory, scope=ALICE)
        assert caught.value.details["retry_after"] == 5


def test_an_export_that_fails_half_way_is_no_package_and_no_traceback(large, url, monkeypatch, caplog):
    whole, calls = large.core.store.scan, []

    def failing(*arguments, **options):
        calls.append(1)
        if len(calls) > 2:
            raise RuntimeError("花生 in the message")
        return whole(*arguments, **options)

    monkeypatch.setattr(large.core.store, "scan", failing)
    with client(url) as memory, pytest.raises(TransportError, match="broke off"):
        exported(memory, scope=ALICE)
    assert "RuntimeError" in caplog.text and "花生" not in caplog.text


def test_an_import_that_is_larger_than_it_may_be_is_413(large):
    data = exported(large, scope=ALICE)
    with opened() as other, serving(other, settings=ServiceSettings(max_import=100_000)) as url, client(url) as memory:
        with pytest.raises(InvalidRequest, match="larger than 100000"):
            memory.import_package(io.BytesIO(data))
        answer = httpx.post(f"{url}/v1/import", content=iter([data[:60_000], data[60_000:200_000]]))
        assert answer.status_code == 413
        assert other.scopes() == []


def test_a_connection_is_kept_through_answers_and_errors(engine, url):
    parts = urlsplit(url)
    with closing(socket.create_connection((parts.hostname, parts.port), timeout=10)) as connection:
        for body, status in (
            (b'{"query": "x", "scope": "user:alice"}', 200),
            (b"{", 400),
            (b'{"query": "x"}', 422),
            (b'{"query": "x", "scope": "public"}', 200),
        ):
            connection.sendall(b"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            head, _, rest = connection.recv(65536).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 %d" % status)
            length = int(next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")).split(b":")[1])
            while len(rest) < length:
                rest += connection.recv(65536)
            json.loads(rest)


def test_a_request_under_way_is_finished_when_the_service_stops(engine):
    entered, release = threading.Event(), threading.Event()
    read = engine.core.store.get

    def slow(*arguments):
        entered.set()
        release.wait(10)
        return read(*arguments)

    engine.remember("收尾", scope=ALICE, id="m")
    answers: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.core.store, "get", slow)
        with serving(engine) as url:
            memory = client(url)
            asking = threading.Thread(target=lambda: answers.append(memory.read("m", scope=ALICE).content))
            asking.start()
            assert entered.wait(10)
            threading.Timer(0.1, release.set).start()
    asking.join()
    memory.close()
    assert answers == ["收尾"]
