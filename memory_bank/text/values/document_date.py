"""Find the head of a document, and the date that it states there, as letters, minutes, mails and reports do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import islice, takewhile

from memory_bank.text.values.dates import Precision, day_of, find_dates

HEAD_LINES, HEAD_CHARACTERS = 10, 120
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’»」』)）\]]*\s*$")


def document_date(text: str) -> date | None:
    """The first date in the first lines of a document, except those that are sentences; None if there is none.

    For a month it is the first day. A year alone does not count: it is as often the topic of the document.
    """
    for line in _first_lines(text):
        if _is_prose(line):
            continue
        for mention in sorted(find_dates(line), key=lambda mention: mention.start):
            if mention.precision in (Precision.DAY, Precision.MONTH) and not mention.approximate:
                return day_of(mention.low)
    return None


def document_head(text: str) -> str:
    """The lines before the first sentence, on one line: title, author, addressee, date; empty if there are none."""
    return " · ".join(takewhile(lambda line: not _is_prose(line), _first_lines(text)))


def _first_lines(text: str) -> Iterator[str]:
    lines = (line.strip() for line in text.splitlines())
    return islice((line for line in lines if line), HEAD_LINES)


def _is_prose(line: str) -> bool:
    return len(line) > HEAD_CHARACTERS or _SENTENCE_END.search(line) is not None
