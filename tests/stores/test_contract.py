"""The in-memory reference and SQLite hold the contract of stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.conformance import StoreContract
from satchel.ports import Store
from satchel.stores import memory, sqlite
from satchel.stores.memory import MemoryStore
from satchel.stores.sqlite import SQLiteStore


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[MemoryStore]:
        store = MemoryStore()
        yield store
        store.close()


class TestSQLiteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SQLiteStore]:
        store = SQLiteStore(tmp_path / "memory.db")
        yield store
        assert store._closed or store.check() == []
        store.close()


@pytest.mark.parametrize("module", [memory, sqlite])
def test_a_temporary_store_is_empty_and_its_own(module):
    first, second = module.temporary(), module.temporary()
    assert isinstance(first, Store)
    assert first.scopes() == []
    assert (first.location != second.location) or module is memory
    first.close()
    second.close()
    assert module is memory or not Path(first.location).parent.exists()
