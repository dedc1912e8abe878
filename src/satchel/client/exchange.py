"""What both HTTP clients share: addresses, headers, ids made before sending, and answers read back into results and errors.

It must not do any input or output.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx
from pydantic import ValidationError

from satchel.errors import InvalidRequest, SatchelError, TransportError, from_wire
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.wire import AGENT_HEADER
from satchel.protocol.naming import agent_name
from satchel.protocol.record import new_id

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")

STREAM_TIMEOUT = 600.0
"""Seconds that a package stream may stand still: the service verifies a whole package before it answers."""


def base_url(url: str) -> str:
    """Return the address of the service's /v1. Raises InvalidRequest for anything but an http(s) address."""
    try:
        parts = urlsplit(url)
        named = parts.port is None or parts.port > 0
        httpx.URL(url)
    except (ValueError, httpx.InvalidURL):
        named = False
    if not named or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InvalidRequest.of([{"field": "url", "message": "expected an address such as http://localhost:7377"}])
    if parts.query or parts.fragment:
        raise InvalidRequest.of([{"field": "url", "message": "holds a query or a fragment"}])
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/v1"


def client_options(url: str, token: str | None, agent: str | None, timeout: float) -> dict[str, Any]:
    """Return the arguments that an httpx client is built with."""
    headers = {"User-Agent": "satchel"}
    if token is not None:
        headers["Authorization"] = f"Bearer {_header_safe(token, 'token')}"
    if agent is not None:
        headers[AGENT_HEADER] = quote(agent_name(agent) or "")
    return {
        "headers": headers,
        "timeout": httpx.Timeout(timeout, connect=min(timeout, 5.0)),
        # Redirects are off, so plain http never needs the certificates, whose loading costs more than a call.
        "verify": url.startswith("https:"),
        "trust_env": not _is_loopback(url),
    }


def _header_safe(value: str, field: str) -> str:
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        raise InvalidRequest.of([{"field": field, "message": "is not a token: it holds characters that no token has"}])
    return value


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def with_ids(request: Q) -> Q:
    """Make the ids of what will be written before it is sent, so that a retry is no second memory."""
    if isinstance(request, m.RememberRequest) and request.id is None:
        return request.model_copy(update={"id": new_id()})
    if isinstance(request, m.RememberManyRequest) and any(memory.id is None for memory in request.memories):
        named = tuple(memory if memory.id is not None else memory.model_copy(update={"id": new_id()}) for memory in request.memories)
        return request.model_copy(update={"memories": named})
    if isinstance(request, m.CorrectRequest) and request.new_id is None:
        return request.model_copy(update={"new_id": new_id()})
    return request


def result_of(operation: t.Operation[Any, R], body: bytes) -> R:
    """Read an operation's result. Raises TransportError where the body is something else."""
    return read_model(operation.result, body)


def read_model(model: type[R], body: bytes) -> R:
    """Read a model from a body. Raises TransportError where the body is something else."""
    read: Callable[[bytes], R] = model.model_validate_json  # type: ignore[attr-defined]
    try:
        return read(body)
    except (ValidationError, SatchelError):
        raise TransportError(f"the service answered with something that is not a {model.__name__}; is it a Satchel service?") from None


def error_of(response: httpx.Response) -> SatchelError:
    """Read the error envelope of a response whose body has been read, or tell that there was none."""
    try:
        body = json.loads(response.content)
    except ValueError:
        body = None
    inner = body.get("error") if isinstance(body, dict) else None
    if not isinstance(inner, Mapping):
        status = response.status_code
        return TransportError(f"HTTP status {status} without a Satchel error; is it a Satchel service?", status=status)
    error = from_wire(inner)
    asked = response.headers.get("Retry-After", "")
    if asked.isdigit():
        error.details.setdefault("retry_after", int(asked))
    return error


def final(failure: Exception, url: str, *, uncertain: bool) -> Exception:
    """Return the error that a call ends with; `uncertain` where an earlier try may have written."""
    error = unreachable(failure, url) if isinstance(failure, httpx.HTTPError) else failure
    if uncertain and isinstance(error, SatchelError):
        error.details["outcome"] = "unknown"
    return error


def unreachable(error: httpx.HTTPError, url: str) -> TransportError:
    """Translate a network failure; the message names the service, never a token."""
    cause = str(error) or type(error).__name__
    return TransportError(f"cannot reach the service at {url.removesuffix('/v1')}: {cause}", cause=type(error).__name__)
