"""Milvus through `pymilvus`: a server, or Milvus Lite in a file. It must not know records or models.

The library takes two seconds to import, so it is imported when the index is first asked: most commands never do.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.errors import Fault, InvalidRequest
from satchel.indexes.address import parse_address
from satchel.indexes.base import TIMEOUT_SECONDS, BaseIndex, Held, Vector, entry_key
from satchel.ports import VectorEntry

if TYPE_CHECKING:
    from pymilvus import MilvusClient

PORT = 19530
_PAGE = 1000
_PATIENCE_SECONDS = 60
"""A file is in this process: what it waits for is a busy machine."""

_TEXT = 65_535
_SEAL_AFTER = 1_000
"""New rows after which Milvus Lite is told to write a segment: the rows before that it searches one by one, in Python."""


class MilvusIndex(BaseIndex):
    """One collection; on a server the scope decides the partition."""

    library = "pymilvus"

    _client: MilvusClient | None = None
    _loaded = False
    _unsealed = 0

    def __init__(self, url: str) -> None:
        super().__init__(parse_address(url, port=PORT))
        self._name = self._address.collection
        self._is_file = self._address.path is not None
        if self._address.path is not None and self._address.path.suffix != ".db":
            raise InvalidRequest.of([Fault(field="index", message="the name of a Milvus file ends in .db, as in milvus:///index.db")])
        if not self._is_file:
            self.capabilities = frozenset({"persistent", "multiprocess"})

    def _connect(self) -> None:
        from pymilvus import MilvusClient

        for noisy in ("pymilvus", "milvus_lite"):
            # Every failure comes as an exception too, and is told once by whoever asked. When it is imported it sets levels of its own.
            logging.getLogger(noisy).setLevel(logging.CRITICAL)
        if self._address.path is not None:
            self._client = MilvusClient(uri=str(self._address.path), timeout=_PATIENCE_SECONDS)
        else:
            self._client = MilvusClient(uri=self._address.web, token=self._address.key or "", timeout=TIMEOUT_SECONDS)

    @property
    def _milvus(self) -> MilvusClient:
        assert self._client is not None
        return self._client

    def _disconnect(self) -> None:
        self._loaded = False
        if self._client is not None:
            client, self._client = self._client, None
            client.close()
        if self._address.path is not None:
            # Closing a client leaves the engine running in this process until it ends, with the file in its hands.
            from milvus_lite.server_manager import server_manager_instance

            was_there = self._address.path.exists()
            server_manager_instance.release_server(str(self._address.path))
            if not was_there:
                # It writes what it remembers into a folder that was taken away, which it then cannot open.
                shutil.rmtree(self._address.path, ignore_errors=True)

    def _witness(self) -> Path | None:
        return self._address.path

    def _exists(self) -> bool:
        if not self._milvus.has_collection(self._name):
            self._loaded = False
            return False
        if not self._loaded:
            self._milvus.load_collection(self._name)
            self._loaded = True
        return True

    def _create(self, dimension: int) -> None:
        from pymilvus import DataType

        schema = self._milvus.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("key", DataType.VARCHAR, is_primary=True, max_length=36)
        # A digest of the scope, so that no scope needs quoting in a filter.
        schema.add_field("owner", DataType.VARCHAR, max_length=32, is_partition_key=not self._is_file)
        schema.add_field("id", DataType.VARCHAR, max_length=_TEXT)
        schema.add_field("checksum", DataType.VARCHAR, max_length=_TEXT)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
        index = self._milvus.prepare_index_params()
        index.add_index("owner", index_type="INVERTED")
        index.add_index("vector", index_type="FLAT" if self._is_file else "AUTOINDEX", metric_type="IP")
        self._milvus.create_collection(self._name, schema=schema, index_params=index, consistency_level="Strong")

    def _drop(self) -> None:
        self._milvus.drop_collection(self._name)

    def _put(self, scope: str, entries: Sequence[VectorEntry]) -> None:
        owner = _owner(scope)
        rows = [
            {
                "key": entry_key(scope, entry.id),
                "owner": owner,
                "id": entry.id,
                "checksum": entry.checksum,
                "vector": entry.vector.tolist(),
            }
            for entry in entries
        ]
        self._milvus.upsert(self._name, rows)
        self._unsealed += len(rows)
        if self._is_file and self._unsealed >= _SEAL_AFTER:
            self._milvus.flush(self._name)
            self._unsealed = 0

    def _remove(self, scope: str, ids: Sequence[str]) -> None:
        self._milvus.delete(self._name, ids=[entry_key(scope, name) for name in ids])

    @staticmethod
    def _of(scope: str) -> str:
        return f'owner == "{_owner(scope)}"'

    def _search(self, scope: str, vector: Vector, limit: int, exact: bool) -> list[tuple[str, float]]:
        if exact and not self._is_file:
            return self._measured(scope, vector, limit)
        found = self._milvus.search(
            self._name,
            data=[vector.tolist()],
            anns_field="vector",
            filter=self._of(scope),
            limit=limit,
            output_fields=["id"],
            search_params={"metric_type": "IP"},
            consistency_level="Strong",
        )
        return [(str(hit["entity"]["id"]), float(hit["distance"])) for hit in found[0]]

    def _fetch(self, scope: str, ids: Sequence[str] | None, vectors: bool) -> list[Held]:
        fields = ["id", "checksum", "vector"] if vectors else ["id", "checksum"]
        if ids is None:
            rows = self._all(scope, fields)
        else:
            # The keys are made of the scope, and the owner is looked at here: as a filter it would cost a look through all rows.
            keys = [entry_key(scope, name) for name in ids]
            found = self._milvus.get(self._name, ids=keys, output_fields=[*fields, "owner"], consistency_level="Strong")
            rows = [row for row in found if row["owner"] == _owner(scope)]
        return [Held(row["id"], row["checksum"], row.get("vector")) for row in rows]

    def _all(self, scope: str, fields: list[str]) -> list[dict[str, Any]]:
        if self._is_file:
            return list(self._milvus.query(self._name, filter=self._of(scope), output_fields=fields))
        # A server gives no more than 16,384 rows at a time.
        found: list[dict[str, Any]] = []
        iterator = self._milvus.query_iterator(
            self._name, batch_size=_PAGE, filter=self._of(scope), output_fields=fields, consistency_level="Strong"
        )
        try:
            while page := iterator.next():
                found += page
        finally:
            iterator.close()
        return found

    def _count(self, scope: str) -> int:
        rows = self._milvus.query(self._name, filter=self._of(scope), output_fields=["count(*)"], consistency_level="Strong")
        return int(rows[0]["count(*)"])

    def _size(self) -> int:
        rows = self._milvus.query(self._name, output_fields=["count(*)"], consistency_level="Strong")
        return int(rows[0]["count(*)"])


def _owner(scope: str) -> str:
    return blake2b(scope.encode(), digest_size=16).hexdigest()


def open_index(url: str) -> MilvusIndex:
    """Open `milvus://host:19530` or `milvus:///file.db`."""
    return MilvusIndex(url)
