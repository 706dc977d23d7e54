"""`bench`, ingestion: what a text of a megabyte costs beyond the embedding of its chunks."""

from __future__ import annotations

import math
import tempfile
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np

from memory_bank.agents.react import REACT
from memory_bank.clock import SystemClock
from memory_bank.engines.offline.classification import PASSAGE_TOKENS
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.evaluation.figures import Figure
from memory_bank.evaluation.timing import Pairs, seconds
from memory_bank.events import Event, SourceIngested
from memory_bank.modules.chunking import chunk
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentence_embedder import SentenceEmbedder
from memory_bank.session import Parts, Session
from memory_bank.session_store import Upload
from memory_bank.settings import AGENTS

CHARACTERS = 1_000_000
_SHORT, _REPEATS = 50_000, 5
_BATCH = 128


def ingestion_figures(scale: float = 1.0) -> list[Figure]:
    """Ingesting a text of 1 MB against embedding its chunks alone, each with an embedder of its own.

    And a short text several times: the long one is what is wanted, the short one tells a change from noise.
    """
    long, short = (prose(int(characters * scale)) for characters in (CHARACTERS, _SHORT))
    return [_figure(long, 1), _figure(short, _REPEATS)]


def _figure(text: str, repeats: int) -> Figure:
    name = f"ingest {len(text):,} characters, against embedding their chunks alone"
    return Figure.within(name, "s", Pairs.of(_costs(text) for _ in range(repeats)), 2.5)


def _costs(text: str) -> tuple[float, float]:
    """Seconds of both: whenever the ingestion stops to tell something, the embedding catches up with it."""
    embedding, parts = _Embedding(text), new_parts()
    with tempfile.TemporaryDirectory() as folder:
        upload = Upload("long.txt", text.encode())
        session = Session.create("What is a decorator?", [upload], sessions=Path(folder), parts=parts)
        spent = 0.0
        with closing(session.run()) as events:
            told: Event | None = None
            while not isinstance(told, SourceIngested):
                started = time.perf_counter()
                told = next(events)
                spent += time.perf_counter() - started
                embedding.catch_up(spent)
    embedding.catch_up(math.inf)
    return spent, embedding.spent


def new_parts() -> Parts:
    """The embedded engine with an embedder of its own, which knows no text yet and has its first batch behind it."""
    embedder = _warm()
    offline = OfflineEngine(embedder)
    engines = {name: offline for name in AGENTS if name != REACT}
    return Parts(SystemClock(), embedder, engines, OfflineFramework(embedder))


def _warm() -> Embedder:
    embedder = SentenceEmbedder()
    embedder.embed(["The first texts of a process are slower."])
    return embedder


class _Embedding:
    """The chunks of a text that are embedded batch by batch, and what that has taken."""

    def __init__(self, text: str) -> None:
        self._embedder = _warm()
        self._left = [span.of(text) for span in chunk(text, PASSAGE_TOKENS, self._embedder.count_tokens)]
        self.spent = 0.0

    def catch_up(self, until: float) -> None:
        """Embed until so many seconds were spent on it, or none is left."""
        while self._left and self.spent < until:
            batch, self._left = self._left[:_BATCH], self._left[_BATCH:]
            self.spent += seconds(partial(self._embedder.embed, batch))


def prose(characters: int) -> str:
    """Real English prose that is installed anyway: Python's language reference and NumPy's docstrings.

    Each paragraph comes once: a vector that is known already would cost nothing.
    """
    docstrings = (getattr(np, name).__doc__ for name in sorted(set(dir(np)) - {"__doc__"}))
    texts = [*topics.values(), *(text for text in docstrings if text)]
    return "\n\n".join(dict.fromkeys(paragraph for text in texts for paragraph in text.split("\n\n")))[:characters]
