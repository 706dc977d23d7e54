"""Research on a model: what to look for, what the pages say, and what is missing; checked against what was shown.

Pages go by small numbers. A fact stays only where a passage of a page bears it, and with the pages of such passages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from memory_bank.agents.research import (
    MOST_FOLLOW_UPS,
    MOST_PAGE_IDS,
    Finding,
    Findings,
    FindingsGiven,
    Need,
    PlanGiven,
    Reflection,
    ReflectionGiven,
    ResearchPlan,
)
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.grounding import Grounding, Text
from memory_bank.engines.llm.prompt import as_written
from memory_bank.engines.llm.research_prompt import (
    Part,
    Task,
    abstract_piece,
    bearing_on,
    line_piece,
    page_piece,
    question_piece,
    system,
    user,
)
from memory_bank.engines.llm.window import Piece, brief, fit
from memory_bank.one_line import one_line

MOST_NEEDS = 8
MOST_FINDINGS = 20
REQUEST_CHARACTERS = 300
FINDING_CHARACTERS = 500
EXCERPT_TOKENS = 200
"""Tokens that are shown of a page that was read: enough for the names that it leads to."""


class NeededFact(BaseModel):
    """A fact to look for."""

    fact: str = Field(description="the fact that is needed, in a few words")
    keywords: str = Field(description="two to six words that stand in the text itself")
    sentence: str = Field(description="the fact as a document would state it, without the unknown value")


class PlanReply(BaseModel):
    """What the model answers to a plan's prompt."""

    needs: list[NeededFact] = Field(description="most important first, at most 8")
    open_pages: list[int] = Field(description="numbers of pages listed that are to be read whole, at most 5")


class FoundFact(BaseModel):
    """A fact, and where it stands."""

    text: str = Field(description="one fact in one sentence that stands alone, in the words of the page")
    pages: list[int] = Field(description="numbers of the pages that state it")


class FindingsReply(BaseModel):
    """What the model answers when it has read pages."""

    findings: list[FoundFact] = Field(description="the whole result, most important first; may be empty")


class ReflectionReply(BaseModel):
    """What the model answers when it reflects."""

    missing: str = Field(description="what a full answer still lacks; empty when nothing")
    enough: bool = Field(description="true only when every part of the question is answered by the facts found")
    follow_ups: list[str] = Field(description="at most 5 requests that stand alone, most critical first; may be empty")


# -- what to look for --------------------------------------------------------------------------------------------


def plan_research(given: PlanGiven, consultation: Consultation) -> ResearchPlan:
    """Each request as it stands, then what the model adds. `InvalidOutputError` for a plan that names nothing."""
    asked = [text for text in given.requests if text != given.question]
    known = [abstract_piece(number, abstract) for number, abstract in enumerate(given.known, start=1)]
    parts: list[Part] = [
        ("question", [question_piece(given.question)]),
        *([("requests", [line_piece(f"request {n}", text) for n, text in enumerate(asked, start=1)])] if asked else []),
        ("known", known),
    ]
    instructions, prompt, shown_ids = _fitted("plan", consultation, parts, spared=len(known))
    reply = consultation.ask(instructions, prompt, PlanReply)
    shown = {number: one.id for number, one in enumerate(given.known, start=1) if one.id in shown_ids}
    page_ids = _opened(reply.open_pages, shown, consultation)
    needs = _needs(reply.needs, consultation)
    if not needs and not page_ids:
        consultation.refuse("the plan names nothing to look for, and no page to open")
    as_asked = (Need(fact=text, keywords=text, sentence=text) for text in given.requests)
    return ResearchPlan(needs=(*as_asked, *needs), page_ids=page_ids)


