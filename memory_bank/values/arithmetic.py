"""Difference and sum of two figures of one unit, as an answer gives them and as whoever reads it again checks them."""

from __future__ import annotations

import re
from typing import NamedTuple

from memory_bank.values.values import ValueKind, figures

COMPUTED = "difference {difference}, sum {sum}"
_LABEL = re.compile(COMPUTED.format(difference=r"\S.*?", sum=r"\S.*?") + ": “", re.DOTALL)
_NUMERAL = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")


class Numeral(NamedTuple):
    """A figure: its number, and what is written before and after that, such as "£" and " km"."""

    before: str
    number: float
    after: str


def numerals(text: str) -> list[Numeral]:
    """The figures of a text that are no dates."""
    found = [value.text for value in figures(text) if value.kind in (ValueKind.QUANTITY, ValueKind.NUMBER)]
    matches = [(one, match) for one in found if (match := _NUMERAL.search(one))]
    return [Numeral(one[: m.start()], float(m[0].replace(",", "")), one[m.end() :]) for one, m in matches]


def difference_and_sum(one: Numeral, other: Numeral) -> str | None:
    """Both in words; None where the units differ."""
    if (one.before, one.after) != (other.before, other.after):
        return None
    apart, together = (
        f"{one.before}{result:,.12g}{one.after}"
        for result in (abs(one.number - other.number), one.number + other.number)
    )
    return COMPUTED.format(difference=apart, sum=together)


def comes_out(sentence: str, passages: list[str]) -> bool:
    """Whether what stands computed before the quotations of a sentence is that of two figures in its passages."""
    if not _LABEL.match(sentence):
        return True
    label = sentence.partition(": “")[0]
    return len(passages) == 2 and any(
        difference_and_sum(one, other) == label for one in numerals(passages[0]) for other in numerals(passages[1])
    )
