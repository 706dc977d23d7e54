"""The three research judgements by a language model: plan the search, find facts on pages, reflect on what is missing.

Replies are checked against what was shown. The model names pages by small numbers. A fact is kept only where a passage
of a page supports it, and it cites the pages of such passages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from memory_bank.agents.prompt import unescape_quote
from memory_bank.agents.research import (
    MOST_FOLLOW_UPS,
    MOST_PAGE_IDS,
    Finding,
    Findings,
    FindingsInput,
    Need,
    PlanInput,
    Reflection,
    ReflectionInput,
    ResearchPlan,
)
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.research_prompt import (
    Part,
    Task,
    abstract_piece,
    page_piece,
    question_focused_cut,
    question_piece,
    system,
    user,
)
from memory_bank.engines.llm.window import Piece, fit, line_pieces, one_paragraph
from memory_bank.judgement.grounding import Grounding, SourceText
from memory_bank.text.wording import Wording, mark_for_translation, one_line

MOST_NEEDS = 8
MOST_FINDINGS = 20
REQUEST_CHARACTERS = 300
FINDING_CHARACTERS = 500
EXCERPT_TOKENS = 200
"""Tokens shown of a page that was read before: enough for the names it mentions."""
_UNKNOWN_PAGES = mark_for_translation("pages that were not shown: {numbers}")


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
    """A fact, and the pages that state it."""

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


def plan_research(agent_input: PlanInput, consultation: Consultation) -> ResearchPlan:
    """Each request unchanged, then the model's needs. `InvalidOutputError` for a plan that names nothing."""
    requests = [text for text in agent_input.requests if text != agent_input.question]
    known = [abstract_piece(number, abstract) for number, abstract in enumerate(agent_input.known, start=1)]
    parts: list[Part] = [("question", [question_piece(agent_input.question)]), ("known", known)]
    if requests:
        parts.insert(1, ("requests", line_pieces("request", requests)))
    instructions, prompt, shown_ids = _fitted("plan", consultation, parts, spared=len(known))
    reply = consultation.ask(instructions, prompt, PlanReply)
    shown = {number: page.id for number, page in enumerate(agent_input.known, start=1) if page.id in shown_ids}
    page_ids = _pages_to_open(reply.open_pages, shown, consultation)
    needs = _needs(reply.needs, consultation)
    if not needs and not page_ids:
        consultation.refuse(Wording("the plan names nothing to look for, and no page to open"))
    as_asked = (Need(fact=text, keywords=text, sentence=text) for text in agent_input.requests)
    return ResearchPlan(needs=(*as_asked, *needs), page_ids=page_ids)


def _needs(replies: Sequence[NeededFact], consultation: Consultation) -> list[Need]:
    """The facts to look for, each once; an empty field is filled from another one."""
    needs: dict[tuple[str, str], Need] = {}
    for reply in replies:
        fact, keywords, sentence = (_search_text(text) for text in (reply.fact, reply.keywords, reply.sentence))
        fallback = sentence or fact or keywords
        if fallback:
            need = Need(fact=fact or fallback, keywords=keywords or fallback, sentence=fallback)
            needs.setdefault((need.keywords, need.sentence), need)
    if len(needs) > MOST_NEEDS:
        consultation.drop(Wording("what was to be looked for after the first {number}", number=MOST_NEEDS))
    return list(needs.values())[:MOST_NEEDS]


def _pages_to_open(numbers: Sequence[int], shown: Mapping[int, str], consultation: Consultation) -> tuple[str, ...]:
    """The ids of the pages to open."""
    page_ids = [shown[number] for number in dict.fromkeys(numbers) if number in shown]
    consultation.remark_unknown(_UNKNOWN_PAGES, numbers, shown)
    if len(page_ids) > MOST_PAGE_IDS:
        what = mark_for_translation("pages after the first {number} that were to be opened: {entries}")
        entries = ", ".join(page_ids[MOST_PAGE_IDS:])
        consultation.drop(Wording(what, number=MOST_PAGE_IDS, entries=entries))
    return tuple(page_ids[:MOST_PAGE_IDS])


# -- what the pages say ------------------------------------------------------------------------------------------


def find_facts(agent_input: FindingsInput, consultation: Consultation, grounding: Grounding) -> Findings:
    """The facts that the pages support. `InvalidOutputError` when they support none of those in the reply."""
    if {page.id for page in agent_input.pages} <= set(agent_input.read):
        return Findings(findings=agent_input.findings)  # nothing to read, so no request
    earlier = dict.fromkeys(page_id for finding in agent_input.findings for page_id in finding.page_ids)
    numbered = dict(enumerate(dict.fromkeys([*(page.id for page in agent_input.pages), *earlier]), start=1))
    numbers = {page_id: number for number, page_id in numbered.items()}
    found = (
        f"{finding.text} ({', '.join(f'page {numbers[page_id]}' for page_id in finding.page_ids)})"
        for finding in agent_input.findings
    )
    parts: list[Part] = [
        ("question", [question_piece(agent_input.question)]),
        ("found", line_pieces("finding", found)),
        ("pages", _page_pieces(agent_input, agent_input.read, consultation)),
    ]
    instructions, prompt, _shown = _fitted("find", consultation, parts)
    reply = consultation.ask(instructions, prompt, FindingsReply)
    texts = [SourceText(page.title, page.text, page.id) for page in agent_input.pages]
    # What an earlier round found stands for its pages.
    texts += [SourceText("", each.text, page_id) for each in agent_input.findings for page_id in each.page_ids]
    findings = _FactChecker(texts, numbered, grounding, consultation).supported(reply.findings)
    if reply.findings and not findings:
        consultation.refuse(
            Wording("no page bears any of the findings; give only what the pages say, in their own words")
        )
    return Findings(findings=tuple(findings))


