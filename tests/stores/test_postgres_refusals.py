"""What keeps a PostgreSQL store from being opened: told at once, with its cause and what mends it, and never with a password."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from satchel.errors import InvalidRequest, StoreUnavailable
from satchel.stores.postgres import missing_store, open_store
from satchel.wiring import open_memory

from .postgres_server import PostgresServer

SECRET = "pa55-wörd"
AT_ONCE_SECONDS = 5.0
"""A server that refuses is not waited for as one that is away is: that would take ten seconds."""


def fresh(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex}"


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[str]:
    """An empty database without pgvector."""
    name = fresh("empty")
    with psycopg.connect(postgres.conninfo, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def user(postgres: PostgresServer) -> Iterator[str]:
    """A user who owns nothing, and whom the server asks for a password."""
    name, rules = fresh("low"), postgres.data / "pg_hba.conf"
    before = rules.read_text()
    with psycopg.connect(postgres.conninfo, autocommit=True) as connection:
        connection.execute(f"CREATE USER {name} PASSWORD '{SECRET}'")
        allow(rules, connection, f"local all {name} scram-sha-256\n{before}")
        yield name
        allow(rules, connection, before)
        connection.execute(f"DROP OWNED BY {name}")
        connection.execute(f"DROP USER {name}")


def allow(rules: Path, connection: psycopg.Connection[tuple[object, ...]], lines: str) -> None:
    rules.write_text(lines)
    connection.execute("SELECT pg_reload_conf()")
    while connection.execute("SELECT count(*) FROM pg_hba_file_rules").fetchone() != (
        len([line for line in lines.split("\n") if rule(line)]),
    ):
        time.sleep(0.01)
    time.sleep(0.1)  # the server takes its rules from the file a moment after the signal


def rule(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def refusal(url: str) -> str:
    started = time.monotonic()
    with pytest.raises(StoreUnavailable) as caught:
        open_store(url).close()
    assert time.monotonic() - started < AT_ONCE_SECONDS
    assert SECRET not in str(caught.value)
    return caught.value.message


def test_a_database_that_is_not_there_is_said_with_how_to_make_it(postgres: PostgresServer) -> None:
    said = refusal(postgres.url().replace("/postgres?", "/nowhere?"))
    assert 'database "nowhere" does not exist' in said and "createdb" in said and "cannot be reached" not in said


def test_a_user_whom_the_server_does_not_know_is_said(postgres: PostgresServer) -> None:
    said = refusal(postgres.url().replace("satchel@", "nobody_here@"))
    assert "nobody_here" in said and "name another user" in said


@pytest.mark.parametrize(("password", "advice"), [(f":{SECRET}x", "password is wrong"), ("", "give one in the URL")])
def test_a_password_that_is_wrong_or_lacking_is_said_and_not_shown(postgres: PostgresServer, user: str, password: str, advice: str) -> None:
    assert advice in refusal(postgres.url().replace("satchel@", f"{user}{password}@"))


def test_a_user_who_may_not_make_what_a_store_needs_is_told_what_to_have_granted(
    postgres: PostgresServer, user: str, database: str
) -> None:
    url = postgres.url().replace("satchel@", f"{user}:{SECRET}@").replace("/postgres?", f"/{database}?")
    assert "CREATE EXTENSION vector" in refusal(url)
    with psycopg.connect(postgres.conninfo, dbname=database, autocommit=True) as owner:
        owner.execute("CREATE EXTENSION vector")
        assert "GRANT CREATE ON DATABASE" in refusal(url)
        owner.execute(f"GRANT CREATE ON DATABASE {database} TO {user}")
    open_store(url).close()


def test_a_server_that_is_not_there_is_told_apart_from_one_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.stores.postgres.transactions.PATIENCE_SECONDS", 0.1)
    for url in (f"postgresql://satchel@/postgres?host={tmp_path}", "postgresql://satchel@127.0.0.1:1/postgres"):
        with pytest.raises(StoreUnavailable, match=r"cannot be reached.*is the server running"):
            open_store(url).close()


@pytest.mark.parametrize("option", ["shema=tenant", "Schema=tenant", "partition=4", "pool=3"])
def test_an_option_that_nobody_knows_is_refused_before_a_server_is_asked(option: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        open_store(f"postgresql://satchel@127.0.0.1:1/postgres?{option}")
    (fault,) = caught.value.details["faults"]
    assert fault["field"] == option.partition("=")[0] and "schema" in fault["message"]


@pytest.mark.parametrize("number", ["0", "-1", "1001", "many", ""])
def test_a_number_of_connections_that_cannot_be_is_refused_with_its_range(number: str) -> None:
    with pytest.raises(InvalidRequest, match="from 1 to 1000"):
        open_store(f"postgresql://satchel@127.0.0.1:1/postgres?connections={number}")


def test_the_options_of_the_driver_reach_it(postgres: PostgresServer) -> None:
    open_store(postgres.url(application_name="mine", connect_timeout=3, sslmode="prefer", connections=1)).close()


def test_asking_whether_a_store_is_there_makes_none(postgres: PostgresServer) -> None:
    url = postgres.url()
    assert missing_store(url) is not None
    assert missing_store(url) is not None, "the first question made it"
    with open_memory(url, embedder="none"):
        assert missing_store(url) is None


@pytest.mark.parametrize("scheme", ["sqlite", "jsonl"])
def test_a_file_store_takes_no_options_and_makes_no_file_that_is_named_like_one(tmp_path: Path, scheme: str) -> None:
    with pytest.raises(InvalidRequest, match="takes no options"):
        open_memory(f"{scheme}:///{tmp_path}/a.db?mode=ro")
    assert not list(tmp_path.iterdir())
    if scheme == "sqlite":
        open_memory(f"{tmp_path}/a?b.db", embedder="none").close()
        assert (tmp_path / "a?b.db").exists()
