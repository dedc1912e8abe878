"""How a vector travels: our little-endian float16 bytes, and pgvector's `halfvec` in the binary protocol.

It must not know what a vector means.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int8BinaryDumper

from satchel.errors import InvalidRequest, Unsupported

LARGEST = 16_000
"""Dimensions of a halfvec."""

_HEAD = struct.Struct(">HH")
_EXPONENT = 0x7C00


class Half:
    """A vector on its way to the server, in pgvector's binary form."""

    __slots__ = ("bytes",)

    def __init__(self, packed: bytes) -> None:
        self.bytes = packed


def halves(vectors: Sequence[bytes | None]) -> list[Half | None]:
    """Prepare little-endian float16 vectors, all at once.

    Raises:
        InvalidRequest: one that pgvector could not keep.
    """
    given = [vector or b"" for vector in vectors]
    if any(len(part) % 2 or len(part) > 2 * LARGEST for part in given) or b"" in vectors:
        raise _refused()
    values = np.frombuffer(b"".join(given), "<u2")
    # An exponent of all ones is an infinity or no number.
    if ((values & _EXPONENT) == _EXPONENT).any():
        raise _refused()
    swapped = values.byteswap().tobytes()
    heads = {size: _HEAD.pack(size // 2, 0) for size in set(map(len, given))}
    found: list[Half | None] = []
    start = 0
    for part in given:
        end = start + len(part)
        found.append(Half(heads[len(part)] + swapped[start:end]) if part else None)
        start = end
    return found


def _refused() -> InvalidRequest:
    return InvalidRequest.of([{"field": "vector", "message": f"expected 1 to {LARGEST} finite float16 numbers"}], subject="batch")


def register(connection: psycopg.Connection[Any]) -> None:
    """Teach a connection to send vectors."""
    info = TypeInfo.fetch(connection, "halfvec")
    if info is None:
        raise Unsupported("pgvector's type halfvec is not in this database")

    number = info.oid

    class _Dumper(Dumper):
        format = Format.BINARY
        oid = number

        def dump(self, obj: Half) -> bytes:
            return obj.bytes

    info.register(connection)
    connection.adapters.register_dumper(Half, _Dumper)
    # One type for every number, or a statement would be prepared anew for each size of number it is given.
    connection.adapters.register_dumper(int, Int8BinaryDumper)


def received(sent: Sequence[bytes | None]) -> list[bytes | None]:
    """Turn what `halfvec_send` gave, head and all, into little-endian float16, all at once."""
    bodies = [b"" if item is None else item[_HEAD.size :] for item in sent]
    swapped = np.frombuffer(b"".join(bodies), "<u2").byteswap().tobytes()
    found: list[bytes | None] = []
    start = 0
    for item, body in zip(sent, bodies, strict=True):
        end = start + len(body)
        found.append(None if item is None else swapped[start:end])
        start = end
    return found
