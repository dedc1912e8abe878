"""The package: one stream of JSON lines that carries memory between stores. Specification: spec/05-package.md.

It owns the lines, their order and the proof that nothing is missing; it must not know stores or who may import.
Reading verifies the whole stream into a private temporary file before it yields the first line; both ways take constant memory.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Annotated, Any, Protocol

from pydantic import BeforeValidator, Field, ValidationError

from satchel.errors import InvalidPackage, InvalidRequest, Unsupported
from satchel.protocol.record import Label, MemoryRecord, ProtocolModel
from satchel.protocol.scope import Scope, parse_scope
from satchel.protocol.times import Instant
from satchel.protocol.validation import faults_of
from satchel.protocol.version import PROTOCOL_VERSION, check_version
from satchel.protocol.working import WorkingSnapshot

MAX_LINE_BYTES = 16 * 1_048_576
"""Bytes of one line; a longer one is refused, so that memory stays bounded."""

_SPOOL_IN_MEMORY = 4 * 1_048_576
_BLOCK = 256 * 1024
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_BOM = b"\xef\xbb\xbf"


class Header(ProtocolModel):
    """First line: who wrote the package, when, and what it claims to hold.

    `scopes` is None where the writer exported all that it may read; `since` is the change-log position an incremental package starts after.
    """

    protocol: Annotated[str, BeforeValidator(lambda found: check_version(found, field="protocol"))] = PROTOCOL_VERSION
    producer: Label
    created_at: Instant
    scopes: tuple[Scope, ...] | None = None
    complete: bool = True
    since: Annotated[int, Field(ge=0)] | None = None
    position: Annotated[int, Field(ge=0)] | None = None


class Trailer(ProtocolModel):
    """Last line: counts by status, of working snapshots and of lines of unknown kind, and the sha-256 of every byte before it."""

    counts: dict[str, int]
    sha256: str


@dataclass(frozen=True, slots=True)
class UnknownLine:
    """A line of a kind that this version does not know, kept whole so that it can be exported again."""

    kind: str
    value: dict[str, Any]


PackageLine = MemoryRecord | WorkingSnapshot | UnknownLine


class Readable(Protocol):
    """Anything bytes can be read from."""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most `size` bytes; none at the end."""
        ...


class Writable(Protocol):
    """Anything bytes can be written to."""

    def write(self, data: bytes, /) -> Any:
        """Take all of the bytes."""
        ...


