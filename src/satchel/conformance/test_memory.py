"""Collected by `pytest --pyargs satchel.conformance`: the memory that `--satchel-memory` names. It must not know which."""

from __future__ import annotations

from satchel.conformance.memory_contract import MemoryContract


class TestMemory(MemoryContract):
    """The memory contract."""
