from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from tests.stores.postgres_server import postgres
from tests.stores.redis_server import redis_server

from door_stage import LOCAL
from satchel.client import InProcessTransport
from satchel.engine.engine import Engine
from satchel.service import TokenBook, create_app
from write_stage import Clock, opened

__all__ = ["postgres", "redis_server"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with opened(clock=clock) as found:
        yield found


@pytest.fixture
def tokens(engine: Engine, clock: Clock) -> TokenBook:
    return TokenBook(engine.core.store, clock=clock)


@pytest.fixture
def http_for(engine: Engine) -> Iterator[Callable[..., httpx.Client]]:
    """Give plain HTTP clients of a service in this process; the arguments are the application's."""
    clients: list[httpx.Client] = []

    def make(**options: Any) -> httpx.Client:
        clients.append(httpx.Client(base_url=LOCAL, transport=InProcessTransport(create_app(engine, **options))))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def http(http_for: Callable[..., httpx.Client]) -> httpx.Client:
    return http_for()
