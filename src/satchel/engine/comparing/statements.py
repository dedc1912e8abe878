"""Reads a short memory as a statement: its words in canonical form, its values, names and denials, and how it stands to time.

It must not know what is made of two statements, or records.

Nothing is understood beyond what the lexicon and the spelling of values say: the rest are words, and for Chinese single characters,
to be compared one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from satchel.engine.comparing.asking import is_asked
from satchel.engine.comparing.chinese import DROPPED as DROPPED_HAN
from satchel.engine.comparing.chinese import entry_at
from satchel.engine.comparing.english import DENIALS, DROPPED, MOST_WORDS, ORDINALS, PHRASES
from satchel.engine.comparing.framing import bare
from satchel.engine.comparing.quantities import quantities
from satchel.engine.comparing.words import UNITS
from satchel.engine.text.segmenting import fold, stem

MAX_LENGTH = 400
"""Characters; a longer text is no short memory, and is not read."""

MOST_CONTENT = 30
MOST_CHARACTERS = 60
"""Words, or Chinese characters and words, that a plain statement has at most."""

_PIECE = re.compile(
    r"(?P<word>(?:[^\W一-鿿㐀-䶿]|['@/#+&.:-](?=[^\W一-鿿㐀-䶿]))+[+#]*)"
    r"|(?P<han>[一-鿿㐀-䶿])|(?P<stop>[,;:.!?()，；：。！？（）、—\n]+)|(?P<sign>[%$€£¥°])"
)
_IDENTIFIER = re.compile(r"[\d_/\\.@#+]")
_ENDED_ZH = re.compile("(?:别|不|没)(?:再|要|会|想|用)?[^，。；,;了]{1,12}了(?=[，。；！,;!\\s]|$)")
_BE = frozenset({"is", "are", "was", "were", "be", "get", "gets", "got", "am"})


class Token(NamedTuple):
    """One piece of a statement. Kinds: value, name, word (these carry content), deny, cue, drop, stop.

    `at` and `end` are its place in the canonical text; `other` is a second key that a capital at the beginning leaves open.
    """

    kind: str
    key: str
    text: str
    at: int
    end: int
    other: str = ""

    @property
    def base(self) -> str:
        """Return the key without the mark of the past tense."""
        return self.key.rstrip("~")


CONTENT = frozenset({"value", "name", "word"})


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A short memory, read; `read` returns one and the same for a text.

    `canonical` is the tokens' keys with spaces between, for patterns to look at.

    `is_plain`: it is one sentence or two that state something, no talk, no question and no exclamation.
    """

    text: str
    tokens: tuple[Token, ...]
    canonical: str
    content: tuple[Token, ...]
    denials: int
    cues: frozenset[str]
    is_chinese: bool
    is_plain: bool
    is_asked: bool

    def within(self, start: int, end: int) -> tuple[Token, ...]:
        """Return the content tokens that stand between two places of the canonical text."""
        return tuple(token for token in self.content if token.at >= start and token.end <= end)

    def clauses(self) -> tuple[tuple[Token, ...], ...]:
        """Return the tokens between stops and words like "but", denials and cues included."""
        return _clauses(self)


@lru_cache(maxsize=4096)
def _clauses(statement: Statement) -> tuple[tuple[Token, ...], ...]:
    parts: list[list[Token]] = [[]]
    for token in statement.tokens:
        if token.kind == "stop" or token.key in _JOINTS:
            parts.append([])
        if token.kind != "stop":
            parts[-1].append(token)
    return tuple(tuple(part) for part in parts if part)


_JOINTS = frozenset(["but", "while", "whereas", "although", "though", "但", "但是", "而是"])


_NOW = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|month|year|weekend)|(?:next|last) \w+|\w+ ago"
    r"|in \w+ (?:days?|weeks?))\b"
    r"|今天|今晚|今早|明天|明早|明晚|后天|昨天|昨晚|前天|[上下本这]个?(?:周|星期|礼拜|月|季度)|[今明去]年|刚才|刚刚|[天周月年]前|[天周月年]后",
    re.IGNORECASE,
)


def is_said_now(text: str) -> bool:
    """Tell whether a text tells a time that depends on when it was said: "tomorrow", "上周三"."""
    return _NOW.search(text) is not None


