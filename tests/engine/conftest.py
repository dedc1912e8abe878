from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.stores.redis_server import redis_server

from satchel.engine.engine import Engine
from write_stage import Clock, opened

__all__ = ["redis_server"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


_ABOUT_SESSIONS = {"test_working", "test_sessions", "test_working_erasing"}
"""Modules whose tests are also run with sessions on Redis."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    named = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    own = {name.strip() for names in named for name in (names.split(",") if isinstance(names, str) else names)}
    if "memory" not in metafunc.fixturenames or "memory" in own:
        return
    about_sessions = metafunc.module.__name__.rpartition(".")[2] in _ABOUT_SESSIONS
    metafunc.parametrize("memory", ["memory", "sqlite", *(["redis"] if about_sessions else [])], indirect=True)


@pytest.fixture
def memory(request: pytest.FixtureRequest, clock: Clock, tmp_path) -> Iterator[Engine]:
    url = tmp_path / "agent.db" if request.param == "sqlite" else "memory://"
    working = request.getfixturevalue("redis_server").url() if request.param == "redis" else None
    with opened(url, clock=clock, working=working) as found:
        yield found
