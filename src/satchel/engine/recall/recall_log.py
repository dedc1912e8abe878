"""Which memories entered which session and turn, and which of them were used (OBS-4, OBS-5): ids and revisions, no content.

Gathered in memory and written in small batches apart from recall. It must not know how memories are found or what use is good for.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from satchel.engine.core import Core
from satchel.errors import SatchelError
from satchel.ports import Batch, Document
from satchel.protocol.record import MemoryRecord, new_id
from satchel.protocol.times import format_instant, to_utc

RECALLS = "recalls"
"""Documents keyed by scope and time, each with the entries of one moment of writing."""

_PRUNE_EVERY = 32
"""Batches of a scope between two looks for what is too old or too much."""

_PENDING = 10_000
"""Entries held while the store takes no writes; the oldest beyond it are dropped."""


class Returned(NamedTuple):
    """The rates of a scope: memories that entered a session, and those of them that it used."""

    returned: int
    used: int


class RecallBook:
    """Gathers entries until `flush`. Safe under threads."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._pending: list[tuple[str, dict[str, Any]]] = []
        self._batches: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> bool:
        """Whether something is not in the store yet."""
        with self._lock:
            return bool(self._pending)

    def add(
        self, records: Iterable[MemoryRecord], *, session: str, turn: str | None, agent: str | None, at: datetime, counted: bool
    ) -> None:
        """Note that these records entered a session; `counted`: that alone was a use."""
        by_scope: dict[str, list[list[Any]]] = defaultdict(list)
        for record in records:
            by_scope[record.scope].append([record.id, record.revision])
        for scope, items in by_scope.items():
            entry = {"session": session, "turn": turn, "agent": agent, "at": format_instant(at), "items": items, "counted": counted}
            self._add(scope, entry)

    def add_used(self, scope: str, ids: Sequence[str], *, session: str, at: datetime) -> None:
        """Note that a session used these records."""
        self._add(scope, {"session": session, "at": format_instant(at), "used": list(ids)})

    def _add(self, scope: str, entry: dict[str, Any]) -> None:
        with self._lock:
            self._pending.append((scope, entry))
            del self._pending[:-_PENDING]

    def flush(self) -> None:
        """Write what has been gathered; what was forgotten meanwhile is left out."""
        with self._lock:
            pending, self._pending = self._pending, []
        by_scope: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for scope, entry in pending:
            by_scope[scope].append(entry)
        try:
            for scope, entries in by_scope.items():
                self._write(scope, entries)
        except SatchelError as error:
            self._core.notes.add("recall-log", f"what was recalled is not logged: {error}")

    def _write(self, scope: str, entries: list[dict[str, Any]]) -> None:
        ids = {name for entry in entries for name in _ids(entry)}
        living = {record.id for record in self._core.store.get(scope, ids).values() if not record.is_tombstone}
        kept = [entry for entry in (_without(entry, ids - living) for entry in entries) if entry is not None]
        documents = [Document(RECALLS, _key(scope, self._core.now(), self._batches.total()), {"entries": kept}, scope)] if kept else []
        if self._batches[scope] % _PRUNE_EVERY == 0:
            documents += self._surplus(scope)
        self._batches[scope] += 1
        if documents:
            self._core.store.apply(Batch(documents=documents))

    def _surplus(self, scope: str) -> list[Document]:
        settings = self._core.settings
        keys = [document.key for document in pages(self._core, scope)]
        oldest = _stamp(self._core.now() - timedelta(seconds=settings.recall_log_seconds))
        too_many = len(keys) + 1 - settings.recall_log_batches
        stamps = (key.partition("\n")[2] for key in keys)
        return [
            Document(RECALLS, key, None)
            for place, (key, stamp) in enumerate(zip(keys, stamps, strict=True))
            if place < too_many or stamp < oldest
        ]


# ---------------------------------------------------------------- reading and erasing


def pages(core: Core, scope: str) -> Iterator[Document]:
    """Yield a scope's documents, the oldest first."""
    after: str | None = None
    while page := core.store.documents(RECALLS, prefix=f"{scope}\n", after=after):
        yield from page
        after = page[-1].key


def entries(core: Core, scope: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a scope's entries with a place to go on after, the oldest first."""
    for document in pages(core, scope):
        for number, entry in enumerate((document.value or {}).get("entries", ())):
            yield f"{document.key.partition(chr(10))[2]} {number:06}", entry


def used_in(core: Core, scope: str, session: str | None = None) -> set[tuple[str, str]]:
    """Return what was used as (session, id)."""
    wanted = (entry for _, entry in entries(core, scope) if session is None or entry["session"] == session)
    return {(entry["session"], name) for entry in wanted for name in entry.get("used", ())}


def rates(core: Core, scope: str) -> Returned:
    """Count the memories that entered each session, and those of them that it used, each once a session."""
    returned: set[tuple[str, str]] = set()
    used: set[tuple[str, str]] = set()
    for _, entry in entries(core, scope):
        returned.update((entry["session"], item[0]) for item in entry.get("items", ()))
        used.update((entry["session"], name) for name in entry.get("used", ()))
    return Returned(len(returned), len(returned & used))


def without_forgotten(core: Core, scope: str, ids: Collection[str]) -> list[Document]:
    """Return the documents of a scope's log as they must be when these records are gone."""
    gone = set(ids)
    changed = []
    for document in pages(core, scope):
        held = (document.value or {}).get("entries", ())
        if any(not gone.isdisjoint(_ids(entry)) for entry in held):
            kept = [entry for entry in (_without(entry, gone) for entry in held) if entry is not None]
            changed.append(Document(RECALLS, document.key, {"entries": kept} if kept else None, scope))
    return changed


def _ids(entry: Mapping[str, Any]) -> list[str]:
    return [*(item[0] for item in entry.get("items", ())), *entry.get("used", ())]


def _without(entry: dict[str, Any], gone: Collection[str]) -> dict[str, Any] | None:
    """Return an entry without these ids; None where nothing is left of it."""
    if not gone:
        return entry
    kept = dict(entry)
    if "items" in kept:
        kept["items"] = [item for item in kept["items"] if item[0] not in gone]
    if "used" in kept:
        kept["used"] = [name for name in kept["used"] if name not in gone]
    return kept if _ids(kept) else None


def _stamp(at: datetime) -> str:
    return f"{to_utc(at):%Y%m%dT%H%M%S%f}"


def _key(scope: str, at: datetime, number: int) -> str:
    return f"{scope}\n{_stamp(at)} {number % 1_000_000:06} {new_id()}"
