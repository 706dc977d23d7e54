"""HTML: the text a reader of the page sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EncodingDetector
from bs4.element import CData, NavigableString

from memory_bank.modules.documents.document import Document, TextBuilder, choose_title
from memory_bank.modules.documents.plain import decode_text

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = {
    *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div"),
    *("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "html", "legend", "li"),
    *("main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th"),
    *("thead", "title", "tr", "ul", *_HEADINGS),
}
_UNSEEN = {
    *("script", "style", "template", "noscript", "head", "svg", "canvas", "iframe", "object", "embed", "audio"),
    *("video", "input", "textarea", "select", "datalist"),
}
_UNSEEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
# A row with one of these inside is a table used for layout: its cells are no cells.
_LAYOUT = ("table", "ul", "ol", "pre", "blockquote", *_HEADINGS)
_XML_PROLOG = re.compile(r"\s*<\?xml[^>]*\?>", re.IGNORECASE)


def read_html(data: bytes, name: str) -> Document:
    """Read HTML: headings, paragraphs, list items (`- `) and table rows (cells parted by ` | `).

    Scripts, styles, hidden elements and comments are left out: what no reader sees is not the document's word.
    """
    builder = TextBuilder()
    title = add_html(builder, data, name)
    body, headings = builder.build()
    return Document(name, body, "text/html", headings=headings, title=choose_title(title, headings))


def add_html(builder: TextBuilder, data: bytes, name: str, declared: str | None = None) -> str | None:
    """Add what a page says; return its title. `declared` is the encoding that was said outside of it."""
    declared = declared or EncodingDetector.find_declared_encoding(data, is_html=True)
    text = decode_text(data, name, declared)
    # An XML prolog, or a text without a tag, makes Beautiful Soup warn about the kind of file; both are fine here.
    soup = BeautifulSoup("<!DOCTYPE html>" + _XML_PROLOG.sub("", text, count=1), "lxml")
    _Walk(builder).run(soup)
    return soup.title.get_text() if soup.title else None


class _Walk:
    """Goes through the elements without recursion (pages nest thousands deep) and writes blocks."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._line: list[str] = []
        self._heading = 0
        self._verbatim = 0
        self._items = 0
        self._row = 0
        self._marker = ""

    def run(self, root: Tag) -> None:
        stack: list[tuple[Tag, Iterator[object]]] = [(root, iter(root.children))]
        while stack:
            element, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._leave(element)
            elif isinstance(child, Tag):
                if not _is_unseen(child):
                    self._enter(child)
                    stack.append((child, iter(child.children)))
            elif type(child) is NavigableString or isinstance(child, CData):
                self._line.append(child if self._verbatim else re.sub(r"\s+", " ", child))
        self._flush()

    def _enter(self, element: Tag) -> None:
        if element.name == "br":
            self._line.append(" " if self._row else "\n")
        elif self._row:
            self._enter_cell_part(element)
        elif element.name in _BLOCKS:
            self._flush()
            self._open(element)

    def _enter_cell_part(self, element: Tag) -> None:
        """Inside a row everything is one line: a cell begins with a bar, a block with a space."""
        if element.name in ("td", "th"):
            self._line.append(" | " if self._line else "")
        elif element.name in _BLOCKS:
            self._line.append(" ")

    def _open(self, element: Tag) -> None:
        if element.name in _HEADINGS:
            self._heading = _HEADINGS[element.name]
        elif element.name == "pre":
            self._verbatim += 1
        elif element.name == "li":
            self._items += 1
            self._marker = "- "
        elif element.name == "tr" and element.find(_LAYOUT) is None:
            self._row = id(element)

    def _leave(self, element: Tag) -> None:
        if self._row:
            if self._row != id(element):
                return
            self._flush()
            self._row = 0
        elif element.name in _BLOCKS:
            self._flush()
            self._close(element)

    def _close(self, element: Tag) -> None:
        if element.name in _HEADINGS:
            self._heading = 0
        elif element.name == "pre":
            self._verbatim -= 1
        elif element.name == "li":
            self._items -= 1
            self._marker = ""

    def _flush(self) -> None:
        line = "".join(self._line)
        self._line.clear()
        if not self._verbatim:
            line = "\n".join(" ".join(part.split()) for part in line.split("\n"))
        line = line.strip("\n") if self._verbatim else line.strip()
        if not line.strip(" |\n\t"):
            return
        if self._heading:
            self._builder.add_heading(line, self._heading)
        else:
            series = "row" if self._row else "item" if self._items else ""
            self._builder.add(self._marker + line, series)
        self._marker = ""


def _is_unseen(element: Tag) -> bool:
    if element.name in _UNSEEN or element.has_attr("hidden"):
        return True
    return bool(_UNSEEN_STYLE.search(str(element.get("style") or "")))
