"""Read Jupyter notebooks: the cells in order, with the text output of code."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

from memory_bank.documents.decoding import clean
from memory_bank.documents.document import BY_SUFFIX, Document, EmbeddedFile, TextBuilder
from memory_bank.documents.markdown import markdown_headings, without_html
from memory_bank.documents.messages import read_json
from memory_bank.documents.package import keep_within_bounds
from memory_bank.documents.plain import decode_text

# Terminal colours, which occur mostly in tracebacks.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_PICTURE_TYPES = ("image/png", "image/jpeg")


def read_notebook(data: bytes, name: str) -> Document:
    """Read a notebook: Markdown with its headings, source code, and its text output.

    Nothing is executed. Output pictures are embedded. JSON that is not a notebook is read as JSON.
    """
    try:
        notebook = json.loads(decode_text(data, name))
    except json.JSONDecodeError:
        return read_json(data, name)  # raises with the line of the error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        return read_json(data, name)
    builder = TextBuilder()
    for cell in cells:
        _add_cell(builder, cell)
    return builder.document(name, BY_SUFFIX[".ipynb"].media_type, embedded=keep_within_bounds(_output_pictures(cells)))


def _add_cell(builder: TextBuilder, cell: dict[str, Any]) -> None:
    source = clean(_joined(cell.get("source"))).strip("\n")
    markdown = cell.get("cell_type") == "markdown"
    source = without_html(source) if markdown else source
    if source.strip():
        builder.add(source, headings=markdown_headings(source) if markdown else ())
    for output in _outputs(cell):
        text = _COLOURS.sub("", _output_text(output)).strip("\n")
        if text.strip():
            builder.add(text)


def _outputs(cell: dict[str, Any]) -> Iterator[dict[str, Any]]:
    outputs = cell.get("outputs")
    yield from (output for output in outputs if isinstance(output, dict)) if isinstance(outputs, list) else ()


def _output_text(output: dict[str, Any]) -> str:
    if "ename" in output:
        return f"{output['ename']}: {output.get('evalue', '')}"
    if "text" in output:
        return _joined(output["text"])
    return _joined(_data_by_type(output).get("text/plain"))


def _data_by_type(output: dict[str, Any]) -> dict[str, Any]:
    data = output.get("data")
    return data if isinstance(data, dict) else {}


def _joined(lines: object) -> str:
    """Notebooks store a text as a string or as a list of its lines."""
    return "".join(map(str, lines)) if isinstance(lines, list) else lines if isinstance(lines, str) else ""


def _output_pictures(cells: list[dict[str, Any]]) -> Iterator[EmbeddedFile]:
    for number, cell in enumerate(cells, start=1):
        for output in _outputs(cell):
            for media_type in _PICTURE_TYPES:
                try:
                    picture = base64.b64decode(_joined(_data_by_type(output).get(media_type)))
                except ValueError:
                    continue
                if picture:
                    suffix = media_type.removeprefix("image/")
                    yield EmbeddedFile(f"cell {number}.{suffix}", media_type, picture)
