"""How a record is written down: short, and the same when it is read back."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from satchel.conformance.samples import make, tombstone
from satchel.errors import StoreCorrupt
from satchel.protocol.record import MemoryRecord, Usage
from satchel.stores.bodies import decode, encode
from satchel.stores.columns import Key, expires, micros, moment_of, read_cursor, write_cursor

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
labels = st.none() | texts
moments = st.datetimes(timezones=st.just(UTC))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def records(draw: st.DrawFn) -> MemoryRecord:
    return MemoryRecord.model_validate(
        {
            "id": draw(st.text("aé中\U0001f9e0 /", min_size=1, max_size=9)),
            "scope": draw(st.sampled_from(["user:a", "public", "user:阿/project:x"])),
            "content": "x" + draw(texts),
            "created_at": draw(st.none() | moments),
            "stored_at": draw(moments),
            "updated_at": draw(moments),
            "expires_at": draw(st.none() | moments),
            "ttl": draw(st.none() | st.floats(1e-6, 1e11)),
            "score": draw(st.floats(0, 1)),
            "half_life": draw(st.floats(1e-9, 1e11)),
            "status": draw(st.sampled_from(["active", "pending", "archived"])),
            "tags": draw(st.lists(st.text("aé中 ", max_size=4), max_size=3)),
            "pinned": draw(st.booleans()),
            "source": {"agent": draw(labels), "origin": draw(st.sampled_from(["stated", "inferred"])), "future": draw(values)},
            "access": {"exportable": draw(st.booleans())},
            "relations": {"supersedes": draw(st.lists(st.sampled_from("ab"), max_size=2))},
            "meta": draw(st.dictionaries(texts, values, max_size=3)),
            "unknown": draw(values),
        }
    )


@given(records())
@settings(max_examples=200, deadline=None)
def test_a_record_reads_back_as_it_was_written(record):
    again = decode(encode(record))
    assert again == record
    assert again.state_hash() == record.state_hash()
    assert encode(again) == encode(record)


def test_usage_is_kept_apart():
    record = make("r", "user:a", usage={"access_count": 3})
    assert "usage" not in json.loads(encode(record))
    assert decode(encode(record)).usage == Usage()
    assert decode(encode(record), Usage(access_count=3)) == record


def test_what_is_at_its_default_is_not_written():
    assert set(json.loads(encode(make("r", "user:a")))) == {"id", "content", "scope", "created_at", "stored_at", "updated_at"}


def test_a_tombstone_reads_back():
    record = tombstone(make("r", "user:a"), reason="用户要求")
    assert decode(encode(record)) == record


@pytest.mark.parametrize("damaged", ["", "{", "[]", "null", '{"id":"a"}', encode(make("r", "user:a")).replace('"scope":"', '"scope":"*')])
def test_a_damaged_text_is_said_to_be(damaged):
    with pytest.raises(StoreCorrupt):
        decode(damaged)


@given(moments)
def test_a_moment_keeps_its_microsecond(moment):
    assert moment_of(micros(moment)) == moment


def test_microseconds_count_from_1970_both_ways():
    assert micros(datetime(1970, 1, 1, 0, 0, 1, 5, UTC)) == 1_000_005
    assert micros(datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)) == -1_000_000


@given(st.floats(1e-6, 1e11), st.none() | moments)
def test_the_longest_ttl_has_an_end_that_can_be_kept(ttl, created):
    end = expires(make("r", "user:a", ttl=ttl, created_at=created))
    assert end is not None
    assert math.isfinite(end / 1e6)
    assert abs(end) < 2**63


@given(st.sampled_from(["id", "updated"]), st.integers(-(2**62), 2**62), st.sampled_from(["user:a", "user:a/project:b%2Fc"]), texts)
def test_a_cursor_reads_back(order, updated, scope, name):
    key = Key(updated if order == "updated" else 0, scope, name)
    assert read_cursor(order, write_cursor(order, key)) == key
