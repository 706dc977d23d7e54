"""The date that a document gives of itself: that of its head, as letters, minutes, mails and reports have it."""

from __future__ import annotations

import re
from datetime import date
from itertools import islice

from memory_bank.values.dates import Precision, day_of, find_dates

HEAD_LINES, HEAD_CHARACTERS = 10, 120
_SENTENCE = re.compile(r"[.!?。！？][\"'”’»」』)）\]]*\s*$")


def document_date(text: str) -> date | None:
    """The first day or month among the lines at a document's head that are no sentences; None where it gives none.

    Of a month the first day. A year alone is as often what a document is about.
    """
    lines = (line.strip() for line in text.splitlines())
    for line in islice((line for line in lines if line), HEAD_LINES):
        if len(line) > HEAD_CHARACTERS or _SENTENCE.search(line):
            continue
        for found in sorted(find_dates(line), key=lambda one: one.start):
            if found.precision in (Precision.DAY, Precision.MONTH) and not found.approximate:
                return day_of(found.low)
    return None
