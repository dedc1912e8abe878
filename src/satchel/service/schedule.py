"""Maintenance on a schedule: once in a while, over one scope after another, in a thread of its own (RET-7).

Where several services share a store, one of them makes each pass. It must not know what a pass does.
"""

from __future__ import annotations

import logging
from typing import Any

from satchel.engine.engine import Engine
from satchel.errors import Conflict, SatchelError
from satchel.ports import Batch, Document
from satchel.service.recurring import Recurring

AGENT = "maintenance"
"""Who the change log says it was."""

COLLECTION, KEY = "schedule", "maintenance"
"""The document that says when the last pass began."""

LOOK_SECONDS = 60.0
"""How often it is looked whether a pass is due, at most."""

logger = logging.getLogger("satchel")


class Schedule(Recurring):
    """Passes of one service. The first is due `every` seconds after the store was first served."""

    def __init__(self, memory: Engine, every: float, *, look: float = LOOK_SECONDS) -> None:
        super().__init__(min(look, every))
        self._memory = memory
        self._every = every

    def look(self) -> bool:
        """Make a pass where one is due; tell whether it was made. A failure is logged, and the next pass comes in its time."""
        try:
            if not self._claim():
                return False
            self._pass()
        except SatchelError as error:
            logger.warning("maintenance did not finish: %s", error)
            return False
        return True

    def _claim(self) -> bool:
        core = self._memory.core
        now, last = core.now().timestamp(), core.store.document(COLLECTION, KEY)
        if last is not None and now - float(last["at"]) < self._every:
            return False
        version = 0 if last is None else int(last["version"])
        value: dict[str, Any] = {"at": now, "version": version + 1}
        try:
            core.store.apply(Batch(documents=[Document(COLLECTION, KEY, value, expect=version)]))
        except Conflict:
            return False
        return last is not None

    def _pass(self) -> None:
        memory = self._memory.bind(agent=AGENT)
        done = 0
        for scope in memory.scopes():
            if self.stopping.is_set():
                return
            done += sum(memory.maintain(scope.scope).counts.values())
        logger.info("maintenance: %d changes", done)
