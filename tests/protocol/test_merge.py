"""Two versions of one record: every machine keeps the same one (PRO-10; spec/06-merge.md)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from satchel.protocol import Deletion, MemoryRecord, Status, Usage, newer

START = datetime(2026, 11, 1, tzinfo=UTC)


@st.composite
def versions(draw: st.DrawFn) -> MemoryRecord:
    changed = START + timedelta(hours=draw(st.integers(0, 2)))
    usage = Usage(
        last_access_at=draw(st.none() | st.integers(0, 3).map(lambda hours: START + timedelta(hours=hours))),
        access_count=draw(st.integers(0, 3)),
    )
    if draw(st.integers(0, 4)) == 0:
        gone = {"content": "", "status": Status.DELETED, "deletion": Deletion(at=changed)}
        return MemoryRecord(id="m", scope="public", stored_at=START, updated_at=changed, usage=usage, **gone)
    return MemoryRecord(
        id="m",
        scope="public",
        stored_at=START,
        updated_at=changed,
        usage=usage,
        content=draw(st.sampled_from(["周三浇水", "周四浇水", "water on Friday"])),
        score=draw(st.sampled_from([0.5, 0.7])),
    )


def same(one: MemoryRecord, other: MemoryRecord) -> bool:
    return one.state() == other.state() and (one.is_tombstone or one.usage == other.usage)


@given(versions(), versions())
def test_the_order_of_the_two_does_not_matter(one: MemoryRecord, other: MemoryRecord) -> None:
    assert same(newer(one, other), newer(other, one))


@given(versions(), versions(), versions())
def test_the_order_in_which_machines_meet_does_not_matter(a: MemoryRecord, b: MemoryRecord, c: MemoryRecord) -> None:
    assert same(newer(newer(a, b), c), newer(a, newer(b, c)))


@given(versions())
def test_a_version_merged_with_itself_is_itself(one: MemoryRecord) -> None:
    assert same(newer(one, one), one)


@given(versions(), versions())
def test_a_tombstone_beats_whatever_is_newer(one: MemoryRecord, other: MemoryRecord) -> None:
    assert newer(one, other).is_tombstone is (one.is_tombstone or other.is_tombstone)


@given(versions(), versions())
def test_the_later_change_wins_and_usage_takes_the_maximum(one: MemoryRecord, other: MemoryRecord) -> None:
    winner = newer(one, other)
    if winner.is_tombstone:
        return
    assert winner.updated_at == max(one.updated_at, other.updated_at)
    assert winner.usage.access_count == max(one.usage.access_count, other.usage.access_count)
