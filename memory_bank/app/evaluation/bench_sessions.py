"""`bench`, what a session does: a growing memory, the demo, a long text and a long PDF."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from io import BytesIO
from itertools import count
from pathlib import Path
from pydoc_data.topics import topics
from textwrap import wrap

import numpy as np
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from memory_bank.app.demo import load_demo
from memory_bank.app.evaluation.figures import Figure, Pairs, growth, time_alternating, traced_memory, yardstick
from memory_bank.bank.clock import Clock
from memory_bank.bank.events import AgentCalled, NodeCreated, SessionCreated, SourceIngested
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.settings import Settings
from memory_bank.bank.usage import Usage
from memory_bank.documents import read_document
from memory_bank.judgement.judge import NoJudge
from memory_bank.search.embedding import Embedder
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.retrieval import RetrievalSettings
from memory_bank.search.sentence_embedder import SentenceEmbedder
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.recorder import Recorder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import Upload
from memory_bank.text.chunking import PASSAGE_TOKENS, chunk

CHARACTERS = 1_000_000
_REPEATS = 3
_DEMO_LIMIT_SECONDS = 60
_PLACES = ("mill", "bridge", "tower", "dam", "station", "school", "church", "harbour")
_VERB_PHRASES = ("was built in", "was closed in", "was opened in")
_PAGES, _PAGE_CHARACTERS = 200, 2_500
_COLUMNS, _LINES = 95, 60
_LIMIT_SECONDS = 30


def ingestion_figures(scale: float = 1.0) -> list[Figure]:
    """Time to ingest a text of 1 MB against embedding its chunks alone, each with an embedder of its own."""
    text, parts, embedder = prose(int(CHARACTERS * scale)), new_parts(), _warm_embedder()
    chunks = [span.of(text) for span in chunk(text, PASSAGE_TOKENS, embedder.count_tokens)]
    costs = time_alternating(lambda: _ingest(text, parts), lambda: embedder.embed(chunks), 1)
    name = f"ingest {len(text):,} characters, against embedding their chunks alone"
    return [Figure.of(name, "s", costs, ("within", 2.5))]


def _ingest(text: str, parts: Parts) -> None:
    with tempfile.TemporaryDirectory() as folder:
        upload = Upload("long.txt", text.encode())
        session = Session.create("What is a decorator?", [upload], sessions=Path(folder), parts=parts)
        with closing(session.run()) as events:
            next(event for event in events if isinstance(event, SourceIngested))


def new_parts() -> Parts:
    """The parts of a session with the embedded engine and a warmed-up embedder of its own with an empty cache."""
    return Parts.standard(Settings.model_construct(), embedder=_warm_embedder())


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


def bank_figures(scale: float = 1.0) -> list[Figure]:
    """Time to add a node at 10,000 nodes compared with 1,000, and memory of a session of 10,000 nodes."""
    large, small = round(10_000 * scale), round(1_000 * scale)
    name = f"adding one node to log, layers and indices at {large:,} nodes, against at {small:,}"
    with tempfile.TemporaryDirectory() as folder:
        costs = [_growth(Path(folder) / str(number), small, large) for number in range(_REPEATS)]
        with closing(GrowingBank(Path(folder) / "memory")) as bank:
            memory = traced_memory(partial(bank.add, large))
    return [
        Figure.of(name, "µs", Pairs.of(costs, 1e6), ("within", 1.5)),
        Figure.of(f"memory of a session of {large:,} nodes", "MB", memory, ("most", 200)),
    ]


def _growth(folder: Path, small: int, large: int) -> tuple[float, float]:
    """The growth of banks, each in its own folder and with its own texts, as cached texts would cost nothing."""
    folder.mkdir()
    seeds = count()
    with ExitStack() as banks:

        def make() -> Callable[[int], object]:
            seed = next(seeds)
            return banks.enter_context(closing(GrowingBank(folder / str(seed), seed))).add

        return growth(make, small, large)


class GrowingBank:
    """The log, bank and indices of a session, without the session. Nodes are random; `seed` selects them."""

    def __init__(self, folder: Path, seed: int = 7) -> None:
        folder.mkdir(exist_ok=True)
        self._recorder = Recorder(EventLog(folder), Clock(), {})
        self._recall = NodeIndex(self._recorder.bank, HashEmbedder(384), NoJudge(), RetrievalSettings())
        self._rng = np.random.default_rng(seed)
        self._recorder.record(SessionCreated(session_id="b", doc_id="b", task_goal="", engine={}, settings={}))

    def add(self, count: int) -> None:
        """Add this number of nodes."""
        for _ in range(count):
            self._add_one()
            self._recall.refresh()

    def close(self) -> None:
        """Close the log."""
        self._recorder.log.close()

    def _add_one(self) -> None:
        bank, now = self._recorder.bank, self._recorder.clock.now()
        number, entry_id = len(bank.query_graph), bank.next_id("e")
        place = f"{_PLACES[number % len(_PLACES)].title()} {self._rng.integers(1, 2000)}"
        years = self._rng.integers(1700, 2000, size=len(_VERB_PHRASES))
        claims: list[Claim] = []
        text = ""
        for phrase, year in zip(_VERB_PHRASES, years, strict=True):
            said, start = f"The {place} {phrase} {year}.", len(text)
            claim_id, end = bank.next_id("c", len(claims)), start + len(said)
            claims.append(Claim(id=claim_id, text=said, entry_id=entry_id, start=start, end=end, source="register.txt"))
            text += f"{said} "
        node = Node(
            id=bank.next_id("n"), summary=text, context=place, keywords=(place,), timestamp=now, claims=tuple(claims)
        )
        entry = Entry(id=entry_id, text=text, created_at=now, metadata={"source": "register.txt", "start": 0})
        output, agent = {"summary": text, "claims": [claim.model_dump(mode="json") for claim in claims]}, "structure"
        key = f"{agent}/{node.id}"
        self._recorder.record(
            AgentCalled(key=key, agent=agent, provider="offline", model="hash", output=output, usage=Usage())
        )
        self._recorder.record(NodeCreated(node=node, entry=entry, unit=f"s1.1.{number}"))


def session_figures() -> list[Figure]:
    """Time of the demo from upload to cited answer, each time with an embedder whose cache is empty."""
    parts = [new_parts() for _ in range(_REPEATS)]
    with tempfile.TemporaryDirectory() as folder:
        costs = time_alternating(lambda: _run_demo(Path(folder), parts.pop()), lambda: yardstick(20), _REPEATS)
    name = "the demo from its start to its answer, against fixed work"
    return [Figure.of(name, "s", costs, ("most", _DEMO_LIMIT_SECONDS))]


def _run_demo(sessions: Path, parts: Parts) -> None:
    demo = load_demo()
    session = Session.create(demo.task, demo.documents, demo.sources, sessions=sessions, parts=parts)
    for _event in session.run():
        pass
