"""A bank that grows as in a session, for `bench`.

Each node is added as in a session: the record of the judgement behind it, then the node with three claims and its
entry, then the update of the indices. Embedding is by hash: no model is measured here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memory_bank.bank.clock import SystemClock
from memory_bank.bank.events import AgentCalled, Event, NodeCreated, SessionCreated
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.usage import Usage
from memory_bank.judgement.judge import NoJudge
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.retrieval import RetrievalSettings
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.recorder import Recorder
from memory_bank.storage.event_log import EventLog

_PLACES = ("mill", "bridge", "tower", "dam", "station", "school", "church", "harbour")
_VERB_PHRASES = ("was built in", "was closed in", "was opened in", "was restored in")


class GrowingBank:
    """The log, bank and indices of a session, without the session. Nodes are random; `seed` selects them."""

    def __init__(self, folder: Path, seed: int = 7) -> None:
        folder.mkdir(exist_ok=True)
        self._recorder = Recorder(EventLog(folder), SystemClock(), {})
        self._recall = NodeIndex(self._recorder.bank, HashEmbedder(384), NoJudge(), RetrievalSettings())
        self._rng = np.random.default_rng(seed)
        self._recorder.record(SessionCreated(session_id="b", doc_id="b", task_goal="", engine={}, settings={}))

    @property
    def events(self) -> Sequence[Event]:
        """All recorded events."""
        return self._recorder.log.events

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
        number = len(bank.query_graph)
        place = f"{_PLACES[number % len(_PLACES)].title()} {self._rng.integers(1, 2000)}"
        years = self._rng.integers(1700, 2000, size=3)
        sentences = [f"The {place} {_VERB_PHRASES[i]} {year}." for i, year in enumerate(years)]
        text = " ".join(sentences)
        starts = [text.index(sentence) for sentence in sentences]
        entry_id = bank.next_id("e")
        claims = tuple(
            Claim(
                id=bank.next_id("c", ahead),
                text=sentence,
                entry_id=entry_id,
                start=start,
                end=start + len(sentence),
                source="register.txt",
            )
            for ahead, (sentence, start) in enumerate(zip(sentences, starts, strict=True))
        )
        node = Node(
            id=bank.next_id("n"), summary=text, context=place, keywords=(place.lower(),), timestamp=now, claims=claims
        )
        entry = Entry(id=entry_id, text=text, created_at=now, metadata={"source": "register.txt", "start": 0})
        output = {"summary": text, "claims": [claim.model_dump(mode="json") for claim in claims]}
        self._recorder.record(
            AgentCalled(
                key=f"structure/{node.id}",
                agent="structure",
                provider="offline",
                model="hash",
                output=output,
                usage=Usage(),
            )
        )
        self._recorder.record(NodeCreated(node=node, entry=entry, unit=f"s1.1.{number}"))
