"""Read HTML: the text that a reader of the page sees; and EPUB, whose chapters are HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EncodingDetector
from bs4.element import CData, NavigableString

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.document import BY_SUFFIX, HTML, Document, TextBuilder
from memory_bank.documents.html_elements import BLOCKS, HEADINGS, HIDDEN
from memory_bank.documents.package import Package
from memory_bank.documents.plain import decode_text
from memory_bank.text.wording import Wording

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
# A row that contains one of these belongs to a table used for layout, and is not read as a row of cells.
_LAYOUT = ("table", "ul", "ol", "pre", "blockquote", *HEADINGS)
_XML_PROLOG = re.compile(r"\s*<\?xml[^>]*\?>", re.IGNORECASE)


def read_html(data: bytes, name: str) -> Document:
    """Read HTML: headings, paragraphs, list items (`- `) and table rows (cells separated by ` | `).

    Scripts, styles, hidden elements and comments are left out, because no reader of the page sees them.
    """
    builder = TextBuilder()
    title = add_html(builder, data, name)
    return builder.document(name, HTML.media_type, title)


def add_html(builder: TextBuilder, data: bytes, name: str, declared: str | None = None) -> str | None:
    """Add the text of a page and return its title. `declared` is an encoding given outside the page, as in a mail."""
    declared = declared or EncodingDetector.find_declared_encoding(data, is_html=True)
    text = decode_text(data, name, declared)
    # An XML prolog, or a text without a tag, makes Beautiful Soup warn about the file type; both are fine here.
    soup = BeautifulSoup("<!DOCTYPE html>" + _XML_PROLOG.sub("", text, count=1), "lxml")
    _Walker(builder).run(soup)
    return soup.title.get_text() if soup.title else None


class _Walker:
    """Walks the element tree and adds text blocks. It does not recurse, as pages may nest thousands deep."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._line: list[str] = []
        self._in_heading = False
        self._pre_depth = 0
        self._list_depth = 0
        self._row_id = 0
        self._list_marker = ""

    def run(self, root: Tag) -> None:
        stack: list[tuple[Tag, Iterator[object]]] = [(root, iter(root.children))]
        while stack:
            element, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._leave(element)
            elif isinstance(child, Tag):
                style = str(child.get("style") or "")
                if not (child.name in HIDDEN or child.has_attr("hidden") or _HIDDEN_STYLE.search(style)):
                    self._enter(child)
                    stack.append((child, iter(child.children)))
            elif type(child) is NavigableString or isinstance(child, CData):
                self._line.append(child if self._pre_depth else re.sub(r"\s+", " ", child))
        self._flush()

    def _enter(self, element: Tag) -> None:
        if element.name == "br":
            self._line.append(" " if self._row_id else "\n")
        elif self._row_id:  # a row is one line: a cell begins with a bar, a block with a space
            if element.name in ("td", "th"):
                self._line.append(" | " if self._line else "")
            elif element.name in BLOCKS:
                self._line.append(" ")
        elif element.name in BLOCKS:
            self._flush()
            self._open(element)

    def _open(self, element: Tag) -> None:
        if element.name in HEADINGS:
            self._in_heading = True
        elif element.name == "pre":
            self._pre_depth += 1
        elif element.name == "li":
            self._list_depth += 1
            self._list_marker = "- "
        elif element.name == "tr" and element.find(_LAYOUT) is None:
            self._row_id = id(element)

    def _leave(self, element: Tag) -> None:
        if self._row_id:
            if self._row_id != id(element):
                return
            self._flush()
            self._row_id = 0
        elif element.name in BLOCKS:
            self._flush()
            self._close(element)

    def _close(self, element: Tag) -> None:
        if element.name in HEADINGS:
            self._in_heading = False
        elif element.name == "pre":
            self._pre_depth -= 1
        elif element.name == "li":
            self._list_depth -= 1
            self._list_marker = ""

    def _flush(self) -> None:
        line = "".join(self._line)
        self._line.clear()
        if not self._pre_depth:
            line = "\n".join(" ".join(part.split()) for part in line.split("\n"))
        line = line.strip("\n") if self._pre_depth else line.strip()
        if not line.strip(" |\n\t"):
            return
        if self._in_heading:
            self._builder.add_heading(line)
        else:
            series = "row" if self._row_id else "item" if self._list_depth else ""
            self._builder.add(self._list_marker + line, series)
        self._list_marker = ""


def read_epub(data: bytes, name: str) -> Document:
    """Read an EPUB file with the headings of its chapters. Raises if a chapter is encrypted."""
    package = Package(data, name)
    opf_part = package.xml(_CONTAINER).find(".//{*}rootfile").get("full-path")
    opf = package.xml(opf_part)
    chapters = [part for part in _spine(opf, dirname(opf_part)) if part in package]
    encrypted = package.xml(_ENCRYPTION).iterfind(".//{*}CipherReference") if _ENCRYPTION in package else ()
    if any(unquote(reference.get("URI", "")) in chapters for reference in encrypted):
        raise UnreadableDocumentError(name, Wording("it is protected against being copied"))
    builder = TextBuilder()
    for part in chapters:
        add_html(builder, package.read(part), name)
    title = opf.findtext(".//{http://purl.org/dc/elements/1.1/}title")
    return builder.document(name, BY_SUFFIX[".epub"].media_type, title, package.embedded())


def _spine(opf: Any, folder: str) -> Iterator[str]:  # noqa: ANN401 - lxml
    """Yield the package parts that are chapters, in reading order."""
    items = {item.get("id"): item for item in opf.iterfind(".//{*}manifest/{*}item")}
    for reference in opf.iterfind(".//{*}spine/{*}itemref"):
        item = items.pop(reference.get("idref"), None)  # a chapter listed twice is read once
        if item is not None and "html" in item.get("media-type", ""):
            yield normpath(join(folder, unquote(item.get("href", ""))))
