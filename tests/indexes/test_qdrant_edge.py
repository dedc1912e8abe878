"""Qdrant's engine in this process holds the contract of indexes, and a memory over it that of memories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_stage import HoldsTheMemoryContract, StandsWhatHappens
from satchel.conformance import VectorIndexContract
from satchel.indexes.qdrant_edge import QdrantEdgeIndex, open_index


class TestQdrantEdgeIndex(VectorIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[QdrantEdgeIndex]:
        index = open_index(f"qdrant:///{tmp_path}/index")
        yield index
        index.close()


class TestMemoryOnQdrantEdge(HoldsTheMemoryContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"qdrant:///{tmp_path}/index"


class TestQdrantEdgeStandsWhatHappens(StandsWhatHappens):
    kills = 3

    @pytest.fixture
    def url(self, folder: Path) -> str:
        return f"qdrant:///{folder}"
