"""The store for people who read their memory: one file of JSON lines that is only appended to, and that `git diff` shows well."""

from satchel.stores.jsonl.store import JsonLinesStore, open_store, temporary

__all__ = ["BESIDE", "JsonLinesStore", "open_store", "temporary"]

BESIDE = (".index", ".index.unfinished", ".torn", ".unfinished")
"""Endings of the names of the files that it keeps, or will keep, beside its own; `*` is whatever follows."""
