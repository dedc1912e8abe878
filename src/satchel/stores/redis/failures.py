"""What the client library raises, as the errors of a store. It must not know what was being done.

Messages name the server as a person may see it, and never hold what was sent.
"""

from __future__ import annotations

import redis.exceptions as e

from satchel.errors import StoreError, StoreUnavailable

_LATER = "working memory in {shown} cannot be reached: {error}"

_PASSING: tuple[tuple[type[e.RedisError], str], ...] = (
    (e.AuthenticationError, "{shown} did not take the name or password"),
    (e.OutOfMemoryError, "{shown} has no memory left, and took nothing: raise its maxmemory"),
    (e.ReadOnlyError, "{shown} can only be read: it is a replica, or its leader is being replaced"),
    (e.BusyLoadingError, "{shown} is still loading what it keeps"),
    (e.TimeoutError, _LATER),
    (e.ConnectionError, _LATER),
)


def store_error(error: e.RedisError, shown: str) -> StoreError:
    """Return the error of a store that says what the driver's does."""
    for kind, text in _PASSING:
        if isinstance(error, kind):
            return StoreUnavailable(text.format(shown=shown, error=_words(error)), location=shown)
    if _words(error).startswith(("MISCONF", "MASTERDOWN", "CLUSTERDOWN", "NOREPLICAS", "LOADING", "OOM")):
        return StoreUnavailable(f"{shown} takes no writes now: {_words(error)}", location=shown)
    return StoreError(f"{shown}: {_words(error)}", location=shown)


def _words(error: e.RedisError) -> str:
    """Return what it says, in one line of sane length."""
    return " ".join(str(error).split())[:300] or type(error).__name__
