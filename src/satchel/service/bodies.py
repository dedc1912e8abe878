"""Reads a JSON body within its limit. It must not know what the JSON means."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import ClientDisconnect, Request

from satchel.errors import InvalidRequest
from satchel.service.envelope import Refused, too_large


async def read_json(request: Request, limit: int) -> Any:
    """Return the parsed body, None where there is none. Raises Refused (400, 413)."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise too_large(limit)
    gathered = bytearray()
    try:
        async for chunk in request.stream():
            gathered += chunk
            if len(gathered) > limit:
                raise too_large(limit)
    except ClientDisconnect:
        raise _not_json("stopped half way") from None
    return parse(bytes(gathered))


def parse(body: bytes) -> Any:
    """Parse JSON. Lone surrogates pass, so that the fault can name the field that holds one."""
    if not body.strip():
        return None
    try:
        return json.loads(body.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise _not_json(f"is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise _not_json("is nested too deep") from None
    except json.JSONDecodeError as error:
        raise _not_json(f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        raise _not_json(f"is not JSON: {error}") from None


def _not_json(problem: str) -> Refused:
    return Refused(InvalidRequest.of([{"field": "body", "message": problem}]), 400)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")
