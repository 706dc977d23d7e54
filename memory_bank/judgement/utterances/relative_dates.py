"""Add absolute dates to relative ones, so that a text can be read later: "yesterday (6 May 2023)"."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

from memory_bank.judgement.utterances.third_person import is_past
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
_WEEK = timedelta(days=6)
_WEEKEND = timedelta(days=1)


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
            parts += [text[end : expression.end], _in_brackets(words, expression.days, chinese=chinese)]
            end = expression.end
    parts.append(text[end:])
    if not expressions and _NOW.search(text):
        parts.append(f"（{day_in_words(said, chinese=True)}）" if chinese else f" (as of {day_in_words(said)})")
    return "".join(parts)


def day_in_words(day: date, *, chinese: bool = False) -> str:
    """A day written out: "6 May 2023"."""
    return f"{day.year}年{day.month}月{day.day}日" if chinese else f"{day.day} {day:%B} {day.year}"


def _in_brackets(words: str, days: Days, *, chinese: bool) -> str:
    if chinese:
        return f"（{_chinese(days)}）"
    names_month = f"{days.first:%B}" in words
    return f" ({days.first.year if names_month else _english(days)})"


def _english(days: Days) -> str:
    first, last = days.first, days.last
    if first == last:
        return day_in_words(first)
    if _whole_months(days):
        if (first.month, last.month, first.year) == (1, 12, last.year):
            return str(first.year)
        start = f"{first:%B}" if first.year == last.year else f"{first:%B} {first.year}"
        return f"{last:%B} {last.year}" if _same_month(days) else f"{start} to {last:%B} {last.year}"
    kind = {_WEEK: "week of ", _WEEKEND: "weekend of "}.get(last - first)
    return f"{kind}{day_in_words(first)}" if kind else f"{day_in_words(first)} to {day_in_words(last)}"


def _chinese(days: Days) -> str:
    first, last = days.first, days.last
    if first == last:
        return day_in_words(first, chinese=True)
    if _whole_months(days):
        if (first.month, last.month, first.year) == (1, 12, last.year):
            return f"{first.year}年"
        end = f"{last.year}年{last.month}月"
        return end if _same_month(days) else f"{first.year}年{first.month}月至{end}"
    return f"{day_in_words(first, chinese=True)}至{day_in_words(last, chinese=True)}"


def _whole_months(days: Days) -> bool:
    return days.first.day == 1 and days.last.day == monthrange(days.last.year, days.last.month)[1]


def _same_month(days: Days) -> bool:
    return (days.first.year, days.first.month) == (days.last.year, days.last.month)
