"""Add absolute dates to relative ones, so that a text can be read later: "yesterday (6 May 2023)"."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

from memory_bank.judgement.utterances.about_whom import is_past
from memory_bank.text.tokens import holds_chinese
from memory_bank.text.written_dates import Days, find_days

_YEAR = re.compile(r"(?:19|20)\d\d|[一二][〇零一二三四五六七八九]{3}年")
_NOW = re.compile(
    r"\b(?:just|now|currently|recently|lately|these days|nowadays|at the moment|so far|soon|about to|still)\b"
    r"|现在|目前|最近|刚刚|刚才|正在|即将|马上",
    re.IGNORECASE,
)
_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|月[^初底末]*[日号]", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")


def with_absolute_dates(text: str, said: date) -> str:
    """The text, said on the day `said`, with dates added after expressions such as "last week".

    A text with only "now" or the like gets the day on which it was said at its end. The year of "in May" is known only
    where the text is in the past tense.
    """
    chinese = holds_chinese(text)
    expressions = sorted(find_days(text, said), key=lambda expression: expression.start)
    past = any(is_past(word) for word in _WORD.findall(text.lower())) or "了" in text
    parts, end = [], 0
    for expression in expressions:
        words = text[expression.start : expression.end]
        possessive = text[expression.end : expression.end + 1] in ("'", "’")
        if not possessive and not _YEAR.search(words) and (past or not _MONTH.search(words)):
            only_year = not chinese and f"{expression.days.first:%B}" in words
            when = expression.days.first.year if only_year else _days_in_words(expression.days, chinese=chinese)
            parts += [text[end : expression.end], f"（{when}）" if chinese else f" ({when})"]
            end = expression.end
    parts.append(text[end:])
    if not expressions and _NOW.search(text):
        parts.append(f"（{day_in_words(said, chinese=True)}）" if chinese else f" (as of {day_in_words(said)})")
    return "".join(parts)


def day_in_words(day: date, *, chinese: bool = False) -> str:
    """A day written out: "6 May 2023"."""
    return f"{day.year}年{day.month}月{day.day}日" if chinese else f"{day.day} {day:%B} {day.year}"


def _days_in_words(days: Days, *, chinese: bool) -> str:
    first, last = days.first, days.last
    start, end = (day_in_words(day, chinese=chinese) for day in (first, last))
    if first == last:
        return start
    if first.day == 1 and last.day == monthrange(last.year, last.month)[1]:
        if (first.month, last.month, first.year) == (1, 12, last.year):
            return f"{first.year}年" if chinese else str(first.year)
        start, end = (f"{day.year}年{day.month}月" if chinese else f"{day:%B} {day.year}" for day in (first, last))
        if start == end:
            return end
        start = start if chinese or first.year != last.year else f"{first:%B}"
    elif not chinese and (kind := {6: "week", 1: "weekend"}.get((last - first).days)):
        return f"{kind} of {start}"
    return f"{start}至{end}" if chinese else f"{start} to {end}"
