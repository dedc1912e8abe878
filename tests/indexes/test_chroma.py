"""Chroma, in this process and as a server, holds the contract of indexes, and a memory over it that of memories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_stage import HoldsTheMemoryContract, StandsWhatHappens
from satchel.conformance import VectorIndexContract
from satchel.indexes.chroma import ChromaIndex, open_index


class TestChromaIndex(VectorIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[ChromaIndex]:
        index = open_index(f"chroma:///{tmp_path}/index")
        yield index
        index.close()


class TestMemoryOnChroma(HoldsTheMemoryContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"chroma:///{tmp_path}/index"


class TestChromaStandsWhatHappens(StandsWhatHappens):
    @pytest.fixture
    def url(self, folder: Path) -> str:
        return f"chroma:///{folder}"
