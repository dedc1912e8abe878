"""An import's receipts and its summary, kept as documents (MIG-6): appended in groups, paged in the order of the source, undone, erased.

It must not know how a record is written or judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from satchel.engine.core import Core
from satchel.operations.models import ImportOrigin, ImportSummary, Receipt
from satchel.ports import Batch, Document
from satchel.protocol.times import format_instant

IMPORTS = "imports"
RECEIPTS = "receipts"
MERGED = "merged-receipts"
"""Documents that say which imports have a receipt about a record that they did not bring."""

PER_DOCUMENT = 200
"""Receipts in one document."""

_PAGE = 10


def import_key(import_id: str) -> str:
    """Spell an import's id as a key in which no `/` stands."""
    return quote(import_id, safe="")


class ImportHead:
    """What is known of one import beside its receipts."""

    def __init__(self, import_id: str, value: dict[str, Any]) -> None:
        self.import_id = import_id
        self.value = value

    @classmethod
    def new(cls, import_id: str, *, origin: ImportOrigin | None, at: datetime, position: int) -> ImportHead:
        """Begin an import; `position` is the log's before it."""
        value: dict[str, Any] = {
            "import_id": import_id,
            "origin": origin.model_dump(mode="json") if origin else None,
            "at": format_instant(at),
            "state": "open",
            "counts": {},
            "scopes": [],
            "next": 0,
            "position": position,
        }
        return cls(import_id, value)

    @classmethod
    def load(cls, core: Core, import_id: str) -> ImportHead | None:
        """Return an import that was begun."""
        value = core.store.document(IMPORTS, import_key(import_id))
        return None if value is None else cls(import_id, value)

    @property
    def state(self) -> str:
        """`open`, `complete`, `undoing` or `undone`."""
        return str(self.value["state"])

    @property
    def is_new(self) -> bool:
        """Whether nothing was written of it yet."""
        return not self.value["next"] and self.state == "open"

    @property
    def scopes(self) -> frozenset[str]:
        """Every scope that it wrote to."""
        return frozenset(self.value["scopes"])

    @property
    def position(self) -> int:
        """The log's position before it."""
        return int(self.value["position"])

    def changed(self, **values: Any) -> ImportHead:
        """Return the head with other values."""
        return ImportHead(self.import_id, {**self.value, **values})

    def grown(self, receipts: Sequence[Receipt], scopes: Sequence[str]) -> ImportHead:
        """Return the head after more receipts."""
        counts = dict(self.value["counts"])
        for receipt in receipts:
            counts[receipt.outcome.value] = counts.get(receipt.outcome.value, 0) + 1
        return self.changed(counts=counts, scopes=sorted({*self.scopes, *scopes}), next=int(self.value["next"]) + len(receipts))

    def document(self) -> Document:
        """Return the document that keeps it."""
        return Document(IMPORTS, import_key(self.import_id), self.value)

    def receipt_documents(self, receipts: Sequence[Receipt]) -> list[Document]:
        """Return the documents that append receipts to those there are."""
        first = int(self.value["next"])
        return [
            _document(self.import_id, first + start, receipts[start : start + PER_DOCUMENT])
            for start in range(0, len(receipts), PER_DOCUMENT)
        ]

    def summary(self) -> ImportSummary:
        """Return it as callers see it."""
        origin = self.value["origin"]
        return ImportSummary(
            import_id=self.import_id,
            origin=None if origin is None else ImportOrigin.model_validate(origin),
            at=self.value["at"],
            state=self.state,
            counts=self.value["counts"],
        )


def _document(import_id: str, first: int, receipts: Sequence[Receipt]) -> Document:
    value = {"receipts": [receipt.model_dump(mode="json", exclude_defaults=True) for receipt in receipts]}
    return Document(RECEIPTS, f"{import_key(import_id)}/{first:010d}", value)


def heads(core: Core) -> Iterator[ImportHead]:
    """Yield every import, ordered by key."""
    after: str | None = None
    while page := core.store.documents(IMPORTS, after=after):
        yield from (ImportHead(document.value["import_id"], dict(document.value)) for document in page if document.value)
        after = page[-1].key


def pages(core: Core, import_id: str, after: str | None = None) -> Iterator[tuple[str, list[Receipt]]]:
    """Yield an import's receipts in order, with the key of the document each group stands in, after a key."""
    prefix = f"{import_key(import_id)}/"
    while page := core.store.documents(RECEIPTS, prefix=prefix, after=after, limit=_PAGE):
        for document in page:
            yield document.key, [Receipt.model_validate(receipt) for receipt in (document.value or {}).get("receipts", ())]
        after = page[-1].key


def rewrite(core: Core, import_id: str, change: Callable[[Receipt], Receipt]) -> list[Document]:
    """Return the documents that must be written so that every receipt is as `change` makes it."""
    changed = []
    for key, receipts in pages(core, import_id):
        after = [change(receipt) for receipt in receipts]
        if after != receipts:
            changed.append(_document(import_id, int(key.rpartition("/")[2]), after))
    return changed


def emptied(receipt: Receipt, reason: str) -> Receipt:
    """Return a receipt without anything that tells of the content."""
    return receipt.model_copy(update={"state_hash": None, "changes": (), "reason": reason})


def drop(core: Core, import_id: str) -> None:
    """Delete an import's receipts."""
    prefix = f"{import_key(import_id)}/"
    while page := core.store.documents(RECEIPTS, prefix=prefix, limit=_PAGE):
        core.store.apply(Batch(documents=[Document(RECEIPTS, document.key, None) for document in page]))


def merged_document(scope: str, record_id: str, import_id: str) -> Document:
    """Return the document that says: this import has a receipt about that record."""
    return Document(MERGED, f"{scope}\n{record_id}\n{import_key(import_id)}", {"import_id": import_id}, scope)


def imports_about(core: Core, record_scope: str, record_id: str) -> set[str]:
    """Return the imports that merged an item into a record."""
    found = core.store.documents(MERGED, prefix=f"{record_scope}\n{record_id}\n")
    return {str(document.value["import_id"]) for document in found if document.value}
