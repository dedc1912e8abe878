"""A store that is not there yet, of any kind: commands that read refuse it, those that write make it, what is refused makes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from tests.stores.postgres_server import PostgresServer

from satchel import open_memory

READING = (
    "list",
    "recall x",
    "context x",
    "show x",
    "history x",
    "changes",
    "as-of 2026-01-01",
    "scopes",
    "stats",
    "doctor",
    "reindex",
    "maintain",
    "simulate",
    "forget x",
    "confirm x",
    "pin x",
    "conflicts",
    "snapshots",
    "sessions",
    "session show x",
    "imports",
    "undo x",
    "tokens list",
    "move-scope user:a user:b",
    "export -o out.satchel",
)

KINDS = ("sqlite", "jsonl", "postgresql")


@pytest.fixture(params=KINDS)
def new(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Callable[[], bool]]:
    """Return the URL of a store that is not there, and what tells whether it is there now."""
    if request.param != "postgresql":
        path = tmp_path / f"new.{request.param}"
        return f"{request.param}:///{path}", lambda: any(one.name.startswith("new.") for one in tmp_path.iterdir())
    server: PostgresServer = request.getfixturevalue("postgres")
    schema = f"new_{tmp_path.name[-40:].lower()}"

    def there() -> bool:
        with psycopg.connect(server.conninfo) as connection:
            found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]).fetchone()
        return found is not None

    return server.url(schema), there


def test_a_command_that_reads_refuses_it_and_makes_nothing(satchel, new):
    url, there = new
    for words in READING:
        answer = satchel(*words.split(), "--store", url)
        assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1), words
        assert "there is no store" in answer.err
        assert "remember, import, migrate and serve make one" in answer.err
    assert not there()


def test_the_first_memory_makes_it(satchel, new):
    url, there = new
    assert satchel("remember", "first 第一", "--store", url).code == 0
    assert there()
    assert "第一" in satchel("list", "--store", url).out


def test_what_is_not_copied_makes_neither_source_nor_target(satchel, new, tmp_path):
    url, there = new
    answer = satchel("copy", url, str(tmp_path / "target.db"))
    assert (answer.code, "FROM: there is no store" in answer.err) == (2, True), answer.err
    open_memory(f"sqlite:///{tmp_path}/empty.db", embedder="none").close()
    answer = satchel("copy", str(tmp_path / "empty.db"), url)
    assert (answer.code, "there is nothing to copy" in answer.err) == (1, True), answer.err
    assert not there()
    assert not (tmp_path / "target.db").exists()


def test_a_package_that_is_refused_makes_nothing(satchel, new, tmp_path):
    url, there = new
    satchel.remember("绿茶")
    assert satchel("export", "-o", str(tmp_path / "tea.satchel")).code == 0
    broken = tmp_path / "broken.satchel"
    broken.write_bytes((tmp_path / "tea.satchel").read_bytes().replace("绿".encode(), "红".encode()))
    assert satchel("import", str(broken), "--store", url).code == 3
    assert not there()
    assert satchel("import", str(tmp_path / "tea.satchel"), "--store", url).code == 0
    assert there()


def test_a_server_that_is_away_is_told_as_that(satchel, tmp_path):
    answer = satchel("list", "--store", f"postgresql://satchel@/postgres?host={tmp_path}&schema=new")
    assert (answer.code, "cannot be reached" in answer.err) == (3, True), answer.err
