"""How a record id stands in a URL path: as it is where it is plain, else `~` and base64url.

So slashes and other alphabets are safe. It knows nothing of routes.
"""

from __future__ import annotations

import base64
import binascii
import re

from satchel.errors import InvalidRequest

_PLAIN = re.compile(r"[A-Za-z0-9._-]+\Z")


def encode_id(record_id: str) -> str:
    """Return the path segment for an id. The ids `.` and `..` are encoded, for a client would fold them away."""
    if _PLAIN.match(record_id) and record_id not in {".", ".."}:
        return record_id
    return "~" + base64.urlsafe_b64encode(record_id.encode()).decode().rstrip("=")


def decode_id(segment: str) -> str:
    """Undo `encode_id`. Raises InvalidRequest where the segment is neither form."""
    if not segment.startswith("~"):
        if _PLAIN.match(segment):
            return segment
        raise InvalidRequest.of(
            [{"field": "id", "message": "an id with other characters than A-Z a-z 0-9 . _ - stands in a path as ~ and its base64url form"}]
        )
    try:
        raw = segment[1:].encode("ascii")
        return base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError):
        raise InvalidRequest.of([{"field": "id", "message": "is not valid base64url of UTF-8 after ~"}]) from None
