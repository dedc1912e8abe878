"""Why a store's file cannot be written, in words that say whom to ask. It must not know what any store keeps in it."""

from __future__ import annotations

import os
from pathlib import Path


def hindrance(path: Path) -> str | None:
    """Return what keeps this process from writing a file or making others beside it; None where nothing does."""
    if _is_mounted_read_only(path.parent):
        return f"the file system of {path.parent} is mounted read-only"
    if path.exists() and not os.access(path, os.W_OK):
        return f"this user may not write the file (its permissions are {_permissions(path)})"
    return folder_hindrance(path)


def folder_hindrance(path: Path) -> str | None:
    """Return what keeps this process from making files beside a file; None where nothing does."""
    if not path.parent.is_dir() or os.access(path.parent, os.W_OK | os.X_OK):
        return None
    return f"this user may not write in the folder {path.parent} (its permissions are {_permissions(path.parent)})"


def _is_mounted_read_only(folder: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _permissions(path: Path) -> str:
    return f"{path.stat().st_mode & 0o7777:04o}"
