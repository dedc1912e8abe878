"""Qdrant through `qdrant-client`: a server, or the client's own local mode in a folder. It must not know records or models.

The library takes over a second to import, so it is imported when the index is first asked: most commands never do.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.indexes.address import parse_address
from satchel.indexes.base import TIMEOUT_SECONDS, BaseIndex, Held, Vector, entry_key
from satchel.ports import VectorEntry

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from qdrant_client import models as q

PORT = 6333
_PAGE = 1000


class QdrantIndex(BaseIndex):
    """One collection; the scope is a tenant of it, with a graph of its own."""

    library = "qdrant_client"

    _client: QdrantClient | None = None

    def __init__(self, url: str) -> None:
        super().__init__(parse_address(url, port=None if url.startswith("qdrant-local:") else PORT))
        self._name = self._address.collection
        if self._address.path is None:
            self.capabilities = frozenset({"persistent", "multiprocess"})

    def _connect(self) -> None:
        from qdrant_client import QdrantClient

        if self._address.path is not None:
            self._client = QdrantClient(path=str(self._address.path))
        else:
            with warnings.catch_warnings():
                # A key on loopback or inside a private network is the user's choice; the page on indexes tells of `tls=1`.
                warnings.filterwarnings("ignore", "Api key is used with an insecure connection")
                self._client = QdrantClient(
                    url=self._address.web, api_key=self._address.key, timeout=TIMEOUT_SECONDS, check_compatibility=False
                )

    @property
    def _qdrant(self) -> QdrantClient:
        assert self._client is not None
        return self._client

    def _disconnect(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            client.close()

    def _witness(self) -> Path | None:
        return None if self._address.path is None else self._address.path / "meta.json"

    def _exists(self) -> bool:
        return self._qdrant.collection_exists(self._name)

    def _create(self, dimension: int) -> None:
        from qdrant_client import models as q

        self._qdrant.create_collection(
            self._name,
            vectors_config=q.VectorParams(size=dimension, distance=q.Distance.DOT),
            hnsw_config=q.HnswConfigDiff(payload_m=16, m=0),
        )
        if self._address.path is None:
            tenant = q.KeywordIndexParams(type=q.KeywordIndexType.KEYWORD, is_tenant=True)
            self._qdrant.create_payload_index(self._name, "scope", field_schema=tenant, wait=True)

    def _drop(self) -> None:
        self._qdrant.delete_collection(self._name)

    def _put(self, scope: str, entries: Sequence[VectorEntry]) -> None:
        from qdrant_client import models as q

        points = [
            q.PointStruct(
                id=entry_key(scope, entry.id),
                vector=entry.vector.tolist(),
                payload={"scope": scope, "id": entry.id, "checksum": entry.checksum},
            )
            for entry in entries
        ]
        with warnings.catch_warnings():
            # Its advice to run a server is for the documentation.
            warnings.filterwarnings("ignore", "Local mode is not recommended", UserWarning)
            self._qdrant.upsert(self._name, points, wait=True)

    def _remove(self, scope: str, ids: Sequence[str]) -> None:
        from qdrant_client import models as q

        self._qdrant.delete(self._name, points_selector=q.PointIdsList(points=[entry_key(scope, name) for name in ids]), wait=True)

    @staticmethod
    def _of(scope: str) -> q.Filter:
        from qdrant_client import models as q

        return q.Filter(must=[q.FieldCondition(key="scope", match=q.MatchValue(value=scope))])

    def _search(self, scope: str, vector: Vector, limit: int, exact: bool) -> list[tuple[str, float]]:
        from qdrant_client import models as q

        found = self._qdrant.query_points(
            self._name,
            query=vector.tolist(),
            query_filter=self._of(scope),
            limit=limit,
            with_payload=["id"],
            search_params=None if self._address.path is not None else q.SearchParams(exact=exact),
        )
        return [((point.payload or {})["id"], point.score) for point in found.points]

    def _fetch(self, scope: str, ids: Sequence[str] | None, vectors: bool) -> list[Held]:
        from qdrant_client import models as q

        if ids is not None:
            # By the scope as well: the keys are made of it, and this proves it.
            wanted = q.Filter(must=[*(self._of(scope).must or ()), q.HasIdCondition(has_id=[entry_key(scope, name) for name in ids])])
        else:
            wanted = self._of(scope)
        found: list[q.Record] = []
        offset = None
        while True:
            page, offset = self._qdrant.scroll(
                self._name, scroll_filter=wanted, limit=_PAGE, offset=offset, with_payload=["id", "checksum"], with_vectors=vectors
            )
            found += page
            if offset is None:
                break
        return [_held(record) for record in found]

    def _count(self, scope: str) -> int:
        return self._qdrant.count(self._name, count_filter=self._of(scope), exact=True).count

    def _size(self) -> int:
        return self._qdrant.count(self._name, exact=True).count


def _held(record: q.Record) -> Held:
    payload = record.payload or {}
    return Held(payload["id"], payload["checksum"], record.vector)  # type: ignore[arg-type]


def open_index(url: str) -> QdrantIndex:
    """Open `qdrant://host:6333`, or in the client's local mode `qdrant-local:///folder`."""
    return QdrantIndex(url)