def _dump(kind: str, value: dict[str, Any]) -> bytes:
    return json.dumps({"kind": kind, **value}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _encode(line: PackageLine) -> tuple[str, bytes]:
    """Return the count's name and the bytes of one line."""
    if isinstance(line, MemoryRecord):
        kind = "tombstone" if line.is_tombstone else "record"
        return line.status.value, b'{"kind":"%s","record":%s}\n' % (kind.encode(), line.to_json().encode())
    if isinstance(line, WorkingSnapshot):
        return "working", b'{"kind":"working","working":%s}\n' % line.model_dump_json(exclude_none=True).encode()
    return "unknown", _dump(line.kind, line.value)


def write_package(header: Header, lines: Iterable[PackageLine], remarks: Mapping[str, Any] | None = None) -> Iterator[bytes]:
    """Yield the package as chunks of bytes: header, the lines in the order given, trailer.

    The caller gives tombstones first, then records, then working snapshots. `remarks` are further members of the trailer (JSON),
    read when it is written, so that the lines' maker can count into them.
    """
    digest = hashlib.sha256()
    counts: Counter[str] = Counter()
    pending = bytearray(_dump("header", header.model_dump(mode="json", exclude_none=True)))
    for line in lines:
        name, data = _encode(line)
        counts[name] += 1
        pending += data
        if len(pending) >= _BLOCK:
            digest.update(pending)
            yield bytes(pending)
            pending.clear()
    digest.update(pending)
    yield bytes(pending)
    trailer = Trailer(counts=dict(counts), sha256=digest.hexdigest())
    yield _dump("trailer", {**(remarks or {}), **trailer.model_dump(mode="json")})


def compress(chunks: Iterable[bytes], level: int = 3) -> Iterator[bytes]:
    """Compress a package's chunks with zstandard. Raises Unsupported where the extra is not installed."""
    compressor = _zstandard().ZstdCompressor(level=level).compressobj()
    for chunk in chunks:
        if packed := compressor.compress(chunk):
            yield packed
    yield compressor.flush()


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise Unsupported(
            "compressed packages need zstandard: pip install 'satchel[zstd]'", install="pip install 'satchel[zstd]'"
        ) from None
    return zstandard


def _blocks(stream: Readable) -> Iterator[bytes]:
    """Yield the stream's bytes, decompressed where they are zstandard."""
    first = stream.read(_BLOCK)
    if not first.startswith(_ZSTD_MAGIC):
        while first:
            yield first
            first = stream.read(_BLOCK)
        return
    zstandard = _zstandard()
    decoder = zstandard.ZstdDecompressor().decompressobj()
    try:
        while first:
            # Fed in small pieces: a hostile stream can grow a thousandfold, and each piece's output is held at once.
            for start in range(0, len(first), 4096):
                yield decoder.decompress(first[start : start + 4096])
            first = stream.read(_BLOCK)
    except zstandard.ZstdError as error:
        raise InvalidPackage(f"the compressed package is damaged: {error}") from None
    if not decoder.eof:
        raise InvalidPackage("the compressed package is truncated: its stream does not end")


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    rest = bytearray()
    for block in blocks:
        rest += block
        if b"\n" in block:
            *whole, tail = bytes(rest).split(b"\n")
            for line in whole:
                yield line + b"\n"
            rest = bytearray(tail)
        if len(rest) > MAX_LINE_BYTES:
            raise InvalidPackage(f"a line is longer than {MAX_LINE_BYTES} bytes")
    if rest:
        yield bytes(rest)


def _parse(number: int, data: bytes) -> tuple[str, dict[str, Any]]:
    try:
        value = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidPackage(f"line {number} is not UTF-8 (byte {error.start})", line=number) from None
    except (ValueError, RecursionError):
        raise InvalidPackage(f"line {number} is not JSON", line=number) from None
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        raise InvalidPackage(f"line {number} is not a JSON object with a 'kind'", line=number)
    return kind, value


def _model_fault(number: int, error: ValidationError | InvalidRequest) -> InvalidPackage:
    faults = faults_of(error) if isinstance(error, ValidationError) else error.details.get("faults", [])
    listed = "; ".join(f"{fault['field']}: {fault['message']}" for fault in faults[:5])
    return InvalidPackage(f"line {number}: {listed}", line=number, faults=faults)


_RECORD_LINES = ((b'{"kind":"record","record":', False), (b'{"kind":"tombstone","record":', True))
"""How lines of records begin where this module wrote them."""


def _decode(number: int, data: bytes) -> PackageLine:
    for start, is_tombstone in _RECORD_LINES:
        if data.startswith(start) and data.endswith(b"}}\n"):
            try:
                # Straight from the text: half the work of parsing first and checking then.
                record = MemoryRecord.model_validate_json(data[len(start) : -2])
            except (ValidationError, InvalidRequest):
                break  # said properly below
            if record.is_tombstone is is_tombstone:
                return record
    return _decode_any(number, data)


def _decode_any(number: int, data: bytes) -> PackageLine:
    kind, value = _parse(number, data)
    body = {key: inner for key, inner in value.items() if key != "kind"}
    try:
        if kind in {"record", "tombstone"}:
            record = MemoryRecord.model_validate(body.get("record", {}))
            if record.is_tombstone is not (kind == "tombstone"):
                raise InvalidPackage(f"line {number}: a {kind} line holds a record whose status is {record.status.value}", line=number)
            return record
        if kind == "working":
            return WorkingSnapshot.model_validate(body.get("working", {}))
    except InvalidPackage:
        raise
    except (ValidationError, InvalidRequest) as error:
        raise _model_fault(number, error) from None
    if kind == "header":
        raise InvalidPackage(f"line {number} is a second header", line=number)
    return UnknownLine(kind, body)


@dataclass(slots=True)
class Package:
    """A verified package. Iterate `lines()` as often as wanted; `close()` removes the temporary file.

    `scopes`: every scope that its records, tombstones and working snapshots are of.
    """

    header: Header
    trailer: Trailer
    scopes: frozenset[str]
    _spool: IO[bytes] = field(repr=False)

    def lines(self) -> Iterator[PackageLine]:
        """Yield records, working snapshots and unknown lines in the package's order."""
        self._spool.seek(0)
        for number, data in enumerate(self._spool, start=1):
            if number == 1:
                continue
            if data.startswith(b'{"kind":"trailer"'):
                return
            yield _decode(number, data)

    def close(self) -> None:
        """Remove the temporary file."""
        self._spool.close()

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_package(stream: Readable, *, check_lines: bool = True) -> Package:
    """Spool the stream to a private temporary file and verify it: header, version, order, counts, sha-256, and every line's model.

    With `check_lines=False` the lines' models are left to `lines()`.

    Raises:
        InvalidPackage: truncated, altered or malformed; the message names the line.
        VersionError: a newer major version.
    """
    spool: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_SPOOL_IN_MEMORY)  # noqa: SIM115 - the package owns it
    try:
        return _verify(stream, spool, check_lines)
    except BaseException:
        spool.close()
        raise


