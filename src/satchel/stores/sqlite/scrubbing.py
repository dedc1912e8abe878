"""Takes what erasure left out of the files: the write-ahead log, and copies in the unused part of pages. It must not know any table.

With secure_delete SQLite overwrites what it deletes, but when it moves rows between neighbouring pages it leaves copies behind in the
space between a page's row pointers and its rows. Nothing reads that space, and nothing clears it before VACUUM rewrites the whole file.
Here it is cleared page by page, while the write lock is held and the log is empty, so that nobody else writes the file; then a commit
makes every connection drop the pages it remembers. The file format is public and fixed: https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import os
import sqlite3
import struct
import threading
from pathlib import Path

from satchel.stores.sqlite.connections import open_writer
from satchel.stores.sqlite.migrating import remove_copies

_PATIENCE_MS = 1000
"""How long to wait for a reader or writer before giving up for now."""
_ATTEMPTS = 50
_CHUNK_BYTES = 64 * 1024 * 1024
"""Swept in one hold of the write lock."""
_BLOCK_BYTES = 4 * 1024 * 1024
_HEADER = struct.Struct(">HH")
"""In a tree page's header: the number of rows, and where their content starts (0 stands for 65,536)."""
_POINTERS = {2: 12, 5: 12, 10: 8, 13: 8}
"""Where the row pointers start in a page, by the kind of tree page."""
_ONE_AT_A_TIME = threading.Lock()
_MOST_PAGES = 1 << 24
"""Below this a page that is no tree page starts with a zero byte (it holds a page number), and cannot be mistaken for one."""


def scrub(path: Path, descriptor: int) -> bool:
    """Empty the log and clear the unused space; False where a reader or writer did not let it, or the file is of a kind it does not know.

    `descriptor` is open on the file for reading and writing, and stays open: closing one would drop the locks of all connections.
    """
    with _ONE_AT_A_TIME:
        connection = open_writer(path)
        try:
            connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
            return _scrub(connection, path, descriptor)
        finally:
            connection.close()


def _scrub(connection: sqlite3.Connection, path: Path, descriptor: int) -> bool:
    start = 0
    for _ in range(_ATTEMPTS + os.fstat(descriptor).st_size // _CHUNK_BYTES):
        if not _empty_log(connection):
            return False
        if not _is_known(descriptor):
            return False
        swept = _sweep_alone(connection, path, descriptor, start)
        if swept is not None:
            start = swept
        if start >= os.fstat(descriptor).st_size:
            _empty_log(connection)
            # What must go from the store must not live on in a copy from before a migration.
            remove_copies(path)
            return True
    return False


def _empty_log(connection: sqlite3.Connection) -> bool:
    busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return busy == 0


def _sweep_alone(connection: sqlite3.Connection, path: Path, descriptor: int, start: int) -> int | None:
    """Sweep one chunk while nobody can write; return where it ends, None where somebody wrote first."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return None
    try:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            return None
        end = _sweep(descriptor, start)
        os.fsync(descriptor)
        connection.execute("UPDATE scrubs SET number = number + 1")
        connection.execute("COMMIT")
        return end
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _is_known(descriptor: int) -> bool:
    """Whether the file is small enough, and laid out so, that its tree pages are known by their first byte."""
    header = _read(descriptor, 0, 100)
    page_size = _page_size(header)
    return header[:15] == b"SQLite format 3" and os.fstat(descriptor).st_size // page_size < _MOST_PAGES and not any(header[52:56])


def _page_size(header: bytes) -> int:
    size = int.from_bytes(header[16:18], "big")
    return 65536 if size == 1 else size


def _sweep(descriptor: int, start: int) -> int:
    page_size = _page_size(_read(descriptor, 0, 100))
    end = min(start + _CHUNK_BYTES, os.fstat(descriptor).st_size)
    nothing = bytes(page_size)
    for offset in range(start, end, _BLOCK_BYTES):
        block = _read(descriptor, offset, min(_BLOCK_BYTES, end - offset))
        for place in range(0, len(block) - page_size + 1, page_size):
            first, last = unused_part(block, place, page_size, head=100 if offset + place == 0 else 0)
            if block[first:last] != nothing[: last - first]:
                os.lseek(descriptor, offset + first, os.SEEK_SET)
                os.write(descriptor, nothing[: last - first])
    return end


def unused_part(block: bytes, place: int, page_size: int, *, head: int = 0) -> tuple[int, int]:
    """Return where in a block the unused space of the page at `place` starts and ends.

    It is empty for a page that is no tree page, or makes no sense. `head`: bytes before the page's own header, 100 in a file's first page.
    """
    pointers = _POINTERS.get(block[place + head])
    if pointers is None:
        return place, place
    rows, content = _HEADER.unpack_from(block, place + head + 3)
    start = head + pointers + 2 * rows
    end = content or 65536
    return (place + start, place + end) if start <= end <= page_size else (place, place)


def _read(descriptor: int, offset: int, size: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    block = bytearray()
    while len(block) < size:
        part = os.read(descriptor, size - len(block))
        if not part:
            break
        block += part
    return bytes(block)
