"""When something is due that is said with a date: a small grammar, Chinese and English, that would rather find nothing than guess.

It must not know what is due. A day without a time ends at its last second in UTC, for no zone is known.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

_ISO = re.compile(r"(?<!\d)(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_ZH = re.compile(r"(?:(\d{4})\s*年\s*)?(?<!\d)(\d{1,2})\s*月\s*(\d{1,2})\s*[日号號]")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_MONTH_DAY = re.compile(rf"\b{_NAMES}\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?\b", re.IGNORECASE)
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+{_NAMES}(?:\s+(\d{{4}}))?\b", re.IGNORECASE)
_SOON = {"今天": 0, "今晚": 0, "明天": 1, "后天": 2, "後天": 2, "大后天": 3, "大後天": 3, "today": 0, "tonight": 0, "tomorrow": 1}
_RELATIVE = re.compile(r"大[后後]天|今天|今晚|明天|[后後]天|\b(?:today|tonight|tomorrow)\b", re.IGNORECASE)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = re.compile(r"(下)?(?:周|星期|礼拜)([一二三四五六日天])|\b(next )?(" + "|".join(_WEEKDAYS) + r")\b", re.IGNORECASE)


def due_date(text: str, said_at: datetime) -> datetime | None:
    """Return the one moment that a text names, seen from when it was said; None where it names none, or more than one."""
    today = said_at.astimezone(UTC).date()
    days = {day for day in (*_full(text), *_of_year(text, today), *_near(text, today)) if day is not None}
    return datetime.combine(days.pop(), time(23, 59, 59), UTC) if len(days) == 1 else None


def _full(text: str) -> list[date | None]:
    return [_day(int(year), int(month), int(day)) for year, month, day in _ISO.findall(text)]


def _of_year(text: str, today: date) -> list[date | None]:
    found = [(year, int(month), int(day)) for year, month, day in _ZH.findall(text)]
    found += [(year, _MONTHS.index(name.lower()) + 1, int(day)) for name, day, year in _MONTH_DAY.findall(text)]
    found += [(year, _MONTHS.index(name.lower()) + 1, int(day)) for day, name, year in _DAY_MONTH.findall(text)]
    return [_day(int(year), month, day) if year else _next(month, day, today) for year, month, day in found]


def _near(text: str, today: date) -> list[date | None]:
    days: list[date | None] = [today + timedelta(days=_SOON[match.lower()]) for match in _RELATIVE.findall(text)]
    for next_zh, day_zh, next_en, day_en in _WEEKDAY.findall(text):
        weekday = "一二三四五六日".index(day_zh.replace("天", "日")) if day_zh else _WEEKDAYS.index(day_en.lower())
        days.append(_weekday(weekday, today, following_week=bool(next_zh or next_en)))
    return days


def _weekday(weekday: int, today: date, *, following_week: bool) -> date:
    if following_week:
        return today - timedelta(days=today.weekday()) + timedelta(days=7 + weekday)
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _next(month: int, day: int, today: date) -> date | None:
    this_year = _day(today.year, month, day)
    return this_year if this_year is None or this_year >= today else _day(today.year + 1, month, day)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
