"""Tenants: each memory in a store of its own behind one service, each one's trouble its own (ACC-6)."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.stores.postgres_server import PostgresServer
from tests.stores.redis_server import RedisServer

from door_stage import AT_ONCE
from index_stage import WordEmbedder
from satchel.client import HttpMemory
from satchel.errors import Denied, InvalidRequest, NotFound, SatchelError, StoreCorrupt, StoreError, StoreUnavailable
from satchel.indexes.address import parse_address
from satchel.mcp import http_door
from satchel.operations import OPERATIONS
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.service import Tenants, TokenBook, read_tenants, serving
from satchel.service.schedule import Rounds, Schedule
from satchel.service.tenant_pool import TenantPool
from write_stage import ALICE, BOB, Clock, exported, opened, record

SECRET = "只有甲公司知道的密语"


@contextmanager
def service(front, tenants: Tenants | None, **options: Any) -> Iterator[str]:
    with serving(front, tenants=tenants, mounts={"/mcp": http_door()}, **options) as url:
        yield url


def everywhere(tmp_path: Path, **more: Any) -> Tenants:
    """Every tenant in a file of its own."""
    return Tenants.model_validate({"store": f"sqlite:///{tmp_path}/{{tenant}}.db", **more})


@pytest.fixture
def front() -> Iterator[Any]:
    with opened() as memory:
        yield memory


def token(front, tenant: str | None, **scopes: Any) -> str:
    scopes = scopes or {"read": None, "write": None}
    return TokenBook(front.core.store).create(tenant or "keeper", tenant=tenant, **scopes).secret


@contextmanager
def as_tenant(front, url: str, tenant: str | None, **scopes: Any) -> Iterator[HttpMemory]:
    with HttpMemory(url, token=token(front, tenant, **scopes), retry=AT_ONCE) as memory:
        yield memory


def test_the_same_scope_and_id_are_different_memories_in_files_of_their_own(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme, as_tenant(front, url, "globex") as globex:
        acme.remember(SECRET, scope=ALICE, id="same")
        globex.remember("Globex uses tabs", scope=ALICE, id="same")
        assert acme.read("same", scope=ALICE).content == SECRET
        assert [found.record.content for found in globex.recall("密语", scope=ALICE, min_relevance=0.0)] == ["Globex uses tabs"]
        assert front.scopes() == []
    with opened(tmp_path / "acme.db") as alone:
        assert alone.read("same", scope=ALICE).source.agent == "acme"
        assert alone.doctor().healthy


def lived_in(memory) -> dict[str, Any]:
    """Leave something of every kind in a memory; return the ids by which it is reached there."""
    memory.remember(SECRET, scope=ALICE, id="m1", source={"session": "s1"})
    memory.remember(f"{SECRET}，改于周二", scope=ALICE, id="m2", type="task", due_at="2020-01-01T00:00:00Z")
    memory.update("m1", scope=ALICE, tags=[SECRET])
    working = memory.working("s1", scope=ALICE)
    working.slots["密语"] = SECRET
    working.add_event(SECRET, role="user")
    working.save()
    memory.snapshot(name="before", scope=ALICE)
    memory.recall(SECRET, scope=ALICE)
    origin = m.ImportOrigin(kind="jsonl", path=f"/{SECRET}")
    items = (m.ImportItem(item=SECRET, record=record(f"{SECRET} 搬来的", id="moved")),)
    memory.ingest(m.IngestRequest(import_id="imp", origin=origin, items=items, final=True))
    plan = memory.forget(scope=ALICE, session="s1")
    package = io.BytesIO(exported(memory, everything=True))
    memory.import_package(package)
    return {"plan": plan.plan}


def attempts(memory, known: dict[str, Any]) -> list[Callable[[], Any]]:
    """Everything that somebody may try who knows every id."""
    scope = [ALICE, BOB]
    return [
        lambda: memory.read("m1", scope=ALICE),
        lambda: memory.read_record("m1", scope=ALICE),
        lambda: memory.history("m1", scope=ALICE),
        lambda: memory.records(scope=scope),
        lambda: memory.records(scope=scope, status=["active", "pending", "archived", "deleted"]),
        lambda: memory.recall(SECRET, scope=scope, min_relevance=0.0),
        lambda: memory.search(SECRET, scope=scope),
        lambda: memory.context(SECRET, scope=scope),
        lambda: memory.changes(scope=scope),
        lambda: memory.conflicts(scope=scope),
        lambda: memory.scopes(),
        lambda: memory.stats(),
        lambda: memory.stats(scope=scope),
        lambda: memory.doctor(),
        lambda: memory.imports(),
        lambda: [*memory.receipts("imp")],
        lambda: memory.snapshots(scope=ALICE),
        lambda: memory.diff("before", scope=ALICE),
        lambda: [*memory.as_of("2030-01-01T00:00:00Z", scope=ALICE)],
        lambda: memory.restore(snapshot="before", scope=ALICE),
        lambda: memory.sessions(scope=scope),
        lambda: memory.working("s1", scope=ALICE).reload(),
        lambda: memory.session_start("s1", scope=ALICE),
        lambda: memory.session_end("s1", scope=ALICE),
        lambda: memory.promote("s1", scope=ALICE, slot="密语"),
        lambda: [*memory.recall_log(scope=ALICE)],
        lambda: memory.used(["m1", "m2"], scope=ALICE, session="s1"),
        lambda: memory.maintain(),
        lambda: memory.simulate(scope=scope),
        lambda: memory.reindex(everything=True),
        lambda: memory.update("m1", scope=ALICE, tags=["mine"]),
        lambda: memory.correct("m1", "别的内容", scope=ALICE),
        lambda: memory.confirm("m1", scope=ALICE),
        lambda: memory.restore("m1", scope=ALICE),
        lambda: memory.forget("m1", scope=ALICE),
        lambda: memory.forget(plan=known["plan"]),
        lambda: memory.forget(plan=memory.forget(scope=scope, everything=True)),
        lambda: memory.forget(scope=ALICE, query=SECRET[:4]),
        lambda: memory.delete_record("m2", scope=ALICE),
        lambda: memory.move_scope(ALICE, to=BOB),
        lambda: memory.resolve(f"{ALICE}//m1", keep="both"),
        lambda: memory.call(t.FORGET_ONE, m.ForgetRequest(id="m1", scope=(ALICE,))),
        lambda: memory.undo_import("imp"),
        lambda: memory.write_record(record("其他内容", id="m1", revision=5)),
        lambda: memory.remember("又一条", scope=ALICE, id="m1"),
        lambda: memory.remember_many(["又两条", "and another"], scope=ALICE),
        lambda: memory.working("s1", scope=ALICE).save(),
        lambda: memory.snapshot(scope=ALICE),
        lambda: memory.drop_snapshot("before", scope=ALICE),
        lambda: memory.ingest(m.IngestRequest(import_id="imp", origin=m.ImportOrigin(kind="x", path="x"), items=(), final=True)),
        lambda: exported(memory, everything=True, working=True, include_sensitive=True),
        lambda: exported(memory, scope=scope, working=True, include_sensitive=True),
        lambda: exported(memory, scope=scope, since=0),
    ]


def watched(memory) -> set[str]:
    """Return the names of the operations that are called from now on."""
    seen: set[str] = set()
    plain = memory.call

    def call(operation, request):
        seen.add(operation.name)
        return plain(operation, request)

    memory.call = call
    return seen


def test_nothing_of_a_tenant_is_reached_with_the_token_of_another_whatever_is_tried(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        known = lived_in(acme)
        before = exported(acme, everything=True, working=True).splitlines()[1:-1]
        for tenant in ("globex", None):
            with as_tenant(front, url, tenant) as other:
                tried = watched(other)
                for place, attempt in enumerate(attempts(other, known)):
                    try:
                        told = repr(attempt())
                    except SatchelError as error:
                        told = f"{error} {error.details}"
                    for spelled in (SECRET, SECRET.encode().decode("latin-1"), repr(SECRET.encode())[2:-1]):
                        assert spelled not in told, f"attempt {place} as {tenant}"
                    assert "acme" not in told, f"attempt {place} as {tenant}"
                assert {operation.name for operation in OPERATIONS} - tried == set()
        assert exported(acme, everything=True, working=True).splitlines()[1:-1] == before
        assert SECRET in acme.working("s1", scope=ALICE).slots.values()


def test_what_was_tried_does_reach_what_is_ones_own(front, tmp_path):
    """The attempts above would find it, were it there: else they would prove nothing."""
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        known = lived_in(acme)
        told = []
        for attempt in attempts(acme, known):
            with suppress(SatchelError):
                told.append(repr(attempt()))
        assert sum(SECRET in text for text in told) >= 15


def test_a_token_of_a_tenant_holds_to_its_scopes_there(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        acme.remember("Bob's plan", scope=BOB, id="b")
        with as_tenant(front, url, "acme", read=[ALICE], write=[ALICE]) as bound:
            assert bound.recall("plan", scope=[ALICE, BOB], min_relevance=0.0) == []
            with pytest.raises(NotFound):
                bound.read("b", scope=BOB)
            for act in (lambda: bound.remember("x", scope=BOB), bound.doctor, bound.reindex):
                with pytest.raises(Denied):
                    act()
            assert BOB.encode() not in exported(bound, everything=True)


@pytest.mark.parametrize("header", [{}, {"X-Satchel-Agent": "acme"}, {"X-Satchel-Scope": "user:alice"}, {"X-Satchel-Tenant": "acme"}])
def test_no_header_and_no_argument_chooses_a_tenant(front, tmp_path, header):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        acme.remember(SECRET, scope=ALICE)
        sent = {"Authorization": f"Bearer {token(front, 'globex')}", **header}
        for path in ("/v1/scopes", "/v1/scopes?tenant=acme", "/v1/stats?tenant=acme"):
            answer = httpx.get(url + path, headers=sent)
            assert SECRET not in answer.text and "user:alice" not in answer.text


def test_a_tenant_that_is_not_served_is_refused_and_never_falls_back_to_the_services_own_memory(front, tmp_path):
    front.remember("the keeper's own", scope=ALICE)
    named = Tenants.model_validate({"tenant": {"acme": {"store": f"sqlite:///{tmp_path}/acme.db"}}})
    for tenants in (None, named):
        with service(front, tenants) as url:
            for path in ("/v1/scopes", "/mcp", "/v1/export?everything=true", "/metrics"):
                answer = httpx.get(url + path, headers={"Authorization": f"Bearer {token(front, 'globex')}"})
                assert answer.status_code == 403 and "keeper" not in answer.text and ALICE not in answer.text


def test_a_revoked_token_of_a_tenant_opens_nothing(front, tmp_path):
    book = TokenBook(front.core.store)
    issued = book.create("a", read=None, write=None, tenant="acme")
    with service(front, everywhere(tmp_path)) as url, HttpMemory(url, token=issued.secret, retry=AT_ONCE) as memory:
        memory.scopes()
        book.revoke(issued.token.id)
        with pytest.raises(Denied):
            memory.scopes()


# ------------------------------------------------------------ MCP


def session(address: str, secret: str, script: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx2.AsyncClient(headers=headers) as http, Client(streamable_http_client(address, http_client=http)) as client:
            await script(client)

    anyio.run(run)


def test_tenants_are_apart_over_mcp_too(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url:
        address = f"{url}/mcp?scope=user:alice"
        mine, theirs = token(front, "acme"), token(front, "globex")

        async def fill(client: Client) -> None:
            assert not (await client.call_tool("memory_write", {"content": SECRET})).is_error
            await client.call_tool("session_start", {"session": "s1"})
            await client.call_tool("session_note", {"session": "s1", "facts": {"密语": SECRET}})

        async def pry(client: Client) -> None:
            for tool in (await client.list_tools()).tools:
                told = await client.call_tool(
                    tool.name, {"query": SECRET, "id": "m", "session": "s1", "content": "nothing", "task": SECRET}
                )
                assert SECRET not in str(told).replace(f"'query': '{SECRET}'", "")
            found = await client.call_tool("memory_search", {"query": SECRET})
            assert SECRET not in str(found.structured_content)

        session(address, mine, fill)
        session(address, theirs, pry)
    with opened(tmp_path / "acme.db") as acme:
        assert [record.content for record in acme.every_record(scope=ALICE)] == [SECRET]


def test_what_one_tenant_was_shown_another_may_not_confirm(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url:
        for tenant in ("acme", "globex"):
            with as_tenant(front, url, tenant) as memory:
                memory.remember("同一个编号", scope=ALICE, id="m")

        async def ask(client: Client) -> None:
            await client.call_tool("memory_forget", {"id": "m"})

        async def confirm(client: Client) -> None:
            told = await client.call_tool("memory_forget", {"id": "m", "confirm": True})
            assert told.structured_content["state"] == "needs_confirmation"

        session(f"{url}/mcp?scope=user:alice", token(front, "acme"), ask)
        session(f"{url}/mcp?scope=user:alice", token(front, "globex"), confirm)


# ------------------------------------------------------------ each one's trouble its own


def test_a_damaged_file_is_its_tenants_trouble_alone_and_is_found_mended(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme, as_tenant(front, url, "globex") as globex:
        globex.remember("fine", scope=ALICE)
        (tmp_path / "acme.db").write_bytes(b"this is no database at all. " * 300)
        for _ in range(2):
            with pytest.raises(StoreError):
                acme.scopes()
        assert globex.scopes() and as_keeper(front, url)["tenants"] == {"acme": "failing", "globex": "ok"}
        assert httpx.get(f"{url}/healthz").json() == {
            "status": "degraded",
            "store": "ok",
            "index": "lexical",
            "queue": "empty",
            "tenants": {"failing": 1, "ok": 1},
        }
        (tmp_path / "acme.db").unlink()
        deadline = time.monotonic() + 20
        while True:
            with suppress(StoreUnavailable, StoreCorrupt):
                acme.remember("again", scope=ALICE)
                break
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert as_keeper(front, url)["tenants"] == {"acme": "ok", "globex": "ok"}
        assert httpx.get(f"{url}/healthz").json()["status"] == "ok"


def test_the_health_of_a_tenant_whose_store_is_mended_needs_no_call_of_the_tenant(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        (tmp_path / "acme.db").write_bytes(b"this is no database at all. " * 300)
        with pytest.raises(StoreError):
            acme.scopes()
        assert as_keeper(front, url)["tenants"] == {"acme": "failing"}
        shutil.copy(_store_of("acme", front, tmp_path / "sound"), tmp_path / "acme.db")
        deadline = time.monotonic() + 20
        while as_keeper(front, url)["tenants"] != {"acme": "ok"}:
            assert time.monotonic() < deadline
            time.sleep(0.2)


def _store_of(tenant: str, front, folder: Path) -> Path:
    folder.mkdir()
    pool = TenantPool(everywhere(folder), front)
    with pool.lease(tenant) as memory:
        memory.remember(SECRET, scope=ALICE)
    pool.close()
    return folder / f"{tenant}.db"


def test_a_look_at_the_health_makes_no_store(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        (tmp_path / "acme.db").write_bytes(b"this is no database at all. " * 300)
        with pytest.raises(StoreError):
            acme.scopes()
        (tmp_path / "acme.db").unlink()
        deadline = time.monotonic() + 20
        while as_keeper(front, url)["tenants"] != {"acme": "closed"}:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert not (tmp_path / "acme.db").exists()
        acme.remember("begun anew", scope=ALICE)
        assert as_keeper(front, url)["tenants"] == {"acme": "ok"}


def test_a_file_that_is_taken_away_is_missed_and_found_again_when_it_is_back(front, tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        acme.remember(SECRET, scope=ALICE)
        for file in tmp_path.glob("acme.db*"):
            file.rename(away / file.name)
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                acme.remember("must not be acknowledged", scope=ALICE)
            assert as_keeper(front, url)["tenants"] == {"acme": "failing"}
        assert not list(tmp_path.glob("acme.db*"))
        for file in away.iterdir():
            file.rename(tmp_path / file.name)
        assert [hit.record.content for hit in acme.recall(SECRET, scope=ALICE)] == [SECRET]
        assert as_keeper(front, url)["tenants"] == {"acme": "ok"}


def test_the_log_tells_whose_store_fails_and_why_and_does_not_repeat_itself(front, tmp_path, caplog):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme, as_tenant(front, url, "globex") as globex:
        acme.remember(SECRET, scope=ALICE)
        globex.remember(SECRET, scope=ALICE)
        (tmp_path / "globex.db").rename(tmp_path / "gone.db")
        for _ in range(20):
            with pytest.raises(StoreUnavailable):
                globex.scopes()
        told = [record.getMessage() for record in caplog.records if "globex" in record.getMessage()]
        assert len(told) == 1 and "tenant globex" in told[0] and "globex.db" in told[0]
        assert SECRET not in caplog.text and "tenant acme" not in caplog.text


def test_a_store_that_does_not_answer_holds_up_no_health(front, tmp_path, monkeypatch):
    let_go = threading.Event()
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        acme.remember(SECRET, scope=ALICE)
        pool = _pool()
        monkeypatch.setattr(type(pool._houses["acme"].engine.core.store), "document", lambda *_: let_go.wait(20))
        pool._houses["acme"].failure = "away"
        started = time.monotonic()
        pool.look_again()
        pool.look_again()
        assert 1 < time.monotonic() - started < 10
        assert pool.states() == {"acme": "failing"}
        monkeypatch.undo()
        let_go.set()
        while pool.states() != {"acme": "ok"}:
            assert time.monotonic() - started < 20
            time.sleep(0.05)


def test_a_store_that_is_still_damaged_stays_failing(front, tmp_path, monkeypatch):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        acme.remember(SECRET, scope=ALICE)
        pool = _pool()
        house = pool._houses["acme"]
        monkeypatch.setattr(type(house.engine.core.store), "check", lambda self: ["a page is damaged"])
        house.failure, house.broken = "damaged", True
        for _ in range(2):
            assert as_keeper(front, url)["tenants"] == {"acme": "failing"}
        assert house.failure == "a page is damaged"


def as_keeper(front, url: str) -> dict[str, Any]:
    return httpx.get(f"{url}/healthz", headers={"Authorization": f"Bearer {token(front, None)}"}).json()


def test_doctor_names_the_tenants_whose_stores_fail_to_who_runs_the_service_alone(front, tmp_path):
    def findings(secret: str) -> list[str]:
        with HttpMemory(url, token=secret) as memory:
            diagnosis = memory.doctor()
        assert diagnosis.healthy
        return [finding.message for finding in diagnosis.findings if finding.subject == "tenant globex"]

    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme, as_tenant(front, url, "globex") as globex:
        acme.scopes()
        globex.scopes()
        assert not findings(token(front, None))
        (tmp_path / "globex.db").rename(tmp_path / "gone.db")
        with pytest.raises(StoreUnavailable):
            globex.scopes()
        assert "globex.db" in findings(token(front, None))[0]
        assert not findings(token(front, "acme"))
        with pytest.raises(Denied):
            findings(token(front, None, read=[ALICE], write=[ALICE]))


def test_who_is_no_keeper_sees_no_tenants_name(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme:
        acme.scopes()
        for secret in ("", token(front, "acme"), token(front, None, read=[ALICE], write=[ALICE]), "satchel_x_y"):
            answer = httpx.get(f"{url}/healthz", headers={"Authorization": f"Bearer {secret}"} if secret else {})
            assert answer.json()["tenants"] == {"ok": 1}


def test_a_folder_that_is_missing_is_no_fault_of_the_caller_and_tells_no_path(front, tmp_path):
    with service(front, everywhere(tmp_path / "missing")) as url, as_tenant(front, url, "acme") as acme:
        with pytest.raises(StoreUnavailable) as caught:
            acme.scopes()
        assert str(tmp_path) not in str(caught.value) and not isinstance(caught.value, InvalidRequest)


def test_a_store_that_does_not_answer_holds_up_nobody_else(front, tmp_path, monkeypatch):
    """Its callers wait, and take no more of the service's threads than their share."""
    let_go = threading.Event()
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme, as_tenant(front, url, "globex") as globex:
        acme.scopes()
        globex.scopes()
        pool = _pool_of()
        engine = pool("acme")
        monkeypatch.setattr(type(engine.core.store), "scopes", _slow(engine.core.store, let_go))
        with ThreadPoolExecutor(40) as threads:
            stuck = [threads.submit(_try, acme) for _ in range(40)]
            time.sleep(0.3)
            started = time.monotonic()
            for _ in range(5):
                globex.records(scope=ALICE)
                front.records(scope=ALICE)
            waited = time.monotonic() - started
            let_go.set()
            answers = [one.result() for one in stuck]
    assert waited < 5
    assert answers.count("ok") >= 16 and answers.count("store_unavailable") >= 1


