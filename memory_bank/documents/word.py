"""Read DOCX: paragraphs, headings and tables, in the order of the document.

python-docx opens the package and its styles. The body is walked here, because python-docx leaves out paragraphs inside
content controls and words inside tracked insertions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from io import BytesIO
from typing import Any

import docx
from docx.oxml.ns import qn

from memory_bank.documents.document import BY_SUFFIX, Document, TextBuilder
from memory_bank.documents.package import Package, find_elements

_PARAGRAPH, _TABLE, _ROW, _CELL = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
_TEXT = qn("w:t")
_REPLACEMENTS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
# Deleted or moved words, properties, and fallback copies of content for older programs.
_SKIPPED = {
    qn("w:del"),
    qn("w:moveFrom"),
    qn("w:pPr"),
    qn("w:rPr"),
    qn("w:sectPr"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
# What is not searched for the rows of a table or the cells of a row: a table inside has its own.
_NESTED = _SKIPPED | {_TABLE}
_HEADING_STYLE = re.compile(r"(?i:heading [1-9])|Title")
_BODY_LEVEL = 9
"""The outline level of a text that is no heading."""


def read_docx(data: bytes, name: str) -> Document:
    """Read a DOCX file. A table row is a line with its cells separated by ` | `; a list item begins with `- `."""
    package = Package(data, name)
    source = docx.Document(BytesIO(data))
    headings = {style.style_id for style in source.styles if _is_heading(style)}
    builder = TextBuilder()
    # also those inside content controls and tracked insertions
    for block in find_elements(source.element.body, _SKIPPED, _PARAGRAPH, _TABLE):
        if block.tag == _TABLE:
            for row in find_elements(block, _NESTED, _ROW):
                cells = find_elements(row, _NESTED, _CELL)
                builder.add_row([" ".join("".join(_text_pieces(cell)).split()) for cell in cells])
        else:
            _add_paragraph(builder, block, headings)
    return builder.document(name, BY_SUFFIX[".docx"].media_type, source.core_properties.title, package.embedded())


def _add_paragraph(builder: TextBuilder, paragraph: Any, headings: Collection[str]) -> None:  # noqa: ANN401 - lxml
    text = "".join(_text_pieces(paragraph)).strip()
    if not text:
        return
    style = _value_at(paragraph, "w:pPr/w:pStyle")
    outline = _value_at(paragraph, "w:pPr/w:outlineLvl")
    if int(outline) < _BODY_LEVEL if outline else style in headings:
        builder.add_heading(text)
    elif paragraph.find(f"{qn('w:pPr')}/{qn('w:numPr')}") is not None or (style or "").startswith("List"):
        builder.add(f"- {text}", "item")
    else:
        builder.add(text)


def _is_heading(style: Any) -> bool:  # noqa: ANN401 - python-docx has no types
    """Whether a style is a heading's, or based on one."""
    for _ in range(10):  # a chain of styles may be circular
        if style is None:
            return False
        if _HEADING_STYLE.fullmatch(style.name or ""):
            return True
        style = getattr(style, "base_style", None)
    return False


def _value_at(element: Any, path: str) -> str | None:  # noqa: ANN401 - lxml
    child = element.find("/".join(qn(step) for step in path.split("/")))
    return None if child is None else child.get(qn("w:val"))


def _text_pieces(element: Any) -> Iterator[str]:  # noqa: ANN401 - lxml
    for child in element:
        if child.tag in _SKIPPED:
            continue
        if child.tag == _TEXT:
            yield child.text or ""
        elif child.tag in _REPLACEMENTS:
            yield _REPLACEMENTS[child.tag]
        else:
            if child.tag == _PARAGRAPH:  # a text box inside a paragraph, a paragraph inside a cell
                yield "\n"
            yield from _text_pieces(child)
