"""The PostgreSQL store, held against the reference store and against what only it has: a server, several processes, SQL."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import numpy as np
import psycopg
import pytest

from satchel import open_memory
from satchel.conformance import MemoryContract, StoreContract
from satchel.errors import Conflict, InvalidRequest
from satchel.operations import Memory
from satchel.ports import Batch, LogEntry, Put
from satchel.protocol.record import Deletion, MemoryRecord
from satchel.stores.postgres import open_store
from satchel.stores.postgres.store import PostgresStore

from .postgres_server import PostgresServer

NOW = datetime(2026, 5, 4, 8, 30, tzinfo=UTC)
LOG = LogEntry("remember", "writer", NOW)
VECTOR = np.linspace(-1, 1, 384).astype("<f2").tobytes()


def put(number: int, scope: str = "user:alice", **options: object) -> Put:
    record = MemoryRecord(id=f"r{number}", content=f"第 {number} 条 memory number {number}", scope=scope, stored_at=NOW, updated_at=NOW)
    return Put(record, LOG, **options)  # type: ignore[arg-type]


class TestMemory(MemoryContract):
    """What an engine over this store must do, as over every other."""

    @pytest.fixture
    def memory(self, postgres: PostgresServer) -> Iterator[Memory]:
        with open_memory(postgres.url(), embedder="none", agent="writer") as opened:
            yield opened


class TestContract(StoreContract):
    """The contract of every store."""

    @pytest.fixture
    def store(self, postgres: PostgresServer) -> Iterator[PostgresStore]:
        opened = open_store(postgres.url())
        yield opened
        opened.close()


class TestContractInPartitions(StoreContract):
    """The same, with tables partitioned by scope."""

    @pytest.fixture
    def store(self, postgres: PostgresServer) -> Iterator[PostgresStore]:
        opened = open_store(postgres.url(partitions=3))
        yield opened
        opened.close()


def test_what_is_written_is_read_back_after_reopening(postgres: PostgresServer) -> None:
    url = postgres.url()
    store = open_store(url)
    store.apply(Batch([put(1, terms=b"terms", vector=VECTOR)]))
    store.close()
    store = open_store(url)
    (row,) = store.index_slice("user:alice").rows
    assert (row.terms, row.vector) == (b"terms", VECTOR)
    assert store.get("user:alice", ["r1"])["r1"] == put(1).record
    store.close()


@pytest.mark.parametrize("count", [1, 49, 50, 500])
def test_a_batch_of_any_size_is_written_whole_or_not_at_all(postgres: PostgresServer, count: int) -> None:
    store = open_store(postgres.url())
    store.apply(Batch([put(number) for number in range(count)]))
    with pytest.raises(Conflict) as caught:
        store.apply(Batch([*(put(number) for number in range(count, 2 * count)), put(0, expect=0)]))
    assert caught.value.details["failed"] == [count]
    assert store.scopes()[0].counts == {"active": count}
    assert len(store.changes(None)) == count
    store.close()


def test_a_vector_that_pgvector_cannot_keep_is_refused(postgres: PostgresServer) -> None:
    store = open_store(postgres.url())
    for vector in (b"", b"odd", np.array([np.nan], "<f2").tobytes(), np.zeros(16_001, "<f2").tobytes()):
        with pytest.raises(InvalidRequest, match="vector"):
            store.apply(Batch([put(1, vector=vector)]))
    assert store.scopes() == []
    store.close()


def _forget_a_secret(store: PostgresStore, word: str = "peanut-secret") -> None:
    store.apply(Batch([put(1), put(2)]))
    secret = put(1).record.model_copy(update={"content": f"花生过敏 {word}", "content_hash": "", "revision": 2})
    store.apply(Batch([Put(MemoryRecord.model_validate(secret.model_dump()), LOG)]))
    gone = MemoryRecord(
        id="r1", content="", scope="user:alice", stored_at=NOW, updated_at=NOW, revision=3, status="deleted", deletion=Deletion(at=NOW)
    )
    store.apply(Batch([Put(gone, LOG)]))


def _files_with(postgres: PostgresServer, word: str) -> set[str]:
    with psycopg.connect(postgres.conninfo, autocommit=True) as other:
        other.execute("CHECKPOINT")
    return {path.parent.parent.name for path in postgres.data.glob("base/*/*") if word.encode() in path.read_bytes()}


def test_scrubbing_by_rewriting_leaves_erased_content_in_no_table_and_no_index(postgres: PostgresServer) -> None:
    store = open_store(postgres.url(scrub="rewrite"))
    word = uuid.uuid4().hex
    _forget_a_secret(store, word)
    assert _files_with(postgres, word)
    assert store.scrub()
    assert not _files_with(postgres, word)
    assert store.check() == []
    store.close()


@pytest.mark.parametrize("scrub", ["vacuum", "rewrite"])
def test_a_reader_of_an_old_state_holds_scrubbing_up(postgres: PostgresServer, scrub: str) -> None:
    store = open_store(postgres.url(scrub=scrub))
    with store.reading(), ThreadPoolExecutor(1) as pool:
        store.scopes()
        pool.submit(_forget_a_secret, store).result()
        assert pool.submit(store.scrub).result() is False
    assert store.scrub() is True
    store.close()


def test_who_forgets_is_told_what_the_server_keeps(postgres: PostgresServer) -> None:
    with open_memory(postgres.url(), embedder="none") as memory:
        memory.remember("对花生过敏", scope="user:alice", id="r1")
        assert not [finding for finding in memory.doctor().findings if "write-ahead log" in finding.message]
        memory.forget("r1", scope="user:alice")
        assert [finding for finding in memory.doctor().findings if "write-ahead log" in finding.message]
