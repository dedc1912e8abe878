"""What every source yields: items, each with a draft of a record or the reason why there is none.

It must not know any foreign format, the store, or the scope an item ends in.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta, tzinfo
from pathlib import Path
from typing import Any, Protocol

from satchel.migrate.times import UNTIMED, Moment
from satchel.operations.models import ReceiptOutcome
from satchel.protocol.record import Origin, Status

DELETED_AT_ORIGIN = "deleted at origin"
"""Reason of an item that its tool had deleted: it must stay deleted."""

_NAMESPACE = uuid.UUID("5c1d7f0e-7c0b-5a57-9d0e-2f6f6b1a4d53")

Owner = Mapping[str, str]
"""Whom the origin says an item belongs to: names by segment kind, as in `{"user": "alice", "agent": "helper"}`, or a whole `scope`."""


def made_id(kind: str, *parts: str) -> str:
    """Make the id of an item that has none at its origin: the same parts give the same id, on every machine."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join((kind, *parts)).encode("utf-8", "replace").decode()))


@dataclass(slots=True)
class Draft:
    """A record as far as its origin tells it. What stays None or empty is completed by the engine.

    `type` is the origin's own name; `meta` holds foreign fields verbatim. `mapped` names what the format's own mapping does to every such
    item, `changes` what was altered in this one, and why.
    `unresolved` says what the content refers to without naming it. `imported_from` is the kind, unless ids are unique in one file only.
    """

    id: str
    content: str
    type: str = "fact"
    created: Moment = UNTIMED
    updated: Moment = UNTIMED
    expires: Moment = UNTIMED
    due: Moment = UNTIMED
    tags: Iterable[str] = ()
    agent: str | None = None
    session: str | None = None
    message: str | None = None
    origin: Origin = Origin.IMPORTED
    score: float | None = None
    ttl: float | None = None
    confidence: float | None = None
    pinned: bool = False
    status: Status = Status.ACTIVE
    unresolved: str | None = None
    imported_from: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    owner: Owner = field(default_factory=dict)
    mapped: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)

    def expire(self, moment: Moment) -> None:
        """Set the expiry; a mere date lasts to its end."""
        if moment.instant is not None and moment.whole_day:
            moment = replace(moment, instant=moment.instant + timedelta(days=1))
            self.mapped.append(f"expires_at: the date {moment.raw} taken as the end of that day")
        self.expires = moment


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One item of a source. `item` says where it stands (`file:line`, a key). `draft` is None where `outcome` and `reason` say why.

    `id` and `owner` tell which record a deleted item was.
    """

    item: str
    draft: Draft | None = None
    outcome: ReceiptOutcome = ReceiptOutcome.ACCEPTED
    reason: str | None = None
    id: str | None = None
    owner: Owner = field(default_factory=dict)

    @property
    def deleted_at_origin(self) -> bool:
        """Whether the origin had deleted it."""
        return self.outcome is ReceiptOutcome.DROPPED and self.reason == DELETED_AT_ORIGIN


def dropped(item: str, reason: str) -> SourceItem:
    """Return an item that is left out for good."""
    return SourceItem(item, outcome=ReceiptOutcome.DROPPED, reason=reason)


def deleted(item: str, id: str, owner: Owner) -> SourceItem:
    """Return an item that its tool had deleted."""
    return SourceItem(item, outcome=ReceiptOutcome.DROPPED, reason=DELETED_AT_ORIGIN, id=id, owner=owner)


def quarantined(item: str, reason: str) -> SourceItem:
    """Return an item that could not be taken and that a person should look at."""
    return SourceItem(item, outcome=ReceiptOutcome.QUARANTINED, reason=reason)


@dataclass(frozen=True, slots=True)
class Options:
    """What a person said about a source: the zone of its local times, and how its columns map (see mapping.py)."""

    zone: tzinfo | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """An opened source. `files` are what its digest covers; `notes` say what was detected; `items` may be iterated once.

    `names_owners`: its items say whose they are, so that a scope need not be given.
    """

    root: Path
    files: tuple[Path, ...]
    items: Iterator[SourceItem]
    notes: list[str] = field(default_factory=list)
    names_owners: bool = False

    def digest(self) -> str:
        """Return the sha-256 (hex) of the names, relative to the root, and the bytes of all files."""
        total = hashlib.sha256()
        for path in sorted(self.files):
            total.update(f"{self.name(path)}\x00{path.stat().st_size}\x00".encode("utf-8", "replace"))
            with path.open("rb") as stream:
                total.update(hashlib.file_digest(stream, "sha256").digest())
        return total.hexdigest()

    def name(self, path: Path) -> str:
        """Return how a file is called in items and ids: its path below the root, with slashes."""
        return relative_name(self.root, path)


def relative_name(root: Path, path: Path) -> str:
    """Return the path of a file below a root with slashes; the root itself is called by its last part."""
    return path.name if path == root else path.relative_to(root).as_posix()


class Source(Protocol):
    """One foreign format.

    `fields` accounts for what the format holds: each foreign field, with the field of a record or `meta` it goes to, or `lost: ` and why.
    """

    kind: str
    description: str
    location: str
    fields: Mapping[str, str]

    def detect(self, path: Path) -> bool:
        """Tell whether the path looks like this format. Cheap; never raises."""
        ...

    def read(self, path: Path, options: Options) -> Reading:
        """Open a source. Raises InvalidRequest where it is not this format or cannot be read."""
        ...
