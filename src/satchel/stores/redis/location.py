"""Where a Redis server is: its URL taken apart into what the client needs, our options, and what a person may read.

It must not know how a connection is made.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from satchel.errors import Fault, InvalidRequest

DEFAULT_NAMESPACE = "satchel"

_SCHEMES = ("redis", "rediss", "unix")
_NAMESPACE = re.compile(r"[A-Za-z0-9._-]{1,128}")
_THEIRS = frozenset(
    {
        "client_name",
        "db",
        "health_check_interval",
        "max_connections",
        "password",
        "protocol",
        "socket_connect_timeout",
        "socket_timeout",
        "ssl_ca_certs",
        "ssl_ca_path",
        "ssl_cert_reqs",
        "ssl_certfile",
        "ssl_check_hostname",
        "ssl_keyfile",
        "username",
    }
)
"""Options that the client library takes from a URL; it would take others for arguments of its own."""


class Location(NamedTuple):
    """`url` is the client's and holds the password, `shown` never. Every key starts with `namespace`."""

    url: str
    namespace: str
    shown: str


def parse(url: str) -> Location:
    """Take a URL apart.

    Raises:
        InvalidRequest: it is no such URL, or an option is wrong or unknown. The message never shows a password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _refused([{"field": "working", "message": "expected redis://host:port/database; the port is no number"}]) from None
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    namespace = options.pop("namespace", DEFAULT_NAMESPACE)
    faults = _faults(parts, options, namespace)
    if faults:
        raise _refused(faults)
    shown = {name: options[name] for name in ("db",) if name in options} | {"namespace": namespace}
    host = f"{parts.hostname or ''}{f':{port}' if port else ''}"
    address = f"{parts.scheme}://{host}{parts.path}?{urlencode(shown)}"
    return Location(f"{parts.scheme}://{parts.netloc}{parts.path}?{urlencode(options)}", namespace, address)


def _faults(parts: SplitResult, options: dict[str, str], namespace: str) -> list[Fault]:
    faults: list[Fault] = []
    if parts.scheme not in _SCHEMES:
        faults.append({"field": "working", "message": "expected redis://, rediss:// or unix://"})
    if parts.scheme == "unix":
        if not parts.path.strip("/"):
            faults.append({"field": "working", "message": "unix:// needs the socket's path, as in unix:///run/redis.sock"})
    elif not re.fullmatch(r"/?|/\d{1,5}", parts.path):
        faults.append({"field": "working", "message": "the database after the host is a number, as in redis://host:6379/0"})
    if not _NAMESPACE.fullmatch(namespace):
        faults.append({"field": "namespace", "message": "expected 1 to 128 letters, digits, '.', '_' or '-'"})
    known = ", ".join(sorted(_THEIRS))
    unknown = sorted(options.keys() - _THEIRS)
    return faults + [{"field": name[:40], "message": f"is no option of this URL; known: namespace, {known}"} for name in unknown]


def _refused(faults: list[Fault]) -> InvalidRequest:
    return InvalidRequest.of(faults, subject="URL of working memory")
