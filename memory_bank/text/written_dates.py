"""Find the days that a text mentions: dates, months, seasons, years, and "last week" and the like.

English and Chinese are read; what is not understood is left out. Seasons are those of the northern hemisphere.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from memory_bank.text.values.dates import CHINESE_DIGITS, MONTHS, PLAIN_LETTERS, chinese_number, month_number

_MONTHS = tuple(name.capitalize() for name in MONTHS)
_WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_NUMBERS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_NUMBERS |= {"a": 1, "an": 1, "a couple of": 2, "a few": 3}
_NUMBERS |= CHINESE_DIGITS | {"几": 3}
_DAYS = {"yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_DAYS |= {"前天": -2, "昨天": -1, "昨晚": -1, "今天": 0, "今晚": 0, "明天": 1, "后天": 2}
_STEPS = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1}
_STEPS |= {"上": -1, "前": -2, "去": -1, "这": 0, "本": 0, "今": 0, "下": 1, "明": 1, "后": 2}
_UNITS = {"天": "day", "周": "week", "星期": "week", "礼拜": "week", "周末": "weekend", "月": "month", "年": "year"}
_CHINESE_WEEKDAYS = "一二三四五六日"

_MONTH = rf"(?P<month>{'|'.join(f'{month}|{month[:3]}[.]?' for month in _MONTHS)}|Sept[.]?)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_SEASON = "|".join(season for season in _SEASONS if season.isascii())
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(word for word in _NUMBERS if word.isascii())})"

_DIGITS = "[一二三四五六七八九]"
_CHINESE_YEAR = r"(?P<year>(?:19|20)\d\d|[一二][〇零一二三四五六七八九]{3})\s*年"
_CHINESE_MONTH = rf"(?P<month>\d\d?|十[一二]?|{_DIGITS})\s*月份?"
_CHINESE_DAY = rf"(?P<day>\d\d?|[二三]?十{_DIGITS}?|{_DIGITS})\s*[日号]"
_CHINESE_SEASON = "(?P<season>[春夏秋冬])[天季]?"
_CHINESE_STEP = "(?P<step>[去今明]|(?<![以之年])[前后])(?P<unit>年)"  # not of "三年前", "以前年年"
_CHINESE_COUNT = rf"(?P<count>\d{{1,3}}|[二三四五六七八九]?十{_DIGITS}?|{_DIGITS}|[两几])"


class Days(NamedTuple):
    """A range of days, both ends included."""

    first: date
    last: date

    def meets(self, other: Days) -> bool:
        """Whether the two ranges have a day in common."""
        return self.first <= other.last and other.first <= self.last


class FoundDays(NamedTuple):
    """Days that a text mentions, and the characters that do."""

    start: int
    end: int
    days: Days


def days_named(text: str, today: date) -> list[Days]:
    """The ranges of days that a text mentions; `today` is the day of the text.

    A date without a year is the last one that had begun by `today`. A part of a date, such as the year in "May 2023",
    is not a mention of its own.
    """
    return [mention.days for mention in find_days(text, today)]


def find_days(text: str, today: date) -> list[FoundDays]:
    """The days that a text mentions, as in `days_named`, with their positions; no two overlap."""
    text = text.translate(PLAIN_LETTERS)
    mentions: list[FoundDays] = []
    for pattern, read in _PATTERNS:
        for match in pattern.finditer(text):
            try:
                mentions.append(FoundDays(match.start(), match.end(), read(match, today)))
            except (ValueError, OverflowError, LookupError):  # there is no such day, like 31 February
                continue
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return mentions


def _date(match: re.Match[str], today: date) -> Days:
    month, day = _number_of_month(match["month"]), _number(match["day"])
    return _in_year_or_step(match, today, lambda year: _one_day(date(year, month, day)))


def _month(match: re.Match[str], today: date) -> Days:
    return _in_year_or_step(match, today, lambda year: _months(year, _number_of_month(match["month"]), 1))


def _season(match: re.Match[str], today: date) -> Days:
    step = _STEPS.get((match["step"] or "this").lower(), 0)
    season = _in_its_year(match, today, lambda year: _months(year, _SEASONS[match["season"].lower()], 3))
    if match["year"] or not (step > 0 or (step < 0 and season.last >= today)):
        return season
    return _months(season.first.year + step, season.first.month, 3)


def _chinese_season(match: re.Match[str], today: date) -> Days:
    """A season of a given year, or of a year relative to today's; unlike "last summer", it need not be over."""
    return _in_year_or_step(match, today, lambda year: _months(year, _SEASONS[match["season"]], 3))


def _year(match: re.Match[str], _today: date) -> Days:
    return _months(_number(match["year"]), 1, 12)


def _relative_day(match: re.Match[str], today: date) -> Days:
    return _around(today, "day", _DAYS[match[0].lower()])


def _period(match: re.Match[str], today: date) -> Days:
    unit, step = match["unit"].lower(), match.groupdict().get("step")
    return _around(today, _UNITS.get(unit, unit), _STEPS[step.lower()] if step else -_number(match["count"]))


def _weekday(match: re.Match[str], today: date) -> Days:
    """The nearest such weekday: before today, after it with "next", and today or after it with "this"."""
    ahead = (_WEEKDAYS.index(match["weekday"].lower()) - today.weekday()) % 7
    step = _STEPS[match["step"].lower()]
    return _around(today, "day", ahead if step == 0 else (ahead or 7) if step > 0 else ahead - 7)


