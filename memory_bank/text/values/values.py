"""Extract typed values from a text and decide whether two of them agree.

A value is a number, a quantity with its unit, a date, an ordinal or a proper name, with its span. Agreement has three
outcomes, because many pairs cannot be decided: "about 300" and 291, or figures in different units.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from memory_bank.text.span import overlaps_any
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.clock import OF_DAY, OF_TWELVE
from memory_bank.text.values.dates import PLAIN_LETTERS, FoundValue, Precision, find_dates, month_day_of, year_of
from memory_bank.text.values.names import find_names, quoted_titles, same_name
from memory_bank.text.values.quantities import find_numbers
from memory_bank.text.values.units import POUND, POUND_AS


class ValueKind(StrEnum):
    """The kind of a value. Only values of one kind compare, except that a number may be a year."""

    NUMBER = "number"
    QUANTITY = "quantity"
    ORDINAL = "ordinal"
    DATE = "date"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class TextValue:
    """A typed value of a text.

    `text` is exactly the source text from `start` to `end`. `low`..`high` is its interval: in base units of `unit` for
    a quantity, on the date scale of `dates.slot` for a date; `loose_low`..`loose_high` is wider, for a rounded figure.
    A name has no interval. `initial` marks a name that begins its sentence, where any word has a capital letter.
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


def _value(text: str, found: FoundValue) -> TextValue:
    counted = ValueKind.ORDINAL if found.ordinal else ValueKind.QUANTITY if found.unit else ValueKind.NUMBER
    kind = ValueKind.DATE if found.precision else counted
    span = text[found.start : found.end]
    return TextValue(kind, span, *found[:7], precision=found.precision, approximate=found.approximate)


# Full-width letters, digits and the other characters of figures and units; not the comma, which separates clauses.
_HALF_WIDTH = PLAIN_LETTERS | {
    0xFF01 + offset: chr(0x21 + offset) for offset in range(94) if chr(0x21 + offset).isalnum()
}
_HALF_WIDTH |= {ord(wide): narrow for wide, narrow in zip("．％－／～", ".%-/~", strict=True)}


def extract_values(text: str) -> tuple[TextValue, ...]:
    """Every typed value of `text` in order of appearance; no two overlap.

    It does not decide what a value is about.
    """
    half_width = text if text.isascii() else text.translate(_HALF_WIDTH)
    values = [_value(text, date) for date in find_dates(half_width)]
    taken = [(v.start, v.end) for v in values]
    values += [_value(text, number) for number in find_numbers(half_width, taken)]
    taken = [(v.start, v.end) for v in values]
    for start, end in quoted_titles(text):
        if not overlaps_any(start, end, taken):
            values.append(TextValue(ValueKind.NAME, text[start:end], start, end))
            taken.append((start, end))
    values += [
        TextValue(ValueKind.NAME, text[name.start : name.end], name.start, name.end, initial=name.initial)
        for name in find_names(text, taken)
    ]
    return tuple(sorted(values, key=lambda v: v.start))


def _overlap(a_low: float, a_high: float, b_low: float, b_high: float) -> bool:
    # `isclose`, because unit conversion changes the last digits of a float. Intervals that only touch do not overlap:
    # 12 km and 13 km are different although their intervals meet.
    if (a_low < a_high and b_low < b_high) and (math.isclose(a_low, b_high) or math.isclose(b_low, a_high)):
        return False
    return (a_low <= b_high or math.isclose(a_low, b_high)) and (b_low <= a_high or math.isclose(b_low, a_high))


_HALF_DAY = 12 * 60  # minutes: "9:15" may be in either half of the day


