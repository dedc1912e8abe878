"""Which place the sessions of a store are kept in, so that none is left behind, unseen and out of reach of forgetting.

It must not know what kinds of place there are.
"""

from __future__ import annotations

from satchel.engine.core import Core
from satchel.engine.working.store import DocumentWorkingStore
from satchel.errors import NotFound, StoreUnavailable
from satchel.ports import Batch, Document, Store

COLLECTION, KEY = "working-home", "home"
"""The document that names the last place apart from the store."""

_NOTE = "working-home"

_WAITING = "working-moves"
"""The note that the store still holds sessions of its own, which move when their new place is there."""


def place_of_sessions(store: Store) -> str | None:
    """Return where the sessions of a store were last kept apart from it; None where they are in it."""
    place: str | None = (store.document(COLLECTION, KEY) or {}).get("location")
    return place


def open_home(core: Core, *, chosen: bool) -> None:
    """Note where sessions are kept from now on. `chosen`: somebody said so, and it is not the place for want of another.

    Where it is apart from the store, sessions that the store holds move there. Where it is not, and was, a note says what that means.
    """
    last = place_of_sessions(core.store)
    if core.apart is not None:
        if last != core.apart.location:
            _write(core, {"location": core.apart.location})
        if last is not None and last != core.apart.location:
            core.notes.add(_NOTE, f"sessions of this store were kept in {last}; those that are there are not seen from here")
        _bring_in(core)
    elif last is not None and chosen:
        _write(core, None)
    elif last is not None:
        core.notes.add(
            _NOTE,
            f"sessions of this store are kept in {last}: without working={last!r} they are not seen, and forgetting does not reach them",
        )


def _bring_in(core: Core) -> None:
    """Move the store's own sessions to where sessions are kept. Where that is away, a note says so, and `settle_home` does it later."""
    from satchel.engine.working.arrivals import bring_in  # every command opens a memory, and few of them one like this

    try:
        bring_in(core, DocumentWorkingStore(core.store))
    except StoreUnavailable as error:
        core.notes.add(_WAITING, f"sessions that the store holds have yet to move: {error.message}")
    else:
        core.notes.drop(_WAITING)


def settle_home(core: Core) -> None:
    """Move what had to wait when the memory was opened; before sessions are asked for, so that none seems not to be there."""
    if core.notes.get(_WAITING) is not None:
        _bring_in(core)


def looked_in(core: Core) -> str:
    """Return where this engine looks for sessions, and where else they are, for a person who misses one."""
    here, elsewhere = core.working.location, _elsewhere(core)
    return here if elsewhere is None else f"{here}; but sessions of this store are kept in {elsewhere}: name it as `working`"


def unknown_session(core: Core, session: str, scope: str) -> NotFound:
    """Return the error for a session that is not there."""
    return NotFound(f"there is no session {session!r} in {scope}; looked in {looked_in(core)}", session=session, scope=scope)


def _elsewhere(core: Core) -> str | None:
    """Return the place that sessions of this store are kept in, where this engine was not told to use it."""
    return place_of_sessions(core.store) if core.apart is None else None


def must_reach(core: Core) -> None:
    """Raise StoreUnavailable where sessions of this store are kept in a place that this engine was not told to use.

    Forgetting that does not reach them must not say that it is done.
    """
    settle_home(core)
    waiting = core.notes.get(_WAITING)
    if waiting is not None:
        raise StoreUnavailable(f"{waiting}; forgetting must reach them")
    last = _elsewhere(core)
    if last is not None:
        raise StoreUnavailable(
            f"sessions of this store are kept in {last}, and forgetting must reach them: name it as `working`, or 'store' if it is no more"
        )


def _write(core: Core, value: dict[str, str] | None) -> None:
    core.store.apply(Batch(documents=[Document(COLLECTION, KEY, value)]))
