"""An embedder that remembers on disk what another one made, so that a second measurement does not wait for the model.

It must not know what is measured. Not part of Satchel: a memory's vectors are in its store.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import platformdirs

from satchel.ports import Calibration, Embedder, Vectors


class CachedEmbedder:
    """The same vectors as `inner`, kept by its name, by question or memory, and by text."""

    def __init__(self, inner: Embedder, folder: Path | None = None) -> None:
        self._inner = inner
        self.name = inner.name
        self.dimension = inner.dimension
        self.calibration: Calibration = inner.calibration
        folder = folder or Path(platformdirs.user_cache_dir("satchel-benchmarks", appauthor=False))
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(folder / "vectors.db", check_same_thread=False)
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (name, kind, text, vector, PRIMARY KEY (name, kind, text))")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        return self._embed("query", texts, self._inner.embed_queries)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed memories."""
        return self._embed("passage", texts, self._inner.embed_passages)

    def _embed(self, kind: str, texts: Sequence[str], make: Callable[[Sequence[str]], Vectors]) -> Vectors:
        with self._lock:
            known = {text: vector for text in set(texts) if (vector := self._get(kind, text)) is not None}
            missing = [text for text in dict.fromkeys(texts) if text not in known]
            for start in range(0, len(missing), 64):
                part = missing[start : start + 64]
                made = make(part)
                known |= zip(part, made, strict=True)
                rows = [(self.name, kind, text, vector.astype("<f4").tobytes()) for text, vector in zip(part, made, strict=True)]
                self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
                self._db.commit()
        return np.array([known[text] for text in texts], np.float32).reshape(len(texts), self.dimension)

    def _get(self, kind: str, text: str) -> Vectors | None:
        row = self._db.execute("SELECT vector FROM vectors WHERE (name, kind, text) = (?, ?, ?)", (self.name, kind, text)).fetchone()
        return None if row is None else np.frombuffer(row[0], "<f4")
