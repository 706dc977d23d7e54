"""Answers a question from a memory, with citations, without changing the memory.

The memory is researched in several rounds. The session's own framework answers: it quotes, or a model
writes and its sentences are traced back to their passages. Without a model it needs no key and no network.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Literal
from xml.sax.saxutils import escape

from memory_bank.agents.agent import Judgement
from memory_bank.agents.attempt import attempt
from memory_bank.agents.react import EnhancedPrompt, Framework, LibraryPassage, LongTermTools, StepResult, WebPage
from memory_bank.agents.research import Finding, Research
from memory_bank.bank.above import Above
from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.errors import AgentError, ToolError
from memory_bank.bank.insight_doc import CurrentTask, InsightDoc
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import StepTurn
from memory_bank.bank.query_graph import Node
from memory_bank.bank.task_kind import UNDERSTOOD, TaskKind
from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.bank.value import Value
from memory_bank.engines.offline.engine import OfflineFramework
from memory_bank.judgement.conflict_relevance import relevant_conflicts
from memory_bank.judgement.grounding import Grounding, SourceText
from memory_bank.judgement.judge import model_load_error
from memory_bank.judgement.reader import shared_reader
from memory_bank.search.research.library import MemoryPages
from memory_bank.search.research.researcher import research_question
from memory_bank.search.retrieval import NodeText, RetrievalIndex, RetrievalSettings
from memory_bank.session.answering import compose_answer
from memory_bank.session.step_blocks import CONFLICT_TOKENS, conflicts_block, memory_block, task_block
from memory_bank.session.tools.toolbox import RESEARCH_NODES, SEARCH_RESULTS
from memory_bank.session.wiring import Parts
from memory_bank.text.iteration import Returning
from memory_bank.text.wording import Wording, one_line

SHOWN_NODES = 6
"""Nodes whose summaries a model is shown for its answer; it may read the original text of any node."""


class QuestionAnswer(Value):
    """A question, its answer, and the nodes that were found for it, best first.

    `research` says how they were found: by the question itself, then by its parts if it has several. `calls` are the
    requests of the model that wrote the answer, if one did; `remarks` name what in it could not be trusted.
    `understood` is what the embedded engine took the question for, if it answered.
    """

    question: str
    answer: Answer
    nodes: tuple[Node, ...]
    research: tuple[Research, ...]
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()
    understood: TaskKind | None = None

    @property
    def is_refusal(self) -> bool:
        """Whether the answer is only that the embedded engine cannot do what was asked."""
        return self.answer.text == UNDERSTOOD[TaskKind.BEYOND]

    @property
    def usage(self) -> Usage:
        """The model usage of research and answer together."""
        return sum((research.usage for research in self.research), Usage.of(self.calls))


def ask(bank: Bank, parts: Parts, question: str, kind: Literal["auto"] | TaskKind = "auto") -> QuestionAnswer:
    """Answer a question from memory as a session with these parts does. The bank must not change meanwhile.

    A model answers in at most two attempts; then the embedded engine does. `kind` is what that takes the question for.
    """
    memory = _MemoryToolbox(bank, parts)
    task = CurrentTask(id="t1", type="NORMAL", description=question)
    doc = InsightDoc(doc_id=bank.insight_doc.doc_id, task_goal=question, current_task=task)
    prompt = EnhancedPrompt(
        task=task,
        insight_doc=doc,
        nodes=memory.relevant(question),
        left_out=(),
        conflict=None,
        text=task_block(doc),
        kind=None if kind == "auto" else kind,
    )
    by_model = parts.framework.remote
    written = _write(parts.framework, prompt, memory) if by_model else _ModelAnswer()
    result, understood = written.result, None
    if result is None:
        embedded = OfflineFramework(parts.embedder, parts.pair_judge) if by_model else parts.framework
        acting = Returning(embedded.act(prompt, memory))
        for _progress in acting:
            pass
        result = acting.result
        understood = prompt.kind or (None if model_load_error() else shared_reader().kind(question))
    return QuestionAnswer(
        question=question,
        answer=compose_answer(bank, result, task=question, judge=parts.pair_judge),
        nodes=memory.searched(),
        research=tuple(memory.researched.values()),
        calls=written.calls,
        remarks=(*written.remarks, *result.remarks),
        understood=understood,
    )


# -- an answer by a model ----------------------------------------------------------------------------------------


class _ModelAnswer(Value):
    """What a model answered and its requests; without a `result`, `remarks` say why it failed."""

    result: StepResult | None = None
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()


def _write(framework: Framework, prompt: EnhancedPrompt, memory: _MemoryToolbox) -> _ModelAnswer:
    """The model's answer from the research; no result if it failed twice or memory holds nothing."""
    nodes = memory.research(prompt.task.description)[:SHOWN_NODES]
    if not nodes:
        return _ModelAnswer()
    text = "\n".join([prompt.text, *memory.blocks(prompt.task.description, nodes)])
    prompt = prompt.model_copy(update={"nodes": nodes, "text": text})
    turns: list[StepTurn] = []

    def answer(failed: AgentError | None) -> Judgement[StepResult]:
        lost = len(failed.calls) if failed else 0
        acting = Returning(framework.act(prompt, memory, tuple(turns), failed, lost))
        turns.extend(progress for progress in acting if isinstance(progress, StepTurn))
        return Judgement(acting.result, (*_calls(turns), *acting.result.calls))

    attempted = attempt(answer, time.sleep)
    if attempted.judgement is not None:
        return _ModelAnswer(result=attempted.judgement.output, calls=attempted.calls)
    why = Wording("The embedded engine answered instead of the model: {reason}", reason=attempted.failures[-1].reason)
    return _ModelAnswer(calls=(*attempted.calls, *_calls(turns)), remarks=(Remark(kind="repaired", what=why),))


