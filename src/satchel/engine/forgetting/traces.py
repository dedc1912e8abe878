"""Where else the content of a record may stand beside the record itself: receipts, quarantine, questions, snapshots (RET-5).

It must not know why a record goes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from satchel.engine.core import Core
from satchel.engine.forgetting.lineage import DERIVED
from satchel.engine.history.arrivals import ARRIVALS
from satchel.engine.history.snapshots import SNAPSHOTS, telling
from satchel.engine.moving.quarantine import QUARANTINE
from satchel.engine.moving.receipts import MERGED, emptied, import_key, imports_about, rewrite
from satchel.engine.recall.recall_log import RECALLS, without_forgotten
from satchel.engine.working.mentions import MENTIONS
from satchel.engine.writing.doubts import DOUBTS, closed
from satchel.operations.models import Receipt
from satchel.ports import Document
from satchel.protocol.record import MemoryRecord

PACKAGE_LINES = "package-lines"
"""Documents with package lines of a kind that this version does not know."""

REPETITIONS = "repetitions"
"""Documents that say which record took in a memory written under another id, so that a retry of that call is no repetition."""

_KEYED_BY_SCOPE = (QUARANTINE, MENTIONS, REPETITIONS, DERIVED, MERGED, DOUBTS, RECALLS, SNAPSHOTS, ARRIVALS)

ERASED = "forgotten"
"""Reason in a receipt whose record was forgotten."""

Address = tuple[str, str]
"""Scope and id."""


def traces(core: Core, scope: str, forgotten: Collection[MemoryRecord]) -> list[Document]:
    """Return the documents of a scope as they must be when these records are gone, receipts left out."""
    quarantined = (found for record in forgotten for found in core.store.documents(QUARANTINE, prefix=f"{scope}\n{record.id}\n"))
    return [
        *map(_without, quarantined),
        *closed(scope, [record.id for record in forgotten]),
        *without_forgotten(core, scope, [record.id for record in forgotten]),
        *telling(core, scope, {record.content for record in forgotten}),
    ]


def imports_of(core: Core, forgotten: Iterable[MemoryRecord]) -> dict[str, set[Address]]:
    """Return which imports have receipts about which of these records."""
    found: dict[str, set[Address]] = {}
    for record in forgotten:
        about = imports_about(core, record.scope, record.id)
        for import_id in about | ({record.source.import_id} if record.source.import_id else set()):
            found.setdefault(import_id, set()).add((record.scope, record.id))
    return found


def receipt_traces(core: Core, about: Mapping[str, set[Address]]) -> Iterator[list[Document]]:
    """Yield, import by import, the receipts as they must be when these records are gone."""
    for import_id, addresses in about.items():

        def without(receipt: Receipt, addresses: set[Address] = addresses) -> Receipt:
            return emptied(receipt, ERASED) if (receipt.scope, receipt.id) in addresses else receipt

        yield rewrite(core, import_id, without)


def all_of_scope(core: Core, scope: str) -> Iterator[list[Document]]:
    """Yield what must be deleted, page by page, when everything of a scope is forgotten."""
    for collection in _KEYED_BY_SCOPE:
        yield from _pages(core, collection, prefix=f"{scope}\n")
    yield from _pages(core, PACKAGE_LINES, scope=scope)


def all_of_import(core: Core, scope: str, import_id: str) -> Iterator[list[Document]]:
    """Yield what must be deleted when an import is forgotten: what it left in quarantine."""
    for page in _pages(core, QUARANTINE, prefix=f"{scope}\n"):
        yield [document for document in page if document.key.endswith("\n" + import_key(import_id))]


def _pages(core: Core, collection: str, *, prefix: str = "", scope: str | None = None) -> Iterator[list[Document]]:
    after: str | None = None
    while page := core.store.documents(collection, prefix=prefix, scope=scope, after=after):
        yield [_without(document) for document in page]
        after = page[-1].key


def _without(document: Document) -> Document:
    return Document(document.collection, document.key, None)