def _pool() -> TenantPool:
    import gc

    (pool,) = [found for found in gc.get_objects() if isinstance(found, TenantPool) and not found._closed]
    return pool


def _pool_of() -> Callable[[str], Any]:
    pool = _pool()
    return lambda name: pool._houses[name].engine


def _slow(store, let_go):
    plain = type(store).scopes

    def scopes(self):
        if self is store:
            let_go.wait(20)
        return plain(self)

    return scopes


def _try(memory) -> str:
    try:
        memory.scopes()
    except SatchelError as error:
        return error.code
    return "ok"


@pytest.mark.slow
def test_a_database_that_goes_is_its_tenants_trouble_alone_and_comes_back(front, tmp_path):
    server = PostgresServer()
    try:
        stores = {"store": f"sqlite:///{tmp_path}/{{tenant}}.db", "tenant": {"acme": {"store": server.url("acme")}}}
        with service(front, Tenants.model_validate(stores)) as url, as_tenant(front, url, "acme") as acme:
            acme.remember(SECRET, scope=ALICE, id="m")
            server.stop()
            with as_tenant(front, url, "globex") as globex, ThreadPoolExecutor(1) as other:
                waiting = other.submit(_try, acme)
                started = time.monotonic()
                globex.remember("fine", scope=ALICE)
                assert time.monotonic() - started < 5
                assert waiting.result() == "store_unavailable"
            assert as_keeper(front, url)["tenants"] == {"acme": "failing", "globex": "ok"}
            server.start()
            assert acme.read("m", scope=ALICE).content == SECRET
            assert as_keeper(front, url)["tenants"]["acme"] == "ok"
    finally:
        server.remove()


