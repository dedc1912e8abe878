"""Working memory on Redis: what its clock takes away and what it must not, a server that goes, several processes, passwords, files."""

from __future__ import annotations

import io
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel import open_memory, registry
from satchel.conformance import MemoryContract
from satchel.conformance.samples import NOW, sitting
from satchel.engine.working.store import DocumentWorkingStore
from satchel.errors import Conflict, InvalidRequest, StoreCorrupt, StoreError, StoreUnavailable, Unsupported
from satchel.operations import Memory
from satchel.stores.redis import open_working
from satchel.stores.redis.store import RedisWorkingStore
from write_stage import ALICE, BOB, Clock, exported, opened

from .redis_server import RedisServer
from .relay import certificate, relaying

FACT = "用户的保险箱密语是紫色长颈鹿"
SPELLED = ("紫色长颈鹿".encode(), b"\\u7d2b\\u8272", "紫色长颈鹿".encode("unicode_escape"))


class TestMemory(MemoryContract):
    """What an engine must do, its sessions being here."""

    @pytest.fixture
    def memory(self, redis_server: RedisServer) -> Iterator[Memory]:
        with open_memory("memory://", embedder="none", agent="writer", working=redis_server.url()) as opened:
            yield opened


@pytest.fixture
def place(redis_server: RedisServer) -> Iterator[RedisWorkingStore]:
    found = open_working(redis_server.url())
    yield found
    found.close()


@pytest.fixture
def own_server() -> Iterator[RedisServer]:
    """A server for one test, which may harm it."""
    server = RedisServer()
    yield server
    server.remove()


def worked(memory, session="s1", scope=ALICE):
    """A session with something that lasts."""
    working = memory.working(session, scope=scope)
    working.add_event("我对花生过敏", role="user")
    working.add_task("book the hotel")
    working.save()
    return working


def keys(server: RedisServer, namespace: str) -> dict[str, int]:
    """Return the keys of a namespace with what is left of their time, in milliseconds; -1: no end."""
    with server.client() as client:
        return {key.decode(): client.pttl(key) for key in client.scan_iter(f"{namespace}:session:*")}


# ------------------------------------------------------------ time


def test_redis_keeps_the_time_of_what_is_over_and_leaves_what_is_not(redis_server):
    with opened(working=redis_server.url("clock"), settings={"session_archive_seconds": 7200}) as memory:
        worked(memory)
        assert set(keys(redis_server, "clock").values()) == {-1}
        memory.session_end("s1", scope=ALICE)
        (left,) = keys(redis_server, "clock").values()
        assert 7_000_000 < left <= 7_200_000
        memory.session_start("s1", scope=ALICE)
        assert set(keys(redis_server, "clock").values()) == {-1}


def test_what_redis_expired_is_gone_everywhere_and_may_begin_again(redis_server):
    place = open_working(redis_server.url("expiring"))
    for name in ("a", "b", "c"):
        over = {"ended_at": NOW, "ended_by": "end"} if name != "b" else {}
        place.save(sitting(name, ALICE, **over), expect=0, lasting=0.05)
    time.sleep(0.15)
    assert [one.session_id for one in place.snapshots(limit=1)] == ["b"]
    assert place.expired(NOW.replace(year=2030), ended=True) == []
    with redis_server.client() as client:
        assert client.zrange("expiring:names", 0, -1) == [f"{ALICE}\nb".encode()]
        assert client.zcard("expiring:over") == 0
    place.save(sitting("a", ALICE), expect=0)
    place.close()


def test_an_idle_session_is_condensed_before_it_goes_and_nothing_of_it_is_lost(redis_server):
    clock = Clock()
    with opened(working=redis_server.url(), clock=clock, settings={"session_idle_seconds": 3600}) as memory:
        worked(memory)
        clock.pass_(days=400)
        assert memory.core.working.load(ALICE, "s1") is not None
        assert memory.maintain().counts["promote"] == 1
        assert {"用户对花生过敏", "book the hotel"} <= {record.content for record in memory.every_record(scope=ALICE)}
        assert memory.sessions(scope=ALICE).sessions[0].ended_by == "idle"


