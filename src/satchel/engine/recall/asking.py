"""From the text of a question to what the lanes look for: the whole, and each of its sentences where there are several.

A message often asks two things, or asks one after much else; a record that answers one sentence should not lose for ignoring the rest.
It must not know indexes or models.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from satchel.engine.recall.lanes import Question
from satchel.engine.text.segmenting import hash_query, idle_words, wide_share

MAX_SENTENCES = 4
"""Sentences looked for each on its own; of more, the shortest neighbours go together."""

_SHORTEST = 4
_ENDS = re.compile(r"(?<=[。！？!?；;\n])\s*|(?<=\.)\s+|(?:另外|此外)[，,]?")


def sentences(text: str) -> list[str]:
    """Return a question's sentences, at most `MAX_SENTENCES`; none where there is only one."""
    found = [part for part in (piece.strip() for piece in _ENDS.split(text)) if len(part) >= _SHORTEST]
    if len(found) < 2:
        return []
    while len(found) > MAX_SENTENCES:
        at = min(range(len(found) - 1), key=lambda i: len(found[i]) + len(found[i + 1]))
        found[at : at + 2] = [f"{found[at]} {found[at + 1]}"]
    return found


def ask(texts: Sequence[str], vectors: Sequence[NDArray[np.float32]] | None) -> list[Question]:
    """Return what to look for: a question for each text (the whole first) that has terms, with its vector where there are any.

    Words that are in every text find nothing: of a text that has no others ("who am I") only the vector asks, of one word not even that.
    """
    asked = []
    for at, text in enumerate(texts):
        hashes, weights = hash_query(text)
        idle = idle_words(text)
        if idle is not None:
            if vectors is not None and idle > 1:
                asked.append(Question(hashes[:0], vectors[at], weights[:0], wide_share(text)))
        elif len(hashes):
            asked.append(Question(hashes, None if vectors is None else vectors[at], weights, wide_share(text)))
    return asked
