"""Whether the service can do its work: store, index and queue, told apart (SRV-1). Words only: it is answered without a token.

It must not know HTTP.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from satchel.engine.core import Core
from satchel.errors import SatchelError


class Health(TypedDict):
    """`status` is `degraded` while something that was wanted is missing; a memory that was opened without an embedder lacks nothing.

    `index` is `lexical` where no embedder is at hand, or the external index has failed; `queue` is `waiting` while records wait for
    their vectors.
    """

    status: Literal["ok", "degraded", "failing"]
    store: Literal["ok", "failing"]
    index: Literal["ok", "lexical", "unknown"]
    queue: Literal["empty", "waiting", "unknown"]


def health_of(core: Core) -> Health:
    """Look at each part. Cheap: it reads one small document and a count."""
    try:
        core.store.document("health", "probe")
        waiting = core.store.count_unindexed() if core.embedder is not None else 0
    except SatchelError:
        return Health(status="failing", store="failing", index="unknown", queue="unknown")
    resting = core.external is not None and core.external.resting
    index: Literal["ok", "lexical"] = "lexical" if core.embedder is None or resting else "ok"
    return Health(status="degraded" if core.notes.all() else "ok", store="ok", index=index, queue="waiting" if waiting else "empty")
