"""The weights of e5 through ONNX Runtime: four times the texts a second, for five times the memory and a slower start.

It owns batches, threads and the converted model's place in the cache; it must not know records or scopes. Vectors are interchangeable with
those of `e5` and bear its name, so that an index may be filled by one and asked by the other.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satchel.embedders.cleaning import chinese_share, clean
from satchel.embedders.e5 import E5Embedder, centre
from satchel.embedders.e5_weights import Weights, digest_of, unpacked, weights_path
from satchel.errors import InvalidRequest, Unsupported
from satchel.ports import Vectors

INSTALL = "pip install 'satchel[onnx]'"

_BATCH_TOKENS = 256
"""Tokens computed at once, padding included; more leave the processor's cache."""

_CALL = 512
"""Texts that are sorted by length at once."""

_FORM = 1
"""Of the converted model; raised whenever the graph changes."""

_GREATEST = (127, 63)
"""Greatest weights to try. Old processors saturate where two large products meet; with 7 bits they cannot."""

_CLOSE = 0.99
"""Cosine with the default engine, language means taken off, that every probe must reach."""

_LEFT_SECONDS = 3600
"""After this an unfinished file is one that a killed process left."""

PROBES = (
    "用户对花生严重过敏，订餐前要先确认。",
    "Prefers the window seat on long flights.",
    "每周三下午三点和数据平台组开会",
    "The staging cluster is rebuilt every Monday night at 02:30.",
    "回答请用简体中文，code comments in English",
    "1234567890 × 3.14 = ?",
)
_SPACES = re.compile(" {2,}")


class E5OnnxEmbedder:
    """multilingual-e5-small, language-centred, in 8-bit integers. The model is loaded on the first text, and converted if it never was."""

    name = E5Embedder.name
    dimension = E5Embedder.dimension
    calibration = E5Embedder.calibration

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._model: _Model | None = None
        self._loading = threading.Lock()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        return self._embed(texts, "query")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed memories."""
        return self._embed(texts, "passage")

    def _embed(self, texts: Sequence[str], kind: str) -> Vectors:
        cleaned = [clean(text) for text in texts]
        vectors = self._loaded().embed([f"{kind}: {text}" for text in cleaned])
        return centre(vectors, np.array([chinese_share(text) for text in cleaned], np.float32), kind)

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                path = weights_path()
                weights = Weights(path)
                self._model = _Model(weights, _session(weights, path, self._threads))
            return self._model


class _Model:
    """The tokenizer, the words' vectors, which stay in the package's file, and the encoder."""

    def __init__(self, weights: Weights, session: Any) -> None:
        from tokenizers import Tokenizer, models, pre_tokenizers

        self._pieces, self._shape, self._session = weights.pieces, weights.shape, session
        self._tokenizer = Tokenizer(models.Unigram(self._pieces.scored, unk_id=self._pieces.unknown))
        self._tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        self._words = weights.blocks("emb.word", self._shape.width)
        positions = weights.numbers("emb.pos").reshape(-1, self._shape.width)
        self._positions = positions + weights.numbers("emb.type")[: self._shape.width]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of length 1."""
        found = [self._embed_some(texts[start : start + _CALL]) for start in range(0, len(texts), _CALL)]
        return np.concatenate([np.empty((0, self._shape.width), np.float32), *found])

    def _embed_some(self, texts: Sequence[str]) -> Vectors:
        owners: list[int] = []
        windows: list[list[int]] = []
        for place, text in enumerate(texts):
            for part in self._windows(text):
                owners.append(place)
                windows.append(part)
        sums = np.zeros((len(texts), self._shape.width), np.float32)
        for batch in _batches([len(window) for window in windows]):
            means = self._encode([windows[place] for place in batch])
            for place, mean in zip(batch, means, strict=True):
                sums[owners[place]] += mean * max(1, len(windows[place]) - 2)
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), np.float32)

    def _windows(self, text: str) -> Iterator[list[int]]:
        """Yield the tokens of a text, in parts that the model can take."""
        normal = _SPACES.sub(" ", text.translate(self._pieces.replacements))
        found = self._tokenizer.encode(normal, add_special_tokens=False)
        tokens: list[int] = found.ids
        if self._pieces.unknown in tokens:
            # The library joins unknown characters that stand together; the model's other engine does not.
            spans = (
                1 if token != self._pieces.unknown else max(1, end - start)
                for token, (start, end) in zip(tokens, found.offsets, strict=True)
            )
            tokens = [token for token, times in zip(tokens, spans, strict=True) for _ in range(times)]
        most = self._shape.longest - 2
        for start in range(0, max(1, len(tokens)), most):
            yield [self._pieces.begin, *tokens[start : start + most], self._pieces.end]

    def _encode(self, windows: Sequence[Sequence[int]]) -> Vectors:
        longest = max(map(len, windows))
        tokens = np.zeros((len(windows), longest, self._shape.width), np.float32)
        present = np.zeros((len(windows), longest), np.int32)
        shares = np.zeros((len(windows), longest), np.float32)
        for row, window in enumerate(windows):
            size = len(window)
            tokens[row, :size] = unpacked(self._words[list(window)]) + self._positions[:size]
            present[row, :size] = 1
            shares[row, :size] = 1.0 / size
        (means,) = self._session.run(None, {"tokens": tokens, "present": present, "shares": shares})
        return np.asarray(means, np.float32)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield places in order of length, so that a batch holds little padding."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[place] * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


