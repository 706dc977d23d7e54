"""Typed values in a text and whether two of them agree (specification section 7).

A value is a number, a quantity with its unit, a date, an ordinal or a proper name, with its span. Agreement has
three outcomes, because many pairs cannot be told apart: "about 300" and 291, a year and a day of that year, or
figures in different units of different things.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memory_bank.modules.tokens import tokenize
from memory_bank.values.clock import OF_DAY, OF_TWELVE
from memory_bank.values.dates import FoundDate, Precision, find_dates, month_day_of, year_of
from memory_bank.values.names import find_names, quoted_titles, same_name
from memory_bank.values.quantities import FoundNumber, find_numbers


class ValueKind(StrEnum):
    """What a value is; only values of one kind compare, but for a year that may be a count."""

    NUMBER = "number"
    QUANTITY = "quantity"
    ORDINAL = "ordinal"
    DATE = "date"
    NAME = "name"


class Agreement(StrEnum):
    """What comparing two values says."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Value:
    """A typed value of a text.

    `text` is exactly `source[start:end]`. `low`..`high` is its interval: base units of `unit` for a quantity,
    the date scale of `dates.slot` for a date; `loose_low`..`loose_high` allows for a rounded figure. A name has
    no interval. `initial` marks a name that opens its sentence, where the capital letter says little.
    """

    kind: ValueKind
    text: str
    start: int
    end: int
    low: float = 0.0
    high: float = 0.0
    loose_low: float = 0.0
    loose_high: float = 0.0
    unit: str = ""
    precision: Precision | None = None
    approximate: bool = False
    initial: bool = False


def _date_value(text: str, found: FoundDate) -> Value:
    slack = 5 * 372 if found.approximate else 0
    return Value(
        ValueKind.DATE,
        text[found.start : found.end],
        found.start,
        found.end,
        found.low,
        found.high,
        -math.inf if found.before else found.low - slack,
        math.inf if found.after else found.high + slack,
        precision=found.precision,
        approximate=found.approximate,
    )


def _number_value(text: str, found: FoundNumber) -> Value:
    kind = ValueKind.ORDINAL if found.ordinal else ValueKind.QUANTITY if found.unit else ValueKind.NUMBER
    return Value(
        kind,
        text[found.start : found.end],
        found.start,
        found.end,
        found.low,
        found.high,
        found.loose_low,
        found.loose_high,
        found.unit,
        approximate=found.approximate,
    )


# The full-width forms of what figures and their units are written with; the comma parts clauses.
_HALF_WIDTH = {0xFF01 + offset: chr(0x21 + offset) for offset in range(94) if chr(0x21 + offset).isalnum()}
_HALF_WIDTH |= {ord(wide): narrow for wide, narrow in zip("．％－／～", ".%-/~", strict=True)}


def extract_values(text: str) -> tuple[Value, ...]:
    """Every typed value of `text` in order of appearance; no two overlap.

    Does not decide what a value is about: that is the work of `claims` and `comparison`.
    """
    figures = text if text.isascii() else text.translate(_HALF_WIDTH)
    values = [_date_value(text, found) for found in find_dates(figures)]
    taken = [(v.start, v.end) for v in values]
    values += [_number_value(text, found) for found in find_numbers(figures, taken)]
    taken = [(v.start, v.end) for v in values]
    for start, end in quoted_titles(text):
        if not any(start < e and s < end for s, e in taken):
            values.append(Value(ValueKind.NAME, text[start:end], start, end))
            taken.append((start, end))
    values += [
        Value(ValueKind.NAME, text[f.start : f.end], f.start, f.end, initial=f.initial) for f in find_names(text, taken)
    ]
    return tuple(sorted(values, key=lambda v: v.start))


def _overlap(a_low: float, a_high: float, b_low: float, b_high: float) -> bool:
    # Unit conversion leaves the last digits of a float to chance. Intervals that only touch do not overlap: 12 km and
    # 13 km are the nearest neighbours that figures so exact can be.
    if (a_low < a_high and b_low < b_high) and (math.isclose(a_low, b_high) or math.isclose(b_low, a_high)):
        return False
    return (a_low <= b_high or math.isclose(a_low, b_high)) and (b_low <= a_high or math.isclose(b_low, a_high))


