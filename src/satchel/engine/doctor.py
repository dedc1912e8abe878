"""`doctor`: what a person should know about the store and its index, and what helps. It must not know how any of it is mended."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from satchel.engine.copying import unfinished
from satchel.engine.core import Core, Principal
from satchel.engine.forgetting.scrubbing import settle
from satchel.engine.index.backlog import progress
from satchel.engine.index.embedding import index_embedder
from satchel.engine.index.reach import IndexLost
from satchel.engine.notes import UNFINISHED
from satchel.engine.retention.rewriting import count_failures
from satchel.errors import StoreError, StoreUnavailable
from satchel.operations.models import Diagnosis, DoctorRequest, Finding, ForgetState
from satchel.ports import Batch, Noticing

_MOUNTS = Path("/proc/self/mounts")
_FLEETING = {"tmpfs": "memory", "ramfs": "memory", "overlay": "a container's own layer"}


def doctor(core: Core, principal: Principal, request: DoctorRequest) -> Diagnosis:
    """Look the store over; a scrubbing that was pending is tried again."""
    looks = (_store, _copying, _index, _external, _working, _erasure, _storage, _maintenance, _notes)
    findings = tuple(finding for look in looks for finding in look(core))
    return Diagnosis(healthy=all(finding.level != "error" for finding in findings), findings=findings)


def _store(core: Core) -> Iterator[Finding]:
    problems = core.store.check()
    yield from (Finding(level="error", subject="store", message=problem) for problem in problems)
    if isinstance(core.store, Noticing):
        yield from (Finding(level="warning", subject="store", message=notice) for notice in core.store.notices())
    try:
        # Nothing is written by it, but it goes all the way that a write goes.
        core.store.apply(Batch())
    except StoreUnavailable as error:
        if error.message not in problems:
            message = f"the store can be read, but nothing can be remembered or forgotten: {error.message}"
            yield Finding(level="error", subject="writing", message=message)
    except StoreError:
        if not problems:
            raise
    if not problems:
        yield Finding(level="ok", subject="store", message=f"{core.store.location} is sound")


def _copying(core: Core) -> Iterator[Finding]:
    message = unfinished(core.store)
    if message is not None:
        yield Finding(level="error", subject="copying", message=message)
    else:
        core.notes.drop(UNFINISHED)


def _index(core: Core) -> Iterator[Finding]:
    ours, theirs = core.embedder.name if core.embedder else None, index_embedder(core)
    missing = core.store.count_unindexed()
    if theirs is not None and theirs != ours:
        message = f"the vectors are of {theirs}, this is {ours or 'no embedder'}: recall uses words alone until `satchel reindex`"
        yield Finding(level="warning", subject="index", message=message)
    elif ours is None:
        yield Finding(level="ok", subject="index", message="recall is lexical, for there is no embedder")
    elif missing:
        message = f"{missing} records have no vector yet: {progress(core) or '`satchel reindex` makes them'}"
        yield Finding(level="warning", subject="index", message=message)
    else:
        yield Finding(level="ok", subject="index", message=f"every record has its vector of {ours}")


def _external(core: Core) -> Iterator[Finding]:
    external = core.external
    if external is None:
        return
    inspection = external.inspection()
    problems = inspection.problems(core.embedder.name if core.embedder else None)
    yield from (Finding(level="warning", subject="external index", message=problem) for problem in problems)
    if problems:
        return
    try:
        differing = list(inspection.compare())
    except IndexLost as error:
        yield Finding(level="warning", subject="external index", message=str(error))
        return
    for one in differing:
        counts = f"{one.missing} vectors missing, {one.stale} out of date, {one.extra} too many"
        yield Finding(level="warning", subject="external index", message=f"{one.scope}: {counts}; `satchel reindex` puts it right")
    if not differing:
        yield Finding(level="ok", subject="external index", message=f"{external.location} holds what the store does, as far as it has come")


def _working(core: Core) -> Iterator[Finding]:
    if core.apart is None:
        return
    try:
        problems = core.apart.check()
    except StoreError as error:
        problems = [error.message]
    yield from (Finding(level="error", subject="working", message=problem) for problem in problems)
    if problems:
        return
    yield Finding(level="ok", subject="working", message=f"{core.apart.location} is sound")
    if "persistent" not in core.apart.capabilities:
        message = f"{core.apart.location} keeps sessions in memory only: when it stops, those not yet ended are lost"
        yield Finding(level="warning", subject="working", message=message)


def _erasure(core: Core) -> Iterator[Finding]:
    if settle(core) is ForgetState.SCRUBBED:
        yield Finding(level="ok", subject="erasure", message="nothing forgotten is left in the files")
    else:
        why = "a reader holds them" if core.apart is None else "a reader holds them, or the server of working memory is away"
        message = f"forgotten content is still in the files, for {why}, or they cannot be written now; it is scrubbed when that is over"
        yield Finding(level="warning", subject="erasure", message=message)


def _storage(core: Core) -> Iterator[Finding]:
    if "persistent" not in core.store.capabilities:
        yield Finding(level="warning", subject="storage", message="this store keeps nothing when the process ends")
        return
    path = Path(core.store.location)
    reason = _fleeting(path) if path.exists() else None
    if reason is not None:
        message = f"{core.store.location} lies in {reason} and will not last: move the store to a disk, or a volume in a container"
        yield Finding(level="warning", subject="storage", message=message)


def _fleeting(path: Path) -> str | None:
    """Return what kind of place a path is in, where it is one that is cleared."""
    real = path.resolve()
    temporary = {Path(tempfile.gettempdir()).resolve(), Path("/tmp").resolve(), Path("/var/tmp").resolve()}
    if any(real.is_relative_to(folder) for folder in temporary):
        return "a temporary folder"
    return _FLEETING.get(_file_system(real))


def _file_system(path: Path) -> str:
    """Return the type of the file system that a path is on, as Linux names it; empty where that is not known."""
    try:
        mounts = [line.split(" ")[1:3] for line in _MOUNTS.read_text("utf-8").splitlines()]
    except OSError:
        return ""
    over = [(len(point), kind) for point, kind in mounts if path.is_relative_to(point)]
    return max(over, default=(0, ""))[1]


def _maintenance(core: Core) -> Iterator[Finding]:
    failed = count_failures(core)
    if failed:
        message = f"{failed} times a model's text was no good, and memories were not put together; nothing was archived for it"
        yield Finding(level="warning", subject="maintenance", message=message)


def _notes(core: Core) -> Iterator[Finding]:
    told = unfinished(core.store)
    yield from (Finding(level="warning", subject="note", message=note) for note in core.notes.all() if note != told)
