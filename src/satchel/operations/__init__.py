"""The verbs: their models, their table, and the `Memory` interface that every caller uses."""

from satchel.operations.memory import Memory
from satchel.operations.table import BY_NAME, OPERATIONS, Operation

__all__ = ["BY_NAME", "OPERATIONS", "Memory", "Operation"]
