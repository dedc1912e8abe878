"""How a statement stands to what it tells: that it is to be done, must or should be, is roughly so, or is done (CNF-1).

It must not know what else two statements tell. Two that differ in it are never one, however alike their words are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from satchel.engine.text.segmenting import fold

_NUMBER = r"(?=\s*[$€£¥]?(?:\d|an? |half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred))"
_MODES = {
    "due": r"\b(?:is|are|am|was|were|'s|'re)(?: not)? to (?!(?:the|a|an|my|our|your|his|her|their|be able)\b|[A-Z\d])\w+"
    r"|(?<!has )(?<!have )(?<!need )(?<!needs )(?<!ought )(?<!want )(?<!wants )(?<!like )(?<!plans )(?<!going )\bto be \w+",
    "must": r"\b(?:must|ha(?:s|ve) to|needs? to|必须|务必)\b|必须|务必|一定要",
    "should": r"\b(?:should|ought to|supposed to)\b|应该|应当|最好",
    "about": rf"\b(?:about|around|approximately|approx\.?|roughly|circa|some)\b{_NUMBER}"
    r"|大约|大概|左右|约(?<![租合预节签公条制大]约)(?=[\d一二两三四五六七八九十百千万])|差不多|上下(?=[。，]|$)",
    "nearly": rf"\b(?:almost|nearly)\b{_NUMBER}|将近|接近(?=[\d一二两三四五六七八九十百千万])|近(?=\d)",
}
_PATTERNS = {mode: re.compile(pattern) for mode, pattern in _MODES.items()}
_DONE_HAN = re.compile("了[。！\\s]*$|已经|已(?!婚)")
_TO_DO_HAN = re.compile("要(?![是么求不])|待|将(?!近|就)|需")
_CAMEL = re.compile(r"\b\w*[a-z][A-Z]\w*\b")


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[frozenset[str], dict[str, str]]:
    folded = fold(text).replace("’", "'")
    modes = {mode for mode, pattern in _PATTERNS.items() if pattern.search(folded)}
    if _DONE_HAN.search(folded):
        modes.add("done")
    elif _TO_DO_HAN.search(folded):
        modes.add("to do")
    return frozenset(modes), {word.lower(): word for word in _CAMEL.findall(text)}


def stand_otherwise(first: str, second: str) -> bool:
    """Tell whether two texts differ in how they stand to what they tell, or spell an identifier otherwise ("userId", "userID")."""
    (modes, spelled), (others, spelled_otherwise) = _read(first), _read(second)
    if any(word in spelled_otherwise and spelled_otherwise[word] != spelling for word, spelling in spelled.items()):
        return True
    both = {"done", "to do"}
    if modes & both and others & both and modes & both != others & both:
        return True
    return bool((modes ^ others) - both)