def test_the_servers_clock_says_who_is_idle_where_a_machines_clock_stands_still(redis_server):
    """Of two machines one may be behind: the time is up by the clock that they share."""
    with opened(working=redis_server.url(), clock=Clock(), settings={"session_idle_seconds": 60}) as memory:
        worked(memory)
        held = memory.core.working.load(ALICE, "s1")
        memory.core.working.save(held.model_copy(update={"version": held.version + 1}), expect=held.version, lasting=0.05)
        time.sleep(0.15)
        assert memory.maintain().counts["promote"] == 1
        assert "用户对花生过敏" in {record.content for record in memory.every_record(scope=ALICE)}


# ------------------------------------------------------------ several processes

ADD = """
import sys
from satchel import open_memory
memory = open_memory("memory://", agent=sys.argv[2], embedder="none", working=sys.argv[1])
for turn in range(15):
    working = memory.working("shared", scope="user:alice")
    working.slots[f"{sys.argv[2]}-{turn}"] = "第 %d 次" % turn
    working.save()
"""


def test_processes_that_save_one_session_lose_nothing(redis_server):
    url = redis_server.url()
    writers = [subprocess.Popen([sys.executable, "-c", ADD, url, f"w{number}"], stderr=subprocess.PIPE) for number in range(3)]
    for writer in writers:
        _, told = writer.communicate(timeout=120)
        assert writer.returncode == 0, told.decode()
    with opened(working=url) as memory:
        working = memory.working("shared", scope=ALICE)
        assert set(working.slots) == {f"w{number}-{turn}" for number in range(3) for turn in range(15)}


def test_a_child_after_a_fork_uses_connections_of_its_own(place):
    import os

    place.save(sitting("s", ALICE), expect=0)
    child = os.fork()
    if child == 0:
        code = 0 if place.load(ALICE, "s") is not None else 1
        os._exit(code)
    for _ in range(20):
        assert place.load(ALICE, "s") is not None
    assert os.waitpid(child, 0)[1] == 0


def test_namespaces_of_one_server_know_nothing_of_each_other(redis_server):
    first, second = open_working(redis_server.url("tenant")), open_working(redis_server.url("tenant.b"))
    first.save(sitting("s", ALICE, summary="first"), expect=0)
    assert second.load(ALICE, "s") is None and second.snapshots() == []
    second.save(sitting("s", ALICE, summary="second"), expect=0)
    second.drop(ALICE, "s")
    assert first.snapshots()[0].summary == "first"
    first.close()
    second.close()


# ------------------------------------------------------------ when things go wrong


def test_a_server_that_is_gone_is_said_and_found_again_without_a_restart(own_server):
    with opened(working=own_server.url()) as memory:
        worked(memory)
        own_server.stop()
        started = time.monotonic()
        with pytest.raises(StoreUnavailable, match="cannot be reached") as caught:
            memory.working("s1", scope=ALICE)
        assert time.monotonic() - started < 10
        assert own_server.password not in "".join(traceback.format_exception(caught.value))
        # What needs no session goes on.
        record = memory.remember(FACT, scope=ALICE).record
        assert memory.recall("密语", scope=ALICE)
        diagnosis = memory.doctor()
        assert not diagnosis.healthy
        assert [found.level for found in diagnosis.findings if found.subject == "working"] == ["error"]
        # What must reach sessions says that it did not, and does nothing by half.
        with pytest.raises(StoreUnavailable):
            memory.forget(record.id, scope=ALICE)
        assert memory.read(record.id, scope=ALICE).content == FACT
        own_server.start()
        assert memory.working("s1", scope=ALICE).slots == {}  # this server keeps nothing on disk
        worked(memory)
        assert memory.forget(record.id, scope=ALICE).state == "scrubbed"
        assert memory.doctor().healthy


