"""The default store: one SQLite file, no server. Truth, change log, documents and index entries lie in it side by side."""

from satchel.stores.sqlite.store import SQLiteStore, open_store, temporary

__all__ = ["BESIDE", "SQLiteStore", "open_store", "temporary"]

BESIDE = ("-wal", "-shm", "-journal", ".backup-*")
"""Endings of the names of the files that it keeps, or will keep, beside its own; `*` is whatever follows."""
