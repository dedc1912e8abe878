"""The store for people who read their memory: one file of JSON lines that is only appended to, and that `git diff` shows well."""

from satchel.stores.jsonl.store import JsonLinesStore, open_store, temporary

__all__ = ["JsonLinesStore", "open_store", "temporary"]
