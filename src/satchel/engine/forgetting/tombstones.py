"""What remains of a forgotten memory, and how it keeps the memory from coming back (RET-5).

It owns the keyed hashes, which never leave the store; it must not know who forgets or how bytes are removed.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from satchel.engine.core import Core
from satchel.ports import Batch, Document
from satchel.protocol.record import Deletion, MemoryRecord, Status, content_hash, new_id
from satchel.protocol.times import format_instant

KEYS = "keys"
FORGOTTEN = "forgotten"
"""Documents keyed by scope and by either the keyed hash of a forgotten content or a foreign id it had."""

_FOREIGN = ("native_id", "foreign_id", "foreign_ids", "original_id")
"""Members of `meta` that hold the id a record had in another tool."""


def tombstone(record: MemoryRecord, *, at: datetime, by: str | None, reason: str | None) -> MemoryRecord:
    """Return what remains of a forgotten record: ids, scope, times, and who forgot it and why."""
    return MemoryRecord(
        id=record.id,
        content="",
        scope=record.scope,
        created_at=record.created_at,
        stored_at=record.stored_at,
        updated_at=max(at, record.updated_at),
        status=Status.DELETED,
        revision=record.revision + 1,
        deletion=Deletion(at=at, by=by, reason=reason, foreign_ids=tuple(foreign_ids(record))),
    )


def foreign_ids(record: MemoryRecord) -> list[str]:
    """Return the ids that a record had elsewhere, as far as it says so in `meta` or in its deletion."""
    if record.deletion is not None:
        return list(record.deletion.foreign_ids)
    if not record.meta:
        return []
    found: list[str] = []
    for name in _FOREIGN:
        value = record.meta.get(name)
        found += [entry for entry in (value if isinstance(value, list) else [value]) if isinstance(entry, str)]
    return [entry for entry in dict.fromkeys(found) if 0 < len(entry) <= 512 and entry.isprintable()]


class Marks:
    """The store's keys for hashes of forgotten content. More than one exists only where processes forgot first at the same moment."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._keys = self._load()

    def _load(self) -> list[bytes]:
        return [bytes.fromhex(document.value["key"]) for document in self._core.store.documents(KEYS) if document.value]

    def ensure(self) -> None:
        """Make a key where the store has none."""
        if self._keys:
            return
        document = Document(KEYS, new_id(), {"key": secrets.token_hex(32), "purpose": "hashes of forgotten content"})
        self._core.store.apply(Batch(documents=[document]))
        self._keys = self._load()

    @property
    def key(self) -> bytes:
        """The key in use; `ensure` has made one."""
        return self._keys[0]

    def of(self, content_hash: str) -> list[str]:
        """Return the keyed hashes of a content, one for each key."""
        return [hmac.digest(key, content_hash.encode(), hashlib.sha256).hex() for key in self._keys]

    def documents(self, forgotten: MemoryRecord, remains: MemoryRecord) -> Iterator[Document]:
        """Yield the documents that block the return of a record, known by what it was and by its tombstone."""
        marks = [f"hash {mark}" for mark in self.of(forgotten.content_hash)[:1]] if forgotten.content_hash else []
        for mark in (*marks, *(f"id {entry}" for entry in foreign_ids(remains))):
            yield Document(FORGOTTEN, f"{remains.scope}\n{mark}", {"id": remains.id}, remains.scope)


class ForgottenSession(NamedTuple):
    """A session whose working memory was forgotten: when, and the last version that anybody may still hold."""

    at: datetime
    version: int


def session_mark(scope: str, session: str, forgotten: ForgottenSession) -> Document:
    """Return the document that keeps a forgotten session's working memory from coming back from whoever still holds it."""
    value = {"id": session, "at": format_instant(forgotten.at), "last": forgotten.version}
    return Document(FORGOTTEN, f"{scope}\nsession {session}", value, scope)


def session_forgotten(core: Core, scope: str, session: str) -> ForgottenSession | None:
    """Return when a session was last forgotten; None where it never was."""
    found = core.store.document(FORGOTTEN, f"{scope}\nsession {session}")
    return None if found is None else ForgottenSession(datetime.fromisoformat(found["at"]), found["last"])


def forgotten_at(core: Core, scope: str, content: str) -> datetime | None:
    """Return when a memory of this content was last forgotten here; None where it never was."""
    for mark in Marks(core).of(content_hash(content)):
        found = core.store.document(FORGOTTEN, f"{scope}\nhash {mark}")
        remains = None if found is None else core.store.get(scope, (found["id"],)).get(found["id"])
        if remains is not None and remains.deletion is not None:
            return remains.deletion.at
    return None


class Blocklist:
    """What of one scope may not come back, read once for a whole import."""

    def __init__(self, core: Core, scope: str, marks: Marks) -> None:
        self._marks = marks
        self._blocked: set[str] = set()
        after: str | None = None
        while page := core.store.documents(FORGOTTEN, prefix=f"{scope}\n", after=after):
            self.add(page)
            after = page[-1].key

    def add(self, documents: Iterable[Document]) -> None:
        """Take in what was forgotten meanwhile."""
        self._blocked.update(document.key.partition("\n")[2] for document in documents)

    def forbids(self, text: str) -> bool:
        """Tell whether a text is a content that was forgotten here."""
        return bool(self._blocked) and any(f"hash {mark}" in self._blocked for mark in self._marks.of(content_hash(text)))

    def blocks(self, record: MemoryRecord) -> bool:
        """Tell whether this content, or this id of another tool, was forgotten here."""
        if not self._blocked:
            return False
        names = (f"id {entry}" for entry in (record.id, *foreign_ids(record)))
        hashes = (f"hash {mark}" for mark in self._marks.of(record.content_hash))
        return any(name in self._blocked for name in (*names, *hashes))
