"""What the client library raises, as the errors of a store. It must not know what was being done.

Messages name the server as a person may see it, and never hold what was sent.
"""

from __future__ import annotations

import re

import redis.exceptions as e

from satchel.errors import StoreError, StoreUnavailable

_LATER = "working memory in {shown} cannot be reached: {error}"

_FULL = "{shown} has no memory left, and took nothing: raise its maxmemory"
_INSIDE = re.compile(r"\b(OOM|MISCONF|READONLY|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|LOADING)\b")

_PASSING: tuple[tuple[type[e.RedisError], str], ...] = (
    (e.AuthenticationError, "{shown} did not take the name or password"),
    (e.OutOfMemoryError, _FULL),
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
    # Older servers wrap what a script met in a message of their own.
    passing = _INSIDE.search(_words(error))
    if passing is None:
        return StoreError(f"{shown}: {_words(error)}", location=shown)
    text = _FULL if passing[1] == "OOM" else "{shown} takes no writes now ({error})"
    return StoreUnavailable(text.format(shown=shown, error=passing[1]), location=shown)


def _words(error: e.RedisError) -> str:
    """Return what it says, in one line of sane length, without what was sent."""
    return " ".join(str(error).partition("with args beginning")[0].split())[:300] or type(error).__name__
