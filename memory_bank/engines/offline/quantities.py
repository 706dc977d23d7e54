"""Numbers and quantities with units in running text (specification section 7).

A quantity is an interval in a base unit: the figure with half a unit of its last digit either way, so that
"8.8 km" and "8,849 m" overlap. Money is not converted between currencies. English and Chinese are read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_bank.engines.offline.dates import ORDINAL_WORDS


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A number in a text: span, interval in the base unit of `unit` ("" when it only counts), and how loose it is.

    `loose_low`..`loose_high` allows for a figure that may have been rounded ("5,000", "about 300").
    """

    start: int
    end: int
    low: float
    high: float
    loose_low: float
    loose_high: float
    unit: str
    ordinal: bool = False
    approximate: bool = False


# unit name -> (dimension, factor to the base unit)
_UNITS: dict[str, tuple[str, float]] = {}


def _add(dimension: str, factor: float, names: str) -> None:
    for name in names.split("|"):
        _UNITS[name] = (dimension, factor)


_add("length", 1000.0, "km|kilometre|kilometer|kilometres|kilometers|公里|千米")
_add("length", 1.0, "m|metre|meter|metres|meters|米")
_add("length", 0.01, "cm|centimetre|centimeter|centimetres|centimeters|厘米")
_add("length", 0.001, "mm|millimetre|millimeter|millimetres|millimeters|毫米")
_add("length", 1609.344, "mi|mile|miles|英里")
_add("length", 1852.0, "nmi|nautical mile|nautical miles")
_add("length", 0.9144, "yd|yard|yards")
_add("length", 0.3048, "ft|foot|feet|英尺")
_add("length", 0.0254, "in|inch|inches|英寸")
_add(
    "area",
    1e6,
    "km2|km 2|sq km|square kilometre|square kilometer|square kilometres|square kilometers|平方公里",
)
_add("area", 1.0, "m2|m 2|sq m|square metre|square meter|square metres|square meters|平方米")
_add("area", 2589988.11, "sq mi|square mile|square miles")
_add("area", 0.09290304, "sq ft|square foot|square feet")
_add("area", 4046.8564, "acre|acres")
_add("area", 10000.0, "ha|hectare|hectares|公顷")
_add("mass", 1.0, "kg|kilogram|kilograms|kilogramme|kilogrammes|kilo|kilos|公斤|千克")
_add("mass", 0.001, "g|gram|grams|gramme|grammes|克")
_add("mass", 1000.0, "t|tonne|tonnes|metric ton|metric tons|吨")
_add("mass", 907.18474, "short ton|short tons")
_add("mass", 0.45359237, "lb|lbs|pound|pounds|磅")
_add("mass", 0.028349523, "oz|ounce|ounces")
_add("volume", 1.0, "l|L|litre|liter|litres|liters|升")
_add("volume", 0.001, "ml|mL|millilitre|milliliter|millilitres|milliliters|毫升")
_add("volume", 1000.0, "m3|cubic metre|cubic meter|cubic metres|cubic meters|立方米")
_add("volume", 3.785411784, "gal|gallon|gallons|US gallons")
_add("speed", 1.0, "km/h|kmh|kph|kilometres per hour|kilometers per hour")
_add("speed", 1.609344, "mph|miles per hour")
_add("speed", 3.6, "m/s|metres per second|meters per second")
_add("speed", 1.852, "knots|knot|kn")
_add("power", 1.0, "W|watt|watts")
_add("power", 1e3, "kW|kilowatt|kilowatts|千瓦")
_add("power", 1e6, "MW|megawatt|megawatts|兆瓦")
_add("power", 1e9, "GW|gigawatt|gigawatts")
_add("power", 745.69987, "hp|horsepower|bhp")
_add("data", 1.0, "bytes|byte")
_add("data", 1e3, "kB|KB|kilobyte|kilobytes")
_add("data", 1e6, "MB|megabyte|megabytes")
_add("data", 1e9, "GB|gigabyte|gigabytes")
_add("data", 1e12, "TB|terabyte|terabytes")
_add("percent", 1.0, "%|％|percent|per cent|pct")
_add("duration", 1.0, "second|seconds|sec|secs|秒")
_add("duration", 60.0, "min|mins|minute|minutes|分钟")
_add("duration", 3600.0, "hr|hrs|hour|hours|小时")
_add("duration", 86400.0, "day|days|天")
_add("duration", 604800.0, "week|weeks|周")
_add("duration", 2629746.0, "month|months|个月")
_add("duration", 31556952.0, "year|years|yr|yrs|年")
_add("USD", 1.0, "dollars|dollar|US dollars|USD|美元")
_add("EUR", 1.0, "euro|euros|EUR|欧元")
_add("GBP", 1.0, "GBP|pounds sterling|英镑")
_add("CNY", 1.0, "yuan|CNY|RMB|元|人民币")
_add("JPY", 1.0, "yen|JPY|日元")
_add("density", 1.0, "per square kilometre|per square kilometer|/km2|/km 2|per km2")
_add("density", 1 / 2.58998811, "per square mile|/sq mi|/square mile|per sq mi")
_add("temperature", 1.0, "°C|° C|degrees Celsius|degrees centigrade|℃|摄氏度")
_add("fahrenheit", 1.0, "°F|° F|degrees Fahrenheit")

