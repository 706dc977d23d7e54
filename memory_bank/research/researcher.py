"""The Researcher: plan, search, integrate, reflect, in bounded rounds, whichever engine judges (section 4)."""

from __future__ import annotations

from functools import partial
from typing import Any

from memory_bank.agents.agent import Agent, Engine, Input, Judgement, Output, language_of
from memory_bank.agents.research import (
    RESEARCH_FINDINGS,
    RESEARCH_PLAN,
    RESEARCH_REFLECTION,
    ROUNDS,
    Finding,
    FindingsGiven,
    Page,
    PlanGiven,
    ReflectionGiven,
    Research,
    ResearchPlan,
    ResearchRound,
    Stopped,
)
from memory_bank.modules.parallel import in_order
from memory_bank.modules.rank_fusion import fuse
from memory_bank.research.library import PageLibrary
from memory_bank.research.walk import ordered

DEPTH = 50
"""Hits of each retrieval: what both have far down may still be the best page for a need."""
FIRST_PAGES, NEXT_PAGES = 10, 3
"""Pages that a need brings into the fusion: the question is broad, a follow-up looks for one thing."""
LATER = 0.5
"""What a round weighs against the one before: a follow-up rests on what was found, and may be off the point."""
READ = 5
"""Pages that are read whole in a round."""
KNOWN = 10
"""Pages found so far whose abstracts a plan is made from."""
SIDE_BY_SIDE = 8


class Researcher:
    """Researches questions in a library of pages. Nobody may change the library meanwhile."""

    def __init__(self, library: PageLibrary, engine: Engine, rounds: int = ROUNDS) -> None:
        self._library = library
        self._engine = engine
        self._rounds = rounds

    def research(self, question: str) -> Research:
        """All rounds on a question. `AgentError` where the engine has no judgement."""
        inquiry = _Inquiry(self._library, self._engine, question)
        requests: tuple[str, ...] = (question,)
        stopped: Stopped = "out of rounds"
        for _ in range(self._rounds):
            news = inquiry.go_on(requests)
            reflection = inquiry.rounds[-1].reflection
            requests = tuple(asked for asked in reflection.follow_ups if asked not in inquiry.requests)
            if reflection.enough or not requests or not news:
                stopped = "enough" if reflection.enough else "nothing new"
                break
        return Research(question=question, rounds=tuple(inquiry.rounds), pages=inquiry.pages(), stopped=stopped)


class _Inquiry:
    """One question under way: its rounds so far, and the weight of every page found."""

    def __init__(self, library: PageLibrary, engine: Engine, question: str) -> None:
        self.rounds: list[ResearchRound] = []
        self.requests: list[str] = []
        self._judged: list[Judgement[Any]] = []
        self._read: set[str] = set()
        self._library = library
        self._engine = engine
        self._question = question
        self._weights: dict[str, float] = {}
        self._order: list[str] = []
        self._like_the_question: list[str] = []

    def pages(self) -> tuple[Page, ...]:
        """The pages found, in the order of fusion and links; then what else is like the question."""
        return tuple(self._library[page_id] for page_id in dict.fromkeys([*self._order, *self._like_the_question]))

    def go_on(self, requests: tuple[str, ...]) -> bool:
        """Carry out one round; whether it found a page that was not known."""
        self.requests += requests
        plan = self._plan(requests)
        found = self._search(plan)
        news = not found.keys() <= set(self._order)
        for page_id, weight in found.items():
            self._weights[page_id] = self._weights.get(page_id, 0.0) + weight * LATER ** len(self.rounds)
        self._order = ordered(self._library, self._question, self._weights)
        pages = tuple(self._library[page_id] for page_id in self._order[:READ])
        findings = self._integrate(pages)
        given = ReflectionGiven(question=self._question, findings=findings, pages=pages, requests=tuple(self.requests))
        reflection = self._judge(RESEARCH_REFLECTION, given)
        self.rounds.append(
            ResearchRound(
                requests=requests,
                plan=plan,
                page_ids=tuple(found),
                findings=findings,
                reflection=reflection,
                calls=tuple(call for judgement in self._judged for call in judgement.calls),
                remarks=tuple(remark for judgement in self._judged for remark in judgement.remarks),
            )
        )
        self._judged.clear()
        return news

    def _plan(self, requests: tuple[str, ...]) -> ResearchPlan:
        """The engine's plan, without page ids that are none."""
        page_ids = dict.fromkeys([*self._library.named_in(requests, self._question), *self._order[:KNOWN]])
        known = tuple(self._library.abstract(page_id) for page_id in page_ids)
        plan = self._judge(RESEARCH_PLAN, PlanGiven(question=self._question, requests=requests, known=known))
        real = tuple(dict.fromkeys(page_id for page_id in plan.page_ids if page_id in self._library))
        return plan.model_copy(update={"page_ids": real})

    def _search(self, plan: ResearchPlan) -> dict[str, float]:
        """The pages found and their weights, best first: all retrievals side by side, fused for each need.

        A page that is opened by its id weighs as much as one that is first in both retrievals.
        """
        searches = [
            search
            for need in plan.needs
            for search in (
                partial(self._library.search, need.keywords, "keyword", DEPTH),
                partial(self._library.search, need.sentence, "embedding", DEPTH),
            )
        ]
        rankings = list(in_order(searches, SIDE_BY_SIDE, late=lambda _ranking: None))
        found = dict.fromkeys(plan.page_ids, 1.0)
        for both in zip(rankings[::2], rankings[1::2], strict=True):
            fused = fuse(both)
            if not self.rounds:
                self._like_the_question += fused
            for page_id in list(fused)[: NEXT_PAGES if self.rounds else FIRST_PAGES]:
                found[page_id] = found.get(page_id, 0.0) + fused[page_id]
        return {page_id: found[page_id] for page_id in sorted(found, key=found.__getitem__, reverse=True)}

    def _integrate(self, pages: tuple[Page, ...]) -> tuple[Finding, ...]:
        """The engine's findings, each with those of its pages that it was shown; without any it is not kept."""
        before = self.rounds[-1].findings if self.rounds else ()
        read = tuple(page.id for page in pages if page.id in self._read)
        given = FindingsGiven(question=self._question, findings=before, pages=pages, read=read)
        self._read |= {page.id for page in pages}
        shown = {page.id for page in pages} | {page_id for finding in before for page_id in finding.page_ids}
        supported = (
            (finding, tuple(page_id for page_id in finding.page_ids if page_id in shown))
            for finding in self._judge(RESEARCH_FINDINGS, given).findings
        )
        return tuple(finding.model_copy(update={"page_ids": real}) for finding, real in supported if real)

    def _judge(self, agent: Agent[Input, Output], given: Input) -> Output:
        judgement = self._engine.judge(agent, given, language_of(self._question))
        self._judged.append(judgement)
        return judgement.output
