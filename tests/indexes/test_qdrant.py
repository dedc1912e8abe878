"""The client of Qdrant, over its local mode, holds the contract of indexes, and a memory over it what that of memories says of recall.

A server answers the same calls; there is none to run here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from index_stage import RecallsAndForgets, StandsWhatHappens
from satchel.conformance import VectorIndexContract
from satchel.indexes.qdrant import QdrantIndex, open_index


class QdrantInMemory(QdrantIndex):
    """The client's local mode without a folder: in a folder each point costs a transaction of SQLite."""

    def __init__(self) -> None:
        super().__init__("qdrant-local:///memory")
        self._kept = QdrantClient(":memory:")

    def _connect(self) -> None:
        self._client = self._kept

    def _disconnect(self) -> None:
        self._client = None


class TestQdrantIndex(VectorIndexContract):
    @pytest.fixture
    def index(self) -> Iterator[QdrantInMemory]:
        index = QdrantInMemory()
        yield index
        index._kept.close()


class TestMemoryOnQdrant(RecallsAndForgets):
    @pytest.fixture
    def url(self) -> Iterator[QdrantInMemory]:
        index = QdrantInMemory()
        yield index
        index._kept.close()


class TestQdrantStandsWhatHappens(StandsWhatHappens):
    @pytest.fixture
    def url(self, folder: Path) -> str:
        return f"qdrant-local:///{folder}"


def test_a_server_that_is_not_there_is_an_error_that_names_it():
    from satchel.errors import StoreUnavailable

    index = open_index("qdrant://:hidden@127.0.0.1:9/?collection=other_one")
    with pytest.raises(StoreUnavailable, match=r"qdrant://127\.0\.0\.1:9\?collection=other_one"):
        index.describe()
    assert "hidden" not in index.location
    assert len(index.check()) == 1
    index.close()
