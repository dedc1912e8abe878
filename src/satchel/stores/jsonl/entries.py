"""The index entries, in a file of their own beside the memories: a cache that can be lost and made again from content.

It must not know records. A line is one entry; a line that is broken, or that names a content no longer there, means nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from satchel.ports import IndexEntry
from satchel.stores.jsonl.journal import NOTHING, look, look_at, new_generation, replacing, write_all

Known = dict[tuple[str, str, str], tuple[bytes | None, bytes | None]]
"""Terms and vector by scope, id and content hash."""


def write_entry(entry: IndexEntry) -> bytes:
    """Return an entry's line."""
    value: dict[str, Any] = {"scope": entry.scope, "id": entry.id, "hash": entry.content_hash}
    for name, part in (("terms", entry.terms), ("vector", entry.vector)):
        if part is not None:
            value[name] = base64.b64encode(part).decode()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def read_entry(line: bytes) -> IndexEntry | None:
    """Undo `write_entry`; None where the line does not read."""
    try:
        value = json.loads(line)
        return IndexEntry(value["scope"], value["id"], value["hash"], _bytes(value, "terms"), _bytes(value, "vector"))
    except (KeyError, TypeError, ValueError, binascii.Error):
        return None


def _bytes(value: dict[str, Any], name: str) -> bytes | None:
    text = value.get(name)
    return None if text is None else base64.b64decode(text, validate=True)


class EntryFile:
    """The file, and how far it has been read. Its writers hold the lock of the memories' file. Methods raise OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.forget()

    def forget(self) -> None:
        """Read from the beginning next time."""
        self._look = NOTHING
        self._head = b""
        self._end = 0

    @property
    def has_changed(self) -> bool:
        """Whether there is something new to read."""
        return look(self._path) != self._look

    @property
    def is_there(self) -> bool:
        """Whether there is a file."""
        return look(self._path) != NOTHING

    def create(self) -> None:
        """Make the file where there is none, so that its absence means a loss."""
        if not self.is_there:
            self.write_anew(())

    def read_new(self, known: Known) -> bool:
        """Add what is new to what is known; tell whether the file is another than before, so that what it does not name is gone."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            self._look = NOTHING
            return False
        with file:
            found, head = look_at(file), file.readline()
            another = bool(self._head) and (head != self._head or found.size < self._end)
            if head != self._head or another:
                self._head, self._end = head, len(head)
            file.seek(self._end)
            whole = file.read()
        whole = whole[: whole.rfind(b"\n") + 1]
        self._end += len(whole)
        for line in whole.splitlines(keepends=True):
            _gather(known, read_entry(line))
        self._look = found
        return another

    def append(self, entries: Iterable[IndexEntry]) -> None:
        """Write entries at the end. They are not waited for: a cache needs no flush to the disk."""
        data = b"".join(map(write_entry, entries))
        if not data:
            return
        self.create()
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            size = os.fstat(descriptor).st_size
            # After the torn line of a killed writer ours begins its own.
            data = data if size == self._end else b"\n" + data
            write_all(descriptor, data)
        finally:
            os.close(descriptor)
        self._end = size + len(data)
        self._look = look(self._path)

    def write_anew(self, entries: Iterable[IndexEntry]) -> None:
        """Leave these entries in the file and no other."""
        head = b'{"kind":"satchel-index","generation":"%s"}\n' % new_generation()
        with replacing(self._path, chain([head], map(write_entry, entries))) as found:
            self._look = found
        self._head, self._end = head, found.size


def _gather(known: Known, entry: IndexEntry | None) -> None:
    if entry is None:
        return
    key = (entry.scope, entry.id, entry.content_hash)
    terms, vector = known.get(key, (None, None))
    known[key] = (terms if entry.terms is None else entry.terms, vector if entry.vector is None else entry.vector)
