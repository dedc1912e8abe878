"""Where an external index is: a folder of this machine, or a server, out of its URL. It must not know any engine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from satchel.errors import Fault, InvalidRequest

DEFAULT_COLLECTION = "satchel"
_COLLECTION = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,59}")
_OPTIONS = {"collection", "tls"}


@dataclass(frozen=True, slots=True)
class Address:
    """A folder or file (`path`), or a `host` with a `port`; `collection` is the name of the index in there."""

    scheme: str
    path: Path | None
    host: str = ""
    port: int = 0
    key: str | None = None
    tls: bool = False
    collection: str = DEFAULT_COLLECTION

    @property
    def text(self) -> str:
        """The address for a person to read, without the key."""
        where = f"/{self.path}" if self.path is not None else f"{self.host}:{self.port}"
        more = "" if self.collection == DEFAULT_COLLECTION else f"?collection={self.collection}"
        return f"{self.scheme}://{where}{more}"

    @property
    def web(self) -> str:
        """The address of a server for HTTP."""
        return f"http{'s' if self.tls else ''}://{self.host}:{self.port}"


def parse_address(url: str, *, port: int | None) -> Address:
    """Read `scheme:///folder` (four slashes: from the root), or, where there is a default port, `scheme://[:KEY@]host[:port]`.

    Both take `?collection=NAME`, a server `tls=1` as well. Raises InvalidRequest; the message holds no key.
    """
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    if unknown := sorted(options.keys() - _OPTIONS):
        raise _fault(f"unknown options {', '.join(unknown)}; known: {', '.join(sorted(_OPTIONS))}")
    collection = options.get("collection", DEFAULT_COLLECTION)
    if not _COLLECTION.fullmatch(collection):
        raise _fault("a collection's name has 3 to 60 letters, digits and underscores, and begins with a letter")
    if not parts.netloc:
        if len(parts.path) < 2:
            raise _fault(f"{parts.scheme}:// needs a path, as in {parts.scheme}:///index" + ("" if port is None else ", or a host"))
        return Address(parts.scheme, _path(parts.path), collection=collection)
    if port is None:
        raise _fault(f"{parts.scheme}:// takes a path, as in {parts.scheme}:///index, and no host")
    try:
        found = parts.port or port
    except ValueError:
        raise _fault("the port is no number between 0 and 65535") from None
    if not parts.hostname or parts.path.strip("/"):
        raise _fault(f"write {parts.scheme}://host:{port}, and ?collection=NAME for a collection of another name")
    key = unquote(parts.password) if parts.password else None
    return Address(parts.scheme, None, parts.hostname, found, key, options.get("tls", "0") not in ("0", "", "false"), collection)


def folder_of(url: str) -> Path | None:
    """Return the path that an index's URL names, None for a server and for one in memory; what is wrong with it is for `parse_address`."""
    parts = urlsplit(url)
    return None if parts.netloc or len(parts.path) < 2 else _path(parts.path)


def _path(text: str) -> Path:
    return Path(unquote(text[1:])).expanduser()


def _fault(message: str) -> InvalidRequest:
    return InvalidRequest.of([Fault(field="index", message=message)])
