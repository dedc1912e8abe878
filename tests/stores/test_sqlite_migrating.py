"""SQLite's schema: named, append-only migrations, with a copy of the store beside it before one runs (STO-6)."""

from __future__ import annotations

import hashlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from satchel.conformance.samples import make, write
from satchel.errors import StoreError
from satchel.protocol.filters import RecordFilter
from satchel.stores.sqlite import SQLiteStore, migrating, schema
from satchel.stores.sqlite.schema import MIGRATIONS, Migration

SCOPE = "user:alice"

RELEASED = {1: ("ground", "UNRELEASED")}
"""Each released migration: its name, and the sha-256 of its statements. An entry never changes."""

LATER = Migration(2, "note the weather", ("ALTER TABLE scopes ADD COLUMN weather TEXT", "UPDATE scopes SET weather = 'fair'"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    store = SQLiteStore(path)
    write(store, *(make(f"r{place}", SCOPE, f"第 {place} 条") for place in range(30)))
    store.close()
    return path


@pytest.fixture
def later(monkeypatch):
    """Let the present be one migration later."""

    def arrange(*added: Migration) -> None:
        monkeypatch.setattr(migrating.migrate, "__defaults__", ((*MIGRATIONS, *added),))
        monkeypatch.setattr(migrating.require_known, "__defaults__", ((*MIGRATIONS, *added),))

    return arrange


def test_migrations_are_numbered_named_and_unchanged_once_released():
    assert [step.version for step in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))
    assert len({step.name for step in MIGRATIONS}) == len(MIGRATIONS)
    for step in MIGRATIONS:
        name, digest = RELEASED[step.version]
        assert step.name == name
        assert digest in {"UNRELEASED", hashlib.sha256("\0".join(step.statements).encode()).hexdigest()}


def test_the_file_says_which_migrations_made_it(path):
    raw = sqlite3.connect(path)
    assert raw.execute("SELECT version, name FROM schema").fetchall() == [(1, "ground")]
    assert raw.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
    raw.close()


def test_a_migration_keeps_everything_and_leaves_a_copy_from_before(path, later):
    later(LATER)
    store = SQLiteStore(path)
    assert len(store.scan([SCOPE], RecordFilter(), limit=100).records) == 30
    store.close()
    raw = sqlite3.connect(path)
    assert raw.execute("SELECT weather FROM scopes").fetchall() == [("fair",)]
    assert raw.execute("SELECT max(version) FROM schema").fetchone() == (2,)
    raw.close()
    copy = sqlite3.connect(path.with_name("memory.db.backup-1"))
    assert copy.execute("SELECT max(version), (SELECT count(*) FROM memories) FROM schema").fetchone() == (1, 30)
    copy.close()
    assert path.with_name("memory.db.backup-1").stat().st_mode & 0o777 == 0o600


def test_a_migration_that_fails_leaves_the_store_as_it_was(path, later, monkeypatch):
    with monkeypatch.context() as patched:
        broken = (*MIGRATIONS, Migration(2, "broken", ("UPDATE scopes SET active = 7", "ALTER TABLE nothing ADD COLUMN x")))
        patched.setattr(migrating.migrate, "__defaults__", (broken,))
        patched.setattr(migrating.require_known, "__defaults__", (broken,))
        with pytest.raises(StoreError, match=r"memory\.db"):
            SQLiteStore(path)
    store = SQLiteStore(path)
    assert store.check() == []
    assert len(store.scan([SCOPE], RecordFilter(), limit=100).records) == 30
    store.close()


def test_a_copy_from_before_does_not_outlive_an_erasure(path, later):
    later(LATER)
    store = SQLiteStore(path)
    assert path.with_name("memory.db.backup-1").exists()
    assert store.scrub()
    assert not path.with_name("memory.db.backup-1").exists()
    store.close()


def test_a_new_store_has_no_copy(path):
    assert [found.name for found in path.parent.iterdir() if "backup" in found.name] == []


def test_many_that_open_a_store_at_once_migrate_it_once(path, later):
    later(LATER)
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: SQLiteStore(path), range(6)))
    for store in stores:
        assert store.get(SCOPE, ["r1"])
        store.close()


def test_many_that_create_a_store_at_once_create_one(tmp_path):
    path = tmp_path / "new.db"
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: SQLiteStore(path), range(6)))
    for place, store in enumerate(stores):
        write(store, make(f"r{place}", SCOPE))
    assert all(len(store.scan([SCOPE], RecordFilter()).records) == 6 for store in stores)
    for store in stores:
        store.close()
