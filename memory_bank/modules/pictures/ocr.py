"""What is written in a picture, in reading order.

What is read is as little to be trusted as any document, and it may be wrong: each line has a confidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PIL import Image

from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.pictures.layout import Paragraph, arrange
from memory_bank.modules.pictures.lines import Written, read_lines
from memory_bank.modules.pictures.models import models
from memory_bank.modules.pictures.picture import Picture, Pixels, read_pixels
from memory_bank.modules.wrapped import goes_on

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels of the picture as it is meant to be seen."""

_LEAST, _LEAST_ALONE = 0.5, 0.9
"""The confidence that a line must have, and one of a single letter."""
_PAGE_BREAK = "\n\n"
_ENDS = re.compile(r"[.!?:;…。！？：；][\"'”’」』)）\]]*$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it was read: its text, how sure that is (0 to 1), where it stands, and on which page, from 1."""

    text: str
    confidence: float
    box: Box
    page: int = 1


@dataclass(frozen=True, slots=True)
class Recognised:
    """What is written: the lines in reading order, and their text, a line each, paragraphs parted by a blank line.

    `confidence` is the mean over all letters, 0 where nothing is written.
    """

    lines: tuple[Line, ...]
    text: str
    confidence: float


def recognise(picture: Picture | Image.Image) -> Recognised:
    """Read what is written in a picture, on all its pages; there are no lines if nothing is.

    `UnreadableDocumentError` if the file does not give its pixels (it has gone, or a later page is damaged).
    """
    if isinstance(picture, Image.Image):
        return _recognise(Pixels.of(picture.copy()), 1)  # an open file may be decoded smaller, which changes it
    return joined(list(recognise_pages(picture)))


def recognise_pages(picture: Picture) -> Iterator[Recognised]:
    """Do the same page by page, `picture.pages` times."""
    for number in range(1, picture.pages + 1):
        yield _recognise(read_pixels(picture, number), number)


def joined(pages: Sequence[Recognised]) -> Recognised:
    """What is written on several pages as one."""
    lines = tuple(line for page in pages for line in page.lines)
    return _put_together(lines, _PAGE_BREAK.join(page.text for page in pages if page.text))


def recognise_page(image: Image.Image) -> str:
    """Read the text of one page that is in memory, "" if nothing is written on it."""
    return recognise(image).text


def _recognise(pixels: Pixels, number: int) -> Recognised:
    written = read_lines(pixels.image, models())
    kept = [index for index, (text, sure) in enumerate(written.said) if _is_writing(text, sure)]
    lines = [_line(written, index, pixels.scale, number) for index in kept]
    paragraphs = arrange(written.upright[kept])
    ordered = tuple(lines[index] for paragraph in paragraphs for row in paragraph.rows for index in row)
    return _put_together(ordered, _text(paragraphs, lines))


def _is_writing(text: str, sure: float) -> bool:
    """Much in the world looks like one letter, less like two."""
    letters = sum(character.isalnum() for character in text)
    return sure >= (_LEAST if letters > 1 else _LEAST_ALONE) and bool(text.strip())


def _line(written: Written, index: int, scale: float, page: int) -> Line:
    (text, sure), corners = written.said[index], written.corners[index] * scale
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return Line(clean(text).strip(), round(sure, 3), (int(left), int(top), int(right + 1), int(bottom + 1)), page)


def _text(paragraphs: Sequence[Paragraph], lines: Sequence[Line]) -> str:
    text = ""
    for paragraph in paragraphs:
        said = _paragraph([[lines[index] for index in row] for row in paragraph.rows])
        continued = paragraph.goes_on and not _ENDS.search(text)
        text += ("\n" if continued else "\n\n" if text else "") + said
    return text


def _paragraph(rows: Sequence[Sequence[Line]]) -> str:
    """The rows of a paragraph, a line each; Chinese goes on in the next."""
    boxes = [line.box for row in rows for line in row]
    edges = float(min(box[0] for box in boxes)), float(max(box[2] for box in boxes))
    text = " ".join(line.text for line in rows[0])
    for above, below in pairwise(rows):
        (left, _top, right, _bottom), (begin, _above, end, _below) = above[0].box, below[0].box
        alone = len(above) == len(below) == 1
        wrapped = alone and goes_on(above[0].text, below[0].text, ((left, right), (begin, end)), edges)
        text += ("" if wrapped else "\n") + " ".join(line.text for line in below)
    return text


def _put_together(lines: tuple[Line, ...], text: str) -> Recognised:
    letters = sum(len(line.text) for line in lines)
    sure = sum(line.confidence * len(line.text) for line in lines)
    return Recognised(lines, text, round(sure / letters, 3) if letters else 0.0)
