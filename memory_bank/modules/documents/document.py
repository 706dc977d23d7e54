"""A document that has been read: its text, and where its pages and headings lie in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from memory_bank.modules.documents.decoding import clean

_MAX_TITLE = 300


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its number, counted from 1, and its stretch of the text, `end` not included."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its stretch of the text, `end` not included, its level from 1, and its words alone."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Embedded:
    """A picture or file inside a document. `size` in bytes; `data` is `None` where it is more than is kept.

    `name` and `media_type` are what the document says, or what the bytes begin like: neither is to be trusted.
    """

    name: str
    media_type: str
    size: int
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said in a chat: its stretch of the text, `end` not included; the words said begin at `said`.

    `at` is a `datetime` where the time of day is known too, as the file has it, without a time zone. Turns of one
    `sitting` were said together.
    """

    start: int
    said: int
    end: int
    speaker: str
    at: date | None = None
    sitting: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A document as text. All offsets count characters of `text`, which always encodes to UTF-8.

    `pages` cover the text without a gap, in order; a format without pages has none. `headings` are in order
    and do not overlap. `title` comes from the document's own metadata where that makes sense, else it is the
    first heading. `embedded` is in the order of the document. `unread_pages` is how many pages show something
    but gave no text. `language` is an ISO 639-1 code; `None` where there is too little text to tell, or code.
    `turns` are those of a chat, in order; between them stand at most dates and notices, below them what data have
    beside the messages.
    """

    name: str
    text: str
    media_type: str
    pages: tuple[Page, ...] = ()
    headings: tuple[Heading, ...] = ()
    title: str | None = None
    embedded: tuple[Embedded, ...] = ()
    unread_pages: int = 0
    language: str | None = None
    turns: tuple[Turn, ...] = ()

    def page_at(self, offset: int) -> int | None:
        """Give the number of the page that holds the character at `offset`; none for a text without pages."""
        if not 0 <= offset < len(self.text):
            return None
        place = bisect_right(self.pages, offset, key=lambda page: page.start)
        return self.pages[place - 1].number if place else None


class TextBuilder:
    """Puts a text together block by block, and keeps where its headings are."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._page_starts: list[int] = []
        self._pages_waiting = 0
        self._series = ""

    def add(self, block: str, series: str = "", headings: Iterable[Heading] = ()) -> None:
        """Add a block after a blank line; one of the same `series` ("item", "row") follows on the next line.

        `headings` are those that stand in it, counted from its beginning; such a block is clean already.
        """
        self._start_block(series)
        self._headings += [
            Heading(one.start + self._length, one.end + self._length, one.level, one.title) for one in headings
        ]
        self._append(clean(block))

    def add_heading(self, title: str, level: int) -> None:
        """Add a heading as a block of one line."""
        title = " ".join(clean(title).split())
        self._start_block()
        self._headings.append(Heading(self._length, self._length + len(title), level, title))
        self._append(title)

    def start_page(self) -> None:
        """Say that the next block is the first one of a new page; a page may be empty."""
        self._pages_waiting += 1

    def build(self) -> tuple[str, tuple[Heading, ...]]:
        """Return the text and its headings."""
        return "".join(self._parts), tuple(self._headings)

    def build_pages(self) -> tuple[Page, ...]:
        """Return the pages: the first from the beginning of the text, the last to its end."""
        starts = [*self._page_starts, *[self._length] * self._pages_waiting]
        starts[:1] = [0] if starts else []
        ends = [*starts[1:], self._length]
        return tuple(Page(number, *span) for number, span in enumerate(zip(starts, ends, strict=False), start=1))

    def _start_block(self, series: str = "") -> None:
        if self._length:
            goes_on = series and series == self._series and not self._pages_waiting
            self._append("\n" if goes_on else "\n\n")
        self._series = series
        self._page_starts += [self._length] * self._pages_waiting
        self._pages_waiting = 0

    def _append(self, piece: str) -> None:
        self._parts.append(piece)
        self._length += len(piece)


def choose_title(metadata: object, headings: Iterable[Heading]) -> str | None:
    """Take the title of the metadata if a person could have written it, else the first heading, else none."""
    title = " ".join(clean(metadata).split()) if isinstance(metadata, str) else ""
    if title and len(title) <= _MAX_TITLE and not _is_made_up(title):
        return title
    return next((heading.title for heading in headings if heading.title), None)


_PROGRAM_TITLE = re.compile(
    r"untitled.*|microsoft (?:word|powerpoint)\b.*|(?:word )?document ?\d*|(?:power)?point presentation|slide 1"
    r"|\S+\.(?:docx?|pdf|tex|dvi|indd|odt|rtf)|[\W\d_]*",
    re.IGNORECASE,
)


def _is_made_up(title: str) -> bool:
    """Recognise what programs write where nobody gave a title."""
    return _PROGRAM_TITLE.fullmatch(title) is not None
