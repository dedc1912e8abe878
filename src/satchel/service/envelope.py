"""Errors on the wire: one envelope, and the status that belongs to each class. It must not know routes.

An answer never holds a traceback, and a log line never holds what a caller sent.
"""

from __future__ import annotations

import json
import logging
import secrets
import traceback
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel import errors as e

logger = logging.getLogger("satchel.service")

STATUS: dict[type[e.SatchelError], int] = {
    e.InvalidRequest: 422,
    e.VersionError: 400,
    e.NotFound: 404,
    e.Conflict: 409,
    e.Denied: 403,
    e.RateLimited: 429,
    e.Unsupported: 501,
    e.StoreUnavailable: 503,
    e.StoreError: 500,
    e.TransportError: 502,
}
"""A class that is not here has the status of its nearest base; the base of all, 500."""

RETRY_AFTER = 1
"""Seconds that a caller is asked to wait where the store is not available now."""


class Refused(Exception):
    """An error whose answer has a status of its own, such as 401, 412 or 413."""

    def __init__(self, error: e.SatchelError, status: int, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.status = status
        self.headers = headers


def too_large(limit: int) -> Refused:
    """Return the refusal of a body that is larger than `limit` bytes."""
    fault = e.Fault(field="body", message=f"is larger than {limit} bytes")
    return Refused(e.InvalidRequest(f"the body is larger than {limit} bytes", faults=[fault], limit=limit), 413)


def status_of(kind: type[e.SatchelError]) -> int:
    """Return the HTTP status of a class of errors."""
    return next((STATUS[base] for base in kind.__mro__ if base in STATUS), 500)


def error_response(error: e.SatchelError | Refused, *, status: int | None = None, headers: Mapping[str, str] | None = None) -> Response:
    """Write the envelope."""
    if isinstance(error, Refused):
        return error_response(error.error, status=error.status, headers=error.headers)
    sent = dict(headers or {})
    if isinstance(error, e.StoreUnavailable | e.RateLimited):
        sent.setdefault("Retry-After", str(error.details.get("retry_after", RETRY_AFTER)))
    return json_response({"error": error.to_wire()}, status=status or status_of(type(error)), headers=sent)


def json_response(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Write JSON. A lone surrogate, which a field name in a fault may hold, stays an escape."""
    body = json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
    return Response(body, status_code=status, headers=dict(headers or {}), media_type="application/json")


def http_error(error: HTTPException) -> Response:
    """Translate what the framework itself refuses: an unknown route, a method that a route lacks."""
    if error.status_code in {404, 405}:
        what = "no such route" if error.status_code == 404 else "this route does not take that method"
        return error_response(e.Unsupported(f"{what}; see /docs"), status=error.status_code, headers=error.headers)
    return error_response(e.InvalidRequest(str(error.detail)), status=error.status_code, headers=error.headers)


class Envelope:
    """The outermost layer: whatever escapes becomes an answer without a traceback, and a log line that tells places only."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except (e.SatchelError, Refused) as error:
            if not started:
                await error_response(error)(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - the last door: nothing may leave it but an envelope
            reference = report(error)
            if not started:
                answer = e.SatchelError("something went wrong inside the service", reference=reference)
                await error_response(answer, status=500)(scope, receive, send)
            # Where the response had begun, leaving it unfinished makes the server break the connection off.


def report(error: BaseException) -> str:
    """Log an internal error by its type and places, for its message may hold content; return a reference to find it by."""
    reference = secrets.token_hex(4)
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    places = " < ".join(f"{PurePath(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
    logger.error("internal error %s: %s at %s", reference, type(error).__name__, places)
    return reference
