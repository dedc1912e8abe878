"""The engine's side of an external vector index: it follows the truth, is left alone while it is down, and mends itself (STO-2).

Whatever happens to the index, no truth depends on it: what it lacks is put again from the store's vectors, without any embedding.
It must not know which engine it is, nor how candidates are ranked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from satchel.engine.index.entries import chunks, entries_of
from satchel.engine.index.inspecting import OTHERS, TAKE_OVER, Inspection
from satchel.engine.index.reach import IndexLost, Reach
from satchel.errors import Conflict, SatchelError, StoreError, StoreUnavailable
from satchel.ports import Batch, Document, IndexDescription, IndexSlice, Position, Store, VectorIndex
from satchel.protocol.record import new_id

if TYPE_CHECKING:
    from satchel.engine.index.nearness import Float32
    from satchel.engine.notes import Notes

COPYING = "external-index-copying"

INLINE = 1_000
"""Rows that a recall copies to the index before it answers; more are copied in the background, and words answer meanwhile."""

_PATIENCE_SECONDS = 5.0
_COLLECTION, _KEY = "index", "copied-as"


class _TooMany(Exception):
    """There is more to copy than a recall waits for."""


class ExternalIndex:
    """An index and how far it has come, shared by all engines over one core. Safe under threads.

    `dimension` is that of the vectors that may be copied now, with the embedder's name; 0 for none.
    """

    def __init__(self, index: VectorIndex, store: Store, notes: Notes) -> None:
        self._index = index
        self._store = store
        self._notes = notes
        self._reach = Reach(index.location, notes, self._forget)
        self._ask = self._reach.ask
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._synced: dict[str, Position] = {}
        self._ahead: dict[str, Position] = {}
        self._purged: dict[str, int] = {}
        self._described: IndexDescription | None = None
        self._store_id = ""
        self._waiting: dict[str, IndexDescription] = {}
        self._worker: threading.Thread | None = None
        self._closing = threading.Event()

    @property
    def location(self) -> str:
        """Where the index is."""
        return self._index.location

    @property
    def scrubs(self) -> bool:
        """Whether removed vectors leave the index's files at once."""
        return "scrub" in self._index.capabilities

    @property
    def resting(self) -> bool:
        """Whether the index failed lately, and is left alone."""
        return self._reach.resting

    def ready(self, scope: str, position: Position) -> bool:
        """Tell whether the index has come as far with a scope as this, and may be asked."""
        return not self.resting and self._synced.get(scope, Position(-1, -1)) >= position

    # ------------------------------------------------------------ asking

    def search(self, scope: str, vector: Float32, limit: int, *, exact: bool) -> list[tuple[str, float]]:
        """Return ids and products, greatest first. Raises IndexLost."""
        return self._ask(self._index.search, scope, vector, limit, exact=exact)

    def vectors(self, scope: str, ids: Collection[str]) -> dict[str, Float32]:
        """Return the vectors of those of the ids that are there. Raises IndexLost."""
        return self._ask(self._index.vectors, scope, ids)

    def expect(self, scope: str, count: int, position: Position) -> None:
        """Raise IndexLost where the index holds fewer entries of a scope than it should, and is no newer: it was emptied, or rebuilt."""
        if self._ask(self._index.count, scope) >= count:
            return
        now = self._ask(self._index.position, scope)
        if now is None or now <= position:
            self._forget(scope)
            if now is not None:
                self._ask(self._index.mark, scope, None)
            raise IndexLost

    def _forget(self, scope: str | None = None) -> None:
        with self._guard:
            self._described = None
            if scope is None:
                self._synced.clear()
            else:
                self._synced.pop(scope, None)

    @contextmanager
    def _alone(self, scope: str, patience: float) -> Iterator[bool]:
        """Take a scope's turn, and tell whether it was to be had: whoever waits may hold a state of the store open."""
        with self._guard:
            lock = self._locks.setdefault(scope, threading.Lock())
        got = lock.acquire(timeout=patience)
        try:
            yield got
        finally:
            if got:
                lock.release()

    # ------------------------------------------------------------ following

    def follow(self, scope: str, position: Position, embedder: str, dimension: int) -> None:
        """Bring the index as far as a scope has come, if it is not; much is left to the background. Never raises for the index's sake."""
        if self.resting or not self._store_id or (self._synced.get(scope, Position(-1, -1)) >= position and scope not in self._ahead):
            return
        about = IndexDescription(embedder, dimension, self._store_id)
        with self._alone(scope, 0.0) as mine:
            if not mine or scope in self._waiting:
                return
            try:
                self._bring(scope, about, most=INLINE)
            except IndexLost:
                return
            except _TooMany:
                self._leave_to_background(scope, about)

    def open(self) -> None:
        """Give the store the name by which the index knows it. Call on opening: it may write."""
        try:
            if self._store.document(_COLLECTION, _KEY) is None:
                # Written by whoever is first; the others read what that one wrote.
                with suppress(Conflict):
                    self._store.apply(Batch(documents=[Document(_COLLECTION, _KEY, {"id": new_id(), "version": 1}, expect=0)]))
            self._store_id = str((self._store.document(_COLLECTION, _KEY) or {}).get("id"))
        except StoreError as error:
            self._reach.refused(f"the vector index {self.location} is not used: {error.message}")

    def _prepare(self, about: IndexDescription) -> None:
        """See that the index is for these vectors; one of another embedder is begun anew, one of another store is left as it is."""
        found = self._ask(self._index.describe)
        if found is not None and found.store != about.store:
            raise self._reach.refused(f"{OTHERS.format(self.location)}; recall goes on with words alone: {TAKE_OVER}")
        if found != about:
            self._forget()
            self._ask(self._index.clear, about)
        self._described = about

    def _bring(self, scope: str, about: IndexDescription, *, most: int | None = None) -> int:
        """Copy what the index lacks of a scope, in its turn, and return how many entries that were.

        What was copied stays, however this ends: only the mark at the end says that it is all.
        """
        if self._described != about:
            self._prepare(about)
        marked = self._ask(self._index.position, scope)
        if marked is None:
            self._prepare(about)
        current = self._store.positions((scope,))[scope]
        if marked is not None and marked > current:
            # Another process may know more than the state that is read here. If it is still so later, the store was set back.
            if self._ahead.get(scope) != marked:
                self._ahead[scope] = marked
                self._synced[scope] = current
                return 0
            marked = None
        self._ahead.pop(scope, None)
        copied = self._copy(scope, marked, about.dimension, most)
        self._reach.answered()
        return copied

    def _copy(self, scope: str, marked: Position | None, dimension: int, most: int | None) -> int:
        part, held = self._compared(scope, marked)
        if part.position.change < self._purged.get(scope, 0):
            return 0  # this state of the store is older than what was forgotten since
        copied = 0
        living: set[str] = set()
        for rows in chunks(part.rows):
            entries, bare = entries_of(rows, dimension)
            living.update(entry.id for entry in entries)
            lacking = [entry for entry in entries if held.get(entry.id) != entry.checksum]
            if most is not None and copied + len(lacking) > most:
                raise _TooMany
            if self._closing.is_set():
                raise IndexLost
            if lacking:
                self._ask(self._index.put, scope, lacking)
            if not part.complete and bare:
                self._ask(self._index.remove, scope, bare)
            copied += len(lacking)
        gone = held.keys() - living if part.complete else part.gone
        if gone:
            self._ask(self._index.remove, scope, gone)
        now = self._ask(self._index.position, scope)
        # Another process copied at the same time, from another state: whatever it put last, what changed since is put again.
        self._ask(self._index.mark, scope, part.position if now in (marked, part.position) else marked)
        self._synced[scope] = part.position
        return copied

    def _compared(self, scope: str, marked: Position | None) -> tuple[IndexSlice, dict[str, str]]:
        """Return what changed in a scope; or all of it, with the checksums of what the index holds, read before it."""
        part = self._store.index_slice(scope, marked)
        if not part.complete:
            return part, {}
        # In this order: an entry that another process puts meanwhile is not taken for one that is left over.
        held = self._ask(self._index.checksums, scope)
        return self._store.index_slice(scope), held

    # ------------------------------------------------------------ in the background

    def _leave_to_background(self, scope: str, about: IndexDescription) -> None:
        with self._guard:
            self._waiting[scope] = about
            self._notes.add(COPYING, f"vectors are being copied to {self.location}; until that is done, recall goes on with words alone")
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="satchel-external-index", daemon=True)
                self._worker.start()

    def _work(self) -> None:
        try:
            self._copy_what_waits()
        except BaseException:
            with self._guard:
                self._worker = None
            raise

    def _copy_what_waits(self) -> None:
        while not self._closing.is_set():
            with self._guard:
                if not self._waiting:
                    self._worker = None
                    self._notes.drop(COPYING)
                    return
                scope, about = next(iter(self._waiting.items()))
            try:
                with self._alone(scope, _PATIENCE_SECONDS) as mine:
                    if mine:
                        self._bring(scope, about)
            except (IndexLost, SatchelError):
                pass  # whoever asks next finds it not ready, and begins again where this ended
            finally:
                with self._guard:
                    self._waiting.pop(scope, None)

    # ------------------------------------------------------------ forgetting

    def purge(self, scopes: Iterable[str]) -> bool:
        """Remove what the store no longer holds of these scopes; return whether all of it is out of the index (RET-5)."""
        try:
            return not [scope for scope in scopes if not self._purge(scope)]
        except IndexLost:
            return False

    def _purge(self, scope: str) -> bool:
        about = self._ask(self._index.describe)
        if about is None or about.store != self._store_id:
            return True
        marked = self._ask(self._index.position, scope)
        part, held = self._compared(scope, marked)
        living = {row.id: bool(row.vector) for row in part.rows}
        gone = {*part.gone, *(name for name, has in living.items() if not has), *(held.keys() - living.keys())}
        with self._alone(scope, _PATIENCE_SECONDS) as mine:
            if not mine:
                return False
            self._purged[scope] = max(part.position.change, self._purged.get(scope, 0))
            self._ask(self._index.remove, scope, gone)
            if self._ask(self._index.position, scope) != marked:
                self._ask(self._index.mark, scope, marked)
                self._synced.pop(scope, None)
        return True

    # ------------------------------------------------------------ looking after

    def reindex(self, embedder: str, dimension: int, *, everything: bool, resume: bool, seconds: float) -> int:
        """Compare every scope with the store and copy what lacks, with `everything` after emptying the index, for about so long.

        Return how many records are in scopes still to do: `resume` then goes on. Raises StoreUnavailable.
        """
        try:
            if not resume:
                self._begin_anew(embedder, dimension, everything)
            return self._carry_on(embedder, dimension, seconds)
        except IndexLost as error:
            raise StoreUnavailable(str(error) or f"the vector index {self.location} cannot be reached") from error

    def _begin_anew(self, embedder: str, dimension: int, everything: bool) -> None:
        self._reach.wake()
        self._forget()
        about = IndexDescription(embedder, dimension, self._store_id)
        if everything:
            self._ask(self._index.clear, about)
        else:
            self._prepare(about)
            known = {found.scope for found in self._store.scopes()}
            for scope in self._ask(self._index.marks):
                if scope not in known:
                    self._ask(self._index.remove, scope, self._ask(self._index.checksums, scope).keys())
                self._ask(self._index.mark, scope, None)
        self._described = about

    def _carry_on(self, embedder: str, dimension: int, seconds: float) -> int:
        about = IndexDescription(embedder, dimension, self._store_id)
        self._reach.wake()
        until = time.monotonic() + seconds
        marks = self._ask(self._index.marks)
        counts = {
            found.scope: sum(count for status, count in found.counts.items() if status != "deleted") for found in self._store.scopes()
        }
        left = {scope: count for scope, count in counts.items() if scope not in marks}
        for scope in list(left):
            with self._alone(scope, _PATIENCE_SECONDS) as mine:
                if mine:
                    self._bring(scope, about)
                    left.pop(scope, None)
            if time.monotonic() > until:
                break
        return sum(left.values())

    def inspection(self) -> Inspection:
        """Return what `doctor` looks the index over with."""
        return Inspection(self._index, self._store, self._store_id, self._reach)

    def close(self) -> None:
        """Stop copying, and release the index. What is not copied yet waits for the next time."""
        self._closing.set()
        worker = self._worker
        if worker is not None:
            worker.join()
        self._index.close()
