"""The threads that synchronous engine calls run in. It must not know what runs there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, ParamSpec, TypeVar

import anyio
import anyio.to_thread

from satchel.errors import StoreUnavailable

P = ParamSpec("P")
R = TypeVar("R")

InThread = Callable[..., Awaitable[Any]]
"""Runs a function with its arguments in a thread."""


class Workers:
    """Two bounded pools: one for calls, one for package streams, which may take long and must not hold up calls."""

    def __init__(self, calls: int, streams: int) -> None:
        self._calls = anyio.CapacityLimiter(calls)
        self._streams = anyio.CapacityLimiter(streams)

    async def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a short call in a thread."""
        return await anyio.to_thread.run_sync(partial(function, *args, **kwargs), limiter=self._calls)

    @asynccontextmanager
    async def stream_slot(self) -> AsyncIterator[InThread]:
        """Reserve a thread for one stream, and give the function that runs calls in it. Raises StoreUnavailable where none is free."""
        owner = object()
        try:
            self._streams.acquire_on_behalf_of_nowait(owner)
        except anyio.WouldBlock:
            raise StoreUnavailable("too many exports and imports are under way; try again later", retry_after=5) from None
        try:
            yield partial(anyio.to_thread.run_sync, limiter=anyio.CapacityLimiter(1))
        finally:
            self._streams.release_on_behalf_of(owner)