@lru_cache(maxsize=4096)
def read(text: str) -> Statement | None:
    """Read a text; None where it is too long to be a short memory, or holds nothing to compare."""
    if len(text) > MAX_LENGTH:
        return None
    text = bare(fold(text).replace("’", "'"))
    folded = _TITLE.sub(r"\1", text)
    pieces = list(_Reader(folded).pieces())
    if pieces and pieces[-1].kind == "stop":
        pieces.pop()
    tokens, canonical = _placed(pieces)
    content = tuple(token for token in tokens if token.kind in CONTENT)
    if not content:
        return None
    cues = {token.key for token in tokens if token.kind == "cue"}
    if "stop" not in cues and _ENDED_ZH.search(folded):
        cues.add("stop")
    denials = sum(token.kind == "deny" for token in tokens)
    is_chinese = _is_chinese(folded)
    is_plain = len(content) <= (MOST_CHARACTERS if is_chinese else MOST_CONTENT) and _is_stated(folded, tokens)
    is_question = is_asked(folded)
    return Statement(text, tokens, canonical, content, denials, frozenset(cues), is_chinese, is_plain and not is_question, is_question)


_PART = re.compile(
    r",? (?:while(?! \S+ (?:is|are) (?:on|away|off|out|ill|sick|absent)\b)|whereas) |; (?:instead,? )?|，?而(?=[^且是])|；"
    r"|, and (?=[A-Z][\w.-]+(?: [A-Z][\w.-]+)? (?:is|are|has|have|was|were|does|did|never|[a-z]+s|[a-z]+ed)\b)"
)


@lru_cache(maxsize=4096)
def parts(statement: Statement) -> tuple[Statement, ...]:
    """Return what a statement tells of several one after another, each by itself; the whole where it does not."""
    if not statement.is_plain or _PART.search(statement.text) is None:
        return (statement,)
    found = [read(text) for text in _PART.split(statement.text)]
    told = tuple(part for part in found if part is not None and len(part.content) > 1 and part.is_plain)
    return told if len(told) > 1 else (statement,)


def _is_stated(text: str, tokens: Sequence[Token]) -> bool:
    ends = sum(token.kind == "stop" and not _SENTENCE_ENDS.isdisjoint(token.text) for token in tokens)
    return ends <= 1 and not _TALK.search(text)


_TALK = re.compile(r"[?？!！…]|\.\.\.")


def _is_chinese(text: str) -> bool:
    # A Chinese memory may be full of Latin names; a single Chinese name makes no English one Chinese.
    han = sum(map(_is_han, text))
    return han * 5 > len(text)


def _is_han(char: str) -> bool:
    return "㐀" <= char <= "鿿"


class _Piece(NamedTuple):
    kind: str
    key: str
    text: str
    other: str = ""


def _placed(pieces: Sequence[_Piece]) -> tuple[tuple[Token, ...], str]:
    """Lay the pieces out in one canonical text."""
    tokens: list[Token] = []
    at = 0
    for piece in pieces:
        tokens.append(Token(piece.kind, piece.key, piece.text, at, at + len(piece.key), piece.other))
        at += len(piece.key) + 1
    return tuple(tokens), " ".join(piece.key for piece in pieces)


class _Raw(NamedTuple):
    """A piece before anything is looked up: a value, a word, one Chinese character, a stop or a sign."""

    kind: str
    start: int
    end: int
    key: str


