"""What every external index shares: positions kept as entries, turns, and errors. An engine adds eleven small methods.

It must not know which engine it is.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from satchel.errors import SatchelError, StoreError, StoreUnavailable
from satchel.indexes.address import Address
from satchel.ports import IndexDescription, Position, VectorEntry

logger = logging.getLogger("satchel.indexes")
"""What it says of files that it moved is for whoever is there: the command line shows it."""

Vector: TypeAlias = "NDArray[np.float32]"

TIMEOUT_SECONDS = 5
"""How long a server may take to answer."""

BOOK = ""
"""Not a scope, for none is empty: here the scopes' positions stand, as entries, so that whoever empties an index takes them too."""

MARK = "satchel-index.{}"
"""The file that says whose a folder is, by its name alone: what is in it may be damaged."""

_SAID = "Satchel keeps vectors here. They are a copy: whoever deletes this folder loses no memory, and recall fills it again.\n"

_DESCRIPTION = ""
_PART = 500
_LONGEST = 300


class Foreign(StoreUnavailable):
    """What is at an index's place is somebody else's."""

    def __init__(self, message: str) -> None:
        super().__init__(message, foreign=True)


class Held(NamedTuple):
    """An entry as the engine returned it; `vector` where it was asked for."""

    id: str
    checksum: str
    vector: Sequence[float] | Vector | None = None


def entry_key(scope: str, record_id: str) -> str:
    """Return the name of an entry in an engine that wants UUIDs: the same for the same record, another for every other one."""
    return str(UUID(bytes=blake2b(f"{scope}\0{record_id}".encode(), digest_size=16).digest()))


