"""Research: what is still needed, what the pages say of it, and whether that is enough (section 4).

The loop that asks these three judgements is `research/researcher.py`. Page ids are those of entries: small, stable,
and checked by the loop, whoever judges.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from memory_bank.agents.agent import Agent
from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.bank.value import Id, Value

RESEARCH = "research"
"""The three are set as one agent: they share its model."""
RESEARCH_TEMPERATURE, RESEARCH_TOP_P = 0.3, 0.9

MOST_PAGE_IDS = 5
MOST_FOLLOW_UPS = 5
ROUNDS = 3

Stopped = Literal["enough", "nothing new", "out of rounds"]


class Abstract(Value):
    """A page in a paragraph that stands alone."""

    id: Id
    title: str
    text: str


class Page(Value):
    """An entry as it is researched: its text whole, under the title of its document (empty where it has none)."""

    id: Id
    title: str
    text: str


class Need(Value):
    """A fact still needed, and how it is looked for: short literal keywords, and a sentence for its meaning."""

    fact: str
    keywords: str
    sentence: str


class PlanGiven(Value):
    """The question, the requests of this round (at first the question itself), and the pages known by abstract.

    Known are the pages found so far, best first, and those that bear a title which a request names.
    """

    question: str
    requests: tuple[str, ...]
    known: tuple[Abstract, ...]


class ResearchPlan(Value):
    """What to look for, most important first, and which known pages to open."""

    needs: tuple[Need, ...]
    page_ids: Annotated[tuple[str, ...], Field(max_length=MOST_PAGE_IDS)] = ()


class Finding(Value):
    """A fact that serves the question, and the pages that support it."""

    text: str
    page_ids: Annotated[tuple[str, ...], Field(min_length=1)]


class FindingsGiven(Value):
    """The question, what was found before this round, and the best pages, whole, best first.

    `read` are the ids of those of them that an earlier round has read.
    """

    question: str
    findings: tuple[Finding, ...]
    pages: tuple[Page, ...]
    read: tuple[Id, ...] = ()


class Findings(Value):
    """The running result. No opinion, and nothing that no page supports."""

    findings: tuple[Finding, ...]


class ReflectionGiven(Value):
    """The question, the result so far, the pages behind it, and all requests made so far."""

    question: str
    findings: tuple[Finding, ...]
    pages: tuple[Page, ...]
    requests: tuple[str, ...]


class Reflection(Value):
    """Whether that is enough to answer in full; if not, requests that stand alone, most critical first."""

    enough: bool
    follow_ups: Annotated[tuple[str, ...], Field(max_length=MOST_FOLLOW_UPS)] = ()


class ResearchRound(Value):
    """One round: what was asked for, how it was looked for, the pages that this found, and what came of them.

    `calls` are the requests that it took where a model judged, `remarks` what of input and output was changed.
    """

    requests: tuple[str, ...]
    plan: ResearchPlan
    page_ids: tuple[Id, ...]
    findings: tuple[Finding, ...]
    reflection: Reflection
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Research(Value):
    """A question researched: its rounds, all pages found in their final order, and why it ended.

    "enough": the question can be answered in full; "nothing new": no request was left, or the last round found no
    page that was not known; "out of rounds": there was more to ask.
    """

    question: str
    rounds: tuple[ResearchRound, ...]
    pages: tuple[Page, ...]
    stopped: Stopped

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The result after the last round."""
        return self.rounds[-1].findings if self.rounds else ()

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What of input and output was changed, in all rounds."""
        return tuple(remark for one in self.rounds for remark in one.remarks)

    @property
    def usage(self) -> Usage:
        """What models took for it."""
        return Usage.of(tuple(call for one in self.rounds for call in one.calls))


RESEARCH_PLAN = Agent("research_plan", PlanGiven, ResearchPlan, RESEARCH_TEMPERATURE, RESEARCH_TOP_P)
RESEARCH_FINDINGS = Agent("research_findings", FindingsGiven, Findings, RESEARCH_TEMPERATURE, RESEARCH_TOP_P)
RESEARCH_REFLECTION = Agent("research_reflection", ReflectionGiven, Reflection, RESEARCH_TEMPERATURE, RESEARCH_TOP_P)
