"""What the write side's tests share: a clock that they move, memories over every store here, packages in hand."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from satchel import open_memory
from satchel.engine.engine import Engine
from satchel.protocol import Header, MemoryRecord, PackageLine, read_package, write_package
from satchel.protocol.scope import parse_scope

ALICE = "user:alice"
BOB = "user:bob"
START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


class Clock:
    """A present that only moves when told."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **span: float) -> None:
        self.now += timedelta(**span)


def opened(url: str | Path = "memory://", **options: Any) -> Engine:
    """Open a memory without a model."""
    memory = open_memory(url, **{"agent": "writer", "embedder": "none", **options})
    assert isinstance(memory, Engine)
    return memory


def record(content: str, *, id: str = "r1", scope: str = ALICE, at: datetime = START, **fields: Any) -> MemoryRecord:
    """Make a record as another store may hold it."""
    return MemoryRecord(id=id, content=content, scope=parse_scope(scope), **{"created_at": at, "stored_at": at, "updated_at": at, **fields})


def tombstone(id: str = "r1", *, scope: str = ALICE, at: datetime = START, **fields: Any) -> MemoryRecord:
    """Make a tombstone as another store may hold it."""
    return MemoryRecord(id=id, content="", scope=scope, stored_at=at, updated_at=at, status="deleted", deletion={"at": at, **fields})


def package(lines: Iterable[PackageLine]) -> io.BytesIO:
    """Write lines as a package."""
    return io.BytesIO(b"".join(write_package(Header(producer="a test", created_at=START), lines)))


def exported(memory: Any, **request: Any) -> bytes:
    """Return a memory's package."""
    target = io.BytesIO()
    memory.export(to=target, **(request or {"everything": True}))
    return target.getvalue()


def lines_of(data: bytes) -> list[PackageLine]:
    """Return a package's lines."""
    with read_package(io.BytesIO(data)) as found:
        return list(found.lines())


def states(memory: Any, scope: str = ALICE) -> dict[str, dict[str, Any]]:
    """Return the state of every record of a scope, tombstones included, by id."""
    return {found.id: found.state() for found in _every(memory, scope)}


def _every(memory: Any, scope: str) -> Iterator[MemoryRecord]:
    yield from memory.every_record(scope=scope, status=["active", "pending", "archived", "deleted"])
