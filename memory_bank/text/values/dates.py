"""Find dates in text, in English and Chinese, as intervals.

A date is an interval on a simple scale of days (every month has 31), so that days, months, years, decades and centuries
compare by one rule: two dates agree if one lies inside the other. The scale orders and nests dates; it does not count
the days between them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from memory_bank.text.span import overlaps_any

MONTHS = "january february march april may june july august september october november december".split()
_MONTH_NUMBER = {name[:3]: number for number, name in enumerate(MONTHS, start=1)}
_SLOTS_PER_YEAR = 372
_SLOTS_PER_MONTH = 31

ORDINAL_WORDS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        start=1,
    )
} | {"twenty-first": 21}

CHINESE_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}


PLAIN_LETTERS = str.maketrans("\u017f\u0131\u0130", "siI")
"""Letters that a pattern without case matches as these ASCII letters, but `lower` does not change into them."""


class Precision(StrEnum):
    """How precisely a date is given."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    RANGE = "range"
    DECADE = "decade"
    CENTURY = "century"
    MONTH_DAY = "month_day"


class FoundValue(NamedTuple):
    """A number or date in a text: its span, and the interval `low`..`high` (both included).

    That is in the base unit of the dimension `unit` ("" without a unit) or, of a date, which has a `precision`, on the
    scale of `slot`. `loose_low`..`loose_high` is wider for what may be rounded ("5,000", "about 300", "before 1970").
    """

    start: int
    end: int
    low: float
    high: float
    loose_low: float
    loose_high: float
    unit: str = ""
    ordinal: bool = False
    approximate: bool = False
    precision: Precision | None = None


_Interval = tuple[int, int, Precision]
"""The first and last position of a date on the date scale, and its precision."""


def slot(year: int, month: int = 0, day: int = 0) -> int:
    """The position of a day on the date scale; `month` and `day` count from 0."""
    return year * _SLOTS_PER_YEAR + month * _SLOTS_PER_MONTH + day


def year_of(position: int) -> int:
    """The year of a position on the date scale."""
    return position // _SLOTS_PER_YEAR


def day_of(position: int, year: int | None = None) -> date | None:
    """The day at a position on the date scale, in another year if one is given; None if there is no such day.

    The calendar has no 30 February.
    """
    month, day = divmod(month_day_of(position), _SLOTS_PER_MONTH)
    try:
        return date(year_of(position) if year is None else year, month + 1, day + 1)
    except ValueError:
        return None


def month_number(name: str) -> int:
    """The number of a month, from 1, by its English name, or the beginning of it; 0 if it is none."""
    return _MONTH_NUMBER.get(name[:3].lower(), 0)


def month_day_of(position: int) -> int:
    """The position within its year of a position on the date scale."""
    return position % _SLOTS_PER_YEAR


_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\s?\.?"
)
_MONTH_NAME = rf"(?P<month>{'|'.join(name.capitalize() for name in MONTHS)})\b"
_DAY = r"(?P<day>\d{1,2})(?:\s?(?:st|nd|rd|th)\b)?"
_YEAR = r"(?P<year>\d{3,4})(?![\d%]|[.,]\d)"
_ERA = r"(?P<era>\s?(?:b\.?\s?c\.?(?:\s?e\.?)?|a\.?d\.?|c\.?e\.)(?!\w))?"

_CIRCA = re.compile(
    r"(?:\bc\s?\.|\bca\s?\.|\bcirca|\babout|\baround|\bapproximately|\broughly|\bnearly"
    r"|\bby|约|大约|前后)\s*(?:the\s+)?$",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:before|by|prior\s+to|no\s+later\s+than)\s+(?:the\s+)?$", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|no\s+earlier\s+than)\s+(?:the\s+)?$", re.IGNORECASE)
# Words after a Chinese date: "1968年以前", "1968年左右".
_THEN_BEFORE = re.compile("以前|之前")
_THEN_AFTER = re.compile("以后|之后|以来")
_THEN_ABOUT = re.compile("前后|左右")
_PART_OF_PERIOD = re.compile(r"\b(?P<part>early|mid|late)(?:\s+|\s?-\s?)(?:the\s+)?$", re.IGNORECASE)
# The part of a decade or century, as fractions of it.
_PARTS = {"early": (0.0, 0.5), "mid": (0.25, 0.75), "late": (0.5, 1.0)}
_NUMBER_BEFORE = re.compile(
    r"(?:\b(?:was|were|is|are|about|has|had|have|with|some|over|exactly|only|than|least|most|nearly|approximately|"
    r"roughly|numbered|numbering|total(?:s|ing|ling|led)?|population|no\s?\.|nos\s?\.|number|flight|highway|"
    r"route|model|type|series|grade|(?:population|total|capacity|length|area|height|elevation|maximum|minimum|"
    r"average|depth|weight|number|crew|staff|workforce|audience|crowd|distance|altitude)\s+of)\s*"
    r"|[$€£¥#+]\s?)$",
    re.IGNORECASE,
)
_NOUN_AFTER = re.compile(
    r"\s*(?:%|°|(?:people|men|women|children|feet|metres?|meters?|miles?|km|kg|inhabitants|residents|"
    r"households|persons|individuals|employees|students|members|units|copies|votes|seats|points|troops|"
    r"soldiers|square|cubic|per\s+cent|percent|tons|tonnes|acres|hectares|dollars|pounds|euros|m|ft|mi|cm|mm)\b)",
    re.IGNORECASE,
)


