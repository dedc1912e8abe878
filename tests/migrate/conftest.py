from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from migrate_stage import empty_memory
from satchel.client import HttpMemory, InProcessTransport
from satchel.engine.engine import Engine
from satchel.operations import Memory
from satchel.service import create_app

LOCAL = "http://127.0.0.1:7377"


@pytest.fixture(params=["memory", "sqlite", "http"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """A memory of each kind: the kit cannot tell them apart (ENG-1)."""
    url = "memory://" if request.param != "sqlite" else f"sqlite:///{tmp_path / 'store' / 'satchel.db'}"
    (tmp_path / "store").mkdir()
    with ExitStack() as stack:
        engine = stack.enter_context(empty_memory(url))
        if request.param != "http":
            yield engine
            return
        assert isinstance(engine, Engine)
        transport = InProcessTransport(create_app(engine))
        yield stack.enter_context(HttpMemory(LOCAL, transport=transport))
