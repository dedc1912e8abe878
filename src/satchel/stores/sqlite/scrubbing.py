"""Placeholder. Must not know records."""

from __future__ import annotations

import sqlite3
from pathlib import Path


def scrub(path: Path) -> bool:
    """Empty the write-ahead log."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0.5)
    try:
        return bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
    finally:
        connection.close()
