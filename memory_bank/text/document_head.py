"""Find the head of a document, which stands before its first sentence, as in letters, minutes, mails and reports."""

from __future__ import annotations

import re
from itertools import islice, takewhile

HEAD_LINES, HEAD_CHARACTERS = 10, 120
FRONT_MATTER = re.compile(
    r"(---|\+\+\+)[ \t]*\n(?P<fields>[\w-]+[ \t]*[:=][^\n]*(?:\n(?:[\w-]+[ \t]*[:=]|[ \t#\]-])[^\n]*|\n(?=\n))*?)\n+"
    r"(?:\1|\.\.\.)[ \t]*(?:\n|$)"
)
"""The fields before a Markdown text, between two lines of "---" (YAML) or "+++" (TOML).

Every line is a field, goes on with one, or is a comment: prose between two rules is none.
"""
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’»」』)）\]]*\s*$")


def document_head(text: str) -> str:
    """The lines before the first sentence, on one line: title, author, addressee, date; empty if there are none."""
    lines = (line.strip() for line in text.splitlines())
    first = islice((line for line in lines if line), HEAD_LINES)
    return " · ".join(takewhile(lambda line: not is_prose(line), first))


def is_prose(line: str) -> bool:
    """Whether a line is a sentence, or too long for a line of a head."""
    return len(line) > HEAD_CHARACTERS or _SENTENCE_END.search(line) is not None