_CURRENCY = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY"}
_SCALE = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "dozen": 12.0,
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "亿": 1e8,
}
_ONES = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_WORD = "|".join([*_ONES, *_TENS])
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[   ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SCALE_WORD = r"(?:\s?(?P<scale>hundred|thousand|million|billion|trillion|dozen|百万|千|万|亿)(?![a-z]))?"
_NUMBER = re.compile(
    rf"(?P<currency>(?:US)?[$€£¥]\s?)?(?<![A-Za-z0-9_.])(?P<digits>{_DIGITS})(?P<ordinal>(?:st|nd|rd|th)\b)?"
    rf"(?P<half>\s?½|(?:\s?\+\s?|\s)1\s?[⁄/]\s?2)?{_SCALE_WORD}",
)
_WORDS = re.compile(
    rf"\b(?P<words>(?:a\s+(?=hundred|thousand|million|dozen))?(?:{_WORD}|hundred|thousand|million|billion|dozen)"
    rf"(?:(?:[\s-]|\sand\s|-and-)(?:{_WORD}|hundred|thousand|million|billion))*)"
    r"(?P<half>\sand\sa\shalf)?\b(?!-)",
    re.IGNORECASE,
)
_ORDINAL_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(ORDINAL_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)
_UNIT_NAMES = "|".join(re.escape(u) for u in sorted(_UNITS, key=len, reverse=True))
_UNIT = re.compile(rf"(?:\s?[-‐]\s?|\s*)(?P<unit>{_UNIT_NAMES})(?![A-Za-z²³\d])")
_RANGE = re.compile(rf"\s?[–—-]\s?(?P<digits>(?!0\d){_DIGITS})(?![\w.,]*\d|[-–])")
_PER_AREA = re.compile(
    r"\s*(?:people|persons|inhabitants|residents)?\s*"
    r"(?P<unit>(?:per\s+(?:square\s+(?:kilomet(?:re|er)|mile)|km2|sq mi))"
    r"|/\s?(?:km\s?2|sq mi|square mile))"
)
_PERCENT = re.compile(r"\s*(?P<unit>%|％|per ?cent\b)")
_INCHES = re.compile(rf"\s*(?P<digits>{_DIGITS})\s*(?:in|inch|inches|″)(?![a-z])")
_APPROXIMATE = re.compile(
    r"(?:\babout|\baround|\bapproximately|\bapprox\s?\.?|\broughly|\bnearly|\balmost|\bsome|\bestimated(?:\s+at)?|\bc\s?\."
    r"|\bcirca|\bover|\bmore\s+than|\bless\s+than|\bat\s+least|\bup\s+to|\bunder|~|≈|约|大约|近|超过)\s*(?:a\s+|an\s+)?$",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"(?:\bover|\bmore\s+than|\bat\s+least|\babove|\bexceed(?:s|ed|ing)|超过)\s*(?:an?\s+)?$", re.IGNORECASE
)
_AT_MOST = re.compile(
    r"(?:\bless\s+than|\bfewer\s+than|\bup\s+to|\bunder|\bat\s+most|\bbelow|不到)\s*(?:an?\s+)?$", re.IGNORECASE
)
_SUPERSCRIPT = str.maketrans({"²": "2", "³": "3"})


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number as written: its value and the size of one unit of its last digit."""

    start: int
    end: int
    value: float
    step: float
    rounded: float
    currency: str = ""
    ordinal: bool = False
    upper: float | None = None


def _range_figure(match: re.Match[str]) -> _Figure | None:
    """One figure from 7 to 12 of "7-12"; None where no larger number follows a dash."""
    other = _RANGE.match(match.string, match.end())
    if not other or match["ordinal"] or match["half"] or match["scale"]:
        return None
    low, high = (float(re.sub(r"[,   ]", "", m["digits"])) for m in (match, other))
    if not low < high or len(match["digits"]) > 9 or len(other["digits"]) > 9:
        return None
    currency = _CURRENCY.get((match["currency"] or "").strip(), "")
    return _Figure(match.start(), other.end(), low, 0.0, 0.0, currency, upper=high)


def _figure(match: re.Match[str]) -> _Figure | None:
    digits = re.sub(r"[,   ]", "", match["digits"])
    if len(digits) > 15:
        return None
    value = float(digits)
    decimals = len(digits.partition(".")[2])
    step = 10.0**-decimals
    stripped = digits.rstrip("0") if not decimals else digits
    rounded = 10.0 ** (len(digits) - len(stripped)) if stripped and not decimals else step
    if match["half"]:
        value, step, rounded = value + 0.5, 0.1, 0.1
    factor = _SCALE.get(match["scale"] or "", 1.0)
    return _Figure(
        match.start(),
        match.end(),
        value * factor,
        step * factor,
        rounded * factor,
        _CURRENCY.get((match["currency"] or "").strip(), ""),
        bool(match["ordinal"]),
    )


def _word_value(words: list[str]) -> float | None:
    total, current = 0.0, 0.0
    seen = False
    for word in words:
        if word in _ONES or word in _TENS:
            current += _ONES.get(word, 0) + _TENS.get(word, 0)
            seen = True
        elif word == "hundred":
            current = max(current, 1.0) * 100
            seen = True
        elif word in _SCALE:
            total += max(current, 1.0) * _SCALE[word]
            current = 0.0
            seen = True
    return total + current if seen else None


def _word_figure(match: re.Match[str]) -> _Figure | None:
    words = re.split(r"[\s-]+", match["words"].lower())
    value = _word_value(words)
    if value is None:
        return None
    # "one" alone is mostly a pronoun ("one of the oldest"), not a count.
    if words == ["one"] and not match["half"]:
        return None
    if match["half"]:
        return _Figure(match.start(), match.end(), value + 0.5, 0.1, 0.1)
    rounded = 1.0 if value < 20 else 10.0 ** (len(str(int(value))) - len(str(int(value)).rstrip("0")))
    return _Figure(match.start(), match.end(), value, 1.0, rounded)


def _unit_after(text: str, figure: _Figure) -> tuple[str, float, int]:
    """Dimension, factor and end of the unit that follows a figure; ("", 1, end of the figure) for none."""
    tail = text[figure.end : figure.end + 48].translate(_SUPERSCRIPT)
    for pattern in (_PERCENT, _PER_AREA, _UNIT):
        match = pattern.match(tail)
        if match:
            name = re.sub(r"\s+", " ", match["unit"])
            dimension, factor = _UNITS.get(name) or _UNITS[name.replace("/ ", "/").replace(" 2", "2")]
            if name == "in" and not re.match(r"\s*(?:[),.;]|$)", tail[match.end() :]):
                continue  # "5 in London": a preposition
            return dimension, factor, figure.end + match.end()
    return "", 1.0, figure.end


def _number(text: str, figure: _Figure) -> FoundNumber:
    dimension, factor, end = ("", 1.0, figure.end) if figure.ordinal else _unit_after(text, figure)
    if figure.currency:
        dimension, factor, end = figure.currency, 1.0, figure.end
    value, step, rounded = figure.value, figure.step, figure.rounded
    if dimension == "length" and factor == 0.3048 and (inches := _INCHES.match(text, end)):
        value, step, end = value + float(inches["digits"]) / 12, 1 / 12, inches.end()
        rounded = step
    if dimension == "fahrenheit":
        dimension, value, step, rounded = "temperature", (value - 32) / 1.8, step / 1.8, rounded / 1.8
    if figure.upper is not None:
        low, high = figure.value * factor, figure.upper * factor
        return FoundNumber(figure.start, end, low, high, low, high, dimension)
    before = text[max(0, figure.start - 22) : figure.start]
    approximate = bool(_APPROXIMATE.search(before))
    value, half = value * factor, step * factor / 2
    if not dimension:
        half = 0.0 if step == 1.0 else half
    slack = max(half, min(rounded * factor / 2, 0.1 * abs(value)))
    if approximate:
        slack = max(slack, 0.15 * abs(value))
    return FoundNumber(
        figure.start,
        end,
        value - half,
        value + half,
        -math.inf if _AT_MOST.search(before) else value - slack,
        math.inf if _AT_LEAST.search(before) else value + slack,
        dimension,
        figure.ordinal,
        approximate,
    )


def _figures(text: str) -> Iterator[_Figure]:
    for match in _NUMBER.finditer(text):
        figure = _range_figure(match) or _figure(match)
        if figure:
            yield figure
    for match in _WORDS.finditer(text):
        figure = _word_figure(match)
        if figure:
            yield figure


def find_numbers(text: str, taken: list[tuple[int, int]]) -> Iterator[FoundNumber]:
    """Every number and quantity of `text` outside the spans in `taken` (dates, mostly), none overlapping."""
    used = list(taken)
    for figure in _figures(text):
        if any(figure.start < e and s < figure.end for s, e in used):
            continue
        number = _number(text, figure)
        used.append((number.start, number.end))
        yield number
    for match in _ORDINAL_WORDS.finditer(text):
        start, end = match.span()
        if not any(start < e and s < end for s, e in used):
            value = float(ORDINAL_WORDS[match.group(0).lower()])
            yield FoundNumber(start, end, value, value, value, value, "", ordinal=True)
