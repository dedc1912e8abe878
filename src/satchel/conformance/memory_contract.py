"""The contract of a memory. It must not know whether it is embedded or remote."""

from __future__ import annotations

from satchel.conformance.contract import Contract


class MemoryContract(Contract):
    """What every `Memory` does."""

    subject = "memory"
