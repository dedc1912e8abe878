"""Members of a zip archive, read as streams: nothing is unpacked to disk, names are only compared, sizes are bounded as they are read.

It must not know what the members hold.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from satchel.migrate.reading import reading, refuse

MAX_MEMBER_BYTES = 8 * 1024 * 1_048_576
"""Bytes of one member after decompression."""

MAX_RATIO = 400
"""Decompressed to compressed bytes; JSON text of conversations stays below 30, a bomb reaches 1,000."""

_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, ValueError, struct.error)
_RATIO_FROM = 64 * 1_048_576


class _Bounded(io.RawIOBase):
    """Counts what comes out of the decompressor, for the sizes in an archive's directory may lie."""

    def __init__(self, inner: IO[bytes], archive: Path, compressed: int) -> None:
        self._inner, self._archive, self._compressed, self._read = inner, archive, max(compressed, 1), 0

    def readable(self) -> bool:
        return True

    def readinto(self, target: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            found = self._inner.read(len(target))
        except (*_BROKEN, EOFError, OSError) as error:
            raise refuse(self._archive, f"the archive is damaged ({error})") from None
        self._read += len(found)
        if self._read > MAX_MEMBER_BYTES or (self._read > _RATIO_FROM and self._read > MAX_RATIO * self._compressed):
            raise refuse(self._archive, "a member unpacks to far more than it should: this looks like a zip bomb")
        target[: len(found)] = found
        return len(found)


def member_names(path: Path) -> list[str]:
    """Return the names of a zip archive's members. Raises InvalidRequest where it is none."""
    with _opened(path) as archive:
        return [info.filename for info in archive.infolist() if not info.is_dir()]


@contextmanager
def member(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open one member as a bounded stream of bytes."""
    with _opened(path) as archive:
        info = archive.getinfo(name)
        if info.flag_bits & 1:
            raise refuse(path, f"{name} is encrypted; unpack it with its password first")
        try:
            inner = archive.open(info)
        except (*_BROKEN, RuntimeError, OSError) as error:
            raise refuse(path, f"{name} cannot be unpacked ({error})") from None
        with inner:
            yield io.BufferedReader(_Bounded(inner, path, info.compress_size), 1_048_576)


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        with reading(path):
            return zipfile.ZipFile(path)
    except _BROKEN as error:
        raise refuse(path, f"is no readable zip archive ({error})") from None
