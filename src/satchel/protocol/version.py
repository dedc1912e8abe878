"""The protocol's version and the rule by which a reader accepts another's. It knows nothing of records."""

from __future__ import annotations

import re

from satchel.errors import InvalidRequest, VersionError

PROTOCOL_VERSION = "1.0"
"""Version that this package writes; the `v` of a record and the `protocol` of a package header."""

_FORM = re.compile(r"(\d{1,6})\.(\d{1,6})\Z")


def check_version(found: object, *, field: str = "v") -> str:
    """Accept every 1.x and return it.

    Raises:
        VersionError: another major; the message names both versions.
        InvalidRequest: not of the form `major.minor`.
    """
    if found == PROTOCOL_VERSION:
        return PROTOCOL_VERSION
    match = _FORM.match(found) if isinstance(found, str) else None
    if match is None:
        raise InvalidRequest.of([{"field": field, "message": f"expected a version such as {PROTOCOL_VERSION!r}, found {found!r}"}])
    if match[1] != PROTOCOL_VERSION.split(".")[0]:
        raise VersionError(
            f"this data is of protocol version {match[0]}; this reader supports version {PROTOCOL_VERSION} and every later 1.x",
            found=match[0],
            supported=PROTOCOL_VERSION,
        )
    return match[0]
