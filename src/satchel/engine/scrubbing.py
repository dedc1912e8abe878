"""The second stage of forgetting (RET-5): what the store was told to erase leaves its files, and until then it is said to be pending.

It must not know what was erased, nor how a store removes bytes.
"""

from __future__ import annotations

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

_BEYOND_WORKING_TEXT = (
    "forgotten content is gone from working memory; the server that keeps it does not let its files be written anew, and they hold it"
    " until it does so by itself"
)


def pending_document(core: Core) -> Document:
    """Return the document to write with an erasure: it says that the files still hold what was erased."""
    return Document(PENDING, new_id(), {"since": core.now().isoformat()})


def is_pending(core: Core) -> bool:
    """Tell whether anything erased may still be in the files."""
    return bool(core.store.documents(PENDING, limit=1))


def settle(core: Core) -> ForgetState:
    """Scrub what is pending; return how far it has come. A reader that is still open delays it, and it is tried again later."""
    # Each erasure has its own document, so that clearing ours cannot hide one that came while we scrubbed.
    waiting = [document.key for document in core.store.documents(PENDING)]
    if waiting and "scrub" not in core.store.capabilities:
        core.notes.add(_BEYOND, _BEYOND_TEXT)
    while waiting:
        if not (core.store.scrub() and _scrub_working(core)):
            core.notes.add(_NOTE, "forgotten content is gone from every answer, but not yet scrubbed from the store's files")
            return ForgetState.SCRUB_PENDING
        core.store.apply(Batch(documents=[Document(PENDING, key, None) for key in waiting]))
        waiting = [document.key for document in core.store.documents(PENDING)] if len(waiting) >= 1000 else []
    core.notes.drop(_NOTE)
    return ForgetState.SCRUBBED


def _scrub_working(core: Core) -> bool:
    try:
        done = core.working.scrub()
    except StoreUnavailable:
        return False
    if done and core.apart is not None and "scrub" not in core.apart.capabilities:
        core.notes.add(_BEYOND_WORKING, _BEYOND_WORKING_TEXT)
    return done
