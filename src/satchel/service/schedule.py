"""Maintenance on a schedule: once in a while, over one scope after another, in a thread of its own (RET-7).

Where several services share a store, one of them makes each pass. It must not know what a pass does.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from satchel.engine.engine import Engine
from satchel.errors import Conflict, SatchelError
from satchel.ports import Batch, Document
from satchel.service.recurring import Recurring
from satchel.service.tenant_pool import TenantPool

AGENT = "maintenance"
"""Who the change log says it was."""

COLLECTION, KEY = "schedule", "maintenance"
"""The document that says when the last pass began."""

LOOK_SECONDS = 60.0
"""How often it is looked whether a pass is due, at most."""

ROUND_SECONDS = 3600.0
"""How often it is looked whether tenants' passes are due, at most: each look may open a store."""

logger = logging.getLogger("satchel")


class Schedule(Recurring):
    """Passes of one service. The first is due `every` seconds after the store was first served."""

    def __init__(self, memory: Engine, every: float, *, look: float = LOOK_SECONDS, stopping: threading.Event | None = None) -> None:
        """`look`: how often it is looked whether a pass is due."""
        super().__init__(min(look, every), stopping=stopping)
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


class Rounds(Recurring):
    """The works of every tenant, one tenant after the other: one that fails is logged, and the next comes."""

    def __init__(
        self,
        pool: TenantPool,
        names: Callable[[], Iterable[str]],
        works: Callable[[Engine, threading.Event], Sequence[Recurring]],
        *,
        look: float = ROUND_SECONDS,
    ) -> None:
        """`names` gives the tenants whose turn it is, `works` what is to be looked for in a memory."""
        # The service has other things to do when it begins, and opens no store before somebody asks for it.
        super().__init__(look, first=min(LOOK_SECONDS, look))
        self._pool = pool
        self._names = names
        self._works = works

    def look(self) -> bool:
        """Do what is due; tell whether there was anything."""
        try:
            names = sorted(self._names())
        except SatchelError as error:
            logger.warning("maintenance of tenants did not begin: %s", error)
            return False
        return sum(self._visit(name) for name in names) > 0

    def _visit(self, name: str) -> bool:
        if self.stopping.is_set():
            return False
        try:
            with self._pool.lease(name, stream=True) as memory:
                return sum(work.look() for work in self._works(memory, self.stopping)) > 0
        except SatchelError as error:
            logger.warning("maintenance of tenant %s did not begin: %s", name, error)
            return False
