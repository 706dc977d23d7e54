"""Times as chats write them: "2023-05-08 13:56", "08.05.23, 13:56", "5/8/23, 1:56 PM", "8 May 2023", epochs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from itertools import pairwise
from typing import Literal

Order = Literal["day first", "month first"]

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*+\.?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*+\.?|(?:星期|周|礼拜)[一二三四五六日天])"
_YEAR_FIRST = r"\d{4}(?:[-/.]\d{1,2}[-/.]\d{1,2}|\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号])"
_NUMBERS = r"\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d\d)"
_IN_WORDS = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?[- ]{_MONTH},?[- ]\d{{2,4}}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?(?:Z|[+-]\d\d:?\d\d)?"
_DATE = rf"(?:{_YEAR_FIRST}|{_NUMBERS}|{_IN_WORDS})"

STAMP = rf"(?:(?P<date>{_DATE})(?:(?:,?\s+(?:at\s+)?|T)(?P<clock>{_CLOCK}))?|(?P<alone>{_CLOCK}))(?!\d)"
"""A date, a time of day (`clock`, or `alone` without a date), or both, as a pattern; case does not matter."""
_DAY_LINE = re.compile(
    rf"[\W_]*(?:{_WEEKDAY},?\s*)?(?:(?P<date>{_DATE})|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}\.? {_MONTH}"
    rf"|today|yesterday|今天|昨天)(?:,?\s*{_WEEKDAY})?[\W_]*",
    re.IGNORECASE,
)
LONGEST_HEAD = 400
"""Characters of a line in which its stamp is looked for: a longer search takes the square of its length."""

_EPOCH_DIGITS = re.compile(r"(\d{9,10})(?:\.\d+)?|(\d{12,13})")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")
_PARTS = re.compile(rf"\d+|{_MONTH}", re.IGNORECASE)
_NUMERIC = re.compile(_NUMBERS)
_CENTURY = 2000


def day_line(line: str) -> re.Match[str] | None:
    """A line that holds a day and nothing else, with its `date` where that has a year; None for any other."""
    return _DAY_LINE.fullmatch(line) if len(line) <= LONGEST_HEAD else None


def order_of(dates: Sequence[str], *, twelve_hours: bool) -> Order:
    """Whether a file's dates such as "5/8/23" put the day or the month first.

    What no calendar has rules an order out, then what would go back in time; else the month comes first where the
    clock has twelve hours ("1:56 PM").
    """
    written = [found for found in dates if _NUMERIC.fullmatch(found)]
    if any("." in found for found in written):
        return "day first"
    faults = {order: _faults([day_of(found, order) for found in written]) for order in _ORDERS}
    if faults["day first"] != faults["month first"]:
        return min(_ORDERS, key=faults.__getitem__)
    return "month first" if twelve_hours else "day first"


_ORDERS: tuple[Order, Order] = ("day first", "month first")


def _faults(days: Sequence[date | None]) -> tuple[int, int]:
    """How many dates there are not, and how often they go back in time."""
    real = [day for day in days if day is not None]
    return len(days) - len(real), sum(later < earlier for earlier, later in pairwise(real))


def day_of(written: str, order: Order = "day first") -> date | None:
    """The day that the `date` of a stamp means; None where no calendar has it."""
    parts = _PARTS.findall(written)
    word = next((part for part in parts if not part.isdecimal()), None)
    try:
        numbers = [int(part) for part in parts if part.isdecimal()]
        if word is not None:
            return date(_year(numbers[1]), _MONTHS.index(word[:3].lower()) + 1, numbers[0])
        first, second, third = numbers
        if len(parts[0]) > 2:
            return date(first, second, third)
        return date(_year(third), *((second, first) if order == "day first" else (first, second)))
    except ValueError:
        return None


def _year(number: int) -> int:
    return number if number > 99 else _CENTURY + number


def clock_of(written: str) -> time | None:
    """The time of day that the `clock` of a stamp means, to the second; None where no clock has it."""
    hour, minute, second = [*(int(part) for part in re.findall(r"(?<![+-])\b\d\d?(?=\D|$)", written)), 0][:3]
    half = re.search(r"[ap](?=\.?m)", written, re.IGNORECASE)
    if half:
        hour = hour % 12 + (12 if half[0].lower() == "p" else 0)
    try:
        return time(hour, minute, second)
    except ValueError:
        return None


def joined(day: date | None, clock: time | None) -> date | None:
    """A day with its time of day where that is known; a time of day without a day says nothing."""
    return day if day is None or clock is None else datetime.combine(day, clock)


def moment_of(written: str) -> date | None:
    """A time in data: ISO 8601 as it is written there, or seconds or milliseconds since 1970 as UTC.

    None for anything else.
    """
    written = written.strip()
    epoch = _EPOCH_DIGITS.fullmatch(written)
    try:
        if epoch:
            seconds = int(epoch[1]) if epoch[1] else int(epoch[2]) // 1000
            return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
        if len(written) == len("2023-05-08"):
            return date.fromisoformat(written)
        if _ISO.match(written):
            return datetime.fromisoformat(written).replace(tzinfo=None, microsecond=0)
    except (ValueError, OverflowError):
        return None
    return None
