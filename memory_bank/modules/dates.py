"""Days that a text speaks of: dates, months, seasons, years, and words such as "last week", in English and Chinese.

What is not understood is left out. Seasons are the northern ones.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = tuple("January February March April May June July August September October November December".split())
_WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_NUMBERS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_NUMBERS |= {"a": 1, "an": 1, "a couple of": 2, "a few": 3}
_NUMBERS |= {sign: number for number, sign in enumerate("〇一二三四五六七八九十")} | {"零": 0, "两": 2, "几": 3}
_DAYS = {"yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_DAYS |= {"前天": -2, "昨天": -1, "昨晚": -1, "今天": 0, "今晚": 0, "明天": 1, "后天": 2}
_STEPS = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1}
_STEPS |= {"上": -1, "前": -2, "去": -1, "这": 0, "本": 0, "今": 0, "下": 1, "明": 1, "后": 2}
_UNITS = {"天": "day", "周": "week", "星期": "week", "礼拜": "week", "周末": "weekend", "月": "month", "年": "year"}
_WEEKDAY_SIGNS = "一二三四五六日"

_MONTH = rf"(?P<month>{'|'.join(f'{month}|{month[:3]}[.]?' for month in _MONTHS)}|Sept[.]?)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_SEASON = "|".join(season for season in _SEASONS if season.isascii())
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(word for word in _NUMBERS if word.isascii())})"

_SIGNS = "[一二三四五六七八九]"
_CHINESE_YEAR = r"(?P<year>(?:19|20)\d\d|[一二][〇零一二三四五六七八九]{3})\s*年"
_CHINESE_MONTH = rf"(?P<month>\d\d?|十[一二]?|{_SIGNS})\s*月份?"
_CHINESE_DAY = rf"(?P<day>\d\d?|[二三]?十{_SIGNS}?|{_SIGNS})\s*[日号]"
_CHINESE_SEASON = "(?P<season>[春夏秋冬])[天季]?"
_CHINESE_STEP = "(?P<step>[去今明]|(?<![以之年])[前后])(?P<unit>年)"  # not of "三年前", "以前年年"
_CHINESE_COUNT = rf"(?P<count>\d{{1,3}}|[二三四五六七八九]?十{_SIGNS}?|{_SIGNS}|[两几])"


_LETTERS = str.maketrans("\u017f\u0131\u0130\u212a", "siIK")
"""Letters that a pattern takes for these where case does not matter, and `lower` does not."""


@dataclass(frozen=True, slots=True)
class Days:
    """A stretch of days, both ends included."""

    first: date
    last: date

    def meets(self, other: Days) -> bool:
        """Whether they have a day in common."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True)
class FoundDays:
    """Days that a text names, and the characters that name them."""

    start: int
    end: int
    days: Days


def days_named(text: str, today: date) -> list[Days]:
    """The stretches of days that a text names; `today` is when it was said.

    A date without a year is the last one that had begun by `today`. What is part of a date, as the year in
    "May 2023", is not named by itself.
    """
    return [found.days for found in find_days(text, today)]


def find_days(text: str, today: date) -> list[FoundDays]:
    """The days that a text names with where it names them, as `days_named` tells them; no two overlap."""
    text = text.translate(_LETTERS)
    found: list[FoundDays] = []
    for pattern, meaning in _MEANINGS:
        for match in pattern.finditer(text):
            try:
                found.append(FoundDays(match.start(), match.end(), meaning(match, today)))
            except (ValueError, OverflowError, LookupError):  # there is no such day, as 31 February
                continue
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return found


def _date(match: re.Match[str], today: date) -> Days:
    def in_year(year: int) -> Days:
        day = date(year, _number_of_month(match["month"]), _number(match["day"]))
        return Days(day, day)

    return _in_its_year(match, today, in_year)


