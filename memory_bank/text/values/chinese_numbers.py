"""Read numbers written in Chinese characters: 六百二十, 一万二千, 二点三亿."""

from __future__ import annotations

import re

from memory_bank.text.values.dates import CHINESE_DIGITS
from memory_bank.text.values.units import UNITS

_POWERS_OF_TEN = {"十": 10, "百": 100, "千": 1_000}
_SCALES = {"万": 10_000, "亿": 100_000_000}
_CHARACTERS = "".join([*CHINESE_DIGITS, *_POWERS_OF_TEN, *_SCALES])
_COUNTERS = "座层个人名位件条辆架所家间艘次孔岁"
_UNITS = "|".join(sorted((unit for unit in UNITS if unit > "\u3400"), key=len, reverse=True))

NUMERAL = re.compile(
    rf"(?<![第{_CHARACTERS}\d点])(?P<whole>[{_CHARACTERS}]+)(?:点(?P<part>[{''.join(CHINESE_DIGITS)}]+)(?P<scale>[万亿]?))?"
)
"""Matches what may be a number; `read_number` decides."""
_COUNTED_WORD = re.compile(rf"[余多]?(?:{_UNITS}|[{_COUNTERS}])")


def read_number(match: re.Match[str]) -> tuple[float, float] | None:
    """The value of a `NUMERAL` and the size of one unit of its last digit; None if it is not a number.

    A single character is a number only before the word it counts ("三公里", "十座"); 一 never, it is often an article.
    """
    whole = chinese_value(match["whole"])
    if whole is None:
        return None
    if match["part"]:
        part = "".join(str(CHINESE_DIGITS[character]) for character in match["part"])
        scale = _SCALES.get(match["scale"], 1)
        return float(f"{whole}.{part}") * scale, 10.0 ** -len(part) * scale
    if len(match["whole"]) == 1 and (whole == 1 or not _COUNTED_WORD.match(match.string, match.end())):
        return None
    return float(whole), 1.0


def chinese_value(numeral: str) -> int | None:
    """The value of a whole number; None if the characters form none, as in a year, 三四百 or 三百五."""
    total = section = 0
    digit: int | None = None
    for character in numeral:
        if character in CHINESE_DIGITS:
            if digit:
                return None
            digit = CHINESE_DIGITS[character]
        elif character in _POWERS_OF_TEN:
            if not digit and (character != "十" or section):
                return None
            section += (digit or 1) * _POWERS_OF_TEN[character]
            digit = None
        else:
            section += digit or 0
            if not section:
                return None
            total, section, digit = total + section * _SCALES[character], 0, None
    if digit and numeral[-2:-1] not in ("", "十", "零", "〇"):
        return None
    return total + section + (digit or 0)
