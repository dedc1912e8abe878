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


class Half:
    """A vector on its way to the server."""

    __slots__ = ("bytes",)

    def __init__(self, vector: bytes) -> None:
        """Take little-endian float16. Raises InvalidRequest where pgvector could not keep it."""
        values = np.frombuffer(vector, "<f2") if len(vector) % 2 == 0 else np.empty(0, "<f2")
        if not 0 < len(values) <= LARGEST or not np.isfinite(values).all():
            message = f"expected 1 to {LARGEST} finite float16 numbers, found {len(vector)} bytes"
            raise InvalidRequest.of([{"field": "vector", "message": message}], subject="batch")
        self.bytes = _HEAD.pack(len(values), 0) + values.byteswap().tobytes()


def half(vector: bytes | None) -> Half | None:
    """Prepare a vector, where there is one."""
    return None if vector is None else Half(vector)


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
