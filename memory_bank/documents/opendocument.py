"""Read ODT, ODS, ODP and ODG: texts, tables, slides and drawings, from the XML of the package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents.document import BY_SUFFIX, Document, TextBuilder
from memory_bank.documents.package import PROTECTED, Package, find_elements
from memory_bank.documents.sheets import add_rows

_OASIS = "{urn:oasis:names:tc:opendocument:xmlns:"
_TEXT, _TABLE = f"{_OASIS}text:1.0}}", f"{_OASIS}table:1.0}}"
_DRAW, _OFFICE = f"{_OASIS}drawing:1.0}}", f"{_OASIS}office:1.0}}"
_PRESENTATION = f"{_OASIS}presentation:1.0}}"
_PARAGRAPH, _HEADING, _ROW, _CELL = f"{_TEXT}p", f"{_TEXT}h", f"{_TABLE}table-row", f"{_TABLE}table-cell"
_REPLACEMENTS = {f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"}
# Deleted words, comments, note numbers, forms, tables of contents, and thumbnails of slides.
_SKIPPED = {
    *(f"{_TEXT}tracked-changes", f"{_OFFICE}annotation", f"{_TEXT}note-citation", f"{_OFFICE}forms"),
    *(f"{_TEXT}sequence-decls", f"{_TEXT}table-of-content", f"{_DRAW}page-thumbnail"),
}
# What is not searched for the rows of a table or the cells of a row: a table inside has its own.
_NESTED = _SKIPPED | {f"{_TABLE}table"}
_TYPES = {
    f"{_OFFICE}text": BY_SUFFIX[".odt"].media_type,
    f"{_OFFICE}spreadsheet": BY_SUFFIX[".ods"].media_type,
    f"{_OFFICE}presentation": BY_SUFFIX[".odp"].media_type,
    f"{_OFFICE}drawing": BY_SUFFIX[".odg"].media_type,
}
# Largest repeat count of a row or cell with content; a higher one is an attempt to fill the memory.
_MAX_REPEATED = 1_000
_MAX_SPACES = 100


def read_opendocument(data: bytes, name: str) -> Document:
    """Read an ODT, ODS, ODP or ODG file. A slide is a page; a sheet is read like one of XLSX.

    A table row in a text is a line with its cells separated by ` | `; a list item begins with `- `.
    """
    package = Package(data, name)
    if "META-INF/manifest.xml" in package and b"encryption-data" in package.read("META-INF/manifest.xml"):
        raise UnreadableDocumentError(name, PROTECTED)
    body = package.xml("content.xml").find(f"{_OFFICE}body")
    kind = next(element for element in body if element.tag in _TYPES)
    builder = TextBuilder()
    if kind.tag == f"{_OFFICE}spreadsheet":
        for sheet in kind.iterchildren(f"{_TABLE}table"):
            add_rows(builder, sheet.get(f"{_TABLE}name", ""), _rows(sheet))
    else:
        _add_blocks(builder, kind)
    meta = package.xml("meta.xml") if "meta.xml" in package else None
    title = None if meta is None else meta.findtext(".//{http://purl.org/dc/elements/1.1/}title")
    return builder.document(name, _TYPES[kind.tag], title, package.embedded())


def _add_blocks(builder: TextBuilder, container: Any, marker: str = "") -> None:  # noqa: ANN401 - lxml
    for child in container:
        if child.tag in _SKIPPED or not isinstance(child.tag, str):
            continue
        if child.tag == f"{_DRAW}page":
            builder.start_page()
        is_title = child.tag == f"{_DRAW}frame" and child.get(f"{_PRESENTATION}class") == "title"
        if child.tag == _HEADING or is_title:
            if title := "".join(_text_pieces(child)).strip():
                builder.add_heading(title)
        elif child.tag == _PARAGRAPH:
            _add_paragraph(builder, child, marker)
            marker = "  " if marker else ""
        elif child.tag == f"{_TABLE}table":
            for row in _rows(child):
                builder.add_row(row)
        else:
            _add_blocks(builder, child, "- " if child.tag == f"{_TEXT}list-item" else marker)


def _add_paragraph(builder: TextBuilder, paragraph: Any, marker: str) -> None:  # noqa: ANN401 - lxml
    if text := "".join(_text_pieces(paragraph)).strip():
        builder.add(marker + text, "item" if marker else "")


def _text_pieces(element: Any) -> Iterator[str]:  # noqa: ANN401 - lxml
    """Yield the text pieces of an element. White space in the XML counts as one space; the rest are elements."""
    yield re.sub(r"\s+", " ", element.text or "")
    for child in element:
        if child.tag == f"{_TEXT}s":
            yield " " * min(int(child.get(f"{_TEXT}c") or 1), _MAX_SPACES)
        elif child.tag in _REPLACEMENTS:
            yield _REPLACEMENTS[child.tag]
        elif child.tag == f"{_TEXT}note":
            yield f" ({''.join(_text_pieces(child)).strip()})"
        elif isinstance(child.tag, str) and child.tag not in _SKIPPED:
            if child.tag == _PARAGRAPH:  # a text box inside a paragraph, a paragraph inside a cell
                yield "\n"
            yield from _text_pieces(child)
        yield re.sub(r"\s+", " ", child.tail or "")


def _rows(table: Any) -> Iterator[list[str]]:  # noqa: ANN401 - lxml
    """Yield the cells of each row that is not empty, without empty cells at its end."""
    for row in find_elements(table, _NESTED, _ROW):
        cells: list[str] = []
        for cell in find_elements(row, _NESTED, _CELL):
            text = " ".join("".join(_text_pieces(cell)).split())
            cells += [text] * _repeat_count(cell, "number-columns-repeated", filled=bool(text))
        while cells and not cells[-1]:
            cells.pop()
        for _ in range(_repeat_count(row, "number-rows-repeated", filled=True) if cells else 0):
            yield cells


def _repeat_count(element: Any, attribute: str, *, filled: bool) -> int:  # noqa: ANN401 - lxml
    """How often a row or cell is repeated. Empty ones may fill a sheet to its end, so their count is capped."""
    times = int(element.get(f"{_TABLE}{attribute}") or 1)
    if filled and times > _MAX_REPEATED:
        raise ValueError(f"a cell is repeated {times} times")
    return min(times, _MAX_REPEATED)
