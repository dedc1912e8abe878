"""A file of batches: each a few lines and a closing line that proves them whole. It must not know what the lines say.

A batch is one write and one flush to the disk. What a killed writer left behind the last whole batch is no part of the file: readers
pass over it, and the next writer takes it out and keeps it in `<name>.torn`. One writer at a time, by a lock that dies with its process;
readers take none.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from satchel.errors import StoreCorrupt, StoreUnavailable, Unsupported, VersionError
from satchel.stores.permissions import hindrance

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

VERSION = 1
_MARK = b'{"kind":"satchel","store":"jsonl","version":'
_HEADER = re.compile(re.escape(_MARK) + rb'(\d+)(?:,"generation":"([0-9a-f]{16})")?\}\n')
_BOM = b"\xef\xbb\xbf"
_COMMIT = b'{"kind":"commit",'

_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}
_FULL = {errno.ENOSPC, errno.EDQUOT}


class Look(NamedTuple):
    """What tells whether a file is still as it was; `size` is -1 where there is none."""

    device: int
    inode: int
    size: int
    changed: int


NOTHING = Look(0, 0, -1, 0)


def look(path: Path) -> Look:
    """Look at a file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return NOTHING
    return _look_of(found)


def look_at(file: IO[bytes]) -> Look:
    """Look at an open file."""
    return _look_of(os.fstat(file.fileno()))


