"""A process to be killed: it writes, embeds, uses, erases and scrubs without end, and says after each step what it was told is done.

Run as `python churn.py URL NAME SEED`. Each batch writes with its records a document that names them, so that a half batch shows.
"""

from __future__ import annotations

import random
import sys
from datetime import UTC, datetime
from typing import Any

from satchel import registry
from satchel.ports import Batch, Document, IndexEntry, LogEntry, Put, Store, Use
from satchel.protocol.record import Deletion, MemoryRecord

NOW = datetime(2026, 5, 4, 8, 30, tzinfo=UTC)
SCOPE = "user:alice"
BATCHES = "batches"
SIZES = (1, 1, 1, 3, 20, 120)


def open_store(url: str) -> Store:
    """Open any store by its URL."""
    store: Store = registry.load(registry.STORES, url.partition(":")[0], kind="store", field="url")(url)
    return store


def names(batch: str, size: int) -> list[str]:
    """Return the ids of a batch's records."""
    return [f"{batch}-{part}" for part in range(size)]


def record(name: str, **members: Any) -> MemoryRecord:
    """Return a record, or with `deletion` its tombstone."""
    given = {"id": name, "content": f"第 {name} 条记忆, memory {name}", "scope": SCOPE, "stored_at": NOW, "updated_at": NOW, **members}
    return MemoryRecord.model_validate(given)


def write(store: Store, batch: str, size: int) -> None:
    """Write a batch and the document that names it."""
    puts = [Put(record(name), LogEntry("remember", batch, NOW), expect=0, terms=b"terms") for name in names(batch, size)]
    store.apply(Batch(puts, [Document(BATCHES, batch, {"size": size})]))


def forget(store: Store, batch: str, size: int) -> None:
    """Replace a batch's records by tombstones, and say so in its document."""
    gone = {"content": "", "status": "deleted", "revision": 2, "deletion": Deletion(at=NOW)}
    puts = [Put(record(name, **gone), LogEntry("forget", batch, NOW), expect=1) for name in names(batch, size)]
    store.apply(Batch(puts, [Document(BATCHES, batch, {"size": size, "forgotten": True})]))


def embed(store: Store, limit: int = 20) -> None:
    """Give the first unembedded records their vectors."""
    entries = [IndexEntry(item.scope, item.id, item.content_hash, vector=b"\x00\x3c") for item in store.unindexed(limit=limit)]
    store.write_index(entries)


def churn(store: Store, name: str, rng: random.Random) -> None:
    """Go on until killed."""
    standing: list[tuple[str, int]] = []
    number = 0
    while True:
        step = rng.random()
        if step < 0.6 or not standing:
            batch, size = f"{name}.{number}", rng.choice(SIZES)
            number += 1
            write(store, batch, size)
            standing.append((batch, size))
            print("wrote", batch, flush=True)
        elif step < 0.75:
            batch, size = standing.pop(rng.randrange(len(standing)))
            forget(store, batch, size)
            print("forgot", batch, flush=True)
        elif step < 0.85:
            batch, size = rng.choice(standing)
            store.touch([Use(SCOPE, each, NOW) for each in names(batch, size)])
        elif step < 0.95:
            embed(store)
        else:
            store.scrub()


if __name__ == "__main__":
    churn(open_store(sys.argv[1]), sys.argv[2], random.Random(int(sys.argv[3])))