_HALF_DAY = 12 * 60  # minutes: "9:15" is in either half


def _compare_numbers(a: Value, b: Value) -> Agreement:
    if a.unit != b.unit:
        clocks = {a.unit, b.unit} == {OF_DAY, OF_TWELVE} and not (a.approximate or b.approximate)
        exact = clocks and all(v.loose_low == v.loose_high for v in (a, b))
        return Agreement.DIFFERENT if exact and (a.low - b.low) % _HALF_DAY else Agreement.UNKNOWN
    if _overlap(a.low, a.high, b.low, b.high):
        return Agreement.SAME
    if a.unit and _rounded(a, b):
        return Agreement.SAME
    if not a.unit and (a.loose_high == b.loose_low or b.loose_high == a.loose_low):
        return Agreement.DIFFERENT  # "five arches", "six arches": what rounds to the one does not round to the other
    if _overlap(a.loose_low, a.loose_high, b.loose_low, b.loose_high):
        return Agreement.UNKNOWN
    return Agreement.DIFFERENT


def _rounded(a: Value, b: Value) -> bool:
    """Whether the less exact of two quantities is the other one, converted or rounded."""
    finer, coarser = sorted((a, b), key=lambda value: value.high - value.low)
    if finer.high - finer.low == coarser.high - coarser.low:
        return False
    return coarser.low * 0.995 <= (finer.low + finer.high) / 2 <= coarser.high * 1.005


def _compare_dates(a: Value, b: Value) -> Agreement:
    if Precision.MONTH_DAY in (a.precision, b.precision):
        return _compare_month_days(a, b)
    a_in_b = b.low <= a.low and a.high <= b.high
    b_in_a = a.low <= b.low and b.high <= a.high
    if a_in_b or b_in_a:
        ranges = Precision.RANGE in (a.precision, b.precision)
        nested_ranges = a.precision == b.precision == Precision.RANGE and not (a_in_b and b_in_a)
        return Agreement.UNKNOWN if nested_ranges and ranges else Agreement.SAME
    if _overlap(a.low, a.high, b.low, b.high):
        both_years = Precision.RANGE == a.precision == b.precision
        return Agreement.DIFFERENT if both_years else Agreement.UNKNOWN
    if _overlap(a.loose_low, a.loose_high, b.loose_low, b.loose_high):
        return Agreement.UNKNOWN
    return Agreement.DIFFERENT


def _compare_month_days(a: Value, b: Value) -> Agreement:
    if {a.precision, b.precision} - {Precision.MONTH_DAY, Precision.DAY, Precision.MONTH}:
        return Agreement.UNKNOWN
    spans = [(month_day_of(int(v.low)), month_day_of(int(v.high))) for v in (a, b)]
    return Agreement.SAME if _overlap(*spans[0], *spans[1]) else Agreement.DIFFERENT


def _compare_year_and_number(a: Value, b: Value) -> Agreement:
    date, number = (a, b) if a.kind is ValueKind.DATE else (b, a)
    same = date.precision is Precision.YEAR and year_of(int(date.low)) == number.low and not number.unit
    return Agreement.SAME if same else Agreement.UNKNOWN


def agreement(a: Value, b: Value) -> Agreement:
    """Whether two values agree, rounding and precision understood; UNKNOWN when they are not comparable."""
    kinds = {a.kind, b.kind}
    if kinds == {ValueKind.NAME}:
        verdict = same_name(a.text, b.text)
        return Agreement.UNKNOWN if verdict is None else Agreement.SAME if verdict else Agreement.DIFFERENT
    if kinds == {ValueKind.DATE}:
        return _compare_dates(a, b)
    if len(kinds) == 1:
        return _compare_numbers(a, b)
    if kinds == {ValueKind.DATE, ValueKind.NUMBER}:
        return _compare_year_and_number(a, b)
    return Agreement.UNKNOWN