def _years(first: int, last: int, precision: Precision) -> _Interval:
    return slot(first), slot(last + 1) - 1, precision


def _signed_year(match: re.Match[str]) -> int:
    year = int(match.groupdict().get("year") or 0)
    era = (match.groupdict().get("era") or "").strip().lower()
    return -year if era.startswith("b") else year


def _day(match: re.Match[str]) -> _Interval | None:
    day, month = int(match["day"]), month_number(match["month"]) or int(match["month"])
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    position = slot(_signed_year(match), month - 1, day - 1)
    return position, position, Precision.DAY if "year" in match.groupdict() else Precision.MONTH_DAY


def _day_range(match: re.Match[str]) -> _Interval | None:
    first, last = int(match["day"]), int(match["last"])
    if not 1 <= first < last <= 31:
        return None
    start = slot(_signed_year(match), month_number(match["month"]) - 1)
    return start + first - 1, start + last - 1, Precision.RANGE


def _month(match: re.Match[str]) -> _Interval:
    start = slot(_signed_year(match), month_number(match["month"]) - 1)
    precision = Precision.MONTH if "year" in match.groupdict() else Precision.MONTH_DAY
    return start, start + _SLOTS_PER_MONTH - 1, precision


def _year_range(match: re.Match[str]) -> _Interval | None:
    first, last = int(match["year"]), int(match["last"])
    if last < 100:
        last += first - first % 100
    if not (1000 <= first < last <= 2099):
        return None
    return _years(first, last, Precision.RANGE)


def _decade(match: re.Match[str]) -> _Interval:
    start = int(match["year"])
    if start % 100 == 0 and match.group(0).lower().endswith("00s"):
        return _years(start, start + 99, Precision.CENTURY)
    return _years(start, start + 9, Precision.DECADE)


def _century(match: re.Match[str]) -> _Interval | None:
    word = match["number"].lower()
    return _nth_century(int(word) if word.isdigit() else ORDINAL_WORDS.get(word, 0))


def _nth_century(number: int) -> _Interval | None:
    return _years((number - 1) * 100, number * 100, Precision.CENTURY) if 1 <= number <= 21 else None


def _year(match: re.Match[str]) -> _Interval | None:
    year = _signed_year(match)
    if not match.groupdict().get("era"):
        before = match.string[max(0, match.start() - 24) : match.start()]
        is_number = _NUMBER_BEFORE.search(before) or _NOUN_AFTER.match(match.string, match.end())
        if is_number or not 1000 <= year <= 2099:
            return None
    return _years(year, year, Precision.YEAR)


def chinese_number(text: str) -> int:
    """The value of a Chinese or Arabic whole number up to 99, or a year written digit by digit; 0 if it is neither."""
    if text.isdigit() and text.isascii():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * CHINESE_DIGITS.get(tens, 1) + CHINESE_DIGITS.get(ones, 0)
    digits = [CHINESE_DIGITS[c] for c in text if c in CHINESE_DIGITS]
    return int("".join(map(str, digits))) if digits else 0


def _chinese(match: re.Match[str]) -> _Interval | None:
    year = chinese_number(match["year"])
    month = chinese_number(match["month"] or "")
    day = chinese_number(match["day"] or "")
    if not 0 < year <= 2099 or month > 12 or day > 31:
        return None
    if not month:
        return _years(year, year, Precision.YEAR)
    start = slot(year, month - 1)
    if not day:
        return start, start + _SLOTS_PER_MONTH - 1, Precision.MONTH
    return start + day - 1, start + day - 1, Precision.DAY


def _chinese_era(match: re.Match[str]) -> _Interval | None:
    year = chinese_number(match["year"]) * (-1 if match["before"] else 1)
    return _years(year, year, Precision.YEAR) if year else None


def _chinese_period(match: re.Match[str]) -> _Interval | None:
    number = chinese_number(match["number"])
    if match["kind"] == "世纪":
        return _nth_century(number)
    return _years(number, number + 9, Precision.DECADE) if 1000 <= number <= 2090 else None


def _chinese_decade(match: re.Match[str]) -> _Interval | None:
    century, decade = chinese_number(match["century"]), chinese_number(match["number"])
    if not (1 <= century <= 21 and decade % 10 == 0):
        return None
    start = (century - 1) * 100 + decade
    return _years(start, start + 9, Precision.DECADE)


