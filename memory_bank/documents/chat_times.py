"""Parse times as chats write them: "2023-05-08 13:56", "08.05.23, 13:56", "5/8/23, 1:56 PM", "8 May 2023", epochs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from itertools import pairwise
from typing import Literal

from memory_bank.text.values.dates import MONTHS, month_number

Order = Literal["day first", "month first"]
_ORDERS: tuple[Order, Order] = ("day first", "month first")

_MONTH = rf"(?:{'|'.join(name[:3] for name in MONTHS)})[a-z]*+\.?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*+\.?|(?:星期|周|礼拜)[一二三四五六日天])"
_YEAR_FIRST = r"\d{4}(?:[-/.]\d{1,2}[-/.]\d{1,2}|\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号])"
_NUMBERS = r"\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d\d)"
_DATE_IN_WORDS = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?[- ]{_MONTH},?[- ]\d{{2,4}}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
)
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?(?:Z|[+-]\d\d:?\d\d)?"
_DATE = rf"(?:{_YEAR_FIRST}|{_NUMBERS}|{_DATE_IN_WORDS})"

TIMESTAMP_PATTERN = rf"(?:(?P<date>{_DATE})(?:(?:,?\s+(?:at\s+)?|T)(?P<clock>{_CLOCK}))?|(?P<alone>{_CLOCK}))(?!\d)"
"""Pattern of a date, a time of day, or both, for any case. Groups: `date`, `clock`, and `alone` (time without date)."""
_DAY_LINE = re.compile(
    rf"[\W_]*(?:{_WEEKDAY},?\s*)?(?:(?P<date>{_DATE})|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}\.? {_MONTH}"
    rf"|today|yesterday|今天|昨天)(?:,?\s*{_WEEKDAY})?[\W_]*",
    re.IGNORECASE,
)
MAX_TIMESTAMP_SEARCH = 400
"""Characters at the start of a line that are searched for a timestamp; the search takes quadratic time."""

_EPOCH_DIGITS = re.compile(r"(\d{9,10})(?:\.\d+)?|(\d{12,13})")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")
_PARTS = re.compile(rf"\d+|{_MONTH}", re.IGNORECASE)
_NUMERIC = re.compile(_NUMBERS)
_CENTURY = 2000


def match_day_line(line: str) -> re.Match[str] | None:
    """Match a line that holds only a day. Its group `date` is set if the day has a year."""
    return _DAY_LINE.fullmatch(line) if len(line) <= MAX_TIMESTAMP_SEARCH else None


def detect_date_order(dates: Sequence[str], *, twelve_hours: bool) -> Order:
    """Whether the dates of a file, such as "5/8/23", put the day or the month first.

    The better order has fewer invalid dates, then fewer dates that go back in time. If both are equal, the month comes
    first for a 12-hour clock ("1:56 PM").
    """
    numeric = [written for written in dates if _NUMERIC.fullmatch(written)]
    if any("." in written for written in numeric):
        return "day first"
    valid = {order: [day for written in numeric if (day := parse_day(written, order))] for order in _ORDERS}
    # how many dates are invalid, and how many go back in time
    errors = {
        order: (len(numeric) - len(days), sum(later < earlier for earlier, later in pairwise(days)))
        for order, days in valid.items()
    }
    if errors["day first"] != errors["month first"]:
        return min(_ORDERS, key=errors.__getitem__)
    return "month first" if twelve_hours else "day first"


def parse_day(text: str, order: Order = "day first") -> date | None:
    """Parse the `date` of a timestamp; `None` if it is invalid."""
    parts = _PARTS.findall(text)
    month = next((part for part in parts if not part.isdecimal()), None)
    try:
        numbers = [int(part) for part in parts if part.isdecimal()]
        if month is not None:
            return date(_year(numbers[1]), month_number(month), numbers[0])
        first, second, third = numbers
        if len(parts[0]) > 2:
            return date(first, second, third)
        return date(_year(third), *((second, first) if order == "day first" else (first, second)))
    except ValueError:
        return None


def _year(number: int) -> int:
    return number if number > 99 else _CENTURY + number


def parse_clock(text: str) -> time | None:
    """Parse the `clock` of a timestamp, to the second; `None` if it is invalid."""
    hour, minute, second = [*(int(part) for part in re.findall(r"(?<![+-])\b\d\d?(?=\D|$)", text)), 0][:3]
    am_pm = re.search(r"[ap](?=\.?m)", text, re.IGNORECASE)
    if am_pm:
        hour = hour % 12 + (12 if am_pm[0].lower() == "p" else 0)
    try:
        return time(hour, minute, second)
    except ValueError:
        return None


def combine(day: date | None, clock: time | None) -> date | None:
    """Join a day and a time of day. Without a time the result is the day; without a day it is `None`."""
    return day if day is None or clock is None else datetime.combine(day, clock)


def parse_time(text: str) -> date | None:
    """Parse a time in data: ISO 8601 as written, or seconds or milliseconds since 1970, as UTC; else `None`."""
    text = text.strip()
    epoch = _EPOCH_DIGITS.fullmatch(text)
    try:
        if epoch:
            seconds = int(epoch[1]) if epoch[1] else int(epoch[2]) // 1000
            return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
        if len(text) == len("2023-05-08"):
            return date.fromisoformat(text)
        if _ISO.match(text):
            return datetime.fromisoformat(text).replace(tzinfo=None, microsecond=0)
    except (ValueError, OverflowError):
        return None
    return None
