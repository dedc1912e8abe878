"""`to_async`: any memory as an asynchronous one, its calls in worker threads. It must not know which memory it has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TypeVar

import anyio.to_thread

from satchel.client.asynchronous import AsyncMemory
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.memory import Memory
from satchel.protocol.package import Readable

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")


class ThreadedMemory(AsyncMemory):
    """An asynchronous face on a memory of this process. Closing it closes the memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._clock = memory._clock

    async def call(self, operation: t.Operation[Q, R], request: Q) -> R:
        """Carry out one operation in a worker thread."""
        return await anyio.to_thread.run_sync(self._memory.call, operation, request)

    async def export_chunks(self, request: m.ExportRequest) -> AsyncIterator[bytes]:
        """Yield a package; each chunk is made in a worker thread."""
        chunks = iter(self._memory.export_chunks(request))
        while (chunk := await anyio.to_thread.run_sync(next, chunks, None)) is not None:
            yield chunk

    async def import_stream(self, request: m.ImportRequest, stream: Readable) -> m.ImportReport:
        """Take a package in, in a worker thread."""
        return await anyio.to_thread.run_sync(self._memory.import_stream, request, stream)

    async def close(self) -> None:
        """Close the memory."""
        await anyio.to_thread.run_sync(self._memory.close)


def to_async(memory: Memory) -> AsyncMemory:
    """Return an asynchronous face on any memory."""
    return ThreadedMemory(memory)
