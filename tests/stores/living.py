"""A process to be killed while it lives a whole life: it remembers, imports, maintains, forgets and reindexes without end.

Run as `python living.py URL NAME SEED`. It says after each step which memories it was told are there, and
which are forgotten; before it forgets, which it is about to.
"""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from satchel import open_memory
from satchel.engine.engine import Engine
from satchel.ports import Calibration, Vectors
from satchel.protocol import Header, MemoryRecord, write_package

SCOPE = "user:alice"
IMPORTED = 150


class Tiny:
    """An embedder that costs nothing."""

    name = "tiny"
    dimension = 8
    calibration = Calibration(bias=-2.0, cosine=4.0, coverage=4.0)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        drawn = np.array([np.random.default_rng(sum(text.encode())).standard_normal(8) for text in texts], np.float32)
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)

    embed_passages = embed_queries


def opened(url: str) -> Engine:
    """Open the memory as each of the processes does."""
    memory = open_memory(url, agent="living", embedder=Tiny())
    assert isinstance(memory, Engine)
    return memory


def content(name: str) -> str:
    """Return a text that no other name has; numbers that differ are never taken for one."""
    return f"第 {name} 号柜子里放着茶叶 and tin {name}"


def package(name: str) -> io.BytesIO:
    """Return a package of records that another machine wrote."""
    at = datetime(2026, 5, 4, tzinfo=UTC)
    records = [
        MemoryRecord(id=f"{name}-{place}", content=content(f"{name}-{place}"), scope=SCOPE, created_at=at, stored_at=at, updated_at=at)
        for place in range(IMPORTED)
    ]
    return io.BytesIO(b"".join(write_package(Header(producer="elsewhere", created_at=at), records)))


def live(memory: Engine, name: str, rng: random.Random) -> None:
    """Go on until killed."""
    held: list[str] = []
    for number in range(1_000_000):
        step, fresh = rng.random(), f"{name}.{number}"
        if step < 0.35 or not held:
            done = [memory.remember(content(fresh), scope=SCOPE, id=fresh)]
        elif step < 0.6:
            given = [{"id": f"{fresh}-{place}", "content": content(f"{fresh}-{place}"), "scope": SCOPE} for place in range(40)]
            done = list(memory.remember_many(given))
        elif step < 0.7:
            memory.import_package(package(fresh))
            print("wrote", *[f"{fresh}-{place}" for place in range(IMPORTED)], flush=True)
            continue
        elif step < 0.85:
            gone = held.pop(rng.randrange(len(held)))
            print("forgets", gone, flush=True)
            memory.forget(gone, scope=SCOPE)
            print("forgot", gone, flush=True)
            continue
        else:
            memory.maintain() if step < 0.93 else memory.reindex()
            continue
        ids = [one.record.id for one in done]
        held += ids
        print("wrote", *ids, flush=True)


if __name__ == "__main__":
    live(opened(sys.argv[1]), sys.argv[2], random.Random(int(sys.argv[3])))
