"""Research a question in bounded rounds of plan, search, integrate and reflect, with any engine.

Pages are ranked by personalised PageRank (Haveliwala 2002): the pages found, and those they link to. A page links to
another by naming its title. The link weighs more if words of the question surround the name, and if the other page is
similar to the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents import research
from memory_bank.agents.agent import Agent, Engine, Input, Judgement, Output, prompt_language
from memory_bank.search.ranking import fuse
from memory_bank.search.research.library import PageLibrary
from memory_bank.text.parallel import in_order
from memory_bank.text.titles import Mention
from memory_bank.text.tokens import tokenize

DAMPING = 0.5
"""The damping factor: the share of its weight that a page passes on along its links."""
BACKLINK_WEIGHT = 0.2
"""The weight of a link in the opposite direction: that a page names another is some evidence for it."""
SIMILARITY_SHARPNESS, CONTEXT_SHARPNESS = 5.0, 4.0
"""How strongly a link's weight depends on the similarity of its target, and on the words around the name."""
CONTEXT_WORDS = 8
"""Words on either side of a name that count as its context."""
ITERATIONS = 8
"""Iterations; after them the order is stable, for changes shrink to FOLLOWING to this power."""

_Matrix = NDArray[np.float64]
DEPTH = 50
"""Hits per retrieval: a page far down in both rankings may still be the best for a need."""
FIRST_PAGES, NEXT_PAGES = 10, 3
"""Pages kept per need, in the first round and in later ones: the question is broad, a follow-up asks for one thing."""
ROUND_DECAY = 0.5
"""The weight of a round relative to the one before: a follow-up builds on what was found and may miss the point."""
PAGES_PER_ROUND = 5
"""Pages read in full per round."""
KNOWN_PAGES = 10
"""Best pages so far whose abstracts go into a plan."""
PARALLEL_SEARCHES = 8
"""Searches at the same time."""


def research_question(
    library: PageLibrary, engine: Engine, question: str, rounds: int = research.ROUNDS
) -> research.Research:
    """Research a question in a library of pages, which must not change meanwhile.

    `AgentError` if the engine fails to judge.
    """
    inquiry = _Inquiry(library, engine, question)
    requests: tuple[str, ...] = (question,)
    stopped: research.Stopped = "out of rounds"
    for _ in range(rounds):
        found_new_page = inquiry.run_round(requests)
        reflection = inquiry.rounds[-1].reflection
        requests = tuple(request for request in reflection.follow_ups if request not in inquiry.requests)
        if reflection.enough or not requests or not found_new_page:
            stopped = "enough" if reflection.enough else "nothing new"
            break
    return research.Research(question=question, rounds=tuple(inquiry.rounds), pages=inquiry.pages(), stopped=stopped)


class _Inquiry:
    """The state of the research into one question: its rounds so far, and the weights of all pages found."""

    def __init__(self, library: PageLibrary, engine: Engine, question: str) -> None:
        self.rounds: list[research.ResearchRound] = []
        self.requests: list[str] = []
        self._judgements: list[Judgement[Any]] = []  # of the current round
        self._read: set[str] = set()
        self._library = library
        self._engine = engine
        self._question = question
        self._weights: dict[str, float] = {}
        self._ranking: list[str] = []
        self._first_round_hits: list[str] = []

    def pages(self) -> tuple[research.MemoryPage, ...]:
        """The ranked pages, then the other hits of the first round, which searched for the question itself."""
        return tuple(self._library[page_id] for page_id in dict.fromkeys([*self._ranking, *self._first_round_hits]))

    def run_round(self, requests: tuple[str, ...]) -> bool:
        """Carry out one round; return whether it found a page that was not known."""
        self.requests += requests
        plan = self._plan(requests)
        weights = self._search(plan)
        found_new_page = not weights.keys() <= set(self._ranking)
        for page_id, weight in weights.items():
            self._weights[page_id] = self._weights.get(page_id, 0.0) + weight * ROUND_DECAY ** len(self.rounds)
        self._ranking = rank_pages(self._library, self._question, self._weights)
        pages = tuple(self._library[page_id] for page_id in self._ranking[:PAGES_PER_ROUND])
        findings = self._integrate(pages)
        reflection = self._judge(
            research.RESEARCH_REFLECTION,
            research.ReflectionInput(
                question=self._question, findings=findings, pages=pages, requests=tuple(self.requests)
            ),
        )
        self.rounds.append(
            research.ResearchRound(
                requests=requests,
                plan=plan,
                page_ids=tuple(weights),
                findings=findings,
                reflection=reflection,
                calls=tuple(call for judgement in self._judgements for call in judgement.calls),
                remarks=tuple(remark for judgement in self._judgements for remark in judgement.remarks),
            )
        )
        self._judgements.clear()
        return found_new_page

    def _plan(self, requests: tuple[str, ...]) -> research.ResearchPlan:
        """The engine's plan, without page ids that are not in the library."""
        page_ids = dict.fromkeys([*self._library.named_in(requests, self._question), *self._ranking[:KNOWN_PAGES]])
        known = tuple(self._library.abstract(page_id) for page_id in page_ids)
        plan = self._judge(
            research.RESEARCH_PLAN, research.PlanInput(question=self._question, requests=requests, known=known)
        )
        valid = tuple(dict.fromkeys(page_id for page_id in plan.page_ids if page_id in self._library))
        return plan.model_copy(update={"page_ids": valid})

    def _search(self, plan: research.ResearchPlan) -> dict[str, float]:
        """The pages found and their weights, best first. All retrievals run in parallel and are fused for each need.

        A page that the plan names by id weighs as much as one that is first in both retrievals.
        """
        searches = [
            search
            for need in plan.needs
            for search in (
                partial(self._library.search, need.keywords, "keyword", DEPTH),
                partial(self._library.search, need.sentence, "embedding", DEPTH),
            )
        ]
        rankings = list(in_order(searches, PARALLEL_SEARCHES, late=lambda _ranking: None))
        weights = dict.fromkeys(plan.page_ids, 1.0)
        for keyword_and_embedding in zip(rankings[::2], rankings[1::2], strict=True):
            fused = fuse(keyword_and_embedding)
            if not self.rounds:
                self._first_round_hits += fused
            for page_id in list(fused)[: NEXT_PAGES if self.rounds else FIRST_PAGES]:
                weights[page_id] = weights.get(page_id, 0.0) + fused[page_id]
        return {page_id: weights[page_id] for page_id in sorted(weights, key=weights.__getitem__, reverse=True)}

    def _integrate(self, pages: tuple[research.MemoryPage, ...]) -> tuple[research.Finding, ...]:
        """The engine's findings, each with the pages it cites that were shown to it; one without any is dropped."""
        before = self.rounds[-1].findings if self.rounds else ()
        read = tuple(page.id for page in pages if page.id in self._read)
        findings_input = research.FindingsInput(question=self._question, findings=before, pages=pages, read=read)
        self._read |= {page.id for page in pages}
        shown = {page.id for page in pages} | {page_id for finding in before for page_id in finding.page_ids}
        supported = (
            (finding, tuple(page_id for page_id in finding.page_ids if page_id in shown))
            for finding in self._judge(research.RESEARCH_FINDINGS, findings_input).findings
        )
        return tuple(finding.model_copy(update={"page_ids": page_ids}) for finding, page_ids in supported if page_ids)

    def _judge(self, agent: Agent[Input, Output], agent_input: Input) -> Output:
        judgement = self._engine.judge(agent, agent_input, prompt_language(self._question))
        self._judgements.append(judgement)
        return judgement.output