def _verify(stream: Readable, spool: IO[bytes], check_lines: bool) -> Package:
    digest = hashlib.sha256()
    counts: Counter[str] = Counter()
    scopes: set[str] = set()
    header: Header | None = None
    trailer: Trailer | None = None
    seen_record = False
    for number, data in enumerate(_lines(_blocks(stream)), start=1):
        if header is not None and not data.endswith(b"\n"):
            raise InvalidPackage(f"the package is truncated: line {number} does not end", line=number)
        if trailer is not None:
            raise InvalidPackage(f"line {number} follows the trailer; the package ends with its trailer", line=number)
        if header is None:
            header = _header(data)
        elif b'"trailer"' in data and _parse(number, data)[0] == "trailer":
            trailer = _trailer(number, data)
            spool.write(_dump("trailer", trailer.model_dump(mode="json")))
            continue
        else:
            name, scope = _look_at(number, data, check_lines)
            if scope is not None:
                _require_named(header, scope, number)
                scopes.add(scope)
            if name == "deleted" and seen_record:
                raise InvalidPackage(f"line {number}: a tombstone follows a record; tombstones come first", line=number)
            seen_record = seen_record or name not in {"deleted", "unknown"}
            counts[name] += 1
        digest.update(data)
        spool.write(data)
    if header is None:
        raise InvalidPackage("the package is empty")
    if trailer is None:
        raise InvalidPackage("the package is truncated: its trailer is missing")
    _prove(trailer, digest.hexdigest(), counts)
    return Package(header, trailer, frozenset(scopes), spool)


def _require_named(header: Header, scope: str, number: int) -> None:
    # Who reads the header must know whose memory the package can touch.
    if header.scopes is not None and scope not in header.scopes:
        raise InvalidPackage(f"line {number}: its scope {scope!r} is not among those that the header names", line=number)


def _prove(trailer: Trailer, digest: str, counts: Counter[str]) -> None:
    if trailer.sha256 != digest:
        raise InvalidPackage("the package was altered: its sha-256 does not match its trailer")
    if {name: count for name, count in trailer.counts.items() if count} != dict(counts):
        raise InvalidPackage("the package's counts do not match its trailer", expected=trailer.counts, found=dict(counts))


def _header(data: bytes) -> Header:
    if data.startswith(_BOM):
        raise InvalidPackage("line 1 starts with a byte order mark; a package is plain UTF-8", line=1)
    kind, value = _parse(1, data)
    if kind != "header":
        raise InvalidPackage("line 1 is not a package header", line=1)
    try:
        check_version(value.get("protocol"), field="protocol")
        return Header.model_validate({key: inner for key, inner in value.items() if key != "kind"})
    except (ValidationError, InvalidRequest) as error:
        raise _model_fault(1, error) from None


def _trailer(number: int, data: bytes) -> Trailer:
    if not data.endswith(b"\n"):
        raise InvalidPackage("the package is truncated: its last line does not end", line=number)
    try:
        return Trailer.model_validate({key: inner for key, inner in _parse(number, data)[1].items() if key != "kind"})
    except ValidationError as error:
        raise _model_fault(number, error) from None


def _look_at(number: int, data: bytes, check_lines: bool) -> tuple[str, str | None]:
    """Return the count's name and the scope of one line."""
    if check_lines:
        line = _decode(number, data)
        if isinstance(line, MemoryRecord):
            return line.status.value, line.scope
        return ("working", line.scope) if isinstance(line, WorkingSnapshot) else ("unknown", None)
    kind, value = _parse(number, data)
    member = {"record": "record", "tombstone": "record", "working": "working"}.get(kind)
    if member is None:
        return "unknown", None
    body = value.get(member)
    if not isinstance(body, dict):
        raise InvalidPackage(f"line {number}: {member}: expected an object", line=number)
    return "working" if kind == "working" else str(body.get("status", "active")), _scope_of(number, body)


def _scope_of(number: int, value: dict[str, Any]) -> str:
    try:
        return parse_scope(str(value.get("scope", "")))
    except InvalidRequest as error:
        raise _model_fault(number, error) from None