def same(a: Value, b: Value) -> bool | None:
    """True, False, or None when it cannot be told."""
    return {Agreement.SAME: True, Agreement.DIFFERENT: False}.get(agreement(a, b))


COMPARED = 24
"""Figures of a text that are compared with another's: a table's row may have hundreds."""
ALIKE = 0.5
"""Share of the shorter text's words from which two texts may differ in a figure alone."""


def written_as(first: str, second: str) -> str:
    """The second text with each figure and date written as the first writes the same value.

    "1.24 km" becomes "1,240 m" where the first says so: whoever reads both sees at a glance that they are equal.
    """
    theirs = figures(first)[:COMPARED]
    for value in reversed(figures(second)[:COMPARED] if theirs else ()):
        like = next((one for one in theirs if _is_equal(one, value)), None)
        if like is not None:
            second = f"{second[: value.start]}{like.text}{second[value.end :]}"
    return second


def compared_with(first: str, second: str) -> str:
    """The second text as `written_as` makes it, each figure that differs followed by the first's: "9 km (not 7 km)".

    Of several figures of the first text that could be meant, the nearest one is named; none that the second has too.
    """
    theirs, own = figures(first)[:COMPARED], figures(second)[:COMPARED]
    alone = [one for one in theirs if not any(agreement(one, value) is Agreement.SAME for value in own)]
    for value in reversed(own):
        like = next((one for one in theirs if _is_equal(one, value)), None)
        agrees = any(agreement(one, value) is Agreement.SAME for one in theirs)
        other = [] if agrees else [one for one in alone if _is_another(one, value)]
        if like is not None:
            second = f"{second[: value.start]}{like.text}{second[value.end :]}"
        elif other:
            nearest = min(other, key=lambda one: abs(one.low - value.low))
            second = f"{second[: value.end]} (not {nearest.text}){second[value.end :]}"
    return second


def differing(first: str, second: str) -> list[Value]:
    """The figures and dates of the first text for which the second has others of their kind, and not the same."""
    others = figures(second)
    return [
        one
        for one in figures(first)
        if any(_is_another(one, other) for other in others)
        and not any(agreement(one, other) is Agreement.SAME for other in others)
    ]


def differ_in_a_value(first: str, second: str) -> bool:
    """Whether two texts share most of their words, and differ in a figure or date."""
    words, others = _words_of(first), _words_of(second)
    alike = len(words & others) >= ALIKE * max(1, min(len(words), len(others)))
    return alike and compared_with(first, second) != written_as(first, second)


@lru_cache(maxsize=8192)
def _words_of(text: str) -> frozenset[str]:
    """The words of a text (cached: a statement is compared with many others)."""
    return frozenset(tokenize(text))


@lru_cache(maxsize=8192)
def figures(text: str) -> tuple[Value, ...]:
    """The values of a text without its names (cached: a statement is read in many pairs)."""
    return tuple(value for value in extract_values(text) if value.kind is not ValueKind.NAME)


def _is_equal(a: Value, b: Value) -> bool:
    """Whether two values are the same and equally exact: a year is not a day of it."""
    if ValueKind.DATE in (a.kind, b.kind) and (a.low, a.high) != (b.low, b.high):
        return False
    return agreement(a, b) is Agreement.SAME


def _is_another(a: Value, b: Value) -> bool:
    """Whether two values are of one kind and not the same: 12 km is not 13 km, though both round to the same ten."""
    if a.kind is not b.kind or a.unit != b.unit:
        return False
    found = agreement(a, b)
    exact = a.kind is not ValueKind.DATE and not (a.approximate or b.approximate)
    return found is Agreement.DIFFERENT or (exact and found is Agreement.UNKNOWN)


def written_otherwise(first: str, second: str) -> bool:
    """Whether two texts differ in nothing but how equal values are written: "1.24 km long" and "1,240 m long"."""
    return first != second and _flat(written_as(first, second)) == _flat(first)


def _flat(text: str) -> list[str]:
    return re.findall(r"[\w.,%]*\w%?", text.casefold())
