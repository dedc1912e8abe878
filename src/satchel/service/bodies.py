"""Reads a body within its limit, and JSON from it. It must not know what the JSON means."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
from starlette.requests import ClientDisconnect, Request

from satchel.errors import InvalidRequest
from satchel.service.envelope import Refused, too_large

SMALL = 64 * 1024
"""Bytes of a body that is read before its sender is known: it costs less than asking twice."""


def declared_size(request: Request) -> int | None:
    """Return the size that the request says its body has; None where it does not say."""
    if "content-length" not in request.headers and "transfer-encoding" not in request.headers:
        return 0
    declared = request.headers.get("content-length", "")
    return int(declared) if declared.isdigit() else None


async def read_body(request: Request, limit: int, stall: float) -> bytes:
    """Return the whole body. Raises Refused: 413, 408 where it stands still for `stall` seconds, 400 where it stops half way."""
    if (declared_size(request) or 0) > limit:
        raise too_large(limit)
    gathered = bytearray()
    chunks = request.stream()
    try:
        while chunk := await next_chunk(chunks, stall):
            gathered += chunk
            if len(gathered) > limit:
                raise too_large(limit)
    except ClientDisconnect:
        raise _not_json("stopped half way") from None
    return bytes(gathered)


async def next_chunk(chunks: AsyncIterator[bytes], stall: float) -> bytes:
    """Return a body's next chunk, empty at its end. Raises Refused (408) where it stands still for `stall` seconds."""
    with anyio.move_on_after(stall):
        return await anext(chunks, b"")
    raise Refused(InvalidRequest.of([{"field": "body", "message": f"stood still for {stall:g} s"}]), 408)


def parse(body: bytes) -> Any:
    """Parse JSON; None where there is none. Raises Refused (400). Lone surrogates pass: the fault can name the field that holds one."""
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
