"""Find the pages of a memory for research: by the index of its nodes, by turn, by title, and by mentions in others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.research import MemoryPage, Research
from memory_bank.bank.bank import Bank
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Node
from memory_bank.bank.spoken import turns_of
from memory_bank.search.dialogue import DialogueIndex, IndexedTurn
from memory_bank.search.embedding import Embedder
from memory_bank.search.ranking import fuse
from memory_bank.search.retrieval import Mode, RetrievalIndex, RetrievalSettings
from memory_bank.text.summary import summarise
from memory_bank.text.titles import Mention, TitleIndex
from memory_bank.text.tokens import tokenize, words

DEPTH = 20
"""Turns per search; several may be of the same page."""
SHARED = 0.5
"""The share of a question's words that a turn must hold if the memory holds more than chats: there is always a most
similar turn, even if nobody talked about the subject."""
ABSTRACT_CHARACTERS = 300


class PageLibrary:
    """Pages that can be added, not removed. Pages with the same title and text are one page, under the first one's id.

    The index does not hold pages but what contains them (nodes): `holder` gives the id of that for a page, `held` its
    pages, since a merge moves pages without changing them. `search_turns` finds pages by the turns of chats in them,
    best first.
    """

    def __init__(
        self,
        index: RetrievalIndex,
        embedder: Embedder,
        holder: Callable[[str], str],
        held: Callable[[str], Iterable[str]],
        search_turns: Callable[[str], Sequence[str]] = lambda _query: (),
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._holder = holder
        self._held = held
        self._search_turns = search_turns
        self._pages: dict[str, MemoryPage] = {}
        self._first: dict[tuple[str, str], str] = {}  # the first page id, by title and text
        self._original: dict[str, str] = {}  # by page id, the id of the first page with its text
        self._copies: dict[str, list[str]] = {}
        self._titles = TitleIndex()
        self._readings: dict[str, tuple[list[str], list[Mention]]] = {}

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, page_id: str) -> bool:
        return page_id in self._pages

    def __getitem__(self, page_id: str) -> MemoryPage:
        return self._pages[page_id]

    def add(self, page: MemoryPage) -> None:
        """Add a page; one whose title and text are known is found under the first one's id."""
        first = self._first.setdefault((page.title, page.text), page.id)
        self._original[page.id] = first
        self._copies.setdefault(first, []).append(page.id)
        if first == page.id:
            self._pages[page.id] = page
            self._titles.add(page.id, page.title)
            self._readings.clear()  # older pages may name the new title

    def copies(self, page_id: str) -> tuple[str, ...]:
        """Ids of all pages with a page's title and text, its own first."""
        return tuple(self._copies[page_id])

    def search(self, query: str, mode: Mode, k: int) -> list[str]:
        """Ids of the pages in `k` hits of the index, fused with the hits among turns; best first, each once."""
        hits = self._index.retrieve(query, RetrievalSettings(k=k, mode=mode))
        by_node = self._originals(page_id for hit in hits for page_id in self._held(hit.id))
        by_turn = self._originals(self._search_turns(query))
        return list(fuse((by_node, by_turn))) if by_turn else by_node

    def _originals(self, page_ids: Iterable[str]) -> list[str]:
        """Replace copies by the first page with their text, each once; unknown ids are dropped."""
        return list(dict.fromkeys(self._original[page_id] for page_id in page_ids if page_id in self._original))

    def likeness(self, question: str, page_ids: Sequence[str]) -> NDArray[np.float64]:
        """The cosine of each page's holder with the question, shape (n,)."""
        if not page_ids:
            return np.zeros(0)
        vectors = np.array([self._index.vector(self._holder(page_id)) for page_id in page_ids], dtype=np.float64)
        likeness: NDArray[np.float64] = vectors @ self._embedder.embed([question])[0].astype(np.float64)
        return likeness

    def named_in(self, texts: Iterable[str], question: str) -> list[str]:
        """Ids of the pages whose titles occur in the texts, most similar to the question first."""
        mentions = (mention for text in texts for mention in self._titles.mentions(words(text)))
        named = list(dict.fromkeys(page_id for mention in mentions for page_id in mention.page_ids))
        return [named[position] for position in np.argsort(-self.likeness(question, named), kind="stable")]

    def abstract(self, page_id: str) -> MemoryPage:
        """A page in one paragraph: its title and its most informative sentences, unchanged."""
        page = self._pages[page_id]
        summary = " ".join(summarise(page.text, ABSTRACT_CHARACTERS).split())
        return MemoryPage(id=page.id, title=page.title, text=f"{page.title}: {summary}" if page.title else summary)

    def reading(self, page_id: str) -> tuple[list[str], list[Mention]]:
        """The words of a page, and the mentions of other pages' titles in them."""
        if page_id not in self._readings:
            text = words(self._pages[page_id].text)
            mentions = [mention for mention in self._titles.mentions(text) if page_id not in mention.page_ids]
            self._readings[page_id] = (text, mentions)
        return self._readings[page_id]


