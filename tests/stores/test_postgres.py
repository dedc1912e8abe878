"""The PostgreSQL store, held against the reference store and against what only it has: a server, several processes, SQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
import pytest

from satchel.conformance import StoreContract
from satchel.errors import Conflict, InvalidRequest
from satchel.ports import Batch, LogEntry, Put
from satchel.protocol.record import MemoryRecord
from satchel.stores.postgres import open_store
from satchel.stores.postgres.store import PostgresStore

from .postgres_server import PostgresServer

NOW = datetime(2026, 5, 4, 8, 30, tzinfo=UTC)
LOG = LogEntry("remember", "writer", NOW)
VECTOR = np.linspace(-1, 1, 384).astype("<f2").tobytes()


def put(number: int, scope: str = "user:alice", **options: object) -> Put:
    record = MemoryRecord(id=f"r{number}", content=f"第 {number} 条 memory number {number}", scope=scope, stored_at=NOW, updated_at=NOW)
    return Put(record, LOG, **options)  # type: ignore[arg-type]


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