# ------------------------------------------------------------ stores of every kind


@pytest.mark.slow
def test_a_schema_for_each_tenant_in_one_database(front, postgres: PostgresServer):
    import psycopg

    tenants = Tenants.model_validate({"store": postgres.url("placeholder").replace("schema=placeholder", "schema=t_{tenant}")})
    with service(front, tenants) as url, as_tenant(front, url, "acme") as acme, as_tenant(front, url, "globex") as globex:
        acme.remember(SECRET, scope=ALICE, id="m")
        globex.remember("Globex", scope=ALICE, id="m")
        assert acme.doctor().healthy and globex.doctor().healthy
        acme.forget("m", scope=ALICE)
        assert globex.read("m", scope=ALICE).content == "Globex"
    with psycopg.connect(postgres.conninfo) as connection:
        made = [connection.execute(f"SELECT name FROM t_{name}.migrations ORDER BY name").fetchall() for name in ("acme", "globex")]
        assert made[0] == made[1] != []


def test_sessions_of_tenants_are_apart_on_one_redis(front, tmp_path, redis_server: RedisServer):
    tenants = everywhere(tmp_path, working=redis_server.url("shared"))
    with service(front, tenants) as url, as_tenant(front, url, "acme") as acme, as_tenant(front, url, "globex") as globex:
        working = acme.working("s1", scope=ALICE)
        working.slots["密语"] = SECRET
        working.save()
        assert globex.working("s1", scope=ALICE).slots == {} and globex.sessions(scope=ALICE).sessions == ()
        assert SECRET.encode() not in exported(globex, everything=True, working=True)
        globex.forget(plan=globex.forget(scope=ALICE, everything=True))
        assert acme.working("s1", scope=ALICE).slots == {"密语": SECRET}
        with redis_server.client() as client:
            assert {key.partition(b":session:")[0] for key in client.keys("shared*:session:*")} == {b"shared.acme"}


