"""Satchel: agent memory that follows the agent, not the tool.

It owns the public names, each loaded when it is first used, so that importing one part pays for no other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satchel.engine.settings import Settings
    from satchel.errors import Conflict, Denied, InvalidRequest, NotFound, SatchelError, SecretRefused, StoreError, Unsupported
    from satchel.operations.memory import Memory
    from satchel.protocol.record import MemoryRecord, Source
    from satchel.wiring import open_memory

__version__ = "0.1.0"

_HOMES = {
    "open_memory": "satchel.wiring",
    "Memory": "satchel.operations.memory",
    "MemoryRecord": "satchel.protocol.record",
    "Source": "satchel.protocol.record",
    "Settings": "satchel.engine.settings",
} | dict.fromkeys(
    ("SatchelError", "InvalidRequest", "SecretRefused", "NotFound", "Conflict", "Denied", "Unsupported", "StoreError"), "satchel.errors"
)

__all__ = [
    "Conflict",
    "Denied",
    "InvalidRequest",
    "Memory",
    "MemoryRecord",
    "NotFound",
    "SatchelError",
    "SecretRefused",
    "Settings",
    "Source",
    "StoreError",
    "Unsupported",
    "open_memory",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
