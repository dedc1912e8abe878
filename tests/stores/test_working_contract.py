"""Every place for working memory holds the one contract (WRK-2, WRK-3): beside the memories in each store, and on Redis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.conformance import WorkingContract
from satchel.engine.working.store import DocumentWorkingStore
from satchel.ports import WorkingStore
from satchel.stores import jsonl, memory, postgres, sqlite
from satchel.stores.redis import open_working

from .postgres_server import PostgresServer
from .redis_server import RedisServer


class Beside(DocumentWorkingStore):
    """Working memory in a store of its own, which ends with it."""

    def close(self) -> None:
        self._store.close()


class TestBesideMemory(WorkingContract):
    @pytest.fixture
    def working(self) -> Iterator[WorkingStore]:
        place = Beside(memory.MemoryStore())
        yield place
        place.close()


class TestInSQLite(WorkingContract):
    @pytest.fixture
    def working(self, tmp_path: Path) -> Iterator[WorkingStore]:
        place = Beside(sqlite.SQLiteStore(tmp_path / "agent.db"))
        yield place
        place.close()


class TestInJsonLines(WorkingContract):
    @pytest.fixture
    def working(self, tmp_path: Path) -> Iterator[WorkingStore]:
        place = Beside(jsonl.open_store(f"jsonl:///{tmp_path / 'agent.jsonl'}"))
        yield place
        place.close()


class TestInPostgres(WorkingContract):
    @pytest.fixture
    def working(self, postgres: PostgresServer) -> Iterator[WorkingStore]:
        place = Beside(_open_postgres(postgres.url()))
        yield place
        place.close()


class TestOnRedis(WorkingContract):
    @pytest.fixture
    def working(self, redis_server: RedisServer) -> Iterator[WorkingStore]:
        place = open_working(redis_server.url())
        yield place
        place.close()


_open_postgres = postgres.open_store
