"""The Satchel memory protocol, usable without the engine: records, scopes, times, filters and packages (PRO-13)."""

from satchel.protocol.filters import RecordFilter
from satchel.protocol.merge import newer
from satchel.protocol.package import Header, Package, PackageLine, Trailer, UnknownLine, compress, read_package, write_package
from satchel.protocol.record import (
    CORE_TYPES,
    TYPE_ALIASES,
    Access,
    Deletion,
    MemoryRecord,
    Origin,
    Relations,
    Sensitivity,
    Source,
    Status,
    Usage,
    content_hash,
    new_id,
)
from satchel.protocol.scope import SEGMENT_KINDS, make_scope, parse_scope, scope_names
from satchel.protocol.times import TimeBasis, format_instant
from satchel.protocol.version import PROTOCOL_VERSION, check_version
from satchel.protocol.working import WorkingSnapshot

__all__ = [
    "CORE_TYPES",
    "PROTOCOL_VERSION",
    "SEGMENT_KINDS",
    "TYPE_ALIASES",
    "Access",
    "Deletion",
    "Header",
    "MemoryRecord",
    "Origin",
    "Package",
    "PackageLine",
    "RecordFilter",
    "Relations",
    "Sensitivity",
    "Source",
    "Status",
    "TimeBasis",
    "Trailer",
    "UnknownLine",
    "Usage",
    "WorkingSnapshot",
    "check_version",
    "compress",
    "content_hash",
    "format_instant",
    "make_scope",
    "new_id",
    "newer",
    "parse_scope",
    "read_package",
    "scope_names",
    "write_package",
]
