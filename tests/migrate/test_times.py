"""MIG-4: foreign times are read in every form found in the wild, and never guessed (sources.md 0.1; complaints 62, 98, 100)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.errors import InvalidRequest
from satchel.migrate.times import NO_ZONE, UNTIMED, modified, read_time, zone_named
from satchel.protocol import TimeBasis

SHANGHAI = zone_named("Asia/Shanghai")
AFTERNOON = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        1796022000,
        1796022000.0,
        "1796022000",
        1796022000000,
        "1796022000000",
        1796022000000000,
        1796022000000000000,
        "2026-11-30T07:00:00Z",
        "2026-11-30T07:00:00+00:00",
        "2026-11-29T23:00:00-08:00",
        "2026-11-30 15:00:00 +0800",
        "2026-11-30 07:00:00 UTC",
        "2026-11-30 07:00:00.000000 +0000 UTC",
        "11/30/2026 7:00:00 AM +00:00",
        "Mon, 30 Nov 2026 07:00:00 +0000",
        "Mon Nov 30 2026 15:00:00 GMT+0800 (China Standard Time)",
    ],
)
def test_a_time_with_a_zone_or_a_number_is_read_in_any_form(written: object) -> None:
    found = read_time(written, zone=None)
    assert (found.instant, found.basis, found.problem) == (AFTERNOON, TimeBasis.EXPLICIT, None)


@pytest.mark.parametrize(
    "written",
    [
        "2026-11-30 15:00:00",
        "2026-11-30T15:00:00",
        "2026-11-30 15:00",
        "2026/11/30 15:00",
        "30-11-2026 15:00",
        "30.11.2026 15:00:00",
        "11/30/2026 3:00 PM",
        "20261130150000",
        "2026年11月30日 下午3点",
        "2026年11月30日15时",
        "2026年11月30日 星期一 15:00:00",
        "二〇二六年十一月三十日下午三点",
        "２０２６年１１月３０日　１５：００",
        "Nov 30, 2026 3:00 PM",
        "30 November 2026 15:00",
    ],
)
def test_a_local_time_is_placed_in_the_zone_that_was_given(written: str) -> None:
    found = read_time(written, zone=SHANGHAI)
    assert (found.instant, found.basis, found.raw) == (AFTERNOON, TimeBasis.NAIVE_LOCAL, written)


@pytest.mark.parametrize("written", ["2026-11-30 15:00:00", "2026年11月30日 下午3点", "2026/9/22", "Nov 30, 2026 3:00 PM", "2026-12-31"])
def test_a_local_time_without_a_zone_stays_unknown_and_is_kept(written: str) -> None:
    found = read_time(written, zone=None)
    assert (found.instant, found.basis, found.raw, found.problem) == (None, TimeBasis.NONE, written, NO_ZONE)


def test_a_source_known_to_write_utc_says_so_in_its_basis() -> None:
    assert read_time("2026-11-30 07:00:00", zone=UTC).basis is TimeBasis.NAIVE_UTC


@pytest.mark.parametrize("written", ["03/04/2026", "3.4.2026 10:00", "01/02/26", "2026年11月30日 晚上12点", "30 Nov 2026 10:00 CST"])
def test_an_ambiguous_date_is_listed_and_not_guessed(written: str) -> None:
    found = read_time(written, zone=SHANGHAI)
    assert found.instant is None
    assert found.problem is not None and found.problem.startswith("ambiguous")
    assert found.raw == written


def test_an_ambiguous_date_is_read_once_a_person_declares_its_order() -> None:
    assert read_time("03/04/2026", zone=UTC, order="dmy").instant == datetime(2026, 4, 3, tzinfo=UTC)
    assert read_time("03/04/2026", zone=UTC, order="mdy").instant == datetime(2026, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "written", ["yesterday", "昨天", "next Friday", "上周三", "now", "soon", "2026年11月", "November 2026", "2026-02-30", "25:00"]
)
def test_words_and_half_dates_are_no_times(written: str) -> None:
    found = read_time(written, zone=SHANGHAI)
    assert (found.instant, found.problem) == (None, "not readable as a time")


@pytest.mark.parametrize("written", [None, 0, "0", 0.0, "", "  ", True])
def test_no_time_is_no_time_and_nothing_to_report(written: object) -> None:
    assert read_time(written, zone=SHANGHAI) == UNTIMED


@pytest.mark.parametrize("number", [5, -1, 12345678, 9e10, float("inf"), float("nan"), 10**30])
def test_a_number_that_is_no_plausible_time_is_not_taken_for_one(number: float) -> None:
    found = read_time(number, zone=SHANGHAI)
    assert found.instant is None and found.problem is not None


def test_eight_digits_are_a_date_and_not_a_second_of_1970() -> None:
    assert read_time(20260921, zone=UTC).instant == datetime(2026, 9, 21, tzinfo=UTC)
    assert read_time("20260921", zone=UTC).whole_day


def test_nanoseconds_keep_their_microseconds() -> None:
    found = read_time(1796023160443244358, zone=None).instant
    assert found is not None and found.microsecond == 443244


def test_an_hour_that_the_clock_showed_twice_is_ambiguous() -> None:
    new_york = zone_named("America/New_York")
    assert read_time("2026-11-01 01:30", zone=new_york).instant is None
    assert read_time("2026-11-01 03:30", zone=new_york).instant == datetime(2026, 11, 1, 8, 30, tzinfo=UTC)


def test_noon_and_midnight_in_chinese_and_english() -> None:
    assert read_time("2026年11月30日 中午12点", zone=UTC).instant == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert read_time("2026年11月30日 凌晨12点", zone=UTC).instant == datetime(2026, 11, 30, 0, tzinfo=UTC)
    assert read_time("11/30/2026 12:00 AM", zone=UTC).instant == datetime(2026, 11, 30, 0, tzinfo=UTC)
    assert read_time("2026年11月30日 下午三点半", zone=UTC).instant == datetime(2026, 11, 30, 15, 30, tzinfo=UTC)


def test_a_file_time_is_marked_as_one(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("x")
    found = modified(file)
    assert found.basis is TimeBasis.MTIME and found.instant is not None


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "8", "../../etc/passwd", "+99:00"])
def test_an_unknown_zone_is_a_fault_that_names_the_option(name: str) -> None:
    with pytest.raises(InvalidRequest, match="tz"):
        zone_named(name)


def test_a_zone_may_be_an_offset() -> None:
    assert read_time("2026-11-30 15:00", zone=zone_named("+08:00")).instant == AFTERNOON


@given(st.datetimes(min_value=datetime(1975, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_every_instant_survives_iso_and_unix_milliseconds(moment: datetime) -> None:
    assert read_time(moment.isoformat(), zone=None).instant == moment
    whole = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert read_time(round(whole.timestamp() * 1000), zone=None).instant == whole


@given(st.text(max_size=40))
def test_no_text_whatever_raises_or_becomes_the_present(text: str) -> None:
    found = read_time(text, zone=UTC)
    assert found.instant is None or abs((found.instant - datetime.now(UTC)).total_seconds()) > 1
