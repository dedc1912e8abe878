"""How text becomes terms, and how the terms of a memory are packed for the index.

It owns segmentation and the packed form; it must not know records, scopes or how terms are weighted.

Everything is NFKC (full and half width fold), case and traditional characters are folded. Scripts written without spaces give each
character and each pair of neighbours; other scripts give words, English ones stemmed, identifiers whole and in their parts.
"""

from __future__ import annotations

import re
import struct
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import Stemmer
from numpy.typing import NDArray

from satchel.engine.text.hanzi import SIMPLIFIED, TRADITIONAL
from satchel.engine.text.stopwords import PARTICLES, STOP_WORDS

SEGMENTER = "satchel-1"
"""Version of the segmentation, recorded with the index; it changes whenever the terms of a text would."""

MAX_WORD = 64
"""Characters of a word that count; the rest of a longer one (base64, hashes of files) is cut."""

_MAX_LENGTH = (1 << 24) - 1

CHARACTER_WEIGHT = 0.25
"""What a character of a question counts beside the pairs that it is part of (measured: 0.1 to 0.5 are alike, 0 and 1 are worse)."""

_FOLD = str.maketrans(TRADITIONAL, SIMPLIFIED)
_TO_FOLD = re.compile(f"[{TRADITIONAL}]")

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"  # kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7a3"  # Hangul: particles cling to the words, so syllables and their pairs find more than words do
)
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u0dff\u0f71-\u0fbc"
_SYMBOLS = "\u2600-\u27bf\U0001f000-\U0001faff"
_TOKEN = re.compile(f"([{_UNSPACED}]+)|([^\\W{_UNSPACED}]+(?:['’{_MARKS}][^\\W{_UNSPACED}]*)*|[{_SYMBOLS}])")

_RUN = re.compile(f"[{_UNSPACED}]+\\Z")

_CONTRACTION = re.compile(r"(?:n?'t|'(?:s|m|re|ve|ll|d))?'*\Z")
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_stemmer = Stemmer.Stemmer("english", 0)
_stemming = threading.Lock()


def stem(word: str) -> str:
    """Return the English stem of a lower-case word; one that is not ASCII as it is."""
    if not word.isascii():
        return word
    with _stemming:  # one stemmer must not run in two threads
        return str(_stemmer.stemWord(word))


def _plain(word: str) -> str:
    """Fold case, and take the accents off Latin letters."""
    word = word.casefold()
    if word.isascii() or word[0] > "\u024f":
        return word
    return "".join(char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char))


def _word_terms(word: str) -> tuple[str, ...]:
    word = word[:MAX_WORD].replace("’", "'")
    if "'" in word:
        word = _CONTRACTION.sub("", word) or word.replace("'", "")
        word = word.replace("'", "")
    if word.isascii() and word.isalpha() and (word[1:].islower() or word.isupper() or len(word) == 1):
        return (stem(word.lower()),)
    terms = [stem(_plain(word))]
    for part in _PARTS.findall(word):
        humps = _HUMPS.findall(part) if part.isascii() else [part]
        terms += [stem(_plain(piece)) for piece in ([part] if len(humps) < 2 else [part, *humps]) if len(piece) > 1 or piece.isdigit()]
    return tuple(term for term in dict.fromkeys(terms) if term.strip("_"))


def hash_term(term: str) -> int:
    """Return the term's 32-bit hash, the form in which an index holds it."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


class _Word(NamedTuple):
    terms: tuple[str, ...]
    hashes: tuple[int, ...]


def _make_word(word: str) -> _Word:
    terms = _word_terms(word)
    return _Word(terms, tuple(map(hash_term, terms)))


_cached_word = lru_cache(maxsize=32_768)(_make_word)


def fold(text: str) -> str:
    """Return the text in NFKC, traditional characters as simplified ones; case is kept."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    return text.translate(_FOLD) if _TO_FOLD.search(text) else text


def _tokens(text: str) -> Iterator[tuple[str, _Word | None]]:
    """Yield, in order, each run of an unspaced script with None, or a word with its terms."""
    for run, word in _TOKEN.findall(fold(text)):
        if run:
            yield run, None
        else:
            yield word, _cached_word(word) if len(word) <= MAX_WORD else _make_word(word)


def segment(text: str) -> list[str]:
    """Return the terms of a memory, in order; of a run of an unspaced script the characters, then the pairs."""
    terms: list[str] = []
    for token, word in _tokens(text):
        if word:
            terms += word.terms
        else:
            terms += token
            terms += map(str.__add__, token, token[1:])
    return terms


def segment_query(text: str) -> list[str]:
    """Return the distinct terms of a question: pairs of an unspaced script's run (a lone character as it is), and words.

    English stop words are dropped unless nothing is left without them.
    """
    terms: dict[str, None] = {}
    stopped: dict[str, None] = {}
    for token, word in _tokens(text):
        if word:
            (stopped if _is_stop_word(token) else terms).update(dict.fromkeys(word.terms))
        else:
            terms.update(dict.fromkeys(map(str.__add__, token, token[1:]) if len(token) > 1 else token))
    return list(terms or stopped)


class QueryTerms(NamedTuple):
    """The terms of a question as an index knows them, distinct, each with the share of its idf that counts."""

    hashes: NDArray[np.uint32]
    weights: NDArray[np.float64]


