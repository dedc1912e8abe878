"""An embedder behind any OpenAI-compatible endpoint (`POST {base}/embeddings`).

It owns the requests, their batches and retries; it must not know records or scopes, and never logs a text or the key.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import numpy as np

from satchel.embedders.cleaning import clean
from satchel.errors import InvalidRequest, TransportError
from satchel.ports import Calibration, Vectors

DEFAULT_BASE = "https://api.openai.com/v1"
_BATCH = 64
_ATTEMPTS = 4
_LONGEST_WAIT = 20.0
_PASSING = {408, 409, 425, 429, 500, 502, 503, 504}


class OpenAIEmbedder:
    """A model served over HTTP. `dimension` is asked of the endpoint when it is first wanted.

    `timeout` is seconds for one request; a passing fault (429, 5xx, a broken connection) is tried `_ATTEMPTS` times with growing waits,
    the endpoint's Retry-After heeded up to `_LONGEST_WAIT` seconds.
    """

    # Models differ in how their cosines are spread; these suit one whose unrelated texts lie near 0.2.
    calibration = Calibration(bias=-5.0, cosine=7.5, coverage=3.0, mismatch=0.8)

    def __init__(self, model: str, base: str, key: str | None, *, timeout: float = 30.0, wait: float = 0.5) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._base = base.rstrip("/")
        self._wait = wait
        self._client = httpx.Client(timeout=timeout, headers={"Authorization": f"Bearer {key}"} if key else {})
        self._dimension: int | None = None
        self._probing = threading.Lock()

    @property
    def dimension(self) -> int:
        """Numbers in a vector, probed from the endpoint's first answer.

        Raises:
            TransportError: the endpoint did not answer.
        """
        with self._probing:
            if self._dimension is None:
                self._dimension = len(self._request(["dimension"])[0])
            return self._dimension

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        return self._embed(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed memories."""
        return self._embed(texts)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _embed(self, texts: Sequence[str]) -> Vectors:
        cleaned = [clean(text) for text in texts]
        rows = [row for start in range(0, len(cleaned), _BATCH) for row in self._request(cleaned[start : start + _BATCH])]
        vectors = np.array(rows, np.float32).reshape(len(rows), self.dimension if not rows else len(rows[0]))
        if rows and vectors.shape[1] != self.dimension:
            raise self._fault(f"gave {vectors.shape[1]} numbers where it gave {self.dimension} before")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)

    def _request(self, texts: list[str]) -> list[list[float]]:
        problem = "did not answer"
        for wait in self._waits():
            try:
                response = self._client.post(f"{self._base}/embeddings", json={"model": self._model, "input": texts})
            except httpx.HTTPError as error:
                problem = f"could not be reached ({type(error).__name__})"
                time.sleep(wait)
                continue
            if response.is_success:
                return self._rows(response, len(texts))
            problem = f"answered {response.status_code}: {_message(response)}"
            if response.status_code not in _PASSING:
                break
            time.sleep(min(_retry_after(response), _LONGEST_WAIT) if wait and "retry-after" in response.headers else wait)
        raise self._fault(problem)

    def _waits(self) -> Iterator[float]:
        """Yield how long to wait after each attempt; nothing after the last."""
        yield from (self._wait * 2**attempt for attempt in range(_ATTEMPTS - 1))
        yield 0.0

    def _rows(self, response: httpx.Response, count: int) -> list[list[float]]:
        try:
            data = sorted(response.json()["data"], key=lambda item: int(item["index"]))
            rows = [[float(number) for number in item["embedding"]] for item in data]
        except (ValueError, KeyError, TypeError):
            raise self._fault("answered with something that is no list of embeddings") from None
        if len(rows) != count or not rows[0] or len({len(row) for row in rows}) != 1:
            raise self._fault(f"gave {len(rows)} embeddings for {count} texts, or of different sizes")
        if not all(math.isfinite(number) for row in rows for number in row):
            raise self._fault("gave numbers that are not finite")
        return rows

    def _fault(self, problem: str) -> TransportError:
        place = str(httpx.URL(self._base).copy_with(username=None, password=None))
        return TransportError(f"the embedding endpoint {place} (model {self._model}) {problem}", endpoint=place, model=self._model)


def _message(response: httpx.Response) -> str:
    try:
        error: Any = response.json()["error"]
        return str(error["message"] if isinstance(error, dict) else error)[:300]
    except (ValueError, KeyError, TypeError):
        return response.reason_phrase or "no reason given"


def _retry_after(response: httpx.Response) -> float:
    """Return the seconds that Retry-After asks for, given as a number or a date."""
    value = response.headers["retry-after"]
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return 0.0


def open_embedder(argument: str = "") -> OpenAIEmbedder:
    """Return the embedder for `MODEL` or `MODEL@BASE_URL`; nothing is sent yet.

    What the argument leaves out comes from the environment: OPENAI_EMBEDDING_MODEL, OPENAI_BASE_URL. The key is OPENAI_API_KEY;
    an endpoint of one's own may need none.

    Raises:
        InvalidRequest: no model, a base that is no HTTP URL, or no key for the default endpoint.
    """
    model, _, base = argument.partition("@")
    model = model or os.environ.get("OPENAI_EMBEDDING_MODEL", "")
    base = base or os.environ.get("OPENAI_BASE_URL", "") or DEFAULT_BASE
    key = os.environ.get("OPENAI_API_KEY")
    faults = []
    if not model:
        faults.append("name a model: openai:MODEL@http://host/v1, or set OPENAI_EMBEDDING_MODEL")
    if not base.startswith(("http://", "https://")):
        faults.append(f"{base!r} is not an http or https URL")
    if base == DEFAULT_BASE and not key:
        faults.append("set OPENAI_API_KEY, or name your own endpoint: openai:MODEL@http://host/v1")
    if faults:
        raise InvalidRequest.of([{"field": "embedder", "message": message} for message in faults])
    return OpenAIEmbedder(model, base, key)