def test_maintenance_of_memories_goes_on_without_the_server_and_says_what_it_left(own_server):
    clock = Clock()
    with opened(working=own_server.url(), clock=clock) as memory:
        memory.remember("只住两天的酒店", scope=ALICE, ttl=86_400.0)
        clock.pass_(days=3)
        own_server.stop()
        done = memory.maintain()
        assert done.counts == {"expire": 1}
        assert any("cannot be reached" in failure for failure in done.failures)


def test_memory_is_opened_and_used_without_the_server_and_sessions_work_when_it_is_there(own_server, tmp_path):
    url = own_server.url()
    own_server.stop()
    with opened(tmp_path / "agent.db", working=url) as memory:
        record = memory.remember(FACT, scope=ALICE).record
        assert memory.recall("密语", scope=ALICE)
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            memory.working("s1", scope=ALICE)
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            memory.forget(record.id, scope=ALICE)
        assert [found.level for found in memory.doctor().findings if found.subject == "working"] == ["error"]
        own_server.start()
        worked(memory)
        assert memory.doctor().healthy


def test_sessions_that_the_store_holds_move_as_soon_as_their_new_place_is_there(own_server, tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        worked(memory)
        memory.remember("保险箱的密码是 swordfish", scope=ALICE, id="vault")
    url = own_server.url()
    own_server.stop()
    with opened(tmp_path / "agent.db", working=url) as memory:
        assert any("have yet to move" in note for note in memory.core.notes.all())
        for ask in (
            lambda: memory.working("s1", scope=ALICE),
            lambda: memory.sessions(scope=ALICE),
            lambda: memory.forget("vault", scope=ALICE),
        ):
            with pytest.raises(StoreUnavailable):
                ask()
        own_server.start()
        assert [one.session_id for one in memory.sessions(scope=ALICE).sessions] == ["s1"]
        assert [event["content"] for event in memory.working("s1", scope=ALICE).recent_events] == ["我对花生过敏"]
        assert memory.core.notes.all() == ()
        assert memory.forget("vault", scope=ALICE).state == "scrubbed"


@pytest.mark.parametrize("command", [["remember", "一条 memory"], ["recall", "一条"], ["list"], ["stats"]])
def test_commands_of_memory_need_no_server_of_sessions(own_server, tmp_path, capfd, command):
    from satchel.cli.main import run

    own_server.stop()
    place = ["--store", f"{tmp_path}/agent.db", "--embedder", "none", "--scope", ALICE]
    assert run(["remember", "一条 first", *place]) == 0
    assert run([*command, *place, "--working", own_server.url()]) == 0
    assert run(["doctor", *place, "--working", own_server.url()]) == 1
    assert "cannot be reached" in capfd.readouterr().out


def test_what_a_server_wrote_to_its_file_outlasts_a_kill():
    server = RedisServer(appendonly="yes", appendfsync="always")
    try:
        with opened(working=server.url()) as memory:
            worked(memory)
            assert "persistent" in memory.core.working.capabilities
            server.stop()
            server.start()
            assert [event["content"] for event in memory.working("s1", scope=ALICE).recent_events] == ["我对花生过敏"]
    finally:
        server.remove()


def test_a_save_whose_answer_was_lost_is_no_conflict_with_itself(redis_server):
    with relaying(redis_server.port) as relay:
        place = open_working(redis_server.url("lost").replace(f":{redis_server.port}/", f":{relay.port}/"))
        place.save(sitting("s", ALICE, 1, summary="first"), expect=0)
        relay.lose_after = "第二次".encode()
        place.save(sitting("s", ALICE, 2, summary="第二次"), expect=1)
        assert relay.lose_after is None
        found = place.load(ALICE, "s")
        assert found is not None and (found.version, found.summary) == (2, "第二次")
        with pytest.raises(Conflict):
            place.save(sitting("s", ALICE, 2, summary="another second"), expect=1)
        place.close()


def test_a_full_server_takes_nothing_says_so_and_keeps_what_it_has(own_server):
    place = open_working(own_server.url())
    place.save(sitting("s", ALICE, summary="kept"), expect=0)
    with own_server.client() as client:
        client.config_set("maxmemory", 1_000_000)
        with pytest.raises(StoreUnavailable, match="no memory left"):
            for turn in range(100):
                place.save(sitting(f"t{turn}", ALICE, summary="长" * 20_000), expect=0)
        assert place.load(ALICE, "s").summary == "kept"
        client.config_set("maxmemory", 0)
        place.save(sitting("again", ALICE), expect=0)
        client.config_set("maxmemory-policy", "allkeys-lru")
        assert len(place.check()) == 1 and "maxmemory-policy" in place.check()[0]
        client.config_set("maxmemory-policy", "volatile-lru")
        assert place.check() == []
    place.close()


def test_what_is_no_snapshot_is_damage_with_its_place(place, redis_server):
    place.save(sitting("s", ALICE), expect=0)
    with redis_server.client() as client:
        (key,) = client.keys(f"*{place.location.rpartition('=')[2]}:session:*")
        client.hset(key, "json", b'{"not": "a snapshot"}')
    with pytest.raises(StoreCorrupt, match="session 's'"):
        place.load(ALICE, "s")
    assert len(place.check()) == 1


# ------------------------------------------------------------ the way there


def test_a_password_is_never_shown(redis_server, tmp_path, caplog):
    secret = redis_server.password
    with opened(tmp_path / "a.db", working=redis_server.url()) as memory:
        worked(memory)
        shown = [repr(memory.core.working), memory.core.working.location, memory.doctor().model_dump_json(), exported(memory).decode()]
    with opened(tmp_path / "a.db") as memory:
        shown += [memory.doctor().model_dump_json(), *memory.core.notes.all()]
    wrong = redis_server.url().replace("geheim", "geheimnis")
    with pytest.raises(StoreUnavailable, match="did not take the name or password") as caught:
        open_working(wrong).load(ALICE, "s")
    shown += ["".join(traceback.format_exception(caught.value)), caplog.text]
    for text in shown:
        assert secret not in text and "geheim" not in text and "%40%2F" not in text
    assert all(b"geheim" not in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    "url",
    [
        "redis://:geheim@host:port/0",
        "redis://:geheim@host:6379/zero",
        "redis://:geheim@host?namespace=a%20b",
        "redis://:geheim@host?connection_class=x",
        "redis://:geheim@host?socket_timeout=soon",
        "unix://",
        "memcached://:geheim@host",
        "redis-without-a-slash",
    ],
)
def test_a_url_that_is_none_is_refused_without_its_password(url):
    with pytest.raises(InvalidRequest) as caught:
        open_memory("memory://", embedder="none", working=url)
    assert "geheim" not in str(caught.value)


def test_tls_is_spoken_and_a_certificate_nobody_vouches_for_is_refused(redis_server, tmp_path):
    shown, context = certificate(tmp_path)
    with relaying(redis_server.port, context) as relay:
        plain = redis_server.url("tls").replace(f":{redis_server.port}/", f":{relay.port}/")
        place = open_working(plain.replace("redis://", "rediss://") + f"&ssl_ca_certs={shown}")
        place.save(sitting("s", ALICE, summary="经过加密"), expect=0)
        assert place.load(ALICE, "s").summary == "经过加密"
        assert place.location.startswith("rediss://127.0.0.1") and str(tmp_path) not in place.location
        place.close()
        with pytest.raises(StoreUnavailable, match=r"(?i)certificate"):
            open_working(plain.replace("redis://", "rediss://")).load(ALICE, "s")


def test_a_socket_leads_there_too(tmp_path):
    server = RedisServer(unixsocket=str(tmp_path / "s"))
    try:
        place = open_working(f"unix://{tmp_path / 's'}?password={'geheim-%E5%AF%86%E7%A0%81%40%2F%3A'}&db=1")
        place.save(sitting("s", ALICE), expect=0)
        assert place.location == f"unix://{tmp_path / 's'}?db=1&namespace=satchel"
        place.close()
    finally:
        server.remove()


def test_without_the_library_the_line_that_installs_it_is_named(monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(Unsupported) as caught:
        open_memory("memory://", embedder="none", working="redis://127.0.0.1:6379/0")
    assert caught.value.details["install"] == "pip install 'satchel[redis]'"


def test_a_client_of_a_service_has_no_say_in_it():
    with pytest.raises(InvalidRequest, match="where the service runs"):
        open_memory("http://127.0.0.1:7377", working="redis://127.0.0.1:6379/0")


# ------------------------------------------------------------ which place it is


def test_sessions_move_along_when_a_store_gets_a_place_apart(redis_server, tmp_path):
    with opened(tmp_path / "a.db") as memory:
        worked(memory)
        worked(memory, "s2", BOB)
    url = redis_server.url("later")
    with opened(tmp_path / "a.db", working=url) as memory:
        assert [one.session_id for scope in (ALICE, BOB) for one in memory.sessions(scope=scope).sessions] == ["s1", "s2"]
        assert memory.working("s1", scope=ALICE).recent_events[0]["content"] == "我对花生过敏"
        assert DocumentWorkingStore(memory.core.store).snapshots() == []
        assert memory.core.notes.all() == ()
    with opened(tmp_path / "a.db") as memory:
        (note,) = memory.core.notes.all()
        assert "later" in note and "forgetting does not reach them" in note
    with opened(tmp_path / "a.db", working="store") as memory:
        assert memory.core.notes.all() == ()
    with opened(tmp_path / "a.db") as memory:
        assert memory.core.notes.all() == ()


def test_forgetting_does_not_say_it_is_done_where_it_cannot_reach_the_sessions(redis_server, tmp_path):
    url = redis_server.url()
    with opened(tmp_path / "a.db", working=url) as memory:
        memory.remember("保险箱的密码是 swordfish", scope=ALICE, id="vault")
        session = memory.working("s", scope=ALICE)
        session.slots["k"] = "保险箱的密码是 swordfish"
        session.save()
    with opened(tmp_path / "a.db") as memory:
        with pytest.raises(StoreUnavailable, match="sessions of this store are kept in"):
            memory.forget("vault", scope=ALICE)
        assert memory.read("vault", scope=ALICE).status == "active"
    with opened(tmp_path / "a.db", working=url) as memory:
        memory.forget("vault", scope=ALICE)
        assert "swordfish" not in str(memory.working("s", scope=ALICE).snapshot)


def test_an_own_place_is_taken_and_closed_with_the_memory(redis_server):
    place = open_working(redis_server.url())
    with opened(working=place) as memory:
        worked(memory)
        assert place.load(ALICE, "s1") is not None
    with pytest.raises(StoreUnavailable, match="was closed"):
        place.load(ALICE, "s1")


def test_the_command_line_takes_it_from_an_option_or_the_environment(redis_server, tmp_path, monkeypatch, capfd):
    from satchel.cli.main import run

    def told(*words: str) -> str:
        capfd.readouterr()
        run([*words, "--store", str(tmp_path / "a.db"), "--scope", ALICE, "--embedder", "none"])
        out, err = capfd.readouterr()
        return f"{out} {err}".replace("\n", " ")

    url = redis_server.url("cli")
    with opened(tmp_path / "a.db", working=url) as memory:
        worked(memory)
    assert "s1" in told("sessions", "--working", url)
    assert "s1" not in told("sessions")
    assert "forgetting does not reach them" in " ".join(told("doctor").split())
    assert "geheim" not in told("sessions", "--working", "memcached://:geheim@host")
    monkeypatch.setenv("SATCHEL_WORKING", url)
    assert "s1" in told("sessions")
    assert "s1" in told("--json", "session", "show", "s1")


# ------------------------------------------------------------ forgetting, packages, scopes


@pytest.mark.parametrize("settings", [{"appendonly": "yes"}, {"save": "3600 1"}], ids=["append-only file", "dumps"])
def test_what_is_forgotten_leaves_the_server_and_its_files(settings, tmp_path):
    server = RedisServer(**settings)
    try:
        with opened(tmp_path / "agent.db", working=server.url()) as memory:
            done = memory.remember(FACT, scope=ALICE)
            working = worked(memory)
            working.slots["密语"] = FACT
            working.slots["city"] = "杭州"
            working.save()
            with server.client() as client:
                if "save" in settings:
                    client.save()
            assert any(text in file for file in files(server.home) for text in SPELLED)
            assert memory.forget(done.record.id, scope=ALICE).state == "scrubbed"
            assert memory.working("s1", scope=ALICE).slots == {"city": "杭州"}
            assert not any(text in file for file in files(server.home) for text in SPELLED)
            assert memory.core.notes.all() == ()
    finally:
        server.remove()


def files(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "log"]


def test_a_server_that_lets_nobody_rewrite_its_files_is_said_to_hold_what_was_forgotten(own_server):
    with own_server.client() as client:
        client.config_set("appendonly", "yes")
        client.acl_setuser("hosted", enabled=True, passwords=["+pw"], keys=["*"], commands=["+@all", "-bgrewriteaof", "-bgsave", "-config"])
    url = f"redis://hosted:pw@127.0.0.1:{own_server.port}/0"
    with opened(working=url) as memory:
        record = memory.remember(FACT, scope=ALICE).record
        worked(memory)
        assert memory.forget(record.id, scope=ALICE).state == "scrubbed"
        assert any("does not let its files be written anew" in note for note in memory.core.notes.all())
        assert memory.core.working.location == f"redis://127.0.0.1:{own_server.port}/0?namespace=satchel"


def test_a_user_that_may_not_write_is_a_store_error(own_server):
    with own_server.client() as client:
        client.acl_setuser("reader", enabled=True, passwords=["+pw"], keys=["*"], commands=["+@read", "+ping"])
    with pytest.raises(StoreError):
        place = open_working(f"redis://reader:pw@127.0.0.1:{own_server.port}/0")
        try:
            place.save(sitting("s", ALICE), expect=0)
        finally:
            place.close()


def test_a_forgotten_session_is_gone_and_no_old_holder_brings_it_back(redis_server):
    with opened(working=redis_server.url("gone")) as memory:
        working = worked(memory)
        memory.forget(plan=memory.forget(scope=ALICE, session="s1"))
        assert keys(redis_server, "gone") == {}
        working.slots["again"] = 1
        with pytest.raises(Conflict):
            working.save()


def test_sessions_travel_in_packages_and_move_with_their_scope(redis_server):
    with opened(working=redis_server.url("from")) as memory, opened(working=redis_server.url("to")) as other:
        memory.remember("带走", scope=ALICE)
        worked(memory)
        worked(memory, "ended").end()
        data = exported(memory, everything=True, working=True)
        other.import_package(io.BytesIO(data))
        other.import_package(io.BytesIO(data))
        assert sessions_of(exported(other, everything=True, working=True)) == sessions_of(data)
        assert len(sessions_of(data)) == 2
        assert len(keys(redis_server, "to")) == 2
        other.move_scope(ALICE, to=BOB)
        assert {name.partition("session:")[2].partition("\n")[0] for name in keys(redis_server, "to")} == {BOB}
        assert other.working("s1", scope=BOB).recent_events[0]["content"] == "我对花生过敏"


def sessions_of(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines() if b'"kind":"working"' in line]