def _needs(found: Sequence[NeededFact], consultation: Consultation) -> list[Need]:
    """What is to be looked for; where one of the three was left empty, another stands in."""
    needs: dict[tuple[str, str], Need] = {}
    for one in found:
        fact, keywords, sentence = (_request(text) for text in (one.fact, one.keywords, one.sentence))
        said = sentence or fact or keywords
        if said:
            need = Need(fact=fact or said, keywords=keywords or said, sentence=said)
            needs.setdefault((need.keywords, need.sentence), need)
    if len(needs) > MOST_NEEDS:
        consultation.remark("dropped", f"what was to be looked for after the first {MOST_NEEDS}")
    return list(needs.values())[:MOST_NEEDS]


def _opened(numbers: Sequence[int], shown: Mapping[int, str], consultation: Consultation) -> tuple[str, ...]:
    """The ids of the pages that are to be opened."""
    page_ids = [shown[number] for number in dict.fromkeys(numbers) if number in shown]
    _drop_unknown(numbers, shown, consultation)
    if len(page_ids) > MOST_PAGE_IDS:
        dropped = ", ".join(page_ids[MOST_PAGE_IDS:])
        consultation.remark("dropped", f"pages after the first {MOST_PAGE_IDS} that were to be opened: {dropped}")
    return tuple(page_ids[:MOST_PAGE_IDS])


# -- what the pages say ------------------------------------------------------------------------------------------


def find(given: FindingsGiven, consultation: Consultation, grounding: Grounding) -> Findings:
    """The result, with what the pages bear of it. `InvalidOutputError` when they bear nothing of what was said."""
    if {page.id for page in given.pages} <= set(given.read):
        return Findings(findings=given.findings)  # nothing to read, so nothing to ask
    earlier = dict.fromkeys(page_id for finding in given.findings for page_id in finding.page_ids)
    numbered = dict(enumerate(dict.fromkeys([*(page.id for page in given.pages), *earlier]), start=1))
    numbers = {page_id: number for number, page_id in numbered.items()}
    parts: list[Part] = [
        ("question", [question_piece(given.question)]),
        ("found", _found_pieces(given.findings, numbers)),
        ("pages", _pages(given, given.read, consultation)),
    ]
    instructions, prompt, _shown = _fitted("find", consultation, parts)
    reply = consultation.ask(instructions, prompt, FindingsReply)
    findings = _Bearing(given, numbered, grounding, consultation).borne(reply.findings)
    if reply.findings and not findings:
        consultation.refuse("no page bears any of the findings; give only what the pages say, in their own words")
    return Findings(findings=tuple(findings))


def _found_pieces(findings: Sequence[Finding], numbers: Mapping[str, int]) -> list[Piece]:
    """The result so far, line by line, with the numbers of its pages."""
    return [
        line_piece(
            f"finding {place}", f"{one.text} ({', '.join(f'page {numbers[page_id]}' for page_id in one.page_ids)})"
        )
        for place, one in enumerate(findings, start=1)
    ]


class _Bearing:
    """What the pages that were shown bear: their own sentences, and what was found on pages of earlier rounds."""

    def __init__(
        self,
        given: FindingsGiven,
        numbered: Mapping[int, str],
        grounding: Grounding,
        consultation: Consultation,
    ) -> None:
        self._numbered = numbered
        self._grounding = grounding
        self._consultation = consultation
        self._texts = [Text(page.title, page.text, page.id) for page in given.pages]
        self._texts += [Text("", one.text, page_id) for one in given.findings for page_id in one.page_ids]

    def borne(self, found: Sequence[FoundFact]) -> list[Finding]:
        """The facts that passages bear, each once; the others are dropped, and noted."""
        findings: dict[str, Finding] = {}
        for one in found[:MOST_FINDINGS]:
            text = brief(as_written(one.text), FINDING_CHARACTERS)
            if text and text not in findings and (page_ids := self._pages(text, one.pages)):
                findings[text] = Finding(text=text, page_ids=page_ids)
        if len(found) > MOST_FINDINGS:
            self._consultation.remark("dropped", f"findings after the first {MOST_FINDINGS}")
        return list(findings.values())

    def _pages(self, text: str, numbers: Sequence[int]) -> tuple[str, ...]:
        """The pages whose passages bear a fact: of those named, or else of any."""
        _drop_unknown(numbers, self._numbered, self._consultation)
        named = {self._numbered[number] for number in numbers if number in self._numbered}
        cited = [one for one in self._texts if one.entry_id in named]
        quotes = self._grounding.quotes(text, cited) or self._grounding.quotes(text, self._texts)
        page_ids = tuple(dict.fromkeys(quote.entry_id for quote in quotes if quote.entry_id is not None))
        if not page_ids:
            self._consultation.remark("dropped", f"no page bears it: {text}")
        elif not named.issuperset(page_ids):
            self._consultation.remark("repaired", f"it stands on {', '.join(page_ids)}: {text}")
        return page_ids


