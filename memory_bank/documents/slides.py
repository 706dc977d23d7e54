"""Read PPTX: each slide as a page with its title as a heading, its texts and tables in order, then its notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

import pptx

from memory_bank.documents.document import BY_SUFFIX, Document, TextBuilder
from memory_bank.documents.package import Package


def read_pptx(data: bytes, name: str) -> Document:
    """Read a PPTX file. A paragraph is a line, a table row a line with its cells separated by ` | `.

    A hidden slide becomes an empty page, because no audience sees it.
    """
    package = Package(data, name)
    source: Any = pptx.Presentation(BytesIO(data))
    builder = TextBuilder()
    for slide in source.slides:
        builder.start_page()
        if slide.element.get("show") != "0":
            _add_slide(builder, slide)
    return builder.document(name, BY_SUFFIX[".pptx"].media_type, source.core_properties.title, package.embedded())


def _add_slide(builder: TextBuilder, slide: Any) -> None:  # noqa: ANN401 - python-pptx is hardly typed
    title = slide.shapes.title
    if title is not None and title.text_frame.text.strip():
        builder.add_heading(title.text_frame.text)
    for number, shape in enumerate(_shapes(slide.shapes)):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.has_text_frame:
            _add_lines(builder, shape.text_frame.paragraphs, f"frame {number}")
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                cells = [" ".join(cell.text_frame.text.split()) for cell in row.cells]
                builder.add_row(cells, f"table {number}")
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        _add_lines(builder, slide.notes_slide.notes_text_frame.paragraphs, "notes")


def _add_lines(builder: TextBuilder, paragraphs: Iterable[Any], series: str) -> None:
    for paragraph in paragraphs:
        if line := paragraph.text.strip():
            builder.add(line, series)


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield the shapes, also those inside groups. It does not recurse, as groups may nest to any depth."""
    stack = list(shapes)[::-1]
    while stack:
        shape = stack.pop()
        if hasattr(shape, "shapes"):
            stack += list(shape.shapes)[::-1]
        else:
            yield shape
