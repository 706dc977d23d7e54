"""Read PDF: the text layer page by page in reading order; scanned pages by text recognition, if available.

PDFium reads everything. It runs no scripts of the document.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from io import BytesIO
from itertools import islice
from mimetypes import guess_type

import pypdfium2
import pypdfium2.raw as pdfium

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import bounds
from memory_bank.documents.decoding import clean, clean_line
from memory_bank.documents.document import PDF, Document, EmbeddedFile, Heading, Page, choose_title
from memory_bank.documents.package import PROTECTED, keep_within_bounds
from memory_bank.documents.page_text import runs_of, text_of
from memory_bank.documents.sandbox import OnPage, Recognise
from memory_bank.text.wording import Wording

_MIN_SIDE = 32
"""Pixels. A smaller picture is a bullet or a line."""
_FILE_FILTERS = ("DCTDecode", "JPXDecode")
"""Filters whose pictures are stored as complete JPEG or JPEG 2000 files."""
_TYPES = {b"\xff\xd8": "image/jpeg", b"\x89P": "image/png", b"II": "image/tiff", b"MM": "image/tiff"}
_JPEG_2000 = "image/jp2"
_PAGE_BREAK = "\n\n"
# Ligatures are split into letters; otherwise a search for "file" would not find it.
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_MAX_ENTRIES = 5_000
_RECOGNISED_SCALE = 200 / 72
"""Pixels per point. At this scale letters of ten points have the best height for recognition."""
_MIN_LAYER_LETTERS = 50
"""A text layer with fewer letters and digits may be a stamp on a scanned page."""
_SCAN_SHARE = 0.5
"""A picture that covers more than this share of a page is a scan of it."""


def read_pdf(data: bytes, name: str, recognise: Recognise | None, on_page: OnPage) -> Document:
    """Read a PDF. Words hyphenated at line ends stay so; ligatures are split.

    A page that shows something but has no text layer, or only a stamp on a scan, is rendered and passed to `recognise`.
    If that finds nothing, the page counts as unread. Headings are the outline entries whose title is a separate line
    on the page they point to. An encrypted file that opens without a password is read.
    """
    try:
        source = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        reason = PROTECTED if error.err_code == pdfium.FPDF_ERR_PASSWORD else Wording("it is damaged")
        raise UnreadableDocumentError(name, reason) from error
    with closing(source):
        if not len(source):
            raise UnreadableDocumentError(name, Wording("it has no pages"))
        if len(source) > bounds.MOST_PAGES:
            reason = Wording(
                "it has {pages} pages, and at most {most} are read; split it and add the parts",
                pages=f"{len(source):,}",
                most=f"{bounds.MOST_PAGES:,}",
            )
            raise UnreadableDocumentError(name, reason)
        reader = _PageReader(recognise)
        texts = []
        for number in range(len(source)):
            texts.append(reader.read(source, number))
            on_page(number + 1, len(source))
        if not any(map(_has_text, texts)):
            raise UnreadableDocumentError(name, Wording("no page has a text layer; it looks scanned"))
        text = _PAGE_BREAK.join(texts)
        pages = tuple(_pages(texts))
        headings = _outline_headings(source, text, pages)
        return Document(
            name,
            text,
            PDF.media_type,
            pages,
            headings,
            choose_title(source.get_metadata_value("Title"), headings),
            keep_within_bounds([*reader.pictures.found, *attached_files(source)]),
            reader.unread,
        )


class _PageReader:
    """Reads page after page; collects their pictures and counts the unread ones."""

    def __init__(self, recognise: Recognise | None) -> None:
        self._recognise = recognise
        self.pictures = PictureCollector()
        self.unread = 0

    def read(self, source: pypdfium2.PdfDocument, number: int) -> str:
        """Read the text of one page; empty if it is damaged."""
        try:
            page = source[number]
        except pypdfium2.PdfiumError:
            self.unread += 1
            return ""
        with closing(page):
            with closing(page.get_textpage()) as layer:
                text = _clean_text(text_of(list(runs_of(layer))))
            recognised = self._recognise_page(page) if _may_be_scanned(page, text) else ""
            if not recognised:
                self.pictures.look(page, number + 1)
        return _PAGE_BREAK.join(part for part in (text, recognised) if _has_text(part))

    def _recognise_page(self, page: pypdfium2.PdfPage) -> str:
        if not pdfium.FPDFPage_CountObjects(page):
            return ""  # an empty page does not count as unread
        text = ""
        side = max(page.get_size())
        if self._recognise is not None and side > 0:
            scale = min(_RECOGNISED_SCALE, bounds.MOST_PICTURE_SIDE / side)
            with closing(page.render(scale=scale)) as bitmap:
                text = _clean_text(self._recognise(bitmap.to_pil()))
        self.unread += not _has_text(text)
        return text


def _may_be_scanned(page: pypdfium2.PdfPage, text: str) -> bool:
    """Whether the text layer is empty, or only a stamp on a scan, such as a page number."""
    if not _has_text(text):
        return True
    if sum(map(str.isalnum, text)) >= _MIN_LAYER_LETTERS:
        return False
    width, height = page.get_size()
    boxes = (picture.get_bounds() for picture in _pictures_on(page))
    return any((right - left) * (top - bottom) > _SCAN_SHARE * width * height for left, bottom, right, top in boxes)


def _pictures_on(page: pypdfium2.PdfPage) -> Iterator[pypdfium2.PdfObject]:
    return islice(page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3), bounds.MOST_EMBEDDED)


def _clean_text(text: str) -> str:
    return clean(text).translate(_LIGATURES).strip("\n")


def _has_text(text: str) -> bool:
    return any(map(str.isalnum, text))


def _pages(texts: list[str]) -> Iterator[Page]:
    """Yield the span of each page; a page break belongs to the page before it."""
    start = 0
    for number, text in enumerate(texts, start=1):
        end = start + len(text) + (len(_PAGE_BREAK) if number < len(texts) else 0)
        yield Page(number, start, end)
        start = end


# -- the outline


def _outline_headings(source: pypdfium2.PdfDocument, text: str, pages: tuple[Page, ...]) -> tuple[Heading, ...]:
    headings: dict[int, Heading] = {}
    for entry in islice(source.get_toc(), _MAX_ENTRIES):  # an outline may be circular
        target, words = entry.get_dest(), clean(entry.get_title()).split()
        index = target.get_index() if target else None
        if words and index is not None and 0 <= index < len(pages):
            page = pages[index]
            line = r"^(?:[\dIVX.]+[ \t]+)?" + r"\s+".join(map(re.escape, words)) + r"[ \t]*$"
            match = re.compile(line, re.MULTILINE).search(text, page.start, page.end)
            if match:
                headings.setdefault(match.start(), Heading(*match.span(), " ".join(words)))
    apart: list[Heading] = []
    for start in sorted(headings):
        if not apart or start >= apart[-1].end:
            apart.append(headings[start])
    return tuple(apart)


class PictureCollector:
    """Collects the pictures of pages. One that is repeated, such as a logo, is taken once."""

    def __init__(self) -> None:
        self.found: list[EmbeddedFile] = []
        self._seen: set[bytes] = set()
        self._pixels_left = bounds.MOST_REDRAWN_PIXELS

    def look(self, page: pypdfium2.PdfPage, number: int) -> None:
        """Collect the pictures of a page, up to the limit for the document."""
        for position, picture in enumerate(_pictures_on(page), start=1):
            if len(self.found) >= bounds.MOST_EMBEDDED:
                return
            if isinstance(picture, pypdfium2.PdfImage) and min(picture.get_px_size()) >= _MIN_SIDE:
                self._add(picture, f"page {number}, picture {position}")

    def _add(self, picture: pypdfium2.PdfImage, name: str) -> None:
        data = self._content(picture)
        digest = hashlib.sha256(data).digest()
        if not data or digest in self._seen:
            return
        self._seen.add(digest)
        media_type = _TYPES.get(data[:2], _JPEG_2000)
        suffix = media_type.removeprefix("image/")
        self.found.append(EmbeddedFile(f"{name}.{suffix}", media_type, data))

    def _content(self, picture: pypdfium2.PdfImage) -> bytes:
        """The bytes of the picture as a file; none of one that must be re-encoded, beyond the limit on pixels."""
        if not set(picture.get_filters()).intersection(_FILE_FILTERS):
            width, height = picture.get_px_size()
            self._pixels_left -= width * height
            if self._pixels_left < 0:
                return b""
        buffer = BytesIO()
        try:
            picture.extract(buffer)
        except Exception:  # noqa: BLE001 - decoders raise anything on a broken picture; the text is still wanted
            return b""
        return buffer.getvalue()


def attached_files(source: pypdfium2.PdfDocument) -> Iterator[EmbeddedFile]:
    """Yield the attached files, up to the limit."""
    for number in range(min(source.count_attachments(), bounds.MOST_EMBEDDED)):
        attachment = source.get_attachment(number)
        name = clean_line(attachment.get_name())
        with suppress(pypdfium2.PdfiumError):
            data = bytes(attachment.get_data())
            yield EmbeddedFile(name, guess_type(name)[0] or "application/octet-stream", data)
