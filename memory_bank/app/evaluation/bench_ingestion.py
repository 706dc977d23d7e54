"""`bench`, parts `ingestion` and `documents`: a long text against embedding it; a long PDF against pypdf alone."""

from __future__ import annotations

import re
import tempfile
from contextlib import closing
from io import BytesIO
from pathlib import Path
from pydoc_data.topics import topics
from textwrap import wrap

import numpy as np
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from memory_bank.agents.react import REACT
from memory_bank.app.evaluation.figures import Figure, time_alternating
from memory_bank.bank.clock import SystemClock
from memory_bank.bank.events import SourceIngested
from memory_bank.bank.settings import AGENTS
from memory_bank.documents import read_document
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.search.embedding import Embedder
from memory_bank.search.sentence_embedder import SentenceEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from memory_bank.text.chunking import PASSAGE_TOKENS, chunk

CHARACTERS = 1_000_000
_SHORT, _REPEATS = 50_000, 5
_PAGES, _PAGE_CHARACTERS = 200, 2_500
_COLUMNS, _LINES = 95, 60
_LIMIT_SECONDS = 30


def ingestion_figures(scale: float = 1.0) -> list[Figure]:
    """Time to ingest a text of 1 MB against embedding its chunks alone, each with an embedder of its own.

    The long text is the target. A short text is measured too, several times, to tell a change from noise.
    """
    long, short = (prose(int(characters * scale)) for characters in (CHARACTERS, _SHORT))
    return [_figure(long, 1), _figure(short, _REPEATS)]


def _figure(text: str, repeats: int) -> Figure:
    parts = [new_parts() for _ in range(repeats)]
    embedders = [_warm_embedder() for _ in range(repeats)]
    chunks = [span.of(text) for span in chunk(text, PASSAGE_TOKENS, embedders[0].count_tokens)]
    costs = time_alternating(lambda: _ingest(text, parts.pop()), lambda: embedders.pop().embed(chunks), repeats)
    name = f"ingest {len(text):,} characters, against embedding their chunks alone"
    return Figure.of(name, "s", costs, ("within", 2.5))


def _ingest(text: str, parts: Parts) -> None:
    with tempfile.TemporaryDirectory() as folder:
        upload = Upload("long.txt", text.encode())
        session = Session.create("What is a decorator?", [upload], sessions=Path(folder), parts=parts)
        with closing(session.run()) as events:
            next(event for event in events if isinstance(event, SourceIngested))


def new_parts() -> Parts:
    """The parts of a session with the embedded engine and a warmed-up embedder of its own with an empty cache."""
    embedder = _warm_embedder()
    offline = OfflineEngine(embedder)
    engines = {name: offline for name in AGENTS if name != REACT}
    return Parts(SystemClock(), embedder, engines, OfflineFramework(embedder))


def _warm_embedder() -> Embedder:
    """An embedder that has embedded its first text, which is slower than the later ones."""
    embedder = SentenceEmbedder()
    embedder.embed(["The first texts of a process are slower."])
    return embedder


def prose(characters: int) -> str:
    """Real English prose that is already installed: Python's language reference and NumPy's docstrings.

    Each paragraph occurs once, since a cached vector would cost nothing.
    """
    docstrings = (getattr(np, name).__doc__ for name in sorted(set(dir(np)) - {"__doc__"}))
    texts = [*topics.values(), *(text for text in docstrings if text)]
    return "\n\n".join(dict.fromkeys(paragraph for text in texts for paragraph in text.split("\n\n")))[:characters]


def document_figures(scale: float = 1.0) -> list[Figure]:
    """Time to read a PDF of 200 pages, in a child process as for every PDF."""
    data = long_pdf(round(_PAGES * scale))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        path.write_bytes(data)
        costs = time_alternating(
            lambda: read_document(path, path.name),
            lambda: [page.extract_text() for page in PdfReader(BytesIO(data)).pages],
            3,
        )
    name = f"read a PDF of {round(_PAGES * scale):,} pages, against the text of pypdf alone"
    return [Figure.of(name, "s", costs, ("most", _LIMIT_SECONDS))]


def long_pdf(pages: int) -> bytes:
    """A PDF with this number of pages of prose."""
    writer = PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font_object = DictionaryObject({NameObject(key): NameObject(value) for key, value in font.items()})
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font_object)})
    text = re.sub(r"[^ -\[\]-~]|[()]", " ", prose(pages * _PAGE_CHARACTERS))  # what the PDF's strings hold unescaped
    for number in range(pages):
        page = writer.add_blank_page(595, 842)
        content = DecodedStreamObject()
        lines = wrap(text[number * _PAGE_CHARACTERS :][:_PAGE_CHARACTERS], _COLUMNS)[:_LINES]
        drawn = "\n".join(f"({line}) Tj T*" for line in lines)
        content.set_data(f"BT /F1 10 Tf 40 800 Td 12 TL\n{drawn}\nET".encode())
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = writer._add_object(content)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()
