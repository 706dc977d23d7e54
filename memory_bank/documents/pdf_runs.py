"""Group the letters of a PDF page into runs: letters on one line without a wide gap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from math import inf

import pypdfium2
import pypdfium2.raw as pdfium

from memory_bank.documents.page_text import Run

_MAX_CHARACTERS = 200_000
"""Characters read of a page; nobody could read a page with more."""
_GAP = 1.2
"""A gap wider than so many times the line height separates two runs."""
_HYPHENS = (0x2, 0xFFFE)
"""Codes that PDFium gives for a hyphen at the end of a line."""
_LINE_ENDS = (0xA, 0xD)


def runs_of(layer: pypdfium2.PdfTextPage) -> Iterator[Run]:
    """Yield the runs of a page in drawing order, with single spaces."""
    for line in _lines(layer):
        yield from _split_at_gaps(line)


def _lines(layer: pypdfium2.PdfTextPage) -> Iterator[list[Run]]:
    """Yield lines of letters in logical order, split at PDFium's line ends and where a letter is not adjacent."""
    line: list[Run] = []
    for letter in _letters(layer):
        if line and (letter is None or _is_apart(line[-1], letter)):
            yield line
            line = []
        if letter is not None:
            line.append(letter)
    if line:
        yield line


def _letters(layer: pypdfium2.PdfTextPage) -> Iterator[Run | None]:
    """Yield each letter, and `None` for a line end. A space, which has no position, belongs to the letter before."""
    rectangle = pdfium.FS_RECTF()
    last: Run | None = None
    for index in range(min(layer.count_chars(), _MAX_CHARACTERS)):
        code = pdfium.FPDFText_GetUnicode(layer, index)
        letter = "-" if code in _HYPHENS else chr(code) if code <= 0x10FFFF else "\ufffd"
        if letter.isspace():
            last = last and last._replace(text=f"{last.text} ")
            if code not in _LINE_ENDS:
                continue
        if last is not None:
            yield last
            last = None
        if code in _LINE_ENDS:
            yield None
            continue
        pdfium.FPDFText_GetLooseCharBox(layer, index, rectangle)
        last = Run(letter, rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
    if last is not None:
        yield last


def _is_apart(last: Run, letter: Run) -> bool:
    """Whether a letter overlaps the one before neither in height nor, as in vertical writing, in width."""
    same_height = letter.top > last.bottom and last.top > letter.bottom
    return not same_height and (letter.left >= last.right or last.left >= letter.right)


def _split_at_gaps(line: list[Run]) -> Iterator[Run]:
    """Split a line at its wide gaps. Each run keeps the logical order, which may differ from left to right."""
    starts: list[float] = []
    right = inf
    for letter in sorted(line, key=lambda letter: letter.left):
        if letter.left - right > _GAP * (letter.top - letter.bottom):
            starts.append(letter.left)
        right = letter.right if right == inf else max(right, letter.right)
    parts: list[list[Run]] = [[] for _ in range(len(starts) + 1)]
    for letter in line:
        parts[bisect_right(starts, letter.left)].append(letter)
    for part in parts:
        yield Run(
            " ".join("".join(letter.text for letter in part).split()),
            min(letter.left for letter in part),
            min(letter.bottom for letter in part),
            max(letter.right for letter in part),
            max(letter.top for letter in part),
        )
