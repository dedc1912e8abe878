"""What every embedder does to a text first: no input may stop a model or be cut in silence where it should not be.

It must not know models.
"""

from __future__ import annotations

import re
import unicodedata

MAX_CHARACTERS = 800
"""Characters of a text that are embedded. Of a longer one the head and a little of the end; the lexical lane covers all of it."""

_TAIL = 160
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff]")

_WIDE = (
    "\u3041-\u30ff\u3105-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"  # Han, kana, Hangul
)
_WIDE_CHARACTER = re.compile(f"[{_WIDE}]")
_LETTER = re.compile(r"[^\W\d_]")


def clean(text: str) -> str:
    """Return the text as models take it: NFKC, control characters and lone surrogates as spaces, at most `MAX_CHARACTERS`, never empty."""
    if len(text) > MAX_CHARACTERS:
        text = f"{text[: MAX_CHARACTERS - _TAIL]} {text[-_TAIL:]}"
    text = unicodedata.normalize("NFKC", _UNFIT.sub(" ", text)).strip()
    return text[: 2 * MAX_CHARACTERS] or " "


def chinese_share(text: str) -> float:
    """Return how Chinese a cleaned text is, 0..1: the share of Han, kana and Hangul characters; six other letters, a word, weigh as one."""
    wide = len(_WIDE_CHARACTER.findall(text))
    if not wide:
        return 0.0
    return wide / (wide + (len(_LETTER.findall(text)) - wide) / 6.0)
