"""Where log entries that came with a moved scope stood in the logs that they came from, so that its snapshots still mean the same (OBS-2).

Kept only of entries that a snapshot has behind it. It must not know how a scope is moved or a state is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from satchel.engine.core import Core
from satchel.ports import Change, Document
from satchel.protocol.record import new_id

ARRIVALS = "arrivals"
"""Documents keyed by scope, each with the entries that came in one batch."""

Place = Mapping[str, int]
"""By the scope whose log it was in, the position that an entry had there."""

Places = Mapping[tuple[str, int], Place]
"""Places of entries, by record id and the revision that the entry led to."""


def places(core: Core, scope: str) -> Places:
    """Return the places of the entries of a scope that came from elsewhere, as far as they are kept."""
    found: dict[tuple[str, int], Place] = {}
    after: str | None = None
    while page := core.store.documents(ARRIVALS, prefix=f"{scope}\n", after=after):
        for document in page:
            found |= {(record_id, revision): place for record_id, revision, place in (document.value or {})["entries"]}
        after = page[-1].key
    return found


def place_of(change: Change, arrived: Places, logs: Collection[str]) -> int:
    """Return an entry's position as seen from these logs: in the first of them that it was in, else where it stands."""
    place = arrived.get((change.id, change.revision), {}) if arrived else {}
    return next((place[log] for log in logs if log in place), change.position)


class Departing:
    """The entries of a scope that moves, as its snapshots need them; each snapshot a position, and the logs that it was taken in."""

    def __init__(self, core: Core, scope: str, snapshots: Sequence[tuple[int, tuple[str, ...]]]) -> None:
        self._scope = scope
        self._snapshots = [(position, (*logs, scope)) for position, logs in snapshots]
        self._arrived: Places = places(core, scope) if snapshots else {}

    def documents(self, to: str, entries: Iterable[Change]) -> list[Document]:
        """Return the document that keeps what must be known of these entries in the other scope."""
        if not self._snapshots:
            return []
        kept = [[change.id, change.revision, place] for change in entries if (place := self._place(change))]
        return [Document(ARRIVALS, f"{to}\n{new_id()}", {"entries": kept}, to)] if kept else []

    def _place(self, change: Change) -> dict[str, int]:
        # Where the scope comes home, an entry stands where it first stood in this log.
        place = {self._scope: change.position, **self._arrived.get((change.id, change.revision), {})}
        is_behind = any(next(place[log] for log in logs if log in place) <= position for position, logs in self._snapshots)
        return place if is_behind else {}
