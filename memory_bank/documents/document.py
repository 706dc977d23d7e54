"""What reading a file makes, a text with the positions of pages, headings and chat turns in it; and the formats read.

A new format is a row of the table `FORMATS` and its reader.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory_bank.bank.spoken import SpokenTurn
from memory_bank.documents.decoding import clean, clean_line

_MAX_TITLE = 300


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its number, counted from 1, and its span of the text, `end` excluded."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its span of the text, `end` excluded, and its words without markup."""

    start: int
    end: int
    title: str


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """A picture or file inside a document.

    `name` and `media_type` come from the document or from the first bytes. Neither can be trusted.
    """

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """A document as text. All offsets count characters of `text`, which always encodes to UTF-8.

    `pages` cover the text without a gap, in order; a format without pages has none. `headings` are in order
    and do not overlap. `title` comes from the document's metadata if that makes sense, else it is the first
    heading. `embedded` is in the order of the document. `unread_pages` counts pages that show something but gave
    no text. `language` is an ISO 639-1 code, `None` for source code or too little text. `dated` is the date that the
    document states of itself: a mail's, else that of its head or title. `turns` are those of a chat, in order. Only
    dates and notices stand between them; other data of a message file follow after them.
    """

    name: str
    text: str
    media_type: str
    pages: tuple[Page, ...] = ()
    headings: tuple[Heading, ...] = ()
    title: str | None = None
    embedded: tuple[EmbeddedFile, ...] = ()
    unread_pages: int = 0
    language: str | None = None
    dated: date | None = None
    turns: tuple[SpokenTurn, ...] = ()

    def page_at(self, offset: int) -> int | None:
        """Return the number of the page that holds the character at `offset`; `None` if there is none."""
        if not 0 <= offset < len(self.text):
            return None
        place = bisect_right(self.pages, offset, key=lambda page: page.start)
        return self.pages[place - 1].number if place else None


Reader = Callable[[bytes, str], Document]
"""Reads the content of a file; the text is the file's name, as it is shown."""


class TextBuilder:
    """Builds a text block by block and records the spans of its headings and pages."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._page_starts: list[int] = []
        self._pending_pages = 0
        self._series = ""

    def add(self, block: str, series: str = "", headings: Iterable[Heading] = ()) -> None:
        """Add a block after a blank line, or on the next line after a block of the same `series` ("item", "row").

        `headings` are the headings inside the block, with offsets from its start; such a block must be clean already.
        """
        self._start_block(series)
        self._headings += [
            Heading(heading.start + self._length, heading.end + self._length, heading.title) for heading in headings
        ]
        self._append(clean(block))

    def add_heading(self, title: str) -> None:
        """Add a heading as a block of one line."""
        title = clean_line(title)
        self._start_block()
        self._headings.append(Heading(self._length, self._length + len(title), title))
        self._append(title)

    def add_row(self, cells: Sequence[str], series: str = "row") -> None:
        """Add the cells of a table row as a line; nothing if all are empty."""
        if any(cells):
            self.add(" | ".join(cells), series)

    def start_page(self) -> None:
        """Start a new page with the next block; a page may be empty."""
        self._pending_pages += 1

    def document(
        self,
        name: str,
        media_type: str,
        title: object = None,
        embedded: tuple[EmbeddedFile, ...] = (),
        dated: date | None = None,
    ) -> Document:
        """Return the document. `title` is what its metadata say, see `choose_title`.

        The first page begins where the text begins, the last ends where it ends.
        """
        starts = [*self._page_starts, *[self._length] * self._pending_pages]
        starts[:1] = [0] if starts else []
        ends = [*starts[1:], self._length]
        return Document(
            name,
            "".join(self._parts),
            media_type,
            pages=tuple(Page(number, *span) for number, span in enumerate(zip(starts, ends, strict=False), start=1)),
            headings=tuple(self._headings),
            title=choose_title(title, self._headings),
            embedded=embedded,
            dated=dated,
        )

    def _start_block(self, series: str = "") -> None:
        if self._length:
            goes_on = series and series == self._series and not self._pending_pages
            self._append("\n" if goes_on else "\n\n")
        self._series = series
        self._page_starts += [self._length] * self._pending_pages
        self._pending_pages = 0

    def _append(self, piece: str) -> None:
        self._parts.append(piece)
        self._length += len(piece)


def choose_title(metadata: object, headings: Iterable[Heading]) -> str | None:
    """Return the metadata title unless a program made it up, else the first heading, else `None`."""
    title = clean_line(metadata) if isinstance(metadata, str) else ""
    if title and len(title) <= _MAX_TITLE and not _PROGRAM_TITLE.fullmatch(title):
        return title
    return next((heading.title for heading in headings if heading.title), None)


_PROGRAM_TITLE = re.compile(
    r"untitled.*|microsoft (?:word|powerpoint)\b.*|(?:word )?document ?\d*|(?:power)?point presentation|slide 1"
    r"|\S+\.(?:docx?|pptx?|xlsx?|od[tsp]|rtf|html?|md|txt|pdf|tex|dvi|indd)|[\W\d_]*",
    re.IGNORECASE,
)
"""Titles that programs write where nobody gave one."""


# -- the formats

ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its suffixes, its media type, and its reader as module and function of this package.

    A file is of the format that its content shows: by its first bytes (`begins`), a ZIP package by a `part` that no
    other format has. A text file is of the format of its suffix; with any other it is HTML if it begins like HTML, else
    plain text. The reader of a `fast` format needs little time whatever is in the file, and no large library: it runs
    in this process, any other in one of its own.
    """

    suffixes: tuple[str, ...]
    media_type: str
    reader: str
    begins: bytes = b""
    part: str = ""
    fast: bool = False
    code: bool = False


