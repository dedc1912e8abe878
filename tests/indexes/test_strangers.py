"""What an index of a folder does with a path that holds something else: it leaves it alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from satchel.errors import StoreUnavailable
from satchel.indexes import chroma, milvus, qdrant, qdrant_edge
from satchel.ports import IndexDescription

OPENERS = {
    "qdrant": qdrant_edge.open_index,
    "qdrant-local": qdrant.open_index,
    "chroma": chroma.open_index,
    "milvus": milvus.open_index,
}


@pytest.mark.parametrize("what", ["text", "empty file", "sqlite", "folder"])
@pytest.mark.parametrize("scheme", OPENERS)
def test_what_the_engine_did_not_make_is_refused_and_untouched(scheme: str, what: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim.db"
    if what == "folder":
        victim.mkdir()
    kept = victim / "论文.txt" if what == "folder" else victim
    if what == "sqlite":
        with sqlite3.connect(victim) as connection:
            connection.execute("CREATE TABLE kept (x)")
        connection.close()
    else:
        kept.write_bytes(b"" if what == "empty file" else b"my thesis")
    before = kept.read_bytes()
    index = OPENERS[scheme](f"{scheme}:///{victim}")
    try:
        with pytest.raises(StoreUnavailable, match=r"victim\.db is not a vector index"):
            index.describe()
        with pytest.raises(StoreUnavailable, match=r"victim\.db is not a vector index"):
            index.clear(IndexDescription("e", 4, "s"))
    finally:
        index.close()
    assert [path.name for path in tmp_path.iterdir()] == ["victim.db"]
    assert kept.read_bytes() == before
