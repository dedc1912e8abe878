"""What the doors' tests share: a service in this process or on a loopback port, and clients of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from satchel.client import HttpMemory, InProcessTransport, RetryPolicy
from satchel.engine.engine import Engine
from satchel.service import create_app

LOCAL = "http://localhost"
AT_ONCE = RetryPolicy(retries=0)


@contextmanager
def client_of(engine: Engine, *, token: str | None = None, agent: str | None = None, **options: Any) -> Iterator[HttpMemory]:
    """Give a client of a service in this process; `options` are the application's."""
    transport = InProcessTransport(create_app(engine, **options))
    with HttpMemory(LOCAL, token=token, agent=agent, transport=transport, retry=AT_ONCE) as memory:
        yield memory
