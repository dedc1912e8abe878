"""Which records were derived from which, so that forgetting an original reaches them (RET-5). It must not know how they are erased."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from satchel.engine.core import Core
from satchel.ports import Document
from satchel.protocol.record import MemoryRecord, Status

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


def originals(core: Core, scope: str, record: MemoryRecord) -> dict[str, MemoryRecord]:
    """Return what was put together in this record, at any remove, and is archived for that reason alone."""
    found: dict[str, MemoryRecord] = {}
    waiting = [record]
    while waiting:
        whole = waiting.pop()
        names = [name for name in whole.relations.originals if name not in found]
        places = {whole.id, *whole.relations.supersedes}
        for part in core.store.get(scope, names).values() if names else ():
            if part.status is Status.ARCHIVED and places & {*part.relations.superseded_by}:
                found[part.id] = part
                waiting.append(part)
    return found
