"""Find times of day in text: "14:35", "3 pm", "noon", "half past six in the evening", "下午3点半".

"3:10" alone may be at night or in the afternoon: it is a time on a twelve-hour clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

OF_TWELVE, OF_DAY = "clock-of-twelve", "clock"


class FoundTime(NamedTuple):
    """A time of day in a text: its span, and minutes since midnight or, with unit `OF_TWELVE`, midnight or noon."""

    start: int
    end: int
    minutes: int
    unit: str


_AM_OR_PM = re.compile(
    r"(?<![\d:.,])(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minute>[0-5]\d))?\s?(?P<half>[ap])(?:\.\s?m\.|m\b)", re.IGNORECASE
)
# Without "am" or "pm", the words before or after, or a place of its own, must show that it is a time: "at 3:16",
# "| 18:30 |", not "Luke 3:16".
_NO_AM_OR_PM = re.compile(
    r"(?:\b(?P<cue>at|from|to|until|till|by|before|after|between|around|about|and)\s"
    r"|(?P<apart>(?:^|[|(–—;])\s*(?=\d\d:)))?"
    r"(?<![\d:.,])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:]|\.\d)(?P<said>\s?(?:h|hrs|hours|o['’]clock)\b)?",
    re.IGNORECASE | re.MULTILINE,
)
_NOON_OR_MIDNIGHT = re.compile(r"\b(?P<word>[Nn]oon|[Mm]idday|[Mm]idnight)\b(?!\s[A-Z])")
_HOURS = {word: n for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)}
_SHIFTS = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_SPOKEN = re.compile(
    r"\b(?:(?:a\s)?(?P<shift>half|quarter|five|ten|twenty(?:[-\s]five)?)(?P<unit>\sminutes)?\s(?P<way>past|to)\s)?"
    rf"(?<![\d:.,£$€])(?P<hour>{'|'.join(_HOURS)}|1[0-2]|[1-9])(?:[:.](?P<minute>[0-5]\d))?\b(?![-:]|\.\d)"
    r"(?P<clock>\so['’]clock)?(?:\sin\sthe\s(?P<part>morning|afternoon|evening)|\sat\s(?P<night>night))?\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?P<part>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上)(?P<hour>\d{1,2})(?:[点时](?:(?P<minute>[0-5]?\d)分?|(?P<half>半))?|[:：](?P<minutes>[0-5]\d))"
)
_AFTER_NOON = frozenset({"下午", "傍晚", "晚上"})
_NIGHT = frozenset({"晚上", "凌晨"})
_NOON, _HOURS_OF_DAY = 12, 24
_SMALL_HOURS = 5
"""The first hour that is not "at night" before morning."""


def find_times(text: str) -> Iterator[FoundTime]:
    """Every time of day of `text`; one that matches several patterns is yielded several times, the longest first."""
    yield from filter(None, map(_spoken_time, _SPOKEN.finditer(text)))
    for match in _AM_OR_PM.finditer(text):
        hour = int(match["hour"]) % _NOON + (_NOON if match["half"].lower() == "p" else 0)
        yield FoundTime(*match.span(), _minutes(hour, match["minute"]), OF_DAY)
    for match in _NO_AM_OR_PM.finditer(text):
        if match["cue"] or match["said"] or match["apart"] is not None:
            hour = int(match["hour"])
            is_24_hour = match["hour"].startswith("0") or hour > _NOON
            minutes = _minutes(hour if is_24_hour else hour % _NOON, match["minute"])
            yield FoundTime(match.start("hour"), match.end("minute"), minutes, OF_DAY if is_24_hour else OF_TWELVE)
    for match in _NOON_OR_MIDNIGHT.finditer(text):
        hour = 0 if match["word"].lower() == "midnight" else _NOON
        yield FoundTime(*match.span("word"), _minutes(hour, None), OF_DAY)
    for match in _CHINESE.finditer(text):
        hour = _chinese_hour(match["part"], int(match["hour"]))
        minute = "30" if match["half"] else match["minute"] or match["minutes"]
        if hour < _HOURS_OF_DAY:
            yield FoundTime(*match.span(), _minutes(hour, minute), OF_DAY)


def _spoken_time(match: re.Match[str]) -> FoundTime | None:
    """A time in words, on the twelve-hour clock where no part of the day is named; None if it is another number."""
    shift, way, part = match["shift"], match["way"], "night" if match["night"] else match["part"]
    is_time = (way == "past" and not match["minute"]) or part or match["clock"]
    if not is_time and not (
        way == "to" and (shift.lower() == "quarter" or (match["unit"] and shift.lower() != "half"))
    ):
        return None
    hour = (_HOURS.get(match["hour"].lower()) or int(match["hour"])) % _NOON
    shifted = _SHIFTS["-".join(shift.lower().split())] if shift else 0
    minutes = _minutes(hour, match["minute"]) + (-shifted if way == "to" else shifted)
    if part in ("afternoon", "evening") or (part == "night" and hour >= _SMALL_HOURS):
        minutes += 60 * _NOON
    return FoundTime(*match.span(), minutes % (60 * (_HOURS_OF_DAY if part else _NOON)), OF_DAY if part else OF_TWELVE)


def _chinese_hour(part: str, hour: int) -> int:
    """The hour of the day: 中午1点 is 13, 晚上12点 and 凌晨12点 are 0."""
    if hour == _NOON and part in _NIGHT:
        return 0
    return hour + _NOON if hour < _NOON and (part in _AFTER_NOON or (part == "中午" and hour < _NOON // 2)) else hour


def _minutes(hour: int, minute: str | None) -> int:
    return 60 * hour + int(minute or 0)
