"""Chroma: a server, or the engine in this process over a folder. It must not know records or models.

The library takes a second to import, so it is imported when the index is first asked: most commands never do.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from satchel.indexes.address import parse_address
from satchel.indexes.base import TIMEOUT_SECONDS, BaseIndex, Held, Vector, entry_key
from satchel.ports import VectorEntry

if TYPE_CHECKING:
    import httpx
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from chromadb.config import Settings

PORT = 8000
_PAGE = 1000
_BREADTH = 200
"""How many candidates the graph search keeps (Chroma's `ef_search`): more find more of the nearest, slower."""


class ChromaIndex(BaseIndex):
    """One collection, whose entries carry their scope as metadata."""

    library = "chromadb"

    _client: ClientAPI | None = None
    _found: Collection | None = None

    def __init__(self, url: str) -> None:
        super().__init__(parse_address(url, port=PORT))
        if self._address.path is None:
            self.capabilities = frozenset({"persistent", "multiprocess"})

    def _connect(self) -> None:
        # Chroma may load ONNX Runtime, which then tells its maker of this device.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        import chromadb
        from chromadb.config import Settings

        settings = Settings(anonymized_telemetry=False)
        if self._address.path is not None:
            self._client = _engine(str(self._address.path), settings)
        else:
            # The client sets itself no limit: one that hangs must not hang every recall.
            socket.create_connection((self._address.host, self._address.port), TIMEOUT_SECONDS).close()
            headers = {"x-chroma-token": self._address.key} if self._address.key else None
            self._client = chromadb.HttpClient(
                self._address.host, self._address.port, ssl=self._address.tls, headers=headers, settings=settings
            )
            if (session := self._session()) is not None:
                session.timeout = TIMEOUT_SECONDS

    def _session(self) -> httpx.Client | None:
        """Return the client's connections, which have no public name and which its `close` leaves open."""
        import httpx

        found = getattr(getattr(self._client, "_server", None), "_session", None)
        return found if isinstance(found, httpx.Client) else None

    def _disconnect(self) -> None:
        self._found = None
        if self._client is not None:
            session = self._session()
            client, self._client = self._client, None
            client.close()  # type: ignore[attr-defined]
            if session is not None:
                session.close()

    def _witness(self) -> Path | None:
        return None if self._address.path is None else self._address.path / "chroma.sqlite3"

    @property
    def _chroma(self) -> ClientAPI:
        assert self._client is not None
        return self._client

    @property
    def _collection(self) -> Collection:
        assert self._found is not None
        return self._found

    def _exists(self) -> bool:
        from chromadb.errors import NotFoundError

        if self._found is None:
            try:
                self._found = self._chroma.get_collection(self._address.collection, embedding_function=None)
            except NotFoundError:
                return False
        return True

    def _create(self, dimension: int) -> None:
        self._found = self._chroma.create_collection(
            self._address.collection,
            embedding_function=None,
            configuration={"hnsw": {"space": "ip", "ef_search": _BREADTH, "ef_construction": _BREADTH}},
        )

    def _drop(self) -> None:
        self._found = None
        self._chroma.delete_collection(self._address.collection)

    def _put(self, scope: str, entries: Sequence[VectorEntry]) -> None:
        self._collection.upsert(
            [entry_key(scope, entry.id) for entry in entries],
            embeddings=np.array([entry.vector for entry in entries], np.float32),
            metadatas=[{"scope": scope, "id": entry.id, "checksum": entry.checksum} for entry in entries],
        )

    def _remove(self, scope: str, ids: Sequence[str]) -> None:
        self._collection.delete([entry_key(scope, name) for name in ids])

    def _search(self, scope: str, vector: Vector, limit: int, exact: bool) -> list[tuple[str, float]]:
        if exact:
            return self._measured(scope, vector, limit)
        found = self._collection.query(
            query_embeddings=vector[None, :], n_results=limit, where={"scope": scope}, include=["distances", "metadatas"]
        )
        metadatas, distances = (found["metadatas"] or [[]])[0], (found["distances"] or [[]])[0]
        return [(str(metadata["id"]), 1.0 - distance) for metadata, distance in zip(metadatas, distances, strict=True)]

    def _fetch(self, scope: str, ids: Sequence[str] | None, vectors: bool) -> list[Held]:
        include: Any = ["metadatas", "embeddings"] if vectors else ["metadatas"]
        if ids is None:
            found: Any = self._collection.get(where={"scope": scope}, include=include)
        else:
            # The keys are made of the scope; a condition beside them would make Chroma look through the whole collection.
            found = self._collection.get([entry_key(scope, name) for name in ids], include=include)
        rows = found["embeddings"] if vectors else [None] * len(found["ids"])
        pairs = zip(found["metadatas"], rows, strict=True)
        return [Held(metadata["id"], metadata["checksum"], row) for metadata, row in pairs if metadata["scope"] == scope]

    def _count(self, scope: str) -> int:
        return len(self._collection.get(where={"scope": scope}, include=[])["ids"])

    def _size(self) -> int:
        return self._collection.count()


def open_index(url: str) -> ChromaIndex:
    """Open `chroma://host:8000` or `chroma:///folder`."""
    return ChromaIndex(url)


def _engine(folder: str, settings: Settings) -> ClientAPI:
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient

    try:
        return chromadb.PersistentClient(folder, settings=settings)
    except BaseException:
        # A start that fails leaves a half-made engine of this folder, and the next one would be given it.
        for kept in (SharedSystemClient._identifier_to_system, SharedSystemClient._identifier_to_refcount):
            kept.pop(folder, None)
        raise