def test_each_tenants_vectors_are_in_an_index_of_its_own(tmp_path):
    """STO-2, ACC-6: also when its store was closed for another tenant's and is opened again."""
    tenants = everywhere(tmp_path, index=f"qdrant:///{tmp_path}/vectors-{{tenant}}", most_open=1)
    with opened(embedder=WordEmbedder(), settings={"answer_cache_seconds": 0}) as front:
        with service(front, tenants) as url, as_tenant(front, url, "acme") as acme, as_tenant(front, url, "globex") as globex:
            for memory, text in ((acme, SECRET), (globex, "Globex releases on Mondays")):
                memory.remember(text, scope=ALICE, id="m")
                assert memory.search(text, scope=ALICE)[0].reasons["semantic"] > 0
            for memory, name in ((acme, "acme"), (globex, "globex")):
                ((level, said),) = [(f.level, f.message) for f in memory.doctor().findings if f.subject == "external index"]
                assert (level, f"vectors-{name} holds what the store does" in said) == ("ok", True)
            assert acme.forget("m", scope=ALICE).state == "scrubbed"
            assert globex.search("Mondays", scope=ALICE)[0].reasons["semantic"] > 0
        assert front.core.external is None
    assert {path.name for path in tmp_path.glob("vectors-*")} == {"vectors-acme", "vectors-globex"}