# ---------------------------------------------------------------- the converted model


def cache_folder() -> Path:
    """Return where the converted model is kept: the user's cache, or the folder that SATCHEL_CACHE names."""
    import platformdirs

    named = os.environ.get("SATCHEL_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("satchel", appauthor=False))


def _session(weights: Weights, path: Path, threads: int) -> Any:
    """Open the converted model; convert it where it is not there, or cannot be read."""
    kept = cache_folder() / f"e5-{digest_of(path)[:16]}-form{_FORM}.onnx"
    try:
        return _opened(kept.read_bytes(), threads)
    except (OSError, Unsupported):
        model = _converted(weights)
        # A cache that cannot be written costs a conversion each time, and nothing else.
        with suppress(OSError):
            _keep(kept, model)
        return _opened(model, threads)


def _opened(model: bytes, threads: int) -> Any:
    # Read when the library is loaded: without it ONNX Runtime writes a device id and looks up its maker's server.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise Unsupported(f"ONNX Runtime does not take the converted model of e5: {error}") from error


def _converted(weights: Weights) -> bytes:
    """Return the model with the greatest weights that come out right on this processor.

    Raises:
        Unsupported: none does.
    """
    from satchel.embedders.e5_graph import encoder

    wanted = E5Embedder().embed_passages(PROBES)
    shares = np.array([chinese_share(clean(text)) for text in PROBES], np.float32)
    found: NDArray[np.float32] = np.zeros(len(PROBES), np.float32)
    for greatest in _GREATEST:
        model = encoder(weights, largest=greatest)
        vectors = _Model(weights, _opened(model, 1)).embed([f"passage: {clean(text)}" for text in PROBES])
        found = (centre(vectors, shares, "passage") * wanted).sum(axis=1)
        if found.min() >= _CLOSE:
            return model
    raise Unsupported(f"on this processor e5 through ONNX Runtime gives other vectors (cosine {found.min():.3f}); use the embedder 'e5'")


def _keep(path: Path, model: bytes) -> None:
    """Put the model in its place whole: who comes at the same time, or after a kill, finds it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{path.name}.*"):
        if time.time() - left.stat().st_mtime > _LEFT_SECONDS:
            left.unlink(missing_ok=True)
    descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(model)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


def open_embedder(argument: str = "") -> E5OnnxEmbedder:
    """Return the embedder; nothing is loaded yet. The argument is the number of threads, one where there is none.

    Raises:
        Unsupported: a package is not installed.
        InvalidRequest: the argument is no number of threads.
    """
    if argument and not (argument.isascii() and argument.isdigit() and 1 <= int(argument) <= 64):
        raise InvalidRequest.of([{"field": "embedder", "message": "e5-onnx takes a number of threads from 1 to 64, as in e5-onnx:2"}])
    missing = [name for name in ("onnxruntime", "onnx", "tokenizers") if find_spec(name) is None]
    if missing:
        raise Unsupported(f"the embedder 'e5-onnx' needs {', '.join(missing)}: {INSTALL}", install=INSTALL)
    weights_path()
    return E5OnnxEmbedder(int(argument or 1))
