"""`WorkingStore`: where the snapshots of sessions rest. It must not know what a snapshot means."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol, runtime_checkable

from satchel.protocol.working import WorkingSnapshot


@runtime_checkable
class WorkingStore(Protocol):
    """Where the snapshots of sessions rest, outside the process that works with them (WRK-2). Every method may be called from any thread.

    It never merges, and loses no session that is not over: what such a one holds is in no record yet. Every failure is a StoreError,
    Conflict or InvalidRequest.
    """

    @property
    def capabilities(self) -> frozenset[str]:
        """`persistent`, `multiprocess`, and `scrub`: a scrubbing that is done has left nothing erased in any file."""
        ...

    @property
    def location(self) -> str:
        """Where it is, for a person; without a password."""
        ...

    def load(self, scope: str, session: str) -> WorkingSnapshot | None:
        """Return a session's snapshot, whoever saved it."""
        ...

    def save(self, snapshot: WorkingSnapshot, *, expect: int, lasting: float | None = None) -> None:
        """Write a snapshot durably over the one of version `expect`; 0, there must be none. Its own version is greater.

        `lasting`: seconds until its time is up, unless it is saved again. From then on a store that keeps time itself may drop a session
        that is over, and tells of one that is not by `expired`.

        Raises:
            Conflict: there is another version (`details["expected"]`, `details["actual"]`); nothing was written.
        """
        ...

    def drop(self, scope: str, session: str, *, expect: int | None = None) -> None:
        """Remove a session's snapshot, where there is one; with `expect` only in that version.

        Raises:
            Conflict: there is another version, or with `expect` none.
        """
        ...

    def snapshots(self, scope: str | None = None, *, after: tuple[str, str] | None = None, limit: int = 100) -> list[WorkingSnapshot]:
        """Return snapshots of one scope, or of all, ordered by (scope, session), after such a pair."""
        ...

    def expired(self, before: datetime, *, ended: bool, scope: str | None = None, limit: int = 100) -> list[WorkingSnapshot]:
        """Return snapshots of sessions that are over, or are not, the oldest first: those whose `updated_at` lies before a moment.

        A store that keeps time itself adds those, not over, whose `lasting` has run out by its own clock.
        """
        ...

    def scrub(self) -> bool:
        """Remove what erasure left in the files, as far as is its own work. False when that is not finished."""
        ...

    def check(self) -> list[str]:
        """Return what is wrong, a sentence each; empty when it is sound."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...
