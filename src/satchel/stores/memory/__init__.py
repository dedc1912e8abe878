"""The in-memory reference store: the shortest honest reading of the Store port. It keeps nothing; other stores are held against it."""

from satchel.stores.memory.store import MemoryStore

__all__ = ["MemoryStore", "open_store", "temporary"]


def open_store(url: str = "memory://") -> MemoryStore:
    """Open a new, empty store; two of them share nothing."""
    return MemoryStore()


def temporary() -> MemoryStore:
    """Open a store for a test."""
    return MemoryStore()