def test_on_a_server_of_vectors_each_tenant_has_a_collection_of_its_own():
    names = ["acme", "a-b", "a_b", "x" * 48, "t0"]
    tenants = Tenants.model_validate({"store": "{tenant}.db", "index": "qdrant://:KEY@host:6333?tls=1"})
    found = [parse_address(tenants.of(name).index, port=1) for name in names]
    assert len({address.collection for address in found}) == len(names)
    assert all((address.host, address.port, address.key, address.tls) == ("host", 6333, "KEY", True) for address in found)
    own = Tenants.model_validate({"index": "chroma://host", "tenant": {"a": {"store": "a.db", "index": "milvus://other"}}})
    assert own.of("a").index == "milvus://other"


def test_a_service_whose_own_memory_has_an_index_says_that_its_tenants_have_none(tmp_path):
    file = tmp_path / "tenants.toml"
    for more, said in (("", True), (f'index = "qdrant:///{tmp_path}/{{tenant}}"\n', False)):
        file.write_text(f'store = "sqlite:///{tmp_path}/{{tenant}}.db"\n{more}')
        command = [sys.executable, "-m", "satchel", "serve", "--store", str(tmp_path / "f.db"), "--embedder", "none", "--index", "exact://"]
        process = subprocess.Popen([*command, "--tenants", str(file), "--port", "0"], stderr=subprocess.PIPE, text=True)
        try:
            first = process.stderr.readline()
            assert ("tenants have their vectors in memory" in first) is said, first
        finally:
            process.terminate()
            process.communicate(timeout=30)


