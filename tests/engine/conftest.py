from __future__ import annotations

from collections.abc import Iterator

import pytest

from satchel.engine.engine import Engine
from write_stage import Clock, opened


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
def memory(request: pytest.FixtureRequest, clock: Clock, tmp_path) -> Iterator[Engine]:
    url = "memory://" if request.param == "memory" else tmp_path / "agent.db"
    with opened(url, clock=clock) as found:
        yield found
