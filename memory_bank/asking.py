"""Asking a memory: a question is answered from the nodes that bear on it, with citations. Nothing is changed by it.

Researched in several rounds (section 4) by the embedded engine: no key, no network.
"""

from __future__ import annotations

from memory_bank.agents.react import EnhancedPrompt, Passage, WebPage
from memory_bank.agents.research import Research
from memory_bank.answering import compose_answer
from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CurrentTask
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Node
from memory_bank.bank.value import Value
from memory_bank.engines.offline.answering.question import answer
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.errors import ToolError
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.retrieval import NodeText, RetrievalIndex
from memory_bank.research.library import MemoryPages
from memory_bank.research.researcher import Researcher
from memory_bank.tools.toolbox import RESEARCH_NODES


class Asked(Value):
    """A question, its answer, and the nodes that were searched for it, best first.

    `research` tells how they were found: the question itself, then its parts where it has several.
    """

    question: str
    answer: Answer
    nodes: tuple[Node, ...]
    research: tuple[Research, ...]


def ask(bank: Bank, embedder: Embedder, question: str) -> Asked:
    """Answer a question from memory. Nobody may change the bank meanwhile: give it one that stands still."""
    memory = _Memory(bank, embedder)
    task = CurrentTask(id="t1", type="NORMAL", description=question)
    prompt = EnhancedPrompt(
        task=task, insight_doc=bank.insight_doc, nodes=(), left_out=(), conflict=None, text=question
    )
    result = answer(prompt, memory, embedder)
    return Asked(
        question=question,
        answer=compose_answer(bank, result),
        nodes=memory.searched(),
        research=tuple(memory.researched.values()),
    )


class _Memory:
    """The tools of a step over a memory alone: no reference library, no web. Keeps what was researched.

    It has indices of its own: those of a session that runs are brought up to date by that session only.
    """

    offered = frozenset({"deep_retrieval", "research"})
    web = False

    def __init__(self, bank: Bank, embedder: Embedder) -> None:
        self.researched: dict[str, Research] = {}
        self._bank = bank
        index = RetrievalIndex(embedder, lambda node_id: NodeText(bank.query_graph[node_id].embedding_text))
        for node in bank.query_graph:
            index.mark(node.id)
        self._pages = MemoryPages(bank, index, embedder)
        self._researcher = Researcher(self._pages.library(), OfflineEngine(embedder))

    def searched(self) -> tuple[Node, ...]:
        """All nodes that were looked through, best first."""
        nodes = (node for found in self.researched.values() for node in self._nodes(found))
        return tuple({node.id: node for node in nodes}.values())

    def research(self, question: str) -> tuple[Node, ...]:
        self.researched[question] = self._researcher.research(question)
        return self._nodes(self.researched[question])

    def _nodes(self, found: Research) -> tuple[Node, ...]:
        return self._pages.nodes(found)[:RESEARCH_NODES]

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        return self._bank.trees.entries(node_id)

    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(self._bank.conflicts.values())

    def search(self, query: str) -> tuple[Passage, ...]:
        del query
        return ()

    def web_search(self, query: str) -> tuple[WebPage, ...]:
        raise ToolError(f"the web cannot be searched for {query!r}: only the memory is asked")

    def visit(self, url: str) -> WebPage:
        raise ToolError(f"{url} cannot be read: only the memory is asked")
