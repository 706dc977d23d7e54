"""The letters of a PDF page as runs: what stands on one line without a wide gap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from math import inf
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from memory_bank.modules.documents.page_text import Run

_MOST_CHARACTERS = 200_000
"""Characters of a page; a page that holds more nobody could read."""
_WIDE = 1.2
"""A gap so many times as wide as the line is high parts two runs."""
_HYPHENS = (0x2, 0xFFFE)
"""What PDFium puts where a word is parted at the end of a line."""
_LINE_ENDS = (0xA, 0xD)


class _Letter(NamedTuple):
    """A letter and its box; a space after it belongs to it, for PDFium gives none a place."""

    text: str
    left: float
    bottom: float
    right: float
    top: float


def runs_of(layer: pypdfium2.PdfTextPage) -> Iterator[Run]:
    """The runs of a page in the order in which they are drawn; white space in a run is one space."""
    for line in _lines(layer):
        yield from _runs(line)


def _lines(layer: pypdfium2.PdfTextPage) -> Iterator[list[_Letter]]:
    """The letters in logical order, parted where PDFium sees a line end or the next letter stands elsewhere."""
    line: list[_Letter] = []
    for letter in _letters(layer):
        if line and (letter is None or _elsewhere(line[-1], letter)):
            yield line
            line = []
        if letter is not None:
            line.append(letter)
    if line:
        yield line


def _letters(layer: pypdfium2.PdfTextPage) -> Iterator[_Letter | None]:
    """Each letter; `None` for a line end."""
    rectangle = pdfium.FS_RECTF()
    last: _Letter | None = None
    for index in range(min(layer.count_chars(), _MOST_CHARACTERS)):
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
        last = _Letter(letter, rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
    if last is not None:
        yield last


def _elsewhere(last: _Letter, letter: _Letter) -> bool:
    """Whether a letter stands neither beside the one before nor above or below it, as in writing upwards."""
    beside = letter.top > last.bottom and last.top > letter.bottom
    return not beside and (letter.left >= last.right or last.left >= letter.right)


def _runs(line: list[_Letter]) -> Iterator[Run]:
    """Part a line at its wide gaps; between them the logical order stays, though it may go to and fro."""
    starts: list[float] = []
    reach = inf
    for letter in sorted(line, key=lambda letter: letter.left):
        if letter.left - reach > _WIDE * (letter.top - letter.bottom):
            starts.append(letter.left)
        reach = letter.right if reach == inf else max(reach, letter.right)
    parts: list[list[_Letter]] = [[] for _ in range(len(starts) + 1)]
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
