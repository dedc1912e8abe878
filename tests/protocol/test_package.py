"""The package: what goes in comes out, and nothing damaged gets in (PRO-10, PRO-11; spec/05-package.md)."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.errors import InvalidPackage, VersionError
from satchel.protocol import (
    Deletion,
    Header,
    MemoryRecord,
    PackageLine,
    Status,
    UnknownLine,
    WorkingSnapshot,
    compress,
    read_package,
    write_package,
)
from satchel.protocol.package import MAX_LINE_BYTES

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HEADER = Header(producer="test", created_at=NOON, scopes=("user:alice",))


def record(id: str = "m1", content: str = "阳台的花每周三浇水", **members: Any) -> MemoryRecord:
    return MemoryRecord(id=id, content=content, scope="user:alice", stored_at=NOON, updated_at=NOON, **members)


def tombstone(id: str = "gone") -> MemoryRecord:
    return record(id, "", status=Status.DELETED, deletion=Deletion(at=NOON, reason="asked to"))


def packed(*lines: PackageLine, header: Header = HEADER) -> bytes:
    return b"".join(write_package(header, lines))


def unpacked(data: bytes) -> list[PackageLine]:
    with read_package(io.BytesIO(data)) as package:
        return list(package.lines())


LINES: tuple[PackageLine, ...] = (
    tombstone(),
    record(),
    record("m2", "Deploys happen on Tuesdays.", meta={"null": None, "深": {"a": [1, 2.5, "\u2028"]}}, later=[1]),
    WorkingSnapshot(session_id="s1", scope="user:alice", created_at=NOON, updated_at=NOON, slots={"城市": "苏州"}),
    UnknownLine("evidence", {"text": "他说:每周三", "n": 1}),
)
PACKAGE = packed(*LINES)


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=80)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9) | text, lambda inner: st.lists(inner, max_size=3)
)
times = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))


@st.composite
def records(draw: st.DrawFn) -> MemoryRecord:
    return record(
        draw(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)),
        draw(text.filter(str.strip)),
        created_at=draw(st.none() | times),
        score=draw(st.floats(0, 1)),
        type=draw(st.sampled_from(["fact", "preference", "ritual"])),
        meta=draw(st.dictionaries(text, json_values, max_size=3)),
        tags=draw(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9), max_size=3)),
    )


@settings(max_examples=60)
@given(st.lists(records(), max_size=4))
def test_what_goes_in_comes_out(given_records: list[MemoryRecord]) -> None:
    assert unpacked(packed(*given_records)) == given_records


def test_every_kind_of_line_passes_through_and_out_again() -> None:
    assert unpacked(PACKAGE) == list(LINES)
    assert packed(*unpacked(PACKAGE)) == PACKAGE


def test_a_compressed_package_is_the_same_package() -> None:
    pytest.importorskip("zstandard")
    assert unpacked(b"".join(compress(write_package(HEADER, LINES)))) == list(LINES)


@pytest.mark.parametrize("cut", range(0, len(PACKAGE), 7))
def test_a_truncated_package_is_refused_wherever_it_ends(cut: int) -> None:
    with pytest.raises(InvalidPackage):
        read_package(io.BytesIO(PACKAGE[:cut]))


def test_a_truncated_compressed_package_is_refused() -> None:
    pytest.importorskip("zstandard")
    data = b"".join(compress(write_package(HEADER, LINES)))
    for cut in range(5, len(data), 11):
        with pytest.raises(InvalidPackage):
            read_package(io.BytesIO(data[:cut]))


@given(st.integers(0, len(PACKAGE) - 1), st.integers(1, 255))
def test_an_altered_byte_is_found_wherever_it_is(place: int, change: int) -> None:
    altered = bytearray(PACKAGE)
    altered[place] ^= change
    try:
        lines = unpacked(bytes(altered))
    except (InvalidPackage, VersionError):
        return
    # The trailer's own spelling is not covered by its digest; what the package holds is.
    assert lines == list(LINES)


def _lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PACKAGE.splitlines()]


def _joined(lines: list[dict[str, Any]]) -> bytes:
    import hashlib

    body = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines[:-1])
    return body + json.dumps(lines[-1] | {"sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"


def test_the_helper_of_these_tests_makes_packages_that_are_read() -> None:
    assert unpacked(_joined(_lines())) == list(LINES)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines.insert(4, lines.pop(1)), "tombstones come first"),
        (lambda lines: lines[1].update(kind="record"), "status is deleted"),
        (lambda lines: lines[2].update(kind="tombstone"), "status is active"),
        (lambda lines: lines[2]["record"].update(content="别的"), "content_hash"),
        (lambda lines: lines[2]["record"].update(scope="user:*"), "scope"),
        (lambda lines: lines[2]["record"].update(stored_at="2026-11-30T12:00:00"), "zone"),
        (lambda lines: lines[2]["record"].update(score=3, ttl=-1), "ttl"),
        (lambda lines: lines[2].pop("record"), "id: Field required"),
        (lambda lines: lines.pop(2), "counts"),
        (lambda lines: lines.pop(0), "header"),
        (lambda lines: lines.insert(1, lines[0]), "second header"),
        (lambda lines: lines[-1].update(counts={"active": 1}), "counts"),
    ],
)
def test_a_package_whose_lines_break_the_rules_is_refused(change: Any, said: str) -> None:
    lines = _lines()
    change(lines)
    with pytest.raises(InvalidPackage, match=said):
        read_package(io.BytesIO(_joined(lines)))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\n", "line 1"),
        (b"[]\n", "line 1"),
        (b"\xef\xbb\xbf" + PACKAGE, "byte order mark"),
        (PACKAGE + PACKAGE, "follows the trailer"),
        (PACKAGE.replace("阳台".encode(), b"\xff\xfe", 1), "not UTF-8"),
        (PACKAGE[:-1], "truncated"),
        (b"PK\x03\x04 not a package", "line 1"),
        (b"{" * 100_000, "line 1"),
        (b'{"kind":"header"}\n', "protocol"),
    ],
    ids=["empty", "blank", "array", "bom", "twice", "not-utf8", "no-last-line-feed", "zip", "deep", "bare-header"],
)
def test_what_is_no_package_is_refused_with_a_sentence(data: bytes, said: str) -> None:
    with pytest.raises(InvalidPackage, match=said):
        read_package(io.BytesIO(data))


def test_the_line_at_fault_is_named() -> None:
    lines = _lines()
    lines[3]["record"]["id"] = ""
    with pytest.raises(InvalidPackage) as caught:
        read_package(io.BytesIO(_joined(lines)))
    assert caught.value.details["line"] == 4


def test_a_newer_minor_is_read_and_a_newer_major_names_both_versions() -> None:
    lines = _lines()
    lines[0]["protocol"] = "1.7"
    lines[2]["record"]["v"] = "1.7"
    assert unpacked(_joined(lines))
    lines[0]["protocol"] = "2.0"
    with pytest.raises(VersionError, match=r"2\.0.*1\.0"):
        read_package(io.BytesIO(_joined(lines)))


def test_a_line_over_the_limit_is_refused_without_being_held() -> None:
    endless = PACKAGE.splitlines(keepends=True)[0] + b"x" * (MAX_LINE_BYTES + 1_048_576)
    with pytest.raises(InvalidPackage, match="longer"):
        read_package(io.BytesIO(endless))


def test_times_before_1970_and_after_2100_are_kept() -> None:
    old = record(created_at=datetime(1911, 10, 10, tzinfo=UTC), expires_at=datetime(2199, 1, 1, tzinfo=UTC) + timedelta(microseconds=1))
    assert unpacked(packed(old)) == [old]


def test_the_order_of_members_in_a_line_does_not_matter() -> None:
    lines = [dict(sorted(line.items(), reverse=True)) for line in _lines()]
    assert unpacked(_joined(lines)) == list(LINES)


def test_lines_may_be_checked_later_and_what_is_no_object_is_still_refused() -> None:
    with read_package(io.BytesIO(PACKAGE), check_lines=False) as package:
        assert package.scopes == {"user:alice"}
        assert list(package.lines()) == list(LINES)
    lines = _lines()
    lines[2]["record"] = "text"
    with pytest.raises(InvalidPackage, match="expected an object"):
        read_package(io.BytesIO(_joined(lines)), check_lines=False)