def hash_query(text: str) -> QueryTerms:
    """Return `segment_query`'s terms in full, and the single characters of longer runs beside their pairs, at `CHARACTER_WEIGHT`."""
    terms = segment_query(text)
    found = dict.fromkeys((char for term in terms if len(term) == 2 and _RUN.match(term) for char in term), CHARACTER_WEIGHT)
    found |= dict.fromkeys(terms, 1.0)
    return QueryTerms(np.fromiter(map(hash_term, found), np.uint32, len(found)), np.fromiter(found.values(), np.float64, len(found)))


def _is_stop_word(word: str) -> bool:
    return _CONTRACTION.sub("", word.replace("’", "'").lower()) in STOP_WORDS


def idle_words(text: str) -> int | None:
    """Return how many words a text has where all of them are stop words or particles; None where one says something."""
    words = 0
    for token, word in _tokens(text):
        if not (_is_stop_word(token) if word else PARTICLES.issuperset(token)):
            return None
        words += 1 if word else 0
    return words


def wide_share(text: str) -> float | None:
    """Return how much of a text is in scripts without spaces, 0..1; three letters of a word weigh as one such character.

    Where a question and a memory differ in it, they are in different languages, and share few terms whatever they say. None: no letters.
    """
    wide = letters = 0
    for token, word in _tokens(text):
        if word:
            letters += 0 if token.isdecimal() else len(token)
        else:
            wide += len(token)
    return _share(wide, letters) if wide or letters else None


def _share(wide: int, letters: int) -> float:
    return wide / (wide + letters / 3.0) if wide else 0.0


class PackedTerms(NamedTuple):
    """The index entry of one memory: distinct term hashes in ascending order, how often each occurs (at most 255), the length.

    `wide` is `wide_share` in 255ths.
    """

    hashes: NDArray[np.uint32]
    frequencies: NDArray[np.uint8]
    length: int
    wide: int


_SHORT = 400
"""Characters of a text whose entry is kept for a while."""


class PackedMany(NamedTuple):
    """Index entries one after another: those of entry i stand at `offsets[i]` up to `offsets[i + 1]`."""

    hashes: NDArray[np.uint32]
    frequencies: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    lengths: NDArray[np.uint32]
    wide: NDArray[np.uint8]


def pack_terms(text: str) -> bytes:
    """Return the index entry of a text, little-endian: length (24 bits) and `wide` (8), n hashes (uint32), n frequencies (uint8).

    The length counts words and pairs (or a lone character), so that no character counts twice.
    """
    # What is written is looked up by its terms first, and indexed a moment later.
    return _packed_again(text) if len(text) <= _SHORT else _packed(text)


def _packed(text: str) -> bytes:
    length = wide = letters = 0
    hashes: list[int] = []
    for token, word in _tokens(text):
        if word:
            hashes += word.hashes
            length += 1
            letters += len(token)
        else:
            hashes += _run_hashes(token)
            length += len(token) - 1 or 1
            wide += len(token)
    head = min(length, _MAX_LENGTH) | round(255 * _share(wide, letters)) << 24
    counted = Counter(hashes)
    distinct = sorted(counted)
    frequencies: Iterable[int] = map(counted.__getitem__, distinct)
    if len(hashes) > 255:
        frequencies = (min(frequency, 255) for frequency in frequencies)
    return struct.pack(f"<{len(distinct) + 1}I", head, *distinct) + bytes(frequencies)


_packed_again = lru_cache(maxsize=1024)(_packed)


def _run_hashes(run: str) -> list[int]:
    data, crc32 = run.encode(), zlib.crc32
    if len(data) != 3 * len(run):
        return list(map(hash_term, [*run, *map(str.__add__, run, run[1:])]))
    # Three bytes a character, so that the terms can be cut from the bytes: half the time.
    hashes = [crc32(data[at : at + 3]) for at in range(0, len(data), 3)]
    hashes += [crc32(data[at : at + 6]) for at in range(0, len(data) - 3, 3)]
    return hashes


def unpack_terms(blob: bytes) -> PackedTerms:
    """Undo `pack_terms`; an empty blob is an empty text."""
    if not blob:
        return PackedTerms(np.empty(0, np.uint32), np.empty(0, np.uint8), 0, 0)
    n = (len(blob) - 4) // 5
    words = np.frombuffer(blob, "<u4", n + 1)
    head = int(words[0])
    return PackedTerms(words[1:], np.frombuffer(blob, np.uint8, n, 4 + 4 * n), head & _MAX_LENGTH, head >> 24)


def unpack_many(blobs: Sequence[bytes]) -> PackedMany:
    """Undo `pack_terms` for many entries at once."""
    counts = [len(blob) // 5 for blob in blobs]  # (4 + 5n) // 5 is n, and an empty blob has none
    offsets = np.zeros(len(blobs) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    hashes = np.frombuffer(b"".join([blob[4 : 4 + 4 * n] for blob, n in zip(blobs, counts, strict=True)]), "<u4")
    frequencies = np.frombuffer(b"".join([blob[4 + 4 * n :] for blob, n in zip(blobs, counts, strict=True)]), np.uint8)
    heads = np.frombuffer(b"".join([blob[:4] or b"\0\0\0\0" for blob in blobs]), "<u4")
    return PackedMany(hashes, frequencies, offsets, heads & np.uint32(_MAX_LENGTH), (heads >> np.uint32(24)).astype(np.uint8))
