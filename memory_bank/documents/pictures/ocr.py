"""Recognise the text of a picture in reading order (OCR); read a file page by page, and describe one without text.

The text is as untrusted as any document, and it may be wrong: each line has a confidence.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from PIL import Image

from memory_bank.documents.decoding import clean
from memory_bank.documents.pictures.layout import Paragraph, arrange
from memory_bank.documents.pictures.lines import PageLines, read_lines
from memory_bank.documents.pictures.models import models
from memory_bank.documents.pictures.picture import Picture, Pixels, open_pixels, read_picture
from memory_bank.text.line_wrapping import continues_on_next_line

_KINDS = {
    "photograph": "a photograph",
    "page": "a page of text",
    "screenshot": "a screenshot or graphic",
    "drawing": "a drawing",
}
_MAX_HEADLINE = 80
_STATEMENT = re.compile(r"\d|[.!?…,;:。！？，；：]$")
Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels of the upright picture."""

_MIN_CONFIDENCE, _MIN_CONFIDENCE_SINGLE = 0.5, 0.9
"""Smallest confidence of a line, and of a line with a single letter."""
_PAGE_BREAK = "\n\n"
_SENTENCE_END = re.compile(r"[.!?:;…。！？：；][\"'”’」』)）\]]*$")


@dataclass(frozen=True, slots=True)
class RecognisedLine:
    """A recognised line: its text, confidence (0 to 1) and box."""

    text: str
    confidence: float
    box: Box


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """Recognised text: the lines in reading order, and their text with a blank line between paragraphs.

    `confidence` is the mean over all letters, 0 if there is no text.
    """

    lines: tuple[RecognisedLine, ...]
    text: str
    confidence: float


def recognise(image: Image.Image) -> RecognisedText:
    """Recognise the text in an image in memory; the result has no lines if there is none."""
    return _recognise(Pixels.of(image.copy()))  # decoding an open file at a smaller size changes it


def _recognise(pixels: Pixels) -> RecognisedText:
    page_lines = read_lines(pixels.image, models())
    accepted = [index for index, (text, confidence) in enumerate(page_lines.readings) if _is_text(text, confidence)]
    lines = [_line(page_lines, index, pixels.scale) for index in accepted]
    paragraphs = arrange(page_lines.upright[accepted])
    ordered = tuple(lines[index] for paragraph in paragraphs for row in paragraph.rows for index in row)
    return _with_confidence(ordered, _text(paragraphs, lines))


def _is_text(text: str, confidence: float) -> bool:
    """Accept a line; a single letter needs a high confidence, because many things look like one."""
    letters = sum(character.isalnum() for character in text)
    return confidence >= (_MIN_CONFIDENCE if letters > 1 else _MIN_CONFIDENCE_SINGLE) and bool(text.strip())


def _line(page_lines: PageLines, index: int, scale: float) -> RecognisedLine:
    (text, confidence), corners = page_lines.readings[index], page_lines.corners[index] * scale
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return RecognisedLine(
        clean(text).strip(), round(confidence, 3), (int(left), int(top), int(right + 1), int(bottom + 1))
    )


def _text(paragraphs: Sequence[Paragraph], lines: Sequence[RecognisedLine]) -> str:
    text = ""
    for paragraph in paragraphs:
        paragraph_text = _paragraph_text([[lines[index] for index in row] for row in paragraph.rows])
        continued = paragraph.goes_on and not _SENTENCE_END.search(text)
        text += ("\n" if continued else "\n\n" if text else "") + paragraph_text
    return text


def _paragraph_text(rows: Sequence[Sequence[RecognisedLine]]) -> str:
    """Write each row of a paragraph on a line; wrapped lines of Chinese are joined."""
    boxes = [line.box for row in rows for line in row]
    edges = float(min(box[0] for box in boxes)), float(max(box[2] for box in boxes))
    text = " ".join(line.text for line in rows[0])
    for above, below in pairwise(rows):
        (left, _top, right, _bottom), (begin, _above, end, _below) = above[0].box, below[0].box
        single = len(above) == len(below) == 1
        wrapped = single and continues_on_next_line(above[0].text, below[0].text, ((left, right), (begin, end)), edges)
        text += ("" if wrapped else "\n") + " ".join(line.text for line in below)
    return text


def _with_confidence(lines: tuple[RecognisedLine, ...], text: str) -> RecognisedText:
    letters = sum(len(line.text) for line in lines)
    weighted = sum(line.confidence * len(line.text) for line in lines)
    return RecognisedText(lines, text, round(weighted / letters, 3) if letters else 0.0)


@dataclass(frozen=True, slots=True)
class PictureRead:
    """A picture with the recognised text of all its pages."""

    picture: Picture
    recognised: RecognisedText

    @property
    def described(self) -> bool:
        """Whether it contains no text, so that `text` is our description."""
        return not self.recognised.text

    @property
    def text(self) -> str:
        """The recognised text, else a description of the picture."""
        return self.recognised.text or describe(self.picture)

    @property
    def title(self) -> str | None:
        """The headline of the recognised text."""
        return headline(self.recognised.text)


def headline(text: str) -> str | None:
    """The first line if it stands alone above a text and states nothing, such as the name on a sign; else `None`."""
    first, _, rest = text.partition("\n\n")
    is_alone = rest.strip() and "\n" not in first and 0 < len(first) <= _MAX_HEADLINE
    return first if is_alone and not _STATEMENT.search(first) else None


def read_pages(path: Path, name: str) -> Generator[tuple[int, int], None, PictureRead]:
    """Read a picture and yield (pages done, total) after each page.

    Raises `UnreadableDocumentError` as `read_picture` does, also for a later page, or if the file is gone meanwhile.
    """
    picture = read_picture(path, name)
    pages = []
    for number in range(1, picture.pages + 1):
        pages.append(_recognise(open_pixels(path, name, number)))
        yield number, picture.pages
    lines = tuple(line for page in pages for line in page.lines)
    text = _PAGE_BREAK.join(page.text for page in pages if page.text)
    return PictureRead(picture, _with_confidence(lines, text))


def describe(picture: Picture) -> str:
    """Return sentences about a picture without text: it can still be found by its name and metadata."""
    return " ".join(_sentences_about(picture))


def _sentences_about(picture: Picture) -> Iterator[str]:
    pages = f", {picture.pages} pages" if picture.pages > 1 else ""
    size = f"{picture.width:,} × {picture.height:,} pixels ({picture.format}{pages})"
    yield f"{picture.name} is a picture, by its looks {_KINDS[picture.kind]}, of {size}."
    if picture.animated:
        yield "It is animated; only its first frame was looked at."
    metadata = picture.metadata
    if metadata.taken_at or metadata.camera:
        day, _, hour = (metadata.taken_at or "").partition(" ")
        when = f" on {day} at {hour}" if day else ""
        yield f"It was taken{when}{f' with {metadata.camera}' if metadata.camera else ''}."
    for label, text in metadata.texts:
        yield f"The {label} in its file is “{text}”."
    yield "No text was found in it."
