"""`bench`, documents: a long PDF read as text with its places, against the bare text of the library beneath."""

from __future__ import annotations

import tempfile
from io import BytesIO
from pathlib import Path
from textwrap import wrap

from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from memory_bank.evaluation.bench_ingestion import prose
from memory_bank.evaluation.figures import Figure
from memory_bank.evaluation.timing import by_turns
from memory_bank.modules.documents import read_document

_PAGES, _CHARACTERS = 200, 2_500
_COLUMNS, _LINES = 95, 60
_REPEATS = 3
_SECONDS = 30


def document_figures(scale: float = 1.0) -> list[Figure]:
    """Reading a PDF of 200 pages, in a process of its own as every PDF is."""
    data = long_pdf(round(_PAGES * scale))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        path.write_bytes(data)
        costs = by_turns(
            lambda: read_document(path, path.name),
            lambda: [page.extract_text() for page in PdfReader(BytesIO(data)).pages],
            _REPEATS,
        )
    name = f"read a PDF of {round(_PAGES * scale):,} pages, against the text of pypdf alone"
    return [Figure.below(name, "s", costs, _SECONDS)]


def long_pdf(pages: int) -> bytes:
    """So many pages of prose."""
    writer = PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(key): NameObject(value) for key, value in font.items()})
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(named)})
    text = prose(pages * _CHARACTERS)
    for number in range(pages):
        page = writer.add_blank_page(595, 842)
        content = DecodedStreamObject()
        content.set_data(_drawn(text[number * _CHARACTERS : (number + 1) * _CHARACTERS]))
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = writer._add_object(content)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def _drawn(text: str) -> bytes:
    lines = wrap(text.encode("ascii", "ignore").decode(), _COLUMNS)[:_LINES]
    shown = (line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in lines)
    return ("BT /F1 10 Tf 40 800 Td 12 TL\n" + "\n".join(f"({line}) Tj T*" for line in shown) + "\nET").encode()
