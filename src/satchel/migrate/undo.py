"""`undo`: take an import out again. It must not know how it came in."""

from __future__ import annotations

from satchel.operations import Memory
from satchel.operations.models import Undone


def undo(memory: Memory, import_id: str) -> Undone:
    """Take out what an import brought, without tombstones, so that it can be brought again; records changed since are kept.

    Raises NotFound for an unknown import.
    """
    return memory.undo_import(import_id)
