"""A small disk of its own for a test: one that can be filled, and mounted read-only, which binds root too."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_READ_ONLY, _REMOUNT = 1, 32


class Disk:
    """A file system of two megabytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"
        self._libc = ctypes.CDLL(None, use_errno=True)
        if self._libc.mount(b"tmpfs", bytes(folder), b"tmpfs", 0, b"size=2m") != 0:
            pytest.skip("may not mount a small file system here")

    def url(self, kind: str) -> str:
        return f"{kind}:///{self.folder / 'memory'}.{'db' if kind == 'sqlite' else 'jsonl'}"

    def fill(self, room: int = 0) -> None:
        """Leave so many bytes free."""
        found = os.statvfs(self.folder)
        self._filler.write_bytes(bytes(max(0, found.f_bavail * found.f_frsize - room)))

    def make_room(self) -> None:
        self._filler.unlink()

    def forbid_writing(self) -> None:
        assert self._libc.mount(b"tmpfs", bytes(self.folder), b"tmpfs", _REMOUNT | _READ_ONLY, None) == 0

    def allow_writing(self) -> None:
        assert self._libc.mount(b"tmpfs", bytes(self.folder), b"tmpfs", _REMOUNT, None) == 0

    def remove(self) -> None:
        self._libc.umount2(bytes(self.folder), 2)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if sys.platform != "linux" or os.getuid() != 0:
        pytest.skip("may not mount a small file system here")
    folder = tmp_path / "disk"
    folder.mkdir()
    made = Disk(folder)
    yield made
    made.remove()


def open_parents(folder: Path) -> None:
    """Let another user through to a folder of this test run."""
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.getuid() and parent != Path(parent.anchor):
            parent.chmod(parent.stat().st_mode | 0o005)
