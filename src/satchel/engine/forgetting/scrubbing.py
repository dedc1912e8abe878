"""The second stage of forgetting (RET-5): what the store was told to erase leaves its files, and until then it is said to be pending.

It must not know what was erased, nor how a store removes bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from satchel.engine.core import Core
from satchel.errors import StoreUnavailable
from satchel.operations.models import ForgetState
from satchel.ports import Batch, Document
from satchel.protocol.record import new_id

PENDING = "scrub-pending"
_NOTE = "scrub"
_BEYOND, _BEYOND_WORKING = "scrub-beyond", "scrub-beyond-working"
_BEYOND_TEXT = (
    "forgotten content is gone from every answer and every index; freed space and write-ahead log of this store's server keep it until"
    " they are used again"
)

_INDEX_BEYOND = "scrub-beyond-index"
_INDEX_BEYOND_TEXT = "vectors of forgotten content are out of {}; its engine frees their space in its files when it tidies up"
_BEYOND_WORKING_TEXT = (
    "forgotten content is gone from working memory; the server that keeps it does not let its files be written anew, and they hold it"
    " until it does so by itself"
)


def pending_document(core: Core, scope: str | None = None) -> Document:
    """Return the document to write with an erasure: it says that the files still hold what was erased, and the index that of a scope."""
    return Document(PENDING, new_id(), {"since": core.now().isoformat(), "scope": scope})


def leaving_documents(core: Core, scope: str) -> list[Document]:
    """Return what to write where records leave a scope without being forgotten: an external index still has their vectors there."""
    return [] if core.external is None else [pending_document(core, scope)]


def is_pending(core: Core) -> bool:
    """Tell whether anything erased may still be in the files."""
    return bool(core.store.documents(PENDING, limit=1))


def settle(core: Core) -> ForgetState:
    """Scrub what is pending; return how far it has come. A reader that is still open delays it, and it is tried again later."""
    # Each erasure has its own document, so that clearing ours cannot hide one that came while we scrubbed.
    waiting = core.store.documents(PENDING)
    if waiting and "scrub" not in core.store.capabilities:
        core.notes.add(_BEYOND, _BEYOND_TEXT)
    while waiting:
        if not _leave_index(core, waiting):
            core.notes.add(_NOTE, "forgotten content is gone from every answer, but its vectors not yet from the external index")
            return ForgetState.SCRUB_PENDING
        if (why := _scrub(core, waiting)) is not None:
            core.notes.add(_NOTE, f"forgotten content is gone from every answer, but not yet scrubbed from the store's files{why}")
            return ForgetState.SCRUB_PENDING
        waiting = core.store.documents(PENDING) if len(waiting) >= 1000 else []
    core.notes.drop(_NOTE)
    return ForgetState.SCRUBBED


def finish(core: Core, told: str) -> tuple[ForgetState, str]:
    """Scrub what is pending; return how far it has come and what to tell of the forgetting, with why the scrubbing waits."""
    state = settle(core)
    why = core.notes.get(_NOTE) if state is ForgetState.SCRUB_PENDING else None
    return state, told if why is None else f"{why}; {told}"


def _scrub(core: Core, waiting: Sequence[Document]) -> str | None:
    """Scrub the files and note that it is done; return what to say of why it is not, where it is not.

    The forgetting itself is done: where the store cannot be written now, this stays pending and is no failure of it.
    """
    try:
        if not (core.store.scrub() and _scrub_working(core)):
            return ""
        core.store.apply(Batch(documents=[Document(PENDING, document.key, None) for document in waiting]))
    except StoreUnavailable as error:
        return f": {error.message}"
    return None


def _leave_index(core: Core, waiting: Sequence[Document]) -> bool:
    """Take what was erased out of the external index, where there is one; return whether it is out."""
    if core.external is None:
        return True
    scopes = {str(document.value["scope"]) for document in waiting if document.value and document.value.get("scope")}
    if scopes and not core.external.scrubs:
        core.notes.add(_INDEX_BEYOND, _INDEX_BEYOND_TEXT.format(core.external.location))
    return core.external.purge(sorted(scopes))


def _scrub_working(core: Core) -> bool:
    done = core.working.scrub()
    if done and core.apart is not None and "scrub" not in core.apart.capabilities:
        core.notes.add(_BEYOND_WORKING, _BEYOND_WORKING_TEXT)
    return done
