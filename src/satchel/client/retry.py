"""When a failed exchange is tried again, and after how long (ENG-4). It must not know how to wait.

A retry happens only where it cannot act twice: the request never left, the service says that it did not act, or the operation
is idempotent.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from satchel.errors import RateLimited, SatchelError, StoreUnavailable, TransportError

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)

_GAVE_UP = (500, 502, 504)
"""What stands between answers so where it did not hear the service's answer."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often (`retries`, beyond the first try) and how patiently; times are seconds.

    The n-th pause is drawn evenly between half and the whole of `base` · 2ⁿ, capped at `longest`; a service's own Retry-After
    is waited for where it is not longer than `longest`.
    """

    retries: int = 3
    base: float = 0.2
    longest: float = 5.0
    draw: Callable[[float, float], float] = random.uniform

    def start(self, *, idempotent: bool, writes: bool = False) -> Retry:
        """Begin counting for one call."""
        return Retry(self, idempotent, writes)


@dataclass(slots=True)
class Retry:
    """The failures of one call so far."""

    policy: RetryPolicy
    idempotent: bool
    writes: bool
    failures: int = 0
    uncertain: bool = False
    """Whether one of the tries may have written: no later failure can tell that it did not."""

    def pause_after(self, failure: Exception) -> float | None:
        """Return the seconds to wait before the next try, or None where the failure is the answer."""
        self.failures += 1
        self.uncertain = self.uncertain or self._may_have_written(failure)
        if self.failures > self.policy.retries or not self._safe(failure):
            return None
        longest = min(self.policy.longest, self.policy.base * 2.0 ** (self.failures - 1))
        pause = self.policy.draw(longest / 2, longest)
        asked = failure.details.get("retry_after") if isinstance(failure, SatchelError) else None
        if isinstance(asked, int | float):
            return max(pause, float(asked)) if asked <= self.policy.longest else None
        return pause

    def _may_have_written(self, failure: Exception) -> bool:
        if isinstance(failure, SatchelError) and failure.details.get("outcome") == "unknown":
            return True
        # Where the connection broke, or what stands between gave up, once the request was on its way, the service may have acted.
        broke = isinstance(failure, httpx.TransportError) and not isinstance(failure, (*_NEVER_SENT, httpx.UnsupportedProtocol))
        return self.writes and (broke or (isinstance(failure, TransportError) and failure.details.get("status") in _GAVE_UP))

    def _safe(self, failure: Exception) -> bool:
        if isinstance(failure, (*_NEVER_SENT, RateLimited)):
            return True
        return self.idempotent and isinstance(failure, (httpx.TransportError, StoreUnavailable, TransportError))
