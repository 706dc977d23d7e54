"""Whether what is said of two times can both hold: "in 2010" and "in 2020", "in January" and "in July"."""

from __future__ import annotations

from collections.abc import Sequence

from memory_bank.values.dates import Precision, year_of
from memory_bank.values.values import Agreement, Value, agreement

_SEASONS = frozenset({Precision.MONTH, Precision.MONTH_DAY})


def periods_apart(left: Sequence[Value], right: Sequence[Value]) -> bool:
    """Whether every date of one side lies apart from every date of the other; false where a side has none."""
    return bool(left and right) and all(_apart(a, b) for a in left for b in right)


def _apart(a: Value, b: Value) -> bool:
    if {a.precision, b.precision} <= _SEASONS:
        return agreement(a, b) is Agreement.DIFFERENT
    if Precision.MONTH_DAY in (a.precision, b.precision):
        return False
    first, second = ((year_of(int(v.low)), year_of(int(v.high))) for v in (a, b))
    return first[1] < second[0] or second[1] < first[0]
