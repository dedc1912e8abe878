"""The memory contract, held by the engine on each store and by HTTP in this process: the same tests, the same order of results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from door_stage import client_of
from satchel.conformance import MemoryContract
from satchel.operations import Memory
from write_stage import opened


class TestEngineInMemory(MemoryContract):
    @pytest.fixture
    def memory(self) -> Iterator[Memory]:
        with opened("memory://") as memory:
            yield memory


class TestEngineOnSQLite(MemoryContract):
    @pytest.fixture
    def memory(self, tmp_path: Path) -> Iterator[Memory]:
        with opened(tmp_path / "memory.db") as memory:
            yield memory


class TestEngineOverHTTP(MemoryContract):
    @pytest.fixture
    def memory(self, tmp_path: Path) -> Iterator[Memory]:
        with opened(tmp_path / "memory.db") as engine, client_of(engine) as memory:
            yield memory