PLAIN = Format((".txt", ".text", ".log"), "text/plain", "plain.read_plain", fast=True)
HTML = Format((".html", ".htm", ".xhtml"), "text/html", "markup.read_html")
PDF = Format((".pdf",), "application/pdf", "pdf.read_pdf", begins=b"%PDF-")
"""Its first bytes may stand a little later, its reader recognises pages, and it has headings only in an outline."""
_OFFICE, _ODF = "application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."


def _package(suffix: str, media_type: str, reader: str, part: str) -> Format:
    return Format((suffix,), media_type, reader, begins=ZIP, part=part)


def _opendocument(suffix: str, kind: str) -> Format:
    return _package(suffix, _ODF + kind, "opendocument.read_opendocument", "content.xml")


def _code(media_type: str, *suffixes: str) -> Format:
    return Format(suffixes, media_type, "plain.read_plain", fast=True, code=True)


FORMATS = (
    PLAIN,
    Format((".md", ".markdown", ".mdown", ".mkd"), "text/markdown", "markdown.read_markdown", fast=True),
    Format((".csv",), "text/csv", "table.read_table", fast=True),
    Format((".tsv",), "text/tab-separated-values", "table.read_table", fast=True),
    Format((".json",), "application/json", "messages.read_json", fast=True),
    Format((".jsonl", ".ndjson"), "application/x-ndjson", "messages.read_json", fast=True),
    Format((".srt",), "application/x-subrip", "subtitles.read_subtitles", fast=True),
    Format((".vtt",), "text/vtt", "subtitles.read_subtitles", fast=True),
    HTML,
    Format((".ipynb",), "application/x-ipynb+json", "notebook.read_notebook"),
    Format((".eml",), "message/rfc822", "mail.read_eml"),
    Format((".rtf",), "application/rtf", "plain.read_rtf", begins=b"{\\rtf"),
    PDF,
    _package(".docx", f"{_OFFICE}wordprocessingml.document", "word.read_docx", "word/document.xml"),
    _package(".pptx", f"{_OFFICE}presentationml.presentation", "slides.read_pptx", "ppt/presentation.xml"),
    _package(".xlsx", f"{_OFFICE}spreadsheetml.sheet", "sheets.read_xlsx", "xl/workbook.xml"),
    _package(".epub", "application/epub+zip", "markup.read_epub", "META-INF/container.xml"),
    _opendocument(".odt", "text"),
    _opendocument(".ods", "spreadsheet"),
    _opendocument(".odp", "presentation"),
    _opendocument(".odg", "graphics"),
    *(_code(f"text/x-{name}", f".{name}") for name in "java go php swift scala r lua scss vue dart rst".split()),
    _code("text/x-python", ".py", ".pyi", ".pyw"),
    _code("text/javascript", ".js", ".mjs", ".cjs", ".jsx"),
    _code("text/x-typescript", ".ts", ".tsx"),
    _code("text/x-c", ".c", ".h"),
    _code("text/x-c++", ".cc", ".cpp", ".cxx", ".hpp", ".hh"),
    _code("text/x-shellscript", ".sh", ".bash", ".zsh"),
    _code("text/x-kotlin", ".kt", ".kts"),
    _code("application/yaml", ".yaml", ".yml"),
    _code("text/plain", ".ini", ".cfg", ".conf", ".properties"),
    _code("text/x-tex", ".tex", ".bib", ".sty"),
    _code("application/xml", ".xml", ".xsd", ".xsl"),
    _code("text/x-haskell", ".hs", ".lhs"),
    _code("text/x-elixir", ".ex", ".exs"),
    _code("text/x-perl", ".pl", ".pm"),
    _code("text/x-rust", ".rs"),
    _code("text/x-ruby", ".rb"),
    _code("text/x-csharp", ".cs"),
    _code("text/x-julia", ".jl"),
    _code("text/x-matlab", ".m"),
    _code("application/sql", ".sql"),
    _code("text/x-powershell", ".ps1"),
    _code("text/x-bat", ".bat"),
    _code("text/css", ".css"),
    _code("text/x-protobuf", ".proto"),
    _code("application/toml", ".toml"),
    _code("text/x-clojure", ".clj"),
)
FIRST_BYTES = tuple({one.begins for one in FORMATS if one.begins})
BY_SUFFIX: Mapping[str, Format] = {suffix: one for one in FORMATS for suffix in one.suffixes}
CODE_TYPES: Mapping[str, str] = {suffix: one.media_type for suffix, one in BY_SUFFIX.items() if one.code}
"""Suffixes of source code and configuration, and their media types."""


def suffix_of(name: str) -> str:
    """Return the suffix of a file name in lower case, with its dot; empty if there is none."""
    stem, dot, ending = name.rpartition(".")
    return dot + ending.lower() if stem and dot else ""
