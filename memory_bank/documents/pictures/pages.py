"""Read a picture file page by page: its properties, its recognised text, or a text that describes it."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from memory_bank.documents.pictures.ocr import RecognisedText, join_pages, recognise_pages
from memory_bank.documents.pictures.picture import Picture, read_picture

_KINDS = {
    "photograph": "a photograph",
    "page": "a page of text",
    "screenshot": "a screenshot or graphic",
    "drawing": "a drawing",
}
_MAX_HEADLINE = 80
_STATEMENT = re.compile(r"\d|[.!?…,;:。！？，；：]$")


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

    Raises `UnreadableDocumentError` as `read_picture` and `recognise` do.
    """
    picture = read_picture(path, name)
    pages = []
    for recognised in recognise_pages(picture):
        pages.append(recognised)
        yield len(pages), picture.pages
    return PictureRead(picture, join_pages(pages))


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
