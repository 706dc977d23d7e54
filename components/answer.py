"""Draw the answer: statements with citations, disputes, rejected statements. Citation numbers open passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from components.language import listed, mark_for_translation, recorded, say, say_n, visitor_words
from components.linked_text import Block, BlockKind, Segment
from components.look import GREY, NODE_STATES, escape, heading, money, source_label
from memory_bank.agents.research import MemoryPage, Research, ResearchRound, Stopped
from memory_bank.bank.answer import NO_PASSAGE, UNCONFIRMED, Answer, Dispute, Rejection
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.usage import Remark, Usage
from memory_bank.session.answer_check import VerificationReport
from memory_bank.session.answer_lines import Line, Table, answer_statements, comparison_table, sides
from memory_bank.views import conflict_text


def draw_verified(verified: VerificationReport) -> None:
    """Draw how many of the answer's sentences are confirmed by their passages, and list those that are not."""
    glyph = "✓" if not verified.faults else "!"
    summary = say_n(
        "{holding} of {n} sentence confirmed against its passages",
        "{holding} of {n} sentences confirmed against their passages",
        verified.sentences,
        holding=verified.holding,
    )
    faults = "".join(f"<li>{escape(recorded(fault.why))}: {escape(fault.sentence)}</li>" for fault in verified.faults)
    st.html(f'<div class="mb-verified">{glyph} {escape(summary)}{f"<ul>{faults}</ul>" if faults else ""}</div>')


def blocks(answer: Answer, conflicts: Mapping[str, Conflict]) -> Iterator[Block]:
    """Yield the answer as blocks: its statements or table, then each dispute, then each rejected statement and why.

    What the disputes are about is said by the `conflicts` of the session.
    """
    lines = answer_statements(answer)
    if table := comparison_table(lines):
        yield _table(table)
    heading = ""
    for line in table.rest if table else lines:
        if line.heading:
            heading = recorded(line.text)
        else:
            kind: BlockKind = "unfounded" if not line.founded else "listed" if line.item else "text"
            yield Block(tuple(_segments(line)), kind=kind, title=heading)
            heading = ""
    for dispute in answer.disputed:
        yield _dispute(dispute, sides(dispute, answer), conflicts.get(dispute.conflict_id))
    for rejection in answer.rejected:
        yield _rejection(rejection, conflicts.get(rejection.conflict_id))


def _table(table: Table) -> Block:
    head = ((), *((Segment(column),) for column in table.columns))
    body = (
        ((Segment(recorded(attribute)),), *(tuple(_segments(cell)) for cell in cells))
        for attribute, cells in table.rows
    )
    return Block((), kind="table", rows=(head, *body))


def _dispute(dispute: Dispute, lines: list[Line], conflict: Conflict | None) -> Block:
    style = NODE_STATES["disputed"]
    state = (
        say("In dispute: no evidence settles it") if dispute.checked else say("In dispute: this has not been checked")
    )
    parts = [[Segment(state)]] if conflict else []
    parts += [list(_segments(line)) for line in lines]
    return Block(
        tuple(segment for part in parts for segment in (*part, Segment("\n")))[:-1],
        kind="dispute",
        title=conflict_text.conflict_heading(conflict, visitor_words()) if conflict else state,
        glyph=style.glyph,
        colour=style.colour,
    )


def _rejection(rejection: Rejection, conflict: Conflict | None) -> Block:
    reason = f"\n{recorded(rejection.why)}" if rejection.why else ""
    pieces = (("“", False), *conflict_text.refuted_pieces(rejection.text, conflict), (f"”{reason}", False))
    return Block(
        tuple(Segment(text, marked=marked) for text, marked in pieces),
        kind="rejected",
        title=say("Not part of the answer: refuted"),
        glyph="✕",
        colour=GREY,
    )


def _segments(line: Line) -> Iterator[Segment]:
    unfounded = "" if line.founded else f" {recorded(UNCONFIRMED if line.citations else NO_PASSAGE)}"
    yield Segment(recorded(line.text) + (" " if line.citations else unfounded))
    for citation in line.citations:
        source = source_label(citation.source, citation.page)
        label = say("Citation {number}: {place}", number=citation.number, place=source)
        yield Segment(str(citation.number), link=str(citation.number), label=label)
    if unfounded and line.citations:
        yield Segment(unfounded)


_STOP_REASONS: dict[Stopped, str] = {
    "enough": mark_for_translation("ended because every part of the question was found"),
    "nothing new": mark_for_translation("ended because nothing new was found"),
    "out of rounds": mark_for_translation("ended because the rounds were used up"),
}
_MAX_PAGES = 6
"""Most pages that are named; the others are counted."""


def draw_research(research: Research) -> None:
    """Draw the rounds of one question."""
    heading(say("Research"), say(_STOP_REASONS[research.stopped]))
    pages = {page.id: page for page in research.pages}
    rounds = (_round(number, each, pages) for number, each in enumerate(research.rounds, start=1))
    st.html(f'<ul class="mb-list">{"".join(rounds)}</ul>')


def draw_cost(usage: Usage, remarks: Sequence[Remark]) -> None:
    """Draw the remarks on an answer, and the requests, tokens and cost of the question."""
    lines = [recorded(remark.what) for remark in remarks]
    if usage.calls:
        tokens, cost = f"{usage.tokens:,}", money(usage.cost_usd)
        requests = say_n("{n} request", "{n} requests", usage.calls)
        lines.append(say("{requests} to models, {tokens} tokens, {cost}", requests=requests, tokens=tokens, cost=cost))
    if lines:
        st.html(f'<ul class="mb-list">{"".join(f"<li><small>{escape(line)}</small></li>" for line in lines)}</ul>')


def _round(number: int, research_round: ResearchRound, pages: dict[str, MemoryPage]) -> str:
    """A round as an item of a list."""
    plan, page_ids = research_round.plan, research_round.page_ids
    queries = dict.fromkeys(query for need in plan.needs for query in (need.fact, need.keywords, need.sentence))
    lines = [say("looked for: {queries}", queries=" · ".join(queries))]
    if plan.page_ids:
        lines.append(say("opened: {pages}", pages=_page_names(plan.page_ids, pages)))
    lines.append(say("found: {pages}", pages=_page_names(page_ids, pages)) if page_ids else say("nothing found"))
    findings = say_n("{n} relevant sentence", "{n} relevant sentences", len(research_round.findings))
    lines += [recorded(remark.what) for remark in research_round.remarks]
    details = "".join(f"<small>{escape(line)}</small>" for line in lines)
    return f"<li><b>{escape(say('Round {number}', number=number))}</b> {escape(findings)}{details}</li>"


def _page_names(page_ids: tuple[str, ...], pages: dict[str, MemoryPage]) -> str:
    """The first pages by id and title, and the number of the others."""
    shown = [f"{page_id} {pages[page_id].title}".strip() for page_id in page_ids[:_MAX_PAGES]]
    more = len(page_ids) - _MAX_PAGES
    return listed([*shown, say_n("{n} more page", "{n} more pages", more)] if more > 0 else shown)
