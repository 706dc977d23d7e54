"""Compute with the figures of several passages, and check what was computed in an answer.

The difference and sum of two figures with the same unit, the sum of more, the days between two dates, the number of
passages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from itertools import product
from typing import NamedTuple

from memory_bank.text.values.dates import Precision, day_of, year_of
from memory_bank.text.values.quantities import DIGITS, plain_digits
from memory_bank.text.values.values import ValueKind, figures
from memory_bank.text.wording import Wording

_LABEL = re.compile(
    r"(?:(?P<items>\d+) items)?(?:, )?(?:difference (?P<days>\d+) days|difference (?P<difference>\S.*?))?"
    r"(?:(?:, )?sum (?P<sum>\S.*?))?: “",
    re.DOTALL,
)
_TO_THE_DAY = frozenset({Precision.DAY, Precision.MONTH_DAY})
_ANY_YEARS = frozenset({2000, 2001})
"""A leap year and another."""
_NUMERAL = re.compile(DIGITS)


class Computation(StrEnum):
    """What a question asks to be computed of figures or moments that are given separately."""

    NONE = "none"
    DIFFERENCE = "difference"
    SUM = "sum"
    TIME = "time"


class Numeral(NamedTuple):
    """A figure: its number, and the text before and after it, such as "£" and " km"."""

    before: str
    number: float
    after: str

    @property
    def unit(self) -> tuple[str, str]:
        """What two figures must share to be computed with: 1 hour, 2 hours."""
        return self.before, self.after.removesuffix("s")


def numerals(text: str) -> list[Numeral]:
    """The figures of a text that are not dates."""
    texts = [value.text for value in figures(text) if value.kind in (ValueKind.QUANTITY, ValueKind.NUMBER)]
    matches = [match for figure in texts if (match := _NUMERAL.search(figure))]
    return [Numeral(m.string[: m.start()], float(plain_digits(m[0])), m.string[m.end() :]) for m in matches]


def days(text: str) -> list[date]:
    """The dates of a text that are given to the day."""
    values = (value for value in figures(text) if value.precision is Precision.DAY)
    return [day for value in values if (day := day_of(int(value.low))) is not None]


def result_of(computation: Computation, first: str, second: str) -> str | None:
    """What two passages come to, as text.

    None where the computation is none, or where it is not plain with which of their figures or dates it is meant.
    """
    if computation is Computation.TIME:
        between = _days_apart(first, second)
        return days_label(between.pop()) if len(between) == 1 else None
    pairs = {pair for pair in product(numerals(first), numerals(second)) if pair[0].unit == pair[1].unit}
    if computation is Computation.NONE or len(pairs) != 1:
        return None
    ((one, other),) = pairs
    if computation is Computation.SUM:
        return sum_label([one, other])
    return Wording("difference {difference}", difference=_difference(one, other))


def difference_and_sum(first: Numeral, second: Numeral) -> str | None:
    """The difference and sum as text; None if the units differ."""
    total = total_of([first, second])
    return total and Wording("difference {difference}, sum {sum}", difference=_difference(first, second), sum=total)


def _difference(first: Numeral, second: Numeral) -> str:
    return _written(first, abs(first.number - second.number))


def sum_label(parts: Sequence[Numeral]) -> str | None:
    """The sum, named as such; None if the units differ."""
    total = total_of(parts)
    return total and Wording("sum {sum}", sum=total)


def total_of(parts: Sequence[Numeral]) -> str | None:
    """The sum as text, with the unit of the last part; None if the units differ."""
    if len({part.unit for part in parts}) != 1:
        return None
    return _written(parts[-1], sum(part.number for part in parts))


def days_label(count: int) -> str:
    """The difference of two days as text."""
    return Wording("difference {days} days", days=count)


def _days_apart(first: str, second: str) -> set[int]:
    """How many days each date of one text is from each of another; a year that only one gives is the other's too.

    Where neither gives a year, a pair counts that is as far apart in any.
    """
    found = set()
    to_the_day = (
        [one for one in figures(text) if one.precision in _TO_THE_DAY and one.low == one.high]
        for text in (first, second)
    )
    for dates in product(*to_the_day):
        years = {year_of(int(one.low)) for one in dates if one.precision is Precision.DAY} or _ANY_YEARS
        placed = (
            [day_of(int(one.low), None if one.precision is Precision.DAY else year) for one in dates] for year in years
        )
        apart = {abs((one - other).days) for one, other in placed if one and other}
        found |= apart if len(apart) == 1 else set()
    return found


def is_computed_correctly(sentence: str, passages: list[str]) -> bool:
    """Whether a computed label before the quotations of a sentence is right for one figure of each passage."""
    label = _LABEL.match(sentence)
    if label is None or not any(label.groups()):
        return True
    if label["items"] and int(label["items"]) != len(passages):
        return False
    text = sentence.partition(": “")[0].removeprefix(f"{label['items']} items").removeprefix(", ")
    if label["days"]:
        return len(passages) == 2 and int(label["days"]) in _days_apart(*passages)
    if label["difference"]:
        figured = [numerals(passage) for passage in passages]
        pairs = list(product(*figured)) if len(figured) == 2 else []
        return any(text in (difference_and_sum(*pair), f"difference {_difference(*pair)}") for pair in pairs)
    return not text or any(f"sum {total}" == text for total in _totals(passages))


def _totals(passages: Sequence[str]) -> set[str]:
    """Every sum of one figure of each passage. Equal sums are kept once, so that many passages stay quick to check."""
    sums: set[Numeral] = set()
    for place, found in enumerate(numerals(passage) for passage in passages):
        sums = {
            Numeral(part.before, round(part.number + before.number, 9), part.after)
            for part in found
            for before in (sums if place else [Numeral(part.before, 0.0, part.after)])
            if part.unit == before.unit
        }
    return {_written(total, total.number) for total in sums}


def _written(like: Numeral, number: float) -> str:
    return f"{like.before}{number:,.12g}{like.after}"