def test_forgetting_export_and_doctor_are_each_tenants_own(front, tmp_path):
    with service(front, everywhere(tmp_path)) as url, as_tenant(front, url, "acme") as acme, as_tenant(front, url, "globex") as globex:
        for memory in (acme, globex):
            memory.remember(SECRET, scope=ALICE, id="m")
        assert acme.forget("m", scope=ALICE).state == "scrubbed"
        assert globex.read("m", scope=ALICE).content == SECRET
        assert SECRET.encode() not in exported(acme, everything=True) and SECRET.encode() in exported(globex, everything=True)
        assert "acme.db" in str(acme.doctor()) and "globex" not in str(acme.doctor())
        acme.import_package(io.BytesIO(exported(globex, everything=True)))
        assert acme.recall("密语", scope=ALICE, min_relevance=0.0) == []
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("acme.db*"))


# ------------------------------------------------------------ open, and how many


def test_no_more_stores_are_open_than_may_be_and_none_is_closed_under_who_uses_it(front, tmp_path):
    with service(front, everywhere(tmp_path, most_open=2)) as url:
        names = [f"t{place}" for place in range(6)]
        for turn in range(2):
            for name in names:
                with as_tenant(front, url, name) as memory:
                    memory.remember(f"{name} 的第 {turn} 件事", scope=ALICE)
                    states = as_keeper(front, url)["tenants"]
                    assert sum(state == "ok" for state in states.values()) <= 2 and states[name] == "ok"
        for name in names:
            with as_tenant(front, url, name) as memory:
                assert {record.content for record in memory.every_record(scope=ALICE)} == {f"{name} 的第 {turn} 件事" for turn in range(2)}