# -- what is missing ---------------------------------------------------------------------------------------------


def reflect(given: ReflectionGiven, consultation: Consultation) -> Reflection:
    """Whether it is enough, and what to ask next. Where nothing was found it is never enough."""
    excerpts = _pages(given, [page.id for page in given.pages], consultation)
    parts: list[Part] = [
        ("question", [question_piece(given.question)]),
        ("found", [line_piece(f"finding {place}", one.text) for place, one in enumerate(given.findings, start=1)]),
        ("asked", [line_piece(f"request {place}", text) for place, text in enumerate(given.requests, start=1)]),
        ("excerpts", excerpts),
    ]
    instructions, prompt, _shown = _fitted("reflect", consultation, parts, spared=len(excerpts))
    reply = consultation.ask(instructions, prompt, ReflectionReply)
    enough = reply.enough
    if enough and not given.findings:
        enough = False
        consultation.remark("repaired", "nothing was found, so it is not enough")
    return Reflection(enough=enough, follow_ups=() if enough else _follow_ups(reply.follow_ups, given, consultation))


def _follow_ups(said: Sequence[str], given: ReflectionGiven, consultation: Consultation) -> tuple[str, ...]:
    """Requests that were not made before, each once."""
    asked = {text.casefold() for text in given.requests}
    new: dict[str, str] = {}
    for text in map(_request, said):
        if text and text.casefold() not in asked:
            new.setdefault(text.casefold(), text)
    if len(new) > MOST_FOLLOW_UPS:
        consultation.remark("dropped", f"requests after the first {MOST_FOLLOW_UPS}")
    return tuple(new.values())[:MOST_FOLLOW_UPS]


# -- what the three share ----------------------------------------------------------------------------------------


def _fitted(
    task: Task, consultation: Consultation, parts: Sequence[Part], spared: int = 0
) -> tuple[str, str, frozenset[str]]:
    """Instructions and prompt, and the ids of what is shown: all parts, but for the last `spared` pieces as needed.

    What must be shown is shortened where the window is too small, pages to what bears on the question.
    """
    instructions = system(task, consultation.language)
    pieces = [piece for _name, part in parts for piece in part]

    def build(kept: Mapping[str, str]) -> str:
        return user(consultation.language, parts, kept)

    fitted = fit(consultation, instructions, build, pieces, needed=len(pieces) - spared)
    return instructions, fitted.prompt, fitted.shown


def _pages(given: FindingsGiven | ReflectionGiven, known: Collection[str], consultation: Consultation) -> list[Piece]:
    """The pages by their numbers: those that are known in excerpts, the others whole."""
    bearing, count = bearing_on(given.question), consultation.count_tokens
    pieces = [page_piece(number, page, bearing) for number, page in enumerate(given.pages, start=1)]
    return [
        replace(piece, body=bearing(piece.body, EXCERPT_TOKENS, count)) if piece.id in known else piece
        for piece in pieces
    ]


def _request(text: str) -> str:
    """What is to be looked for, as it can be searched and shown."""
    return one_line(brief(as_written(text), REQUEST_CHARACTERS))


def _drop_unknown(numbers: Sequence[int], shown: Mapping[int, str], consultation: Consultation) -> None:
    unknown = ", ".join(str(number) for number in dict.fromkeys(numbers) if number not in shown)
    if unknown:
        consultation.remark("dropped", f"pages that were not shown: {unknown[:100]}")
