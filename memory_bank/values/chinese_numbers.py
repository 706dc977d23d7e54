"""Numbers written in Chinese signs: 六百二十, 一万二千, 二点三亿."""

from __future__ import annotations

import re

from memory_bank.values.dates import CHINESE_DIGITS
from memory_bank.values.units import UNITS

_WITHIN = {"十": 10, "百": 100, "千": 1_000}
_SCALES = {"万": 10_000, "亿": 100_000_000}
_SIGNS = "".join([*CHINESE_DIGITS, *_WITHIN, *_SCALES])
_COUNTERS = "座层个人名位件条辆架所家间艘次孔岁"
_UNITS = "|".join(sorted((unit for unit in UNITS if unit > "\u3400"), key=len, reverse=True))

NUMERAL = re.compile(
    rf"(?<![第{_SIGNS}\d点])(?P<whole>[{_SIGNS}]+)(?:点(?P<part>[{''.join(CHINESE_DIGITS)}]+)(?P<scale>[万亿]?))?"
)
"""What may be a number; `read` decides."""
_COUNTING = re.compile(rf"[余多]?(?:{_UNITS}|[{_COUNTERS}])")


def read(match: re.Match[str]) -> tuple[float, float] | None:
    """The value of a `NUMERAL` and one unit of its last sign; None where it is none, or only part of a word.

    A lone sign is a number before what it counts ("三公里", "十座"), but 一 is an article as often.
    """
    whole = chinese_value(match["whole"])
    if whole is None:
        return None
    if match["part"]:
        part = "".join(str(CHINESE_DIGITS[sign]) for sign in match["part"])
        scale = _SCALES.get(match["scale"], 1)
        return float(f"{whole}.{part}") * scale, 10.0 ** -len(part) * scale
    if len(match["whole"]) == 1 and (whole == 1 or not _COUNTING.match(match.string, match.end())):
        return None
    return float(whole), 1.0


def chinese_value(signs: str) -> int | None:
    """The value of a whole number; None for signs that make none, such as a year's, 三四百 or 三百五."""
    total = section = 0
    digit: int | None = None
    before = ""
    for sign in signs:
        if sign in CHINESE_DIGITS:
            if digit:
                return None
            digit = CHINESE_DIGITS[sign]
        elif sign in _WITHIN:
            if not digit and (sign != "十" or section):
                return None
            section += (digit or 1) * _WITHIN[sign]
            digit = None
        else:
            section += digit or 0
            if not section:
                return None
            total, section, digit = total + section * _SCALES[sign], 0, None
        before = signs[-2:-1]
    if digit and before not in ("", "十", "零", "〇"):
        return None
    return total + section + (digit or 0)
