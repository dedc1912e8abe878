"""The one family of errors that Satchel raises.

It owns the stable codes and their details; it must not know HTTP, MCP or any driver: numbers live at the edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self, TypedDict


class Fault(TypedDict):
    """One thing wrong with a request: the field (a dotted path) and what is wrong with it."""

    field: str
    message: str


class SatchelError(Exception):
    """Base of every error that crosses a public boundary.

    `code` is stable and makes the round trip over HTTP and MCP; `details` is JSON-serialisable.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = {key: value for key, value in details.items() if value is not None}

    def __str__(self) -> str:
        return self.message

    def adding(self, text: str) -> Self:
        """Return the same error with more said: who raised it did not know what had been done before."""
        error = type(self)(f"{self.message}; {text}")
        error.details = dict(self.details)
        return error

    def to_wire(self) -> dict[str, Any]:
        """Return the error envelope's inner object: code, message, details."""
        return {"code": self.code, "message": self.message, "details": self.details}


class InvalidRequest(SatchelError):
    """The request is wrong; `details["faults"]` lists every fault at once."""

    code = "invalid_request"

    @classmethod
    def of(cls, faults: Iterable[Fault], *, subject: str = "request") -> InvalidRequest:
        """Build the error from all faults found, with a message that a person can act on."""
        found = list(faults)
        listed = "; ".join(f"{fault['field']}: {fault['message']}" for fault in found[:5])
        more = f" (and {len(found) - 5} more)" if len(found) > 5 else ""
        return cls(f"invalid {subject}: {listed}{more}", faults=found)


class InvalidPackage(InvalidRequest):
    """A package is truncated, altered or malformed; `details["line"]` counts from 1 where a line is at fault."""

    code = "invalid_package"


class SecretRefused(InvalidRequest):
    """The content holds a credential, and credentials are not remembered; `details["detectors"]` names the kinds."""

    code = "secret_refused"


class NotFound(SatchelError):
    """No such record, plan or import, or one that the caller may not see (the two look alike on purpose)."""

    code = "not_found"


class Conflict(SatchelError):
    """The record was changed in the meantime; details hold `expected` and `actual` revision."""

    code = "conflict"


class Denied(SatchelError):
    """The caller may not do this to that scope, or named no valid token."""

    code = "denied"


class RateLimited(SatchelError):
    """The caller asks faster than it may; nothing was done. `details["retry_after"]` is in seconds."""

    code = "rate_limited"


class Unsupported(SatchelError):
    """An optional part is not installed or a backend does not offer it; `details["install"]` is the line that helps."""

    code = "unsupported"


class VersionError(SatchelError):
    """Data or a peer speaks a newer major version; details hold `found` and `supported`."""

    code = "version"


class StoreError(SatchelError):
    """The store failed."""

    code = "store"


class StoreUnavailable(StoreError):
    """The store cannot be reached or written now (locked, read-only, disk full, server gone); a retry may help."""

    code = "store_unavailable"


class StoreCorrupt(StoreError):
    """The store's file is damaged or is not a Satchel store; nothing was written."""

    code = "store_corrupt"


class TransportError(SatchelError):
    """The service could not be reached, or answered with something that is not its protocol."""

    code = "transport"


def _codes(base: type[SatchelError]) -> Iterable[type[SatchelError]]:
    yield base
    for sub in base.__subclasses__():
        yield from _codes(sub)


def from_wire(body: Mapping[str, Any]) -> SatchelError:
    """Rebuild the error that `to_wire` wrote: the same class, message and details; an unknown code gives the base."""
    # A part of the engine may raise a class of its own under the code of a base: what arrives is the base.
    known = {cls.code: cls for cls in _codes(SatchelError) if "code" in vars(cls)}
    cls = known.get(str(body.get("code")), SatchelError)
    details = body.get("details")
    error = cls(str(body.get("message", "unknown error")))
    error.details = dict(details) if isinstance(details, Mapping) else {}
    return error