def _date_of_step(match: re.Match[str], today: date) -> Days:
    day = date(today.year + _STEPS[match["step"]], _number(match["month"]), _number(match["day"]))
    return Days(day, day)


def _month(match: re.Match[str], today: date) -> Days:
    return _in_its_year(match, today, lambda year: _months(year, _number_of_month(match["month"]), 1))


def _month_of_step(match: re.Match[str], today: date) -> Days:
    return _months(today.year + _STEPS[match["step"]], _number_of_month(match["month"]), 1)


def _season(match: re.Match[str], today: date) -> Days:
    step = _STEPS.get((match["step"] or "this").lower(), 0)
    started = _in_its_year(match, today, lambda year: _months(year, _SEASONS[match["season"].lower()], 3))
    if match["year"] or not (step > 0 or (step < 0 and started.last >= today)):
        return started
    return _months(started.first.year + step, started.first.month, 3)


def _chinese_season(match: re.Match[str], today: date) -> Days:
    """A season of the year named, or of so many years from today's: not as in "last summer" the last that is over."""
    of_year = _number(match["year"]) if match["year"] else today.year + _STEPS[match["step"]]
    return _months(of_year, _SEASONS[match["season"]], 3)


def _year(match: re.Match[str], today: date) -> Days:
    del today
    return _months(_number(match["year"]), 1, 12)


def _day(match: re.Match[str], today: date) -> Days:
    return _around(today, "day", _DAYS[match[0].lower()])


def _step(match: re.Match[str], today: date) -> Days:
    unit = match["unit"].lower()
    return _around(today, _UNITS.get(unit, unit), _STEPS[match["step"].lower()])


def _weekday(match: re.Match[str], today: date) -> Days:
    """The nearest such day before today, or with "next" after it."""
    ahead = (_WEEKDAYS.index(match["weekday"].lower()) - today.weekday()) % 7
    step = _STEPS[match["step"].lower()]
    return _around(today, "day", ahead if step == 0 else (ahead or 7) if step > 0 else ahead - 7)


def _chinese_weekday(match: re.Match[str], today: date) -> Days:
    """That day of the week that is so many weeks away, from Monday to Sunday."""
    monday = _around(today, "week", _STEPS[match["step"]]).first
    day = monday + timedelta(days=_WEEKDAY_SIGNS.index(match["weekday"].replace("天", "日")))
    return Days(day, day)


def _ago(match: re.Match[str], today: date) -> Days:
    unit = match["unit"].lower()
    return _around(today, _UNITS.get(unit, unit), -_number(match["count"]))


def _in_its_year(match: re.Match[str], today: date, in_year: Callable[[int], Days]) -> Days:
    """What a match means in the year it names, or else in the last year in which that had begun by today."""
    if match["year"]:
        return in_year(_number(match["year"]))
    this_year = in_year(today.year)
    return this_year if this_year.first <= today else in_year(today.year - 1)


def _around(today: date, unit: str, step: int) -> Days:
    """The day, week (from Monday), weekend, month or year that is `step` of its kind away from today's."""
    if unit == "year":
        return _months(today.year + step, 1, 12)
    if unit == "month":
        return _months(today.year, today.month + step, 1)
    if unit == "day":
        day = today + timedelta(days=step)
        return Days(day, day)
    monday = today + timedelta(days=7 * step - today.weekday())
    return Days(monday + timedelta(days=5 if unit == "weekend" else 0), monday + timedelta(days=6))


def _months(year: int, month: int, count: int) -> Days:
    """Whole months from the first of `month`, which may lie beyond the year."""
    first, last = (divmod(year * 12 + month - 1 + further, 12) for further in (0, count - 1))
    end = monthrange(last[0], last[1] + 1)[1]
    return Days(date(first[0], first[1] + 1, 1), date(last[0], last[1] + 1, end))


def _number_of_month(name: str) -> int:
    found = (number for number, month in enumerate(_MONTHS, 1) if month[:3].lower() == name[:3].lower())
    return next(found, None) or _number(name)


