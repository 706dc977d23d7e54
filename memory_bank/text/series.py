"""Tell documents of one series by their names: minutes of two meetings, reports of two years."""

from __future__ import annotations

import re

from memory_bank.text.values.dates import MONTHS

_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_EXTENSION = re.compile(r"\.\w{1,5}$")


def of_one_series(first: str, second: str) -> bool:
    """Whether two names of documents have a year each and differ only in figures and English names of months.

    "2022-august-minutes.md" and "2022-july-minutes.md" do. "plan-v1.md" and "plan-v2.md", versions of one text, have no
    year.
    """
    (title, date), (other_title, other_date) = _title_and_date(first), _title_and_date(second)
    dated = all(any(_YEAR.fullmatch(part) for part in parts) for parts in (date, other_date))
    return dated and bool(title) and title == other_title and date != other_date


def _title_and_date(name: str) -> tuple[list[str], list[str]]:
    words = _WORD.findall(_EXTENSION.sub("", name).casefold())
    date = [word for word in words if word in MONTHS or word.isdecimal()]
    return [word for word in words if word not in date], date
