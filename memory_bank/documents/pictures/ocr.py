"""Recognise the text of a picture in reading order (OCR); read a file page by page, and describe one without text.

The text is as untrusted as any document, and it may be wrong: it has a confidence.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from PIL import Image

from memory_bank.documents.decoding import clean
from memory_bank.documents.pictures.layout import Row, arrange
from memory_bank.documents.pictures.lines import Reading, load_models, read_lines
from memory_bank.documents.pictures.picture import Picture, open_page, read_picture, upright
from memory_bank.text.line_wrapping import continues_on_next_line

_KINDS = {
    "photograph": "a photograph",
    "page": "a page of text",
    "screenshot": "a screenshot or graphic",
    "drawing": "a drawing",
}
_MAX_HEADLINE = 80
_STATEMENT = re.compile(r"\d|[.!?…,;:。！？，；：]$")

_MIN_CONFIDENCE, _MIN_CONFIDENCE_SINGLE = 0.5, 0.9
"""Smallest confidence of a line, and of a line with a single letter."""
_PAGE_BREAK = "\n\n"
_SENTENCE_END = re.compile(r"[.!?:;…。！？：；][\"'”’」』)）\]]*$")


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """Recognised text, with a blank line between paragraphs.

    `confidence` is the mean over all letters, 0 if there is no text.
    """

    text: str
    confidence: float


def recognise(image: Image.Image) -> RecognisedText:
    """Recognise the text in an image in memory."""
    return _join([_read_page(upright(image.copy()))])  # decoding an open file at a smaller size changes it


def _read_page(page: Image.Image) -> tuple[str, list[Reading]]:
    """The text of an upright page in reading order, and its lines as they were read."""
    corners, readings = read_lines(page, load_models())
    accepted = [number for number, reading in enumerate(readings) if _is_text(*reading)]
    kept = [readings[number] for number in accepted]
    texts = [clean(text).strip() for text, _confidence in kept]
    page_text = ""
    for paragraph in arrange(corners[accepted]):
        continued = paragraph.goes_on and not _SENTENCE_END.search(page_text)
        page_text += ("\n" if continued else "\n\n" if page_text else "") + _paragraph_text(paragraph.rows, texts)
    return page_text, kept


def _is_text(text: str, confidence: float) -> bool:
    """Accept a line; a single letter needs a high confidence, because many things look like one."""
    letters = sum(character.isalnum() for character in text)
    return confidence >= (_MIN_CONFIDENCE if letters > 1 else _MIN_CONFIDENCE_SINGLE) and bool(text.strip())


def _paragraph_text(rows: Sequence[Row], texts: Sequence[str]) -> str:
    """Write each row of a paragraph on a line; wrapped lines of Chinese are joined."""
    edges = min(box.left for row in rows for box in row), max(box.right for row in rows for box in row)
    text = " ".join(texts[box.number] for box in rows[0])
    for above, below in pairwise(rows):
        first, second = above[0], below[0]
        places = (first.left, first.right), (second.left, second.right)
        single = len(above) == len(below) == 1
        wrapped = single and continues_on_next_line(texts[first.number], texts[second.number], places, edges)
        text += ("" if wrapped else "\n") + " ".join(texts[box.number] for box in below)
    return text


def _join(pages: Sequence[tuple[str, list[Reading]]]) -> RecognisedText:
    readings = [reading for _text, lines in pages for reading in lines]
    letters = sum(len(text) for text, _confidence in readings)
    weighted = sum(confidence * len(text) for text, confidence in readings)
    text = _PAGE_BREAK.join(text for text, _lines in pages if text)
    return RecognisedText(text, round(weighted / letters, 3) if letters else 0.0)


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
        return self.recognised.text or describe_picture(self.picture)

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
        pages.append(_read_page(open_page(path, name, number)))
        yield number, picture.pages
    return PictureRead(picture, _join(pages))


def describe_picture(picture: Picture) -> str:
    """Return sentences about a picture without text: it can still be found by its name and metadata."""
    pages = f", {picture.pages} pages" if picture.pages > 1 else ""
    size = f"{picture.width:,} × {picture.height:,} pixels ({picture.format}{pages})"
    sentences = [f"{picture.name} is a picture, by its looks {_KINDS[picture.kind]}, of {size}."]
    if picture.animated:
        sentences.append("It is animated; only its first frame was looked at.")
    metadata = picture.metadata
    if metadata.taken_at or metadata.camera:
        day, _, hour = (metadata.taken_at or "").partition(" ")
        when = f" on {day} at {hour}" if day else ""
        sentences.append(f"It was taken{when}{f' with {metadata.camera}' if metadata.camera else ''}.")
    sentences += [f"The {label} in its file is “{text}”." for label, text in metadata.texts]
    return " ".join([*sentences, "No text was found in it."])
