"""A terminal for the tests: the command line run in this process, with a store, a scope and a home of its own."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.stores.postgres_server import postgres
from tests.stores.redis_server import redis_server

from satchel.cli.main import run

__all__ = ["postgres", "redis_server"]


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.err)["error"]
        return body


class Terminal:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capfd = capfd

    def __call__(self, *words: str, stdin: bytes = b"") -> Answer:
        self._capfd.readouterr()
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            code = run(words)
        sys.stdout.flush()
        out, err = self._capfd.readouterr()
        return Answer(code, out, err)

    def remember(self, text: str, *words: str) -> str:
        answer = self("remember", text, "--json", *words)
        assert answer.code == 0, answer.err
        return str(answer.json["record"]["id"])


@pytest.fixture
def satchel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Terminal:
    for name in ("SATCHEL_AGENT", "SATCHEL_TOKEN", "SATCHEL_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SATCHEL_STORE", f"sqlite:///{tmp_path / 'memory.db'}")
    monkeypatch.setenv("SATCHEL_SCOPE", "user:alice")
    monkeypatch.setenv("SATCHEL_EMBEDDER", "none")
    return Terminal(monkeypatch, capfd)
