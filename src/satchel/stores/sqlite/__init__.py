"""The default store: one SQLite file, no server. Truth, change log, documents and index entries lie in it side by side."""

from satchel.stores.sqlite.store import SQLiteStore, open_store, temporary

__all__ = ["SQLiteStore", "open_store", "temporary"]
