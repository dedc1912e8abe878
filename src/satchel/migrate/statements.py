"""What the words of a short statement say about it: whether it leans on something outside itself, and what it says of a user.

Text is kept as it is; nothing is filled in from a guess. It knows Chinese and English text, and no format.
"""

from __future__ import annotations

import re

from satchel.engine.retention.retention import is_lasting

OUTSIDE_ITSELF = "refers to something outside itself"
"""What a receipt says of such a statement."""

_UNRESOLVED = re.compile(
    r"^(?:he|she|it|they|this|that|these|those|his|her|its|their)\b(?!\s+(?:is|was)\s+(?:raining|snowing|important|necessary)\b)"
    r"|\b(?:lives|works|is|was|stays|moved|went|born)\s+(?:here|there)\b|\b(?:as|see|same as)\s+above\b"
    r"|^(?:他|她|它|他们|她们|它们|这(?!里说)|那(?!么)|此(?!外)|该|其中|上述|如上|同上)"
    r"|住(?:在)?(?:这|那)(?:里|儿)|(?:他|她)也|上次(?:那个|说的)|那个东西",
    re.IGNORECASE,
)


def is_unresolved(text: str) -> bool:
    """Tell whether a short statement leans on something outside itself: "He likes it too", 他也喜欢."""
    return len(text) <= 200 and bool(_UNRESOLVED.search(text.strip()))


_PREFERS = re.compile(r"\b(?:prefers?|always|never|(?:dis)?likes?|hates?|loves?)\b|喜欢|偏好|总是|不要|讨厌|不喜", re.IGNORECASE)


def type_about_user(text: str, otherwise: str) -> str:
    """Return the type of a statement that its tool keeps about the user: an allergy or identity, a preference, or something else."""
    if is_lasting(text):
        return "profile"
    return "preference" if _PREFERS.search(text) else otherwise
