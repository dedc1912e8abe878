"""Milvus Lite holds the contract of indexes, and a memory over it what that of memories says of recall."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_stage import RecallsAndForgets, StandsWhatHappens
from satchel.conformance import VectorIndexContract
from satchel.indexes.milvus import MilvusIndex, open_index


class TestMilvusIndex(VectorIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[MilvusIndex]:
        index = open_index(f"milvus:///{tmp_path}/index.db")
        yield index
        index.close()


class TestMemoryOnMilvus(RecallsAndForgets):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"milvus:///{tmp_path}/index.db"


class TestMilvusStandsWhatHappens(StandsWhatHappens):
    @pytest.fixture
    def url(self, folder: Path) -> str:
        return f"milvus:///{folder}/index.db"
