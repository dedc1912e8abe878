"""What a copy tells when it is done: how much there was, and what differs. It must not know how either was found."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

MOST = 20
"""Differences that are told one by one; of more only the number."""


class CopyReport(BaseModel):
    """What was compared, record by record, in one state of the source. `scopes` counts its records by status.

    `fingerprint` is the sha-256 of all records and tombstones in order of scope and id: two stores with the same one hold the same.
    `entries` is the length of the change log, `position` where it ends, `copied` how much of it this run brought over. `sessions` counts
    those that came over; `sessions_at` is where they are kept instead where that is apart from the store: they stay there.
    """

    model_config = ConfigDict(frozen=True)

    source: str
    target: str
    resumed: bool
    copied: int
    position: int
    records: int
    tombstones: int
    vectors: int
    entries: int
    erased: int
    documents: int
    sessions: int
    sessions_at: str | None
    scopes: Mapping[str, Mapping[str, int]]
    fingerprint: str
    scrubbed: bool
    differing: int
    differences: tuple[str, ...]

    @property
    def verified(self) -> bool:
        """Whether nothing differs."""
        return not self.differing


class Differences:
    """Gathers what differs; the first few in words."""

    def __init__(self) -> None:
        self.count = 0
        self.told: list[str] = []

    def add(self, text: str) -> None:
        """Note one."""
        self.count += 1
        if len(self.told) < MOST:
            self.told.append(text)
