"""The ports the engine drives: Store, VectorIndex, WorkingStore, Embedder, Clock. A backend implements them and inherits everything above.

A store keeps truth (records, the change log, small documents) and, beside it, index entries that can be rebuilt from it.
It never ranks, never fills in defaults, never decides who may read: it enforces the scopes it is given, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord
from satchel.protocol.working import WorkingSnapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Clock = Callable[[], datetime]
"""Returns the present as an aware datetime. Tests move it by days."""

Order = Literal["id", "updated"]
"""Order of a scan: by (scope, id), or by `updated_at` descending, then scope, then id. Text compares by code point."""


# ---------------------------------------------------------------- writing


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What the change log says of one change: who did what, when and why. The store adds the record before the change, without usage.

    `position`: the place in the log that it is to have, beyond the last there is, as in the store that it is copied from; None, the next.
    """

    operation: str
    agent: str | None
    at: datetime
    reason: str | None = None
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """Write the whole new state of one record.

    `expect`: the revision the store must hold now; 0, the id must be absent; None, either.
    `terms`: the packed lexical entry, `vector`: little-endian float16 of the embedder's dimension, or None until it is known.
    Where neither is given and the content is what it was, the entry that is there stays. The record's usage is merged by maximum.
    `only_if_new_content`: refuse when another record of the scope has the same `content_hash`.
    A tombstone erases: index entries and usage go, and so do the record's earlier payloads and reasons in the change log.
    """

    record: MemoryRecord
    log: LogEntry
    expect: int | None = None
    terms: bytes = b""
    vector: bytes | None = None
    only_if_new_content: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """Take a record out without a tombstone, its payloads in the log included (undoing an import, moving a scope)."""

    scope: str
    id: str
    log: LogEntry
    expect: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """Something small that is not a memory: a receipt, a token, a plan. `value=None` deletes it.

    `expect`: the integer member `version` that the value must have now; 0, the document must be absent; None, either. A value without
    one meets no expectation.
    """

    collection: str
    key: str
    value: Mapping[str, Any] | None
    scope: str | None = None
    expect: int | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Changes that happen together or not at all. Each is judged, and logged, after those before it."""

    changes: Sequence[Put | Remove] = ()
    documents: Sequence[Document] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """One record was used `count` times, last at `at`."""

    scope: str
    id: str
    at: datetime
    count: int = 1


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """Index data of one record, written only while its content still has this hash. None leaves a part as it is."""

    scope: str
    id: str
    content_hash: str
    terms: bytes | None = None
    vector: bytes | None = None


# ---------------------------------------------------------------- reading


class Position(NamedTuple):
    """How far a scope has come: `change`, the log position of its last change; `indexed`, bumped when index entries are written apart."""

    change: int
    indexed: int


class IndexRow(NamedTuple):
    """What ranking must know of one record that is not a tombstone.

    Times are Unix seconds (float); `moment` is created_at, else stored_at; `expires` is inf where there is none;
    `accessed` is 0 where the record never was used.
    """

    id: str
    type: str
    status: str
    origin: str
    moment: float
    updated: float
    stored: float
    accessed: float
    access_count: int
    score: float
    half_life: float
    pinned: bool
    expires: float
    tags: tuple[str, ...]
    terms: bytes
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class IndexSlice:
    """Index rows of one scope: all of them (`complete`), or those that changed after a position, with the ids that are gone."""

    position: Position
    rows: Iterable[IndexRow]
    complete: bool
    gone: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as it stands, usage included, with all that is kept beside it; `change` is the log position of its last change."""

    record: MemoryRecord
    change: int
    terms: bytes
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the change log. `before` is None for a creation, and where erasure has reached it (`erased`)."""

    position: int
    scope: str
    id: str
    revision: int
    operation: str
    agent: str | None
    at: datetime
    reason: str | None
    before: MemoryRecord | None
    erased: bool = False


@dataclass(frozen=True, slots=True)
class RecordPage:
    """Records in the order asked for; `cursor` continues after the last one, None at the end."""

    records: Sequence[MemoryRecord]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ScopeCount:
    """A scope and its number of records by status."""

    scope: str
    counts: Mapping[str, int]


class Unindexed(NamedTuple):
    """A record whose content has no vector yet."""

    scope: str
    id: str
    content_hash: str
    content: str


@runtime_checkable
class Store(Protocol):
    """Where memory rests. Every method may be called from any thread; every failure is a StoreError, Conflict or InvalidRequest.

    Scopes are canonical. An unknown scope is an empty one.
    """

    capabilities: frozenset[str]
    """Declared abilities: `persistent`, `multiprocess`, `scrub` (erased content leaves the files)."""

    location: str
    """Where it is, for a person to read; holds no password."""

    def apply(self, batch: Batch) -> int:
        """Write a batch atomically and durably; return the log position after it. An acknowledged batch survives a kill.

        Raises:
            Conflict: an expectation failed (`details["failed"]`: the indexes of the changes, `details["documents"]`: those of the
                documents); nothing was written.
            InvalidRequest: what cannot be kept, or positions that do not grow from beyond the log's last, or are given to some only.
        """
        ...

    def get(self, scope: str, ids: Collection[str]) -> dict[str, MemoryRecord]:
        """Return the records (tombstones included) that exist, by id, with their usage."""
        ...

    def stored(self, scope: str, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Return the records (tombstones included) that exist, by id, with their index entries: what a copy carries over."""
        ...

    def find(self, scope: str, hashes: Collection[str]) -> dict[str, str]:
        """Return, by content hash, the id of a record of the scope with that content: an active one before others, then the smallest id."""
        ...

    def scan(
        self, scopes: Collection[str], where: RecordFilter, *, order: Order = "id", cursor: str | None = None, limit: int = 100
    ) -> RecordPage:
        """Return one page of the records of exactly these scopes that match."""
        ...

    def positions(self, scopes: Collection[str]) -> dict[str, Position]:
        """Return each scope's position; (0, 0) for one that never was written.

        The greatest of several scopes is a place to go on from once `changes` of them has come to it, not before.
        """
        ...

    def index_slice(self, scope: str, after: Position | None = None) -> IndexSlice:
        """Return the scope's index rows: all, or where `after` is given and still answerable, only what changed since."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """Make this thread's reads inside the block see one state of the store."""
        ...

    def touch(self, uses: Iterable[Use]) -> None:
        """Record usage. No revision, no log entry, no change of position; unknown records are passed over."""
        ...

    def changes(self, scopes: Collection[str] | None, *, after: int = 0, limit: int = 1000) -> list[Change]:
        """Return log entries after a position, oldest first, of these scopes (None: of all).

        Of several scopes, none that a change still under way could come before: who goes on after the last one given misses nothing.
        """
        ...

    def history(self, scope: str, id: str) -> list[Change]:
        """Return one record's log entries, oldest first."""
        ...

    def histories(self, scope: str, ids: Collection[str]) -> dict[str, list[Change]]:
        """Return the log entries of several records of a scope, by id, each record's oldest first; those without any are left out."""
        ...

    def scopes(self) -> list[ScopeCount]:
        """Return every scope that holds a record or a tombstone, ordered by scope."""
        ...

    def document(self, collection: str, key: str) -> dict[str, Any] | None:
        """Return one document's value."""
        ...

    def documents(
        self, collection: str, *, scope: str | None = None, prefix: str = "", after: str | None = None, limit: int = 1000
    ) -> list[Document]:
        """Return documents of a collection in key order, of one scope where given, keys after `after`."""
        ...

    def collections(self) -> list[str]:
        """Return the names of the collections that hold a document, in order."""
        ...

    def write_index(self, entries: Iterable[IndexEntry]) -> int:
        """Write index entries apart from their records; return how many were still current."""
        ...

    def unindexed(self, *, after: tuple[str, str] | None = None, limit: int = 256) -> list[Unindexed]:
        """Return records without a vector, ordered by (scope, id), after a (scope, id)."""
        ...

    def count_unindexed(self) -> int:
        """Return how many records have no vector."""
        ...

    def clear_vectors(self) -> None:
        """Drop every vector (another embedder is to fill them)."""
        ...

    def scrub(self) -> bool:
        """Remove what erasure left in the files: free pages, write-ahead log. False when something (a reader) still holds it."""
        ...

    def check(self) -> list[str]:
        """Return what is wrong with the store, a sentence each; empty when it is sound."""
        ...

    def close(self) -> None:
        """Release everything. Acknowledged writes need no close to be safe."""
        ...


