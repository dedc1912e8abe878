"""Whether a batch may be written: its well-formedness, and what it expects of the records and documents as they stand.

It must not know how records are kept: a store tells it what stands where. Changes of a batch are looked at in order, each
after those before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from satchel.errors import Conflict, Fault, InvalidRequest
from satchel.ports import Batch, Document, LogEntry, Put, Remove
from satchel.stores.columns import LARGEST

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

Address = tuple[str, str]
"""Scope and id."""


def address(change: Put | Remove) -> Address:
    """Return which record a change is about."""
    return (change.record.scope, change.record.id) if isinstance(change, Put) else (change.scope, change.id)


def require_expected(
    changes: Sequence[Put | Remove], revisions: Mapping[Address, int], holders: Callable[[str, str], Collection[str]]
) -> None:
    """Look at every change's expectation.

    `revisions` has the records that stand before the batch; `holders` gives the ids of those of a scope with a content hash.

    Raises:
        Conflict: `details["failed"]` has the index of each change that failed, `expected` and `actual` are the first one's revisions.
    """
    if not any(change.expect is not None or (isinstance(change, Put) and change.only_if_new_content) for change in changes):
        return
    unfolding = _Unfolding(revisions, holders)
    failed = [place for place, change in enumerate(changes) if not unfolding.admits(change)]
    if failed:
        first = changes[failed[0]]
        scope, record_id = address(first)
        raise Conflict(
            f"record {record_id!r} of {scope} was changed in the meantime, or its content is already remembered",
            failed=failed,
            expected=first.expect,
            actual=revisions.get((scope, record_id), 0),
        )


DocumentKey = tuple[str, str]
"""Collection and key."""


def document_keys(documents: Sequence[Document]) -> set[DocumentKey]:
    """Return which documents a batch expects something of."""
    return {(document.collection, document.key) for document in documents if document.expect is not None}


def require_documents(documents: Sequence[Document], standing: Callable[[str, str], Mapping[str, Any] | None]) -> None:
    """Look at every document's expectation; `standing` gives the value that stands before the batch.

    Raises:
        Conflict: `details["documents"]` has the index of each that failed, `expected` and `actual` are the first one's versions.
    """
    keys = document_keys(documents)
    before = {key: version_of(standing(*key)) for key in keys}
    now = dict(before)
    failed = []
    for place, document in enumerate(documents):
        key = (document.collection, document.key)
        if key not in keys:
            continue
        if document.expect is not None and document.expect != now[key]:
            failed.append(place)
        else:
            now[key] = version_of(document.value)
    if failed:
        raise document_conflict(documents, failed, before[documents[failed[0]].collection, documents[failed[0]].key])


def document_conflict(documents: Sequence[Document], failed: Sequence[int], actual: int | None) -> Conflict:
    """Return the error for documents that are not at the version expected; `actual` is the first one's."""
    first = documents[failed[0]]
    text = f"document {first.key!r} of {first.collection!r} was changed in the meantime"
    return Conflict(text, failed=[], documents=list(failed), expected=first.expect, actual=actual)


def version_of(value: Mapping[str, Any] | None) -> int | None:
    """Return the version of a document's value: 0 where there is no document, None where it has none."""
    if value is None:
        return 0
    version = value.get("version")
    return version if type(version) is int else None


class _Unfolding:
    """The records as they stand after each change of a batch in turn."""

    def __init__(self, revisions: Mapping[Address, int], holders: Callable[[str, str], Collection[str]]) -> None:
        self._before = revisions
        self._holders = holders
        self._now: dict[Address, tuple[int, str]] = {}
        self._taken: dict[Address, set[str]] = {}
        """Ids by scope and content hash, of records that the batch has written."""

    def admits(self, change: Put | Remove) -> bool:
        """Tell whether the change may be made, and make it if so."""
        where = address(change)
        known = self._now.get(where)
        revision = self._before.get(where, 0) if known is None else known[0]
        if change.expect is not None and change.expect != revision:
            return False
        content = change.record.content_hash if isinstance(change, Put) else ""
        if isinstance(change, Put) and change.only_if_new_content and content and self._is_held_elsewhere(where, content):
            return False
        if known is not None and known[1]:
            self._taken[where[0], known[1]].discard(where[1])
        self._now[where] = (change.record.revision, content) if isinstance(change, Put) else (0, "")
        if content:
            self._taken.setdefault((where[0], content), set()).add(where[1])
        return True

    def _is_held_elsewhere(self, where: Address, content: str) -> bool:
        scope, record_id = where
        if self._taken.get((scope, content), set()) - {record_id}:
            return True
        return any(other != record_id and (scope, other) not in self._now for other in self._holders(scope, content))


def require_well_formed(batch: Batch) -> None:
    """Refuse what a store could not keep.

    Raises:
        InvalidRequest: all faults at once.
    """
    faults: list[Fault] = []
    sound: LogEntry | None = None
    for place, change in enumerate(batch.changes):
        if isinstance(change, Put) and change.record.revision > LARGEST:
            faults.append({"field": f"changes.{place}.revision", "message": f"is larger than {LARGEST}"})
        # The changes of a batch mostly share one entry.
        if change.log is not sound and not _are_storable(change.log.operation, change.log.agent, change.log.reason):
            faults.append({"field": f"changes.{place}.log", "message": "may not hold NUL or lone surrogates"})
        sound = change.log
        if isinstance(change, Remove) and not _are_storable(change.scope, change.id):
            faults.append({"field": f"changes.{place}.id", "message": "may not hold NUL or lone surrogates"})
    faults += _position_faults(batch.changes)
    for place, document in enumerate(batch.documents):
        if not _are_storable(document.collection, document.key, document.scope):
            faults.append({"field": f"documents.{place}.key", "message": "may not hold NUL or lone surrogates"})
    if faults:
        raise InvalidRequest.of(faults, subject="batch")


def _position_faults(changes: Sequence[Put | Remove]) -> list[Fault]:
    given = [change.log.position for change in changes if change.log.position is not None]
    if not given:
        return []
    if len(given) < len(changes):
        return [{"field": "changes", "message": "either all of a batch's changes have a position or none"}]
    grows = all(before < after for before, after in zip([0, *given], given, strict=False))
    return [] if grows and given[-1] <= LARGEST else [{"field": "changes", "message": "the positions must grow from 1"}]


def require_ahead(changes: Sequence[Put | Remove], last: int) -> None:
    """Refuse positions that the log, which has come to `last`, is past."""
    first = changes[0].log.position if changes else None
    if first is not None and first <= last:
        message = f"position {first} is not beyond the log's last, {last}"
        raise InvalidRequest.of([{"field": "changes.0.log.position", "message": message}], subject="batch")


def write_document(document: Document) -> str:
    """Return a document's value as JSON text.

    Raises:
        InvalidRequest: JSON cannot write it.
    """
    try:
        text = json.dumps(document.value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        field = f"documents.{document.collection}.{document.key}"
        raise InvalidRequest.of([{"field": field, "message": f"is not JSON: {error}"}], subject="batch") from None
    return text


def read_document(text: str) -> dict[str, Any]:
    """Undo `write_document`."""
    value: dict[str, Any] = json.loads(text)
    return value


def is_storable(text: str) -> bool:
    """Whether every store can keep, and look for, this text."""
    return _UNSTORABLE.search(text) is None


def _are_storable(*texts: str | None) -> bool:
    return all(text is None or is_storable(text) for text in texts)
