"""Vectors for what was written without them (a large import above all), made while nobody else needs the process (STO-4).

Where several services share a store, one of them makes them. What is made stays made, so that a restart goes on where it was. It must not
know how a vector is made.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from satchel.engine.engine import Engine
from satchel.engine.index.backlog import COLLECTION, KEY, LEASE_SECONDS
from satchel.engine.index.embedding import embed_missing, usable_dimension
from satchel.errors import Conflict, SatchelError
from satchel.ports import Batch, Document
from satchel.protocol.record import new_id
from satchel.service.recurring import Recurring

LOOK_SECONDS = 5.0
"""How often it is looked whether something waits."""

_PART = 256
"""Records between two notes of how far it is."""

logger = logging.getLogger("satchel")


class Backlog(Recurring):
    """The backlog of one service's store."""

    def __init__(self, memory: Engine, *, look: float = LOOK_SECONDS, stopping: threading.Event | None = None) -> None:
        super().__init__(look, stopping=stopping)
        self._core = memory.core
        self._name = new_id()

    def look(self) -> bool:
        """Embed what waits. A failure is logged, and it is tried again at the next look."""
        try:
            return self._work_off()
        except SatchelError as error:
            logger.warning("vectors are missing, and making them failed: %s", error)
            return False

    def _work_off(self) -> bool:
        core = self._core
        if core.embedder is None or not core.store.count_unindexed() or not usable_dimension(core):
            return False
        done, since = 0, core.now().timestamp()
        while not self.stopping.is_set() and self._note(since, done):
            made = embed_missing(core, core.embedder, limit=_PART, stop=self.stopping)
            if not made:
                break
            done += made
        if done:
            self._note(since, done, over=True)
            logger.info("embedding: %d records", done)
        return bool(done)

    def _note(self, since: float, done: int, *, over: bool = False) -> bool:
        """Note that this service is at it, how far it is, and when it is `over`; tell whether no other one is at it."""
        core = self._core
        now, last = core.now().timestamp(), core.store.document(COLLECTION, KEY)
        if last is not None and last["by"] != self._name and now - float(last["at"]) < LEASE_SECONDS:
            return False
        version = 0 if last is None else int(last["version"])
        value: dict[str, Any] = {"by": self._name, "since": since, "at": 0.0 if over else now, "done": done, "version": version + 1}
        try:
            core.store.apply(Batch(documents=[Document(COLLECTION, KEY, value, expect=version)]))
        except Conflict:
            return False
        return True
