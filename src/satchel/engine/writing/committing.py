"""Commits a plan: reads, decides, writes with expectations, and plans anew where another writer came first.

It must not know what is planned.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from satchel.engine.core import Core, Principal
from satchel.engine.index.embedding import embed_contents
from satchel.engine.notes import logger
from satchel.engine.text.segmenting import pack_terms
from satchel.errors import Conflict, StoreUnavailable
from satchel.ports import Batch, LogEntry, Put, Use
from satchel.protocol.record import MemoryRecord, content_hash

R = TypeVar("R")

_ATTEMPTS = 20


def commit(core: Core, plan: Callable[[], tuple[Batch, R]]) -> R:
    """Call `plan`, write its batch, return its result; plan again (up to 20 times) where an expectation failed.

    A plan's expectations come from its own reads, so that a Conflict means that another writer came between.
    """
    attempt = 0
    while True:
        batch, result = plan()
        if not batch.changes and not batch.documents:
            return result
        try:
            core.store.apply(batch)
        except Conflict:
            attempt += 1
            if attempt == _ATTEMPTS:
                raise
            time.sleep(random.uniform(0, 0.001 * attempt))
            continue
        return result


def note_uses(core: Core, uses: Iterable[Use]) -> None:
    """Record usage that goes with a write that took place: where the store cannot be written any more, that write stands all the same."""
    try:
        core.store.touch(uses)
    except StoreUnavailable as error:
        logger.warning("usage was not recorded: %s", error)


def log_entry(core: Core, principal: Principal, operation: str, *, reason: str | None = None, at: datetime | None = None) -> LogEntry:
    """Say who does what now."""
    return LogEntry(operation=operation, agent=principal.agent, at=at or core.now(), reason=reason)


def put(record: MemoryRecord, log: LogEntry, *, expect: int | None, only_if_new_content: bool = False) -> Put:
    """Write a record whose content is new, with its lexical entry; `Vectors` adds the vector."""
    return Put(record, log, expect=expect, terms=pack_terms(record.content), only_if_new_content=only_if_new_content)


def restate(record: MemoryRecord, log: LogEntry, *, expect: int | None) -> Put:
    """Write a record whose content is as it was: the store keeps its index entry."""
    return Put(record, log, expect=expect)


class Vectors:
    """Vectors of contents as they are needed, each made once, so that planning again does not embed again."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._made: dict[str, bytes | None] = {}

    def fill(self, puts: Iterable[Put]) -> list[Put]:
        """Return the puts with the vectors of their contents, where there is an embedder and it works."""
        found = list(puts)
        made = zip(found, self.made(put.record for put in found), strict=True)
        return [put if vector is None else replace(put, vector=vector) for put, vector in made]

    def made(self, records: Iterable[MemoryRecord]) -> list[bytes | None]:
        """Return the vectors of the records' contents, None where there is no embedder or it fails."""
        found = list(records)
        missing = {record.content_hash: record.content for record in found if record.content_hash not in self._made}
        if missing:
            self._made.update(zip(missing, embed_contents(self._core, list(missing.values())), strict=True))
        return [self._made[record.content_hash] for record in found]

    def of(self, content: str) -> bytes | None:
        """Return one content's vector."""
        name = content_hash(content)
        if name not in self._made:
            self._made[name] = embed_contents(self._core, [content])[0]
        return self._made[name]


def revised(record: MemoryRecord, now: datetime, **changes: object) -> MemoryRecord:
    """Return the record changed, as its next revision. The changes are valid values."""
    # A clock that runs behind another writer's must not let an older version win a merge.
    return record.model_copy(update={**changes, "revision": record.revision + 1, "updated_at": max(now, record.updated_at)})


def merged_ids(ids: Sequence[str], *more: str) -> tuple[str, ...]:
    """Add ids to a relation, each once."""
    return tuple(dict.fromkeys((*ids, *more)))
