"""What a person types for a time, a span, a mapping or a text, and what it means.

It must not know commands or memory; a fault names the option.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from satchel.errors import InvalidRequest

_SPAN = re.compile(r"(-?\d+(?:\.\d+)?)\s*([smhdw]?)\Z")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


def fault(option: str, message: str) -> InvalidRequest:
    """Return the error for one option."""
    return InvalidRequest.of([{"field": option, "message": message}], subject="command line")


def no_blanks(texts: list[str] | None) -> list[str] | None:
    """Return the tags. Raises InvalidRequest where one is blank: it would be no condition, and no tag."""
    if any(not text.strip() for text in texts or ()):
        raise fault("--tag", "may not be empty")
    return texts


def seconds(option: str, text: str | None) -> float | None:
    """Read a span: seconds, or a number with s, m, h, d or w, as in `7d`."""
    if text is None:
        return None
    found = _SPAN.match(text.strip())
    if found is None:
        raise fault(option, f"expected seconds or a span such as 90m, 7d or 2w, found {text!r}")
    return float(found[1]) * _UNITS[found[2]]


def moment(option: str, text: str | None) -> datetime | None:
    """Read a time: ISO 8601 with a zone; without one, and for a day alone, this machine's zone. `7d` ago, or `now`."""
    if text is None:
        return None
    given = text.strip()
    if given.lower() == "now":
        return datetime.now().astimezone()
    if _SPAN.match(given) and given[-1:] in _UNITS and given[-1:].isalpha():
        return datetime.now().astimezone() - timedelta(seconds=seconds(option, given) or 0)
    try:
        read = datetime.combine(date.fromisoformat(given), datetime.min.time()) if _DAY.match(given) else datetime.fromisoformat(given)
        return read.astimezone() if read.tzinfo is None else read
    except (ValueError, OverflowError, OSError):
        raise fault(option, f"expected a time such as 2026-11-30, 2026-11-30T07:17:40Z or 7d (ago), found {text!r}") from None


def pairs(option: str, texts: Iterable[str] | None) -> dict[str, str] | None:
    """Read `NAME=VALUE` texts."""
    if not texts:
        return None
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise fault(option, f"expected NAME=VALUE, found {text!r}")
        found[name] = value
    return found


def conditions(option: str, texts: Iterable[str] | None) -> dict[str, Any] | None:
    """Read `PATH=VALUE` texts, where a value that is JSON means that JSON: `done=true`, `stage=draft`."""
    found = pairs(option, texts)
    return None if found is None else {name: _json_or_text(value) for name, value in found.items()}


def json_object(option: str, text: str | None) -> dict[str, Any] | None:
    """Read a JSON object."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise fault(option, "is not JSON") from None
    if not isinstance(value, dict):
        raise fault(option, "expected a JSON object")
    return value


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def text_or_stdin(argument: str, text: str) -> str:
    """Return the text, or what standard input holds where it is `-`."""
    if text != "-":
        return text
    raw = sys.stdin.buffer.read()
    try:
        return raw.decode("utf-8-sig").strip("\r\n")
    except UnicodeDecodeError as error:
        raise fault(argument, f"standard input is not UTF-8 (byte {error.start + 1})") from None


def existing_file(argument: str, path: Path) -> Path:
    """Return a path that is a readable file. Raises InvalidRequest otherwise."""
    if path.is_dir():
        raise fault(argument, f"is a folder, not a file: {path}")
    if not path.is_file():
        raise fault(argument, f"no such file: {path}")
    return path
