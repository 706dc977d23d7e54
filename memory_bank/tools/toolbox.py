"""The tools of a step, over the bank and the reference library of one session, and the web."""

from __future__ import annotations

import threading

from memory_bank.agents.agent import Engine
from memory_bank.agents.react import Lasting, Passage, WebPage
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Node
from memory_bank.errors import ToolError
from memory_bank.one_line import one_line
from memory_bank.recall import Recall
from memory_bank.research.library import MemoryPages
from memory_bank.research.researcher import Researcher
from memory_bank.tools.lasting import LASTING
from memory_bank.tools.named import NamedAddresses
from memory_bank.tools.reference_library import ReferenceLibrary
from memory_bank.tools.web import NO_WEB, Web

SEARCH_RESULTS = 5
RESEARCH_NODES = 12
WITHOUT_KEY = frozenset({"deep_retrieval", "search", "research"})
VISIT = frozenset({"visit"})


class Toolbox:
    """What the acting agent may call. Safe to use from several threads, as long as nothing changes the bank."""

    def __init__(
        self,
        bank: Bank,
        recall: Recall,
        library: ReferenceLibrary,
        engine: Engine,
        web: Web = NO_WEB,
        lasting: Lasting | None = None,
    ) -> None:
        """`engine` makes the judgements of research."""
        self._bank = bank
        self._recall = recall
        self._library = library
        self._engine = engine
        self._pages = MemoryPages(bank, recall.index, recall.embedder)
        self._web = web
        self._named = NamedAddresses(bank)
        self.lasting = lasting
        self._indices = threading.Lock()  # both are brought up to date by whoever asks first
        self._researching = threading.Lock()  # one question after another, while others search the library

    @property
    def offered(self) -> frozenset[str]:
        """Names of the tools that a model may call."""
        return WITHOUT_KEY | (VISIT if self._web.can_visit else set()) | (LASTING if self.lasting else set())

    @property
    def web(self) -> bool:
        """Whether the web can be searched."""
        return self._web.can_search

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        """Every entry of a node's trees, oldest first; none for a node that does not live."""
        return self._bank.trees.entries(self._bank.living(node_id))

    def search(self, query: str) -> tuple[Passage, ...]:
        """Passages of the reference library, best first."""
        with self._indices:
            found = self._library.search(query, SEARCH_RESULTS)
        self._named.note(*(passage.text for passage in found))
        return found

    def web_search(self, query: str) -> tuple[WebPage, ...]:
        """Pages of the web with a snippet of each, best first. `ToolError` when they cannot be had."""
        found = self._web.search(query)
        self._named.note(*(text for page in found for text in (page.url, page.text)))
        return found

    def visit(self, url: str) -> WebPage:
        """The text of a page of the web. `ToolError` when nothing names it, it is not public or cannot be had."""
        url = url.replace("&amp;", "&")  # as prompts write it
        if self._web.can_visit and url not in self._named:
            shown = repr(one_line(url)[:200])
            raise ToolError(
                f"{shown} is not read: nothing that was read names this address. Search for the page first."
            )
        page = self._web.visit(url)
        self._named.note(page.text)
        return page

    def research(self, question: str) -> tuple[Node, ...]:
        """Nodes of the memory that bear on a question, best first: those that hold the pages researched."""
        with self._researching:
            with self._indices:
                self._recall.refresh()
                pages = self._pages.library()
            found = Researcher(pages, self._engine).research(question)
            return self._pages.nodes(found)[:RESEARCH_NODES]

    def conflicts(self) -> tuple[Conflict, ...]:
        """Every conflict found so far, oldest first, with how it stands."""
        return tuple(self._bank.conflicts.values())
