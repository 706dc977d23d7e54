"""Asking a memory: a question is answered from the nodes that bear on it, with citations. Nothing is changed by it.

Researched in several rounds (section 4), then answered with quotations, or by a model whose sentences are led back to
their passages. Without a model: no key, no network.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from memory_bank.agents.agent import Engine
from memory_bank.agents.attempt import ATTEMPTS
from memory_bank.agents.react import EnhancedPrompt, Framework, Passage, StepResult, WebPage
from memory_bank.agents.research import Finding, Research
from memory_bank.answering import compose_answer
from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CurrentTask, InsightDoc
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Turn
from memory_bank.bank.query_graph import Node
from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.bank.value import Value
from memory_bank.engines.llm.grounding import Grounding, Text
from memory_bank.engines.offline.answering.question import answer
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.errors import AgentError, ToolError
from memory_bank.judgement.judge import shared_judge
from memory_bank.judgement.reader import shared_reader
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.retrieval import NodeText, RetrievalIndex
from memory_bank.modules.returning import Returning
from memory_bank.one_line import one_line
from memory_bank.research.library import MemoryPages
from memory_bank.research.researcher import Researcher
from memory_bank.step_memory import memory_block, task_block
from memory_bank.tools.toolbox import RESEARCH_NODES

SHOWN_NODES = 6
"""Nodes whose digests a model is shown for its answer; it may look at the original texts of any."""


class Asked(Value):
    """A question, its answer, and the nodes that were searched for it, best first.

    `research` tells how they were found: the question itself, then its parts where it has several. `calls` are the
    requests that the answer took where a model wrote it, `remarks` what of it was not to be trusted.
    """

    question: str
    answer: Answer
    nodes: tuple[Node, ...]
    research: tuple[Research, ...]
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def usage(self) -> Usage:
        """What models took, for research and answer."""
        return sum((one.usage for one in self.research), Usage.of(self.calls))


def ask(
    bank: Bank, embedder: Embedder, question: str, engine: Engine | None = None, framework: Framework | None = None
) -> Asked:
    """Answer a question from memory. Nobody may change the bank meanwhile: give it one that stands still.

    `engine` judges what is researched; `framework` writes the answer if it is a model, in two attempts. Else the
    answer quotes.
    """
    memory = _Memory(bank, embedder, engine or OfflineEngine(embedder))
    prompt = _prompt(bank, question)
    written = _write(framework, prompt, memory) if framework is not None and framework.remote else _Written()
    result = written.result or answer(prompt, memory, embedder, shared_judge(), shared_reader())
    return Asked(
        question=question,
        answer=compose_answer(bank, result),
        nodes=memory.searched(),
        research=tuple(memory.researched.values()),
        calls=written.calls,
        remarks=(*written.remarks, *result.remarks),
    )


def _prompt(bank: Bank, question: str) -> EnhancedPrompt:
    task = CurrentTask(id="t1", type="NORMAL", description=question)
    doc = InsightDoc(doc_id=bank.insight_doc.doc_id, task_goal=question, current_task=task)
    return EnhancedPrompt(task=task, insight_doc=doc, nodes=(), left_out=(), conflict=None, text=task_block(doc))


# -- an answer by a model ----------------------------------------------------------------------------------------


class _Written(Value):
    """What a model wrote, what that took, and why there is nothing where there is nothing."""

    result: StepResult | None = None
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()


def _write(framework: Framework, prompt: EnhancedPrompt, memory: _Memory) -> _Written:
    """The model's answer from what research found; nothing where it failed twice, or memory holds nothing."""
    nodes = memory.research(prompt.task.description)[:SHOWN_NODES]
    if not nodes:
        return _Written()
    text = "\n".join([prompt.text, memory.found(prompt.task.description), memory_block(nodes)])
    prompt = prompt.model_copy(update={"nodes": nodes, "text": text})
    turns: list[Turn] = []
    lost: tuple[ModelCall, ...] = ()
    failures: list[AgentError] = []
    while len(failures) < ATTEMPTS and (not failures or failures[-1].retried):
        if failures:
            time.sleep(failures[-1].wait)
        acting = Returning(framework.act(prompt, memory, tuple(turns), failures[-1] if failures else None, len(lost)))
        try:
            turns += (progress for progress in acting if isinstance(progress, Turn))
            return _Written(result=acting.result, calls=(*lost, *_calls(turns)))
        except AgentError as error:
            failures.append(error)
            lost += error.calls
    why = f"The embedded engine answered instead of the model: {failures[-1].reason}"
    return _Written(calls=(*lost, *_calls(turns)), remarks=(Remark(kind="repaired", what=why),))


def _calls(turns: Iterable[Turn]) -> Iterator[ModelCall]:
    return (call for turn in turns for call in turn.calls)


class _Memory:
    """The tools of a step over a memory alone: no reference library, no web. Keeps what was researched.

    It has indices of its own: those of a session that runs are brought up to date by that session only.
    """

    offered = frozenset({"deep_retrieval"})
    web = False
    lasting = None

    def __init__(self, bank: Bank, embedder: Embedder, engine: Engine) -> None:
        self.researched: dict[str, Research] = {}
        self._bank = bank
        self._embedder = embedder
        index = RetrievalIndex(embedder, lambda node_id: NodeText(bank.query_graph[node_id].embedding_text))
        for node in bank.query_graph:
            index.mark(node.id)
        self._pages = MemoryPages(bank, index, embedder)
        self._researcher = Researcher(self._pages.library(), engine)

    def searched(self) -> tuple[Node, ...]:
        """All nodes that were looked through, best first."""
        nodes = (node for found in self.researched.values() for node in self._nodes(found))
        return tuple({node.id: node for node in nodes}.values())

    def research(self, question: str) -> tuple[Node, ...]:
        if question not in self.researched:
            self.researched[question] = self._researcher.research(question)
        return self._nodes(self.researched[question])

    def found(self, question: str) -> str:
        """The facts that research found, each with the nodes that hold its pages, marked up as memory.

        Not those that rest on what was refuted or is in dispute: the answer states that by itself.
        """
        findings = self.researched[question].findings
        lines = [f"- {one_line(one.text)} {self._marks(one)}" for one in findings if self._stands(one)]
        return f"<memory>\n{escape(chr(10).join(lines))}\n</memory>" if lines else ""

    def _stands(self, finding: Finding) -> bool:
        entries = (self._bank.trees.entry(page_id) for page_id in finding.page_ids)
        barred = [claim for conflict in self.conflicts() for claim in conflict.barred]
        texts = [
            Text(
                str(entry.metadata.get("title", "")),
                entry.text,
                entry.id,
                tuple((claim.start, claim.end) for claim in barred if claim.entry_id == entry.id),
            )
            for entry in entries
        ]
        return bool(Grounding(self._embedder, shared_judge()).quotes(finding.text, texts))

    def _marks(self, finding: Finding) -> str:
        nodes = dict.fromkeys(self._bank.trees.node_of(page_id) for page_id in finding.page_ids)
        return "".join(f"[{node_id}]" for node_id in nodes)

    def _nodes(self, found: Research) -> tuple[Node, ...]:
        return self._pages.nodes(found)[:RESEARCH_NODES]

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        return self._bank.trees.entries(self._bank.living(node_id))

    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(self._bank.conflicts.values())

    def search(self, query: str) -> tuple[Passage, ...]:
        del query
        return ()

    def web_search(self, query: str) -> tuple[WebPage, ...]:
        raise ToolError(f"the web cannot be searched for {query!r}: only the memory is asked")

    def visit(self, url: str) -> WebPage:
        raise ToolError(f"{url} cannot be read: only the memory is asked")
