"""Joins short texts into one that can be read, and loses no sentence of them. It must not know records or topics."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BREAK = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+(?=[A-Z\"“])")
_ENDS = re.compile(r"[。！？.!?;；…]+[\"”’'）)]*\Z")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, as they stand in it, without the blanks around them."""
    return [piece.strip() for piece in _BREAK.split(text) if piece.strip()]


def join(texts: Iterable[str]) -> str:
    """Return the sentences of all texts in order, each once, each closed by a full stop of its script."""
    pieces: dict[str, str] = {}
    for text in texts:
        for sentence in sentences(text):
            pieces.setdefault(_ENDS.sub("", sentence) or sentence, _closed(sentence))
    joined = ""
    for piece in pieces.values():
        joined += piece if not joined or joined[-1] in "。！？" else f" {piece}"
    return joined


def _closed(sentence: str) -> str:
    if _ENDS.search(sentence):
        return sentence
    return sentence + ("。" if _CJK.search(sentence) else ".")
