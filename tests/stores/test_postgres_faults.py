"""The PostgreSQL store when things go wrong: a server that goes, a client that is killed, writers that meet, a foreign schema."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from satchel import open_memory
from satchel.errors import Conflict, InvalidRequest, StoreCorrupt, StoreUnavailable, VersionError
from satchel.ports import Batch, LogEntry, Put, Use
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord
from satchel.stores.postgres import open_store
from satchel.stores.postgres.store import PostgresStore
from satchel.stores.postgres.transactions import Transaction
from satchel.stores.postgres.writing import BatchWriting
from soaking import Told

from .postgres_server import PostgresServer

NOW = datetime(2026, 5, 4, 8, 30, tzinfo=UTC)
LOG = LogEntry("remember", "writer", NOW)


def put(name: str, scope: str = "user:alice", text: str = "记忆 {}", **options: object) -> Put:
    record = MemoryRecord(id=name, content=text.format(name), scope=scope, stored_at=NOW, updated_at=NOW)
    return Put(record, LOG, **options)  # type: ignore[arg-type]


@pytest.fixture
def store(postgres: PostgresServer) -> Iterator[PostgresStore]:
    opened = open_store(postgres.url())
    yield opened
    opened.close()


def ids(store: PostgresStore, scope: str = "user:alice") -> set[str]:
    found: set[str] = set()
    cursor = None
    while True:
        page = store.scan([scope], RecordFilter(statuses=()), cursor=cursor, limit=10_000)
        found |= {record.id for record in page.records}
        cursor = page.cursor
        if cursor is None:
            return found


# ---------------------------------------------------------------- a server that goes


@pytest.mark.parametrize("crash", [False, True])
def test_a_restart_of_the_server_is_not_seen_by_who_reads_and_writes_afterwards(
    postgres: PostgresServer,
    store: PostgresStore,
    crash: bool,
) -> None:
    store.apply(Batch([put("before")]))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: store.positions(["user:alice"]), range(8)))
    postgres.restart(crash=crash)
    assert ids(store) == {"before"}
    store.apply(Batch([put("after")]))
    assert ids(store) == {"before", "after"}


def test_writes_during_a_restart_wait_and_are_made_once(postgres: PostgresServer, store: PostgresStore) -> None:
    written: list[str] = []
    stop = threading.Event()

    def go_on_writing(writer: int) -> None:
        number = 0
        while not stop.is_set():
            name = f"{writer}-{number}"
            store.apply(Batch([put(name, expect=0)]))
            written.append(name)
            number += 1

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(go_on_writing, writer) for writer in range(4)]
        while len(written) < 20:
            time.sleep(0.01)
        postgres.restart(crash=True)
        seen = len(written)
        while len(written) < seen + 20 and not any(job.done() for job in running):
            time.sleep(0.01)
        stop.set()
        for job in running:
            job.result()
    assert ids(store) == set(written)
    assert len(store.changes(None, limit=100_000)) == len(written)


def test_a_server_that_is_gone_is_said_and_its_return_is_noticed(postgres: PostgresServer, store: PostgresStore) -> None:
    store.apply(Batch([put("one")]))
    store._transactions.patience = 0.1
    postgres.stop()
    try:
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="cannot be reached"):
                store.get("user:alice", ["one"])
            with pytest.raises(StoreUnavailable, match="cannot be reached"):
                store.apply(Batch([put("two")]))
    finally:
        postgres.start()
    store.apply(Batch([put("two")]))
    assert ids(store) == {"one", "two"}


@pytest.mark.parametrize("size", [1, 200])
def test_a_commit_whose_answer_was_lost_is_looked_up_and_not_repeated(store: PostgresStore, size: int) -> None:
    store.apply(Batch([put("first")]))
    writing = BatchWriting(Batch([put(f"second-{number}", expect=0) for number in range(size)]), store._floor_class)
    uncertain: list[bool] = []

    def lose_the_first_answer(transaction: Transaction) -> int:
        uncertain.append(transaction.uncertain)
        position = writing.write(transaction)
        if len(uncertain) == 1:
            transaction.connection.close()
            transaction.connection.execute("SELECT 1")
        return position

    assert store._transactions.write(lose_the_first_answer) == 1 + size
    assert uncertain == [False, True]
    assert len(store.changes(None)) == 1 + size


def test_a_commit_that_did_not_arrive_is_made_again(store: PostgresStore) -> None:
    store.apply(Batch([put("first")]))
    writing = BatchWriting(Batch([put("second", expect=0)]), store._floor_class)
    attempts: list[bool] = []

    def lose_the_first_commit(transaction: Transaction) -> int:
        attempts.append(transaction.uncertain)
        if len(attempts) == 1:
            transaction.begin()
            transaction.committing = True
            transaction.connection.close()
        return writing.write(transaction)

    store._transactions.write(lose_the_first_commit)
    assert attempts == [False, True]
    assert ids(store) == {"first", "second"}


def test_a_connection_that_breaks_before_the_commit_lets_the_write_be_made_again(store: PostgresStore) -> None:
    writing = BatchWriting(Batch([put("one", expect=0)]), store._floor_class)
    uncertain: list[bool] = []

    def break_once(transaction: Transaction) -> int:
        uncertain.append(transaction.uncertain)
        if len(uncertain) == 1:
            transaction.connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return writing.write(transaction)

    store._open_scopes(["user:alice"])
    assert store._transactions.write(break_once) == 1
    assert uncertain == [False, False]
    assert ids(store) == {"one"}


def test_where_the_server_stays_away_after_a_commit_it_is_said_that_nobody_knows(postgres: PostgresServer, store: PostgresStore) -> None:
    store.apply(Batch([put("one")]))
    store._transactions.patience = 0.1

    def lose(transaction: Transaction) -> None:
        transaction.committing = True
        postgres.stop()
        transaction.connection.execute("COMMIT")

    try:
        with pytest.raises(StoreUnavailable) as caught:
            store._transactions.write(lose)
        assert caught.value.details["outcome"] == "unknown"
    finally:
        postgres.start()


def test_no_server_at_the_start_is_said_at_once_and_without_the_password(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(StoreUnavailable) as caught:
        open_store(f"postgresql://alice:secret-word@/memories?host={tmp_path}&password=secret-word")
    assert time.monotonic() - started < 5
    assert "secret-word" not in f"{caught.value} {caught.value.details}"


def test_a_database_that_is_read_only_is_still_read_and_written_when_it_may_be(postgres: PostgresServer, store: PostgresStore) -> None:
    store.apply(Batch([put("one")]))
    with psycopg.connect(postgres.conninfo, autocommit=True) as other:
        other.execute("ALTER DATABASE postgres SET default_transaction_read_only = on")
        store._connections.drop()
        try:
            with pytest.raises(StoreUnavailable, match="read-only"):
                store.apply(Batch([put("two")]))
            assert ids(store) == {"one"}
            readonly = open_store(postgres.url(store._where.schema))
            assert ids(readonly) == {"one"}
            readonly.close()
        finally:
            other.execute("SET default_transaction_read_only = off")
            other.execute("ALTER DATABASE postgres RESET default_transaction_read_only")
    store._connections.drop()
    store.apply(Batch([put("two")]))
    assert ids(store) == {"one", "two"}


def test_a_right_that_is_lost_is_said_and_its_return_is_noticed(postgres: PostgresServer, store: PostgresStore) -> None:
    schema, user = store._where.schema, f"u{uuid.uuid4().hex}"
    store.apply(Batch([put("one")]))
    with psycopg.connect(postgres.conninfo, autocommit=True) as other:
        other.execute(f"CREATE USER {user}")
        other.execute(f"GRANT USAGE ON SCHEMA {schema} TO {user}")
        other.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {user}")
        other.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA {schema} TO {user}")
        theirs = open_store(postgres.url(schema).replace("satchel@", f"{user}@"))
        theirs.apply(Batch([put("two")]))
        other.execute(f"REVOKE INSERT ON {schema}.records FROM {user}")
        with pytest.raises(StoreUnavailable, match="does not let this user"):
            theirs.apply(Batch([put("three")]))
        other.execute(f"GRANT INSERT ON {schema}.records TO {user}")
        theirs.apply(Batch([put("three")]))
    assert ids(theirs) == {"one", "two", "three"}
    theirs.close()


# ---------------------------------------------------------------- writers that meet


def test_of_two_who_write_the_same_new_content_one_is_refused(store: PostgresStore) -> None:
    def write(name: str) -> bool:
        try:
            store.apply(Batch([put(name, text="喜欢喝茶", only_if_new_content=True)]))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, [f"r{number}" for number in range(8)])) == 1
    assert len(ids(store)) == 1


def test_batches_over_the_same_scopes_in_any_order_do_not_block_each_other(store: PostgresStore) -> None:
    scopes = [f"user:u{number}" for number in range(6)]

    def write(number: int) -> None:
        order = scopes[number % 6 :] + scopes[: number % 6]
        store.apply(Batch([put(f"r{number}", scope) for scope in order]))
        store.touch([Use(scope, f"r{number}", NOW) for scope in reversed(order)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(60)))
    assert all(len(ids(store, scope)) == 60 for scope in scopes)
    assert store.check() == []


def test_a_writer_of_one_scope_does_not_wait_for_another_scope(postgres: PostgresServer, store: PostgresStore) -> None:
    store.apply(Batch([put("one", "user:alice"), put("one", "user:bob")]))
    with psycopg.connect(postgres.conninfo) as other:
        other.execute(f'SELECT 1 FROM "{store._where.schema}".scopes WHERE scope = %s FOR UPDATE', ["user:alice"])
        store.apply(Batch([put("two", "user:bob")]))
        assert ids(store, "user:bob") == {"one", "two"}


def test_a_reader_of_several_scopes_waits_for_a_lower_position_under_way(postgres: PostgresServer, store: PostgresStore) -> None:
    from satchel.stores.postgres.positions import FLOOR

    store.apply(Batch([put("one", "user:alice"), put("one", "user:bob")]))
    with psycopg.connect(postgres.conninfo) as slow:
        slow.execute(f'SET search_path TO "{store._where.schema}"')
        slow.execute(FLOOR, [store._floor_class])
        slow.execute(
            "INSERT INTO log (scope, id, revision, operation, at, previous, token, erased)"
            " VALUES ('user:alice', 'slow', 1, 'remember', 0, 0, 0, false)"
        )
        assert store.apply(Batch([put("two", "user:bob")])) == 4
        assert [change.position for change in store.changes(None, after=2)] == []
        assert [change.position for change in store.changes(["user:alice", "user:bob"], after=2)] == []
        assert [change.position for change in store.changes(["user:bob"], after=2)] == [4]
        with store.reading():
            slow.commit()
            assert [change.position for change in store.changes(None, after=2)] == []
    assert [change.position for change in store.changes(None, after=2)] == [3, 4]


def test_an_export_of_several_scopes_does_not_promise_what_is_under_way(postgres: PostgresServer) -> None:
    from satchel.stores.postgres.positions import FLOOR, lock_class

    schema = f"s{uuid.uuid4().hex}"
    with open_memory(postgres.url(schema), embedder="none") as memory, psycopg.connect(postgres.conninfo) as slow:
        for scope in ("user:alice", "user:bob"):
            memory.remember(f"记忆 of {scope}", scope=scope)
        slow.execute(f"SET search_path TO {schema}")
        slow.execute(FLOOR, [lock_class(schema)])
        slow.execute("SELECT nextval('positions')")
        memory.remember("后来的 later", scope="user:bob")
        package = io.BytesIO()
        memory.export(to=package, everything=True)
        assert json.loads(package.getvalue().splitlines()[0])["position"] == 1
        slow.commit()
        package = io.BytesIO()
        memory.export(to=package, everything=True)
        assert json.loads(package.getvalue().splitlines()[0])["position"] == 4


def test_who_follows_the_log_misses_nothing_while_many_write(store: PostgresStore) -> None:
    scopes = [f"user:u{number}" for number in range(4)]
    done = threading.Event()
    seen: list[tuple[str, str]] = []

    def follow() -> None:
        after = 0
        while True:
            last_round = done.is_set()
            changes = store.changes(None, after=after, limit=7)
            seen.extend((change.scope, change.id) for change in changes)
            after = changes[-1].position if changes else after
            if last_round and not changes:
                return

    def write(scope: str) -> None:
        for number in range(60):
            size = 60 if number % 20 == 0 else 1
            store.apply(Batch([put(f"{number}-{part}", scope) for part in range(size)]))

    with ThreadPoolExecutor(5) as pool:
        follower = pool.submit(follow)
        list(pool.map(write, scopes))
        done.set()
        follower.result()
    assert len(seen) == len(set(seen)) == 4 * (57 + 3 * 60)


WRITER = """
import sys, time
from datetime import UTC, datetime
from satchel.ports import Batch, LogEntry, Put
from satchel.protocol.record import MemoryRecord
from satchel.stores.postgres import open_store
store, name, count, size = open_store(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
now = datetime(2026, 5, 4, tzinfo=UTC)
longest = 0.0
for number in range(count):
    names = [f"{name}-{number}-{part}" for part in range(size)]
    records = [MemoryRecord(id=each, content=f"记忆 {each}", scope="user:alice", stored_at=now, updated_at=now) for each in names]
    started = time.monotonic()
    store.apply(Batch([Put(record, LogEntry("remember", name, now), expect=0) for record in records]))
    longest = max(longest, time.monotonic() - started)
    print(number, flush=True)
print(f"longest {longest:.3f}", flush=True)
store.close()
"""


def _writers(url: str, processes: int, writes: int) -> list[float]:
    """Let processes write to one scope at once; return the longest wait of each, in seconds."""
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, url, f"w{number}", str(writes), "1"], stdout=subprocess.PIPE, text=True)
        for number in range(processes)
    ]
    said = [writer.communicate()[0] for writer in running]
    assert [writer.returncode for writer in running] == [0] * processes
    return [float(text.split()[-1]) for text in said]


def _all_there(url: str, count: int) -> None:
    store = open_store(url)
    try:
        assert len(ids(store)) == count
        assert store.scopes()[0].counts == {"active": count}
        assert len(store.changes(["user:alice"], limit=count + 1)) == count
        assert store.check() == []
    finally:
        store.close()


def test_processes_that_write_to_one_scope_at_once_lose_nothing(postgres: PostgresServer) -> None:
    url = postgres.url()
    _writers(url, 4, 50)
    _all_there(url, 200)


@pytest.mark.soak
def test_eight_processes_write_a_thousand_records_each(
    postgres: PostgresServer,
    soaked: Told,
) -> None:
    url = postgres.url()
    waits = _writers(url, 8, 1000)
    _all_there(url, 8000)
    soaked("PostgreSQL, 8 processes write 1,000 records each to one scope", records=8000, lost=0, longest_wait_seconds=max(waits))


@pytest.mark.parametrize("size", [1, 400])
@pytest.mark.parametrize("after", [1, 3])
def test_a_client_that_is_killed_leaves_whole_batches_and_all_it_was_told_of(
    postgres: PostgresServer,
    size: int,
    after: int,
) -> None:
    url = postgres.url()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, url, "w", "100000", str(size)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    told = [int(writer.stdout.readline()) for _ in range(after)]
    writer.kill()
    told += map(int, writer.stdout.read().split())
    writer.wait()
    writer.stdout.close()
    store = open_store(url)
    held = ids(store)
    batches = {name.rsplit("-", 1)[0] for name in held}
    assert len(held) == size * len(batches)
    assert {f"w-{number}" for number in told} <= batches
    assert len(batches) <= len(told) + 1
    store.close()


# ---------------------------------------------------------------- schemas


def test_processes_that_open_a_new_schema_at_once_make_it_once(postgres: PostgresServer) -> None:
    url = postgres.url(partitions=4)
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: open_store(url), range(6)))
    stores[0].apply(Batch([put("one")]))
    assert all(ids(store) == {"one"} for store in stores)
    for store in stores:
        store.close()


def test_schemas_know_nothing_of_each_other(postgres: PostgresServer) -> None:
    one, two = open_store(postgres.url("租户 one")), open_store(postgres.url('ten"ant-2'))
    one.apply(Batch([put("secret")]))
    assert ids(two) == set()
    assert two.scopes() == []
    assert two.changes(None) == []
    one.close()
    two.close()


def test_a_schema_of_a_later_satchel_is_refused(postgres: PostgresServer) -> None:
    schema = f"s{uuid.uuid4().hex}"
    open_store(postgres.url(schema)).close()
    with psycopg.connect(postgres.conninfo) as other:
        other.execute(f"INSERT INTO {schema}.migrations (name, partitions) VALUES ('9999 tomorrow', 0)")
    with pytest.raises(VersionError, match="9999 tomorrow"):
        open_store(postgres.url(schema))


def test_a_schema_of_somebody_else_is_left_alone(postgres: PostgresServer) -> None:
    schema = f"s{uuid.uuid4().hex}"
    with psycopg.connect(postgres.conninfo) as other:
        other.execute(f"CREATE SCHEMA {schema}")
        other.execute(f"CREATE TABLE {schema}.records (name text)")
    with pytest.raises(StoreCorrupt, match="not a Satchel store"):
        open_store(postgres.url(schema))
    with psycopg.connect(postgres.conninfo) as other:
        tables = other.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = %s", [schema]).fetchall()
    assert tables == [("records",)]


def test_another_number_of_partitions_is_refused(postgres: PostgresServer) -> None:
    schema = f"s{uuid.uuid4().hex}"
    open_store(postgres.url(schema, partitions=2)).close()
    open_store(postgres.url(schema)).close()
    with pytest.raises(InvalidRequest, match="2 partitions"):
        open_store(postgres.url(schema, partitions=4))


@pytest.mark.parametrize(
    "url", ["postgresql://h/d?schema=pg_mine", "postgresql://h/d?schema=", "postgresql://h/d?partitions=-1", "http://h"]
)
def test_a_wrong_url_is_refused_before_anything_is_reached(url: str) -> None:
    with pytest.raises(InvalidRequest):
        open_store(url)


def test_a_read_of_one_scope_touches_one_partition(postgres: PostgresServer) -> None:
    store = open_store(postgres.url(partitions=8))
    store.apply(Batch([put(f"r{number}", f"user:u{number}") for number in range(64)]))
    with psycopg.connect(postgres.conninfo) as other:
        other.execute(f'SET search_path TO "{store._where.schema}"')
        plan = "\n".join(row[0] for row in other.execute("EXPLAIN SELECT body FROM records WHERE scope = 'user:u1' AND id = 'r1'"))
        filled = other.execute("SELECT count(DISTINCT tableoid) FROM records").fetchone()
    assert plan.count("records_") == 2  # a partition, and its index
    assert filled is not None
    assert filled[0] > 4
    store.close()


def test_a_table_that_is_missing_is_said_to_be_damage(postgres: PostgresServer, store: PostgresStore) -> None:
    with psycopg.connect(postgres.conninfo) as other:
        other.execute(f'DROP TABLE "{store._where.schema}".usage')
    with pytest.raises(StoreCorrupt, match="usage"):
        store.get("user:alice", ["one"])


def test_counts_that_do_not_agree_are_found(postgres: PostgresServer, store: PostgresStore) -> None:
    store.apply(Batch([put("one")]))
    with psycopg.connect(postgres.conninfo) as other:
        other.execute(f'UPDATE "{store._where.schema}".scopes SET active = 7, position = 9')
    assert len(store.check()) == 2
