"""Foreign times: what another tool wrote, read as an instant, or left null with the reason (MIG-4).

It never guesses: a time without a zone needs one, an ambiguous date needs its order, a relative word is no time, and nothing becomes "now".
It must not know any source.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from satchel.errors import InvalidRequest
from satchel.protocol.times import TimeBasis

DateOrder = Literal["dmy", "mdy"]
"""How a numeric date such as 3/4/2026 is to be read, where a person has said so."""

NO_ZONE = "time without a zone; give --tz"
AMBIGUOUS = "ambiguous date"
UNREADABLE = "not readable as a time"

_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d{2})?\Z")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+]?\d+)?\Z")
_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?\Z")
_YEAR_FIRST = re.compile(r"(\d{4})([/.\-])(\d{1,2})\2(\d{1,2})(?:[T ,]+(.+))?\Z")
_YEAR_LAST = re.compile(r"(\d{1,2})([/.\-])(\d{1,2})\2(\d{4}|\d{2})(?:[T ,]+(.+))?\Z")
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*"
    r"(?P<zone>Z|UTC|GMT|[+-]\d{1,2}:?\d{2}|(?:UTC|GMT)[+-]\d{1,2}(?::?\d{2})?|[+-]\d{4} UTC)?\Z"
)
_CHINESE = re.compile(
    r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]?\s*(?:[(（]?(?:星期|周|礼拜)[一二三四五六日天][)）]?)?\s*"
    r"(?:(?P<half>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|深夜|午夜)?\s*"
    r"(?:(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)|(?P<hour>\d{1,2})[点时](?:(?P<part>半|整|[一三]刻)|(?P<minute>\d{1,2})分?(?:(?P<second>\d{1,2})秒?)?)?))?\Z"
)
_CHINESE_DIGITS = str.maketrans("〇○零一二三四五六七八九", "000123456789")
_CHINESE_NUMBER = re.compile(r"[〇○零一二三四五六七八九十]+(?=[年月日号点时分秒])")
_MONTH_NAME = re.compile(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)
_ZONE_LETTERS = re.compile(r"\d\s*(?!AM\b|PM\b|UTC\b|GMT\b)[A-Z]{2,5}\Z")
_HOUR_WRITTEN = re.compile(r"\d:\d|\d\s*[ap]\.?m\b", re.IGNORECASE)
_FOUR_DIGIT_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")

_PLAUSIBLE_SECONDS = (1e8, 4_133_980_800.0)
"""1973 to 2101: an agent's memory is from no other time, and a number outside is more likely a counter or another unit."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A foreign time as read. `instant` is None where it is not known, and `problem` then says why (None: there was nothing to read).

    `whole_day`: only the date was known, and the instant is its first moment.
    """

    instant: datetime | None = None
    basis: TimeBasis = TimeBasis.NONE
    raw: str | int | float | None = None
    problem: str | None = None
    whole_day: bool = False


UNTIMED = Moment()
"""The origin had no time."""


def zone_named(name: str) -> tzinfo:
    """Return the zone for an IANA name such as `Asia/Shanghai`, or a fixed offset such as `+08:00`. Raises InvalidRequest."""
    match = _OFFSET.fullmatch(name.strip().removeprefix("UTC").removeprefix("GMT"))
    try:
        if match:
            return _fixed(match)
        return UTC if name.strip().upper() in {"UTC", "Z", "GMT"} else ZoneInfo(name.strip())
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"unknown time zone {name!r}; give an IANA name such as Asia/Shanghai, or an offset such as +08:00"
        raise InvalidRequest.of([{"field": "tz", "message": message}]) from None


def _fixed(match: re.Match[str]) -> timezone:
    away = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    return timezone(-away if match[1] == "-" else away)


def modified(path: Path) -> Moment:
    """Return a file's modification time, for the sources that have no other."""
    seconds = path.stat().st_mtime
    return Moment(datetime.fromtimestamp(int(seconds), UTC), TimeBasis.MTIME, int(seconds))


def read_time(value: Any, *, zone: tzinfo | None, order: DateOrder | None = None) -> Moment:
    """Read a foreign time of any form known in the wild.

    `zone` is what a time without a zone is in: UTC for sources known to write naive UTC, the user's --tz for local ones, None where
    nobody said. Numbers are Unix seconds, milliseconds, microseconds or nanoseconds by magnitude; zero and empty are no time.
    """
    if value is None or isinstance(value, bool) or value == 0 or (isinstance(value, str) and not value.strip()):
        return UNTIMED
    if isinstance(value, int | float):
        return _number(value, value, zone)
    if isinstance(value, datetime):
        return _placed(value, value.isoformat(), zone)
    if not isinstance(value, str):
        return Moment(raw=str(value)[:200], problem=UNREADABLE)
    return _text(value, zone, order)


