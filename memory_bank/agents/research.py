"""Research: plan what is still needed, collect findings from pages, decide whether they suffice.

`search/research/researcher.py` runs these three judgements in a loop. Page ids are entry ids: short, stable, and
checked by the loop, whichever engine judges.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from memory_bank.agents.agent import Agent
from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.bank.value import Id, Value

RESEARCH = "research"
"""The name under which the three judgements share their settings, including the model."""
RESEARCH_TEMPERATURE, RESEARCH_TOP_P = 0.3, 0.9

MOST_PAGE_IDS = 5
MOST_FOLLOW_UPS = 5
ROUNDS = 3

Stopped = Literal["enough", "nothing new", "out of rounds"]


class MemoryPage(Value):
    """An entry as research sees it: its whole text, and the title of its document (empty if there is none)."""

    id: Id
    title: str
    text: str


class Need(Value):
    """A fact still needed, and how to search for it: a few literal keywords, and a sentence for its meaning."""

    fact: str
    keywords: str
    sentence: str


class PlanInput(Value):
    """The question, the requests of this round (in the first, the question itself), and the `known` pages.

    Known are the pages whose titles occur in a request, and the best pages found so far; their text is an abstract.
    """

    question: str
    requests: tuple[str, ...]
    known: tuple[MemoryPage, ...]


class ResearchPlan(Value):
    """What to search for, most important first, and which known pages to open."""

    needs: tuple[Need, ...]
    page_ids: Annotated[tuple[str, ...], Field(max_length=MOST_PAGE_IDS)] = ()


class Finding(Value):
    """A fact that helps to answer the question, and the pages that support it."""

    text: str
    page_ids: Annotated[tuple[str, ...], Field(min_length=1)]


class FindingsInput(Value):
    """The question, the findings before this round, and the best pages in full, best first.

    `read` are the ids of those pages that an earlier round has read.
    """

    question: str
    findings: tuple[Finding, ...]
    pages: tuple[MemoryPage, ...]
    read: tuple[Id, ...] = ()


class Findings(Value):
    """All findings so far: no opinions, and nothing that no page supports."""

    findings: tuple[Finding, ...]


class ReflectionInput(Value):
    """The question, the findings so far, the pages of this round, and all requests so far."""

    question: str
    findings: tuple[Finding, ...]
    pages: tuple[MemoryPage, ...]
    requests: tuple[str, ...]


class Reflection(Value):
    """Whether the findings answer the question in full; if not, self-contained requests, most critical first."""

    enough: bool
    follow_ups: Annotated[tuple[str, ...], Field(max_length=MOST_FOLLOW_UPS)] = ()


class ResearchRound(Value):
    """One round: its requests, the plan for them, the pages found, the findings from them, and the reflection.

    `calls` are the requests to a model, if one judged; `remarks` say what was changed in input and output.
    """

    requests: tuple[str, ...]
    plan: ResearchPlan
    page_ids: tuple[Id, ...]
    findings: tuple[Finding, ...]
    reflection: Reflection
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Research(Value):
    """The research into a question: its rounds, all pages found in their final order, and why it stopped.

    "enough": the question can be answered in full. "nothing new": no request was left, or the last round found no
    new page. "out of rounds": there was more to ask.
    """

    question: str
    rounds: tuple[ResearchRound, ...]
    pages: tuple[MemoryPage, ...]
    stopped: Stopped

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings after the last round."""
        return self.rounds[-1].findings if self.rounds else ()

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What was changed in input and output, in all rounds."""
        return tuple(remark for research_round in self.rounds for remark in research_round.remarks)

    @property
    def usage(self) -> Usage:
        """The usage of models in all rounds."""
        return Usage.of(tuple(call for research_round in self.rounds for call in research_round.calls))


RESEARCH_PLAN = Agent("research_plan", PlanInput, ResearchPlan, RESEARCH_TEMPERATURE, RESEARCH_TOP_P)
RESEARCH_FINDINGS = Agent("research_findings", FindingsInput, Findings, RESEARCH_TEMPERATURE, RESEARCH_TOP_P)
RESEARCH_REFLECTION = Agent("research_reflection", ReflectionInput, Reflection, RESEARCH_TEMPERATURE, RESEARCH_TOP_P)