class MemoryPages:
    """The library of a bank's entries. Records of verifications are left out: they claim nothing themselves."""

    def __init__(self, bank: Bank, index: RetrievalIndex, embedder: Embedder) -> None:
        self._bank = bank
        self._entries_read = 0
        self._turns = TurnIndex(embedder)
        self._library = PageLibrary(
            index,
            embedder,
            bank.trees.node_of,
            lambda node_id: (entry.id for entry in bank.trees.entries(node_id)),
            self._turns.search,
        )

    def library(self) -> PageLibrary:
        """The library with all current entries. The bank must not change while the library is used."""
        for entry in islice(self._bank.trees, self._entries_read, None):
            if not entry.records_verification:
                title = str(entry.metadata.get("title", ""))
                self._library.add(MemoryPage(id=entry.id, title=title, text=entry.text))
                self._turns.add(entry)
        self._entries_read = len(self._bank.trees)
        return self._library

    def nodes(self, research: Research) -> tuple[Node, ...]:
        """The nodes that hold the pages of a research, or copies of them, in the order of the pages."""
        entry_ids = (entry_id for page in research.pages for entry_id in self._library.copies(page.id))
        node_ids = dict.fromkeys(self._bank.trees.node_of(entry_id) for entry_id in entry_ids)
        return tuple(self._bank.query_graph[node_id] for node_id in node_ids)


class TurnIndex:
    """All turns of the chats in a memory, in order. Searches from several threads are safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._turns: dict[str, IndexedTurn] = {}
        self._page_of: dict[str, str] = {}
        self._holds_other_entries = False
        self._index: DialogueIndex | None = None
        self._results: dict[str, list[str]] = {}  # by question, which research passes twice
        self._lock = threading.Lock()

    def add(self, entry: Entry) -> None:
        """Add the turns of an entry; an entry without turns is not a chat."""
        spoken = turns_of(entry)
        self._holds_other_entries = self._holds_other_entries or not spoken
        source_id = str(entry.metadata.get("source_id", ""))
        for number, turn in enumerate(spoken):
            text = " ".join(entry.text[turn.said : turn.end].split())
            if text:
                turn_id = f"{entry.id}/{number}"
                sitting = f"{source_id}/{turn.sitting}"
                self._turns[turn_id] = IndexedTurn(turn_id, turn.speaker, text, sitting=sitting, on=turn.day)
                self._page_of[turn_id] = entry.id
                self._index = None
        self._results.clear()

    def search(self, question: str) -> list[str]:
        """Ids of the pages whose turns match the question, best first, each once."""
        if not self._turns:
            return []
        with self._lock:
            if question not in self._results:
                self._results[question] = self._search(question)
            return self._results[question]

    def _search(self, question: str) -> list[str]:
        if self._index is None:
            self._index = DialogueIndex(list(self._turns.values()), self._embedder)
        turn_ids = [hit.id for hit in self._index.retrieve(question, DEPTH)]
        if self._holds_other_entries:
            asked = set(tokenize(question))
            least = SHARED * len(asked)
            turns = (self._turns[turn_id] for turn_id in turn_ids)
            turn_ids = [
                turn.id for turn in turns if len(asked.intersection(tokenize(f"{turn.line} {turn.day}"))) >= least
            ]
        return list(dict.fromkeys(self._page_of[turn_id] for turn_id in turn_ids))
