"""Qdrant's engine in this process, through `qdrant-edge-py`: a folder, and no server. It must not know records or models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import qdrant_edge as q

from satchel.indexes.address import parse_address
from satchel.indexes.base import BOOK, BaseIndex, Held, Vector, entry_key
from satchel.ports import VectorEntry

_PAGE = 1000
_OPTIMIZE_AFTER = 5_000
"""Changes after which, once a scope is copied, the engine is told to merge its segments and sweep what was removed."""

_GRAPH_FROM_KIB = 200_000
"""Size of a segment from which it gets a graph: below, measuring a scope's vectors one by one takes milliseconds, and is exact."""


class QdrantEdgeIndex(BaseIndex):
    """One shard in a folder of its own name."""

    _shard: q.EdgeShard | None = None
    _changed = 0

    def __init__(self, url: str) -> None:
        super().__init__(parse_address(url, port=None))
        assert self._address.path is not None
        self._folder: Path = self._address.path / self._address.collection

    def _connect(self) -> None:
        if (self._folder / "segments").is_dir():
            self._shard = q.EdgeShard.load(str(self._folder))

    def _disconnect(self) -> None:
        if self._shard is not None:
            shard, self._shard = self._shard, None
            shard.close()

    def _witness(self) -> Path:
        return self._folder / "segments"

    @property
    def _edge(self) -> q.EdgeShard:
        assert self._shard is not None
        return self._shard

    def _exists(self) -> bool:
        return self._shard is not None

    def _create(self, dimension: int) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        config = q.EdgeConfig(
            vectors=q.EdgeVectorParams(size=dimension, distance=q.Distance.Dot),
            optimizers=q.EdgeOptimizersConfig(indexing_threshold=_GRAPH_FROM_KIB),
        )
        self._shard = q.EdgeShard.create(str(self._folder), config)
        tenant = q.KeywordIndexParams(is_tenant=True)
        self._edge.update(q.UpdateOperation.create_field_index("scope", tenant))

    def _drop(self) -> None:
        import shutil

        self._disconnect()
        shutil.rmtree(self._folder)

    def _put(self, scope: str, entries: Sequence[VectorEntry]) -> None:
        points = [
            q.Point(entry_key(scope, entry.id), entry.vector.tolist(), {"scope": scope, "id": entry.id, "checksum": entry.checksum})
            for entry in entries
        ]
        self._edge.update(q.UpdateOperation.upsert_points(points))
        self._changed += len(entries)
        if scope == BOOK and self._changed >= _OPTIMIZE_AFTER:
            self._changed = 0
            self._edge.optimize()

    def _remove(self, scope: str, ids: Sequence[str]) -> None:
        self._edge.update(q.UpdateOperation.delete_points([entry_key(scope, name) for name in ids]))
        self._changed += len(ids)

    @staticmethod
    def _of(scope: str) -> q.FieldCondition:
        return q.FieldCondition("scope", match=q.MatchValue(scope))

    def _search(self, scope: str, vector: Vector, limit: int, exact: bool) -> list[tuple[str, float]]:
        found = self._edge.search(
            q.SearchRequest(
                q.Query.Nearest(vector.tolist()),
                limit,
                filter=q.Filter(must=[self._of(scope)]),
                params=q.SearchParams(exact=exact),
                with_payload=["id"],
            )
        )
        return [((point.payload or {})["id"], point.score) for point in found]

    def _fetch(self, scope: str, ids: Sequence[str] | None, vectors: bool) -> list[Held]:
        conditions: list[object] = [self._of(scope)]
        if ids is not None:
            conditions.append(q.HasIdCondition({entry_key(scope, name) for name in ids}))
        found: list[q.Record] = []
        offset = None
        while True:
            page, offset = self._edge.scroll(
                q.ScrollRequest(offset, _PAGE, q.Filter(must=conditions), with_payload=["id", "checksum"], with_vector=vectors)  # type: ignore[arg-type]
            )
            found += page
            if offset is None:
                break
        return [_held(record) for record in found]

    def _count(self, scope: str) -> int:
        return self._edge.count(q.CountRequest(exact=True, filter=q.Filter(must=[self._of(scope)])))

    def _size(self) -> int:
        return self._edge.count(q.CountRequest(exact=True))


def _held(record: q.Record) -> Held:
    payload = record.payload or {}
    return Held(payload["id"], payload["checksum"], record.vector)  # type: ignore[arg-type]


def open_index(url: str) -> QdrantEdgeIndex:
    """Open `qdrant:///folder`."""
    return QdrantEdgeIndex(url)