def _look_of(found: os.stat_result) -> Look:
    return Look(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def new_generation() -> bytes:
    """Return what tells one file from the next in its place; an inode does not, for the system gives its number out again."""
    return secrets.token_hex(8).encode()


def header(generation: bytes) -> bytes:
    """Return the first line of a file."""
    return _MARK + b'%d,"generation":"%s"}\n' % (VERSION, generation)


def read_header(path: Path, line: bytes) -> tuple[bytes, int]:
    """Return the generation and where the header ends; (b"", 0) where its writer was killed on the way.

    Raises:
        StoreCorrupt: it is no such file.
        VersionError: a later Satchel wrote it.
    """
    if not line.endswith(b"\n") and (line.startswith(_MARK) or _MARK.startswith(line)):
        return b"", 0
    found = _HEADER.fullmatch(line)
    if found is None and _HEADER.fullmatch(line.removeprefix(_BOM).replace(b"\r\n", b"\n")):
        raise StoreCorrupt(f"{path} {_altered(line)}; nothing was written to it", path=str(path))
    if found is None:
        raise StoreCorrupt(f"{path} is not a Satchel store; nothing was written to it", path=str(path))
    version, generation = int(found[1]), found[2]
    if version != VERSION or generation is None:
        raise VersionError(
            f"{path} is of store version {version}, written by a later Satchel; this one knows version {VERSION}",
            found=str(version),
            supported=str(VERSION),
        )
    return generation, len(line)


def _altered(line: bytes) -> str:
    """Say what an editor or git did to the file, and what undoes it; no line of ours holds a bare carriage return."""
    saved = "was saved with a byte order mark and perhaps other line ends"
    what = saved if line.startswith(_BOM) else "has Windows line ends, from git or an editor"
    return f"{what}: `{_REPAIR}` and its path takes them out"


_REPAIR = (
    r"""python3 -c "import sys; d = open(sys.argv[1], 'rb').read(); open(sys.argv[1], 'wb')"""
    r""".write(d.removeprefix(b'\xef\xbb\xbf').replace(b'\r\n', b'\n'))" """
).rstrip()
"""For a shell of any system, where sed has many dialects."""


def sealed(lines: Iterable[bytes]) -> bytes:
    """Return lines and the line that closes them."""
    held = list(lines)
    body = b"".join(held)
    return body + b'{"kind":"commit","lines":%d,"crc32":"%08x"}\n' % (len(held), zlib.crc32(body))


def _closes(line: bytes, count: int, crc: int) -> bool:
    try:
        value = json.loads(line)
        return bool(value["lines"] == count and value["crc32"] == f"{crc:08x}")
    except (KeyError, TypeError, ValueError):
        return False


def read_batches(path: Path, file: IO[bytes], end: int) -> Iterator[tuple[int, list[bytes]]]:
    """Yield, of each whole batch behind a place, the place where it ends and its lines.

    Raises:
        StoreCorrupt: a batch before the last is damaged. Without the lock it may be that the end was written while it was read.
    """
    file.seek(end)
    held: list[bytes] = []
    crc, place, began, broken = 0, end, end, None
    for line in file:
        place += len(line)
        if not line.startswith(_COMMIT) or not line.endswith(b"\n"):
            held.append(line)
            crc = zlib.crc32(line, crc)
            continue
        if not _closes(line, len(held), crc):
            broken = broken or (began, place)
        elif broken is not None:
            raise _damaged(path, *broken)
        else:
            end = place
            yield end, held
        held, crc, began = [], 0, place


def _damaged(path: Path, start: int, end: int) -> StoreCorrupt:
    """Return the error for a batch that is not what its writer closed."""
    with path.open("rb") as file:
        before, within = file.read(start), file.read(end - start)
    first = before.count(b"\n") + 1
    last = first + within.count(b"\n") - 2  # its closing line is not meant
    if b"\r\n" in within:
        return StoreCorrupt(f"{path}, lines {first} to {last}: the file {_altered(b'')}", path=str(path), line=first)
    return StoreCorrupt(f"{path} is damaged in lines {first} to {last}: they are not what was written", path=str(path), line=first)


def at_line(path: Path, line: bytes, end: int, error: StoreCorrupt) -> StoreCorrupt:
    """Return an error about a line of the batch that ends at a place, with the line's number."""
    with path.open("rb") as file:
        until = file.read(end)
    number = until[: max(0, until.rfind(line))].count(b"\n") + 1
    return StoreCorrupt(f"{path}, line {number}: {error}", path=str(path), line=number)


@contextmanager
def locked(path: Path, *, create: bool = False, shared: bool = False) -> Iterator[int]:
    """Lend the file, locked: open for writing or, `shared`, for reading while nobody writes. Raises OSError."""
    if fcntl is None:
        raise Unsupported("the JSON-lines store needs file locks of a POSIX system; use sqlite:/// here")
    while True:
        how = os.O_RDONLY if shared else os.O_RDWR | os.O_APPEND | (os.O_CREAT if create else 0)
        descriptor = os.open(path, how | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
            held, there = os.fstat(descriptor), look(path)
            # While this one waited, a compaction may have put another file in its place.
            if (held.st_dev, held.st_ino) == (there.device, there.inode):
                yield descriptor
                return
        finally:
            os.close(descriptor)


def append(descriptor: int, data: bytes, *, durable: bool = True) -> None:
    """Write at the end; what cannot be written whole is taken back. Raises OSError."""
    before = os.fstat(descriptor).st_size
    try:
        write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            os.ftruncate(descriptor, before)
        raise


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the bytes, in one call where the system takes them at once."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class Tail(NamedTuple):
    """What stands behind the last whole batch and is no part of the file; `lines` counts those that are whole."""

    size: int
    lines: int

    def told(self, path: Path) -> str:
        """Say what it is, and what to do."""
        return (
            f"{path}: {self.lines} whole lines ({self.size} bytes) stand behind the last finished write and are not read. Where a writer "
            f"was killed, nothing that it had acknowledged is missing; where the file was cut, put a copy back before anything is written. "
            f"The next write moves them to {torn_path(path).name}"
        )


def tail_behind(path: Path, end: int) -> Tail:
    """Look at what stands behind a place. Raises OSError."""
    size = lines = 0
    with path.open("rb") as file:
        file.seek(end)
        while part := file.read(1 << 20):
            size += len(part)
            lines += part.count(b"\n")
    return Tail(size, lines)


def cut_torn_tail(descriptor: int, path: Path, end: int) -> Tail:
    """Take out what a killed writer left after the last whole batch, keep it aside, and return what it was. Raises OSError."""
    size = os.fstat(descriptor).st_size
    if size <= end:
        return Tail(0, 0)
    aside = os.open(torn_path(path), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        place, lines = end, 0
        while place < size and (part := os.pread(descriptor, min(size - place, 1 << 20), place)):
            write_all(aside, part)
            place += len(part)
            lines += part.count(b"\n")
        os.fsync(aside)
    finally:
        os.close(aside)
    os.ftruncate(descriptor, end)
    return Tail(size - end, lines)


def torn_path(path: Path) -> Path:
    """Return where a torn tail is kept."""
    return path.with_name(path.name + ".torn")


@contextmanager
def replacing(path: Path, parts: Iterable[bytes]) -> Iterator[Look]:
    """Put a new file in a file's place and look at it, locked for the block: whoever waits for the old one's lock comes to this one next.

    A reader, or whoever comes after a crash, sees the one or the other whole. Raises OSError.
    """
    unfinished = path.with_name(path.name + ".unfinished")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        _give_away(descriptor, path)
        for part in parts:
            write_all(descriptor, part)
        os.fsync(descriptor)
        unfinished.replace(path)
        sync_folder(path)
        yield _look_of(os.fstat(descriptor))
    except OSError:
        # What did not fit must not fill the disk that had no room for it.
        with suppress(OSError):
            unfinished.unlink()
        raise
    finally:
        os.close(descriptor)


def _give_away(descriptor: int, path: Path) -> None:
    """Let whoever may use the old file use the new one."""
    with suppress(FileNotFoundError):
        old = path.stat()
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)


def sync_folder(path: Path) -> None:
    """Make a file's name durable. Raises OSError."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def unavailable(path: Path, error: OSError) -> StoreUnavailable:
    """Return our error for the operating system's."""
    if error.errno in _REFUSED and (why := hindrance(path)) is not None:
        return StoreUnavailable(f"{path} is read-only: {why}", path=str(path))
    if error.errno in _FULL:
        return StoreUnavailable(f"{path} cannot grow: the disk is full, so this was not written", path=str(path), reason=str(error))
    where = error.filename if isinstance(error.filename, str) else path
    return StoreUnavailable(f"{where} cannot be used: {error.strerror or error}", path=str(path))
