"""A picture file read to its end, page by page: what it is, what is written in it, and the text that stands for it."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from memory_bank.modules.pictures.description import describe
from memory_bank.modules.pictures.ocr import Recognised, joined, recognise_pages
from memory_bank.modules.pictures.picture import Picture, read_picture

_LONGEST_HEADLINE = 80
_STATES = re.compile(r"\d|[.!?…,;:。！？，；：]$")


@dataclass(frozen=True, slots=True)
class PictureRead:
    """A picture with what was recognised on all its pages."""

    picture: Picture
    recognised: Recognised

    @property
    def described(self) -> bool:
        """Whether nothing is written in it, so that the text is ours."""
        return not self.recognised.text

    @property
    def text(self) -> str:
        """What is written in it, else what it is."""
        return self.recognised.text or describe(self.picture, self.recognised)

    @property
    def title(self) -> str | None:
        """What stands above all else that is written in it."""
        return headline(self.recognised.text)


def headline(text: str) -> str | None:
    """The line that stands by itself above a text and states nothing: on a sign, what the sign is of."""
    first, _, rest = text.partition("\n\n")
    stands_above = rest.strip() and "\n" not in first and 0 < len(first) <= _LONGEST_HEADLINE
    return first if stands_above and not _STATES.search(first) else None


def read_pages(path: Path, name: str) -> Generator[tuple[int, int], None, PictureRead]:
    """Read a picture, yielding after each page how many are done and how many there are.

    `UnreadableDocumentError` as of `read_picture` and `recognise`.
    """
    picture = read_picture(path, name)
    pages = []
    for recognised in recognise_pages(picture):
        pages.append(recognised)
        yield len(pages), picture.pages
    return PictureRead(picture, joined(pages))
