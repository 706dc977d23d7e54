"""The tools of a step over the bank and reference library of a session, the web, and long-term memory."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memory_bank.agents.agent import Engine
from memory_bank.agents.react import VISIT, LibraryPassage, LongTermTools, WebPage
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.errors import ToolError
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Node
from memory_bank.search.research.library import MemoryPages
from memory_bank.search.research.researcher import research_question
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.remembering import LONG_TERM_TOOLS
from memory_bank.session.tools.reference_library import ReferenceLibrary
from memory_bank.session.tools.url_allowlist import UrlAllowlist
from memory_bank.session.tools.web import NO_WEB, Web
from memory_bank.text.wording import one_line

SEARCH_RESULTS = 5
RESEARCH_NODES = 48
"""Most nodes of a research: all of a small memory, so that no answer is missed for how its node is worded."""
NEEDS_NO_KEY = frozenset({"deep_retrieval", "search", "research"})


class Toolbox:
    """The tools that the acting agent may call. Thread-safe as long as nothing changes the bank."""

    def __init__(  # noqa: PLR0913 - each is a part of the session that one of the tools needs
        self,
        bank: Bank,
        recall: NodeIndex,
        library: ReferenceLibrary,
        engine: Engine,
        web: Web = NO_WEB,
        long_term: LongTermTools | None = None,
        *,
        may_ask: Callable[[], None] = lambda: None,
    ) -> None:
        """`engine` makes the judgements of the research; `may_ask` raises `BudgetError` once the budget is spent."""
        self._bank = bank
        self._recall = recall
        self._library = library
        self._engine = engine
        self._pages = MemoryPages(bank, recall.index, recall.embedder)
        self._web = web
        self._allowed = UrlAllowlist(bank)
        self.web = web.can_search
        self.long_term = long_term
        beyond = ({VISIT} if web.can_visit else frozenset()) | (LONG_TERM_TOOLS if long_term else frozenset())
        self.callable_by_model = NEEDS_NO_KEY | beyond
        self.may_ask = may_ask
        self._index_lock = threading.Lock()  # the first search updates the indices
        self._research_lock = threading.Lock()  # one research at a time; meanwhile others may search the library

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        """Every entry of a node's trees, oldest first; none for an unknown node."""
        return self._bank.trees.entries(self._bank.living(node_id))

    def search(self, query: str) -> tuple[LibraryPassage, ...]:
        """Passages of the reference library, best first."""
        with self._index_lock:
            passages = self._library.search(query, SEARCH_RESULTS)
        self._allowed.note(*(passage.text for passage in passages))
        return passages

    def web_search(self, query: str) -> tuple[WebPage, ...]:
        """Web pages with a snippet of each, best first. `ToolError` if the search fails."""
        pages = self._web.search(query)
        self._allowed.note(*(text for page in pages for text in (page.url, page.text)))
        return pages

    def visit(self, url: str) -> WebPage:
        """The text of a web page. `ToolError` if nothing that was read names it, or it is private or unavailable."""
        url = url.replace("&amp;", "&")  # as prompts write it
        if self._web.can_visit and url not in self._allowed:
            shown = repr(one_line(url)[:200])
            raise ToolError(
                f"{shown} is not read: nothing that was read names this address. Search for the page first."
            )
        page = self._web.visit(url)
        self._allowed.note(page.text)
        return page

    def research(self, question: str) -> tuple[Node, ...]:
        """The nodes relevant to a question, best first: those that hold the pages found by research."""
        with self._research_lock:
            with self._index_lock:
                self._recall.refresh()
                pages = self._pages.library()
            research = research_question(pages, self._engine, question)
            return self._pages.nodes(research)[:RESEARCH_NODES]

    def conflicts(self) -> tuple[Conflict, ...]:
        """Every conflict so far, oldest first, with its status."""
        return tuple(self._bank.conflicts.values())
