"""`bench`, part `documents`: reading a long PDF, compared with text extraction by pypdf alone."""

from __future__ import annotations

import tempfile
from io import BytesIO
from pathlib import Path
from textwrap import wrap

from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from memory_bank.app.evaluation.bench_ingestion import prose
from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.timing import time_alternating
from memory_bank.documents import read_document

_PAGES, _CHARACTERS = 200, 2_500
_COLUMNS, _LINES = 95, 60
_REPEATS = 3
_LIMIT_SECONDS = 30


def document_figures(scale: float = 1.0) -> list[Figure]:
    """Time to read a PDF of 200 pages, in a child process as for every PDF."""
    data = long_pdf(round(_PAGES * scale))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        path.write_bytes(data)
        costs = time_alternating(
            lambda: read_document(path, path.name),
            lambda: [page.extract_text() for page in PdfReader(BytesIO(data)).pages],
            _REPEATS,
        )
    name = f"read a PDF of {round(_PAGES * scale):,} pages, against the text of pypdf alone"
    return [Figure.of(name, "s", costs, ("most", _LIMIT_SECONDS))]


def long_pdf(pages: int) -> bytes:
    """A PDF with this number of pages of prose."""
    writer = PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font_object = DictionaryObject({NameObject(key): NameObject(value) for key, value in font.items()})
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font_object)})
    text = prose(pages * _CHARACTERS)
    for number in range(pages):
        page = writer.add_blank_page(595, 842)
        content = DecodedStreamObject()
        content.set_data(_content_stream(text[number * _CHARACTERS : (number + 1) * _CHARACTERS]))
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = writer._add_object(content)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def _content_stream(text: str) -> bytes:
    """PDF operators that draw the text as lines."""
    lines = wrap(text.encode("ascii", "ignore").decode(), _COLUMNS)[:_LINES]
    escaped = (line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in lines)
    return ("BT /F1 10 Tf 40 800 Td 12 TL\n" + "\n".join(f"({line}) Tj T*" for line in escaped) + "\nET").encode()
