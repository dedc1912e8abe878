"""Whether the service can do its work: store, index and queue, told apart (SRV-1). Words only: it is answered without a token.

It must not know HTTP.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

from satchel.engine.core import Core
from satchel.errors import SatchelError
from satchel.operations.models import Diagnosis, Finding


class Health(TypedDict):
    """`status` is `degraded` while something that was wanted is missing; a memory that was opened without an embedder lacks nothing.

    `index` is `lexical` where no embedder is at hand, or the external index has failed; `queue` is `waiting` while records wait for
    their vectors. `working` is there where sessions are kept apart from the store, `tenants` where there are any: how many are in which
    state, or by name for who may know.
    """

    status: Literal["ok", "degraded", "failing"]
    store: Literal["ok", "failing"]
    index: Literal["ok", "lexical", "unknown"]
    queue: Literal["empty", "waiting", "unknown"]
    working: NotRequired[Literal["ok", "failing"]]
    tenants: NotRequired[Mapping[str, Any]]


def health_of(core: Core) -> Health:
    """Look at each part. Cheap: it reads one small document and a count."""
    try:
        core.store.document("health", "probe")
        waiting = core.store.count_unindexed() if core.embedder is not None else 0
    except SatchelError:
        return Health(status="failing", store="failing", index="unknown", queue="unknown")
    resting = core.external is not None and core.external.resting
    index: Literal["ok", "lexical"] = "lexical" if core.embedder is None or resting else "ok"
    health = Health(status="degraded" if core.notes.all() else "ok", store="ok", index=index, queue="waiting" if waiting else "empty")
    if core.apart is not None:
        health["working"] = "ok" if trouble_of_sessions(core) is None else "failing"
        if health["working"] == "failing":
            health["status"] = "degraded"
    return health


def with_tenants(health: Health, states: Mapping[str, str], *, named: bool) -> Health:
    """Return the health with that of the tenants, as it was when each was last looked at: one that fails leaves the service standing."""
    told = dict(states) if named else dict(sorted(Counter(states.values()).items()))
    degraded = health["status"] == "ok" and "failing" in states.values()
    return Health(**{**health, "tenants": told, **({"status": "degraded"} if degraded else {})})  # type: ignore[typeddict-item]


def diagnosed_with_tenants(diagnosis: Diagnosis, troubles: Mapping[str, str]) -> Diagnosis:
    """Return a diagnosis of the service's own memory with the tenants whose stores fail, and why: warnings, for it is sound itself."""
    findings = [Finding(level="warning", subject=f"tenant {name}", message=why) for name, why in troubles.items()]
    return diagnosis.model_copy(update={"findings": (*diagnosis.findings, *findings)})


def trouble_of_sessions(core: Core) -> str | None:
    """Say why sessions that are kept apart from the store cannot be asked for now; None where they can."""
    try:
        core.working.load("public", "health-probe")
    except SatchelError as error:
        return error.message
    return None
