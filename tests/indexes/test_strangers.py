"""Whose an index's path is: what Satchel did not make is left alone, what it began is taken again, a store's files are refused."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from index_stage import ALICE, fill, findings, indexed
from satchel import open_memory
from satchel.errors import InvalidRequest, StoreUnavailable
from satchel.indexes import chroma, milvus, qdrant, qdrant_edge
from satchel.ports import IndexDescription, VectorEntry
from satchel.stores import jsonl, sqlite

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


ABOUT = IndexDescription("e", 4, "s")


def _filled(scheme: str, place: Path, collection: str = "satchel") -> None:
    with closing(OPENERS[scheme](f"{scheme}:///{place}?collection={collection}")) as index:
        index.clear(ABOUT)
        index.put("user:a", [VectorEntry("x", "sum", np.eye(4, dtype=np.float32)[0])])


def _unmarked(place: Path) -> None:
    """Make of Satchel's folder one that the engine alone could have made: the same files, without the mark."""
    (mark,) = place.glob("satchel-index.*")
    mark.unlink()


def _files(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


@pytest.mark.parametrize("scheme", OPENERS)
def test_a_folder_of_the_same_engine_that_satchel_did_not_make_is_refused_and_untouched(scheme: str, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.db"
    _filled(scheme, theirs, "recipes")
    _unmarked(theirs)
    before = _files(theirs)
    with closing(OPENERS[scheme](f"{scheme}:///{theirs}")) as index:
        for asked in (index.describe, lambda: index.clear(ABOUT), lambda: index.count("user:a")):
            with pytest.raises(StoreUnavailable, match=r"theirs\.db is not a vector index that Satchel made"):
                asked()
    assert _files(theirs) == before
    assert [path.name for path in tmp_path.iterdir()] == ["theirs.db"]


@pytest.mark.parametrize("scheme", OPENERS)
def test_doctor_does_not_send_anybody_to_make_a_foreign_folder_anew(scheme: str, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.db"
    _filled(scheme, theirs)
    _unmarked(theirs)
    before = _files(theirs)
    with indexed(tmp_path / "a.db", f"{scheme}:///{theirs}") as memory:
        fill(memory, 3)
        ((level, said),) = findings(memory)
        assert level == "warning"
        assert "give the index another path" in said
        assert "reindex" not in said
        with pytest.raises(StoreUnavailable, match="give the index another path"):
            memory.reindex(everything=True)
        assert memory.recall("花生", scope=ALICE)
    assert _files(theirs) == before


@pytest.mark.parametrize("scheme", OPENERS)
def test_an_index_of_one_engine_is_not_taken_by_another(scheme: str, tmp_path: Path) -> None:
    place = tmp_path / "index.db"
    _filled(scheme, place)
    before = _files(place)
    for other in OPENERS.keys() - {scheme}:
        with closing(OPENERS[other](f"{other}:///{place}")) as index, pytest.raises(StoreUnavailable, match="is not a vector index"):
            index.clear(ABOUT)
    assert _files(place) == before


def _chroma(place: Path) -> tuple[Callable[[], Any], Callable[[], None]]:
    import chromadb

    client = chromadb.PersistentClient(str(place), settings=chromadb.Settings(anonymized_telemetry=False))
    made = client.create_collection("satchel", embedding_function=None)
    made.add(["soup"], embeddings=[[1.0, 0.0, 0.0, 0.0]])
    return made.get, client.close


def _qdrant(place: Path) -> tuple[Callable[[], Any], Callable[[], None]]:
    from qdrant_client import QdrantClient
    from qdrant_client import models as q

    client = QdrantClient(path=str(place))
    client.create_collection("satchel", vectors_config=q.VectorParams(size=4, distance=q.Distance.DOT))
    client.upsert("satchel", [q.PointStruct(id=1, vector=[1.0, 0.0, 0.0, 0.0], payload={"dish": "soup"})])
    return lambda: client.scroll("satchel"), client.close


@pytest.mark.filterwarnings("ignore:Local mode is not recommended:UserWarning")
@pytest.mark.parametrize(("scheme", "fill"), [("chroma", _chroma), ("qdrant-local", _qdrant)])
def test_a_collection_of_that_name_that_others_filled_is_never_dropped(scheme: str, fill: Any, tmp_path: Path) -> None:
    """It may be on a server as well, where there is no folder to tell."""
    place = tmp_path / "index"
    place.mkdir()
    (place / f"satchel-index.{scheme}").touch()
    look, leave = fill(place)
    before = str(look())
    leave()
    with closing(OPENERS[scheme](f"{scheme}:///{place}")) as index:
        assert index.describe() is None
        with pytest.raises(StoreUnavailable, match="holds what Satchel did not put there"):
            index.clear(ABOUT)
        assert str(_again(scheme, index)) == before
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def _again(scheme: str, index: Any) -> Any:
    return index._collection.get() if scheme == "chroma" else index._qdrant.scroll("satchel")


_BORN = """
import sys
from satchel import registry
from satchel.ports import IndexDescription
registry.imported(sys.argv[1])(sys.argv[2]).clear(IndexDescription("e", 4, "s"))
print("made", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("after", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("scheme", OPENERS)
def test_a_folder_whose_engine_was_killed_at_birth_is_taken_again(scheme: str, after: float, tmp_path: Path) -> None:
    place, url = tmp_path / "index.db", f"{scheme}:///{tmp_path}/index.db"
    target = f"{OPENERS[scheme].__module__}:open_index"
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", _BORN, target, url], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not place.exists():
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.001)
    time.sleep(after)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with closing(OPENERS[scheme](url)) as index:
        index.clear(ABOUT)
        assert index.describe() == ABOUT


@pytest.mark.parametrize("left", ["nothing", "the mark"])
@pytest.mark.parametrize("scheme", OPENERS)
def test_a_folder_with_no_more_than_the_mark_is_taken(scheme: str, left: str, tmp_path: Path) -> None:
    place = tmp_path / "index.db"
    place.mkdir()
    if left == "the mark":
        (place / f"satchel-index.{scheme}").touch()
    _filled(scheme, place)


# ---------------------------------------------------------------- the store's own files

NAMES = [
    *(("sqlite", "store.db", "store.db" + ending.replace("*", "7")) for ending in ("", *sqlite.BESIDE, ".backup-7.unfinished")),
    *(("jsonl", "store.jsonl", "store.jsonl" + ending) for ending in ("", *jsonl.BESIDE)),
]


@pytest.mark.parametrize("inside", ["", "/inside", "/in/side"])
@pytest.mark.parametrize(("kind", "store", "name"), NAMES)
def test_a_path_that_the_store_uses_or_will_use_is_refused_before_anything_is_made(
    kind: str, store: str, name: str, inside: str, tmp_path: Path
) -> None:
    for scheme in ("qdrant", "chroma"):
        with pytest.raises(InvalidRequest, match="where the store keeps its own files") as caught:
            open_memory(f"{kind}:///{tmp_path}/{store}", embedder="none", index=f"{scheme}:///{tmp_path}/{name}{inside}")
        assert caught.value.details["faults"][0]["field"] == "index"
    assert list(tmp_path.iterdir()) == []


def test_a_path_over_the_store_or_by_way_of_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    for index in ("data", "", "link", "link/store.db-wal", "link/../data/store.db"):
        with pytest.raises(InvalidRequest, match="path"):
            open_memory(f"sqlite:///{tmp_path}/data/store.db", embedder="none", index=f"qdrant:///{tmp_path}/{index}")
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize("name", ["store.db.vectors", "store.vectors", "mystore.db", "store.jsonl.vectors", "store"])
def test_a_name_of_its_own_beside_the_store_is_taken(name: str, tmp_path: Path) -> None:
    for store in ("sqlite:///{}/store.db", "jsonl:///{}/store.jsonl"):
        with open_memory(store.format(tmp_path), embedder="none", index=f"qdrant:///{tmp_path}/{name}") as memory:
            memory.remember("茶在第三层", scope="user:a")


@pytest.mark.parametrize(("store", "beside"), [("sqlite:///{}/s.db", sqlite.BESIDE), ("jsonl:///{}/s.jsonl", jsonl.BESIDE)])
def test_every_file_that_a_store_makes_is_among_those_it_tells_of(store: str, beside: tuple[str, ...], tmp_path: Path) -> None:
    """While it is used, after it was closed, and after it was forgotten in."""
    seen: set[str] = set()
    name = store.rpartition("/")[2]
    for turn in range(3):
        with open_memory(store.format(tmp_path), embedder="none") as memory:
            memory.remember(f"第 {turn} 回", scope="user:a", id=f"x{turn}")
            seen |= {path.name for path in tmp_path.iterdir()}
            memory.forget(f"x{turn}", scope="user:a")
            seen |= {path.name for path in tmp_path.iterdir()}
    assert name in seen
    assert seen <= {name, *(name + ending for ending in beside)}


# ---------------------------------------------------------------- damage, told


@pytest.mark.slow
@pytest.mark.parametrize("scheme", OPENERS)
def test_what_was_set_aside_is_told_at_the_terminal(scheme: str, tmp_path: Path) -> None:
    place = tmp_path / "index.db"
    words = ["--store", f"sqlite:///{tmp_path}/a.db", "--index", f"{scheme}:///{place}", "--scope", "user:a", "--embedder", "use"]

    def satchel(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-W", "ignore", "-m", "satchel", *command, *words], capture_output=True, text=True)

    assert satchel("remember", "花生过敏 allergic to peanuts", "--id", "x").returncode == 0
    assert satchel("reindex").stderr == ""
    for path in place.rglob("*"):
        if path.is_file():
            path.write_bytes(b"no index at all " * 64)
    done = satchel("reindex", "--everything")
    assert done.returncode == 0, done.stderr
    (aside,) = tmp_path.glob("index.db.damaged-*")
    assert done.stderr.startswith("note: the vector index"), done.stderr
    assert f"its files are in {aside} now" in done.stderr
    shutil.rmtree(aside)
    assert satchel("reindex", "--everything").stderr == ""
    assert "peanuts" in satchel("recall", "peanuts").stdout
