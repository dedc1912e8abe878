"""One run of the command line: where memory is, whose it is, who asks, and the memory that this opens.

It owns the defaults for a person at a terminal; it must not know any command.
"""

from __future__ import annotations

import gc
import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from satchel.cli.output import printable, remark
from satchel.errors import Fault, InvalidRequest

if TYPE_CHECKING:
    from satchel.engine.engine import Engine
    from satchel.operations.memory import Memory


@dataclass(frozen=True, slots=True)
class Shared:
    """Values of the shared options as they were given."""

    store: str | None = None
    scopes: tuple[str, ...] = ()
    agent: str | None = None
    embedder: str | None = None
    working: str | None = None
    token: str | None = None
    as_json: bool = False
    index: str | None = None

    def over(self, outer: Shared) -> Shared:
        """Return these values, completed by those that stood before the command's name."""
        return Shared(
            self.store or outer.store,
            self.scopes or outer.scopes,
            self.agent or outer.agent,
            self.embedder or outer.embedder,
            self.working or outer.working,
            self.token or outer.token,
            self.as_json or outer.as_json,
            self.index or outer.index,
        )


@dataclass(frozen=True, slots=True)
class Session:
    """One run of the command line: where memory is, whose it is, who asks, and how to answer."""

    store: str | None
    scopes: tuple[str, ...]
    agent: str
    embedder: str | None
    working: str | None
    token: str | None
    as_json: bool
    scope_given: bool
    agent_given: bool
    index: str | None = None
    agent_from: str = "--agent"
    scope_from_environment: bool = False
    store_given: bool = False
    creates: bool = False
    told: set[str] = field(default_factory=set, compare=False)
    """Notes that this run has printed already."""

    @classmethod
    def of(cls, shared: Shared) -> Session:
        """Complete what was given from the environment, then from defaults that suit one person on one machine."""
        store = shared.store or os.environ.get("SATCHEL_STORE") or None
        named = os.environ.get("SATCHEL_SCOPE")
        scopes = shared.scopes or ((named,) if named else ())
        remote = is_remote(store)
        agent = shared.agent or os.environ.get("SATCHEL_AGENT")
        return cls(
            store=store,
            scopes=scopes or (_own_scope(),),
            agent=agent or "cli",
            embedder=shared.embedder or (None if remote else os.environ.get("SATCHEL_EMBEDDER") or None),
            working=shared.working or (None if remote else os.environ.get("SATCHEL_WORKING") or None),
            token=shared.token or (os.environ.get("SATCHEL_TOKEN") or None if remote else None),
            as_json=shared.as_json,
            scope_given=bool(scopes),
            agent_given=bool(agent),
            index=shared.index or (None if remote else os.environ.get("SATCHEL_INDEX") or None),
            agent_from="--agent" if shared.agent else "SATCHEL_AGENT",
            scope_from_environment=not shared.scopes and bool(named),
            store_given=bool(shared.store),
        )

    @property
    def scope(self) -> str:
        """The one scope that a write or a record needs. Raises InvalidRequest where several were named."""
        if len(self.scopes) != 1:
            raise InvalidRequest.of([{"field": "scope", "message": "this command takes exactly one --scope"}])
        return self.scopes[0]

    @contextmanager
    def open(self) -> Iterator[Memory]:
        """Open the memory for the length of a block."""
        from satchel.wiring import open_memory

        self._check_agent()
        if not self.creates:
            self._check_store()
        with open_memory(
            self.store, agent=self.agent, embedder=self.embedder, index=self.index, working=self.working, token=self.token
        ) as memory:
            _collect_again()
            self._tell_unfinished(memory)
            yield memory

    def _tell_unfinished(self, memory: Memory) -> None:
        """Say that the store is an unfinished copy, before anything is done with it."""
        core = getattr(memory, "core", None)
        if core is None or self.as_json:
            return
        from satchel.engine.notes import UNFINISHED  # a client of a service needs no engine

        note = core.notes.get(UNFINISHED)
        if note is not None:
            remark(f"note: {printable(note)}")
            self.told.add(note)

    def has_store(self) -> bool:
        """Tell whether the store is there already; of a service only itself can say."""
        from satchel.wiring import default_store_url, missing_store

        return missing_store(self.store or default_store_url()) is None

    def _check_agent(self) -> None:
        from satchel.protocol.naming import agent_name

        try:
            agent_name(self.agent)
        except InvalidRequest as error:
            faults = [Fault(field=self.agent_from, message=fault["message"]) for fault in error.details["faults"]]
            raise InvalidRequest.of(faults, subject="command line") from None

    def _check_store(self) -> None:
        from satchel.wiring import missing_store

        missing = missing_store(self.store) if self.store is not None and self.store_given else None
        if missing is not None:
            message = f"there is no store {missing!r}; remember, import, migrate and serve make one"
            raise InvalidRequest.of([Fault(field="--store", message=message)], subject="command line")

    @contextmanager
    def open_engine(self, why: str) -> Iterator[Engine]:
        """Open an embedded memory: for what works on the store itself. Raises InvalidRequest where the store is a service."""
        from satchel.engine.engine import Engine

        with self.open() as memory:
            if not isinstance(memory, Engine):
                raise InvalidRequest.of([{"field": "--store", "message": f"{why} needs the store itself, not a service in front of it"}])
            yield memory

    def at(self, store: str) -> Session:
        """Return the session for another store or service."""
        token = self.token if is_remote(store) else None
        moved = Session.of(Shared(store, self.scopes, self.agent, token=token, as_json=self.as_json))
        return replace(moved, index=None) if is_remote(store) else replace(moved, embedder=self.embedder, index=None)

    def creating(self) -> Session:
        """Return the session for work that may begin a store; to any other, a --store that is not there is an error, not an empty one."""
        return replace(self, creates=True)

    def without_embedder(self) -> Session:
        """Return the session for work that neither embeds nor ranks, so that no model is loaded."""
        return self if is_remote(self.store) else replace(self, embedder="none")


def _collect_again() -> None:
    """Collect garbage from now on, where the process began without: everything is imported, and none of it is garbage."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def is_remote(store: str | None) -> bool:
    """Tell whether a store's URL is that of a service."""
    return store is not None and store.startswith(("http://", "https://"))


def _own_scope() -> str:
    from satchel.protocol.scope import make_scope

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = "me"
    return make_scope(user=name)
