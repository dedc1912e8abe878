"""Something outside that may be down: asked while it answers, left alone a while after it failed, which is said once.

It must not know what is asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from satchel.errors import SatchelError

if TYPE_CHECKING:
    from satchel.engine.notes import Notes

P = ParamSpec("P")
R = TypeVar("R")

LOST = "external-index"

REST = 20.0
"""An index that failed is left alone this many times as long as it took to fail, as an embedder is."""

MAX_REST_SECONDS = 60.0


class IndexLost(Exception):
    """The external index cannot answer now; words do."""


class Reach:
    """The way to an external index. `lost` is called whenever it has failed."""

    def __init__(self, location: str, notes: Notes, lost: Callable[[], None]) -> None:
        self._location = location
        self._notes = notes
        self._lost = lost
        self._rest_until = 0.0

    @property
    def resting(self) -> bool:
        """Whether it failed lately, and is left alone."""
        return time.monotonic() < self._rest_until

    def wake(self) -> None:
        """Ask again, however lately it failed."""
        self._rest_until = 0.0

    def answered(self) -> None:
        """Take back what was said: all is well again."""
        self._notes.drop(LOST)

    def refused(self, said: str) -> IndexLost:
        """Leave it alone for long, for a reason that a person must mend; return what is to be raised."""
        self._rest_until = time.monotonic() + MAX_REST_SECONDS
        self._notes.add(LOST, said)
        return IndexLost(said)

    def ask(self, method: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call one of its methods. Raises IndexLost where that fails, and, without calling it, while it rests."""
        if self.resting:
            raise IndexLost(f"the vector index {self._location} failed a moment ago")
        started = time.monotonic()
        try:
            return method(*args, **kwargs)
        except Exception as error:
            failed = time.monotonic()
            importing = error.details.get("importing", 0.0) if isinstance(error, SatchelError) else 0.0
            self._rest_until = failed + min(REST * (failed - started - importing), MAX_REST_SECONDS)
            self._lost()
            said = error.message if isinstance(error, SatchelError) else f"the vector index {self._location} failed: {error}"
            self._notes.add(LOST, f"{said}; recall goes on with words alone, and the index is brought up to date when it is back")
            raise IndexLost(said) from error
