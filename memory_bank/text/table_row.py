"""The rows of tables in a text: written with bars between the cells, or as "name: value; name: value"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from memory_bank.text.sentences import PARAGRAPH_BREAK
from memory_bank.text.span import Span

_BAR = re.compile(r"(?<!\\)\|")
_FIGURE = re.compile(r"\d+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FIRST_NAME = re.compile(r"\S[^\n]{0,199}?: ")


def cells_between_bars(row: str) -> list[Span]:
    """The cells of a row with the blanks around them, without what is blank outside the first and the last bar.

    A bar after a backslash is none between two cells.
    """
    bars = [-1, *(bar.start() for bar in _BAR.finditer(row)), len(row)]
    cells = [Span(before + 1, after) for before, after in pairwise(bars)]
    for outer in (0, -1):
        if len(cells) > 1 and not cells[outer].of(row).strip():
            del cells[outer]
    return cells


def names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of these rows of cells names the columns of those below, of which there must be two.

    It does where it has words, or successive years, over a column of figures.
    """
    heads, *others = rows
    years = [figure for cell in heads for figure in _FIGURE.findall(cell)]
    if not all(map(_YEAR.fullmatch, years)) or any(int(one) + 1 != int(next_) for one, next_ in pairwise(years)):
        return False
    if len(others) < 2 or len(years) == 1:
        return False
    columns = ([row[n] for row in others if n < len(row) and row[n]] for n, head in enumerate(heads) if head)
    figures = ([_FIGURE.findall(cell) for cell in column] for column in columns)
    return any(len(column) > 1 and all(each and not set(each) & set(years) for each in column) for column in figures)


def between_records(text: str, start: int) -> Iterator[Span]:
    """The text from `start` on, cut between rows that are a paragraph of "name: value; name: value" each.

    Such a row may begin with a small letter and end without a stop, so it would be read on in the next one.
    """
    for blank in PARAGRAPH_BREAK.finditer(text, start):
        line_end = text.find("\n", blank.end())
        above = text[text.rfind("\n", 0, blank.start()) + 1 : blank.start()]
        below = text[blank.end() : line_end if line_end >= 0 else len(text)]
        if _has_first_name_of(above, below) or _has_first_name_of(below, above):
            yield Span(start, blank.start())
            start = blank.end()
    yield Span(start, len(text))


def _has_first_name_of(other: str, row: str) -> bool:
    """Whether another row has a value of the same name as the first of a row."""
    name = _FIRST_NAME.match(row)
    return name is not None and f"; {name[0]}" in f"; {other}"


def without_column_names(row: str) -> str:
    """The values of a row "name: value; name: value"; any other text as it is."""
    fields = row.split("; ")
    named = [bool(_FIRST_NAME.match(field)) for field in fields]
    if not named[0] or sum(named) == 1 or "\n" in row or row.endswith(";"):
        return row
    return " ".join(_FIRST_NAME.sub("", field, count=1) for field in fields)
