"""What of a batch can be made before its transaction begins: checks, columns and texts. It must not know what the store holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from satchel.ports import Batch, Put, Remove
from satchel.stores.bodies import encode
from satchel.stores.columns import arose, expires, micros
from satchel.stores.expectations import require_well_formed, write_document

TAG_MARK = "\x1f"
"""Stands between tags; a tag holds no control character."""


def short_hash(content_hash: str) -> bytes | None:
    """Return a content hash as it is stored: its first 16 bytes; None for a tombstone."""
    return bytes.fromhex(content_hash)[:16] or None


class PreparedPut(NamedTuple):
    """A put with everything that can be made before the transaction: the columns of its row, and its text."""

    put: Put
    hash: bytes | None
    columns: tuple[Any, ...]
    body: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A batch ready to be written."""

    batch: Batch
    changes: Sequence[PreparedPut | Remove]
    documents: Sequence[tuple[str, str, str | None, str | None]]


def prepare(batch: Batch) -> Prepared:
    """Check a batch and make its rows.

    Raises:
        InvalidRequest: it holds what no store could keep.
    """
    require_well_formed(batch)
    changes = [_prepare_put(change) if isinstance(change, Put) else change for change in batch.changes]
    documents = [
        (document.collection, document.key, document.scope, None if document.value is None else write_document(document))
        for document in batch.documents
    ]
    return Prepared(batch, changes, documents)


def _prepare_put(put: Put) -> PreparedPut:
    record = put.record
    columns = (
        record.revision, record.status.value, record.type, record.source.origin.value,
        micros(arose(record)), micros(record.updated_at), micros(record.stored_at), expires(record),
        record.score, record.half_life, int(record.pinned), TAG_MARK.join(record.tags) or None,
    )  # fmt: skip
    return PreparedPut(put, short_hash(record.content_hash), columns, encode(record))
