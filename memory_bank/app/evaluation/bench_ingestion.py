"""`bench`, parts `ingestion` and `documents`: a long text against embedding it; a long PDF against pypdf alone."""

from __future__ import annotations

import math
import tempfile
import time
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path
from pydoc_data.topics import topics
from textwrap import wrap

import numpy as np
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from memory_bank.agents.react import REACT
from memory_bank.app.evaluation.figures import Figure, Pairs, seconds, time_alternating
from memory_bank.bank.clock import SystemClock
from memory_bank.bank.events import Event, SourceIngested
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
_BATCH = 128
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
    name = f"ingest {len(text):,} characters, against embedding their chunks alone"
    return Figure.of(name, "s", Pairs.of(_costs(text) for _ in range(repeats)), ("within", 2.5))


def _costs(text: str) -> tuple[float, float]:
    """Seconds of ingestion and of embedding. The two alternate: after each event, embedding catches up in time."""
    embedding, parts = _Embedding(text), new_parts()
    with tempfile.TemporaryDirectory() as folder:
        upload = Upload("long.txt", text.encode())
        session = Session.create("What is a decorator?", [upload], sessions=Path(folder), parts=parts)
        spent = 0.0
        with closing(session.run()) as events:
            event: Event | None = None
            while not isinstance(event, SourceIngested):
                started = time.perf_counter()
                event = next(events)
                spent += time.perf_counter() - started
                embedding.catch_up(spent)
    embedding.catch_up(math.inf)
    return spent, embedding.spent


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


class _Embedding:
    """Embeds the chunks of a text batch by batch, and counts the seconds in `spent`."""

    def __init__(self, text: str) -> None:
        self._embedder = _warm_embedder()
        self._chunks = [span.of(text) for span in chunk(text, PASSAGE_TOKENS, self._embedder.count_tokens)]
        self.spent = 0.0

    def catch_up(self, until: float) -> None:
        """Embed until this many seconds are spent, or until no chunk is left."""
        while self._chunks and self.spent < until:
            batch, self._chunks = self._chunks[:_BATCH], self._chunks[_BATCH:]
            self.spent += seconds(partial(self._embedder.embed, batch))


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
    text = prose(pages * _PAGE_CHARACTERS)
    for number in range(pages):
        page = writer.add_blank_page(595, 842)
        content = DecodedStreamObject()
        content.set_data(_content_stream(text[number * _PAGE_CHARACTERS : (number + 1) * _PAGE_CHARACTERS]))
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
