"""What every part of the engine shares: the ports, the settings, the present, and things to be said once.

It must not know any verb.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from satchel.engine.activity import Activity
from satchel.engine.notes import Notes
from satchel.engine.settings import Settings
from satchel.engine.working.store import DocumentWorkingStore
from satchel.ports import Clock, Consolidator, Embedder, Judge, Store, Use, WorkingStore
from satchel.protocol.times import to_utc

if TYPE_CHECKING:
    from satchel.engine.index.external import ExternalIndex


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls: the agent's name, and the scopes it may read and write; None means every scope (ACC-1)."""

    agent: str | None = None
    read: frozenset[str] | None = None
    write: frozenset[str] | None = None

    def readable(self, scopes: Iterable[str]) -> tuple[str, ...]:
        """Return those of the scopes that may be read: others look like absent ones."""
        return tuple(scope for scope in scopes if self.read is None or scope in self.read)


class Unwritten:
    """Uses of memories that are on their way to the store; whoever gathers them says where they wait."""

    def __init__(self) -> None:
        self._waiting: Callable[[str], Iterable[Use]] = lambda _: ()

    def come_from(self, waiting: Callable[[str], Iterable[Use]]) -> None:
        """Say what gives, for a scope, the uses that are not in the store yet."""
        self._waiting = waiting

    def count(self, scope: str, record_id: str) -> int:
        """Return how often a memory was used beyond what its record says."""
        return sum(use.count for use in self._waiting(scope) if use.id == record_id)


@dataclass(frozen=True, slots=True)
class Core:
    """The engine's shared parts.

    None: `embedder`, recall is lexical only; `consolidator`, topics are merged by rule; `judge`, memories are compared by rule;
    `apart`, working memory rests in the store; `external`, vectors are searched in memory.
    """

    store: Store
    embedder: Embedder | None
    clock: Clock
    settings: Settings = field(default_factory=Settings)
    notes: Notes = field(default_factory=Notes)
    consolidator: Consolidator | None = None
    judge: Judge | None = None
    apart: WorkingStore | None = None
    activity: Activity = field(default_factory=Activity)
    unwritten: Unwritten = field(default_factory=Unwritten)
    external: ExternalIndex | None = None

    @property
    def working(self) -> WorkingStore:
        """Where working memory rests."""
        return self.apart or DocumentWorkingStore(self.store)

    def close(self) -> None:
        """Release the stores, and the external index before the one that it follows."""
        try:
            if self.external is not None:
                self.external.close()
            if self.apart is not None:
                self.apart.close()
        finally:
            self.store.close()

    def now(self) -> datetime:
        """Return the present in UTC."""
        return to_utc(self.clock())