def _chinese_weekday(match: re.Match[str], today: date) -> Days:
    """The weekday in the last, this or the next calendar week, which begins on Monday."""
    monday = _around(today, "week", _STEPS[match["step"]]).first
    return _one_day(monday + timedelta(days=_CHINESE_WEEKDAYS.index(match["weekday"].replace("天", "日"))))


def _in_year_or_step(match: re.Match[str], today: date, in_year: Callable[[int], Days]) -> Days:
    """The days of a match in a year relative to today's, if it has one such as "last year", or else in its own."""
    step = match.groupdict().get("step")
    return in_year(today.year + _STEPS[step]) if step else _in_its_year(match, today, in_year)


def _in_its_year(match: re.Match[str], today: date, in_year: Callable[[int], Days]) -> Days:
    """The days of a match in the year it names, or else in the last year in which they had begun by today."""
    if match["year"]:
        return in_year(_number(match["year"]))
    this_year = in_year(today.year)
    return this_year if this_year.first <= today else in_year(today.year - 1)


def _around(today: date, unit: str, step: int) -> Days:
    """The day, week (from Monday), weekend, month or year that is `step` units away from today's."""
    if unit == "year":
        return _months(today.year + step, 1, 12)
    if unit == "month":
        return _months(today.year, today.month + step, 1)
    if unit == "day":
        return _one_day(today + timedelta(days=step))
    monday = today + timedelta(days=7 * step - today.weekday())
    return Days(monday + timedelta(days=5 if unit == "weekend" else 0), monday + timedelta(days=6))


def _one_day(day: date) -> Days:
    return Days(day, day)


def _months(year: int, month: int, count: int) -> Days:
    """`count` whole months from `month`, which may lie outside 1 to 12."""
    first, last = (divmod(year * 12 + month - 1 + further, 12) for further in (0, count - 1))
    end = monthrange(last[0], last[1] + 1)[1]
    return Days(date(first[0], first[1] + 1, 1), date(last[0], last[1] + 1, end))


def _number_of_month(name: str) -> int:
    return month_number(name) or _number(name)


def _number(text: str) -> int:
    """A number in digits or words, in Chinese up to 99, or a Chinese year written digit by digit."""
    return int(text) if text.isdecimal() else _NUMBERS.get(text.lower()) or chinese_number(text)


_Reader = Callable[[re.Match[str], date], Days]
# Tried in this order; a later pattern never takes characters that an earlier one has taken.
_PATTERNS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern, flags), read)
    for pattern, flags, read in (
        (rf"{_YEAR}[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)(?!\d)", 0, _date),
        (rf"{_CHINESE_STEP}\s*{_CHINESE_MONTH}\s*{_CHINESE_DAY}", 0, _date),
        (rf"(?:{_CHINESE_YEAR}\s*)?{_CHINESE_MONTH}\s*{_CHINESE_DAY}", 0, _date),
        (rf"\b{_DAY}(?: of)? {_MONTH}\b(?:,? {_YEAR}\b)?", re.IGNORECASE, _date),
        (rf"\b{_MONTH} {_DAY}\b(?:,? {_YEAR}\b)?", re.IGNORECASE, _date),
        (rf"{_CHINESE_STEP}\s*{_CHINESE_MONTH}", 0, _month),
        (rf"{_CHINESE_YEAR}\s*{_CHINESE_MONTH}", 0, _month),
        (rf"(?P<year>)(?<![\d十]){_CHINESE_MONTH}(?!\d)", 0, _month),
        (rf"(?:{_CHINESE_YEAR}|{_CHINESE_STEP})的?\s*{_CHINESE_SEASON}", 0, _chinese_season),
        (rf"\b{_MONTH},?(?: of)? {_YEAR}\b", re.IGNORECASE, _month),
        # only after one of these words, because "may" and "march" are verbs too
        (rf"\b(?:in|during|of|by|since|last|this) (?:early |late |mid-?)?{_MONTH}\b(?P<year>)", 0, _month),
        (rf"\b(?P<step>)(?:(?:in|during) (?:the )?)?(?P<season>{_SEASON}),? (?:of )?{_YEAR}\b", re.IGNORECASE, _season),
        (rf"\b(?:(?:in|during) )?(?P<step>last|this|next) (?P<season>{_SEASON})\b(?P<year>)", re.IGNORECASE, _season),
        (rf"(?<![\d.,]){_CHINESE_YEAR}", 0, _year),
        (rf"(?<![\d.,]){_YEAR}\b(?![.,]?\d)", 0, _year),
        (rf"\b{_COUNT} (?P<unit>day|week|month|year)s? ago\b", re.IGNORECASE, _period),
        (rf"{_CHINESE_COUNT}\s*个?(?P<unit>{'|'.join(_UNITS)})(?:之?前|以前)", 0, _period),
        (r"\b(?P<step>last|previous|past|this|next) (?P<unit>weekend|week|month|year)\b", re.IGNORECASE, _period),
        (rf"\b(?P<step>last|past|this|next) (?P<weekday>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE, _weekday),
        (r"(?P<step>[上这本下])个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])", 0, _chinese_weekday),
        (r"(?P<step>[上这本下])个?(?P<unit>周末|周|星期|礼拜|月)", 0, _period),
        (_CHINESE_STEP, 0, _period),
        (rf"\b(?:{'|'.join(d for d in _DAYS if d.isascii())})\b", re.IGNORECASE, _relative_day),
        (rf"{'|'.join(d for d in _DAYS if not d.isascii())}", 0, _relative_day),
    )
)