_Reader = Callable[[re.Match[str]], _Interval | None]
_I = re.IGNORECASE
_CN = "〇零一二两三四五六七八九十"
# Tried in this order; a later pattern never takes characters that an earlier one has taken.
_PATTERNS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern, flags), reader)
    for pattern, flags, reader in (
        (r"(?<![\d-])(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?![\d-])", 0, _day),
        (rf"(?<!\d)(?P<day>\d{{1,2}})\s?[–—-]\s?(?P<last>\d{{1,2}})\s+{_MONTH},?\s+{_YEAR}", _I, _day_range),
        (rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})\s?[–—-]\s?(?P<last>\d{{1,2}})\s?,?\s+{_YEAR}", _I, _day_range),
        (rf"(?<![\d.,]){_DAY}\s+(?:of\s+)?{_MONTH}\s?,?\s+{_YEAR}{_ERA}", _I, _day),
        (rf"\b{_MONTH}\s+{_DAY}\s?,?\s+{_YEAR}{_ERA}", _I, _day),
        (rf"\b{_MONTH}\s?,?\s+(?:of\s+)?(?P<year>\d{{4}})(?![\d%]|[.,]\d)", _I, _month),
        (rf"(?<![\d.,]){_DAY}\s+(?:of\s+)?{_MONTH}(?!\w)", _I, _day),
        (rf"\b{_MONTH}\s+{_DAY}(?![\d,]*\d)(?!\w)", _I, _day),
        (r"(?P<year>\d{4})\s?年(?:\s?(?P<month>\d{1,2})\s?月(?:\s?(?P<day>\d{1,2})\s?[日号])?)?(?!代)", 0, _chinese),
        (rf"公元(?P<before>前)?(?P<year>\d{{1,4}}|[{_CN}]{{1,4}})年", 0, _chinese_era),
        (rf"(?P<year>[{_CN}]{{4}})年(?:(?P<month>[{_CN}]{{1,2}})月(?:(?P<day>[{_CN}]{{1,3}})[日号])?)?", 0, _chinese),
        (rf"(?P<century>\d{{1,2}}|[{_CN}]{{1,3}})世纪(?P<number>\d0|[{_CN}]{{1,2}})年代", 0, _chinese_decade),
        (rf"(?P<number>\d{{1,4}}|[{_CN}]{{1,4}})(?P<kind>世纪|年代)", 0, _chinese_period),
        (rf"(?:(?<=\bin )|(?<=\bon )){_MONTH_NAME}(?!\s*\d)", 0, _month),
        (r"(?<![\d.,–-])(?P<year>\d{4})\s?[–—-]\s?(?P<last>\d{4}|\d{2})(?![\d,.-]*\d)", 0, _year_range),
        (r"\b(?P<year>\d{3}0)\s?['’]?s\b", 0, _decade),
        (r"\b(?P<number>\d{1,2})\s?(?:st|nd|rd|th)[\s-]centur(?:y|ies)\b", _I, _century),
        (r"\b(?P<number>[a-z]+(?:-first)?)[\s-]centur(?:y|ies)\b", _I, _century),
        (r"(?<![\w.,])(?P<year>\d{1,4})(?P<era>\s?(?:BCE?|B\.C\.(?:E\.)?|AD|CE)(?!\w))", 0, _year),
        (r"(?<![\w.,$€£¥/])(?P<year>\d{4})(?![\w%]|[.,]\d|\s?/)", 0, _year),
    )
)


# A cheap check first: nearly every date has a digit, and most sentences have none.
_MAY_HOLD_DATE = re.compile(r"\d|[Cc]entur|年|世纪|\b(?:in|on) (?:Jan|Feb|Ma|Apr|Ju|Aug|Sep|Oct|Nov|Dec)")


def find_dates(text: str) -> Iterator[FoundValue]:
    """Every date of `text`, in no particular order, without overlap."""
    if not _MAY_HOLD_DATE.search(text):
        return
    text = text.translate(PLAIN_LETTERS)
    taken: list[tuple[int, int]] = []
    for pattern, reader in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if overlaps_any(start, end, taken):
                continue
            interval = reader(match)
            if interval is None:
                continue
            taken.append((start, end))
            low, high, precision = interval
            before = text[max(0, start - 20) : start]
            part = _PART_OF_PERIOD.search(before)
            if part and precision in (Precision.DECADE, Precision.CENTURY):
                years = (high - low + 1) // _SLOTS_PER_YEAR
                first, last = (round(years * fraction) for fraction in _PARTS[part["part"].lower()])
                low, high = low + first * _SLOTS_PER_YEAR, low + last * _SLOTS_PER_YEAR - 1
            end -= len(match.group(0)) - len(match.group(0).rstrip())
            approximate = bool(_CIRCA.search(before) or _THEN_ABOUT.match(text, end))
            slack = 5 * _SLOTS_PER_YEAR if approximate else 0
            loose_low = -math.inf if _BEFORE.search(before) or _THEN_BEFORE.match(text, end) else low - slack
            loose_high = math.inf if _AFTER.search(before) or _THEN_AFTER.match(text, end) else high + slack
            dated = FoundValue(start, end, low, high, loose_low, loose_high)
            yield dated._replace(approximate=approximate, precision=precision)