def _number(text: str) -> int:
    """A number in digits or words, in Chinese up to 99, or a year sign by sign."""
    if text.isdecimal():
        return int(text)
    if len(text) == len("二〇二一") and all(sign in _NUMBERS for sign in text):
        return int("".join(str(_NUMBERS[sign]) for sign in text))
    tens, ten, ones = text.partition("十")
    if ten:
        return 10 * _NUMBERS.get(tens, 1) + _NUMBERS.get(ones, 0)
    return _NUMBERS[text.lower()]


_Meaning = Callable[[re.Match[str], date], Days]
_MEANINGS: tuple[tuple[re.Pattern[str], _Meaning], ...] = tuple(
    (re.compile(pattern, flags), meaning)
    for pattern, flags, meaning in (
        (rf"{_YEAR}[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)(?!\d)", 0, _date),
        (rf"{_CHINESE_STEP}\s*{_CHINESE_MONTH}\s*{_CHINESE_DAY}", 0, _date_of_step),
        (rf"(?:{_CHINESE_YEAR}\s*)?{_CHINESE_MONTH}\s*{_CHINESE_DAY}", 0, _date),
        (rf"\b{_DAY}(?: of)? {_MONTH}\b(?:,? {_YEAR}\b)?", re.IGNORECASE, _date),
        (rf"\b{_MONTH} {_DAY}\b(?:,? {_YEAR}\b)?", re.IGNORECASE, _date),
        (rf"{_CHINESE_STEP}\s*{_CHINESE_MONTH}", 0, _month_of_step),
        (rf"{_CHINESE_YEAR}\s*{_CHINESE_MONTH}", 0, _month),
        (rf"(?P<year>)(?<![\d十]){_CHINESE_MONTH}(?!\d)", 0, _month),
        (rf"(?:{_CHINESE_YEAR}|{_CHINESE_STEP})的?\s*{_CHINESE_SEASON}", 0, _chinese_season),
        (rf"\b{_MONTH},?(?: of)? {_YEAR}\b", re.IGNORECASE, _month),
        # only after such a word, or "may" and "march" would be months
        (rf"\b(?:in|during|of|by|since|last|this) (?:early |late |mid-?)?{_MONTH}\b(?P<year>)", 0, _month),
        (rf"\b(?P<step>)(?:(?:in|during) (?:the )?)?(?P<season>{_SEASON}),? (?:of )?{_YEAR}\b", re.IGNORECASE, _season),
        (rf"\b(?:(?:in|during) )?(?P<step>last|this|next) (?P<season>{_SEASON})\b(?P<year>)", re.IGNORECASE, _season),
        (rf"(?<![\d.,]){_CHINESE_YEAR}", 0, _year),
        (rf"(?<![\d.,]){_YEAR}\b(?![.,]?\d)", 0, _year),
        (rf"\b{_COUNT} (?P<unit>day|week|month|year)s? ago\b", re.IGNORECASE, _ago),
        (rf"{_CHINESE_COUNT}\s*个?(?P<unit>{'|'.join(_UNITS)})(?:之?前|以前)", 0, _ago),
        (
            r"\b(?P<step>last|previous|past|this|next) (?P<unit>weekend|week|month|year)\b",
            re.IGNORECASE,
            _step,
        ),
        (rf"\b(?P<step>last|past|this|next) (?P<weekday>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE, _weekday),
        (r"(?P<step>[上这本下])个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])", 0, _chinese_weekday),
        (r"(?P<step>[上这本下])个?(?P<unit>周末|周|星期|礼拜|月)", 0, _step),
        (_CHINESE_STEP, 0, _step),
        (rf"\b(?:{'|'.join(d for d in _DAYS if d.isascii())})\b", re.IGNORECASE, _day),
        (rf"{'|'.join(d for d in _DAYS if not d.isascii())}", 0, _day),
    )
)