# ---------------------------------------------------------------- external vector indexes


class VectorEntry(NamedTuple):
    """A record's vector as an external index keeps it. `checksum` is of the vector's stored form: a stale entry has another one."""

    id: str
    checksum: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IndexDescription:
    """Whose vectors an index holds: the embedder's name and dimension, and the store that they are a copy of."""

    embedder: str
    dimension: int
    store: str


@runtime_checkable
class VectorIndex(Protocol):
    """A copy of the vectors of a store, in an engine that searches them (STO-2). Every method may be called from any thread.

    It holds no truth: whatever is lost is put again. Scopes are canonical, an unknown one is empty, and every method that reads takes
    exactly one and filters by it in the engine's own query (STO-3); an empty text is no scope, and a StoreError. Vectors have length 1,
    about; products are those with the vectors as they were given. Opening one connects to nothing: every failure is a StoreError of the
    method called, and a later call may succeed.
    """

    capabilities: frozenset[str]
    """Declared abilities: `persistent`, `multiprocess`, `scrub` (removed vectors leave its files at once)."""

    location: str
    """Where it is, for a person to read; holds no password."""

    def describe(self) -> IndexDescription | None:
        """Return what `clear` was told last; None where the index is missing or was emptied."""
        ...

    def clear(self, description: IndexDescription) -> None:
        """Drop every entry and every position, and begin anew for these vectors."""
        ...

    def position(self, scope: str) -> Position | None:
        """Return how far the index has come with a scope: what `mark` was told last; None where nothing was since `clear`."""
        ...

    def mark(self, scope: str, position: Position | None) -> None:
        """Keep a scope's position, beside the entries; None takes it back. What was put before is durable at least as far as this is."""
        ...

    def marks(self) -> dict[str, Position]:
        """Return the position of every scope that has one."""
        ...

    def put(self, scope: str, entries: Sequence[VectorEntry]) -> None:
        """Write entries over those with the same ids. They are found from now on.

        Raises:
            StoreError: nothing was cleared yet, or another dimension than it was cleared for; entries may be there in part.
        """
        ...

    def remove(self, scope: str, ids: Collection[str]) -> None:
        """Remove entries; ids that are not there are passed over. They are not found from now on."""
        ...

    def search(self, scope: str, vector: NDArray[np.float32], limit: int, *, exact: bool = False) -> list[tuple[str, float]]:
        """Return the ids with the greatest products with a vector, greatest first, with the products.

        `exact`: as if every entry of the scope were measured; without it the engine may miss some of the nearest, but not their number.
        """
        ...

    def vectors(self, scope: str, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of those of the ids that are there, exactly as they were put."""
        ...

    def checksums(self, scope: str) -> dict[str, str]:
        """Return the checksum of every entry of a scope, by id."""
        ...

    def count(self, scope: str) -> int:
        """Return the number of entries of a scope."""
        ...

    def check(self) -> list[str]:
        """Return what is wrong with the index, a sentence each, one that cannot be reached among them; empty when it is sound."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...


# ---------------------------------------------------------------- working memory


@runtime_checkable
class WorkingStore(Protocol):
    """Where the snapshots of sessions rest, outside the process that works with them (WRK-2). Every method may be called from any thread.

    It never merges, and loses no session that is not over: what such a one holds is in no record yet. Every failure is a StoreError,
    Conflict or InvalidRequest.
    """

    @property
    def capabilities(self) -> frozenset[str]:
        """`persistent`, `multiprocess`, and `scrub`: a scrubbing that is done has left nothing erased in any file."""
        ...

    @property
    def location(self) -> str:
        """Where it is, for a person; without a password."""
        ...

    def load(self, scope: str, session: str) -> WorkingSnapshot | None:
        """Return a session's snapshot, whoever saved it."""
        ...

    def save(self, snapshot: WorkingSnapshot, *, expect: int, lasting: float | None = None) -> None:
        """Write a snapshot durably over the one of version `expect`; 0, there must be none. Its own version is greater.

        `lasting`: seconds until its time is up, unless it is saved again. From then on a store that keeps time itself may drop a session
        that is over, and tells of one that is not by `expired`.

        Raises:
            Conflict: there is another version (`details["expected"]`, `details["actual"]`); nothing was written.
        """
        ...

    def drop(self, scope: str, session: str, *, expect: int | None = None) -> None:
        """Remove a session's snapshot, where there is one; with `expect` only in that version.

        Raises:
            Conflict: there is another version, or with `expect` none.
        """
        ...

    def snapshots(self, scope: str | None = None, *, after: tuple[str, str] | None = None, limit: int = 100) -> list[WorkingSnapshot]:
        """Return snapshots of one scope, or of all, ordered by (scope, session), after such a pair."""
        ...

    def expired(self, before: datetime, *, ended: bool, scope: str | None = None, limit: int = 100) -> list[WorkingSnapshot]:
        """Return snapshots of sessions that are over, or are not, the oldest first: those whose `updated_at` lies before a moment.

        A store that keeps time itself adds those, not over, whose `lasting` has run out by its own clock.
        """
        ...

    def scrub(self) -> bool:
        """Remove what erasure left in the files, as far as is its own work. False when that is not finished."""
        ...

    def check(self) -> list[str]:
        """Return what is wrong, a sentence each; empty when it is sound."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...


# ---------------------------------------------------------------- embedding

Vectors: TypeAlias = "NDArray[np.float32]"
"""Shape (texts, dimension), rows of length 1."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic model of relevance: p = 1 / (1 + exp(-(bias + cosine·c + coverage·v + both·c·v + mismatch·m))).

    c is the best cosine of the query with the record, v the idf-weighted share of query terms the record covers, m how far their
    languages differ (0..1): across languages cosines are lower, and terms are not shared.
    """

    bias: float
    cosine: float
    coverage: float
    both: float = 0.0
    mismatch: float = 0.0


@runtime_checkable
class Embedder(Protocol):
    """Turns text into vectors. Deterministic; safe under threads; takes any text a record may hold, empty text included."""

    name: str
    """Recorded with the index; changes whenever the vectors would."""

    dimension: int

    calibration: Calibration

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed memories."""
        ...


# ---------------------------------------------------------------- consolidating


@runtime_checkable
class Consolidator(Protocol):
    """Writes one memory out of several of one topic, as a model can (RET-6). Without one, the engine joins their sentences."""

    def consolidate(self, memories: Sequence[MemoryRecord]) -> Mapping[str, Any]:
        """Return `content`, the text, and `sources`, the ids of every memory given.

        The answer is checked: a wrong shape, a memory or a number left out, and nothing is archived.
        """
        ...


# ---------------------------------------------------------------- comparing


class Relation(StrEnum):
    """How a newer memory stands to an older: in contradiction they cannot both hold, apart they have nothing to do with each other."""

    SAME = "same"
    REPLACES = "replaces"
    CONTRADICTS = "contradicts"
    APART = "apart"


class Verdict(NamedTuple):
    """The relation, and in a sentence why.

    The sentence quotes nothing of the memories: it is kept in the change log, where erasure does not look for words.
    """

    relation: Relation
    reason: str


@runtime_checkable
class Judge(Protocol):
    """Compares two short memories before the built-in rules do, with a model for instance."""

    def judge(self, older: str, newer: str) -> Verdict | None:
        """Say how the newer text stands to the older; None leaves it to the rules, as does anything raised."""
        ...
