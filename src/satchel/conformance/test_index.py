"""Collected by `pytest --pyargs satchel.conformance`: the vector index that `--satchel-index` names. It must not know which."""

from __future__ import annotations

from satchel.conformance.index_contract import VectorIndexContract


class TestIndex(VectorIndexContract):
    """The vector index contract."""