@dataclass(frozen=True)
class _FactChecker:
    """Checks facts against the texts of pages, which are `numbered`."""

    texts: Sequence[SourceText]
    numbered: Mapping[int, str]
    grounding: Grounding
    consultation: Consultation

    def supported(self, facts: Sequence[FoundFact]) -> list[Finding]:
        """The facts that passages support, each once; the others are dropped and recorded."""
        findings: dict[str, Finding] = {}
        for fact in facts[:MOST_FINDINGS]:
            text = one_paragraph(unescape_quote(fact.text), FINDING_CHARACTERS)
            if text and text not in findings and (page_ids := self._supporting_pages(text, fact.pages)):
                findings[text] = Finding(text=text, page_ids=page_ids)
        if len(facts) > MOST_FINDINGS:
            self.consultation.drop(Wording("findings after the first {number}", number=MOST_FINDINGS))
        return list(findings.values())

    def _supporting_pages(self, text: str, numbers: Sequence[int]) -> tuple[str, ...]:
        """The pages with passages that support a fact: of the pages named, or else of any."""
        self.consultation.remark_unknown(_UNKNOWN_PAGES, numbers, self.numbered)
        named = {self.numbered[number] for number in numbers if number in self.numbered}
        cited = [source for source in self.texts if source.entry_id in named]
        quotes = self.grounding.quotes(text, cited) or self.grounding.quotes(text, self.texts)
        page_ids = tuple(dict.fromkeys(quote.entry_id for quote in quotes if quote.entry_id is not None))
        if not page_ids:
            self.consultation.drop(Wording("no page bears it: {text}", text=text))
        elif not named.issuperset(page_ids):
            self.consultation.repair(Wording("it stands on {entries}: {text}", entries=", ".join(page_ids), text=text))
        return page_ids


# -- what is missing ---------------------------------------------------------------------------------------------


def reflect(agent_input: ReflectionInput, consultation: Consultation) -> Reflection:
    """Whether the findings are enough, and what to ask next. No findings are never enough."""
    excerpts = _page_pieces(agent_input, [page.id for page in agent_input.pages], consultation)
    parts: list[Part] = [
        ("question", [question_piece(agent_input.question)]),
        ("found", line_pieces("finding", (finding.text for finding in agent_input.findings))),
        ("asked", line_pieces("request", agent_input.requests)),
        ("excerpts", excerpts),
    ]
    instructions, prompt, _shown = _fitted("reflect", consultation, parts, spared=len(excerpts))
    reply = consultation.ask(instructions, prompt, ReflectionReply)
    enough = reply.enough
    if enough and not agent_input.findings:
        enough = False
        consultation.repair(Wording("nothing was found, so it is not enough"))
    return Reflection(
        enough=enough, follow_ups=() if enough else _follow_ups(reply.follow_ups, agent_input, consultation)
    )


def _follow_ups(replies: Sequence[str], agent_input: ReflectionInput, consultation: Consultation) -> tuple[str, ...]:
    """The new requests, each once."""
    earlier = {text.casefold() for text in agent_input.requests}
    new: dict[str, str] = {}
    for text in map(_search_text, replies):
        if text and text.casefold() not in earlier:
            new.setdefault(text.casefold(), text)
    if len(new) > MOST_FOLLOW_UPS:
        consultation.drop(Wording("requests after the first {number}", number=MOST_FOLLOW_UPS))
    return tuple(new.values())[:MOST_FOLLOW_UPS]


# -- what the three share ----------------------------------------------------------------------------------------


def _fitted(
    task: Task, consultation: Consultation, parts: Sequence[Part], spared: int = 0
) -> tuple[str, str, frozenset[str]]:
    """Instructions, prompt, and the ids of what is shown. Only the last `spared` pieces may be left out."""
    instructions = system(task, consultation.language)
    pieces = [piece for _name, part in parts for piece in part]

    def build(texts: Mapping[str, str]) -> str:
        return user(consultation.language, parts, texts)

    fitted = fit(consultation, instructions, build, pieces, needed=len(pieces) - spared)
    return instructions, fitted.prompt, fitted.shown


def _page_pieces(
    agent_input: FindingsInput | ReflectionInput, already_read: Collection[str], consultation: Consultation
) -> list[Piece]:
    """The pages by number, whole; those already read in excerpts."""
    cut, count = question_focused_cut(agent_input.question), consultation.count_tokens
    pieces = [page_piece(number, page, cut) for number, page in enumerate(agent_input.pages, start=1)]
    return [
        replace(piece, body=cut(piece.body, EXCERPT_TOKENS, count)) if piece.id in already_read else piece
        for piece in pieces
    ]


def _search_text(text: str) -> str:
    """A need or request of the reply on one bounded line, to be searched with and shown."""
    return one_line(one_paragraph(unescape_quote(text), REQUEST_CHARACTERS))
