"""Which records were derived from which, so that forgetting an original reaches them (RET-5). It must not know how they are erased."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from satchel.engine.core import Core
from satchel.ports import Document
from satchel.protocol.record import MemoryRecord

DERIVED = "derived"
"""Documents keyed by scope, original and derived id: the relation read backwards."""


def lineage(records: Iterable[MemoryRecord]) -> list[Document]:
    """Return the documents to write with records that name what they were derived from."""
    return [
        Document(DERIVED, f"{record.scope}\n{original}\n{record.id}", {"id": record.id}, record.scope)
        for record in records
        for original in record.relations.derived_from
    ]


def descendants(core: Core, scope: str, ids: Collection[str]) -> set[str]:
    """Return the ids of everything derived from these records, at any remove, themselves left out."""
    found: set[str] = set()
    waiting = list(ids)
    while waiting:
        original = waiting.pop()
        documents = core.store.documents(DERIVED, prefix=f"{scope}\n{original}\n")
        new = {str(document.value["id"]) for document in documents if document.value} - found - set(ids)
        found |= new
        waiting += new
    return found