def _calls(turns: Iterable[StepTurn]) -> Iterator[ModelCall]:
    return (call for turn in turns for call in turn.calls)


class _MemoryToolbox:
    """The tools of a step over a memory alone, with what it holds of the references; no web. Caches the research.

    It has indices of its own, because only a running session may update its own indices.
    """

    callable_by_model = frozenset({"deep_retrieval"})
    web = False
    long_term: LongTermTools | None = None

    def __init__(self, bank: Bank, parts: Parts) -> None:
        self.bank = bank
        self.researched: dict[str, Research] = {}
        self._embedder, self._judge = parts.embedder, parts.pair_judge
        self._index = RetrievalIndex(parts.embedder, lambda node_id: NodeText(bank.query_graph[node_id].embedding_text))
        for node in bank.query_graph:
            self._index.mark(node.id)
        self._references = RetrievalIndex(parts.embedder, lambda entry_id: NodeText(bank.trees.entry(entry_id).text))
        for entry in bank.trees:
            source = bank.sources.get(str(entry.metadata.get("source_id")))
            if entry.metadata.get("tool") == "search" or (source is not None and source.role == "reference"):
                self._references.mark(entry.id)  # embedded only if they are searched
        self._pages = MemoryPages(bank, self._index, parts.embedder)
        self._library, self._engine = self._pages.library(), parts.researcher()

    def relevant(self, question: str) -> tuple[Node, ...]:
        """The nodes that a session would show for this task: the best ones with their neighbours."""
        graph = self.bank.query_graph
        best = [hit.id for hit in self._index.retrieve(question, RetrievalSettings())]
        return tuple(graph[node_id] for node_id in (*best, *graph.neighbours(*best)))

    def searched(self) -> tuple[Node, ...]:
        """All nodes found by research, best first."""
        nodes = (node for research in self.researched.values() for node in self._nodes(research))
        return tuple({node.id: node for node in nodes}.values())

    def research(self, question: str) -> tuple[Node, ...]:
        if question not in self.researched:
            self.researched[question] = research_question(self._library, self._engine, question)
        return self._nodes(self.researched[question])

    def blocks(self, question: str, nodes: tuple[Node, ...]) -> list[str]:
        """What the prompt shows: the conflicts about a question with verdicts, the findings on it, and nodes.

        Findings that rest on refuted or disputed claims are left out: the answer states those itself.
        """
        conflicts = relevant_conflicts(question, self.conflicts(), self._embedder)
        lines = []
        for each in filter(self._is_supported, self.researched[question].findings):
            found_in = dict.fromkeys(self.bank.trees.node_of(page_id) for page_id in each.page_ids)
            lines.append(f"- {one_line(each.text)} {''.join(f'[{node_id}]' for node_id in found_in)}")
        return [
            *conflicts_block(self.bank, conflicts, CONFLICT_TOKENS, self._embedder.count_tokens),
            f"<memory>\n{escape(chr(10).join(lines))}\n</memory>" if lines else "",
            memory_block(self.bank, nodes),
        ]

    def _is_supported(self, finding: Finding) -> bool:
        """Whether a passage supports the finding that no conflict bars."""
        entries = (self.bank.trees.entry(page_id) for page_id in finding.page_ids)
        barred = [claim for conflict in self.conflicts() for claim in conflict.barred]
        texts = [
            SourceText(
                str(entry.metadata.get("title", "")),
                entry.text,
                entry.id,
                tuple((claim.start, claim.end) for claim in barred if claim.entry_id == entry.id),
            )
            for entry in entries
        ]
        return bool(Grounding(self._embedder, self._judge).quotes(finding.text, texts))

    def _nodes(self, research: Research) -> tuple[Node, ...]:
        return self._pages.nodes(research)[:RESEARCH_NODES]

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        return self.bank.trees.entries(self.bank.living(node_id))

    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(self.bank.conflicts.values())

    def search(self, query: str) -> tuple[LibraryPassage, ...]:
        """The passages that memory holds of the reference sources, best first."""
        hits = self._references.retrieve(query, RetrievalSettings(k=SEARCH_RESULTS))
        return tuple(_passage(self.bank.trees.entry(hit.id)) for hit in hits)

    def may_ask(self) -> None:
        """A question to memory has no budget."""

    def web_search(self, query: str) -> tuple[WebPage, ...]:
        raise ToolError(f"the web cannot be searched for {query!r}: only the memory is asked")

    def visit(self, url: str) -> WebPage:
        raise ToolError(f"{url} cannot be read: only the memory is asked")


def _passage(entry: Entry) -> LibraryPassage:
    return LibraryPassage(
        source_id=entry.id,  # `start` counts from the beginning of the entry
        source=str(entry.metadata.get("source", "")),
        text=entry.text,
        start=0,
        end=len(entry.text),
        page=entry.page,
        above=Above.of_metadata(entry.metadata),
    )