def test_many_callers_of_many_tenants_in_few_places_lose_nothing(front, tmp_path):
    pool = TenantPool(everywhere(tmp_path, most_open=2), front)

    def write(place: int) -> None:
        name = f"t{place % 5}"
        for turn in range(6):
            for _ in range(500):
                with suppress(StoreUnavailable), pool.lease(name) as memory:
                    memory.remember(f"{place}-{turn}", scope=ALICE, id=f"{place}-{turn}")
                    break
                time.sleep(0.005)
            else:
                raise AssertionError("no place in all that time")

    with ThreadPoolExecutor(10) as threads:
        list(threads.map(write, range(10)))
    pool.close()
    for number in range(5):
        with opened(tmp_path / f"t{number}.db") as memory:
            assert {record.id for record in memory.every_record(scope=ALICE)} == {
                f"{p}-{t}" for p in (number, number + 5) for t in range(6)
            }


def test_an_export_under_way_keeps_its_store_open(front, tmp_path):
    pool = TenantPool(everywhere(tmp_path, most_open=1), front)
    with pool.lease("acme") as memory:
        memory.remember_many([f"第 {n} 条" for n in range(20)], scope=ALICE)
    with pool.lease("acme", stream=True) as memory:
        with pytest.raises(StoreUnavailable, match="try again later"), pool.lease("globex"):
            pass
        assert len(list(memory.every_record(scope=ALICE))) == 20
    with pool.lease("globex") as memory:
        assert memory.scopes() == []
    pool.close()
    with pytest.raises(StoreUnavailable, match="stopping"), pool.lease("acme"):
        pass


def test_every_tenant_is_looked_after_and_one_that_fails_does_not_stop_the_rest(tmp_path, caplog):
    clock = Clock()
    with opened(clock=clock) as front:
        pool = TenantPool(everywhere(tmp_path), front)
        for name in ("a", "c"):
            with pool.lease(name) as memory:
                memory.remember("用户只住两天的酒店", scope=ALICE, ttl=86_400.0)
        (tmp_path / "b.db").write_bytes(b"no database. " * 500)
        rounds = Rounds(pool, lambda: ["a", "b", "c"], lambda memory, stopping: [Schedule(memory, 86_400.0, stopping=stopping)])
        rounds.look()
        clock.pass_(days=3)
        assert rounds.look()
        for name in ("a", "c"):
            with pool.lease(name) as memory:
                assert [record.status for record in memory.records(scope=ALICE).records] == ["archived"]
        assert "maintenance of tenant b" in caplog.text
        pool.close()


# ------------------------------------------------------------ no two in one store


