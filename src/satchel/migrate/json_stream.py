"""JSON larger than memory: the elements of one array, each decoded as it comes by the standard decoder.

It knows no format. The streaming parsers of the field replace lone surrogates by `?` without a word, so that a verification would
compare altered text with altered text; the standard decoder keeps them, and drafting reports them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import IO, Any

MAX_ELEMENT_CHARS = 256 * 1_048_576
_BLOCK = 1_048_576
_SPACE = " \t\n\r\ufeff"


class JsonBroken(ValueError):
    """The text is no JSON from here on; everything before it was good."""


class JsonStream:
    """Decodes one JSON text piece by piece."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._decoder = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self.numbers: dict[str, int] = {}
        """Whole numbers that stand directly in the root object, such as the `count` of a paginated answer."""

    def elements(self, keys: Collection[str] = ()) -> Iterator[Any]:
        """Yield the elements of the root array, or, where the root is an object, of its members of these names.

        Raises:
            JsonBroken: the text ends early or is malformed.
        """
        opening = self._next()
        if opening == "[":
            yield from self._array()
        elif opening == "{":
            yield from self._members(keys)
        else:
            raise JsonBroken("begins with neither an array nor an object")

    def _members(self, keys: Collection[str]) -> Iterator[Any]:
        if self._peek() == "}":
            return
        while True:
            key = self._value()
            self._expect(":")
            if key in keys and self._peek() == "[":
                self._at += 1
                yield from self._array()
            else:
                value = self._value()
                if isinstance(key, str) and type(value) is int:
                    self.numbers[key] = value
            if self._expect(",}") == "}":
                return

    def _array(self) -> Iterator[Any]:
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            yield self._value()
            if self._expect(",]") == "]":
                return

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except RecursionError:
                raise JsonBroken("is nested too deeply") from None
            except ValueError as error:
                problem = str(error)
            else:
                # A number at the very end of what was read may go on.
                if end < len(self._text) or not self._more():
                    self._at = end
                    return value
                continue
            if not self._more():
                raise JsonBroken(problem)

    def _expect(self, wanted: str) -> str:
        found = self._next()
        if found not in wanted or not found:
            raise JsonBroken(f"expected {' or '.join(wanted)}, found {found or 'the end'}")
        return found

    def _next(self) -> str:
        found = self._peek()
        self._at += 1
        return found

    def _peek(self) -> str:
        """Skip white space and return the next character without taking it; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Read on, doubling what is held, so that a long element is decoded a bounded number of times."""
        held = self._text[self._at :]
        if len(held) > MAX_ELEMENT_CHARS:
            raise JsonBroken(f"an element is longer than {MAX_ELEMENT_CHARS // 1_048_576} million characters")
        read = self._stream.read(max(_BLOCK, len(held)))
        self._text, self._at = held + read, 0
        return bool(read)
