"""Work that the service does beside its calls: looked for once in a while, in a thread of its own. It must not know which work."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread


class Recurring(ABC):
    """One kind of work. `stopping` is set when the service ends, and the work is to break off."""

    def __init__(self, every: float, *, first: float = 0.0, stopping: threading.Event | None = None) -> None:
        """Look `every` so many seconds, the `first` time after so many. Whoever looks by itself brings its own `stopping`."""
        self._look_every = every
        self._first = first
        self.stopping = stopping or threading.Event()

    @abstractmethod
    def look(self) -> bool:
        """Do what is due, and tell whether anything was. Raises nothing."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look while the block runs; at its end wait for the step under way."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._run)
            try:
                yield
            finally:
                self.stopping.set()
                tasks.cancel_scope.cancel()

    async def _run(self) -> None:
        alone = anyio.CapacityLimiter(1)
        await anyio.sleep(self._first)
        while True:
            await anyio.to_thread.run_sync(self.look, limiter=alone)
            await anyio.sleep(self._look_every)
