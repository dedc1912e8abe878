"""Where a PostgreSQL store is: its URL taken apart into what the driver needs, our options, and what a person may read.

It must not know how a connection is made.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from psycopg.pq import Conninfo

from satchel.errors import Fault, InvalidRequest

DEFAULT_SCHEMA = "satchel"
DEFAULT_CONNECTIONS = 16
MAX_CONNECTIONS = 1000
MAX_PARTITIONS = 1024

_SCHEMES = ("postgresql", "postgres")
_OURS = frozenset({"schema", "partitions", "connections", "scrub"})
_PRIVATE = frozenset({"password", "sslpassword", "sslkey", "passfile"})


class Location(NamedTuple):
    """`conninfo` holds the password, `shown` never. `partitions` is 0 where the URL does not ask for any."""

    conninfo: str
    schema: str
    partitions: int
    connections: int
    rewrite: bool
    """Whether scrubbing writes the tables anew."""
    shown: str


def parse(url: str) -> Location:
    """Take a URL apart: `postgresql://user@host/database?schema=tenant&partitions=16`, other options being the driver's.

    Raises:
        InvalidRequest: it is no such URL, or an option of ours is wrong.
    """
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES:
        raise InvalidRequest.of([{"field": "url", "message": "expected postgresql://user@host:port/database"}])
    options = parse_qsl(parts.query, keep_blank_values=True)
    ours = {name: value for name, value in options if name in _OURS}
    theirs = [(name, value) for name, value in options if name not in _OURS]
    faults: list[Fault] = []
    schema = ours.get("schema", DEFAULT_SCHEMA)
    if not _is_schema(schema):
        faults.append({"field": "schema", "message": "expected a name of 1 to 63 bytes that does not start with pg_"})
    partitions = _number(ours, "partitions", 0, MAX_PARTITIONS, faults)
    connections = _number(ours, "connections", DEFAULT_CONNECTIONS, MAX_CONNECTIONS, faults, least=1)
    if ours.get("scrub", "vacuum") not in ("vacuum", "rewrite"):
        faults.append({"field": "scrub", "message": "expected vacuum or rewrite"})
    faults += _unknown([name for name, _ in theirs])
    if faults:
        raise InvalidRequest.of(faults, subject="store URL")
    conninfo = urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(theirs), ""))
    public = [(name, value) for name, value in theirs if name not in _PRIVATE] + [(name, ours[name]) for name in ours if name == "schema"]
    shown = urlunsplit(("postgresql", _without_password(parts.netloc), parts.path, urlencode(public, safe="/"), ""))
    return Location(conninfo, schema, partitions, connections, ours.get("scrub") == "rewrite", shown)


def _without_password(netloc: str) -> str:
    user, at, host = netloc.rpartition("@")
    return f"{user.partition(':')[0]}{at}{host}"


def _is_schema(name: str) -> bool:
    return 0 < len(name.encode()) <= 63 and "\x00" not in unquote(name) and not name.lower().startswith("pg_")


def _number(options: dict[str, str], name: str, default: int, most: int, faults: list[Fault], *, least: int = 0) -> int:
    text = options.get(name, str(default))
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        faults.append({"field": name, "message": f"expected a number from {least} to {most}"})
        return default
    return int(text)


def _unknown(names: list[str]) -> list[Fault]:
    """A mistyped option would be the driver's to refuse, after it was waited for, or worse: a store in another schema."""
    known = {option.keyword.decode() for option in Conninfo.get_defaults()}
    listed = ", ".join(sorted(_OURS))
    return [
        {"field": name[:40], "message": f"is no option of this URL; known: {listed}, and the driver's, as host, sslmode or passfile"}
        for name in sorted(set(names) - known)
    ]


def quoted(name: str) -> str:
    """Quote an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
