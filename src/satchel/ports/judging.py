"""`Consolidator` and `Judge`: what a model may do beside the rules. Neither must know a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, runtime_checkable

from satchel.protocol.record import MemoryRecord


@runtime_checkable
class Consolidator(Protocol):
    """Writes one memory out of several of one topic, as a model can (RET-6). Without one, the engine joins their sentences."""

    def consolidate(self, memories: Sequence[MemoryRecord]) -> Mapping[str, Any]:
        """Return `content`, the text, and `sources`, the ids of every memory given.

        The answer is checked: a wrong shape, a memory or a number left out, and nothing is archived.
        """
        ...


class Relation(StrEnum):
    """How a newer memory stands to an older.

    In contradiction they cannot both hold; where they may contradict each other, both may; apart they have nothing to do with each other.
    """

    SAME = "same"
    REPLACES = "replaces"
    CONTRADICTS = "contradicts"
    MAY_CONTRADICT = "may_contradict"
    APART = "apart"


class Verdict(NamedTuple):
    """The relation, and in a sentence why.

    The sentence quotes nothing of the memories: it is kept in the change log, where erasure does not look for words.
    """

    relation: Relation
    reason: str


@runtime_checkable
class Judge(Protocol):
    """Compares two short memories before the built-in rules do, with a model for instance."""

    def judge(self, older: str, newer: str) -> Verdict | None:
        """Say how the newer text stands to the older; None leaves it to the rules, as does anything raised."""
        ...
