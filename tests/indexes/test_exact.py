"""The reference, an index in this process's memory, holds the contract of indexes, and a memory over it that of memories."""

from __future__ import annotations

import pytest

from index_stage import HoldsTheMemoryContract
from satchel.conformance import VectorIndexContract
from satchel.indexes.exact import ExactIndex


class TestExactIndex(VectorIndexContract):
    @pytest.fixture
    def index(self) -> ExactIndex:
        return ExactIndex()


class TestMemoryOnExact(HoldsTheMemoryContract):
    @pytest.fixture
    def url(self) -> str:
        return "exact://"