class BaseIndex(ABC):
    """A `VectorIndex` over eleven methods of an engine. These may raise anything, and are called one at a time where it is a folder.

    `_connect` is called before the others, and again after a failure, or when the folder has been taken away.
    """

    capabilities = frozenset({"persistent"})

    library: ClassVar[str | None] = None
    """What takes so long to import that it waits until the index is first asked. Importing it is not counted as time to fail."""

    def __init__(self, address: Address) -> None:
        self.location = address.text
        self._address = address
        self._lock: AbstractContextManager[object] = threading.RLock() if address.path is not None else nullcontext()
        self._opening = threading.Lock()
        self._connected = False
        self._loaded_library = False
        self._seen: tuple[int, int] | None = None
        self._dimension = 0

    # ------------------------------------------------------------ what an engine adds

    @abstractmethod
    def _connect(self) -> None:
        """Open the folder, or reach the server."""

    @abstractmethod
    def _disconnect(self) -> None:
        """Let go of it. It may be gone already."""

    @abstractmethod
    def _exists(self) -> bool:
        """Tell whether the collection is there."""

    @abstractmethod
    def _create(self, dimension: int) -> None:
        """Make the collection. Its metric is the plain product: nothing may be normalised."""

    @abstractmethod
    def _drop(self) -> None:
        """Remove the collection."""

    @abstractmethod
    def _put(self, scope: str, entries: Sequence[VectorEntry]) -> None:
        """Write at most `_PART` entries over those with the same ids, to be seen by the next call."""

    @abstractmethod
    def _remove(self, scope: str, ids: Sequence[str]) -> None:
        """Remove at most `_PART` entries, to be missed by the next call."""

    @abstractmethod
    def _search(self, scope: str, vector: Vector, limit: int, exact: bool) -> list[tuple[str, float]]:
        """Return ids and products, greatest first."""

    @abstractmethod
    def _fetch(self, scope: str, ids: Sequence[str] | None, vectors: bool) -> list[Held]:
        """Return at most `_PART` entries by their ids, or all of the scope."""

    @abstractmethod
    def _count(self, scope: str) -> int:
        """Return the number of entries of a scope."""

    @abstractmethod
    def _size(self) -> int:
        """Return the number of all entries of the collection, whoever put them there."""

    def _witness(self) -> Path | None:
        """Return what of the folder is there as long as the folder is what it was; None for a server."""
        return self._address.path

    # ------------------------------------------------------------ turns

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock:
            importing = self._load()
            try:
                self._reach()
                yield
            except SatchelError:
                raise
            except (KeyboardInterrupt, SystemExit, GeneratorExit):
                raise
            except BaseException as error:  # engines in Rust panic with what is no Exception
                self._leave()
                said = " ".join(str(error).split()) or type(error).__name__
                raise StoreUnavailable(f"the vector index {self.location} failed: {said[:_LONGEST]}", importing=importing) from error

    def _load(self) -> float:
        """Import the engine's library, and return how many seconds that took."""
        if self.library is None or self._loaded_library:
            return 0.0
        started = time.monotonic()
        try:
            import_module(self.library)
        except ImportError as error:
            raise StoreUnavailable(f"the vector index {self.location} needs {self.library}: {error}") from error
        self._loaded_library = True
        return time.monotonic() - started

    def _reach(self) -> None:
        with self._opening:
            if self._connected and self._seen != self._look():
                # The files were taken away under an engine that holds them open: it would go on writing into nothing.
                self._leave()
            if not self._connected:
                self._recognise()
                self._connect()
                self._connected = True
                self._seen = self._look()

    def _recognise(self) -> None:
        """Refuse a path that holds what Satchel did not make, before the engine, or setting it aside, can touch it.

        The mark that says so is there before the engine starts: one that is killed while it makes its files leaves a folder of ours.
        """
        path = self._address.path
        if path is None:
            return
        mark = path / MARK.format(self._address.scheme)
        if os.path.lexists(path) and not mark.is_file() and not (path.is_dir() and not any(path.iterdir())):
            raise Foreign(
                f"{path} is not a vector index that Satchel made with {self._address.scheme}://: "
                "nothing in it was touched; give the index another path"
            )
        path.mkdir(parents=True, exist_ok=True)
        if not mark.exists():
            mark.write_text(_SAID, "utf-8")

    def _look(self) -> tuple[int, int] | None:
        witness = self._witness()
        if witness is None:
            return None
        try:
            found = witness.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _leave(self) -> None:
        self._connected = False
        self._dimension = 0
        try:
            self._disconnect()
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001 - it is being let go of because it is broken
            return

    def _of_one(self, scope: str) -> None:
        if not scope:
            raise StoreError(f"the vector index {self.location} is asked about one scope, and none was named")

    # ------------------------------------------------------------ the port

    def describe(self) -> IndexDescription | None:
        """Return what `clear` was told last."""
        with self._turn():
            held = self._fetch(BOOK, [_DESCRIPTION], vectors=False) if self._exists() else []
        if not held:
            return None
        told = json.loads(held[0].checksum)
        self._dimension = int(told["dimension"])
        return IndexDescription(told["embedder"], int(told["dimension"]), told["store"])

    def clear(self, description: IndexDescription) -> None:
        """Drop everything and begin anew; files that cannot even be opened are set aside beside their place."""
        try:
            self._begin(description)
        except Foreign:
            raise
        except StoreUnavailable:
            if not self._set_aside():
                raise
            self._begin(description)

    def _set_aside(self) -> bool:
        """Move damaged files out of the way; tell whether there were any. They are not removed: the path may be a mistaken one."""
        path = self._address.path
        if path is None or not path.exists():
            return False
        with self._lock:
            if self._connected:
                self._leave()
            self._recognise()
            aside = path.with_name(f"{path.name}.damaged-{time.time_ns()}")
            try:
                path.rename(aside)
            except OSError:
                return False
        logger.warning("the vector index %s could not be opened: its files are in %s now, and no longer needed", self.location, aside)
        return True

    def _begin(self, description: IndexDescription) -> None:
        with self._turn():
            if self._exists():
                self._require_own()
                self._drop()
            self._create(description.dimension)
            self._seen = self._look()
            self._dimension = description.dimension
            told = {"embedder": description.embedder, "dimension": description.dimension, "store": description.store}
            self._note(_DESCRIPTION, json.dumps(told))

    def _require_own(self) -> None:
        """Refuse to drop a collection that others filled.

        Satchel describes a collection before it puts anything in: a kill leaves at most an empty one without a description.
        """
        if not self._fetch(BOOK, [_DESCRIPTION], vectors=False) and self._size():
            raise Foreign(
                f"the collection {self._address.collection!r} of {self.location} holds what Satchel did not put there: "
                "nothing in it was touched; name another with ?collection="
            )

    def _note(self, key: str, text: str) -> None:
        at = np.zeros(self._dimension, np.float32)
        at[0] = 1.0  # engines want a vector with every entry
        self._put(BOOK, [VectorEntry(key, text, at)])

    def position(self, scope: str) -> Position | None:
        """Return how far the index has come with a scope."""
        self._of_one(scope)
        with self._turn():
            held = self._fetch(BOOK, [scope], vectors=False) if self._exists() else []
        return _position(held[0].checksum) if held else None

    def mark(self, scope: str, position: Position | None) -> None:
        """Keep a scope's position, or take it back."""
        self._of_one(scope)
        with self._turn():
            self._prepared()
            if position is None:
                self._remove(BOOK, [scope])
            else:
                self._note(scope, f"{position.change}.{position.indexed}")

    def marks(self) -> dict[str, Position]:
        """Return the position of every scope that has one."""
        with self._turn():
            held = self._fetch(BOOK, None, vectors=False) if self._exists() else []
        return {entry.id: _position(entry.checksum) for entry in held if entry.id != _DESCRIPTION}

    def put(self, scope: str, entries: Sequence[VectorEntry]) -> None:
        """Write entries over those with the same ids."""
        self._of_one(scope)
        with self._turn():
            self._prepared()
            if any(len(entry.vector) != self._dimension for entry in entries):
                raise StoreError(f"the vector index {self.location} takes vectors of {self._dimension} numbers")
        last = {entry.id: entry for entry in entries}
        for part in _parts(list(last.values())):
            with self._turn():
                self._put(scope, part)

    def _prepared(self) -> None:
        if not self._dimension and not (self._exists() and self.describe()):
            raise StoreError(f"the vector index {self.location} is empty: it must be cleared for an embedder first")

    def remove(self, scope: str, ids: Collection[str]) -> None:
        """Remove entries."""
        self._of_one(scope)
        for part in _parts(list(ids)):
            with self._turn():
                if self._exists():
                    self._remove(scope, part)

    def search(self, scope: str, vector: Vector, limit: int, *, exact: bool = False) -> list[tuple[str, float]]:
        """Return the ids with the greatest products."""
        self._of_one(scope)
        with self._turn():
            return self._search(scope, vector, limit, exact) if limit > 0 and self._exists() else []

    def _measured(self, scope: str, vector: Vector, limit: int) -> list[tuple[str, float]]:
        """Search without the engine's index: fetch the scope, and multiply."""
        held = self._fetch(scope, None, vectors=True)
        if not held:
            return []
        products = np.array([entry.vector for entry in held], np.float32) @ vector
        best = np.argsort(-products, kind="stable")[:limit]
        return [(held[at].id, float(products[at])) for at in best.tolist()]

    def vectors(self, scope: str, ids: Collection[str]) -> dict[str, Vector]:
        """Return the vectors of those of the ids that are there."""
        self._of_one(scope)
        found: dict[str, Vector] = {}
        for part in _parts(list(ids)):
            with self._turn():
                held = self._fetch(scope, part, vectors=True) if self._exists() else []
            found |= {entry.id: np.asarray(entry.vector, np.float32) for entry in held}
        return found

    def checksums(self, scope: str) -> dict[str, str]:
        """Return the checksum of every entry of a scope."""
        self._of_one(scope)
        with self._turn():
            held = self._fetch(scope, None, vectors=False) if self._exists() else []
        return {entry.id: entry.checksum for entry in held}

    def count(self, scope: str) -> int:
        """Return the number of entries of a scope."""
        self._of_one(scope)
        with self._turn():
            return self._count(scope) if self._exists() else 0

    def check(self) -> list[str]:
        """Return what is wrong with the index."""
        try:
            self.describe()
        except SatchelError as error:
            return [error.message]
        return []

    def close(self) -> None:
        """Release everything."""
        with self._lock:
            if self._connected:
                self._leave()


def _position(text: str) -> Position:
    change, _, indexed = text.partition(".")
    return Position(int(change), int(indexed))


def _parts(values: Sequence[object]) -> Iterator[list]:  # type: ignore[type-arg]
    for start in range(0, len(values), _PART):
        yield list(values[start : start + _PART])