def _in_one_unit(a: TextValue, b: TextValue) -> tuple[TextValue, TextValue]:
    """Two values, one in pounds in the other's unit where that is money or a weight."""
    for one, other in ((a, b), (b, a)):
        (name, rate), (wanted, other_rate) = (value.unit.partition(" ")[::2] for value in (one, other))
        if name == POUND and rate == other_rate and (factor := POUND_AS.get(wanted)):
            bounds = (one.low, one.high, one.loose_low, one.loose_high)
            low, high, loose_low, loose_high = (bound * factor for bound in bounds)
            changed = replace(one, unit=other.unit, low=low, high=high, loose_low=loose_low, loose_high=loose_high)
            return (changed, other) if one is a else (other, changed)
    return a, b


def _same_number(a: TextValue, b: TextValue) -> bool | None:
    a, b = _in_one_unit(a, b)
    if a.unit != b.unit:
        are_times = {a.unit, b.unit} == {OF_DAY, OF_TWELVE} and not (a.approximate or b.approximate)
        are_exact = are_times and all(v.loose_low == v.loose_high for v in (a, b))
        return False if are_exact and (a.low - b.low) % _HALF_DAY else None
    if _overlap(a.low, a.high, b.low, b.high) or (a.unit and _rounded(a, b)):
        return True
    if not a.unit and (a.loose_high == b.loose_low or b.loose_high == a.loose_low):
        return False  # "five arches", "six arches": no number rounds to both
    return None if _overlap(a.loose_low, a.loose_high, b.loose_low, b.loose_high) else False


def _rounded(a: TextValue, b: TextValue) -> bool:
    """Whether the less exact of two quantities is the other one after conversion or rounding."""
    finer, coarser = sorted((a, b), key=lambda value: value.high - value.low)
    if finer.high - finer.low == coarser.high - coarser.low:
        return False
    return coarser.low * 0.995 <= (finer.low + finer.high) / 2 <= coarser.high * 1.005


def _same_date(a: TextValue, b: TextValue) -> bool | None:
    if Precision.MONTH_DAY in (a.precision, b.precision):
        if {a.precision, b.precision} - {Precision.MONTH_DAY, Precision.DAY, Precision.MONTH}:
            return None
        spans = [(month_day_of(int(v.low)), month_day_of(int(v.high))) for v in (a, b)]
        return _overlap(*spans[0], *spans[1])
    both_ranges = a.precision == b.precision == Precision.RANGE
    a_in_b = b.low <= a.low and a.high <= b.high
    b_in_a = a.low <= b.low and b.high <= a.high
    if a_in_b or b_in_a:
        return None if both_ranges and not (a_in_b and b_in_a) else True
    if _overlap(a.low, a.high, b.low, b.high):
        return False if both_ranges else None
    return None if _overlap(a.loose_low, a.loose_high, b.loose_low, b.loose_high) else False


def same(a: TextValue, b: TextValue) -> bool | None:
    """Whether two values agree, allowing for rounding and precision; None if they are not comparable."""
    kinds = {a.kind, b.kind}
    if kinds == {ValueKind.NAME}:
        return same_name(a.text, b.text)
    if kinds == {ValueKind.DATE}:
        return _same_date(a, b)
    if len(kinds) == 1:
        return _same_number(a, b)
    if kinds == {ValueKind.DATE, ValueKind.NUMBER}:
        date, number = (a, b) if a.kind is ValueKind.DATE else (b, a)
        return (date.precision is Precision.YEAR and year_of(int(date.low)) == number.low) or None
    return None


def is_among(value: TextValue, others: Iterable[TextValue]) -> bool:
    """Whether one of some values agrees with a value."""
    return any(same(value, other) for other in others)


COMPARED = 24
"""At most this many figures of a text are compared: a table row may have hundreds."""
ALIKE = 0.5
"""The share of the shorter text's words that two texts must have in common to differ only in a figure."""


def with_matching_notation(first: str, second: str) -> str:
    """The second text with each figure and date written as in the first text, if the value is the same.

    "1.24 km" becomes "1,240 m" if the first text has that, so that a reader sees at once that they are equal.
    """
    return _rewritten(first, second, marked=False)


