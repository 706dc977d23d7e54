"""`bench`, ingestion: what a text of a megabyte costs beyond the embedding of its chunks."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np

from memory_bank.engines.offline.classification import PASSAGE_TOKENS
from memory_bank.evaluation.figures import Figure
from memory_bank.events import SourceIngested
from memory_bank.modules.chunking import chunk
from memory_bank.modules.sentence_embedder import SentenceEmbedder
from memory_bank.session import Parts, Session
from memory_bank.session_store import Upload
from memory_bank.settings import Settings

CHARACTERS = 1_000_000


def ingestion_figures(scale: float = 1.0) -> list[Figure]:
    """Ingesting a text (by default of 1 MB) against embedding its chunks alone, each with an embedder of its own."""
    text = prose(int(CHARACTERS * scale))
    embedding, ingestion = _seconds_to_embed(text), _seconds_to_ingest(text)
    name = f"ingest {len(text):,} characters, against embedding their chunks alone"
    return [Figure.within(name, "s", ingestion, embedding, 1.5)]


def _seconds_to_embed(text: str) -> float:
    embedder = SentenceEmbedder()
    chunks = [span.of(text) for span in chunk(text, PASSAGE_TOKENS, embedder.count_tokens)]
    first = min(32, len(chunks) // 2)
    embedder.embed(chunks[:first])  # the first batches of a process are slower
    started = time.perf_counter()
    embedder.embed(chunks[first:])
    return (time.perf_counter() - started) * len(text) / sum(len(piece) for piece in chunks[first:])


def _seconds_to_ingest(text: str) -> float:
    settings = Settings()
    parts = Parts.standard(settings)
    with tempfile.TemporaryDirectory() as folder:
        upload = Upload("long.txt", text.encode())
        session = Session.create(
            "What is a decorator?", [upload], settings=settings, sessions=Path(folder), parts=parts
        )
        started = time.perf_counter()
        for event in session.run():
            if isinstance(event, SourceIngested):
                break
        return time.perf_counter() - started


def prose(characters: int) -> str:
    """Real English prose that is installed anyway: Python's language reference and NumPy's docstrings.

    Each paragraph comes once: a vector that is known already would cost nothing.
    """
    docstrings = (getattr(np, name).__doc__ for name in sorted(set(dir(np)) - {"__doc__"}))
    texts = [*topics.values(), *(text for text in docstrings if text)]
    return "\n\n".join(dict.fromkeys(paragraph for text in texts for paragraph in text.split("\n\n")))[:characters]
