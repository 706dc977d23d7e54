"""The pages of a memory, as research finds them: by the index of its nodes, by title, and by what names them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.research import Abstract, Page, Research
from memory_bank.bank.bank import Bank
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Node
from memory_bank.engines.offline.summary import summarise
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.rank_fusion import fuse
from memory_bank.modules.retrieval import Mode, RetrievalIndex, RetrievalSettings
from memory_bank.modules.titles import Mention, TitleIndex
from memory_bank.modules.tokens import words
from memory_bank.research.told import Told

ABSTRACT_CHARACTERS = 300


class PageLibrary:
    """Pages that come and never go. The index finds what holds them; a text that came twice is one page, the first.

    `holder` names what holds a page in the index, `held` the pages of it: a merge moves pages, and changes none. `told`
    gives pages by what was said in them, best first.
    """

    def __init__(
        self,
        index: RetrievalIndex,
        embedder: Embedder,
        holder: Callable[[str], str],
        held: Callable[[str], Iterable[str]],
        told: Callable[[str], Sequence[str]] = lambda _query: (),
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._holder = holder
        self._held = held
        self._told = told
        self._pages: dict[str, Page] = {}
        self._first: dict[tuple[str, str], str] = {}  # by title and text
        self._same: dict[str, str] = {}  # by page id, the page that has its text
        self._copies: dict[str, list[str]] = {}
        self._titles = TitleIndex()
        self._read: dict[str, tuple[list[str], list[Mention]]] = {}

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, page_id: str) -> bool:
        return page_id in self._pages

    def __getitem__(self, page_id: str) -> Page:
        return self._pages[page_id]

    def add(self, page: Page) -> None:
        """Take a page; one whose text is here already is found under the first one's id."""
        first = self._first.setdefault((page.title, page.text), page.id)
        self._same[page.id] = first
        self._copies.setdefault(first, []).append(page.id)
        if first == page.id:
            self._pages[page.id] = page
            self._titles.add(page.id, page.title)
            self._read.clear()  # older pages may name the new title

    def copies(self, page_id: str) -> tuple[str, ...]:
        """Ids of all that came with a page's text, itself first."""
        return tuple(self._copies[page_id])

    def search(self, query: str, mode: Mode, k: int) -> list[str]:
        """Ids of the pages that `k` hits of the index hold, fused with what was said in them, best first, each once."""
        hits = self._index.retrieve(query, RetrievalSettings(k=k, mode=mode))
        held = self._known(page_id for hit in hits for page_id in self._held(hit.id))
        told = self._known(self._told(query))
        return list(fuse((held, told))) if told else held

    def _known(self, page_ids: Iterable[str]) -> list[str]:
        """The pages that have the texts of some, each once."""
        return list(dict.fromkeys(self._same[page_id] for page_id in page_ids if page_id in self._same))

    def likeness(self, question: str, page_ids: Sequence[str]) -> NDArray[np.float64]:
        """The cosine of each page's holder to the question, shape (n,)."""
        if not page_ids:
            return np.zeros(0)
        vectors = np.array([self._index.vector(self._holder(page_id)) for page_id in page_ids], dtype=np.float64)
        likeness: NDArray[np.float64] = vectors @ self._embedder.embed([question])[0].astype(np.float64)
        return likeness

    def named_in(self, texts: Iterable[str], question: str) -> list[str]:
        """Ids of the pages whose titles some texts name, the likest to the question first."""
        mentions = (mention for text in texts for mention in self._titles.mentions(words(text)))
        named = list(dict.fromkeys(page_id for mention in mentions for page_id in mention.page_ids))
        return [named[place] for place in np.argsort(-self.likeness(question, named), kind="stable")]

    def abstract(self, page_id: str) -> Abstract:
        """A page in a paragraph: its title and its most telling sentences, as they stand in it."""
        page = self._pages[page_id]
        telling = " ".join(summarise(page.text, ABSTRACT_CHARACTERS).split())
        return Abstract(id=page.id, title=page.title, text=f"{page.title}: {telling}" if page.title else telling)

    def reading(self, page_id: str) -> tuple[list[str], list[Mention]]:
        """The words of a page, and the titles of others that they name."""
        if page_id not in self._read:
            page = self._pages[page_id]
            text = words(page.text)
            others = [m for m in self._titles.mentions(text) if page_id not in m.page_ids]
            self._read[page_id] = (text, others)
        return self._read[page_id]


class MemoryPages:
    """The library of a bank: its entries, read as they come. Records of verifications are none: they make no claim."""

    def __init__(self, bank: Bank, index: RetrievalIndex, embedder: Embedder) -> None:
        self._bank = bank
        self._seen = 0
        self._told = Told(embedder)
        self._library = PageLibrary(
            index,
            embedder,
            bank.trees.node_of,
            lambda node_id: (entry.id for entry in bank.trees.entries(node_id)),
            self._told.search,
        )

    def library(self) -> PageLibrary:
        """The library, with all entries there are now. Nobody may change the bank while it is used."""
        for entry in islice(self._bank.trees, self._seen, None):
            if "conflict_id" not in entry.metadata:
                self._library.add(_page(entry))
                self._told.add(entry)
        self._seen = len(self._bank.trees)
        return self._library

    def nodes(self, research: Research) -> tuple[Node, ...]:
        """The nodes that hold the pages of a research and their copies, in the pages' order."""
        entry_ids = (entry_id for page in research.pages for entry_id in self._library.copies(page.id))
        node_ids = dict.fromkeys(self._bank.trees.node_of(entry_id) for entry_id in entry_ids)
        return tuple(self._bank.query_graph[node_id] for node_id in node_ids)


def _page(entry: Entry) -> Page:
    return Page(id=entry.id, title=str(entry.metadata.get("title", "")), text=entry.text)