def test_a_store_belongs_to_one_tenant_however_it_is_spelled(front, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    spelled = {"acme": {"store": f"sqlite:///{tmp_path}/x.db"}, "globex": {"store": f"sqlite:///{tmp_path}/link/x.db"}}
    with service(front, Tenants.model_validate({"tenant": spelled})) as url, as_tenant(front, url, "acme") as acme:
        acme.remember(SECRET, scope=ALICE)
        with as_tenant(front, url, "globex") as globex, pytest.raises(StoreError, match="another tenant's") as caught:
            globex.scopes()
        assert "acme" not in str(caught.value)


def test_the_services_own_store_is_no_tenants(tmp_path):
    with opened(tmp_path / "front.db") as front:
        tenants = Tenants.model_validate({"tenant": {"acme": {"store": f"sqlite:///{tmp_path}/front.db"}}})
        with service(front, tenants) as url, as_tenant(front, url, "acme") as acme, pytest.raises(StoreError, match="the service's own"):
            acme.scopes()
    with opened(tmp_path / "t.db") as front:
        TenantPool(everywhere(tmp_path), front).close()
    with opened(tmp_path / "other.db") as front:
        pool = TenantPool(everywhere(tmp_path), front)
        with pool.lease("acme"):
            pass
        pool.close()
    with opened(tmp_path / "acme.db") as front, pytest.raises(StoreError, match="another tenant's"):
        TenantPool(everywhere(tmp_path), front)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("store = 'sqlite:///all.db'", "share one store"),
        ("[tenant.a]\nstore = 'a.db'\n[tenant.b]\nstore = 'a.db'", "is the store of tenant 'a'"),
        ("most_open = 3", "names no tenant"),
        ("[tenant.A]\nstore = 'a.db'", "tenant"),
        ("[tenant.'../x']\nstore = 'a.db'", "tenant"),
        ("[tenant.a]\nstore = 'a.db'\nstor = 'b.db'", "stor"),
        ("[tenant.a]", "store"),
        ("store = ", "is not TOML"),
        ("store = '{tenant}.db'\nindex = 'chroma:///vectors'", "share one index"),
        ("[tenant.a]\nstore = 'a'\nindex = 'chroma:///x'\n[tenant.b]\nstore = 'b'\nindex = 'chroma:///x'", "is the index of tenant 'a'"),
    ],
)
def test_a_file_of_tenants_that_is_wrong_says_what(tmp_path, text, problem):
    path = tmp_path / "tenants.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidRequest, match=problem):
        read_tenants(path)
    with pytest.raises(InvalidRequest, match="cannot be read"):
        read_tenants(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("given", "field", "problem"),
    [
        ({"store": "sqlit:///{tenant}.db"}, "store", "sqlit"),
        ({"store": "http://127.0.0.1:7377/{tenant}"}, "store", "a service"),
        ({"store": "sqlite:///{tenant}.db?mode=ro"}, "store", "takes no options"),
        ({"tenant": {"acme": {"store": "postgre://h/d"}}}, "tenant.acme.store", "postgre"),
        ({"store": "{tenant}.db", "working": "redi://h/0"}, "working", "redi"),
        ({"store": "{tenant}.db", "index": "chrom://h:1"}, "index", "chrom"),
        ({"tenant": {"acme": {"store": "acme.db", "index": "nonsense"}}}, "tenant.acme.index", "nonsense"),
    ],
)
def test_an_address_that_can_be_no_store_is_told_when_the_service_starts(front, given, field, problem):
    with pytest.raises(InvalidRequest, match=problem) as caught, service(front, Tenants.model_validate(given)):
        pass
    assert [fault["field"] for fault in caught.value.details["faults"]] == [field]


def test_a_file_of_tenants_names_stores_and_a_pattern_for_the_rest(tmp_path):
    path = tmp_path / "tenants.toml"
    path.write_text(
        "store = 'sqlite:///t/{tenant}.db'\nworking = 'redis://h/0'\n[tenant.acme]\nstore = 'postgresql://db/m?schema=acme'", "utf-8"
    )
    found = read_tenants(path)
    assert found.of("acme").store == "postgresql://db/m?schema=acme" and found.of("acme").working == "redis://h/0?namespace=satchel.acme"
    assert found.of("globex").store == "sqlite:///t/globex.db"
    assert found.of("../globex") is None and found.of("Globex") is None and found.of("") is None and found.of("a\n") is None


def test_a_token_needs_a_tenants_name_that_is_one(front):
    for name in ("../x", "A", "", "a/b", "a" * 60, "a\n"):
        with pytest.raises(InvalidRequest):
            TokenBook(front.core.store).create("a", read=None, write=None, tenant=name)
