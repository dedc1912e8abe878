"""Whether a text asks, by its mark, its particle, or a verb before its subject: "Is Anna in?", "张三来吗".

It knows nothing of statements: a question states nothing, so it is never taken for what it asks.
"""

from __future__ import annotations

import re

_MODAL = "does|did|can|could|should|shall|will|would"
_BE = "is|are|was|were|am|has|have|had|do|may|might|must"
_WHAT = "what|who|whom|whose|where|when|why|how|which"
_SOMEBODY = r"(?:i|you|he|she|we|they|it|there|this|that|the user|the team)\b(?!')"

_ASKED = re.compile(
    r"[?？]\s*$|(?:吗|么|呢)[。.!！~\s]*$|是否|有没有|([一-鿿])不\1"
    rf"|^\s*(?:{_WHAT})(?:'s)? (?:{_MODAL}|{_BE})\b"
    rf"|^\s*(?:{_MODAL}|{_BE})(?:n't)? {_SOMEBODY}"
    rf"|^\s*(?:{_MODAL}) (?:the|my|our|your|his|her|their|an?) ",
    re.IGNORECASE,
)
_ASKED_OF_NAME = re.compile(r"^\s*(?:Is|Are|Was|Were|Does|Did|Can|Could|Should|Would|Has) [A-Z]\w+ (?!and\b)\w")


def is_asked(text: str) -> bool:
    """Tell whether a text (folded) asks."""
    return _ASKED.search(text) is not None or _ASKED_OF_NAME.search(text) is not None