def _text(value: str, zone: tzinfo | None, order: DateOrder | None) -> Moment:
    raw = value.strip()[:200]
    text = unicodedata.normalize("NFKC", raw)
    if _NUMBER.match(text):
        number = float(text) if not text.lstrip("+-").isdigit() else int(text)
        return UNTIMED if number == 0 else _number(number, raw, zone)
    if _ISO.match(text):
        found = _iso(text)
        if found is not None:
            return _placed(found, raw, zone, whole_day=len(text) <= 10)
    if "年" in text:
        return _chinese(text, raw, zone)
    return _numeric_date(text, raw, zone, order) or _written_out(text, raw, zone)


# ---------------------------------------------------------------- numbers


def _number(number: int | float, raw: str | int | float, zone: tzinfo | None) -> Moment:
    if not math.isfinite(number):
        return Moment(raw=str(raw), problem=UNREADABLE)
    compact = _compact(number, raw, zone)
    if compact is not None:
        return compact
    size = abs(number)
    unit = next((unit for limit, unit in ((1e17, 10**9), (1e14, 10**6), (1e11, 10**3)) if size >= limit), 1)
    low, high = _PLAUSIBLE_SECONDS
    if not low <= number / unit <= high:
        return Moment(raw=raw, problem="number is no plausible time")
    # Whole units are split off first, for a float of nanoseconds loses the last three digits.
    seconds, rest = divmod(number, unit)
    instant = datetime.fromtimestamp(0, UTC) + timedelta(seconds=seconds, microseconds=round(rest * 10**6 / unit))
    return Moment(instant, TimeBasis.EXPLICIT, raw)


def _compact(number: int | float, raw: str | int | float, zone: tzinfo | None) -> Moment | None:
    """Read 20261130 and 20261130153000: as Unix times they would lie in 1970 and in the year 2612."""
    digits = str(number) if isinstance(number, int) else ""
    form = {8: "%Y%m%d", 14: "%Y%m%d%H%M%S"}.get(len(digits))
    if form is None or not "1990" <= digits[:4] <= "2100":
        return None
    try:
        return _placed(datetime.strptime(digits, form), raw, zone, whole_day=len(digits) == 8)
    except ValueError:
        return None


# ---------------------------------------------------------------- text


def _iso(text: str) -> datetime | None:
    if len(text) > 10:
        day, clock = text[:10], text[11:].strip()
        clock = re.sub(r"\s*(Z|UTC|GMT)\Z", "+00:00", clock, flags=re.IGNORECASE)
        clock = re.sub(r"\s+(?=[+-]\d)", "", clock)
        clock = re.sub(r"([+-]\d{2}:?\d{2})\+00:00\Z", r"\1", clock)  # Go writes "+0000 UTC"
        text = f"{day}T{clock}"
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _numeric_date(text: str, raw: str, zone: tzinfo | None, order: DateOrder | None) -> Moment | None:
    match = _YEAR_FIRST.match(text)
    if match:
        return _assembled(int(match[1]), int(match[3]), int(match[4]), match[5], raw, zone)
    match = _YEAR_LAST.match(text)
    if match is None:
        return None
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:
        return Moment(raw=raw, problem=f"{AMBIGUOUS}: a year of two digits")
    if order is None and first != second:
        if first <= 12 and second <= 12:
            return Moment(raw=raw, problem=f"{AMBIGUOUS}: day and month cannot be told apart; declare the order (dates=dmy or dates=mdy)")
        order = "dmy" if first > 12 else "mdy"
    day, month = (first, second) if order != "mdy" else (second, first)
    return _assembled(year, month, day, match[5], raw, zone)


def _assembled(year: int, month: int, day: int, clock: str | None, raw: str, zone: tzinfo | None) -> Moment:
    if clock is None:
        return _built(raw, zone, year, month, day, whole_day=True)
    match = _CLOCK.match(clock.strip())
    if match is None:
        return Moment(raw=raw, problem=UNREADABLE)
    hour, half = int(match["hour"]), (match["half"] or "").lower().replace(".", "")
    if half:
        if not 1 <= hour <= 12:
            return Moment(raw=raw, problem=UNREADABLE)
        hour = hour % 12 + (12 if half == "pm" else 0)
    fraction = int(((match["fraction"] or "") + "000000")[:6])
    return _built(raw, _written_zone(match["zone"]) or zone, year, month, day, hour, int(match["minute"]), int(match["second"] or 0),
                  fraction, explicit=bool(match["zone"]))  # fmt: skip


