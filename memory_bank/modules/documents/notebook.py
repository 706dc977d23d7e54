"""Jupyter notebooks: the cells in order, with what the code wrote."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any

from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Document, Embedded, TextBuilder, choose_title
from memory_bank.modules.documents.package import keep_within_bounds
from memory_bank.modules.documents.plain import decode_text, markdown_headings
from memory_bank.modules.documents.records import read_json

NOTEBOOK_TYPE = "application/x-ipynb+json"

# The colours of a terminal, in tracebacks above all.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_PICTURES = ("image/png", "image/jpeg")


def read_notebook(data: bytes, name: str) -> Document:
    """Read a notebook: Markdown with its headings, code as it is written, what it put out as text.

    Nothing is run. Pictures put out are embedded. JSON of another shape is read as JSON.
    """
    try:
        notebook = json.loads(decode_text(data, name))
    except json.JSONDecodeError:
        return read_json(data, name)  # says where it is broken
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        return read_json(data, name)
    builder = TextBuilder()
    for cell in cells:
        _add_cell(builder, cell)
    text, headings = builder.build()
    embedded = tuple(keep_within_bounds(_pictures(cells)))
    return Document(name, text, NOTEBOOK_TYPE, headings=headings, title=choose_title(None, headings), embedded=embedded)


def _add_cell(builder: TextBuilder, cell: dict[str, Any]) -> None:
    source = clean(_joined(cell.get("source"))).strip("\n")
    if source.strip():
        markdown = cell.get("cell_type") == "markdown"
        builder.add(source, headings=markdown_headings(source) if markdown else ())
    for output in _outputs(cell):
        written = _COLOURS.sub("", _written(output)).strip("\n")
        if written.strip():
            builder.add(written)


def _outputs(cell: dict[str, Any]) -> Iterator[dict[str, Any]]:
    outputs = cell.get("outputs")
    yield from (one for one in outputs if isinstance(one, dict)) if isinstance(outputs, list) else ()


def _written(output: dict[str, Any]) -> str:
    if "ename" in output:
        return f"{output['ename']}: {output.get('evalue', '')}"
    if "text" in output:
        return _joined(output["text"])
    return _joined(_by_type(output).get("text/plain"))


def _by_type(output: dict[str, Any]) -> dict[str, Any]:
    forms = output.get("data")
    return forms if isinstance(forms, dict) else {}


def _joined(lines: object) -> str:
    """A text is a string or a list of its lines."""
    return "".join(map(str, lines)) if isinstance(lines, list) else lines if isinstance(lines, str) else ""


def _pictures(cells: list[dict[str, Any]]) -> Iterator[Embedded]:
    for number, cell in enumerate(cells, start=1):
        for output in _outputs(cell):
            for media_type in _PICTURES:
                try:
                    picture = base64.b64decode(_joined(_by_type(output).get(media_type)))
                except (binascii.Error, ValueError):
                    continue
                if picture:
                    ending = media_type.removeprefix("image/")
                    yield Embedded(f"cell {number}.{ending}", media_type, len(picture), picture)
