"""What a comparison says: the relation of a newer memory to an older, and why. It must not know how one comes to it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol


class Relation(StrEnum):
    """How a newer memory stands to an older."""

    SAME = "same"
    REPLACES = "replaces"
    CONTRADICTS = "contradicts"
    APART = "apart"


class Verdict(NamedTuple):
    """The relation, and in a sentence why.

    The sentence quotes nothing: it is kept in the change log, where erasure does not look for words.
    """

    relation: Relation
    reason: str


class Judge(Protocol):
    """Compares two memories in the rules' stead, with a model for instance."""

    def judge(self, older: str, newer: str) -> Verdict | None:
        """Say how the newer text stands to the older; None leaves it to the rules."""
        ...
