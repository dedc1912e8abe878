"""A store with everything that a copy must carry, and a copy that can be run in a process of its own and killed."""

from __future__ import annotations

import random
import sys
from datetime import timedelta

from satchel.conformance.samples import CONTENTS, NOW, later, make, revise, tombstone
from satchel.engine.copying import copier, copy_store
from satchel.ports import Batch, Document, IndexEntry, LogEntry, Put, Remove, Store, Use
from satchel.protocol.record import MemoryRecord
from satchel.wiring import open_store

SCOPES = ("user:alice", "user:alice/project:web", "user:bob", "public")
FORGOTTEN = "秘密口令 swordfish"


def populate(store: Store, steps: int, seed: int, *, gaps: bool = False) -> None:
    """Write what a life leaves: creations, corrections, tombstones, removals, returns, uses, vectors, documents."""
    rng = random.Random(seed)
    life = Life(store, rng, gaps=gaps)
    for step in range(steps):
        life.step(step)
    store.apply(
        Batch(
            documents=[
                Document("tokens", "t1", {"name": "令牌", "version": 1}),
                Document("sessions", "s1", {"turns": [1, 2.5, None]}, "user:alice"),
                *(Document("receipts", f"r{place:04}", {"n": place}, "user:bob") for place in range(700)),
            ]
        )
    )


class Life:
    """One store's life, a step at a time."""

    def __init__(self, store: Store, rng: random.Random, *, gaps: bool = False) -> None:
        self._store = store
        self._rng = rng
        self._gaps = gaps
        self._standing: dict[tuple[str, str], MemoryRecord] = {}
        self._gone: list[MemoryRecord] = []
        self._position = 0

    def step(self, number: int) -> None:
        rng = self._rng
        kind = rng.choices(("new", "revise", "forget", "remove", "return", "use", "embed"), (50, 20, 6, 4, 5, 10, 5))[0]
        if kind == "new" or not self._standing:
            return self._write(*(self._new(f"r{number}-{place}") for place in range(rng.choice((1, 1, 3, 60)))))
        record = self._standing[rng.choice(list(self._standing))]
        if kind == "revise":
            return self._write(revise(record, content=rng.choice((record.content, f"改为 {number}")), tags=(f"t{number}",)))
        if kind == "forget":
            self._gone.append(tombstone(record, reason="用户要求"))
            return self._write(self._gone[-1])
        if kind == "remove":
            del self._standing[record.scope, record.id]
            return self._apply([Remove(record.scope, record.id, self._log("undo_import"))])
        if kind == "return" and self._gone:
            gone = self._gone.pop(rng.randrange(len(self._gone)))
            return self._write(revise(gone, status="active", content=f"又来了 {number}", deletion=None))
        if kind == "use":
            return self._store.touch([Use(record.scope, record.id, later(number), rng.randint(1, 3))])
        self._store.write_index([IndexEntry(record.scope, record.id, record.content_hash, terms=b"anew", vector=_vector(number))])
        return None

    def _new(self, name: str) -> MemoryRecord:
        rng = self._rng
        text = f"{FORGOTTEN if rng.random() < 0.1 else rng.choice(CONTENTS)} {name}"
        usage = {"access_count": rng.randint(0, 2), "last_access_at": rng.choice((None, NOW))}
        created = rng.choice((None, NOW - timedelta(days=rng.randint(0, 900))))
        return make(name, rng.choice(SCOPES), text, created_at=created, usage=usage, score=rng.random(), meta={"n": rng.randint(0, 9)})

    def _write(self, *records: MemoryRecord) -> None:
        self._apply([self._put(record) for record in records])
        self._standing |= {(record.scope, record.id): record for record in records}
        for record in records:
            if record.is_tombstone:
                del self._standing[record.scope, record.id]

    def _put(self, record: MemoryRecord) -> Put:
        if record.is_tombstone:
            return Put(record, self._log("forget"))
        vector = _vector(len(record.content)) if self._rng.random() < 0.7 else None
        return Put(record, self._log(), terms=f"terms {record.content}".encode(), vector=vector)

    def _log(self, operation: str = "remember") -> LogEntry:
        self._position += self._rng.choice((1, 1, 1, 9)) if self._gaps else 1
        reason = self._rng.choice((None, "为什么"))
        return LogEntry(operation, self._rng.choice((None, "写手")), later(self._position), reason, self._position if self._gaps else None)

    def _apply(self, changes: list[Put | Remove]) -> None:
        self._store.apply(Batch(changes))


def _vector(seed: int) -> bytes:
    return bytes((seed % 251, 0x3C)) * 8


def main(from_: str, to: str) -> None:
    """Copy in small pages, and tell each."""
    copier.PAGE = 20
    source, target = open_store(from_), open_store(to)
    print("begun", flush=True)
    done = copy_store(source, target, progress=lambda stage, at, total: print(stage, at, flush=True))
    print("verified" if done.verified else "differs", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
