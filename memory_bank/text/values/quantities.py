"""Find numbers and quantities with units in text, in English and Chinese.

A quantity is an interval in a base unit: the figure plus or minus half a unit of its last digit, so that "8.8 km" and
"8,849 m" overlap. Money is not converted between currencies.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from memory_bank.text.span import overlaps_any
from memory_bank.text.tokens import THOUSANDS_SPACES
from memory_bank.text.values.clock import OF_DAY, find_times
from memory_bank.text.values.dates import CHINESE_DIGITS, ORDINAL_WORDS, FoundValue
from memory_bank.text.values.units import MONEY, UNITS

_CURRENCY = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY"}
_SCALE = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_SCALE |= {"千": 1e3, "万": 1e4, "百万": 1e6, "亿": 1e8}
_UNDER_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
ONES = {word: value for value, word in enumerate(_UNDER_TWENTY.split())}
TENS = {word: 10 * tens for tens, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
# After a currency sign: "$50k", "£3m", "€2bn".
_SHORT_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "tn": 1e12}
_SHORT_SCALE = re.compile(r"\s?(?P<scale>k|mn?|bn?|tn)(?![a-z])", re.IGNORECASE)
_WORD = "|".join([*ONES, *TENS])
_SPACES = f" {THOUSANDS_SPACES}"
"""What separates thousands where no comma does: also a plain space."""
DIGITS = rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?"
"""A figure, its thousands separated or not; `plain_digits` makes it a numeral for `float`."""
_SEPARATORS = str.maketrans("", "", f",{_SPACES}")
_SCALE_WORD = r"(?:\s?(?P<scale>hundred|thousand|million|billion|trillion|dozen|百万|千|万|亿)(?![a-z]))?"
_NUMBER = re.compile(
    rf"(?P<currency>(?:US)?[$€£¥]\s?)?(?<![A-Za-z0-9_.])(?P<digits>{DIGITS})(?P<ordinal>(?:st|nd|rd|th)\b)?"
    rf"(?P<half>\s?½|(?:\s?\+\s?|\s)1\s?[⁄/]\s?2)?{_SCALE_WORD}"
)
_WORDS = re.compile(
    rf"\b(?P<words>(?:(?:half\s+)?an?\s+(?=hundred|thousand|million|dozen))?(?:{_WORD}|hundred|thousand|million|billion|dozen)"
    rf"(?:(?:[\s-]|(?:(?<=hundred)|(?<=thousand)|(?<=million))[\s-]and[\s-])(?:{_WORD}|hundred|thousand|million|billion|dozen))*)"
    r"(?P<half>[\s-]and[\s-]a[\s-]half)?\b",
    re.IGNORECASE,
)
_ORDINAL_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(ORDINAL_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)
_UNIT_NAMES = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))
_UNIT = re.compile(rf"(?:\s?[-‐]\s?|\s*)(?P<unit>{_UNIT_NAMES})(?![A-Za-z²³\d])")
_RANGE_END = rf"(?P<digits>(?!0\d){DIGITS})(?![\w.,]*\d|[-–]|\s?(?:hundred|thousand|million|billion))"
_RANGE = re.compile(rf"\s?[–—-]\s?{_RANGE_END}")
_TO_NUMBER = re.compile(rf"\sto\s{_RANGE_END}")
_AND_NUMBER = re.compile(rf"\sand\s{_RANGE_END}")
_RATE = re.compile(
    r"\s*(?:(?:per|/)\s*(?P<per>[a-z]+)|an?\s(?P<a>head|hour|day|night|week|month|year|piece|person|ticket)\b|(?P<each>each)\b)"
)
_MINUS = re.compile(r"(?:(?<![\w)])[−–-]|\bminus\s)$", re.IGNORECASE)
_SCORE = re.compile(r"(?<![\w.,–-])(?P<first>\d{1,3})\s?[–-]\s?(?P<second>\d{1,3})(?![\w–-]|[.,]\d)")
_SCORED = re.compile(
    r"\b(?:won|wins?|lost|loses?|beat|beaten|defeat(?:ed|s)?|dr[ae]w|victory|scored?)\b", re.IGNORECASE
)
_FRACTION = re.compile(
    r"\b(?:(?:(?P<top>an?|one|two|three|four)[\s-](?P<part>third|quarter|fifth|tenth)s?)|half)\s+of\b(?!\s+an?\b)",
    re.IGNORECASE,
)
_PART_OF_UNIT = re.compile(
    rf"\b(?:(?:(?P<top>an?|one|two|three|four)[\s-](?P<part>third|quarter|fifth|tenth)s?\s+of|half)\s+an?\s+"
    rf"(?P<unit>{_UNIT_NAMES})|an?\s+(?P<unit_and>{_UNIT_NAMES})\s+and\s+a\s+half|a\s+(?P<fortnight>fortnight))(?![A-Za-z])",
    re.IGNORECASE,
)
_NUMERATORS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_DENOMINATORS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_PER_AREA = re.compile(
    r"\s*(?:people|persons|inhabitants|residents)?\s*"
    r"(?P<unit>(?:per\s+(?:square\s+(?:kilomet(?:re|er)|mile)|km2|sq mi))"
    r"|/\s?(?:km\s?2|sq mi|square mile))"
)
_PERCENT = re.compile(r"\s*(?P<unit>%|％|per ?cent\b)")
_INCHES = re.compile(rf"\s*(?P<digits>{DIGITS})\s*(?:in|inch|inches|″)(?![a-z])")
_APPROXIMATE = re.compile(
    r"(?:\babout|\baround|\bapproximately|\bapprox\s?\.?|\broughly|\bnearly|\balmost|\bsome|\bestimated(?:\s+at)?|\bc\s?\."
    r"|\bcirca|\bover|\bmore\s+than|\bless\s+than|\bat\s+least|\bup\s+to|\bunder|~|≈|约|大约|近|接近|超过)\s*(?:a\s+|an\s+|在)?$",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"(?:\bover|\bmore\s+than|\bno\s+(?:fewer|less)\s+than|\bat\s+least|\babove|\bexceed(?:s|ed|ing)|超过|至少|不少于)\s*(?:an?\s+)?$",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"(?:(?<!\bno\s)\b(?:less|fewer)\s+than|\bno\s+more\s+than|\bup\s+to|\bunder|\bat\s+most|\bbelow|不到|不足|至多|不超过)\s*(?:an?\s+)?$",
    re.IGNORECASE,
)
# "三万余件", "300多人" mean more than the figure; "300米左右" means about as many.
_AND_MORE = re.compile("[余多]")
_MORE_OR_LESS = re.compile("左右|上下")
_CHINESE_PERCENT = re.compile(r"百分之(?:(?P<digits>\d+(?:\.\d+)?)|(?P<signs>[零一二两三四五六七八九十百]+))")
_POWERS_OF_TEN = {"十": 10, "百": 100, "千": 1_000}
_CHINESE_SCALES = {"万": 10_000, "亿": 100_000_000}
_CHARACTERS = "".join([*CHINESE_DIGITS, *_POWERS_OF_TEN, *_CHINESE_SCALES])
_COUNTERS = "座层个人名位件条辆架所家间艘次孔岁"
_CHINESE_UNITS = "|".join(sorted((unit for unit in UNITS if unit > "\u3400"), key=len, reverse=True))

_CHINESE_NUMERAL = re.compile(
    rf"(?<![第{_CHARACTERS}\d点])(?P<whole>[{_CHARACTERS}]+)(?:点(?P<part>[{''.join(CHINESE_DIGITS)}]+)(?P<scale>[万亿]?))?"
)
"""Matches what may be a number; `_chinese_figure` decides."""
_COUNTED_WORD = re.compile(rf"[余多]?(?:{_CHINESE_UNITS}|[{_COUNTERS}])")
# Temperature scales: the number of their degrees per degree Celsius, and their figure for 0 °C.
_DEGREES = {"temperature": (1.0, 0.0), "fahrenheit": (1.8, 32.0), "kelvin": (1.0, 273.15)}
_WITHOUT_RATE = frozenset({*_DEGREES, "density", "speed"})
_ABOUT_MINUTES = 30
_DAY = 24 * 60.0
# Times with only one fixed bound: "after 9 am", "between 5 pm and 6 pm", "3 pm at the latest".
_NOT_EARLIER = re.compile(r"\b(?:after|between|not before|no earlier than)\s$", re.IGNORECASE)
_NOT_LATER = re.compile(
    r"\b(?:(?<!not )before|by|no later than|between\s[\w:.]+(?:\s?[ap]\.?m\.?)?\sand)\s$", re.IGNORECASE
)
_THEN_NOT_LATER = re.compile(r"\s*(?:at the latest|or earlier|之?前(?!后)|以前)", re.IGNORECASE)
_THEN_NOT_EARLIER = re.compile(r"\s*(?:at the earliest|or later|onwards?|之?后|以后|[到至])", re.IGNORECASE)
_THEN_ABOUT = re.compile(r"\s*(?:or so|左右|前后|许|一刻|三刻)")
_MORNING, _EVENING = 6 * 60, 18 * 60  # "before 1 am" may mean the evening, "after 10 pm" the night
_SUPERSCRIPT = str.maketrans({"²": "2", "³": "3"})


class _Figure(NamedTuple):
    """A number as written: its value, and `step`, the size of one unit of its last digit.

    `rounded` is the size of one unit of its last digit that is not 0. `upper` is the end of a range.
    """

    start: int
    end: int
    value: float
    step: float
    rounded: float
    currency: str = ""
    ordinal: bool = False
    upper: float | None = None


def plain_digits(digits: str) -> str:
    """`DIGITS` without what separates thousands."""
    return digits.translate(_SEPARATORS)


def _range_figure(match: re.Match[str]) -> _Figure | None:
    """One figure for a range such as "7-12"; None if no range begins here."""
    before = match.string[max(0, match.start() - 9) : match.start()].lower().rstrip()
    # "grew from 300 to 500" has two values, "300 to 500 people" is one range.
    pattern = _AND_NUMBER if before.endswith("between") else _RANGE if before.endswith("from") else _TO_NUMBER
    other = _RANGE.match(match.string, match.end()) or pattern.match(match.string, match.end())
    if not other or match["ordinal"] or match["half"] or match["scale"]:
        return None
    low, high = (float(plain_digits(m["digits"])) for m in (match, other))
    if not low < high or len(match["digits"]) > 9 or len(other["digits"]) > 9:
        return None
    currency = _CURRENCY.get((match["currency"] or "").strip(), "")
    return _Figure(match.start(), other.end(), low, 0.0, 0.0, currency, upper=high)


def _figure(match: re.Match[str]) -> _Figure | None:
    digits = plain_digits(match["digits"])
    if len(digits) > 15:
        return None
    value = float(digits)
    decimals = len(digits.partition(".")[2])
    step = 10.0**-decimals
    rounded = _last_place(value) if value and not decimals else step
    if match["half"]:
        value, step, rounded = value + 0.5, 0.1, 0.1
    factor, end = _SCALE.get(match["scale"] or "", 1.0), match.end()
    if match["currency"] and (short := _SHORT_SCALE.match(match.string, end)):
        factor, end = _SHORT_SCALES[short["scale"].lower()], short.end()
    currency, ordinal = _CURRENCY.get((match["currency"] or "").strip(), ""), bool(match["ordinal"])
    return _Figure(match.start(), end, value * factor, step * factor, rounded * factor, currency, ordinal)


def _word_figure(match: re.Match[str]) -> _Figure | None:
    words = re.split(r"[\s-]+", match["words"].lower())
    total = current = 0.0
    for word in words:
        if word in ONES or word in TENS:
            current += ONES.get(word, 0) + TENS.get(word, 0)
        elif word == "hundred":
            current = max(current, 1.0) * 100
        elif word in _SCALE:
            total, current = total + max(current, 1.0) * _SCALE[word], 0.0
    value = total + current
    if match["half"]:
        return _Figure(match.start(), match.end(), value + 0.5, 0.1, 0.1)
    if words == ["one"]:  # alone it is mostly a pronoun ("one of the oldest"), not a count
        return None
    if words[0] == "half":
        value /= 2
    return _Figure(match.start(), match.end(), value, 1.0, _last_place(value) if value >= 20 else 1.0)


def _chinese_figure(match: re.Match[str]) -> _Figure | None:
    """A number in Chinese characters: 六百二十, 一万二千, 二点三亿.

    A single character is a number only before the word it counts ("三公里", "十座"); 一 never, it is often an article.
    """
    whole = chinese_value(match["whole"])
    if whole is None:
        return None
    value, step = float(whole), 1.0
    if match["part"]:
        part = "".join(str(CHINESE_DIGITS[character]) for character in match["part"])
        scale = _CHINESE_SCALES.get(match["scale"], 1)
        value, step = float(f"{whole}.{part}") * scale, 10.0 ** -len(part) * scale
    elif len(match["whole"]) == 1 and (whole == 1 or not _COUNTED_WORD.match(match.string, match.end())):
        return None
    return _Figure(match.start(), match.end(), value, step, max(step, _last_place(value)) if value >= 20 else step)


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
            total, section, digit = total + section * _CHINESE_SCALES[character], 0, None
    if digit and numeral[-2:-1] not in ("", "十", "零", "〇"):
        return None
    return total + section + (digit or 0)


def _last_place(value: float) -> float:
    """The size of one unit of the last digit of a whole number that is not 0."""
    digits = str(int(value))
    return 10.0 ** (len(digits) - len(digits.rstrip("0")))


def _unit_after(text: str, figure: _Figure) -> tuple[str, float, int]:
    """Dimension, factor and end of the unit after a figure; ("", 1, end of the figure) if there is none."""
    tail = text[figure.end : figure.end + 48].translate(_SUPERSCRIPT)
    for pattern in (_PERCENT, _PER_AREA, _UNIT):
        match = pattern.match(tail)
        if match:
            name = re.sub(r"\s+", " ", match["unit"])
            dimension, factor = UNITS.get(name) or UNITS[name.replace("/ ", "/").replace(" 2", "2")]
            if name == "in" and not re.match(r"\s*(?:[),.;]|$)", tail[match.end() :]):
                continue  # "5 in London": a preposition
            return dimension, factor, figure.end + match.end()
    return "", 1.0, figure.end


def _number(text: str, figure: _Figure) -> FoundValue:
    and_more = _AND_MORE.match(text, figure.end)
    if and_more:
        figure = figure._replace(end=and_more.end())
    dimension, factor, end = ("", 1.0, figure.end) if figure.ordinal else _unit_after(text, figure)
    if figure.currency:
        dimension, factor, end = figure.currency, 1.0, figure.end
    if dimension and dimension not in _WITHOUT_RATE and (rate := _RATE.match(text, end)):
        dimension, end = f"{dimension} per {rate['per'] or rate['a'] or 'piece'}", rate.end()
    value, step, rounded = figure.value, figure.step, figure.rounded
    if dimension == "length" and factor == 0.3048 and (inches := _INCHES.match(text, end)):
        value, step, rounded, end = value + float(plain_digits(inches["digits"])) / 12, 1 / 12, 1 / 12, inches.end()
    start = figure.start
    if dimension in _DEGREES:
        if minus := _MINUS.search(text[:start]):
            value, start = -value, minus.start()
        scale, zero = _DEGREES[dimension]
        dimension, value, step, rounded = "temperature", (value - zero) / scale, step / scale, rounded / scale
    if figure.upper is not None:
        low, high = figure.value * factor, figure.upper * factor
        return FoundValue(figure.start, end, low, high, low, high, dimension)
    before = text[max(0, start - 22) : start]
    approximate = bool(and_more or _APPROXIMATE.search(before) or _MORE_OR_LESS.match(text, end))
    value, half = value * factor, step * factor / 2
    if step == 1.0 and (not dimension or dimension.partition(" ")[0] in MONEY):
        half = 0.0  # a count is exact, and a price without pence has none
    slack = max(half, min(rounded * factor / 2, 0.1 * abs(value)))
    if approximate:
        slack = max(slack, 0.15 * abs(value))
    return FoundValue(
        start,
        end,
        value - half,
        value + half,
        -math.inf if _AT_MOST.search(before) else value - slack,
        math.inf if and_more or _AT_LEAST.search(before) else value + slack,
        dimension,
        figure.ordinal,
        approximate,
    )


def _scores(text: str) -> Iterator[FoundValue]:
    """Results of games, regardless of the order of the sides: "won the final 3–1" is 3001."""
    for match in _SCORE.finditer(text):
        if _SCORED.search(text, max(0, match.start() - 80), match.end() + 20):
            low, high = sorted((int(match["first"]), int(match["second"])))
            result = float(1000 * high + low)
            yield FoundValue(match.start(), match.end(), result, result, result, result, "score")


def _fractions(text: str) -> Iterator[FoundValue]:
    """Shares in words, as percentages: "a quarter of the members", "百分之三十"."""
    for match in _FRACTION.finditer(text):
        share = 100 * _share(match)
        end = match.end() - len("of")
        end = match.start() + len(text[match.start() : end].rstrip())
        yield FoundValue(match.start(), end, share - 0.5, share + 0.5, share - 3, share + 3, "percent")
    for match in _CHINESE_PERCENT.finditer(text):
        value = float(match["digits"]) if match["digits"] else chinese_value(match["signs"])
        if value is not None:
            yield FoundValue(match.start(), match.end(), value - 0.5, value + 0.5, value - 0.5, value + 0.5, "percent")


def _parts_of_units(text: str) -> Iterator[FoundValue]:
    """Quantities of one unit and a part of it: "half an hour", "three quarters of a mile", "a year and a half"."""
    for match in _PART_OF_UNIT.finditer(text):
        name = match["unit"] or match["unit_and"] or match["fortnight"]
        dimension, factor = UNITS.get(name) or UNITS[name.lower()]
        share = _share(match) if match["unit"] else 1.0 if match["fortnight"] else 1.5
        slack = 0.5 / 14 if match["fortnight"] else 0.05  # half a day of it
        low, high = (share - slack) * factor, (share + slack) * factor
        yield FoundValue(match.start(), match.end(), low, high, low, high, dimension)


def _share(match: re.Match[str]) -> float:
    """The fraction that "a quarter" or "half" is."""
    return _NUMERATORS[match["top"].lower()] / _DENOMINATORS[match["part"].lower()] if match["top"] else 0.5


def _times(text: str) -> Iterator[FoundValue]:
    """Times of day; with "after 9 am" and the like, the loose interval is open on one side."""
    for time in find_times(text):
        before, after = text[max(0, time.start - 22) : time.start], text[time.end : time.end + 22]
        approximate = bool(_APPROXIMATE.search(before) or _THEN_ABOUT.match(after))
        slack = _ABOUT_MINUTES if approximate else 0
        minutes = float(time.minutes)
        earliest, latest = minutes - slack, minutes + slack
        not_later = _NOT_LATER.search(before) or _THEN_NOT_LATER.match(after)
        not_earlier = _NOT_EARLIER.search(before) or _THEN_NOT_EARLIER.match(after)
        if not_later or not_earlier:
            is_24_hour = time.unit == OF_DAY
            earliest = 0.0 if not_later or not (is_24_hour and minutes <= _EVENING) else minutes
            latest = _DAY if not_earlier or not (is_24_hour and minutes >= _MORNING) else minutes
        yield FoundValue(time.start, time.end, minutes, minutes, earliest, latest, time.unit, approximate=approximate)


def find_numbers(text: str, taken: list[tuple[int, int]]) -> Iterator[FoundValue]:
    """Every number and quantity of `text` outside the spans in `taken` (mostly dates), without overlap."""
    used = list(taken)
    for number in (*_scores(text), *_fractions(text), *_parts_of_units(text), *_times(text)):
        if not overlaps_any(number.start, number.end, used):
            used.append((number.start, number.end))
            yield number
    in_digits = (_range_figure(match) or _figure(match) for match in _NUMBER.finditer(text))
    in_words = map(_word_figure, _WORDS.finditer(text))
    in_chinese = map(_chinese_figure, _CHINESE_NUMERAL.finditer(text))
    for figure in (*in_digits, *in_words, *in_chinese):
        if figure is None or overlaps_any(figure.start, figure.end, used):
            continue
        number = _number(text, figure)
        used.append((number.start, number.end))
        yield number
    for match in _ORDINAL_WORDS.finditer(text):
        start, end = match.span()
        if not overlaps_any(start, end, used):
            value = float(ORDINAL_WORDS[match.group(0).lower()])
            yield FoundValue(start, end, value, value, value, value, "", ordinal=True)
