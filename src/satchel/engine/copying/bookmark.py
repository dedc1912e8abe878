"""The target's own knowledge of how far a copy has come, and of which store. It must not know how a copy is made.

It is a document of the target, written in one batch with what it speaks of.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from satchel.engine.copying.documents import COLLECTION, digest_of_documents, has_documents
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.ports import Change, Document, Store

_KEY = "progress"


def sign(change: Change) -> str:
    """Return what tells an entry of the log from others, erased or not."""
    return "\n".join((change.scope, change.id, str(change.revision), change.operation, change.at.isoformat()))


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far: `after`, the last position copied, and its sign; `begun`, where the source's log ended when the copy began.

    `finished`: the digest of the target's documents when it was whole, so that their change shows that the target is in use.
    """

    source: str
    first: str
    begun: int
    after: int = 0
    last: str = ""
    finished: str = ""
    version: int = 0

    def document(self) -> Document:
        """Return the next version as a document, expecting this one to stand: a second copy at the same time fails."""
        names = ("source", "first", "begun", "after", "last", "finished")
        value = {name: getattr(self, name) for name in names} | {"version": self.version + 1}
        return Document(COLLECTION, _KEY, value, expect=self.version)

    def written(self) -> Bookmark:
        """Return it as it stands once `document` is written."""
        return replace(self, version=self.version + 1)

    def moved(self, change: Change) -> Bookmark:
        """Return it with everything up to this entry copied."""
        return replace(self, after=change.position, last=sign(change), finished="")


def _read(value: Mapping[str, Any]) -> Bookmark:
    return Bookmark(**{name: value[name] for name in Bookmark.__slots__})


def find(store: Store) -> Bookmark | None:
    """Return the bookmark of a store that is, or was, the target of a copy."""
    value = store.document(COLLECTION, _KEY)
    return None if value is None else _read(value)


def unfinished(store: Store) -> str | None:
    """Return what to say of a store that is an unfinished copy; None of any other."""
    mark = find(store)
    if mark is None or mark.finished:
        return None
    command = shlex.join(["satchel", "copy", mark.source, store.location])
    return f"this is an unfinished copy, and memories may be missing: `{command}` finishes it, unless something else is written here before"


def require_copyable(source: Store) -> str:
    """Return the sign of the first entry of a source's log; empty where it has only documents, such as sessions and tokens.

    Raises:
        NotFound: it holds nothing.
        InvalidRequest: it is an unfinished copy.
    """
    theirs = find(source)
    if theirs is not None and not theirs.finished:
        raise InvalidRequest.of([{"field": "FROM", "message": f"is an unfinished copy of {theirs.source}: finish that one first"}])
    entries = source.changes(None, limit=1)
    if not entries and not has_documents(source):
        raise NotFound(f"there is nothing to copy in {source.location}", location=source.location)
    return sign(entries[0]) if entries else ""


def begin(source: Store, target: Store) -> Bookmark:
    """Return where to go on: at the beginning of an empty target, or where this copy was left.

    Raises:
        NotFound: the source holds nothing.
        InvalidRequest: the source is an unfinished copy, or the target itself.
        Conflict: the target holds something else.
    """
    if source.location == target.location and "persistent" in source.capabilities:
        raise InvalidRequest.of([{"field": "TO", "message": "is the store to copy from"}])
    first = require_copyable(source)
    mark = find(target)
    if mark is None:
        if target.changes(None, limit=1) or target.collections():
            text = f"{target.location} is not empty; copy to a new store, or use export and import to merge"
            raise Conflict(text, location=target.location)
        return Bookmark(source.location, first, last_position(source))
    # A source that had no memories when it was copied may have some now; it is known by its place.
    is_same = mark.first == first or (not mark.first and mark.source == source.location)
    if not is_same or not _stands(source, mark):
        raise Conflict(f"{target.location} holds a copy of another store, {mark.source}", location=target.location)
    in_use = mark.finished and mark.finished != digest_of_documents(target)
    if in_use or target.changes(None, after=mark.after, limit=1) or not _stands(target, mark):
        text = f"{target.location} was written to after it had been copied from {mark.source}; it can no longer be brought up to date"
        raise Conflict(text, location=target.location)
    return mark


def _stands(store: Store, mark: Bookmark) -> bool:
    """Whether the log has the last entry that was copied."""
    if not mark.after:
        return True
    found = store.changes(None, after=mark.after - 1, limit=1)
    return bool(found) and found[0].position == mark.after and sign(found[0]) == mark.last


def last_position(store: Store) -> int:
    """Return where a store's log ends, as far as its present scopes tell: good enough to measure progress by."""
    scopes = [count.scope for count in store.scopes()]
    return max((position.change for position in store.positions(scopes).values()), default=0)
