"""`JsonLinesStore`: the reference store's state, kept in a file. It must not know what a line says.

Every call looks first whether the file has changed, and reads what other processes have appended.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from satchel.errors import InvalidRequest, StoreCorrupt, StoreError, StoreUnavailable
from satchel.ports import Batch, IndexEntry, Put, Use
from satchel.stores.expectations import is_storable
from satchel.stores.jsonl import journal
from satchel.stores.jsonl.compacting import compacted, index_entries
from satchel.stores.jsonl.entries import EntryFile, Known
from satchel.stores.jsonl.journal import NOTHING, look
from satchel.stores.jsonl.lines import batch_lines, is_fleeting, replay, use_lines
from satchel.stores.memory.state import ScopeState, State
from satchel.stores.memory.store import MemoryStore
from satchel.stores.permissions import folder_hindrance

_PREFIX = "jsonl:///"

logger = logging.getLogger("satchel.stores")

_FLEETING = 1000
"""Lines without a lasting meaning that a file may hold before it is compacted by itself."""


def open_store(url: str) -> JsonLinesStore:
    """Open `jsonl:///relative/path.jsonl`, with four slashes an absolute path; the file is made where there is none."""
    path = url.removeprefix(_PREFIX)
    if path == url or not path:
        raise InvalidRequest.of([{"field": "url", "message": f"expected {_PREFIX}path.jsonl"}])
    return JsonLinesStore(path)


def temporary() -> JsonLinesStore:
    """Open a store for a test, in a folder of its own that goes when the store is closed."""
    folder = tempfile.TemporaryDirectory(prefix="satchel-")
    store = JsonLinesStore(Path(folder.name) / "memory.jsonl")
    store.on_close = folder.cleanup
    return store


class JsonLinesStore(MemoryStore):
    """A store in one file, all of which it holds in memory: for what a person wants to read, not for millions.

    Raises StoreCorrupt where the file is damaged or is something else, VersionError where a later Satchel wrote it, StoreUnavailable where
    it cannot be opened. A file that cannot be written is open for reading.
    """

    capabilities = frozenset({"persistent", "multiprocess", "scrub"})

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self.on_close: Callable[[], None] = lambda: None
        # The file itself, not a link to it: a compaction puts another in its place.
        self._path = Path(path).expanduser().resolve()
        self.location = str(self._path)
        self._index = EntryFile(self._path.with_name(self._path.name + ".index"))
        self._begin()
        self._create()
        self._refresh_unless_pinned()
        for notice in self.notices():
            logger.warning(notice)

    def _begin(self) -> None:
        self._look = NOTHING
        self._generation = b""
        self._end = 0
        """Where the last whole batch that was read ends."""
        self._fleeting = 0
        self._known: Known = {}
        """Index entries whose record has not come yet."""

    def _create(self) -> None:
        try:
            with journal.locked(self._path, create=True) as descriptor:
                if os.fstat(descriptor).st_size == 0:
                    self._index.create()
                    journal.append(descriptor, journal.header(journal.new_generation()))
                    journal.sync_folder(self._path)
        except OSError as error:
            if look(self._path) == NOTHING:
                raise journal.unavailable(self._path, error) from error

    # ------------------------------------------------------------ reading

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Make this thread's reads inside the block see one state of the store."""
        self._refresh_unless_pinned()
        with super().reading():
            yield

    @contextmanager
    def _reading(self) -> Iterator[State]:
        self._refresh_unless_pinned()
        with super()._reading() as state:
            yield state

    def _refresh_unless_pinned(self) -> None:
        if getattr(self._pinned, "state", None) is not None:
            return
        try:
            with self._lock:
                self._refresh()
        except StoreCorrupt:
            # It may be that the end was written while it was read. Nobody writes now.
            try:
                with journal.locked(self._path, shared=True), self._lock:
                    self._refresh()
            except OSError as error:
                raise journal.unavailable(self._path, error) from error

    def _refresh(self) -> None:
        """Read what has been appended since the last look, by whoever."""
        self._now()
        try:
            if look(self._path) == self._look and not self._index.has_changed:
                return
            with self._path.open("rb") as file:
                self._look = NOTHING
                found = journal.look_at(file)
                generation, start = journal.read_header(self._path, file.readline())
                if generation != self._generation or found.size < self._end:
                    self._start_anew()
                    self._generation, self._end = generation, start
                # Entries first: a writer writes them before the batch that they belong to.
                replaced = self._index.read_new(self._known)
                self._read_batches(file)
            self._look = found
        except FileNotFoundError:
            raise StoreUnavailable(f"{self._path} is gone", path=str(self._path)) from None
        except OSError as error:
            raise journal.unavailable(self._path, error) from error
        self._settle_index(replaced)

    def _start_anew(self) -> None:
        """Forget what was read: this is another file. What others hold of the index is not brought up to date from it, but read again."""
        scopes = {name: ScopeState(indexed=scope.indexed + 1) for name, scope in self._now().scopes.items()}
        self._begin()
        self._index.forget()
        self._state = State(scopes)

    def _read_batches(self, file: IO[bytes]) -> None:
        if not self._end:
            return
        for end, lines in journal.read_batches(self._path, file, self._end):
            state = self._writable()
            for line in lines:
                try:
                    replay(state, line, self._known)
                except StoreCorrupt as error:
                    raise journal.at_line(self._path, line, end, error) from None
            self._count(lines)
            self._end = end

    def _settle_index(self, replaced: bool) -> None:
        """Give the entries that came apart from their records to those that are there."""
        if replaced:
            self._writable().clear_vectors()
        late = []
        for key, (terms, vector) in list(self._known.items()):
            scope, record_id, content = key
            row = self._now().scope(scope).rows.get(record_id)
            if row is not None and row.record.content_hash == content:
                del self._known[key]
                if terms not in (None, row.terms) or vector not in (None, row.vector):
                    late.append(IndexEntry(scope, record_id, content, terms, vector))
        if late:
            self._writable().index(late)

    # ------------------------------------------------------------ writing

    @contextmanager
    def _writing(self) -> Iterator[int]:
        """Hold the file's lock, at the end of what everybody has written."""
        try:
            with journal.locked(self._path) as descriptor, self._lock:
                self._refresh()
                self._cut_tail(descriptor)
                if not self._end:
                    self._generation = journal.new_generation()
                    journal.append(descriptor, journal.header(self._generation))
                    self._end = len(journal.header(self._generation))
                yield descriptor
        except OSError as error:
            raise journal.unavailable(self._path, error) from error

    def _cut_tail(self, descriptor: int) -> None:
        tail = journal.cut_torn_tail(descriptor, self._path, self._end)
        if tail.lines:
            torn = journal.torn_path(self._path)
            logger.warning("%s: %d whole lines behind the last finished write were moved to %s", self._path, tail.lines, torn)

    @contextmanager
    def _following(self) -> Iterator[None]:
        """Let the files follow what stands in memory already. Where they cannot, memory is read from them again."""
        generation, self._generation, self._look = self._generation, b"", NOTHING
        yield
        self._generation = generation

    def _append(self, descriptor: int, lines: list[bytes], *, durable: bool) -> None:
        data = journal.sealed(lines)
        journal.append(descriptor, data, durable=durable)
        self._end += len(data)
        self._look = look(self._path)
        self._count(lines)

    def _compact_where_worth_it(self) -> None:
        if self._fleeting > _FLEETING and self._fleeting > 2 * self._lasting():
            self._fleeting = 0
            # What was written is safe without it.
            with suppress(OSError):
                self._compact()

    def _lasting(self) -> int:
        """Return how many lines a compaction would keep of those that may be overtaken, at most."""
        state = self._now()
        return sum(len(scope.rows) for scope in state.scopes.values()) + sum(map(len, state.documents.values()))

    def _count(self, lines: Iterable[bytes]) -> None:
        self._fleeting += sum(map(is_fleeting, lines))

    def apply(self, batch: Batch) -> int:
        """Write a batch atomically and durably."""
        if not batch.changes and not batch.documents:
            return self._position_where_writable()
        with self._writing() as descriptor:
            position = self._writable().apply(batch)
            with self._following():
                self._index.append(_entries(batch))
                self._append(descriptor, list(batch_lines(batch)), durable=True)
            self._compact_where_worth_it()
        return position

    def _position_where_writable(self) -> int:
        """Return the last position, having looked whether the file may be written; what stands behind its end stays there."""
        try:
            with journal.locked(self._path), self._lock:
                self._refresh()
                return self._writable().apply(Batch())
        except OSError as error:
            raise journal.unavailable(self._path, error) from error

    def touch(self, uses: Iterable[Use]) -> None:
        """Record usage; a power failure may lose the last of it."""
        given = [use for use in uses if is_storable(use.scope) and is_storable(use.id)]
        if not given:
            return
        with self._writing() as descriptor:
            state = self._writable()
            for use in given:
                state.touch(use)
            with self._following():
                self._append(descriptor, list(use_lines(given)), durable=False)
            self._compact_where_worth_it()

    def write_index(self, entries: Iterable[IndexEntry]) -> int:
        """Write index entries apart from their records."""
        given = list(entries)
        with self._writing():
            self._index.append(given)
            return self._writable().index(given)

    def clear_vectors(self) -> None:
        """Drop every vector."""
        with self._writing():
            state = self._writable()
            state.clear_vectors()
            with self._following():
                self._index.write_anew(index_entries(state))

    # ------------------------------------------------------------ looking after

    def close(self) -> None:
        """Let everything go; the file has it."""
        super().close()
        self.on_close()

    def scrub(self) -> bool:
        """Write the files anew without what was erased. False while a reader of this process still sees it."""
        with self._writing():
            self._compact()
            journal.torn_path(self._path).unlink(missing_ok=True)
        return super().scrub()

    def _compact(self) -> None:
        state, generation = self._now(), journal.new_generation()
        with self._following(), journal.replacing(self._path, compacted(state, generation)) as found:
            self._index.write_anew(index_entries(state))
        self._generation, self._look, self._end = generation, found, found.size
        self._fleeting = 0

    def check(self) -> list[str]:
        """Read the whole file again, and look whether the index file is there."""
        state = State()
        try:
            with journal.locked(self._path, shared=True), self._path.open("rb") as file:
                _, start = journal.read_header(self._path, file.readline())
                for _, lines in journal.read_batches(self._path, file, start):
                    for line in lines:
                        replay(state, line, {})
        except StoreCorrupt as error:
            return [str(error)]
        except OSError as error:
            return [str(journal.unavailable(self._path, error))]
        if not self._index.is_there and any(scope.rows for scope in state.scopes.values()):
            return [f"{self._path.name}.index is gone, so that recall finds little; `satchel reindex --everything` makes it again"]
        return self._found_beside()

    def notices(self) -> list[str]:
        """Tell of whole lines that are not read, for no writer has finished with them."""
        try:
            # With the lock, so that no write under way is taken for one that was broken off.
            with journal.locked(self._path, shared=True), self._lock:
                self._refresh()
                tail = journal.tail_behind(self._path, self._end)
        except (OSError, StoreError):
            return []
        return [tail.told(self._path)] if tail.lines else []

    def _found_beside(self) -> list[str]:
        why = folder_hindrance(self._path) if os.access(self._path, os.W_OK) else None
        return [] if why is None else [f"what is forgotten stays in the file, for it cannot be written anew: {why}"]


def _entries(batch: Batch) -> Iterator[IndexEntry]:
    for change in batch.changes:
        if isinstance(change, Put) and not change.record.is_tombstone and (change.terms or change.vector is not None):
            yield IndexEntry(change.record.scope, change.record.id, change.record.content_hash, change.terms or None, change.vector)