class _Reader:
    """Reads one folded text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._raws = list(self._found())
        self._lower = [raw.key.lower() if raw.kind == "word" else "" for raw in self._raws]

    def _found(self) -> Iterator[_Raw]:
        at = 0
        for value in quantities(self._text):
            yield from self._between(at, value.start)
            yield _Raw("value", value.start, value.end, value.key)
            at = value.end
        yield from self._between(at, len(self._text))

    def _between(self, start: int, end: int) -> Iterator[_Raw]:
        for match in _PIECE.finditer(self._text, start, end):
            yield _Raw(match.lastgroup or "", match.start(), match.end(), match[0])

    def pieces(self) -> Iterator[_Piece]:
        """Yield the pieces in order."""
        at = 0
        while at < len(self._raws):
            raw = self._raws[at]
            if raw.kind == "han":
                yield from self._chinese(raw)
                end = self._end
                at += 1
                while at < len(self._raws) and self._raws[at].start < end:
                    at += 1
            elif raw.kind == "word":
                yield from self._english(at)
                at += self._taken
            else:
                yield from _plain(raw, self._text)
                at += 1

    def _chinese(self, raw: _Raw) -> Iterator[_Piece]:
        entry = entry_at(self._text, raw.start)
        if entry is None:
            self._end = raw.end
            yield _Piece("drop" if raw.key in DROPPED_HAN else "word", raw.key, raw.key)
            return
        self._end = raw.start + len(entry.word)
        yield from _entry(entry.kind, entry.key, entry.word)

    def _english(self, at: int) -> Iterator[_Piece]:
        first = at == 0 or self._raws[at - 1].kind == "stop"
        phrase = self._phrase(at, first)
        if phrase is not None:
            self._taken, kind, key = phrase
            yield from _entry(kind, key, self._text[self._raws[at].start : self._raws[at + self._taken - 1].end])
            return
        self._taken = 1
        raw = self._raws[at]
        if len(raw.key) == 1 and self._is_letter(at, first):
            yield _Piece("name", raw.key.lower(), raw.key)
        else:
            yield from _word(raw.key, first=first)

    def _is_letter(self, at: int, first: bool) -> bool:
        """Tell whether a word of one letter is no article or pronoun: "plan a" at an end, "Plan A is …", "A组"."""
        raw, after = self._raws[at], self._raws[at + 1] if at + 1 < len(self._raws) else None
        beside = {other.kind for other in (after, self._raws[at - 1] if at else None) if other is not None}
        return after is None or after.kind == "stop" or "han" in beside or (raw.key.isupper() and raw.key != "I" and not first)

    def _phrase(self, at: int, first: bool) -> tuple[int, str, str] | None:
        """Return how many words from here make an entry of the lexicon, and its kind and key."""
        for count in range(min(MOST_WORDS, len(self._raws) - at), 0, -1):
            words = self._lower[at : at + count]
            found = PHRASES.get(" ".join(words)) if all(words) else None
            if found is not None and not self._is_name(at, count, first) and not self._is_otherwise(at, found):
                return count, *found
        return None

    def _is_name(self, at: int, count: int, first: bool) -> bool:
        return any(raw.key[0].isupper() for raw in self._raws[at + first : at + count])

    def _is_otherwise(self, at: int, found: tuple[str, str]) -> bool:
        # "is used to" and "used to" are different things.
        return found == ("cue", "ended") and at > 0 and self._lower[at - 1] in _BE


_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr)\.")
_SENTENCE_ENDS = frozenset(".!?。！？\n")
_COLONS = frozenset({":", "："})


def _plain(raw: _Raw, text: str) -> Iterator[_Piece]:
    if raw.kind == "value":
        if raw.key.startswith("weekday:") and text[raw.start : raw.end].lower().endswith("days"):
            yield _Piece("word", "everi", "")  # "on Mondays"
        for key in raw.key.split(" "):
            yield _Piece("value", key, text[raw.start : raw.end]) if ":" in key else _Piece("word", UNITS.get(key, key), key)
    elif raw.kind == "stop":
        yield _Piece("stop", ":" if raw.key in _COLONS else "|", raw.key)
    else:
        yield _Piece("word", UNITS.get(raw.key, raw.key), raw.key)


def _entry(kind: str, key: str, text: str) -> Iterator[_Piece]:
    """Yield an entry of the lexicon; what a key with `!` says is denied, and `cue+word` is both."""
    if key.endswith("!"):
        yield _Piece("deny", "not", "")
        key = key[:-1]
    key, plus, predicate = key.partition("+")
    yield _Piece(kind, key, text)
    if plus:
        yield _Piece("word", predicate, text)


def _word(text: str, *, first: bool) -> Iterator[_Piece]:
    """Yield one English word, identifier or name."""
    possessive = text.endswith(("'s", "s'"))
    spelt = text.removesuffix("'s").strip("'.:-") or text
    lower = spelt.lower()
    if lower in ORDINALS:
        yield _Piece("word", ORDINALS[lower], text)
        return
    if lower in DENIALS or lower.endswith("n't"):
        yield _Piece("deny", "not", text)
        return
    is_name = _is_name_like(spelt)
    if lower.split("'")[0] in DROPPED and not is_name:
        yield _Piece("drop", lower.split("'")[0], text)
    elif _IDENTIFIER.search(spelt):
        yield _Piece("name", spelt, text)
    elif spelt[0].isupper() and (not first or is_name):
        yield _Piece("name", lower, text)
    else:
        key = stem(lower.replace("-", "").replace("'", ""))
        past = "~" if lower.endswith("ed") and key != lower else ""
        yield _Piece("word", (lower if spelt[0].isupper() else key + past), text, key + past if spelt[0].isupper() else "")
    if possessive:
        yield _Piece("drop", "'s", "'s")


def _is_name_like(word: str) -> bool:
    """Tell whether a word is a name wherever it stands: all capitals, or one capital that is no pronoun or article at a beginning."""
    return word.isupper() and word != "I" and (len(word) > 1 or word != "A")