def rank_pages(library: PageLibrary, question: str, page_weights: Mapping[str, float]) -> list[str]:
    """Ids of the weighted pages and of those they name, best first."""
    if not page_weights:
        return []
    named = (
        named_id for page_id in page_weights for mention in library.reading(page_id)[1] for named_id in mention.page_ids
    )
    page_ids = list(dict.fromkeys([*page_weights, *named]))
    start = np.array([page_weights.get(page_id, 0.0) for page_id in page_ids])
    start /= start.sum()
    transitions = _transitions(library, question, page_ids, start)
    weights = start
    for _ in range(ITERATIONS):
        weights = (1 - DAMPING) * start + DAMPING * (weights @ transitions)
    return [page_ids[position] for position in np.argsort(-weights, kind="stable")]


def _transitions(library: PageLibrary, question: str, page_ids: Sequence[str], start: _Matrix) -> _Matrix:
    """The transition matrix, shape (n, n), with rows of sum 1; the row of a page without links is `start`."""
    positions = {page_id: position for position, page_id in enumerate(page_ids)}
    attraction = np.exp(SIMILARITY_SHARPNESS * library.likeness(question, page_ids))
    question_words = set(tokenize(question))
    links = np.zeros((len(page_ids), len(page_ids)))
    for page_id, source in positions.items():
        for named, weight in _links(library, page_id, question_words).items():
            if (target := positions.get(named)) is not None:
                links[source, target] += weight * attraction[target]
                links[target, source] += BACKLINK_WEIGHT * weight * attraction[source]
    sums = links.sum(axis=1, keepdims=True)
    transitions: _Matrix = np.where(sums > 0, links / np.where(sums > 0, sums, 1), start)
    return transitions


def _links(library: PageLibrary, page_id: str, question_words: set[str]) -> dict[str, float]:
    """The pages that a page names, each with the highest weight of its mentions."""
    text, mentions = library.reading(page_id)
    asked = question_words - set(tokenize(library[page_id].title))
    links: dict[str, float] = {}
    for mention in mentions:
        weight = float(np.exp(CONTEXT_SHARPNESS * _context_overlap(text, mention, asked)))
        for named in mention.page_ids:
            links[named] = max(links.get(named, 0.0), weight)
    return links


def _context_overlap(text: Sequence[str], mention: Mention, asked: set[str]) -> float:
    """The share of the words asked for, without the name itself, that occur around a mention."""
    wanted = asked - set(tokenize(" ".join(text[mention.start : mention.end])))
    context = [
        *text[max(0, mention.start - CONTEXT_WORDS) : mention.start],
        *text[mention.end : mention.end + CONTEXT_WORDS],
    ]
    return len(wanted & set(tokenize(" ".join(context)))) / max(len(wanted), 1)
