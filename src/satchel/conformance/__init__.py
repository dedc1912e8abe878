"""The conformance suite: certifies a store, a vector index, a place for working memory, or whatever offers `Memory` (PRO-12).

Three doors, one suite: `pytest --pyargs satchel.conformance --satchel-store=package:factory`; a test class that inherits a contract and
offers its fixture; `run_against`, which `satchel conformance URL` calls. It knows the ports and the protocol, and no implementation.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satchel.conformance.contract import requirement
    from satchel.conformance.index_contract import VectorIndexContract
    from satchel.conformance.memory_contract import MemoryContract
    from satchel.conformance.report import Outcome, Report
    from satchel.conformance.running import run_against, run_index, run_store, run_working
    from satchel.conformance.store_contract import StoreContract
    from satchel.conformance.working_contract import WorkingContract

# The pytest plugin lives in this package and is loaded in every run of pytest: it must not pay for the contracts.
_HOMES = {
    "MemoryContract": "memory_contract",
    "Outcome": "report",
    "Report": "report",
    "StoreContract": "store_contract",
    "VectorIndexContract": "index_contract",
    "WorkingContract": "working_contract",
    "requirement": "contract",
    "run_against": "running",
    "run_index": "running",
    "run_store": "running",
    "run_working": "running",
}

__all__ = [
    "MemoryContract",
    "Outcome",
    "Report",
    "StoreContract",
    "VectorIndexContract",
    "WorkingContract",
    "requirement",
    "run_against",
    "run_index",
    "run_store",
    "run_working",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
