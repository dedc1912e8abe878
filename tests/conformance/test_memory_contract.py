"""The memory contract, held by the engine on each store and by HTTP in this process: the same tests, the same order of results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from door_stage import client_of
from satchel.conformance import MemoryContract, run_against
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


@pytest.mark.slow
def test_the_engine_conforms_with_the_model_that_comes_with_it():
    """Meaning brings more hits than words do, and the contract must not count on few."""
    with opened("memory://", embedder="e5") as memory:
        report = run_against(memory)
    assert report.conformant, report.to_text()
