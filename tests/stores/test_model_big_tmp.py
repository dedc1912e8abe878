"""SQLite against the in-memory reference: whatever is done to both, both tell the same, in the same order."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from satchel.conformance.samples import NOW, log, make, tombstone
from satchel.errors import Conflict, InvalidRequest
from satchel.ports import Batch, Document, IndexEntry, Position, Put, Remove, Use
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord
from satchel.stores.memory import MemoryStore
from satchel.stores.sqlite import SQLiteStore

SCOPES = ["user:a", "user:ab", "user:a/project:p", "public"]
IDS = ["1", "a", "B", "é", "中", "\U0001f9e0 x"]
CONTENTS = ["对花生过敏", "likes tea", "likes tea ", "周三开会", "x" * 5000]
EVERY = RecordFilter(statuses=())

moments = st.integers(-(10**9), 10**9).map(lambda n: NOW + timedelta(microseconds=n % 7, seconds=n // 1000))


numbers = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def records(draw: st.DrawFn) -> MemoryRecord:
    record = make(
        draw(st.sampled_from(IDS)), draw(st.sampled_from(SCOPES)), draw(st.sampled_from(CONTENTS)),
        revision=draw(st.integers(1, 4)), updated_at=draw(moments), created_at=draw(st.none() | moments),
        status=draw(st.sampled_from(["active", "pending", "archived"])), type=draw(st.sampled_from(["fact", "配方"])),
        tags=draw(st.lists(st.sampled_from(["a", "乙", "long tag"]), max_size=2)), pinned=draw(st.booleans()),
        score=draw(st.floats(0, 1)), ttl=draw(st.none() | st.floats(0.001, 1e11)), expires_at=draw(st.none() | moments),
        meta=draw(st.dictionaries(st.sampled_from(["k", "深"]), numbers, max_size=2)),
        usage={"access_count": draw(st.integers(0, 2)), "last_access_at": draw(st.none() | moments)},
        source={"session": draw(st.sampled_from([None, "s1"])), "origin": draw(st.sampled_from(["stated", "inferred"]))},
    )  # fmt: skip
    return tombstone(record) if draw(st.integers(0, 4)) == 0 else record


entries = st.builds(log, st.sampled_from(["remember", "correct"]), st.sampled_from([None, "w"]), st.sampled_from([None, "why"]), moments)
expectations = st.none() | st.integers(0, 4)
puts = st.builds(
    Put, records(), entries, expectations, st.sampled_from([b"", b"t1", b"t2"]), st.sampled_from([None, b"v1", b"v2"]), st.booleans()
).map(lambda put: replace(put, terms=b"", vector=None) if put.record.is_tombstone else put)
removals = st.builds(Remove, st.sampled_from(SCOPES), st.sampled_from(IDS), entries, expectations)
documents = st.builds(
    Document,
    st.sampled_from(["c", "cc"]),
    st.sampled_from(["k", "k2", "K", "中/1", "中/2"]),
    st.none() | st.just({"n": 1}) | st.just({"文": None}),
    st.sampled_from([None, "user:a"]),
)
batches = st.builds(Batch, st.lists(puts | removals, max_size=4), st.lists(documents, max_size=2))


class Comparison(RuleBasedStateMachine):
    """Does the same to both stores, and looks whether both answer the same."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="satchel-model-"))
        self.path = self.folder / "memory.db"
        self.reference = MemoryStore()
        self.store = SQLiteStore(self.path)
        self.seen: dict[str, list[Position]] = {scope: [] for scope in SCOPES}

    @initialize(batch=batches)
    def start(self, batch: Batch) -> None:
        self.apply(batch)

    def _both(self, ask):
        answers = []
        for store in (self.reference, self.store):
            try:
                answers.append(ask(store))
            except (Conflict, InvalidRequest) as error:
                answers.append((type(error), error.details))
        assert answers[0] == answers[1]
        return answers[0]

    @rule(batch=batches)
    def apply(self, batch: Batch) -> None:
        self._both(lambda store: store.apply(batch))

    @rule(uses=st.lists(st.builds(Use, st.sampled_from(SCOPES), st.sampled_from(IDS), moments, st.integers(1, 3)), max_size=3))
    def touch(self, uses: list[Use]) -> None:
        self._both(lambda store: store.touch(uses))

    @rule(data=st.data(), vector=st.none() | st.just(b"v3"), terms=st.none() | st.just(b"t3"))
    def write_index(self, data: st.DataObject, vector: bytes | None, terms: bytes | None) -> None:
        scope, name = data.draw(st.sampled_from(SCOPES)), data.draw(st.sampled_from(IDS))
        content = make("x", scope, data.draw(st.sampled_from(CONTENTS))).content_hash
        self._both(lambda store: store.write_index([IndexEntry(scope, name, content, terms, vector)]))

    @rule()
    def clear_vectors(self) -> None:
        self._both(lambda store: store.clear_vectors())

    @rule()
    def scrub(self) -> None:
        assert self.store.scrub()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = SQLiteStore(self.path)

    @rule(scope=st.sampled_from(SCOPES))
    def remember_position(self, scope: str) -> None:
        self.seen[scope].append(self._both(lambda store: store.positions([scope])[scope]))

    @rule(
        order=st.sampled_from(["id", "updated"]),
        size=st.integers(1, 9),
        scopes=st.lists(st.sampled_from(SCOPES), max_size=4),
        where=st.builds(
            RecordFilter,
            statuses=st.sampled_from([(), ("active",), ("archived", "deleted")]),
            types=st.sampled_from([(), ("配方",)]),
            tags=st.sampled_from([(), ("乙",), ("a", "乙")]),
            pinned=st.none() | st.booleans(),
            since=st.none() | moments,
            ids=st.sampled_from([(), ("a", "中")]),
            sessions=st.sampled_from([(), ("s1",)]),
        ),
    )
    def scan(self, order, size, scopes, where) -> None:
        cursor = None
        for _ in range(30):
            page = self._both(lambda store, cursor=cursor: _page(store.scan(scopes, where, order=order, cursor=cursor, limit=size)))
            cursor = page[1]
            if cursor is None:
                return
        raise AssertionError("the pages go round in a circle")

    @rule(after=st.integers(0, 30), limit=st.integers(1, 30), scopes=st.none() | st.lists(st.sampled_from(SCOPES), max_size=3))
    def changes(self, after, limit, scopes) -> None:
        self._both(lambda store: store.changes(scopes, after=after, limit=limit))

    @rule(scope=st.sampled_from(SCOPES), data=st.data())
    def slice(self, scope: str, data: st.DataObject) -> None:
        after = data.draw(st.sampled_from([None, *self.seen[scope][-5:]]))
        self._both(lambda store: _slice(store.index_slice(scope, after)))

    @rule(after=st.none() | st.tuples(st.sampled_from(SCOPES), st.sampled_from(IDS)), limit=st.integers(1, 9))
    def unindexed(self, after, limit) -> None:
        self._both(lambda store: store.unindexed(after=after, limit=limit))

    @rule(
        prefix=st.sampled_from(["", "k", "中/"]),
        after=st.none() | st.just("k"),
        scope=st.none() | st.just("user:a"),
        limit=st.integers(1, 4),
    )
    def documents(self, prefix, after, scope, limit) -> None:
        self._both(lambda store: store.documents("c", prefix=prefix, after=after, scope=scope, limit=limit))

    @invariant()
    def both_hold_the_same(self) -> None:
        for scope in SCOPES:
            found = self._both(lambda store, scope=scope: store.get(scope, IDS))
            self._both(lambda store, scope=scope: {name: store.history(scope, name) for name in IDS})
            hashes = [record.content_hash for record in found.values()]
            self._both(lambda store, scope=scope, hashes=hashes: store.find(scope, hashes))
        self._both(lambda store: store.positions(SCOPES))
        self._both(lambda store: store.scopes())
        self._both(lambda store: store.count_unindexed())

    def teardown(self) -> None:
        assert self.store.check() == []
        self.store.close()
        shutil.rmtree(self.folder)


def _page(page):
    return list(page.records), page.cursor


def _slice(part):
    return part.position, list(part.rows), part.complete, set(part.gone)


# Each step of SQLite waits for the disk, so the machine keeps the steps few.
Comparison.TestCase.settings = settings(
    max_examples=400, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=False
)
TestSQLiteIsTheReference = Comparison.TestCase