def with_differences_marked(first: str, second: str) -> str:
    """The second text as `with_matching_notation` gives it, with each differing figure marked as in "9 km (not 7 km)".

    The figure in brackets is the nearest one of the first text that the second text does not have too.
    """
    return _rewritten(first, second, marked=True)


def _rewritten(first: str, second: str, *, marked: bool) -> str:
    first_values, second_values = figures(first)[:COMPARED], figures(second)[:COMPARED]
    only_first = [other for other in first_values if not is_among(other, second_values)] if marked else []
    for value in reversed(second_values):
        equal = next((other for other in first_values if _is_equal(other, value)), None)
        contrary = [other for other in only_first if is_another(other, value)]
        if equal is not None:
            second = f"{second[: value.start]}{equal.text}{second[value.end :]}"
        elif contrary and not is_among(value, first_values):
            nearest = min(contrary, key=lambda other: abs(other.low - value.low))
            second = f"{second[: value.end]} (not {nearest.text}){second[value.end :]}"
    return second


def differing_values(first: str, second: str) -> list[TextValue]:
    """The figures and dates of the first text that the second text does not have, but others of the same kind."""
    others = figures(second)
    return [
        value
        for value in figures(first)
        if any(is_another(value, other) for other in others) and not is_among(value, others)
    ]


def equal_in_values(first: str, second: str) -> bool:
    """Whether both texts have figures or dates, and each of them has an equal one in the other text."""
    sides = figures(first), figures(second)
    return all(sides) and all(is_among(value, others) for values, others in (sides, sides[::-1]) for value in values)


def values_agree(first: str, second: str) -> bool:
    """Whether two texts have an equal figure or date, and at least one of them none that differs from the other's.

    "Completed in 1970" agrees with "completed on 21 July 1970, opened in 1971".
    """
    shared = any(is_among(value, figures(second)) for value in figures(first))
    return shared and not (differing_values(first, second) and differing_values(second, first))


def differ_in_a_value(first: str, second: str) -> bool:
    """Whether two texts share many words and differ in a figure or date."""
    first_words, second_words = _words_of(first), _words_of(second)
    shorter = max(1, min(len(first_words), len(second_words)))
    return len(first_words & second_words) >= ALIKE * shorter and with_differences_marked(
        first, second
    ) != with_matching_notation(first, second)


@lru_cache(maxsize=8192)
def _words_of(text: str) -> frozenset[str]:
    """The index tokens of a text (cached: a statement is compared with many others)."""
    return frozenset(tokenize(text))


@lru_cache(maxsize=8192)
def figures(text: str) -> tuple[TextValue, ...]:
    """The values of a text except names (cached: a statement is in many pairs)."""
    return tuple(value for value in extract_values(text) if value.kind is not ValueKind.NAME)


def dates_in(text: str) -> list[TextValue]:
    """The dates of a text."""
    return [value for value in figures(text) if value.kind is ValueKind.DATE]


def _is_equal(a: TextValue, b: TextValue) -> bool:
    """Whether two values are the same and equally precise: a year is not equal to a day in it."""
    as_precise = {a.kind, b.kind} != {ValueKind.DATE} or (a.low, a.high) == (b.low, b.high)
    return as_precise and bool(same(a, b))


def is_another(a: TextValue, b: TextValue) -> bool:
    """Whether two values have the same kind and unit but differ: 12 km and 13 km, though both round to the same ten."""
    a, b = _in_one_unit(a, b)
    if a.kind is not b.kind or a.unit != b.unit:
        return False
    exact = a.kind is not ValueKind.DATE and not (a.approximate or b.approximate)
    return not same(a, b) if exact else same(a, b) is False


def differ_only_in_notation(first: str, second: str) -> bool:
    """Whether two texts differ only in how equal values are written: "1.24 km long" and "1,240 m long"."""
    return first != second and _flat(with_matching_notation(first, second)) == _flat(first)


def _flat(text: str) -> list[str]:
    return re.findall(r"[\w.,%]*\w%?", text.casefold())
