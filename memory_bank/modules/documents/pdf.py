"""PDF: the text layer, page by page."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from pypdf import PasswordType, PdfReader

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Document, Heading, Page, choose_title

_PAGE_BREAK = "\n\n"
# Typesetting joins letters into one sign; left so, nobody who looks for "file" finds it.
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})

# pypdf reports each flaw it works around; a person who adds a document can do nothing with that.
_PYPDF_LOG = logging.getLogger("pypdf")
_PYPDF_LOG.addHandler(logging.NullHandler())
_PYPDF_LOG.propagate = False


def read_pdf(data: bytes, name: str) -> Document:
    """Read the text layer of a PDF. Words hyphenated at line ends are left as they are on the page.

    Letters joined by the typesetting (the one sign for "fi") are parted.

    Headings are the entries of the outline whose title stands as a line of its own on the page they point to.
    A file that is encrypted but opens without a password is read.
    """
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
        raise UnreadableDocumentError(name, "it is protected by a password; remove the password and add it again")
    texts = [clean(page.extract_text()).translate(_LIGATURES).rstrip() for page in reader.pages]
    if not texts:
        raise UnreadableDocumentError(name, "it has no pages")
    if not any(character.isalnum() for text in texts for character in text):
        raise UnreadableDocumentError(name, "no page has a text layer; it looks scanned")
    text = _PAGE_BREAK.join(texts)
    pages = tuple(_pages(texts))
    headings = _outline_headings(reader, text, pages)
    return Document(name, text, "application/pdf", pages, headings, choose_title(_title(reader), headings))


def _pages(texts: list[str]) -> Iterator[Page]:
    """Give each page its stretch; the break belongs to the page before it."""
    start = 0
    for number, text in enumerate(texts, start=1):
        end = start + len(text) + (len(_PAGE_BREAK) if number < len(texts) else 0)
        yield Page(number, start, end)
        start = end


def _title(reader: PdfReader) -> str | None:
    try:
        return reader.metadata.title if reader.metadata else None
    except Exception:  # noqa: BLE001 - broken metadata raises anything, and must not cost the text
        return None


def _outline_headings(reader: PdfReader, text: str, pages: tuple[Page, ...]) -> tuple[Heading, ...]:
    try:
        entries = list(_outline_entries(reader, reader.outline))
    except Exception:  # noqa: BLE001 - a broken outline raises anything, and must not cost the text
        return ()
    found: dict[int, Heading] = {}
    for title, index, level in entries:
        if words := title.split():
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


def _outline_entries(reader: PdfReader, outline: Any, level: int = 1) -> Iterator[tuple[str, int, int]]:  # noqa: ANN401
    """List title, page index and level of the outline's entries; pypdf nests lists for the levels."""
    for item in outline:
        if isinstance(item, list):
            yield from _outline_entries(reader, item, level + 1)
            continue
        index = reader.get_destination_page_number(item)
        if index is not None and index >= 0:
            yield clean(str(item.title)), index, level
