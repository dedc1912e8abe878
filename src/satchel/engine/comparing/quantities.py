"""Finds the values in a text and writes each in one way: numbers, dates, months, weekdays, times of day, rates such as "every day".

It owns their spellings, Chinese and English; it must not know what a text says of them.

A value keeps what was written and adds nothing: "3 May" has no year, and "9:00" without am or pm is nine in the morning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Quantity(NamedTuple):
    """One value: its place in the text, and its key, `kind:value`. Kinds: num, date, month, weekday, time, every, part."""

    start: int
    end: int
    key: str


_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_WEEKDAYS_ZH = "一二三四五六日"
_ONES = "zero one two three four five six seven eight nine ten eleven twelve"
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENTHS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: number for number, word in enumerate(f"{_ONES} {_TEENS}".split())}
_TENS = {word: 10 * number for number, word in enumerate(_TENTHS.split(), 2)}
_BIG = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD_NUMBER = "|".join(sorted([*_SMALL, *_TENS, *_BIG], key=len, reverse=True))

_DIGIT_ZH = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNIT_ZH = {"十": 10, "百": 100, "千": 1000}
_LARGE_ZH = {"万": 10_000, "亿": 100_000_000}
_HAN = "[零〇一二两三四五六七八九十百千万亿]"
_HAN_OR_DIGITS = rf"(?:\d{{1,4}}|{_HAN}{{1,4}})"
_MEASURES = (
    "个只条位名件次句行杯瓶碗盘份间套台辆部本册张封家所层楼号座颗棵头匹双副组批段篇首门节届倍折口"
    "片粒袋包箱罐支根滴顿笔年月日天周岁点分秒元块角毛斤克吨米升寸尺里度人种类项页章集场回遍趟晚夜代级期步"
)
_PART_ZH = "凌晨|清晨|早晨|早上|上午|中午|下午|傍晚|晚上|夜里|深夜"
_AFTERNOON = {"下午", "傍晚", "晚上", "夜里", "深夜"}
_CURRENCY = {"$": "dollar", "€": "euro", "£": "pound", "¥": "元"}

_MONTH_WORDS = "|".join(month for month in _MONTHS if month != "may")
_MAY = "|".join(rf"(?<=\b{word} )may" for word in ("in", "of", "by", "since", "until"))
_SPAN = "second|minute|hour|day|night|week|month|year|morning|evening"
_FEW = rf"(?:\d{{1,2}}|{_HAN}{{1,3}})"

_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "half",
        rf"\b(?P<h_one>(?:one|an|1) hour and a half|one and a half hours|1 ?1/2 hours)\b"
        rf"|\b(?P<h_more>\d+|{_WORD_NUMBER}) and a half hours\b"
        rf"|\b(?P<h_half>half an hour|half[ -]hour|a half hour)\b|\b(?P<h_quarter>a quarter of an hour)\b"
        rf"|(?<![\d.])(?P<h_point>\d+)\.5 ?(?:小时|个小时|hours?\b|hrs?\b)|(?P<h_han>\d+|{_HAN}{{1,2}})(?:个半(?:小时|钟头)|小时半)"
        r"|(?P<h_zh>半个?(?:小时|钟头))|(?P<h_ke>一刻钟)",
    ),
    (
        "span",
        r"(?:(?<=\bby )|(?<=\bin )|(?<=\bfor )|(?<=\blasts )|(?<=\btakes )|(?<=\bwithin )|(?<=\babout )|(?<=\bthan ))"
        r"an? (?P<span>minute|hour|day|week|month|year)\b",
    ),
    ("dozen", rf"\b(?:(?P<dz_half>half a)|(?P<dz_n>\d+|{_WORD_NUMBER})|a) dozen\b"),
    ("iso", r"(?<!\d)(?P<iso_y>\d{4})(?:[-/.]|年)(?P<iso_m>\d{1,2})(?:[-/.]|月)(?P<iso_d>\d{1,2})(?!\d)[日号]?"),
    ("zhdate", rf"(?:(?P<zh_y>\d{{4}}|{_HAN}{{4}})年)?(?P<zh_m>{_HAN_OR_DIGITS})月(?P<zh_d>{_HAN_OR_DIGITS})[日号]"),
    ("dmy", rf"\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})\b\.?(?:,? (?P<y1>\d{{4}}))?"),
    ("mdy", rf"\b(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? (?P<y2>\d{{4}}))?"),
    ("month", rf"(?P<m3>{_MAY}|\b(?:{_MONTH_WORDS}))\b"),
    ("zhmonth", rf"(?P<m4>{_HAN_OR_DIGITS})月份?(?!\d)"),
    (
        "every",
        rf"(?<!\bfor )\b(?:(?:once )?(?P<e1>an?|per|each|every) (?P<e2>{_SPAN})s?\b"
        r"|(?P<e3>hourly|daily|nightly|weekly|monthly|yearly|annually)\b)"
        rf"|每个?(?P<e4>小时|天|日|晚|(?:周|星期)(?![{_WEEKDAYS_ZH}天])|月|年)",
    ),
    ("weekday", rf"\b(?P<w1>{'|'.join(_WEEKDAYS)})s?\b|(?:周|星期|礼拜)(?P<w2>[{_WEEKDAYS_ZH}天])(?!(?!晚[上间\d]|夜[里间])[{_MEASURES}])"),
    ("part", rf"\b(?P<p1>mornings?|afternoons?|evenings?)\b|\b(?P<p2>weekends?)\b|(?P<p3>周末|{_PART_ZH})(?!(?:\d|{_HAN}){{1,3}}[点:时])"),
    ("clock", rf"(?:(?P<c_part>{_PART_ZH}) ?)?(?<![\d.])(?P<c_h>\d{{1,2}}):(?P<c_m>\d{{2}})(?!\d)(?: ?(?P<c_ap>[ap])\.?m\b\.?)?"),
    ("oclock", r"(?<![\d.:])\b(?P<o_h>\d{1,2}) ?(?:(?P<o_ap>[ap])\.?m\b\.?|o'clock\b)"),
    (
        "zhclock",
        rf"(?:(?P<z_part>{_PART_ZH}) ?)?(?P<z_h>{_FEW})(?:点钟?(?:(?P<z_half>半)|(?P<z_quarter>一刻)|(?P<z_m>{_FEW})分)?)",
    ),
    ("money", r"(?P<sign>[$€£¥]) ?(?P<amount>\d[\d,]*(?:\.\d+)?)"),
    ("version", r"(?<![A-Za-z\d_.])[vV]?(?P<version>\d+(?:\.\d+){2,}(?:-[a-z0-9.]+)?)"),
    (
        "number",
        r"(?<![A-Za-z\d_.-])(?P<number>\d+(?:,\d{3})+|\d+)(?P<fraction>\.\d+)?(?P<scale>[万亿百]|千(?![克米瓦卡])|k\b|m\b(?!/))?"
        r"(?:(?=(?:kg|km|cm|mm|mg|ml|[kmgt]b)(?![A-Za-z\d_]))|(?![A-Za-z\d_-]*[A-Za-z_]))",
    ),
    ("words", rf"\b(?P<words>(?:{_WORD_NUMBER})(?:[ -](?:and )?(?:{_WORD_NUMBER}))*)\b(?! of\b)"),
    (
        "han",
        rf"(?P<han>(?!千[克米瓦])(?:{_HAN}{{1,9}}?(?=千[克米瓦])|{_HAN}{{1,9}}))(?=[{_MEASURES}]|公里|公斤|千[克米瓦]|小时|分钟|美元|欧元)|(?<=第)(?P<ordinal>{_HAN}{{1,4}})"
        r"|(?P<round>[一二两三四五六七八九十]{1,3}[百千万亿]+)(?![一二三四五六七八九])",
    ),
)
_LATIN = ("half", "span", "dozen", "dmy", "mdy", "month", "every", "weekday", "part", "version", "words")


def _compiled(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}_>{pattern})" for name, pattern in _PATTERNS if name in names), re.IGNORECASE)


_AT_WORD = _compiled(_LATIN)
_AT_OTHER = _compiled(tuple(name for name, _ in _PATTERNS if name not in {"month", "words"}))
_RATES = "a an per each every hourly daily nightly weekly monthly yearly annually once half"
_DAY_PARTS = "morning mornings afternoon afternoons evening evenings weekend weekends"
_NAMES = [*_SMALL, *_TENS, *_BIG, *_MONTHS, *(month[:3] for month in _MONTHS), *_WEEKDAYS, *(f"{day}s" for day in _WEEKDAYS)]
_WORDS = frozenset([*_NAMES, "sept", "v", *_RATES.split(), *_DAY_PARTS.split()])
# Where a value may begin: trying every pattern at every character costs ten times as much.
_START = re.compile(rf"[A-Za-z]+|\d|{_HAN}|[半周星礼每早上中下晚凌清傍夜深$€£¥]")


def quantities(text: str) -> Iterator[Quantity]:
    """Yield the values of a text (NFKC, simplified characters), in order, none overlapping."""
    end = 0
    for start in _START.finditer(text):
        at, first = start.start(), start[0]
        is_word = first[0].isascii() and first.isalpha()
        if at < end or (is_word and first.lower() not in _WORDS):
            continue
        match = (_AT_WORD if is_word else _AT_OTHER).match(text, at)
        if match is None:
            continue
        key = _READERS[(match.lastgroup or "")[:-1]](match)
        if key:
            end = match.end()
            yield Quantity(at, end, key)


def han_number(text: str) -> int | None:
    """Read a Chinese numeral (or digits); None where it is none. `二十五` is 25, `三千` 3000, `二〇二四` 2024."""
    if text.isdigit():
        return int(text)
    if len(text) > 1 and all(char in _DIGIT_ZH for char in text):
        return int("".join(str(_DIGIT_ZH[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in _DIGIT_ZH:
            digit = _DIGIT_ZH[char]
        elif char in _UNIT_ZH:
            section += (digit or 1) * _UNIT_ZH[char]
            digit = 0
        elif char in _LARGE_ZH:
            total += (section + digit or 1) * _LARGE_ZH[char]
            section = digit = 0
        else:
            return None
    return total + section + digit


def _date(year: str | None, month: int | None, day: int | None) -> str | None:
    if month is None or day is None or not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    written = han_number(year) if year else None
    return f"date:{written}-{month:02}-{day:02}" if written else f"date:{month:02}-{day:02}"


def _month_number(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name.lower()[:3]))


def _iso(match: re.Match[str]) -> str | None:
    return _date(match["iso_y"], int(match["iso_m"]), int(match["iso_d"]))


def _zhdate(match: re.Match[str]) -> str | None:
    return _date(match["zh_y"], han_number(match["zh_m"]), han_number(match["zh_d"]))


def _dmy(match: re.Match[str]) -> str | None:
    return _date(match["y1"], _month_number(match["m1"]), int(match["d1"]))


def _mdy(match: re.Match[str]) -> str | None:
    return _date(match["y2"], _month_number(match["m2"]), int(match["d2"]))


def _month(match: re.Match[str]) -> str | None:
    # "march", "august" and the like are words as well; a month is written with a capital.
    return f"month:{_month_number(match['m3'])}" if match["m3"][0].isupper() else None


def _zhmonth(match: re.Match[str]) -> str | None:
    number = han_number(match["m4"])
    return f"month:{number}" if number and 1 <= number <= 12 else None


_EVERY = {"hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year"}
_EVERY_ZH = {"小时": "hour", "天": "day", "日": "day", "晚": "night", "周": "week", "星期": "week", "月": "month", "年": "year"}


def _every(match: re.Match[str]) -> str | None:
    return "every:" + (_EVERY_ZH[match["e4"]] if match["e4"] else _EVERY[match["e3"].lower()] if match["e3"] else match["e2"].lower())


def _weekday(match: re.Match[str]) -> str | None:
    if match["w1"]:
        return f"weekday:{_WEEKDAYS.index(match['w1'].lower()) + 1}"
    return f"weekday:{_WEEKDAYS_ZH.find(match['w2']) + 1 or 7}"


_PART_KEYS = {
    "凌晨": "night", "清晨": "morning", "早晨": "morning", "早上": "morning", "上午": "forenoon", "中午": "noon", "下午": "afternoon",
    "傍晚": "evening", "晚上": "evening", "夜里": "night", "深夜": "night", "周末": "weekend",
}  # fmt: skip


def _part(match: re.Match[str]) -> str | None:
    english = match["p1"] or match["p2"]
    return "part:" + (english.lower().removesuffix("s") if english else _PART_KEYS[match["p3"]])


def _minutes(hour: int | None, minute: int, part: str | None, half: str | None) -> str | None:
    if hour is None or hour > 24 or minute > 59:
        return None
    if hour < 12 and (part in _AFTERNOON or half == "p"):
        hour += 12
    if hour == 12 and (half == "a" or part == "凌晨"):
        hour = 0
    return f"time:{hour:02}{minute:02}"


def _clock(match: re.Match[str]) -> str | None:
    return _minutes(int(match["c_h"]), int(match["c_m"]), match["c_part"], (match["c_ap"] or "").lower())


def _oclock(match: re.Match[str]) -> str | None:
    return _minutes(int(match["o_h"]), 0, None, (match["o_ap"] or "").lower())


def _zhclock(match: re.Match[str]) -> str | None:
    if match["z_h"] == "一" and not (match["z_part"] or match["z_half"] or match["z_m"]):
        return None  # 一点, "a little"
    minute = 30 if match["z_half"] else 15 if match["z_quarter"] else (han_number(match["z_m"]) or 0) if match["z_m"] else 0
    return _minutes(han_number(match["z_h"]), minute, match["z_part"], None)


def _plain(digits: str) -> str:
    return digits.replace(",", "").lstrip("0") or "0"


def _money(match: re.Match[str]) -> str | None:
    return f"num:{_plain(match['amount'])} {_CURRENCY[match['sign']]}"


_SCALES = {"万": 10_000, "亿": 100_000_000, "千": 1000, "百": 100, "k": 1000, "m": 1_000_000}


_HALVES = {"h_one": 90, "h_half": 30, "h_quarter": 15, "h_zh": 30, "h_ke": 15}


def _half(match: re.Match[str]) -> str | None:
    """Read hours with a half as minutes: "an hour and a half" is 90 of them."""
    for group, minutes in _HALVES.items():
        if match[group]:
            return f"num:{minutes} @minute"
    hours = match["h_more"] or match["h_point"] or match["h_han"]
    number = _SMALL.get(hours.lower(), _TENS.get(hours.lower())) or han_number(hours)
    return None if number is None else f"num:{60 * number + 30} @minute"


def _span(match: re.Match[str]) -> str:
    unit = match["span"].lower()
    return f"num:1 {_SPANS.get(unit, unit)}"


_SPANS = {"hour": "@hour", "minute": "@minute"}


def _dozen(match: re.Match[str]) -> str | None:
    if match["dz_half"]:
        return "num:6"
    told = (match["dz_n"] or "1").lower()
    number = int(told) if told.isdigit() else _SMALL.get(told, _TENS.get(told))
    return None if number is None else f"num:{12 * number}"


def _number(match: re.Match[str]) -> str | None:
    written = _plain(match["number"]) + (match["fraction"] or "")
    scale = (match["scale"] or "").lower()
    if not scale:
        return "num:" + written
    scaled = float(written) * _SCALES[scale]
    return f"num:{int(scaled)}" if scaled == int(scaled) else f"num:{scaled}"


def _words(match: re.Match[str]) -> str | None:
    total = section = 0
    for word in re.split(r"[ -]", match["words"].lower()):
        if word in _SMALL or word in _TENS:
            section += _SMALL.get(word, 0) or _TENS.get(word, 0)
        elif word == "hundred":
            section = (section or 1) * 100
        elif word in _BIG:
            total += (section or 1) * _BIG[word]
            section = 0
    return f"num:{total + section}"


def _han(match: re.Match[str]) -> str | None:
    if match["han"] == "一" and match.string[match.end()] in "个名位种次":
        return None  # no more than "a"
    number = han_number(match["han"] or match["ordinal"] or match["round"])
    return None if number is None else f"num:{number}"


_READERS: dict[str, Callable[[re.Match[str]], str | None]] = {
    "half": _half, "span": _span, "dozen": _dozen,
    "iso": _iso, "zhdate": _zhdate, "dmy": _dmy, "mdy": _mdy, "month": _month, "zhmonth": _zhmonth, "every": _every, "weekday": _weekday,
    "part": _part, "clock": _clock, "oclock": _oclock, "zhclock": _zhclock, "money": _money, "number": _number,
    "words": _words, "han": _han,
    "version": lambda match: "num:" + match["version"],
}  # fmt: skip
