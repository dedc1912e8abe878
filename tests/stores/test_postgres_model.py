"""PostgreSQL against the in-memory reference, step by step."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import HealthCheck, settings

from satchel.ports import Store
from satchel.stores.postgres import open_store

from .postgres_server import PostgresServer
from .test_model import Comparison

_SERVERS: list[PostgresServer] = []


class PostgresComparison(Comparison):
    """The same steps over a new schema each time."""

    def opened(self) -> Store:
        self.schema = getattr(self, "schema", f"s{uuid.uuid4().hex}")
        return open_store(_SERVERS[0].url(self.schema, partitions=2))


PostgresComparison.TestCase.settings = settings(
    max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


class TestPostgresIsTheReference(PostgresComparison.TestCase):
    @pytest.fixture(autouse=True)
    def _server(self, postgres: PostgresServer) -> None:
        _SERVERS[:] = [postgres]
