"""How snapshots reach the place that sessions are kept in, and are read from there one after the other (WRK-1, WRK-2).

It must not know what is merged, or when a session begins or ends.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import TypeVar

from satchel.engine.core import Core
from satchel.errors import Conflict
from satchel.protocol.working import WorkingSnapshot, same_json

R = TypeVar("R")

_ATTEMPTS = 200
_PATIENCE_SECONDS = 10.0
_LONGEST_PAUSE = 0.1
_PAGE = 100

_LINGER = 3600.0
"""Seconds for which what was just written stands, however old it is: who wrote it may look at it."""

_BESIDE = frozenset({"version", "updated_at", "agent_id"})


class Overtaken(Exception):
    """Another writer saved between reading and writing."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__(conflict.message)
        self.conflict = conflict


def retried(attempt: Callable[[], R]) -> R:
    """Call `attempt`, and again, for some ten seconds, where another writer came between. Raises Conflict where that does not end."""
    number, until = 0, time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return attempt()
        except Overtaken as error:
            number += 1
            if number == _ATTEMPTS or time.monotonic() > until:
                raise error.conflict from None
            # Several processes that write at once come into step unless the pauses grow apart.
            time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.002 * number)))


def write(core: Core, snapshot: WorkingSnapshot, *, expect: int) -> None:
    """Save a snapshot. Raises Overtaken where the stored one is no longer at version `expect`."""
    left = (release_time(core, snapshot) - core.now()).total_seconds()
    try:
        core.working.save(snapshot, expect=expect, lasting=max(left, _LINGER))
    except Conflict as error:
        raise Overtaken(error) from None


def is_released(core: Core, snapshot: WorkingSnapshot) -> bool:
    """Tell whether a session has been idle for so long that it is let go (WRK-2)."""
    if snapshot.ended_by == "idle":
        return True
    return snapshot.ended_at is None and release_time(core, snapshot) <= core.now()


def release_time(core: Core, snapshot: WorkingSnapshot) -> datetime:
    """Return when a snapshot is let go, or, where it is over, removed, if nobody goes on with it."""
    settings = core.settings
    span = settings.session_idle_seconds if snapshot.ended_at is None else settings.session_archive_seconds
    return snapshot.updated_at + timedelta(seconds=span)


def same_content(one: WorkingSnapshot, other: WorkingSnapshot) -> bool:
    """Tell whether two snapshots differ in nothing but their version, the time of their saving, and who saved them."""
    return same_json(*(snapshot.model_dump(mode="json", exclude_none=True, exclude=set(_BESIDE)) for snapshot in (one, other)))


def every_snapshot(core: Core, scope: str | None = None) -> Iterator[WorkingSnapshot]:
    """Yield the snapshots of a scope, or of all."""
    after: tuple[str, str] | None = None
    while page := core.working.snapshots(scope, after=after, limit=_PAGE):
        yield from page
        after = (page[-1].scope, page[-1].session_id)