def _written_zone(text: str | None) -> tzinfo | None:
    if not text:
        return None
    match = _OFFSET.search(text.removesuffix(" UTC"))
    return _fixed(match) if match else UTC


def _chinese(text: str, raw: str, zone: tzinfo | None) -> Moment:
    match = _CHINESE.match(_CHINESE_NUMBER.sub(_arabic, text.strip()))
    if match is None:
        return Moment(raw=raw, problem=UNREADABLE)
    day = [int(match[part]) for part in ("year", "month", "day")]
    if match["clock"] is None and match["hour"] is None:
        return _built(raw, zone, *day, whole_day=True)
    if match["clock"]:
        clock = [int(part) for part in match["clock"].split(":")]
    else:
        part = {"半": 30, "一刻": 15, "三刻": 45}.get(match["part"] or "", 0)
        clock = [int(match["hour"]), int(match["minute"] or part), int(match["second"] or 0)]
    hour = _by_part_of_day(clock[0], match["half"])
    if hour is None:
        return Moment(raw=raw, problem=f"{AMBIGUOUS}: {match['half']}{clock[0]}点")
    return _built(raw, zone, *day, hour, *clock[1:])


def _arabic(match: re.Match[str]) -> str:
    tens, ten, ones = match[0].partition("十")
    if not ten:
        return match[0].translate(_CHINESE_DIGITS)
    return f"{tens.translate(_CHINESE_DIGITS) or '1'}{ones.translate(_CHINESE_DIGITS) or '0'}"


def _by_part_of_day(hour: int, half: str | None) -> int | None:
    """Return the hour of 24, or None where the part of the day does not settle it (晚上12点 may be either midnight)."""
    if half is None or hour > 12:
        return hour
    if half in {"晚上", "夜里", "深夜"}:
        return hour + 12 if 6 <= hour < 12 else None
    if half in {"下午", "傍晚"}:
        return hour + 12 if hour < 12 else 12
    if half == "中午":
        return hour + 12 if hour < 4 else hour
    return 0 if hour == 12 and half in {"凌晨", "午夜"} else hour


def _written_out(text: str, raw: str, zone: tzinfo | None) -> Moment:
    """Read dates with month names, such as those of mail headers; what names no month and no full year is not a date."""
    if not (_MONTH_NAME.search(text) and _FOUR_DIGIT_YEAR.search(text)):
        return Moment(raw=raw, problem=UNREADABLE)
    if _ZONE_LETTERS.search(text):
        return Moment(raw=raw, problem=f"{AMBIGUOUS}: letters such as CST name several zones")
    import dateparser  # costs 0.2 s to import

    settings = {"REQUIRE_PARTS": ["day", "month", "year"], "PARSERS": ["absolute-time"]}
    found = dateparser.parse(text, languages=["en"], settings=settings)
    if found is None:
        return Moment(raw=raw, problem=UNREADABLE)
    return _placed(found, raw, zone, whole_day=not _HOUR_WRITTEN.search(text))


# ---------------------------------------------------------------- zones


def _built(raw: str, zone: tzinfo | None, *parts: int, whole_day: bool = False, explicit: bool = False) -> Moment:
    try:
        naive = datetime(*parts)  # type: ignore[arg-type]
        return _placed(naive.replace(tzinfo=zone) if explicit else naive, raw, zone, whole_day=whole_day)
    except ValueError:
        return Moment(raw=raw, problem=UNREADABLE)


def _placed(found: datetime, raw: str | int | float, zone: tzinfo | None, *, whole_day: bool = False) -> Moment:
    basis = TimeBasis.EXPLICIT
    if found.tzinfo is None:
        if zone is None:
            return Moment(raw=raw, problem=NO_ZONE)
        if found.replace(tzinfo=zone, fold=0).utcoffset() != found.replace(tzinfo=zone, fold=1).utcoffset():
            return Moment(raw=raw, problem="ambiguous time: the clocks of that zone changed in this hour")
        found = found.replace(tzinfo=zone)
        basis = TimeBasis.NAIVE_UTC if zone is UTC else TimeBasis.NAIVE_LOCAL
    try:
        return Moment(found.astimezone(UTC), basis, raw, whole_day=whole_day)
    except (OverflowError, ValueError):
        return Moment(raw=raw, problem="time is outside the years 1 to 9999")
