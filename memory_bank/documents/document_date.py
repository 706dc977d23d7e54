"""Find the date that a document states at its head, as letters, minutes, mails, reports and front matter do."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from itertools import islice, pairwise

from memory_bank.documents.chat_times import TIMESTAMP_PATTERN, Order, parse_day
from memory_bank.text.document_head import HEAD_LINES, is_prose
from memory_bank.text.values.dates import PLAIN_LETTERS, Precision, day_of, find_dates

_WORD = re.compile(r"[^\W\d_]+")
_TIMESTAMP = re.compile(TIMESTAMP_PATTERN, re.IGNORECASE)
_FULL_YEAR = re.compile(r"\d{4}")
_MOST_WORDS, _MOST_LABEL_WORDS = 2, 1
"""Words beside the date in a line that only states it ("Berlin, den", "Date: Tue"), and of these before a colon."""

_Mention = tuple[int, int, date]
"""A day that a line names: its start and end there, and the day."""


def document_date(text: str, language: str | None = None) -> date | None:
    """The date in the first lines of a document, except those that are sentences; None if there is none.

    A line that only states a date takes precedence over a title, which may name the date of its subject: "Report on the
    fire of 3 March 2024". For a month it is the first day. A year alone does not count: it is as often the subject.
    """
    lines = [line.strip() for line in text.splitlines()]
    head = islice(((line, below) for line, below in pairwise([*lines, ""]) if line), HEAD_LINES)
    titles = [line for line, below in head if not (is_prose(line) or below[:1].islower())]  # no sentence, nor its start
    found = [(line, min(mentions)) for line in titles if (mentions := _days_in(line, language))]
    stating = [mention for line, mention in found if _only_states(line, mention)]
    return next((day for _start, _end, day in [*stating, *(mention for _line, mention in found)]), None)


def _only_states(line: str, mention: _Mention) -> bool:
    start, end, _day = mention
    label, colon, _value = line[:start].replace("：", ":").partition(":")
    words = len(_WORD.findall(line[:start])) + len(_WORD.findall(line[end:]))
    return words <= _MOST_WORDS and (not colon or len(_WORD.findall(label)) <= _MOST_LABEL_WORDS)


def _days_in(line: str, language: str | None) -> list[_Mention]:
    """The days and months that a line names: in English, in Chinese, in the language given, and in figures."""
    days = [
        (found.start, found.end, day_of(int(found.low)))
        for found in find_dates(line)
        if found.precision in (Precision.DAY, Precision.MONTH) and not found.approximate
    ]
    days += [
        (*match.span("date"), _day_in_figures(match["date"], language))
        for match in _TIMESTAMP.finditer(line)
        if _FULL_YEAR.search(match["date"] or "")
    ]
    months, pattern = _month_names(language)
    for match in pattern.finditer(line):
        written = f"{match['year']}-{months[_folded(match['month'])]}-{match['day'] or 1}"
        days.append((*match.span(), parse_day(written)))
    return [(start, end, day) for start, end, day in days if day is not None]


def _day_in_figures(written: str, language: str | None) -> date | None:
    """The day of a date such as "3.5.2023"; None for "3/5/2023" in English, which may be May or March."""
    orders: tuple[Order, ...] = ("day first", "month first") if language in (None, "en") else ("day first",)
    days = {parse_day(written, order) for order in (("day first",) if "." in written else orders)} - {None}
    return days.pop() if len(days) == 1 else None


def _folded(name: str) -> str:
    return name.translate(PLAIN_LETTERS).casefold()


@cache
def _month_names(language: str | None) -> tuple[dict[str, int], re.Pattern[str]]:
    """The number of each month by its names in a language, and a pattern of a date with one of them."""
    from babel import UnknownLocaleError  # noqa: PLC0415 - slow to import, and many documents need none
    from babel.dates import get_month_names  # noqa: PLC0415

    try:
        forms = [
            get_month_names(width, context, language or "en")
            for width in ("wide", "abbreviated")
            for context in ("format", "stand-alone")
        ]
    except (UnknownLocaleError, ValueError):
        return _month_names("en")
    names = {_folded(name.rstrip(".")): number for form in forms for number, name in form.items()}
    months = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name.isalpha())
    between = r"\W{0,2}(?:[^\W\d_]{2}\W{1,2})?"  # "3. Mai", "1er mai", "3 de mayo de"
    day = rf"(?:(?<!\d)(?P<day>\d{{1,2}}){between})?"
    return names, re.compile(rf"{day}\b(?P<month>{months})\b\.?{between}(?P<year>\d{{4}})\b", re.IGNORECASE)
