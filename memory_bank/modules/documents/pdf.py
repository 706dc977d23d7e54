"""PDF: the text layer, page by page, in reading order; pages without one by recognition, where there is any.

Everything is read by PDFium, which runs no script of a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from itertools import islice

import pypdfium2
import pypdfium2.raw as pdfium

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.documents import bounds
from memory_bank.modules.documents.apart import OnPage, Recognise
from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Document, Heading, Page, choose_title
from memory_bank.modules.documents.package import PROTECTED, keep_within_bounds
from memory_bank.modules.documents.page_text import text_of
from memory_bank.modules.documents.pdf_embedded import Pictures, attached_files
from memory_bank.modules.documents.pdf_runs import runs_of

_PAGE_BREAK = "\n\n"
# Typesetting joins letters into one sign; left so, nobody who looks for "file" finds it.
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_MOST_ENTRIES = 5_000
_RECOGNISED_SCALE = 200 / 72
"""Pixels to a point: letters of ten points are as high as recognition wants them."""
_STAMPED = 50
"""Letters and digits of a text layer from which on it is the text of the page."""
_COVERED = 0.5
"""Share of a page that a picture covers where it is the page."""


def read_pdf(data: bytes, name: str, recognise: Recognise | None, on_page: OnPage) -> Document:
    """Read a PDF. Words hyphenated at line ends are left as they are; letters joined by the typesetting are parted.

    A page that shows something but has no text layer, or no more than a stamp on a scan, is drawn and given to
    `recognise`; it counts as unread where that finds nothing. Headings are the entries of the outline whose title
    stands as a line of its own on the page they point to. A file that is encrypted but opens without a password is
    read.
    """
    try:
        source = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocumentError(name, _reason(error)) from error
    with closing(source):
        _check_pages(len(source), name)
        reader = _Reader(recognise)
        texts = []
        for number in range(len(source)):
            texts.append(reader.read(source, number))
            on_page(number + 1, len(source))
        if not any(map(_says_something, texts)):
            raise UnreadableDocumentError(name, "no page has a text layer; it looks scanned")
        text = _PAGE_BREAK.join(texts)
        pages = tuple(_pages(texts))
        headings = _outline_headings(source, text, pages)
        return Document(
            name,
            text,
            "application/pdf",
            pages,
            headings,
            choose_title(source.get_metadata_value("Title"), headings),
            tuple(keep_within_bounds([*reader.pictures.found, *attached_files(source)])),
            reader.unread,
        )


def _reason(error: pypdfium2.PdfiumError) -> str:
    return PROTECTED if error.err_code == pdfium.FPDF_ERR_PASSWORD else "it is damaged"


def _check_pages(count: int, name: str) -> None:
    if not count:
        raise UnreadableDocumentError(name, "it has no pages")
    if count > bounds.MOST_PAGES:
        raise UnreadableDocumentError(
            name, f"it has {count:,} pages, and at most {bounds.MOST_PAGES:,} are read; split it and add the parts"
        )


class _Reader:
    """Reads page after page, and keeps what else is found on them."""

    def __init__(self, recognise: Recognise | None) -> None:
        self._recognise = recognise
        self.pictures = Pictures()
        self.unread = 0

    def read(self, source: pypdfium2.PdfDocument, number: int) -> str:
        """Read the text of one page; of one that is damaged, nothing."""
        try:
            page = source[number]
        except pypdfium2.PdfiumError:
            self.unread += 1
            return ""
        with closing(page):
            text = self._layer(page)
            recognised = self._recognised(page) if _may_be_scanned(page, text) else ""
            if not recognised:
                self.pictures.look(page, number + 1)
        return _PAGE_BREAK.join(part for part in (text, recognised) if _says_something(part))

    def _layer(self, page: pypdfium2.PdfPage) -> str:
        with closing(page.get_textpage()) as layer:
            return _readable(text_of(list(runs_of(layer))))

    def _recognised(self, page: pypdfium2.PdfPage) -> str:
        if not pdfium.FPDFPage_CountObjects(page):
            return ""  # an empty page is read
        text = ""
        side = max(page.get_size())
        if self._recognise is not None and side > 0:
            scale = min(_RECOGNISED_SCALE, bounds.MOST_PICTURE_SIDE / side)
            with closing(page.render(scale=scale)) as bitmap:
                text = _readable(self._recognise(bitmap.to_pil()))
        self.unread += not _says_something(text)
        return text


def _may_be_scanned(page: pypdfium2.PdfPage, text: str) -> bool:
    """Whether the text layer says nothing, or no more than is stamped on a scan, such as the number of the page."""
    if not _says_something(text):
        return True
    if sum(map(str.isalnum, text)) >= _STAMPED:
        return False
    across, down = page.get_size()
    pictures = islice(page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3), bounds.MOST_EMBEDDED)
    return any(_area(picture.get_bounds()) > _COVERED * across * down for picture in pictures)


def _area(box: tuple[float, float, float, float]) -> float:
    left, bottom, right, top = box
    return (right - left) * (top - bottom)


def _readable(text: str) -> str:
    return clean(text).translate(_LIGATURES).strip("\n")


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))


def _pages(texts: list[str]) -> Iterator[Page]:
    """Give each page its stretch; the break belongs to the page before it."""
    start = 0
    for number, text in enumerate(texts, start=1):
        end = start + len(text) + (len(_PAGE_BREAK) if number < len(texts) else 0)
        yield Page(number, start, end)
        start = end


# -- the outline


def _outline_headings(source: pypdfium2.PdfDocument, text: str, pages: tuple[Page, ...]) -> tuple[Heading, ...]:
    found: dict[int, Heading] = {}
    for title, index, level in _outline_entries(source):
        words = title.split()
        if words and index < len(pages):
            page = pages[index]
            line = r"^(?:[\dIVX.]+[ \t]+)?" + r"\s+".join(map(re.escape, words)) + r"[ \t]*$"
            match = re.compile(line, re.MULTILINE).search(text, page.start, page.end)
            if match:
                found.setdefault(match.start(), Heading(*match.span(), level, " ".join(words)))
    return tuple(_in_order(found))


def _in_order(found: dict[int, Heading]) -> Iterator[Heading]:
    end = 0
    for start in sorted(found):
        if start >= end:
            yield found[start]
            end = found[start].end


def _outline_entries(source: pypdfium2.PdfDocument) -> Iterator[tuple[str, int, int]]:
    """List title, page index and level of the outline's entries, of an outline that is a circle the first of them."""
    for entry in islice(source.get_toc(), _MOST_ENTRIES):
        target = entry.get_dest()
        index = target.get_index() if target else None
        if index is not None and index >= 0:
            yield clean(entry.get_title()), index, entry.level + 1
